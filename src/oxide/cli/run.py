"""`oxide run`: build a program and run it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import BUILD, COMMON, TARGET, Run, build_arguments, resolve, with_options

EPILOG = """\b
Examples:
  oxide run hello_constant
  oxide run . --device cpu
  oxide run saxpy.rs -- 1000
"""


@click.command("run", cls=Run, epilog=EPILOG)
@TARGET
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@with_options(COMMON, BUILD)
def command(target: str, arguments: tuple[str, ...], **chosen: Any) -> int:
    """Build TARGET and run it; the exit status is the program's.

    TARGET is an example's name, a project's folder or a single .rs file; without one, the current folder. Arguments after -- are passed
    to the program. It runs in its package's folder (a single file: in the current one), where NAME.ptx is written too.
    """
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust.project import find

    here = Path.cwd()
    place = find(target, here)
    options = resolve(chosen, place)
    with Session(options, environment(), here, ui) as session:
        built = session.build(place, emit={"ptx"}, runs=True, **build_arguments(chosen))
        return session.run(built, arguments)
