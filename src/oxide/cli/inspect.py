"""`oxide inspect`: kernels' registers, memory, occupancy, PTX and machine code."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oxide.cli import ui
from oxide.cli.parameters import BUILD, COMMON, TARGET, build_arguments, resolve, resolve_for_one_target, with_options
from oxide.errors import MachineError, UsageError, did_you_mean, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oxide.cli.occupancy import Occupancy
    from oxide.export.resources import Kernel, Resources
    from oxide.options import Environment

EPILOG = """\b
Examples:
  oxide inspect gemm_tiled --arch sm_90              a table of its kernels
  oxide inspect gemm_tiled --kernel naive --sass     and one kernel's machine code
  oxide inspect k.ptx --block 128 --json             of a PTX file, as data
"""

USUAL_BLOCK = 256
"""Threads of a block where neither the kernel nor the command line says how many."""


@click.command("inspect", epilog=EPILOG)
@TARGET
@click.option("--kernel", "wanted", metavar="NAME", help="Only this kernel.")
@click.option("--ptx", "show_ptx", is_flag=True, help="Print the PTX of each kernel; alone, it does not require ptxas.")
@click.option("--sass", "show_sass", is_flag=True, help="Print the machine code of each kernel (requires nvdisasm).")
@click.option("--block", type=click.IntRange(1, 1024), help="Threads per block. [default: the kernel's declared block, else 256]")
@click.option("--shared", default=0, type=click.IntRange(0), help="Dynamic shared memory per block, in bytes. [default: 0]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one object per kernel.")
@with_options(COMMON, BUILD)
def command(target: str, wanted: str | None, **chosen: Any) -> int:
    """Assemble the kernels of TARGET and show the registers, memory and occupancy of each.

    TARGET is an example's name, a project's folder, a single .rs file or a .ptx file; without one, the current folder.

    The figures are reported by ptxas; `oxide doctor` shows whether it is installed.

    Registers, spills and stack are per thread, shared memory is per block; all but registers are in bytes. Occupancy is for the block size
    that is shown.
    """
    from oxide.cache.files import Cache
    from oxide.export.resources import assemble, kernel_texts
    from oxide.options import environment
    from oxide.rust.project import find_kernels
    from oxide.tools import finders, packages

    variables = environment()
    is_text = target.endswith(".ptx")
    texts = [read(target, chosen)] if is_text else build(target, chosen)
    if chosen["show_ptx"] and not (chosen["show_sass"] or chosen["as_json"]) and finders.find_ptxas(variables) is None:
        found = [pair for text in texts for pair in kernel_texts(text).items()]
        names = chosen_names(wanted, [name for name, _ in found])
        for name, ptx in found:
            if name in names:
                show(f"{name}.ptx", ptx)
        ui.say(f"registers, spills and memory are left out, for ptxas alone knows: {finders.pip_install(finders.PTXAS.requirement)}")
        return 0
    try:
        options = resolve(chosen, None if is_text else find_kernels(target, Path.cwd()))
        lock = Cache(options.cache).lock
        modules = packages.with_packages(lambda: [assemble(text, variables) for text in texts], options, variables, lock, ui.say)
    except UsageError:
        if not is_text:
            # Says where in the program it is.
            build(target, chosen, "cubin")
        raise
    kernels = [(module, kernel) for module in modules for kernel in module.kernels.values()]
    names = chosen_names(wanted, [kernel.name for _, kernel in kernels])
    kernels = [(module, kernel) for module, kernel in kernels if kernel.name in names]
    codes = machine_code(modules, variables) if chosen["show_sass"] else {}
    rows = [describe(module, kernel, chosen) for module, kernel in kernels]
    if chosen["as_json"]:
        for row, (_, kernel) in zip(rows, kernels, strict=True):
            row |= {"ptx": kernel.ptx} if chosen["show_ptx"] else {}
            row |= {"sass": codes[kernel.name]} if chosen["show_sass"] else {}
        ui.data((json.dumps(rows, indent=2) + "\n").encode())
        return 0
    ui.table(list(COLUMNS), [list(cells(row)) for row in rows])
    for _, kernel in kernels:
        for suffix, text in (("ptx", kernel.ptx if chosen["show_ptx"] else None), ("sass", codes.get(kernel.name))):
            if text is not None:
                show(f"{kernel.name}.{suffix}", text)
    return 0


def chosen_names(wanted: str | None, names: list[str]) -> list[str]:
    """Return the names of the kernels that are shown; raise `UsageError` where the one that is asked for is not there."""
    if wanted is not None and wanted not in names:
        raise UsageError(f"no kernel is named '{wanted}'", hint=did_you_mean(wanted, names))
    return names if wanted is None else [wanted]


def show(name: str, text: str) -> None:
    """Print a text under its name."""
    ui.heading(name)
    ui.data(text.encode())


def read(path: str, chosen: dict[str, Any]) -> str:
    """Return the text of a PTX file. Raises `UsageError` where there is none, or a target is asked for: the file says its own."""
    resolve(chosen)
    if chosen["arch"]:
        raise UsageError(f"{path} declares its own target", hint="omit --arch")
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {reason_of(error) if isinstance(error, OSError) else 'it is not text'}") from None


def build(target: str, chosen: dict[str, Any], kind: str = "ptx") -> list[str]:
    """Build a project and return the PTX of each of its crates, having made `kind`."""
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust.project import find_kernels

    here = Path.cwd()
    place = find_kernels(target, here)
    with Session(resolve_for_one_target(chosen, place), environment(), here, ui) as session:
        built = session.build(place, emit={"ptx", kind}, **build_arguments(chosen))
    return [outputs["ptx"].decode() for _, outputs in sorted(built.outputs.items())]


def machine_code(modules: list[Resources], environment: Environment) -> dict[str, str]:
    """Return the machine code of every kernel, by name; raise `MachineError` without nvdisasm."""
    from oxide.export.resources import disassemble
    from oxide.tools import finders

    codes: dict[str, str] = {}
    for module in modules:
        found = disassemble(module.cubin, environment)
        if found is None:
            raise MachineError("--sass needs nvdisasm, which is not installed", hint=finders.pip_install(finders.NVDISASM_REQUIREMENT))
        codes |= found
    return codes


def describe(module: Resources, kernel: Kernel, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `--json` prints of a kernel, except its PTX and machine code."""
    block = chosen["block"] or kernel.block or USUAL_BLOCK
    found = occupancy_of(module, kernel, block, chosen["shared"])
    facts = {name: value for name, value in asdict(kernel).items() if name not in {"ptx", "block"}}
    return {**facts, "arch": module.arch, "block": block, "occupancy": None if found is None else asdict(found)}


def occupancy_of(module: Resources, kernel: Kernel, block: int, dynamic: int) -> Occupancy | None:
    """Return the occupancy of the target's multiprocessor; None where what it has is not published."""
    from oxide.cli.occupancy import MULTIPROCESSORS, Use, occupancy
    from oxide.dialects import target

    has = MULTIPROCESSORS.get(target.parse(module.arch).sm)
    return None if has is None else occupancy(has, Use(block, kernel.registers, kernel.shared + dynamic, kernel.barriers))


COLUMNS = ("kernel", "arch", "registers", "spills", "stack", "shared", "constant", "block", "occupancy", "limited by")


def cells(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the cells of a kernel's row."""
    yield from (row["name"], row["arch"], str(row["registers"]))
    stores, loads = row["spill_stores"], row["spill_loads"]
    yield f"{stores}+{loads}" if stores or loads else "0"
    yield from (str(row[name]) for name in ("stack", "shared", "constant", "block"))
    found = row["occupancy"]
    if found is None:
        yield from ("unknown", "")
    else:
        yield from (f"{found['share']:.0%}, {found['blocks']} blocks", found["limit"])
