"""`oxide compile`: compile a stage's file to a later stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import CHECK, COMMON, COMPILE, complete_kind, parse_kinds, resolve_for_one_target, with_options
from oxide.errors import UsageError, reason_of

EPILOG = """\b
Examples:
  oxide compile --from k.ll --to ptx             k.ptx in the current folder
  oxide compile --from k.mir.json --to mir -o -  to stdout
"""


@click.command("compile", epilog=EPILOG)
@click.option(
    "--from",
    "source",
    required=True,
    type=click.Path(path_type=Path),
    metavar="STAGEFILE",
    help="NAME.KIND; the suffix is the stage.",
)
@click.option(
    "--to", "kind", default="ptx", metavar="STAGE", shell_complete=complete_kind, help="mir, nvvm, llvm, ll, ptx or cubin. [default: ptx]"
)
@click.option("-o", "output", metavar="FILE", help="Write to FILE; - is stdout. [default: NAME.STAGE in this folder]")
@with_options(COMMON, COMPILE, (CHECK,))
def command(source: Path, kind: str, output: str | None, **chosen: Any) -> int:
    """Compile a stage's file, edited or not, to a later stage.

    The resulting PTX runs on the CPU device too: its image, with the checks of --check, is stored in the cache.
    """
    from oxide.cache.files import write_atomically
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.pipeline import STAGE, STAGE_NAMES, STAGES

    kinds = parse_kinds(kind, option="--to")
    if len(kinds) > 1:
        raise UsageError(f"--to takes one stage, got {', '.join(kinds)}", hint="the last of them passes through the others")
    (kind,) = kinds
    if chosen["check"] and kind != "ptx":
        raise UsageError(f"--check is for the CPU device, which runs PTX, and --to names {kind}", hint="omit --check, or use --to ptx")
    start, name = stage_of(source, {stage.suffix: stage.name for stage in STAGES})
    if STAGE_NAMES.index(start) >= STAGE_NAMES.index(kind):
        later = STAGE_NAMES[STAGE_NAMES.index(start) + 1 :]
        raise UsageError(
            f"{source} is stage {start}, and {kind} does not come after it", hint=f"one of {', '.join(later)}" if later else None
        )
    options = resolve_for_one_target(chosen)
    try:
        text = source.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {source}: {reason_of(error)}") from None
    try:
        with Session(options, environment(), Path.cwd(), ui) as session:
            content = session.compiler.compile_text(text, start=start, kind=kind, name=name)
    except UsageError as error:
        raise UsageError(f"{source}: {error.message}", hint=error.hint) from None
    if output == "-":
        ui.data(content)
        return 0
    path = Path(output) if output else Path(name + STAGE[kind].suffix)
    write_atomically(path, content)
    ui.say(f"wrote {path}")
    return 0


def stage_of(path: Path, stages: dict[str, str]) -> tuple[str, str]:
    """Return the stage that a file's suffix names, and the name before it. Raises `UsageError`."""
    for suffix in sorted(stages, key=len, reverse=True):
        if path.name.endswith(suffix):
            return stages[suffix], path.name.removesuffix(suffix)
    raise UsageError(f"{path} has no suffix of a stage", hint=f"a stage's file ends in one of {', '.join(stages)}")
