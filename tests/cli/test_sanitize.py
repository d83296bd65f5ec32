"""`oxide sanitize` and `oxide debug`: what runs the program, what is counted, and the exit status."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from demo import KERNEL

from oxide import driver
from oxide.cli import sanitizer
from oxide.cli.main import run
from oxide.cli.sanitizer import Verdict
from oxide.errors import MachineError
from oxide.rust import project
from oxide.tools import finders, gpu

if TYPE_CHECKING:
    from collections.abc import Callable

pytest_plugins = ("sessions",)

PROGRAM = (
    KERNEL
    + """
fn main() {
    unsafe { store(&mut 0) };
    let mut arguments = std::env::args().skip(1);
    let status = arguments.next().unwrap().parse().unwrap();
    arguments.for_each(|line| eprintln!("{line}"));
    std::process::exit(status);
}
"""
)

SANITIZER = """\
#!/bin/sh
# compute-sanitizer --tool TOOL --log-file FILE PROGRAM ARGUMENTS
report=$4
printf '========= COMPUTE-SANITIZER\\n%s\\n' "$REPORT" > "$report"
shift 4
exec "$@"
"""


@pytest.fixture
def program(folder: Path) -> Path:
    (folder / "src" / "main.rs").write_text(PROGRAM)
    return folder


def sanitized(session: driver.Session, folder: Path, *arguments: str, tool: str = "memcheck") -> Verdict:
    built = session.build(project.find(str(folder), folder), emit={"ptx"}, runs=True)
    return sanitizer.sanitize(session, built, tool, arguments)


def test_findings_of_the_cpu_device_are_counted(
    session: Callable[..., driver.Session], program: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "oxide: race: kernel `k`: thread …",
        "  thread … writes there",
        "oxide: note: alike",
        "oxide: memory: …",
        "oxide: and 30 more findings",
    ]
    verdict = sanitized(session(device="cpu"), program, "1", *lines)
    assert verdict == Verdict(faults=32, status=1)
    assert capfd.readouterr().err.endswith("\n".join([*lines, ""]))


@pytest.mark.parametrize(("status", "lines", "expected"), [(0, [], 0), (7, [], 7), (0, ["oxide: race: …"], 1), (7, ["oxide: race: …"], 1)])
def test_the_exit_status_says_whether_there_are_faults(
    session: Callable[..., driver.Session], program: Path, status: int, lines: list[str], expected: int
) -> None:
    assert sanitized(session(device="cpu"), program, str(status), *lines).exit_status == expected


@pytest.mark.parametrize(
    ("report", "faults"),
    [
        ("========= ERROR SUMMARY: 0 errors", 0),
        ("========= ERROR SUMMARY: 1 error", 1),
        ("========= RACECHECK SUMMARY: 12 hazards displayed (12 errors, 0 warnings)", 12),
    ],
)
def test_the_count_is_read_from_compute_sanitizers_report(
    session: Callable[..., driver.Session],
    program: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    report: str,
    faults: int,
    capfd: pytest.CaptureFixture[str],
) -> None:
    tool = tmp_path / "compute-sanitizer"
    tool.write_text(SANITIZER)
    tool.chmod(0o755)
    monkeypatch.setattr(finders, "find_nvidia_tool", lambda *_: tool)
    monkeypatch.setenv("REPORT", report)
    assert sanitized(session(), program, "3") == Verdict(faults, 3)
    assert report in capfd.readouterr().err
    monkeypatch.setenv("REPORT", "========= Internal Sanitizer Error")
    with pytest.raises(MachineError, match="compute-sanitizer ended with status 3 and no summary"):
        sanitized(session(), program, "3")


def test_what_is_missing_is_said_before_anything_is_built(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gpu, "has_cuda_driver", lambda: True)
    monkeypatch.setattr(finders, "find_nvidia_tool", lambda *_: None)
    assert run(["sanitize", "vecadd"]) == 3
    hint = "it comes with the CUDA toolkit; `--device cpu` finds the same faults without it"
    assert capfd.readouterr().err == f"error: compute-sanitizer is not installed\nhint: {hint}\n"
    assert run(["debug", "vecadd"]) == 3
    hint = "it comes with the CUDA toolkit; `--device cpu` debugs with gdb instead"
    assert capfd.readouterr().err == f"error: cuda-gdb is not installed\nhint: {hint}\n"
    monkeypatch.setattr(finders, "which", lambda *_: None)
    assert run(["debug", "vecadd", "--device", "cpu"]) == 3
    assert capfd.readouterr().err.startswith("error: gdb is not installed, and kernels run on the CPU device\nhint: ")


@pytest.mark.parametrize(
    ("flags", "started"), [([], ["gdb", "--args"]), (["--tui"], ["gdb", "--tui", "--args"]), (["--cgdb"], ["cgdb", "-d", "gdb", "--args"])]
)
def test_the_debugger_starts_as_asked(
    flags: list[str], started: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("gdb", "cgdb"):
        (tmp_path / name).write_text('#!/bin/sh\necho "$0" "$@"\n')
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert run(["debug", "vecadd", "--device", "cpu", *flags, "--", "8"]) == 0
    words = capfd.readouterr().out.split()
    assert [word.removeprefix(f"{tmp_path}/") for word in words[:-2]] == started
    assert (Path(words[-2]).name, words[-1]) == ("vecadd", "8")
    assert run(["debug", "vecadd", "--tui", "--cgdb"]) == 2
    assert capfd.readouterr().err == "error: --tui and --cgdb exclude each other\nhint: use one of them\n"


def test_a_gpu_that_is_asked_for_is_not_replaced(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gpu, "has_cuda_driver", lambda: False)
    monkeypatch.setattr(finders, "find_nvidia_tool", lambda *_: "compute-sanitizer")
    assert run(["sanitize", "vecadd", "--device", "cuda"]) == 3
    assert capfd.readouterr().err.startswith("error: --device cuda needs a CUDA driver; none was found\n")


@pytest.mark.parametrize(
    ("tool", "faults", "others"), [("memcheck", 0, True), ("memcheck", 1, False), ("racecheck", 0, False), ("initcheck", 0, False)]
)
def test_what_finds_nothing_by_default_names_the_other_tools(
    tool: str, faults: int, others: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(driver.Session, "build", lambda *_, **__: None)
    monkeypatch.setattr(sanitizer, "sanitize", lambda *_: Verdict(faults, 0))
    run(["sanitize", "vecadd", "--tool", tool, "--device", "cpu"])
    last = capfd.readouterr().err.splitlines()[-1]
    assert f"{tool} on the CPU device" in last
    assert last.endswith("; `--tool racecheck` and `--tool initcheck` find other faults") == others


def test_a_check_is_no_tool(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["sanitize", "vecadd", "--check", "race"]) == 2
    assert capfd.readouterr().err.startswith("error: sanitize chooses its checks by --tool\nhint: ")


def test_a_debugger_starts_the_program_where_it_runs(
    session: Callable[..., driver.Session], program: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    this = session(device="cpu")
    built = this.build(project.find(str(program), program), emit={"ptx"}, runs=True)
    assert this.run(built, ["5"], under=["sh", "-c", 'pwd; echo "$OXIDE_DEVICE"; "$@"', "debugger"]) == 5
    assert capfd.readouterr().out == f"{program}\ncpu\n"
