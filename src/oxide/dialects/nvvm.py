"""What a GPU offers beyond LLVM IR: an op made from each row of the table of operations.

op = OPS["ptx.barrier.cta.sync"](())         # "ptx.barrier.cta.sync"() : () -> ()
op.row.convergent                            # True
"""

from __future__ import annotations

import types
from typing import ClassVar

from oxide.dialects.operations import ROWS, Operation
from oxide.ir import Op, Rule, Value, operands, result


class GpuOp(Op, family=True):
    """Base of the ops made from the rows. Several results are written through the first operand, one after another."""

    row: ClassVar[Operation]

    args: tuple[Value, ...] = operands()

    rules = (
        Rule(
            "those of its row",
            lambda op: tuple(value.type for value in op.args) == op.row.operands,
            lambda op: f"operands have types {tuple(value.type for value in op.args)}, its row says {op.row.operands}",
        ),
    )


class GpuValue(GpuOp, family=True):
    """Base of those with one result."""

    value: Value = result(lambda op: op.row.result)


def declare(row: Operation) -> type[GpuOp]:
    """Return the op of a row."""
    title = "".join(part.capitalize() for part in row.name.replace("_", ".").split("."))
    base = GpuValue if row.result is not None and row.count == 1 else GpuOp
    return types.new_class(
        title, (base,), {"name": row.name}, lambda space: space.update(__doc__=row.doc or row.path, __module__=__name__, row=row)
    )


OPS = {row.name: declare(row) for row in ROWS}
"""The ops by name."""
