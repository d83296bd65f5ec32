"""Random programs, natively against the CPU device.

`--seed N` starts from another seed; a failing program is left in pytest's folder, and its functions are cases to reduce and keep.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from generate import program

OXIDE = Path(__file__).parents[2] / "oxide"
PROGRAMS = 3
FUNCTIONS = 100


@pytest.mark.parametrize("number", range(PROGRAMS))
def test_the_device_computes_what_the_host_does(number: int, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Every function gives the same for every input."""
    seed = pytestconfig.getoption("--seed") + number
    source = tmp_path / f"fuzz_{seed}.rs"
    source.write_text(program(seed, FUNCTIONS))
    done = subprocess.run([OXIDE, "run", source, "--device", "cpu"], cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}\n{done.stderr[-4000:]}"
    assert done.stdout.startswith("SUCCESS"), f"seed {seed}"
