"""`oxide doctor`: what oxide needs, what is there, and what installs the rest.

This module is usable without click, so that `./oxide doctor` works before anything is installed.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from oxide import toolchain
from oxide.cache import Cache
from oxide.cli import ui
from oxide.errors import MachineError
from oxide.options import environment

if TYPE_CHECKING:
    from pathlib import Path

    import click

    command: click.Command


def report(rustc: Path | None = None) -> int:
    """Print one line a thing; the exit status is 3 where something needed is missing."""
    ui.start("normal")
    variables = environment()
    wanted = variables.rustc if rustc is None else rustc
    findings = toolchain.examine(wanted, variables, Cache(variables.cache))
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = "ok" if finding.found else "missing" if finding.needed else "-"
        ui.line(f"{mark:<7}  {finding.name:<{width}}  {finding.found or finding.remedy}")
    return MachineError.exit_status if any(finding.missing for finding in findings) else 0


with contextlib.suppress(ImportError):
    from pathlib import Path

    import click

    @click.command("doctor")
    @click.option("--rustc", type=click.Path(path_type=Path), help="Look at this rustc.")
    def command(rustc: Path | None) -> int:
        """Show what oxide needs, what is there, and what installs the rest."""
        return report(rustc)
