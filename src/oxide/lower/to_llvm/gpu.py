"""GPU operations: each row of the table becomes a call of its intrinsic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, nvvm
from oxide.ir import I32
from oxide.lower.registry import Builder, lowers
from oxide.lower.to_llvm.arithmetic import constant

if TYPE_CHECKING:
    from oxide.ir import Value


def lower_operation(op: nvvm.GpuOp, b: Builder) -> Value | None:
    """Call the row's intrinsic with the arguments that the row says."""
    arguments = (
        constant(b, argument.number, I32) if isinstance(argument, nvvm.Fixed) else op.args[argument] for argument in op.row.arguments
    )
    note = f"at {b.loc.own}" if op.row.convergent and b.loc is not None else ""
    return b.add(llvm.CallIntrinsic(tuple(arguments), op.row.intrinsic, op.row.result, note)).value


for cls in nvvm.OPS.values():
    lowers(cls)(lower_operation)
