"""What kernels may not do is a rustc error at the user's line, with the way to it from the kernel and what to change instead.

What they had better not do is a warning: those are in the folder `warnings`.

The file holds the program, in its first line options of the command if it needs some, and, below `// ---- out`, what is shown;
`--bless` rewrites that.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import workspace

HERE = Path(__file__).parent / "diagnostics"
CRATES = Path(__file__).parent.parent / "crates"
MARK = "// ---- out\n"


SOURCES = workspace.FOLDER / "sources" / "diagnostics"
PATHS = sorted(HERE.rglob("*.rs"))
ALONE = ("function_pointer", "recursion", "views")
"""Files that `oxide build FILE` meets, as it does those that have options of their own: an error, a warning, an error of rustc's."""


def options_of(path: Path) -> list[str]:
    """Return the command's options that a file's first line asks for."""
    found = re.search("options: (.*)", path.read_text().partition("\n")[0])
    return found[1].split() if found else []


ABBREVIATED = {"launches"}
"""Files that rustc prints types of which it abbreviates where the path in them is long, as those of temporary folders are."""

TOGETHER = [path for path in PATHS if not options_of(path) and path.stem not in ABBREVIATED]
BY_THEMSELVES = [path for path in PATHS if path not in TOGETHER or path.stem in ALONE]


@pytest.fixture(scope="module")
def packages() -> dict[str, workspace.Package]:
    """What has no options of its own, built at once."""
    sources = [SOURCES / path.name for path in TOGETHER]
    for path, source in zip(TOGETHER, sources, strict=True):
        workspace.write(source, path.read_text().partition(MARK)[0])
    return workspace.build("diagnostics", sources, emit="mir")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", TOGETHER, ids=lambda path: path.stem)
def test_the_program_is_met_with_these_words(path: Path, packages: dict[str, workspace.Package], request: pytest.FixtureRequest) -> None:
    package = packages[path.stem]
    compiles = path.parent.name == "warnings"
    assert package.levels == ({"warning"} if compiles else package.levels | {"error"}), package.diagnostics
    assert package.stage(".mir").exists() == compiles
    compare(path, "".join(package.diagnostics), SOURCES, request)


@pytest.mark.parametrize("path", BY_THEMSELVES, ids=lambda path: path.stem)
def test_a_file_is_met_with_these_words(path: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """It leaves nothing behind where it does not compile."""
    (tmp_path / path.name).write_text(path.read_text().partition(MARK)[0])
    command = [sys.executable, "-m", "oxide", "build", path.name, "--device", "cpu", "--emit=mir", *options_of(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    compiles = path.parent.name == "warnings"
    assert done.returncode == (0 if compiles else 1), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    left = {path.name, f"{path.stem}.mir"} if compiles else {path.name}
    assert {file.name for file in tmp_path.iterdir()} == left
    lines = done.stderr.splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if re.match(r"(error|warning)(\[E\d+\])?: ", line))
    end = next(number for number, line in enumerate(lines) if re.match(r"error: could not compile|warning: `\w+` .*generated", line))
    compare(path, "".join(lines[start:end]), tmp_path, request)


def compare(path: Path, said: str, folder: Path, request: pytest.FixtureRequest) -> None:
    """Compare what rustc printed with what the file expects, or bless it."""
    source, _, expected = path.read_text().partition(MARK)
    actual = "".join(f"// {line}".rstrip() + "\n" for line in shown(said, folder))
    if request.config.getoption("--bless"):
        path.write_text(source + MARK + actual)
        return
    diff = "".join(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), "expected", "actual"))
    assert not diff, f"{path} differs; look at the diff, then rerun with --bless if it is right\n{diff}"


def shown(said: str, folder: Path) -> list[str]:
    """Return errors and warnings without what differs between machines."""
    text = said.replace(f"{folder}/", "").replace(f"{CRATES}/", "crates/")
    text = re.sub(r"/rustc/[0-9a-f]{40}|/usr/src/rustc-[\d.]+|[^\s@]*/rustlib/src/rust", "RUST", text)
    # Where rustc abbreviates a type it keeps the whole in a file, at a place that differs.
    text = re.sub(r" *= note: the full name for the type has been written to .*\n *= note: consider using `--verbose`.*\n", "", text)
    return [line for diagnostic in text.rstrip("\n").split("\n\n") for line in [*without_library(diagnostic.splitlines()), ""]][:-1]


def without_library(diagnostic: list[str]) -> list[str]:
    """Leave out the text and the line numbers of libraries, which change more often than what is said about them."""
    kept: list[str] = []
    inside = False
    for line in diagnostic:
        if place := re.match(r"( *)(-->|:::) ((?:crates|RUST)/.*?):\d+:\d+$", line):
            inside = True
            kept.append(f"{place[1]}{place[2]} {place[3]}")
        elif not (inside and re.match(r" *\d* [|/\\]|\.\.\.| *\|", line)):
            inside = False
            kept.append(line)
    # Line numbers are as wide as the widest was.
    numbers = [re.match(r" *(\d+) +[|/]", line) for line in kept]
    width = max((len(number[1]) for number in numbers if number), default=1)
    gutter = next((len(place[1]) for line in kept if (place := re.match(r"( *)(?:-->|:::) ", line))), width)
    return [line[gutter - width :] if line[: gutter - width].isspace() else line for line in kept]
