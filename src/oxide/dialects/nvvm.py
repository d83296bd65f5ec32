"""What a GPU offers beyond LLVM IR: an op made from each row of the table of operations.

op = OPS["ptx.barrier.cta.sync"](())         # "ptx.barrier.cta.sync"() : () -> ()
op.row.convergent                            # True
"""

from __future__ import annotations

import types
from typing import ClassVar

from oxide.dialects.operations import ROWS, Operation
from oxide.ir import Op, Rule, Value, operands, optional_result


class GpuOp(Op, family=True):
    """Base of the ops made from the rows. Several results are written through the first operand, one after another."""

    row: ClassVar[Operation]

    args: tuple[Value, ...] = operands()
    value: Value | None = optional_result(lambda op: op.row.result if op.row.count == 1 else None)

    rules = (
        Rule(
            "those of its row",
            lambda op: tuple(value.type for value in op.args) == op.row.operands,
            lambda op: f"operands have types {tuple(value.type for value in op.args)}, its row says {op.row.operands}",
        ),
    )


def declare(row: Operation) -> type[GpuOp]:
    """Return the op of a row."""
    title = "".join(part.capitalize() for part in row.name.replace("_", ".").split("."))
    return types.new_class(title, (GpuOp,), {"name": row.name}, lambda space: space.update(__doc__=row.doc, __module__=__name__, row=row))


OPS = {row.name: declare(row) for row in ROWS}
"""The ops by name."""
