"""`oxide clean`: remove build outputs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import COMMON, TARGET, resolve, with_options
from oxide.errors import MachineError, reason_of

EPILOG = """\b
Examples:
  oxide clean                   outputs of the package in this folder
  oxide clean saxpy.rs          outputs of single files, which share a folder
"""


@click.command("clean", epilog=EPILOG)
@TARGET
@with_options(COMMON)
def command(target: str, **chosen: Any) -> int:
    """Remove oxide's build outputs for TARGET; those of plain cargo are not removed.

    `oxide cache clear` removes the cached artifacts of all programs.
    TARGET is an example's name, a project's folder (its whole workspace is cleaned), or a single .rs file (all single files share a
    folder); without one, the current folder.
    """
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust.project import find, folder_to_clean

    options = resolve(chosen)
    here = Path.cwd()
    with Session(options, environment(), here, ui) as session:
        place = find(target, here)
        remove(folder_to_clean(place, session.prepare()[0], session.cache, session.environment.variables))
    return 0


def remove(folder: Path) -> None:
    """Remove a folder and all in it; raise `MachineError` where something stays."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        ui.say(f"nothing at {folder}")
    except OSError as error:
        raise MachineError(f"cannot remove {error.filename or folder}: {reason_of(error)}") from None
    else:
        ui.say(f"removed {folder}")
