"""`oxide pipeline`: print every stage of a program's kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import BUILD, COMMON, TARGET, build_arguments, complete_kind, parse_kinds, resolve_for_one_target, with_options
from oxide.errors import UsageError

BINARY = "cubin"
"""The one stage that is not text."""


EPILOG = """\b
Examples:
  oxide pipeline vecadd                  all stages, each under a heading
  oxide pipeline . --stage llvm          one of them
"""


@click.command("pipeline", epilog=EPILOG)
@TARGET
@click.option("--stage", metavar="KIND", shell_complete=complete_kind, help="Print this stage only, without a heading.")
@with_options(COMMON, BUILD)
def command(target: str, stage: str | None, **chosen: Any) -> int:
    """Build TARGET and print each stage of its kernels, from rustc's MIR to PTX.

    TARGET is an example's name, a project's folder or a single .rs file; without one, the current folder.
    """
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.pipeline import STAGE, STAGE_NAMES
    from oxide.rust.project import find_kernels

    kinds = [name for name in STAGE_NAMES if name != BINARY] if stage is None else parse_kinds(stage, option="--stage")
    if BINARY in kinds:
        raise UsageError(f"{BINARY} is not text", hint=f"`oxide build --emit={BINARY}` writes it")
    here = Path.cwd()
    place = find_kernels(target, here)
    options = resolve_for_one_target(chosen, place)
    with Session(options, environment(), here, ui) as session:
        built = session.build(place, emit=set(kinds), **build_arguments(chosen))
    for crate, outputs in sorted(built.outputs.items()):
        for kind in kinds:
            if stage is None:
                ui.heading(f"{crate}{STAGE[kind].suffix}")
            ui.data(outputs[kind] if outputs[kind].endswith(b"\n") else outputs[kind] + b"\n")
    return 0
