"""The same functions natively and on the CPU device, bit for bit: what a kernel means.

The cases are in src/topics/, one file a topic; the program compares by itself and prints a line for each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oxide import toolchain
from oxide.options import environment

HERE = Path(__file__).parent
TOPICS = sorted(path.stem for path in (HERE / "src" / "topics").glob("*.rs") if path.stem != "mod")


PROFILES = ("release", "no-inline", "dev")
"""As users build it; with every function called; with MIR as it is written, overflow checks and debug assertions."""


@pytest.fixture(scope="session")
def lines() -> dict[str, dict[str, list[str]]]:
    """The program's lines by profile and topic, for the profiles that have run."""
    return {}


def run(profile: str) -> dict[str, list[str]]:
    """Build the program in a profile, run it, and return its lines by topic."""
    command = [sys.executable, "-m", "oxide", "run", "--profile", profile, "--device", "cpu", os.fspath(HERE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, list[str]] = {topic: [] for topic in TOPICS}
    for line in done.stdout.splitlines():
        word, _, name = line.partition(" ")
        if word in {"ok", "FAIL"}:
            found[name.partition("::")[0]].append(line)
    assert done.returncode in {0, 1}, done.stderr
    assert any(found.values()), done.stderr
    assemble(HERE / "meaning.ptx")
    return found


def assemble(ptx: Path) -> None:
    """Let ptxas read a PTX."""
    ptxas = toolchain.find_ptxas(environment())
    if ptxas is None:
        pytest.skip("ptxas is not installed")
    for arch in ("sm_75", "sm_90"):
        done = subprocess.run([ptxas, f"-arch={arch}", ptx, "-o", os.devnull], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(600)
@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("profile", PROFILES)
def test_the_device_gives_what_the_host_does(lines: dict[str, dict[str, list[str]]], profile: str, topic: str) -> None:
    if profile not in lines:
        lines[profile] = run(profile)
    found = lines[profile][topic]
    assert found, f"no case of {topic} has run"
    wrong = [line for line in found if not line.startswith("ok ")]
    assert not wrong, "\n".join(wrong)
