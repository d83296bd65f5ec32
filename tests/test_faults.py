"""Programs with one fault each, which the CPU device must find: what it says, and of which line.

    //! check: race                            what is checked for: `none`, or what `--check` takes
    unsafe { *out += 1 }; //~ race:            stderr has this text in a message that names this line

A `//~` in a line of its own is for messages that name none. The examples and the programs of tests/programs have no faults.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FAULTS = sorted((ROOT / "tests/faults").glob("*.rs"))
PROGRAMS = sorted((ROOT / "tests/programs").glob("*.rs"))
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/Cargo.toml"))


def run(target: Path, check: str, folder: Path) -> subprocess.CompletedProcess[str]:
    flags = ["--device", "cpu"] if check == "none" else ["--check", check]
    return subprocess.run([ROOT / "oxide", "run", target, *flags], cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda path: path.stem)
def test_the_fault_is_found(fault: Path, tmp_path: Path) -> None:
    """The launch fails, and a message says why and where."""
    lines = fault.read_text().splitlines()
    done = run(fault, lines[0].removeprefix("//! check: "), tmp_path)
    assert done.returncode == 1, done.stderr
    # A message goes on in lines that are indented.
    messages = re.split(r"\n(?=oxide: )", done.stderr)
    for number, line in enumerate(lines, 1):
        code, mark, text = line.partition("//~ ")
        if mark:
            found = [message for message in messages if text in message]
            assert found, done.stderr
            assert not code.strip() or any(f"{fault.name}:{number}:" in message for message in found), done.stderr


def test_a_race_is_reported_alike_with_and_without_other_checks(tmp_path: Path) -> None:
    """The variable and the byte are named, although only the check of races looks at them."""
    fault = ROOT / "tests/faults/two_writes_to_shared.rs"
    alone, among_all = (run(fault, check, tmp_path).stderr for check in ("race", "all"))
    messages = [re.findall(r"^oxide: race: .*\n  .*$", stderr, re.MULTILINE) for stderr in (alone, among_all)]
    assert messages[0] == messages[1]
    assert "writes 4 bytes at byte 12 of `two_writes_to_shared::kernels::faulty::TILE`, in " in messages[0][0]


@pytest.mark.parametrize("program", [*PROGRAMS, *EXAMPLES], ids=lambda path: path.stem)
def test_what_has_no_fault_has_no_finding(program: Path, tmp_path: Path) -> None:
    """All checks are on, and the program succeeds as without them."""
    done = run(program, "all", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "SUCCESS" in done.stdout
    assert not re.search(r"^oxide: (?!note: )", done.stderr, re.MULTILINE)
