"""The examples on a GPU: the PTX is loaded by the driver, and each program checks its own result."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from oxide import toolchain

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.parent.name for path in ROOT.glob("examples/*/oxide.toml"))

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not toolchain.has_cuda_driver(), reason="no CUDA driver"),
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_succeeds_on_the_gpu(name: str) -> None:
    """The program says that it succeeded, as its oxide.toml has it."""
    expected = tomllib.loads((ROOT / "examples" / name / "oxide.toml").read_text())["example"]["success"]
    done = subprocess.run([ROOT / "oxide", "run", name, "--device", "cuda"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
