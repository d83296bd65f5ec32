"""`oxide fmt`: format a program's Rust code."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oxide.cli.parameters import COMMON, TARGET, resolve, with_options
from oxide.errors import MachineError, reason_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oxide.options import Environment

EPILOG = """\b
Examples:
  oxide fmt                format the package in this folder
  oxide fmt saxpy.rs       format a single file
  oxide fmt --check        change nothing; exit status 1 if a file is not formatted
"""

INSTALL = "run `rustup component add rustfmt`, or `apt-get install rustfmt-web cargo-web` as root"


@click.command("fmt", epilog=EPILOG)
@TARGET
@click.option("--check", is_flag=True, help="Check formatting only; change nothing.")
@with_options(COMMON)
def command(target: str, check: bool, **chosen: Any) -> int:
    """Format TARGET with rustfmt, by its rustfmt.toml.

    TARGET is an example's name, a project's folder, of a workspace with all its packages, or a single .rs file; without one, the folder you
    are in.
    """
    from oxide.options import environment
    from oxide.rust.project import EDITION, find

    resolve(chosen)
    machine = environment()
    place = find(target, Path.cwd())
    rustfmt = find_tool("rustfmt", machine)
    if place.script is not None:
        arguments = [os.fspath(rustfmt), "--edition", EDITION, os.fspath(place.script)]
        return run([*arguments, "--check"] if check else arguments)
    assert place.manifest is not None
    cargo_fmt = find_tool("cargo-fmt", machine)
    arguments = [os.fspath(cargo_fmt), "fmt", "--manifest-path", os.fspath(place.manifest)]
    # cargo-fmt starts these, which PATH may have without a toolchain.
    tools = {"RUSTFMT": os.fspath(rustfmt)}
    if (cargo := cargo_fmt.with_name("cargo")).exists():
        tools["CARGO"] = os.fspath(cargo)
    return run([*arguments, "--check"] if check else arguments, {**tools, **machine.variables})


def find_tool(name: str, machine: Environment) -> Path:
    """Return a formatter that runs: the one in PATH, else one beside a rustc. One of rustup's without a toolchain does not run."""
    from oxide.rust.toolchain import rustc_candidates
    from oxide.tools.finders import which

    failures = []
    for tool in (which(name, machine), *(rustc.with_name(name) for rustc in rustc_candidates(machine))):
        if tool is None or not tool.exists():
            continue
        try:
            subprocess.run([tool, "--version"], capture_output=True, text=True, check=True)
        except OSError as error:
            failures.append(f"{tool}: {reason_of(error)}")
        except subprocess.CalledProcessError as error:
            failures.append(f"{tool}: {error.stderr.strip().partition(chr(10))[0]}")
        else:
            return tool
    if failures:
        raise MachineError("\n  ".join([f"no {name} runs, found", *failures]), hint=INSTALL)
    raise MachineError(f"{name} is not installed", hint=INSTALL)


def run(command: list[str], variables: Mapping[str, str] | None = None) -> int:
    """Run a formatter and return its exit status."""
    try:
        return subprocess.run(command, env=variables, check=False).returncode
    except OSError as error:
        raise MachineError(f"cannot run {command[0]}: {reason_of(error)}", hint=INSTALL) from None
