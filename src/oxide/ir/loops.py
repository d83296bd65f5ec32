"""Loops of a function's blocks.

loop = innermost(function, block)      # loop.header, loop.latches
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxide.ir import reach

if TYPE_CHECKING:
    from oxide.ir.module import Block, Function
    from oxide.ir.reach import Node


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Blocks that reach each other and are entered at one of them."""

    header: Block
    """Where it is entered."""
    blocks: tuple[Block, ...]
    """All of it, in the function's order."""

    @property
    def latches(self) -> tuple[Block, ...]:
        """The blocks from which it goes back to the header."""
        return tuple(block for block in self.blocks if self.header in block.ops[-1].successors())


def innermost(function: Function, block: Block) -> Loop | None:
    """Return the smallest loop that a block is in; None where there is none, or one with several entries."""
    numbers = {known: number for number, known in enumerate(function.blocks)}
    successors = {number: {numbers[successor] for successor in known.ops[-1].successors()} for known, number in numbers.items()}
    found = innermost_of(successors, 0, numbers[block])
    if found is None:
        return None
    header, group = found
    return Loop(function.blocks[header], tuple(function.blocks[number] for number in sorted(group)))


def innermost_of(successors: dict[Node, set[Node]], entry: Node, node: Node) -> tuple[Node, set[Node]] | None:
    """Return the header and the nodes of the smallest loop that a node of a graph is in, as `innermost` does."""
    reached = reach.reached(successors, entry)
    left = successors
    found: tuple[Node, set[Node]] | None = None
    while (group := next((set(group) for group in reach.cycles(left) if node in group), None)) is not None:
        entries = {to for start in reached - group for to in successors[start] & group} | ({entry} & group)
        if len(entries) != 1:
            return None
        (header,) = entries
        found = header, group
        if node == header:
            break
        # What still goes round without the header is a loop inside.
        inside = group - {header}
        left, reached = {key: successors[key] & inside for key in successors if key in inside}, group
    return found
