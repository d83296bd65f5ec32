"""`oxide sanitize`: run a program under compute-sanitizer, or the CPU device's checks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import BUILD, COMMON, TARGET, Run, build_arguments, complete_word, resolve, with_options
from oxide.errors import UsageError, did_you_mean

EPILOG = """\b
Examples:
  oxide sanitize reduce --tool racecheck
  oxide sanitize . --device cpu -- 1000       on the CPU device, even if there is a GPU

\b
Tools:
  memcheck   accesses outside allocations
  racecheck  data races in shared memory; on the CPU device, in any memory
  initcheck  reads of uninitialised memory
  synccheck  barriers that some threads never reach

\b
Exit status: 1 if a fault was found, else the program's own.
"""


@click.command("sanitize", cls=Run, epilog=EPILOG)
@TARGET
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--tool",
    default="memcheck",
    metavar="memcheck|racecheck|initcheck|synccheck",
    shell_complete=complete_word,
    help="The check to run. [default: memcheck]",
)
@with_options(COMMON, BUILD)
def command(target: str, arguments: tuple[str, ...], tool: str, **chosen: Any) -> int:
    """Build TARGET and run it under compute-sanitizer, or on the CPU device with its checks if there is no GPU.

    It is built with `--lineinfo`, so that findings have line numbers.
    TARGET is an example's name, a project's folder or a single .rs file; without one, the current folder.
    """
    from oxide.cli import sanitizer
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust.project import find
    from oxide.tools import gpu

    if tool not in sanitizer.TOOLS:
        raise UsageError(f"unknown tool '{tool}'", hint=did_you_mean(tool, sanitizer.TOOLS))
    if chosen["check"]:
        raise UsageError("sanitize chooses its checks by --tool", hint="omit --check, or use `oxide run --check`")
    here = Path.cwd()
    place = find(target, here)
    options = resolve({**chosen, "debug_info": chosen["debug_info"] or "lines"}, place)
    if options.device == "cpu" or (options.device is None and not gpu.has_cuda_driver()):
        options = replace(options, device="cpu", compile=replace(options.compile, check=sanitizer.TOOLS[tool]))
    with Session(options, environment(), here, ui) as session:
        if options.device != "cpu":
            sanitizer.find_sanitizer(session)
        built = session.build(place, emit={"ptx"}, runs=True, **build_arguments(chosen))
        verdict = sanitizer.sanitize(session, built, tool, arguments)
    where = "on the CPU device" if options.device == "cpu" else "on the GPU"
    summary = f"{tool} {where}: {count(verdict.faults)}; the program ended with status {verdict.status}"
    if tool == "memcheck" and verdict.faults == 0:
        summary += "; `--tool racecheck` and `--tool initcheck` find other faults"
    (ui.warning if verdict.faults else ui.say)(summary)
    return verdict.exit_status


def count(faults: int) -> str:
    """Return how many faults there are, in words."""
    return "no faults" if faults == 0 else f"{faults} fault{'s' if faults > 1 else ''}"
