"""`oxide build`: build a program and write its kernels' code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oxide.cli import ui
from oxide.cli.parameters import (
    BUILD,
    COMMON,
    TARGET,
    build_arguments,
    complete_kind,
    parse_kinds,
    resolve,
    resolve_for_one_target,
    with_options,
)
from oxide.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection

    from oxide.driver import Built

EPILOG = """\b
Examples:
  oxide build vecadd                        vecadd.ptx in the package's folder
  oxide build vecadd --emit=mir,ll,ptx --out-dir /tmp/stages
  oxide build vecadd --emit=ptx -o -        to stdout
  oxide build vecadd --emit=cubin --arch sm_80,sm_90a    for both, in vecadd.cubin, vecadd.sm_90a.cubin and the program
  oxide build --workspace --keep-going --message-format=json    all packages, and rustc's diagnostics as JSON on stdout
"""

FORMATS = ("human", "json", "json-diagnostic-short", "json-diagnostic-rendered-ansi", "json-render-diagnostics")
"""Cargo's formats for programs, after the one for people."""


@click.command("build", epilog=EPILOG)
@TARGET
@click.option(
    "--emit",
    default="ptx",
    metavar="KIND[,KIND]",
    shell_complete=complete_kind,
    help="mir-json, mir, nvvm, llvm, ll, ptx, cubin. [default: ptx]",
)
@click.option("--out-dir", type=click.Path(file_okay=False, path_type=Path), help="Write NAME.KIND here. [default: the package's folder]")
@click.option("-o", "output", metavar="FILE", help="Write the only output to FILE; - is stdout.")
@click.option("--workspace", is_flag=True, help="Build all packages of the workspace, and write NAME.KIND in the folder of each.")
@click.option("--keep-going", is_flag=True, help="Continue after an error, with crates that do not depend on the failed one.")
@click.option(
    "--message-format",
    "form",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    help="Print rustc's diagnostics as text, or each of cargo's messages as a line of JSON on stdout. [default: human]",
)
@with_options(COMMON, BUILD)
def command(
    target: str, emit: str, out_dir: Path | None, output: str | None, workspace: bool, keep_going: bool, form: str, **chosen: Any
) -> int:
    """Build TARGET and write NAME.KIND for each crate that contains kernels.

    TARGET is an example's name, a project's folder or a single .rs file, which needs no `main`; without one, the current folder.
    """
    from oxide.cache.files import write_atomically
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust import cargo
    from oxide.rust.artifacts import write_outputs
    from oxide.rust.project import find_kernels

    here = Path.cwd()
    place = find_kernels(target, here)
    kinds = parse_kinds(emit)
    if output is not None and (len(kinds) > 1 or out_dir is not None):
        raise UsageError("-o takes one kind and no --out-dir", hint="--out-dir takes several")
    if workspace and (chosen["package"] or chosen["binary"]):
        raise UsageError("got --workspace with --package or --bin, expected one of them")
    if output == "-" and form != FORMATS[0]:
        raise UsageError("-o - and --message-format=json both write to stdout", hint="use --out-dir, or -o FILE")
    chosen |= {"cubin": True} if "cubin" in kinds else {}
    options = resolve(chosen, place) if output is None else resolve_for_one_target(chosen, place)
    with Session(options, environment(), here, ui) as session:
        arguments = build_arguments(chosen)
        flags = {cargo.WORKSPACE: workspace, cargo.KEEP_GOING: keep_going, f"{cargo.MESSAGES}{form}": form != FORMATS[0]}
        arguments["cargo_arguments"] += [flag for flag, given in flags.items() if given]
        built = session.build(place, emit=set(kinds), **arguments)
        failed = cargo.failed(built.messages)
        if output is None:
            folder = out_dir or (None if workspace and options.ptx_dir is None else session.ptx_folder(built))
            written = write_outputs(built.outputs, folder, kinds) if folder else write_to_members(built, kinds)
            if written:
                ui.say(f"wrote {', '.join(map(str, written))}")
            return 1 if failed else 0
        if failed:
            return 1
        if len(built.outputs) > 1:
            raise UsageError(f"-o takes one crate, got {', '.join(sorted(built.outputs))}", hint="use --out-dir")
        (outputs,) = built.outputs.values()
        content = outputs[kinds[0]]
    if output == "-":
        ui.data(content)
    else:
        write_atomically(here / output, content)
    return 0


def write_to_members(built: Built, kinds: Collection[str]) -> list[Path]:
    """Write NAME.KIND of the crates that each package of the workspace carries into its folder, and return what was written."""
    from oxide.rust.artifacts import write_outputs

    written = []
    for manifest in sorted(built.project.members):
        crates = {crate: built.outputs[crate] for crate in built.crates_of.get(manifest, ())}
        written += write_outputs(crates, manifest.parent, kinds)
    return written
