"""One test a file of golden/STAGE/: the text above `// ---- out` makes the text below it at that stage; `--bless` rewrites the latter.

A file's suffix says what stage it begins at, and it holds what a module holds, without the module around it; a `.rs` is a program.
`verify/` has `// error: TEXT` after each op that breaks a rule, `ptx/` states what the PTX has: `// want: TEXT`, `// never: TEXT`,
`// count 2: TEXT`. A `// options: fmad=False` changes how it is compiled.
"""

from __future__ import annotations

import ast
import difflib
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from audits import answer_of_ptxas, unmarked
from oxide import pipeline
from oxide.errors import UsageError
from oxide.export.worker import LlvmWorker
from oxide.options import CompileOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent / "golden"
MARK = "// ---- out\n"
FILES = sorted(path for path in HERE.rglob("*.*") if path.is_file())


def files(*stages: str) -> pytest.MarkDecorator:
    """Return the files of some stages, as a test's parameters."""
    found = [path for path in FILES if path.parent.name in stages]
    assert found
    return pytest.mark.parametrize("path", found, ids=lambda path: str(path.relative_to(HERE)))


@pytest.fixture(scope="module")
def worker() -> Iterator[LlvmWorker]:
    with LlvmWorker() as made:
        yield made


def compile_to(stage: str, path: Path, text: str, worker: LlvmWorker) -> str:
    """Take a golden's text to a stage."""
    start = path.suffix[1:]
    module = f'"builtin.module"() ({{\n{text}}}) {{oxide.stage = "{start}", sym_name = "golden"}} : () -> ()\n'
    chosen = {name: ast.literal_eval(value) for name, value in re.findall(r"^// options: (\w+)=(\S+)$", text, re.MULTILINE)}
    options = CompileOptions(**{"arch": "sm_75", **chosen})
    emit = {stage, "ll"} if stage in ("ll", "ptx") and start != "ll" else {stage}
    made = pipeline.compile(module.encode(), start=start, emit=emit, options=options, worker=worker, name="golden")
    assert unmarked(made.get("ll", b"").decode()) == []
    return made[stage].decode()


def build(stage: str, path: Path, folder: Path) -> str:
    """Take a golden's Rust to a stage, in a folder of its own."""
    # The expectation stays out of what rustc sees, or each blessing would compile anew.
    (folder / path.name).write_text(path.read_text().partition(MARK)[0])
    chosen = [f"--{name.replace('_', '-')}" for name in re.findall(r"^// options: (\w+)=True$", path.read_text(), re.MULTILINE)]
    command = [sys.executable, "-m", "oxide", "build", path.name, "--device", "cpu", f"--emit={stage}", "-o", "-", *chosen]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def inside(stage: str, text: str) -> str:
    """Return what a module's text holds."""
    if stage == "ll":
        return text.partition("target triple")[2].partition("\n")[2].strip("\n") + "\n"
    lines = text.splitlines(keepends=True)
    end = next(number for number, line in enumerate(lines) if line.startswith("}) {oxide.stage"))
    return "".join(line.removeprefix("  ") for line in lines[1:end])


def check(request: pytest.FixtureRequest, path: Path, actual: str) -> None:
    """Compare with what the file expects, or rewrite that."""
    source, _, expected = path.read_text().partition(MARK)
    if request.config.getoption("--bless"):
        if actual != expected:
            path.write_text(source + MARK + actual)
        return
    diff = "".join(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), "expected", "actual"))
    assert not diff, f"{path} differs; look at the diff, then rerun with --bless if it is right\n{diff}"


@files("nvvm", "llvm", "ll")
def test_a_stage_makes_this_of_the_one_before(path: Path, request: pytest.FixtureRequest, worker: LlvmWorker) -> None:
    stage = path.parent.name
    source = path.read_text().partition(MARK)[0]
    made = inside(stage, compile_to(stage, path, source, worker))
    check(request, path, made)
    if stage != "ll":
        assert inside(stage, compile_to(stage, path.with_suffix(f".{stage}"), made, worker)) == made


@files("mir")
def test_rust_becomes_this(path: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    # Where things stand is not what this is about, and crates' hashes differ between machines.
    text = re.sub(r" loc\(#loc\d+\)$", "", build("mir", path, tmp_path), flags=re.MULTILINE)
    text = re.sub(r"Cs[0-9A-Za-z]{1,13}_(?=\d)", "Cs_", text)
    check(request, path, "".join(f"// {line}" for line in inside("mir", text).splitlines(True)))


@files("verify")
def test_the_verifier_blames_these_ops(path: Path, worker: LlvmWorker) -> None:
    lines = path.read_text().splitlines()
    expected = [(number, found[1]) for number, line in enumerate(lines) if (found := re.search(r"// error: (.*)$", line))]
    assert expected
    # Each op gets its line as its location, by which the messages name it.
    placed = [re.sub(r"(-> .*?)( // error: .*)?$", rf"\1 loc(#loc{number})", line) for number, line in enumerate(lines) if line[:1] == " "]
    whole = iter(placed)
    text = "\n".join(next(whole) if line[:1] == " " else line for line in lines) + "\n"
    text += "".join(f'#loc{number} = loc("golden":{number}:1)\n' for number in range(len(lines)))
    with pytest.raises(UsageError) as caught:
        compile_to("ll", path, text, worker)
    messages = str(caught.value).splitlines()[1:]
    for number, error in expected:
        where = f"at golden:{number}: " if lines[number][:1] == " " else ""
        assert any(error in message and (not where or f"golden:{number}:1" in message) for message in messages), messages
    assert len(messages) == len(expected)


@files("ptx")
def test_the_ptx_has_these_properties(path: Path, worker: LlvmWorker, tmp_path: Path) -> None:
    text = path.read_text()
    ptx = build("ptx", path, tmp_path) if path.suffix == ".rs" else compile_to("ptx", path, text, worker)
    stated = re.findall(r"^// (want|never|count \d+): (.*)$", text, re.MULTILINE)
    assert stated
    for what, words in stated:
        found = ptx.count(words)
        right = {"want": found > 0, "never": found == 0}.get(what, f"count {found}" == what)
        assert right, f"{what}: {words}, got {found} in\n{ptx}"
    assembled = tmp_path / "golden.ptx"
    assembled.write_text(ptx)
    assert answer_of_ptxas(assembled) == ""
