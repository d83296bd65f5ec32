"""A program's run under compute-sanitizer, or with the checks of the CPU device, and the faults that are found.

verdict = sanitize(session, built, "racecheck", arguments)
verdict.faults, verdict.status
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.errors import MachineError
from oxide.tools import finders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.driver import Built, Session
    from oxide.options import Check

TOOLS: dict[str, tuple[Check, ...]] = {"memcheck": ("memory",), "racecheck": ("race",), "initcheck": ("init",), "synccheck": ()}
"""Each tool of compute-sanitizer, and what the CPU device checks for in its place; what synccheck finds, it always finds."""

FINDING = re.compile(rb"^oxide: (?!note: )")
"""How a finding of the CPU device begins on stderr: docs/cpu-device.md."""

MORE = re.compile(rb"^oxide: and (\d+) more findings")

SUMMARY = re.compile(r"^=+ (?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)", re.MULTILINE)
"""The last line that compute-sanitizer writes, as the Compute Sanitizer manual shows it of each tool."""

HINT = "it comes with the CUDA toolkit; `--device cpu` finds the same faults without it"


@dataclass(frozen=True)
class Verdict:
    """How many faults were found, and the program's own exit status."""

    faults: int
    status: int

    @property
    def exit_status(self) -> int:
        """1 where there are faults, whatever the program made of them; else the program's own."""
        return 1 if self.faults else self.status


def find_sanitizer(session: Session) -> Path:
    """Return compute-sanitizer. Raises `MachineError`."""
    found = finders.find_nvidia_tool("compute-sanitizer", session.environment)
    if found is None:
        raise MachineError("compute-sanitizer is not installed", hint=HINT)
    return found


def sanitize(session: Session, built: Built, tool: str, arguments: Sequence[str]) -> Verdict:
    """Run a program under `tool`, on the device that the session's options say, and count what is found."""
    if session.options.device == "cpu":
        return on_the_cpu(session, built, arguments)
    return on_a_gpu(session, built, tool, arguments)


def on_the_cpu(session: Session, built: Built, arguments: Sequence[str]) -> Verdict:
    """Count the findings that the CPU device writes to the program's stderr."""
    faults = 0

    def watch(line: bytes) -> None:
        nonlocal faults
        if (more := MORE.match(line)) is not None:
            faults += int(more[1])
        elif FINDING.match(line):
            faults += 1

    status = session.run(built, arguments, watch=watch)
    return Verdict(faults, status)


def on_a_gpu(session: Session, built: Built, tool: str, arguments: Sequence[str]) -> Verdict:
    """Read the count from compute-sanitizer's report, which is shown once the program has ended."""
    sanitizer = find_sanitizer(session)
    with tempfile.TemporaryDirectory(prefix="oxide-sanitizer-") as folder:
        log = Path(folder, "report")
        status = session.run(built, arguments, under=[str(sanitizer), "--tool", tool, "--log-file", str(log)])
        report = log.read_text(errors="replace") if log.exists() else ""
    for line in report.splitlines():
        session.ui.talk(line)
    found = SUMMARY.search(report)
    if found is None:
        raise MachineError(
            f"compute-sanitizer ended with status {status} and no summary", hint="`--device cpu` finds the same faults without it"
        )
    return Verdict(int(found[1]), status)
