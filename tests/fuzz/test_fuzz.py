"""Random functions, a hundred a program, natively against the CPU device.

Each run tries others: the seed is in the test's name, and `--seed N --batches 1` tries them again. A failing program is left in pytest's
folder, and its functions are cases to reduce and keep.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from generate import program

from audits import answer_of_ptxas

OXIDE = Path(__file__).parents[2] / "oxide"
FUNCTIONS = 100


def test_the_device_computes_what_the_host_does(seed: int, tmp_path: Path) -> None:
    """Every function gives the same for every input."""
    source = tmp_path / f"fuzz_{seed}.rs"
    source.write_text(program(seed, FUNCTIONS))
    done = subprocess.run([OXIDE, "run", source, "--device", "cpu"], cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}\n{done.stderr[-4000:]}"
    assert done.stdout.startswith("SUCCESS"), f"seed {seed}"
    assert answer_of_ptxas(tmp_path / f"fuzz_{seed}.ptx") == ""
