"""The import of one body, block by block.

    Frame(importer, source, body, function).import_body()

Every local is memory of the function's frame; a frame's current block is where ops are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import codes
from oxide.mir_import import stable_mir as smir
from oxide.mir_import import terminators, unrolling
from oxide.mir_import.functions import calling_convention, kernel_parameter
from oxide.mir_import.places import Spot
from oxide.mir_import.refusal import Refusal, misplaced
from oxide.mir_import.statements import import_statement

if TYPE_CHECKING:
    from typing import TypeVar

    from oxide import ir
    from oxide.ir import Block, Function, Op, Value
    from oxide.mir_import.importer import Importer

    AnyOp = TypeVar("AnyOp", bound="Op")


class Frame:
    """The import of one body: its locals, its blocks, and the block that ops go to."""

    def __init__(self, importer: Importer, source: smir.Function, body: smir.Body, function: Function) -> None:
        self.importer = importer
        self.types = importer.types
        self.source = source
        self.body = body
        self.function = function
        self.entry = function.add_block()
        self.allocas: list[Op] = []
        self.ops: list[Op] = []
        self.loc: ir.Location | None = None
        self.span: int | None = None
        self.spots: list[Spot | None] = [None] * len(body.locals)
        self.blocks: list[Block | None] = [None] * len(body.blocks)
        self.result_pointer: Value | None = None
        self.unchecked = importer.unchecked_scopes(body)
        self.marks: dict[tuple[int | None, int], unrolling.Mark] = {}
        """The loops to unroll, by the span that they were inlined at and their number there."""

    def add(self, op: AnyOp) -> AnyOp:
        """Append an op to the current block."""
        op.loc = self.loc
        self.ops.append(op)
        return op

    def at(self, span: int) -> None:
        """Set the span of the following ops."""
        self.span = span
        self.loc = self.importer.location(span)

    @property
    def scope(self) -> int | None:
        """The span of the call that what is being imported was inlined at; None for what the function's own body says."""
        return None if self.span is None else self.importer.dump.spans[self.span].caller

    @property
    def is_inlined(self) -> bool:
        """Whether what is being imported was copied from the body of another function."""
        return self.loc is not None and self.loc.caller is not None

    def constant(self, number: int, ty: ir.Type) -> Value:
        """Return a number."""
        return self.add(mir.Constant(number, ty)).value

    def local_type(self, local: int) -> int:
        """Return the type of a local."""
        declared = self.body.locals[local]
        assert declared is not None, f"local {local} is used, yet absent"
        return declared.ty

    def local(self, local: int) -> Spot:
        """Return the memory of a local."""
        if local >= len(self.spots) or (spot := self.spots[local]) is None:
            spot = self.spots[local] = self._allocate(local)
        return spot

    def _allocate(self, local: int) -> Spot:
        declared = self.body.locals[local]
        assert declared is not None, f"local {local} is used, yet absent"
        shape = self.types.shape(declared.ty)
        if (shared := self.types.placed_in(declared.ty)) is not None:
            raise misplaced(shared, declared.span)
        if shape.kind == "unsized":
            message = f"a local of the unsized type `{self.types.name(declared.ty)}` is not available in kernels"
            raise Refusal(codes.UNSIZED_VALUE, message, declared.span, help="use it through a reference")
        return Spot(self.temporary(shape.size, shape.align, declared.name or ""), declared.ty, align=shape.align)

    def temporary(self, size: int, align: int, hint: str = "") -> Value:
        """Return memory that lasts as long as the function runs, wherever it is asked for."""
        op = mir.Alloca(size, align, hint)
        op.loc = self.loc
        self.allocas.append(op)
        return op.addr

    def block(self, number: int) -> Block:
        """Return the block of a MIR block."""
        block = self.blocks[number] if number < len(self.blocks) else None
        assert block is not None, f"block {number} is a target, yet absent"
        return block

    def import_body(self) -> None:
        """Import every block, then put the locals' allocas before all else."""
        self.at(self.source.span)
        self.ops = self.entry.ops
        self.bind_parameters()
        for number, source in enumerate(self.body.blocks):
            if source is not None:
                self.blocks[number] = self.function.add_block()
        self.add(mir.Goto(self.block(0)))
        for number, source in enumerate(self.body.blocks):
            if source is None:
                continue
            self.ops = self.block(number).ops
            for statement in source.statements:
                import_statement(self, statement)
            self.at(source.terminator.span)
            terminators.import_terminator(self, source.terminator)
        self.entry.ops[:0] = self.allocas
        unrolling.settle(self.function, list(self.marks.values()))

    def bind_parameters(self) -> None:
        """Store what was passed into the locals of the arguments."""
        values = list(self.function.arguments)
        if self.function.kernel:
            for number, ty in enumerate(self.source.params, start=1):
                self.bind_kernel_parameter(self.local(number), ty, values)
            return
        if calling_convention(self.types, self.source.params, self.source.result, self.source.spread_arg).result_pointer:
            self.result_pointer = values.pop(0)
        for number in range(1, len(self.source.params) + 1):
            spot = self.local(number)
            parts = self.fields(spot) if number == self.source.spread_arg else (spot,)
            for part in parts:
                shape = self.types.shape(part.ty)
                if shape.kind == "memory":
                    self.add(mir.Copy(part.address(self), values.pop(0), shape.size, part.align))
                elif shape.registers:
                    taken = [values.pop(0) for _ in shape.registers]
                    part.store_registers(self, taken)

    def fields(self, spot: Spot) -> list[Spot]:
        """Return the fields of a tuple."""
        elements = self.types.elements(spot.ty)
        return [spot.at(self.types.field_offset(spot.ty, None, index), ty) for index, ty in enumerate(elements)]

    def bind_kernel_parameter(self, spot: Spot, ty: int, values: list[Value]) -> None:
        """Store one parameter of a kernel, as the host passed it."""
        for offset, param in kernel_parameter(self.types, ty):
            value = values.pop(0)
            target = spot.at(offset, ty)
            if param.byval is not None:
                self.add(mir.Copy(target.address(self), value, param.byval[0], min(target.align, param.byval[1])))
            else:
                self.add(mir.Store(value, target.address(self), target.align))
