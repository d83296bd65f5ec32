"""Functions: their calling convention, and the frame in which a body's blocks are imported.

A parameter travels by its shape: nothing, one register, two, or a pointer to memory that belongs to the callee. A result of one
register is returned, any other is written where a first pointer says. A kernel's parameters follow the host's launchers
instead: a slice is a pointer and a length, a scalar itself, anything else bytes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxide.dialects import libdevice, mir, operations, target
from oxide.errors import codes
from oxide.ir import I32, I64, PTR, Block, Function, Op, Param, Symbol, Value
from oxide.mir_import import stable_mir as smir
from oxide.mir_import import terminators, unrolling
from oxide.mir_import.places import Spot
from oxide.mir_import.refusal import Refusal, misplaced
from oxide.mir_import.statements import import_statement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from oxide import ir
    from oxide.mir_import import Importer
    from oxide.mir_import.layouts import Types

    AnyOp = TypeVar("AnyOp", bound=Op)


@dataclass(frozen=True, slots=True)
class Signature:
    """How a function is called: its parameters in order, the pointer to the result first if it is not returned."""

    params: tuple[Param, ...]
    result: ir.Type | None
    result_pointer: bool


def signature(types: Types, params: Sequence[int], result: int, spread: int | None = None) -> Signature:
    """Return the calling convention of a function; argument local `spread` is a tuple whose fields are passed one by one."""
    found: list[Param] = []
    shape = types.shape(result)
    returned: ir.Type | None = None
    match shape.kind:
        case "scalar":
            returned = shape.registers[0]
        case "pair" | "memory":
            found.append(Param(PTR))
        case "none" | "unsized":
            pass
    for number, ty in enumerate(params, start=1):
        for part in types.elements(ty) if number == spread else (ty,):
            part_shape = types.shape(part)
            if part_shape.kind == "memory":
                found.append(Param(PTR))
            else:
                found.extend(Param(register) for register in part_shape.registers)
    return Signature(tuple(found), returned, shape.kind in ("pair", "memory"))


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
        """Say where the following ops come from."""
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
        assert block is not None, f"block {number} is gone to, yet absent"
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
        if signature(self.types, self.source.params, self.source.result, self.source.spread_arg).result_pointer:
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


def kernel_parameter(types: Types, ty: int) -> list[tuple[int, Param]]:
    """Return the launch parameters that one kernel parameter becomes, each with its offset in the parameter's memory."""
    shape = types.shape(ty)
    pointee = types.pointee(ty)
    if pointee is not None and isinstance(types.kind(pointee), smir.Slice):
        kind = types.kind(ty)
        shared = isinstance(kind, smir.Ref) and not kind.mutable and types.types[pointee].freeze
        return [(0, Param(PTR, noalias=shared, readonly=shared)), (8, Param(I64))]
    if types.is_adt(ty, "cuda_device", "disjoint::DisjointSlice"):
        # A pointer, a length, and for the run-time spaces a width: repr(C).
        parts = [(0, Param(PTR)), (8, Param(I64))]
        return [*parts, (16, Param(I32))] if shape.size > 16 else parts
    match shape.kind:
        case "none":
            return []
        case "scalar":
            return [(0, Param(shape.stored[0]))]
        case "pair" | "memory" | "unsized":
            # It is only copied from, and LLVM reads it in place where the copy is not changed.
            return [(0, Param(PTR, byval=(shape.size, shape.align), noalias=True, readonly=True))]


def check_kernel_parameters(types: Types, source: smir.Function) -> None:
    """Refuse parameters that a launch cannot fill."""
    for index, ty in enumerate(source.params):
        pointee = types.pointee(ty)
        if types.shape(ty).kind == "pair" and pointee is not None and not isinstance(types.kind(pointee), smir.Slice):
            raise Refusal(
                codes.UNSIZED_PARAMETER,
                f"a kernel parameter of type `{types.name(ty)}` cannot be passed from the host",
                parameter_span(source, index),
                help="pass a slice, a raw pointer, or a value that is copied",
            )
        if isinstance(types.kind(ty), smir.Ref) and types.shape(ty).kind == "scalar":
            raise Refusal(
                codes.REFERENCE_PARAMETER,
                f"a kernel parameter of type `{types.name(ty)}` would be shared by every thread",
                parameter_span(source, index),
                help="pass a slice, a `DisjointSlice` or a raw pointer",
            )


