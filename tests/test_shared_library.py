"""A shared library finds the kernels that it carries in whatever process loads it, its own and those of the libraries in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from oxide.tools import gpu

ROOT = Path(__file__).parents[1]
PROGRAM = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
values = (ctypes.c_uint32 * 100)(*range(100))
library.transform.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
for factor in 3, 5:
    assert library.transform(values, len(values), factor) == 0
print(*values)
"""
GPU = pytest.param("cuda", marks=[pytest.mark.gpu, pytest.mark.skipif(not gpu.has_cuda_driver(), reason="no CUDA driver")])


@pytest.mark.timeout(600)
@pytest.mark.parametrize("device", ["cpu", GPU])
def test_another_process_launches_its_kernels(device: str, tmp_path: Path) -> None:
    """Python is that process: nothing but the path of the library is known to it."""
    project = ROOT / "tests/shared_library"
    command = [sys.executable, "-m", "oxide", "build", "--device", device]
    built = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (library,) = project.glob("target/oxide/*/release/libshared_library.so")
    done = subprocess.run([sys.executable, "-c", PROGRAM, library], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    once = [2 * (value + place) * 3 + 1 for place, value in enumerate(range(100))]
    twice = [2 * (value + place) * 5 + 1 for place, value in enumerate(once)]
    assert done.stdout.split() == [str(value) for value in twice]
