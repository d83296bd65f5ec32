"""`oxide build`: build a program and write what its kernels become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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

EPILOG = """\b
Examples:
  oxide build vecadd                        vecadd.ptx in the package's folder
  oxide build vecadd --emit=mir,ll,ptx --out-dir /tmp/stages
  oxide build vecadd --emit=ptx -o -        to stdout
  oxide build vecadd --emit=cubin --arch sm_80,sm_90a    for both, in vecadd.cubin, vecadd.sm_90a.cubin and the program
"""


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
@click.option("-o", "output", metavar="FILE", help="Write the one thing asked for to FILE; - is stdout.")
@with_options(COMMON, BUILD)
def command(target: str, emit: str, out_dir: Path | None, output: str | None, **chosen: Any) -> int:
    """Build TARGET and write NAME.KIND for each crate that holds kernels.

    TARGET is an example's name, a project's folder or a single .rs file, which needs no `main`; without one, the folder you are in.
    """
    from oxide.cache.files import write_atomically
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust.artifacts import write_outputs
    from oxide.rust.project import find_kernels

    here = Path.cwd()
    place = find_kernels(target, here)
    kinds = parse_kinds(emit)
    if output is not None and (len(kinds) > 1 or out_dir is not None):
        raise UsageError("-o takes one kind and no --out-dir", hint="--out-dir takes several")
    chosen |= {"cubin": True} if "cubin" in kinds else {}
    options = resolve(chosen, place) if output is None else resolve_for_one_target(chosen, place)
    with Session(options, environment(), here, ui) as session:
        built = session.build(place, emit=set(kinds), **build_arguments(chosen))
        if output is None:
            written = write_outputs(built.outputs, out_dir or session.ptx_folder(built), kinds)
            ui.say(f"wrote {', '.join(map(str, written))}")
            return 0
        if len(built.outputs) > 1:
            raise UsageError(f"-o takes one crate, got {', '.join(sorted(built.outputs))}", hint="use --out-dir")
        (outputs,) = built.outputs.values()
        content = outputs[kinds[0]]
    if output == "-":
        ui.data(content)
    else:
        write_atomically(here / output, content)
    return 0
