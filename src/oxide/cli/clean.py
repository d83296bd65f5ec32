"""`oxide clean`: remove what oxide built and cached."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import COMMON, TARGET, resolve, with_options


@click.command("clean")
@TARGET
@click.option("--cache", is_flag=True, help="Remove the cache too: linked backends, the CPU device, single files' builds.")
@with_options(COMMON)
def command(target: str, cache: bool, **chosen: Any) -> int:
    """Remove what oxide built for TARGET, and nothing that plain cargo built."""
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.project import describe, find

    options = resolve(chosen)
    here = Path.cwd()
    with Session(options, environment(), here, ui) as session:
        if target != "." or (here / "Cargo.toml").exists() or not cache:
            place = find(target, here)
            project = describe(place, session.prepare()[0], session.cache, session.environment.variables, None, here)
            shutil.rmtree(project.target_folder, ignore_errors=True)
            ui.say(f"removed {project.target_folder}")
        if cache:
            session.cache.clear()
            ui.say(f"removed {session.cache.root}")
    return 0
