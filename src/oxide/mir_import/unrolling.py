"""Loops that are to be unrolled: from the calls that `#[unroll]` leaves to `mir.unroll` in the loop's body.

    kernel::unroll(3, 4, false); loop { kernel::unroll(3, 4, true); … }   →   a block of the loop has "mir.unroll"() {factor = 4 : i64}

The call before the loop tells one that never comes back from the loop around both, which nobody has marked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oxide.ir.loops import innermost

if TYPE_CHECKING:
    from oxide.dialects import mir
    from oxide.ir import Function, Op


@dataclass(slots=True)
class Mark:
    """The calls that mark one loop, by the lists of ops that they stand in: a block's."""

    before: list[list[Op]] = field(default_factory=list)
    inside: list[tuple[list[Op], mir.Unroll]] = field(default_factory=list)


def settle(function: Function, marks: list[Mark]) -> None:
    """Remove the ops whose innermost loop is not the one that was marked."""
    if not marks:
        return
    blocks = {id(block.ops): block for block in function.blocks}
    for mark in marks:
        for ops, op in mark.inside:
            loop = innermost(function, blocks[id(ops)])
            if loop is None or any(block.ops is before for block in loop.blocks for before in mark.before):
                ops.remove(op)
