"""`oxide debug`: run a program in a debugger."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import BUILD, COMMON, TARGET, Run, build_arguments, resolve, with_options
from oxide.errors import MachineError, UsageError

EPILOG = """\b
Examples:
  oxide debug reduce                 in cuda-gdb, or in gdb on the CPU device
  oxide debug . --device cpu -- 8    the program's arguments follow --
"""


@click.command("debug", cls=Run, epilog=EPILOG)
@TARGET
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--tui", is_flag=True, help="Start the debugger with its text user interface.")
@click.option("--cgdb", is_flag=True, help="Start the debugger inside cgdb.")
@with_options(COMMON, BUILD)
def command(target: str, arguments: tuple[str, ...], tui: bool, cgdb: bool, **chosen: Any) -> int:
    """Build TARGET and start it in cuda-gdb, or in gdb where its kernels run on the CPU device.

    TARGET is an example's name, a project's folder or a single .rs file; without one, the current folder. The default Cargo profile
    is `dev`, and -g is implied unless --lineinfo is given.
    """
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust.project import find
    from oxide.tools import finders, gpu

    if tui and cgdb:
        raise UsageError("--tui and --cgdb exclude each other", hint="use one of them")
    here = Path.cwd()
    place = find(target, here)
    options = resolve({**chosen, "profile": chosen["profile"] or "dev", "debug_info": chosen["debug_info"] or "full"}, place)
    variables = environment()
    if options.device == "cpu" or not gpu.has_cuda_driver():
        debugger = finders.which("gdb", variables)
        missing = MachineError("gdb is not installed, and kernels run on the CPU device", hint="run `apt-get install gdb` as root")
    else:
        debugger = finders.find_nvidia_tool("cuda-gdb", variables)
        missing = MachineError("cuda-gdb is not installed", hint="it comes with the CUDA toolkit; `--device cpu` debugs with gdb instead")
    if debugger is None:
        raise missing
    start = [os.fspath(debugger), *(["--tui"] if tui else [])]
    if cgdb:
        if (outer := finders.which("cgdb", variables)) is None:
            raise MachineError("cgdb is not installed", hint="run `apt-get install cgdb` as root, or use --tui")
        start = [os.fspath(outer), "-d", *start]
    with Session(options, variables, here, ui) as session:
        built = session.build(place, emit={"ptx"}, runs=True, **build_arguments(chosen))
        return session.run(built, arguments, under=[*start, "--args"])
