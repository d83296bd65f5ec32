"""`mir` and `nvvm` to `llvm`.

    "mir.shl"(%0, %1) : (i32, i32) -> i32   →   %2 = and %1, 31; %3 = shl %0, %2

Here Rust's meaning becomes LLVM's: shifts are masked, float-to-int casts saturate, a failed assertion traps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.ir import Module
from oxide.lower.registry import Builder, lower_function
from oxide.lower.to_llvm import arithmetic, atomics, casts, control, enums, gpu, memory, ranges, unroll

if TYPE_CHECKING:
    from oxide.options import CompileOptions

TOPICS = (arithmetic, atomics, casts, control, enums, gpu, memory, unroll)
"""The files whose lowerings are registered."""


def to_llvm(module: Module, options: CompileOptions) -> Module:
    """Lower every op; the module given is used up."""
    lowered = Module(module.name, "llvm", module.globals)
    builder = Builder(module, options)
    known = ranges.of_functions(module)
    for function in module.functions.values():
        builder.ranges = known.get(function.symbol, {})
        marked = unroll.marked(function)
        lower_function(function, builder)
        unroll.annotate(function, marked)
        lowered.add(function)
    for helper in builder.helpers.values():
        lowered.add(helper)
    if options.fast_math:
        for function in lowered.functions.values():
            function.flushes = True
    return lowered
