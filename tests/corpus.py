"""A program of many small functions, each run natively and on the CPU device: tests/run and tests/crates are such programs.

    corpus = Corpus(Path("tests/run"), {"release": ("--profile", "release")})
    corpus.run("release").lines["floats"]        # ["ok floats::extremes_f32", …]

The functions are in src/topics/, one file a topic; the program compares by itself and prints a line for each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from audits import answer_of_ptxas, unmarked

if TYPE_CHECKING:
    from pathlib import Path

    from _pytest.mark import ParameterSet


LONG = {"no-inline"}
"""The modes that are for `./check --long`: nobody builds so, and they take minutes."""


@dataclass(frozen=True)
class Run:
    """The program's lines by topic, its LLVM IR and its PTX."""

    lines: dict[str, list[str]]
    ll: list[Path]
    ptx: list[Path]


@dataclass(frozen=True)
class Corpus:
    """A program, and how it is built: the arguments of each mode."""

    folder: Path
    modes: dict[str, tuple[str, ...]]
    runs: dict[str, Run] = field(default_factory=dict)
    """The modes that have run."""

    @property
    def every_mode(self) -> list[ParameterSet]:
        """The modes as parameters."""
        return [pytest.param(mode, marks=[pytest.mark.long] if mode in LONG else []) for mode in self.modes]

    @property
    def topics(self) -> list[str]:
        """The topics by name."""
        return sorted(path.stem for path in (self.folder / "src" / "topics").glob("*.rs") if path.stem != "mod")

    def run(self, mode: str, keep: Path) -> Run:
        """Build and run the program in a mode, the first time it is asked for. Its LLVM IR and its PTX are kept in a folder."""
        if mode not in self.runs:
            self.runs[mode] = self._run(mode, keep)
        return self.runs[mode]

    def _run(self, mode: str, keep: Path) -> Run:
        options = [*self.modes[mode], "--device", "cpu", os.fspath(self.folder)]
        build = [sys.executable, "-m", "oxide", "build", *options, "--emit=ll,ptx", "--out-dir", os.fspath(keep)]
        built = subprocess.run(build, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
        done = subprocess.run([sys.executable, "-m", "oxide", "run", *options], capture_output=True, text=True, check=False)
        for path in self.folder.glob("*.ptx"):
            path.unlink()
        found = defaultdict(list)
        for line in done.stdout.splitlines():
            word, _, name = line.partition(" ")
            if word in {"ok", "FAIL"}:
                found[name.partition("::")[0]].append(line)
        assert done.returncode in {0, 1}, done.stderr
        assert found, done.stderr
        return Run(found, sorted(keep.glob("*.ll")), sorted(keep.glob("*.ptx")))


def assert_nothing_differs(done: Run, topic: str) -> None:
    """Every function of a topic has run, and gives on the device what it gives natively."""
    found = done.lines.get(topic)
    assert found, f"no case of {topic} has run"
    wrong = [line for line in found if not line.startswith("ok ")]
    assert not wrong, "\n".join(wrong)


def assert_ptxas_assembles(done: Run, arch: str) -> None:
    """NVIDIA's assembler, where it is installed, takes the PTX."""
    assert done.ptx
    for ptx in done.ptx:
        assert answer_of_ptxas(ptx, arch) == ""


def assert_convergent(done: Run) -> None:
    """All that may not be moved says so in the LLVM IR."""
    assert done.ll
    for ll in done.ll:
        assert unmarked(ll.read_text()) == [], ll
