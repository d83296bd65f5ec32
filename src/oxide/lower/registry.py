"""The table of lowerings, and the walk that applies them.

    @lowers(mir.Add)
    def lower_add(op: mir.Add, b: Builder) -> Value:
        return b.add(llvm.Add(op.lhs, op.rhs)).value

A lowering gets an op whose operands are already lowered and returns the value that stands for its result: nothing for an op
without results, a tuple for one with several.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from oxide.ir import Block, Function, Module, Op, Symbol, Value

if TYPE_CHECKING:
    from oxide.ir import Location
    from oxide.options import CompileOptions

AnyOp = TypeVar("AnyOp", bound=Op)
Ranges: TypeAlias = dict[str, tuple[int, int]]
Lowering = Callable[[AnyOp, "Builder"], Value | tuple[Value, ...] | None]

LOWERINGS: dict[type[Op], Lowering[Any]] = {}
"""The lowering of each op."""


def lowers(cls: type[AnyOp]) -> Callable[[Lowering[AnyOp]], Lowering[AnyOp]]:
    """Register the decorated function as the one lowering of `cls`."""

    def register(lowering: Lowering[AnyOp]) -> Lowering[AnyOp]:
        if cls in LOWERINGS:
            raise TypeError(f"{cls.name} has two lowerings")
        LOWERINGS[cls] = lowering
        return lowering

    return register


class Builder:
    """Where lowerings put their ops: the end of the current block, or the function's entry."""

    def __init__(self, module: Module, options: CompileOptions) -> None:
        self.module = module
        self.options = options
        self.ops: list[Op] = []
        self.entry: list[Op] = []
        self.loc: Location | None = None
        self.new_blocks: list[Block] = []
        self.ranges: Ranges = {}
        """The values that special registers have in the current function, by row."""
        self.helpers: dict[Symbol, Function] = {}
        """Functions that lowerings call and that the module gets once."""

    def add(self, op: AnyOp) -> AnyOp:
        """Append an op to the current block."""
        op.loc = self.loc
        self.ops.append(op)
        return op

    def add_to_entry(self, op: AnyOp) -> AnyOp:
        """Append an op to those that run once, when the function begins."""
        op.loc = self.loc
        self.entry.append(op)
        return op

    def new_block(self) -> Block:
        """Return a new block, which comes after the current one."""
        block = Block()
        self.new_blocks.append(block)
        return block


def lower_function(function: Function, builder: Builder) -> None:
    """Lower one function in place."""
    mapping: dict[Value, Value] = {}
    blocks: list[Block] = []
    builder.entry = []
    for block in function.blocks:
        blocks.append(block)
        old, builder.ops = block.ops, []
        builder.new_blocks = []
        for op in old:
            op.rewrite(mapping)
            builder.loc = op.loc
            made = LOWERINGS[type(op)](op, builder)
            match made:
                case None:
                    pass
                case Value():
                    (old_result,) = op.results()
                    mapping[old_result] = made
                case _:
                    mapping.update(zip(op.results(), made, strict=True))
        block.ops = builder.ops
        blocks.extend(builder.new_blocks)
    if blocks:
        blocks[0].ops[:0] = builder.entry
    function.blocks = blocks
