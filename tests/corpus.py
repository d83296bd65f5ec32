"""A program of many small functions, each run natively and on the CPU device: tests/run and tests/crates are such programs.

    corpus = Corpus(Path("tests/run"), {"release": ("--profile", "release")})
    corpus.run("release").lines["floats"]        # ["ok floats::extremes_f32", …]

The functions are in src/topics/, one file a topic; the program compares by itself and prints a line for each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from oxide import toolchain
from oxide.options import environment


@dataclass(frozen=True)
class Run:
    """The program's lines by topic, and its PTX."""

    lines: dict[str, list[str]]
    ptx: list[Path]


@dataclass(frozen=True)
class Corpus:
    """A program, and how it is built: the arguments of each mode."""

    folder: Path
    modes: dict[str, tuple[str, ...]]
    runs: dict[str, Run] = field(default_factory=dict)
    """The modes that have run."""

    @property
    def topics(self) -> list[str]:
        """The topics by name."""
        return sorted(path.stem for path in (self.folder / "src" / "topics").glob("*.rs") if path.stem != "mod")

    def run(self, mode: str, keep: Path) -> Run:
        """Build and run the program in a mode, the first time it is asked for. Its PTX is kept in a folder."""
        if mode not in self.runs:
            self.runs[mode] = self._run(mode, keep)
        return self.runs[mode]

    def _run(self, mode: str, keep: Path) -> Run:
        command = [sys.executable, "-m", "oxide", "run", *self.modes[mode], "--device", "cpu", os.fspath(self.folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = defaultdict(list)
        for line in done.stdout.splitlines():
            word, _, name = line.partition(" ")
            if word in {"ok", "FAIL"}:
                found[name.partition("::")[0]].append(line)
        assert done.returncode in {0, 1}, done.stderr
        assert found, done.stderr
        return Run(found, [Path(shutil.move(path, keep)) for path in self.folder.glob("*.ptx")])


def assert_nothing_differs(done: Run, topic: str) -> None:
    """Every function of a topic has run, and gives on the device what it gives natively."""
    found = done.lines.get(topic)
    assert found, f"no case of {topic} has run"
    wrong = [line for line in found if not line.startswith("ok ")]
    assert not wrong, "\n".join(wrong)


def assert_ptxas_assembles(done: Run, arch: str) -> None:
    """NVIDIA's assembler, where it is installed, takes the PTX."""
    ptxas = toolchain.find_ptxas(environment())
    if ptxas is None:
        pytest.skip("ptxas is not installed: pip install nvidia-cuda-nvcc")
    for ptx in done.ptx:
        assembled = subprocess.run([ptxas, f"-arch={arch}", ptx, "-o", os.devnull], capture_output=True, text=True, check=False)
        assert assembled.returncode == 0, assembled.stdout + assembled.stderr
