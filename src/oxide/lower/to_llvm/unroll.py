"""Loops to unroll: a mark in the body becomes an annotation of the loop's latches.

"mir.unroll"() {factor = 4 : i64}   →   "llvm.br"()[^header] {loop_annotation = #llvm.loop_annotation<unroll = <count = 4 : i32>>, …}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.ir.loops import innermost
from oxide.lower.registry import Builder, lowers

if TYPE_CHECKING:
    from oxide.ir import Block, Function


@lowers(mir.Unroll)
def lower_unroll(_op: mir.Unroll, _b: Builder) -> None:
    """`annotate` moves it to the loop's latches."""


def marked(function: Function) -> list[tuple[Block, mir.Unroll]]:
    """Return the ops that mark loops, each with its block."""
    return [(block, op) for block in function.blocks for op in block.ops if isinstance(op, mir.Unroll)]


def annotate(function: Function, marked: list[tuple[Block, mir.Unroll]]) -> None:
    """Annotate every jump back to the header of a marked loop; it gets the mark's location."""
    for number, (block, op) in enumerate(marked):
        loop = innermost(function, block)
        if loop is None:
            continue
        for latch in loop.latches:
            jump = latch.ops[-1]
            if not isinstance(jump, llvm.Br | llvm.CondBr):
                jump = branch_back(function, latch, loop.header)
            jump.unroll, jump.loop, jump.loc = op.factor, number, op.loc


def branch_back(function: Function, latch: Block, header: Block) -> llvm.Br:
    """Let a switch reach the header of its loop through a new block, and return the jump there."""
    switch = latch.ops[-1]
    assert isinstance(switch, llvm.Switch), "what goes on in one of many blocks"
    block, jump = function.add_block(), llvm.Br(header)
    block.ops.append(jump)
    switch.targets = tuple(block if target is header else target for target in switch.targets)
    return jump
