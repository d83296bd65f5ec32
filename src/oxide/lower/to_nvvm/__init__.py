"""`mir` to `nvvm`: calls of device operations become the operations.

    "mir.call"() {callee = @…threadIdx_x, ty = i32}   →   "nvvm.read.ptx.sreg.tid.x"() : () -> i32

No call of a device operation remains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir, nvvm, operations
from oxide.ir import Module

if TYPE_CHECKING:
    from oxide.ir import Function, Op, Value
    from oxide.options import CompileOptions


def to_nvvm(module: Module, _options: CompileOptions) -> Module:
    """Replace the calls of device operations; the module given is used up."""
    declared = {symbol: function for symbol, function in module.functions.items() if function.operation}
    lowered = Module(module.name, "nvvm", module.globals)
    for function in module.functions.values():
        if function.operation:
            continue
        if declared:
            replace_calls(function, declared)
        lowered.add(function)
    return lowered


def replace_calls(function: Function, declared: dict[str, Function]) -> None:
    """Replace the calls of device operations in one function."""
    mapping: dict[Value, Value] = {}
    for block in function.blocks:
        made: list[Op] = []
        for op in block.ops:
            if mapping:
                op.rewrite(mapping)
            if isinstance(op, mir.Call) and (callee := declared.get(op.callee)) is not None:
                row = operations.BY_PATH[callee.operation]
                replacement = nvvm.OPS[row.name](op.args)
                replacement.loc = op.loc
                mapping.update(zip(op.results(), replacement.results(), strict=True))
                made.append(replacement)
            else:
                made.append(op)
        block.ops = made
