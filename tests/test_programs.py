"""Single-file programs that check their own result and say SUCCESS: what needs many threads, or more than one function's answer.

Those in the folder `build_std` are built with `--build-std`. Those in `host` are about the host: streams, memory, graphs, several devices,
faults; the CPU device has two for them.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from audits import unmarked
from oxide.tools import gpu

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted((ROOT / "tests/programs").rglob("*.rs"))
GPU = pytest.param("cuda", marks=[pytest.mark.gpu, pytest.mark.skipif(not gpu.has_cuda_driver(), reason="no CUDA driver")])


@pytest.mark.parametrize("device", ["cpu", GPU])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_program_succeeds(program: Path, device: str, tmp_path: Path) -> None:
    """Run it from an empty folder, where its PTX is written; ptxas takes that too, and its LLVM IR says what may not be moved."""
    flags = ["--build-std"] if program.parent.name == "build_std" else []
    done = subprocess.run(
        [ROOT / "oxide", "run", program, "--device", device, *flags],
        cwd=tmp_path,
        env={**os.environ, "OXIDE_CPU_DEVICES": "2"} if program.parent.name == "host" else None,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("SUCCESS") for line in done.stdout.splitlines())
    built = subprocess.run(
        [ROOT / "oxide", "build", program, "--device", device, *flags, "--emit=ll", "--out-dir", tmp_path],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    for ll in tmp_path.glob("*.ll"):
        assert unmarked(ll.read_text()) == [], ll
    assembled = subprocess.run(
        [ROOT / "oxide", "compile", "--from", tmp_path / f"{program.stem}.ptx", "--to", "cubin", "-o", tmp_path / "module.cubin"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert assembled.returncode == 0, assembled.stderr
