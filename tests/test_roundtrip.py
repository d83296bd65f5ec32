"""Every stage's text can be read again, by us and by MLIR's own tools, and leads to the same PTX."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from audits import answer_of_ptxas, unmarked
from oxide import pipeline
from oxide.export.worker import LlvmWorker
from oxide.options import CompileOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).parents[1]
EXAMPLES = ("hello_constant", "map_closure", "match_enum", "reduce", "saxpy", "vecadd")
CORPUS = "meaning"
"""The program of tests/run, which reaches much more."""

TEXTS = ("mir", "nvvm", "llvm")
PTX_OF = CompileOptions(arch="sm_75")


@pytest.fixture(scope="session")
def worker() -> Iterator[LlvmWorker]:
    with LlvmWorker() as made:
        yield made


@dataclass(frozen=True)
class Program:
    """A program with its stages, of the corpus all but the PTX."""

    name: str
    stages: dict[str, bytes]


@pytest.fixture(scope="session")
def known() -> dict[str, Program]:
    """The programs that have been compiled."""
    return {}


@pytest.fixture
def program(request: pytest.FixtureRequest, known: dict[str, Program], worker: LlvmWorker, tmp_path: Path) -> Program:
    """The program that a test asks for by name."""
    name = request.param
    if name not in known:
        place = os.fspath(REPOSITORY / "tests" / "run") if name == CORPUS else name
        command = [sys.executable, "-m", "oxide", "build", place, "--device", "cpu", "--emit=mir-json", "--out-dir", os.fspath(tmp_path)]
        subprocess.run(command, check=True)
        dump = (tmp_path / f"{name}.mir.json").read_bytes()
        emit = {"mir-json", *TEXTS, "ll"} | ({"ptx"} if name != CORPUS else set())
        known[name] = Program(name, compile_from("mir-json", dump, emit, worker, name))
        assert unmarked(known[name].stages["ll"].decode()) == []
    return known[name]


every_program = pytest.mark.parametrize("program", [*EXAMPLES, CORPUS], indirect=True)
examples_only = pytest.mark.parametrize("program", EXAMPLES, indirect=True)
"""The rest would take minutes and show nothing new."""


def compile_from(start: str, source: bytes, emit: set[str], worker: LlvmWorker, name: str) -> dict[str, bytes]:
    return pipeline.compile(source, start=start, emit=emit, options=PTX_OF, worker=worker, name=name)


def tool(name: str) -> str:
    """Return one of MLIR 22's tools, or skip."""
    found = shutil.which(f"{name}-22") or shutil.which(name, path="/usr/lib/llvm-22/bin")
    if found is None:
        pytest.skip(f"{name} of LLVM 22 is not installed: apt install mlir-22-tools")
    return found


def through(command: list[str], text: bytes) -> bytes:
    """Send a text through a tool, which may not complain."""
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@every_program
@pytest.mark.parametrize("stage", TEXTS)
def test_what_is_parsed_prints_the_same_and_gives_the_same_ll(stage: str, program: Program, worker: LlvmWorker) -> None:
    again = compile_from(stage, program.stages[stage], {stage, "ll"}, worker, program.name)
    assert again[stage] == program.stages[stage]
    assert again["ll"] == program.stages["ll"]


@examples_only
@pytest.mark.parametrize("stage", [*TEXTS, "ll"])
def test_every_text_gives_the_same_ptx(stage: str, program: Program, worker: LlvmWorker) -> None:
    assert compile_from(stage, program.stages[stage], {"ptx"}, worker, program.name)["ptx"] == program.stages["ptx"]


@every_program
@pytest.mark.parametrize("stage", TEXTS)
def test_mlir_reads_every_stage(stage: str, program: Program) -> None:
    printed = through([tool("mlir-opt"), "--allow-unregistered-dialect", "--mlir-print-op-generic"], program.stages[stage])
    # Nothing was folded or dropped: the ops that come out are those that went in.
    assert ops(printed) == ops(program.stages[stage])


def ops(text: bytes) -> list[bytes]:
    """The names of all ops in order."""
    return re.findall(rb'^ *(?:%[\w:, %]+ = )?"([\w.]+)"\(', text, re.MULTILINE)


@examples_only
def test_mlir_translates_the_llvm_stage_to_the_same_instructions(program: Program, worker: LlvmWorker) -> None:
    ll = through([tool("mlir-translate"), "--mlir-to-llvmir"], program.stages["llvm"]).decode()
    # MLIR's module says neither of these.
    head = "".join(line + "\n" for line in program.stages["ll"].decode().splitlines() if line.startswith("target "))
    ptx = compile_from("ll", (head + ll).encode(), {"ptx"}, worker, program.name)["ptx"]
    assert instructions(ptx) == instructions(program.stages["ptx"])


def instructions(ptx: bytes) -> Counter[bytes]:
    """How often a PTX has each instruction: MLIR orders blocks by its own lights, and with them registers."""
    return Counter(re.findall(rb"^\t(?:@!?%p\d+ )?([\w.:]+)[ ;]", ptx, re.MULTILINE))


@examples_only
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_ptx_is_the_same_in_every_process(hash_seed: str, program: Program, tmp_path: Path) -> None:
    file = tmp_path / f"{program.name}.mir.json"
    file.write_bytes(program.stages["mir-json"])
    command = [sys.executable, "-m", "oxide", "compile", "--arch", "sm_75", "--from", os.fspath(file), "--to", "ptx", "-o", "-"]
    done = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, check=True)
    assert done.stdout == program.stages["ptx"]


@examples_only
@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_90a", "sm_120"])
def test_ptxas_assembles_it(arch: str, program: Program, worker: LlvmWorker, tmp_path: Path) -> None:
    options = CompileOptions(arch=arch)
    file = tmp_path / "module.ptx"
    file.write_bytes(pipeline.compile(program.stages["ll"], start="ll", emit={"ptx"}, options=options, worker=worker, name="")["ptx"])
    assert answer_of_ptxas(file, arch) == ""


WIDE_CASE = re.compile(rb"dense<\[[^]]*\d{20}[^]]*\]> : tensor<(\d+)xi128>")


@pytest.mark.parametrize("program", [CORPUS], indirect=True)
def test_mlir_translates_every_construct(program: Program, worker: LlvmWorker) -> None:
    # MLIR's translation cuts the cases of a switch to 64 bits, so those that need more become others.
    text = WIDE_CASE.sub(
        lambda found: b"dense<[%s]> : tensor<%sxi128>" % (b", ".join(b"%d" % i for i in range(int(found[1]))), found[1]),
        program.stages["llvm"],
    )
    ll = through([tool("mlir-translate"), "--mlir-to-llvmir"], text)
    through([tool("opt"), "-passes=verify", "-disable-output"], ll)