def parameter_span(source: smir.Function, index: int) -> int:
    """Return where a parameter is written, or the function where it has no body."""
    body = source.decode_body()
    local = None if body is None else body.locals[1 + index]
    return source.span if local is None else local.span


def kernel_function(types: Types, source: smir.Function, name: str, loc: ir.Location | None) -> Function:
    """Return the empty entry of a kernel."""
    check_kernel_parameters(types, source)
    if types.shape(source.result).kind != "none":
        raise Refusal(codes.RESULT, f"a kernel returns nothing, got `{types.name(source.result)}`", source.span)
    parts = [[param for _, param in kernel_parameter(types, ty)] for ty in source.params]
    params = tuple(param for part in parts for param in part)
    if (size := target.parameter_bytes(param.size_and_align for param in params)) > target.MOST_PARAMETER_BYTES:
        largest = max(range(len(parts)), key=lambda index: target.parameter_bytes(param.size_and_align for param in parts[index]))
        raise Refusal(
            codes.PARAMETER_BYTES,
            f"the parameters of a kernel take at most {target.MOST_PARAMETER_BYTES} bytes, got {size}",
            parameter_span(source, largest),
            help="pass what is large in a buffer",
        )
    # Each crate that instantiates a generic kernel holds the instance.
    weak = any(not isinstance(arg, smir.Lifetime) for arg in source.generic_args)
    return Function(Symbol(name), params, None, kernel=True, weak=weak, loc=loc)


def device_function(types: Types, source: smir.Function, loc: ir.Location | None, operation: str = "") -> Function:
    """Return the empty function of an instance."""
    found = signature(types, source.params, source.result, source.spread_arg)
    inline = source.inline.lower()
    symbol = Symbol(source.symbol) if re.fullmatch(r"_R\w+", source.symbol, re.ASCII) else chosen_symbol(source.symbol)
    return Function(symbol, found.params, found.result, inline=inline, operation=operation, loc=loc)


def is_taken(name: str) -> bool:
    """Return whether PTX has a constant of this name (PTX ISA, "Predefined Identifiers"), or libdevice or the driver a function."""
    return name == "WARP_SZ" or name.startswith(libdevice.PREFIX) or name in operations.BY_SYSTEM_CALL


MODULE_PATH = re.compile(r"_R(?:N[a-z])*C(.*)", re.ASCII)
IDENTIFIER = re.compile(r"(?:s[0-9A-Za-z]*_)?(\d+)_?", re.ASCII)


def path_of_symbol(symbol: str) -> list[str]:
    """Return the names of crate, modules and item of a symbol: `app`, `kernels`, `TABLE` of `_RNvNtCs1_3app7kernels5TABLE` (RFC 2603)."""
    found = MODULE_PATH.fullmatch(symbol)
    assert found is not None, f"{symbol} is the symbol of an item in a module"
    rest, names = found[1], []
    while (head := IDENTIFIER.match(rest)) is not None:
        end = head.end() + int(head[1])
        names.append(rest[head.end() : end])
        rest = rest[end:]
    assert not rest, f"{symbol} is the symbol of an item in a module"
    return names


def chosen_symbol(name: str) -> Symbol:
    """Return the symbol of what the user has named (`#[no_mangle]`, `#[export_name]`): `sinf$`, `a_b$25ef7e8a7bb1f0e5` of `a.b`.

    The name may be a kernel's too, or that of a C function whose meaning LLVM knows, and PTX need not be able to spell it.
    """
    if re.fullmatch(r"\w+", name, re.ASCII):
        return Symbol(f"{name}$")
    spelled = re.sub(r"\W", "_", name, flags=re.ASCII)
    return Symbol(f"{spelled}${hashlib.sha256(name.encode()).hexdigest()[:16]}")
