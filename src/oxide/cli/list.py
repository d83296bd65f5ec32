"""`oxide list`: the kernels of a program, or the examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import BUILD, COMMON, build_arguments, complete_target, resolve, with_options
from oxide.errors import MachineError

EPILOG = """\b
Examples:
  oxide list                the examples
  oxide list .              the kernels of the package in this folder
  oxide list saxpy --json   of an example, as data
"""


@click.command("list", epilog=EPILOG)
@click.argument("target", required=False, shell_complete=complete_target)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one object per kernel or example.")
@with_options(COMMON, BUILD)
def command(target: str | None, as_json: bool, **chosen: Any) -> int:
    """Build TARGET and list its kernels, each with its signature; without TARGET, list the examples.

    TARGET is an example's name, a project's folder or a single .rs file. Instances of generic kernels are listed by their names in the PTX.
    """
    found = examples() if target is None else kernels(target, chosen)
    if as_json:
        ui.data((json.dumps(found, indent=2) + "\n").encode())
    elif target is None:
        ui.table(["example", "shows"], [[row["name"], row["description"]] for row in found])
    else:
        ui.table(["crate", "kernel", "signature"], [[row["crate"], row["name"], row["signature"]] for row in found])
    return 0


def examples() -> list[dict[str, str]]:
    """Return each example's name and what it shows."""
    from oxide.rust.settings import read
    from oxide.rust.toolchain import examples_folder

    folder = examples_folder()
    if folder is None:
        raise MachineError("the examples are in a checkout only", hint="`oxide new NAME` creates a project")
    manifests = sorted(folder.glob("*/Cargo.toml"))
    return [{"name": manifest.parent.name, "description": read(manifest)["package"].get("description", "")} for manifest in manifests]


def kernels(target: str, chosen: dict[str, Any]) -> list[dict[str, str]]:
    """Build a program and return the crate, name and signature of each of its kernels, of a library's generic ones too."""
    from oxide.driver import Session
    from oxide.ir.signature import generics_in, in_ptx
    from oxide.options import environment
    from oxide.rust.project import find_kernels

    here = Path.cwd()
    place = find_kernels(target, here)
    with Session(resolve(chosen, place), environment(), here, ui) as session:
        # A program says which instances there are; of a library, Python asks for them.
        instances = () if place.library else None
        built = session.build(place, emit={"ptx", "mir-json"}, instances=instances, **build_arguments(chosen))
    return [
        {"crate": crate, "name": kernel.name, "signature": kernel.text()}
        for crate, outputs in sorted(built.outputs.items())
        for kernel in (*in_ptx(outputs["ptx"].decode()), *(generics_in(outputs["mir-json"]) if place.library else ()))
    ]
