"""`oxide fmt`: format a program's Rust code."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import click

from oxide.cli.parameters import COMMON, TARGET, resolve, with_options
from oxide.errors import MachineError, reason_of

EPILOG = """\b
Examples:
  oxide fmt                format the package in this folder
  oxide fmt saxpy.rs       format a single file
  oxide fmt --check        change nothing; exit status 1 where something is not formatted
"""

INSTALL = "run `rustup component add rustfmt`, or `apt-get install rustfmt-web cargo-web` as root"


@click.command("fmt", epilog=EPILOG)
@TARGET
@click.option("--check", is_flag=True, help="Only look whether all is formatted.")
@with_options(COMMON)
def command(target: str, check: bool, **chosen: Any) -> int:
    """Format TARGET with rustfmt, by its rustfmt.toml.

    TARGET is an example's name, a project's folder, of a workspace with all its packages, or a single .rs file; without one, the folder you
    are in.
    """
    from oxide.options import environment
    from oxide.rust.project import EDITION, find
    from oxide.tools.finders import which

    resolve(chosen)
    variables = environment()
    place = find(target, Path.cwd())
    rustfmt = which("rustfmt", variables)
    if rustfmt is None:
        raise MachineError("rustfmt is not installed", hint=INSTALL)
    if place.script is not None:
        arguments = [os.fspath(rustfmt), "--edition", EDITION, os.fspath(place.script)]
        return run([*arguments, "--check"] if check else arguments)
    assert place.manifest is not None
    cargo = which("cargo-fmt", variables)
    if cargo is None:
        raise MachineError("cargo-fmt is not installed", hint=INSTALL)
    arguments = [os.fspath(cargo), "fmt", "--manifest-path", os.fspath(place.manifest)]
    return run([*arguments, "--check"] if check else arguments)


def run(command: list[str]) -> int:
    """Run a formatter and return its exit status."""
    try:
        return subprocess.run(command, check=False).returncode
    except OSError as error:
        raise MachineError(f"cannot run {command[0]}: {reason_of(error)}", hint=INSTALL) from None
