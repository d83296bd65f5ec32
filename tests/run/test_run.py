"""The same functions natively and on the CPU device, bit for bit: what a kernel means.

The cases are in src/topics/, one file a topic; the program compares by itself and prints a line for each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from oxide import toolchain
from oxide.options import environment

HERE = Path(__file__).parent
TOPICS = sorted(path.stem for path in (HERE / "src" / "topics").glob("*.rs") if path.stem != "mod")


MODES = {
    "release": ("--profile", "release"),
    "no-inline": ("--profile", "no-inline"),
    "dev": ("--profile", "dev"),
    "unoptimised": ("--profile", "release", "--opt-level", "0"),
}
"""As users build it; with every function called; with MIR as it is written, overflow checks and debug assertions; with the three passes of
LLVM that code generation needs and no other."""


@dataclass(frozen=True)
class Run:
    """The program's lines by topic, and its PTX."""

    lines: dict[str, list[str]]
    ptx: bytes


@pytest.fixture(scope="session")
def runs() -> dict[str, Run]:
    """The modes that have run."""
    return {}


@pytest.fixture
def done(runs: dict[str, Run], mode: str) -> Run:
    """The run of a mode, the first time it is asked for."""
    if mode not in runs:
        runs[mode] = run(mode)
    return runs[mode]


def run(mode: str) -> Run:
    """Build the program in a mode and run it."""
    command = [sys.executable, "-m", "oxide", "run", *MODES[mode], "--device", "cpu", os.fspath(HERE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, list[str]] = {topic: [] for topic in TOPICS}
    for line in done.stdout.splitlines():
        word, _, name = line.partition(" ")
        if word in {"ok", "FAIL"}:
            found[name.partition("::")[0]].append(line)
    assert done.returncode in {0, 1}, done.stderr
    assert any(found.values()), done.stderr
    return Run(found, (HERE / "meaning.ptx").read_bytes())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("mode", MODES)
def test_the_device_gives_what_the_host_does(done: Run, topic: str) -> None:
    found = done.lines[topic]
    assert found, f"no case of {topic} has run"
    wrong = [line for line in found if not line.startswith("ok ")]
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
@pytest.mark.parametrize("mode", MODES)
def test_ptxas_assembles_it(done: Run, arch: str, tmp_path: Path) -> None:
    ptxas = toolchain.find_ptxas(environment())
    if ptxas is None:
        pytest.skip("ptxas is not installed: pip install nvidia-cuda-nvcc")
    (ptx := tmp_path / "meaning.ptx").write_bytes(done.ptx)
    assembled = subprocess.run([ptxas, f"-arch={arch}", ptx, "-o", os.devnull], capture_output=True, text=True, check=False)
    assert assembled.returncode == 0, assembled.stdout + assembled.stderr
