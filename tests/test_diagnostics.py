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

HERE = Path(__file__).parent / "diagnostics"
CRATES = Path(__file__).parent.parent / "crates"
MARK = "// ---- out\n"


@pytest.mark.parametrize("path", sorted(HERE.rglob("*.rs")), ids=lambda path: path.stem)
def test_the_program_is_met_with_these_words(path: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    source, _, expected = path.read_text().partition(MARK)
    (tmp_path / path.name).write_text(source)
    options = re.search("options: (.*)", source.partition("\n")[0])
    command = [sys.executable, "-m", "oxide", "build", path.name, "--device", "cpu", "--emit=mir", *(options[1].split() if options else ())]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    compiles = path.parent.name == "warnings"
    assert done.returncode == (0 if compiles else 1), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    left = {path.name, f"{path.stem}.mir"} if compiles else {path.name}
    assert {file.name for file in tmp_path.iterdir()} == left
    actual = "".join(f"// {line}".rstrip() + "\n" for line in shown(done.stderr, tmp_path))
    if request.config.getoption("--bless"):
        path.write_text(source + MARK + actual)
        return
    diff = "".join(difflib.unified_diff(expected.splitlines(True), actual.splitlines(True), "expected", "actual"))
    assert not diff, f"{path} differs; look at the diff, then rerun with --bless if it is right\n{diff}"


def shown(stderr: str, folder: Path) -> list[str]:
    """Return the errors and warnings, without cargo's talk around them and without what differs between machines."""
    lines = stderr.replace(f"{folder}/", "").splitlines(keepends=True)
    start = next(number for number, line in enumerate(lines) if re.match(r"(error|warning)(\[E\d+\])?: ", line))
    end = next(number for number, line in enumerate(lines) if re.match(r"error: could not compile|warning: `\w+` .*generated", line))
    text = "".join(lines[start:end]).replace(f"{CRATES}/", "crates/")
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
