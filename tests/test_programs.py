"""Single-file programs that check their own result and say SUCCESS: what needs many threads, or more than one function's answer.

Those in the folder `build_std` are built with `--build-std`. Those in `host` are about the host: streams, memory, graphs, several devices,
faults; the CPU device has two for them.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import workspace
from audits import answer_of_ptxas, unmarked
from oxide.tools import gpu

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted((ROOT / "tests/programs").rglob("*.rs"))
GPU = pytest.param("cuda", marks=[pytest.mark.gpu, pytest.mark.skipif(not gpu.has_cuda_driver(), reason="no CUDA driver")])
ALONE = ("atomics", "loading", "whole_core")
"""Programs that `oxide run FILE` builds and runs; those of the folder `build_std` are all among them."""


@pytest.fixture(scope="module")
def packages(device: str) -> dict[str, workspace.Package]:
    """The programs, built at once."""
    files = [program for program in PROGRAMS if program.parent.name != "build_std"]
    return workspace.build(f"programs-{device}", files, device=device, emit="ll,ptx")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("device", ["cpu", GPU], scope="module")
@pytest.mark.parametrize("program", [program for program in PROGRAMS if program.parent.name != "build_std"], ids=lambda path: path.stem)
def test_the_program_succeeds(program: Path, device: str, packages: dict[str, workspace.Package], tmp_path: Path) -> None:
    """Run it in an empty folder, with its PTX; ptxas takes that too, and its LLVM IR says what may not be moved."""
    package = packages[program.stem]
    done = workspace.run(package, tmp_path, device=device, **({"OXIDE_CPU_DEVICES": "2"} if program.parent.name == "host" else {}))
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("SUCCESS") for line in done.stdout.splitlines())
    assert unmarked(package.stage(".ll").read_text()) == []
    assert answer_of_ptxas(package.stage(".ptx")) == ""


@pytest.mark.parametrize("device", ["cpu", GPU])
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(program, marks=[pytest.mark.long] if program.parent.name == "build_std" else [])
        for program in PROGRAMS
        if program.stem in ALONE
    ],
    ids=lambda path: path.stem,
)
def test_a_file_is_built_and_run_by_one_command(program: Path, device: str, tmp_path: Path) -> None:
    """It is written to and run in the folder that it is called in; each stage is there for the next command."""
    flags = ["--build-std"] if program.parent.name == "build_std" else []
    done = oxide("run", program, "--device", device, *flags, here=tmp_path)
    assert done.returncode == 0, done.stderr
    assert any(line.startswith("SUCCESS") for line in done.stdout.splitlines())
    built = oxide("build", program, "--device", device, *flags, "--emit=ll", "--out-dir", tmp_path, here=tmp_path)
    assert built.returncode == 0, built.stderr
    assert unmarked((tmp_path / f"{program.stem}.ll").read_text()) == []
    ptx = tmp_path / f"{program.stem}.ptx"
    assembled = oxide("compile", "--from", ptx, "--to", "cubin", "-o", tmp_path / "module.cubin", here=tmp_path)
    assert assembled.returncode == 0, assembled.stderr


def oxide(*arguments: str | Path, here: Path) -> subprocess.CompletedProcess[str]:
    """Run oxide in a folder."""
    variables = {**os.environ, "OXIDE_CPU_DEVICES": "2"}
    return subprocess.run([ROOT / "oxide", *arguments], cwd=here, env=variables, capture_output=True, text=True, timeout=600, check=False)
