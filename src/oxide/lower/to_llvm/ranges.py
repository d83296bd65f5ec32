"""The ranges of special registers: CUDA's limits, and those of a kernel's launch attributes.

    #[launch_contract(domain = 2, block = (16, 16, 1))]    →    call range(i32 0, 16) i32 @llvm.nvvm.read.ptx.sreg.tid.x()

A function has the values of all kernels that reach it. LLVM narrows arithmetic and drops checks by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.ir import reach

if TYPE_CHECKING:
    from oxide.ir import Function, Module
    from oxide.lower.registry import Ranges

MOST_THREADS = 1024
MOST_BLOCK = (1024, 1024, 64)
MOST_GRID = ((1 << 31) - 1, 65535, 65535)
"""CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"."""

REGISTER = "nvvm.read.ptx.sreg."


def of_kernel(kernel: Function) -> Ranges:
    """Return the ranges of registers, each with the first number that is too large, in the launches of a kernel."""
    exact = kernel.launch.get("reqntid")
    (most,) = kernel.launch.get("maxntid", (MOST_THREADS,))
    found: Ranges = {REGISTER + "laneid": (0, 32)}
    for place, axis in enumerate("xyz"):
        threads = exact[place] if exact else min(most, MOST_BLOCK[place])
        found[f"{REGISTER}tid.{axis}"] = (0, threads)
        found[f"{REGISTER}ntid.{axis}"] = (threads if exact else 1, threads + 1)
        found[f"{REGISTER}ctaid.{axis}"] = (0, MOST_GRID[place])
        found[f"{REGISTER}nctaid.{axis}"] = (1, MOST_GRID[place] + 1)
    return found


def of_functions(module: Module) -> dict[str, Ranges]:
    """Return the ranges for each function that a kernel reaches."""
    names = reach.graph(module)
    found: dict[str, Ranges] = {}
    for kernel in module.functions.values():
        if not kernel.kernel:
            continue
        ranges = of_kernel(kernel)
        for symbol in reach.reached(names, kernel.symbol) & module.functions.keys():
            known = found.get(symbol, ranges)
            found[symbol] = {name: (min(low, known[name][0]), max(high, known[name][1])) for name, (low, high) in ranges.items()}
    return found
