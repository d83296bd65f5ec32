"""Programs with one fault each, which the CPU device must find: what it says, and of which line.

    //! check: race                            what is checked for: `none`, or what `--check` takes
    unsafe { *out += 1 }; //~ race:            stderr has this text in a message that names this line

A `//~` in a line of its own is for messages that name none. The examples and the programs of tests/programs have no faults.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

import workspace

ROOT = Path(__file__).parents[1]
FAULTS = sorted((ROOT / "tests/faults").glob("*.rs"))
PROGRAMS = sorted((ROOT / "tests/programs").glob("*.rs"))
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/Cargo.toml"))


def check_of(fault: Path) -> str:
    """Return what a program with a fault is checked for."""
    return fault.read_text().partition("\n")[0].removeprefix("//! check: ")


def flags(check: str) -> list[str]:
    return [] if check == "none" else ["--check", check]


@pytest.fixture(scope="module")
def faults() -> dict[str, workspace.Package]:
    """The programs with a fault: one build for all that are checked for the same."""
    by_check = defaultdict(list)
    for fault in FAULTS:
        by_check[check_of(fault)].append(fault)
    packages: dict[str, workspace.Package] = {}
    for check, files in by_check.items():
        packages |= workspace.build(f"faults-{check}", files, *flags(check))
    return packages


@pytest.fixture(scope="module")
def faultless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, workspace.Package]:
    """The examples and the programs, built with all checks."""
    examples = workspace.built(ROOT / "examples", tmp_path_factory.mktemp("stages"), "--check", "all")
    return examples | workspace.build("programs-checked", PROGRAMS, "--check", "all")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda path: path.stem)
def test_the_fault_is_found(fault: Path, faults: dict[str, workspace.Package], tmp_path: Path) -> None:
    """The launch fails, and a message says why and where."""
    assert_found(fault, workspace.run(faults[fault.stem], tmp_path))


@pytest.mark.parametrize("name", ["race_in_a_static", "unwrap_of_none"])
def test_the_fault_of_a_file_that_is_run_is_found(name: str, tmp_path: Path) -> None:
    fault = ROOT / "tests/faults" / f"{name}.rs"
    assert_found(fault, run_file(fault, check_of(fault), tmp_path))


def test_a_race_is_reported_alike_with_and_without_other_checks(tmp_path: Path) -> None:
    """The variable and the byte are named, although only the check of races looks at them."""
    fault = ROOT / "tests/faults/two_writes_to_shared.rs"
    alone, among_all = (run_file(fault, check, tmp_path).stderr for check in ("race", "all"))
    messages = [re.findall(r"^oxide: race: .*\n  .*$", stderr, re.MULTILINE) for stderr in (alone, among_all)]
    assert messages[0] == messages[1]
    assert "writes 4 bytes at byte 12 of `two_writes_to_shared::kernels::faulty::TILE`, in " in messages[0][0]


def run_file(fault: Path, check: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [ROOT / "oxide", "run", fault, "--device", "cpu", *flags(check)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def assert_found(fault: Path, done: subprocess.CompletedProcess[str]) -> None:
    """Every message that the program's lines tell of has been printed."""
    lines = fault.read_text().splitlines()
    assert done.returncode == 1, done.stderr
    # A message goes on in lines that are indented.
    messages = re.split(r"\n(?=oxide: )", done.stderr)
    for number, line in enumerate(lines, 1):
        code, mark, text = line.partition("//~ ")
        if mark:
            found = [message for message in messages if text in message]
            assert found, done.stderr
            assert not code.strip() or any(f"{fault.name}:{number}:" in message for message in found), done.stderr


@pytest.mark.timeout(900)
@pytest.mark.parametrize("program", [*PROGRAMS, *EXAMPLES], ids=lambda path: path.stem)
def test_what_has_no_fault_has_no_finding(program: Path, faultless: dict[str, workspace.Package], tmp_path: Path) -> None:
    """All checks are on, and the program succeeds as without them."""
    done = workspace.run(faultless[program.stem], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "SUCCESS" in done.stdout
    assert not re.search(r"^oxide: (?!note: )", done.stderr, re.MULTILINE)
