"""Rvalues: what an assignment computes, written to the place it is assigned to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import codes
from oxide.ir import I1, I8, I64
from oxide.mir_import import coercions, enums
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.operands import operand_type, registers, scalar, write
from oxide.mir_import.places import Spot, place, slice_length
from oxide.mir_import.refusal import Refusal, thread_local_refusal

if TYPE_CHECKING:
    from oxide.ir import Value
    from oxide.mir_import.frame import Frame


def assign(frame: Frame, target: Spot, rvalue: smir.Rvalue) -> None:
    """Import `target = rvalue`."""
    match rvalue:
        case smir.Use(operand):
            write(frame, operand, target)
        case smir.CopyForDeref(source):
            write(frame, smir.CopyOperand(source), target)
        case smir.RefRvalue(source) | smir.AddressOf(source):
            take_address(frame, target, place(frame, source))
        case smir.BinaryOp(op, left, right):
            store(frame, target, binary(frame, op, left, right))
        case smir.CheckedBinaryOp(op, left, right):
            checked(frame, target, op, left, right)
        case smir.UnaryOp(op, operand):
            unary(frame, target, op, operand)
        case smir.CastRvalue(cast, operand, ty):
            import_cast(frame, target, cast, operand, ty)
        case smir.AggregateRvalue(aggregate, operands):
            import_aggregate(frame, target, aggregate, operands)
        case smir.Discriminant(source):
            register = frame.types.shape(target.ty).registers[0]
            store(frame, target, enums.discriminant(frame, place(frame, source), register))
        case smir.Len(source):
            store(frame, target, slice_length(frame, place(frame, source)))
        case smir.Repeat(operand, count):
            repeat(frame, target, operand, count)
        case smir.ThreadLocalRef(name):
            raise thread_local_refusal(name, frame.span)


def store(frame: Frame, target: Spot, value: Value) -> None:
    """Write one register to a scalar place."""
    target.store_registers(frame, [value])


def take_address(frame: Frame, target: Spot, source: Spot) -> None:
    """Write the address of `source`, with its metadata if the pointer is fat."""
    values = [source.address(frame)]
    if frame.types.shape(target.ty).kind == "pair":
        assert source.metadata is not None, f"a fat pointer to a {frame.types.name(source.ty)} needs metadata"
        values.append(source.metadata)
    target.store_registers(frame, values)


def is_signed(frame: Frame, ty: int) -> bool:
    """Return whether arithmetic on a type is signed."""
    kind = frame.types.kind(ty)
    return isinstance(kind, smir.Int) and kind.signed


def check_arithmetic(frame: Frame, ty: int) -> None:
    """Refuse to compute with a type that LLVM has no code for on a GPU."""
    if frame.types.kind(ty) == smir.Float(128):
        raise Refusal(codes.UNSUPPORTED, "arithmetic of `f128` is not supported in kernels", frame.span, help="use `f64`")


COMPARISONS = {"Eq": "eq", "Ne": "ne", "Lt": "lt", "Le": "le", "Gt": "gt", "Ge": "ge"}
PLAIN = {"Add": mir.Add, "Sub": mir.Sub, "Mul": mir.Mul, "BitAnd": mir.And, "BitOr": mir.Or, "BitXor": mir.Xor}
SIGNED = {
    "Div": mir.Div, "Rem": mir.Rem, "AddUnchecked": mir.UncheckedAdd, "SubUnchecked": mir.UncheckedSub, "MulUnchecked": mir.UncheckedMul,
}  # fmt: skip
CHECKED = {"Add": mir.CheckedAdd, "Sub": mir.CheckedSub, "Mul": mir.CheckedMul}


def binary(frame: Frame, op: str, left: smir.Operand, right: smir.Operand) -> Value:
    """Return the value of a binary operation."""
    ty = operand_type(frame, left)
    check_arithmetic(frame, ty)
    if frame.types.shape(ty).kind == "pair":
        return compare_fat(frame, op, left, right)
    lhs, rhs = scalar(frame, left), scalar(frame, right)
    signed = is_signed(frame, ty)
    if (plain := PLAIN.get(op)) is not None:
        return frame.add(plain(lhs, rhs)).value
    if (signed_op := SIGNED.get(op)) is not None:
        return frame.add(signed_op(lhs, rhs, signed)).value
    if (predicate := COMPARISONS.get(op)) is not None:
        return frame.add(mir.Compare(lhs, rhs, predicate, signed)).value
    match op:
        case "Shl" | "ShlUnchecked":
            return frame.add(mir.Shl(lhs, rhs, op == "ShlUnchecked")).value
        case "Shr" | "ShrUnchecked":
            return frame.add(mir.Shr(lhs, rhs, op == "ShrUnchecked", signed)).value
        case "Cmp":
            return frame.add(mir.ThreeWay(lhs, rhs, signed)).value
        case "Offset":
            pointee = frame.types.pointee(ty)
            assert pointee is not None, "only pointers are offset"
            return frame.add(mir.Index(lhs, rhs, frame.types.layout(pointee).size)).addr
        case _:
            raise Refusal(codes.UNSUPPORTED, f"the operation `{op}` is not supported in kernels", frame.span)


def compare_fat(frame: Frame, op: str, left: smir.Operand, right: smir.Operand) -> Value:
    """Compare two fat pointers: by address, then by metadata."""
    (left_address, left_data), (right_address, right_data) = registers(frame, left), registers(frame, right)
    same_address = frame.add(mir.Compare(left_address, right_address, "eq")).value
    same_data = frame.add(mir.Compare(left_data, right_data, "eq")).value
    match op:
        case "Eq":
            return frame.add(mir.And(same_address, same_data)).value
        case "Ne":
            return frame.add(mir.Not(frame.add(mir.And(same_address, same_data)).value)).value
        case "Lt" | "Le" | "Gt" | "Ge":
            strict = "lt" if op in ("Lt", "Le") else "gt"
            by_address = frame.add(mir.Compare(left_address, right_address, strict)).value
            by_data = frame.add(mir.Compare(left_data, right_data, COMPARISONS[op])).value
            tie = frame.add(mir.And(same_address, by_data)).value
            return frame.add(mir.Or(by_address, tie)).value
        case _:
            raise Refusal(codes.UNSUPPORTED, f"the operation `{op}` on fat pointers is not supported in kernels", frame.span)


def checked(frame: Frame, target: Spot, op: str, left: smir.Operand, right: smir.Operand) -> None:
    """Write the pair of a wrapped result and whether it overflowed."""
    ty = operand_type(frame, left)
    lhs, rhs = scalar(frame, left), scalar(frame, right)
    made = frame.add(CHECKED[op](lhs, rhs, is_signed(frame, ty)))
    shape = frame.types.shape(target.ty)
    overflow = frame.add(mir.IntCast(made.overflow, I8)).value
    target.store_registers(frame, [made.value, overflow] if shape.stored[0] is lhs.type else [overflow, made.value])


def unary(frame: Frame, target: Spot, op: str, operand: smir.Operand) -> None:
    """Import a unary operation."""
    check_arithmetic(frame, operand_type(frame, operand))
    match op:
        case "Neg":
            store(frame, target, frame.add(mir.Neg(scalar(frame, operand))).value)
        case "Not":
            store(frame, target, frame.add(mir.Not(scalar(frame, operand))).value)
        case "PtrMetadata":
            _, *metadata = registers(frame, operand)
            target.store_registers(frame, metadata)
        case _:
            raise Refusal(codes.UNSUPPORTED, f"the operation `{op}` is not supported in kernels", frame.span)


def repeat(frame: Frame, target: Spot, operand: smir.Operand, count: int) -> None:
    """Write `[operand; count]`: bytes at once, small arrays element by element, others by copies that double what is there."""
    element = operand_type(frame, operand)
    shape = frame.types.shape(element)
    if shape.size == 0 or count == 0:
        return
    byte = repeated_byte(operand, shape.size)
    if byte is not None:
        size = frame.constant(count * shape.size, I64)
        frame.add(mir.SetBytes(target.address(frame), frame.constant(byte, I8), size, target.align))
        return
    first = target.at(0, element)
    write(frame, operand, first)
    if count <= UNROLLED_REPEAT:
        for index in range(1, count):
            to = target.at(index * shape.size, element)
            frame.add(mir.Copy(to.address(frame), first.address(frame), shape.size, to.align))
        return
    done = 1
    while done < count:
        step = min(done, count - done)
        to = target.at(done * shape.size, element)
        frame.add(mir.Copy(to.address(frame), first.address(frame), step * shape.size, to.align))
        done += step


UNROLLED_REPEAT = 8
"""Arrays up to this length are filled element by element, which LLVM keeps in registers."""


def repeated_byte(operand: smir.Operand, size: int) -> int | None:
    """Return the byte that a constant element consists of, if it is one."""
    match operand:
        case smir.ConstantOperand(_, smir.Allocated(smir.Memory(content, _, [], []))):
            first = content[:2]
            return int(first, 16) if content == first * size else None
        case _:
            return None


def import_aggregate(frame: Frame, target: Spot, aggregate: smir.Aggregate, operands: list[smir.Operand]) -> None:
    """Write a value part by part."""
    types = frame.types
    match aggregate:
        case smir.ArrayAggregate():
            for index, operand in enumerate(operands):
                ty = operand_type(frame, operand)
                write(frame, operand, target.at(index * types.layout(ty).size, ty))
        case smir.TupleAggregate() | smir.ClosureAggregate():
            for index, operand in enumerate(operands):
                write(frame, operand, target.at(types.field_offset(target.ty, None, index), operand_type(frame, operand)))
        case smir.AdtAggregate(variant, field):
            for index, operand in enumerate(operands):
                offset = types.field_offset(target.ty, variant, index if field is None else field)
                write(frame, operand, target.at(offset, operand_type(frame, operand)))
            enums.set_discriminant(frame, target, variant)
        case smir.RawPtrAggregate():
            values = [value for operand in operands for value in registers(frame, operand)]
            target.store_registers(frame, values)
        case smir.CoroutineAggregate():
            message = "async blocks and coroutines are not available in kernels"
            raise Refusal(codes.COROUTINE, message, frame.span, help="write a function or a closure")


def import_cast(frame: Frame, target: Spot, cast: smir.Cast, operand: smir.Operand, ty: int) -> None:
    """Import a cast to type `ty`."""
    types = frame.types
    source = operand_type(frame, operand)
    match cast:
        case smir.Transmute():
            transmute(frame, target, operand)
        case smir.Subtype() | smir.UnsafeFnPointer() | smir.MutToConstPointer() | smir.ArrayToPointer():
            write(frame, operand, target)
        case smir.PtrToPtr() | smir.FnPtrToPtr():
            target.store_registers(frame, registers(frame, operand)[: len(types.shape(ty).registers)])
        case smir.FnPointer(function):
            symbol = frame.importer.address(function, frame.span)
            store(frame, target, frame.add(mir.AddressOf(symbol)).addr)
        case smir.Unsize(metadata):
            coercions.unsize(frame, target, operand, metadata)
        case (
            smir.IntToInt()
            | smir.FloatToFloat()
            | smir.FloatToInt()
            | smir.IntToFloat()
            | smir.PointerExposeAddress()
            | smir.PointerWithExposedProvenance()
        ):
            check_arithmetic(frame, source)
            check_arithmetic(frame, ty)
            value = scalar(frame, operand)
            store(frame, target, numeric(frame, cast, value, source, ty))


def numeric(frame: Frame, cast: smir.Cast, value: Value, source: int, ty: int) -> Value:
    """Return a number cast to another numeric type."""
    to = frame.types.shape(ty).registers[0]
    match cast:
        case smir.IntToInt():
            return value if value.type is to else frame.add(mir.IntCast(value, to, is_signed(frame, source))).value
        case smir.FloatToFloat():
            return value if value.type is to else frame.add(mir.FloatCast(value, to)).value
        case smir.FloatToInt():
            return frame.add(mir.FloatToInt(value, to, is_signed(frame, ty))).value
        case smir.IntToFloat():
            return frame.add(mir.IntToFloat(value, to, is_signed(frame, source))).value
        case _:
            # Between pointers and integers of their size.
            return frame.add(mir.Bitcast(value, to)).value


def transmute(frame: Frame, target: Spot, operand: smir.Operand) -> None:
    """Write the same bytes as another type: in a register where both are one, else through memory."""
    source = frame.types.shape(operand_type(frame, operand))
    to = frame.types.shape(target.ty)
    if source.kind == "scalar" == to.kind and I1 not in (source.registers[0], to.registers[0]):
        value = scalar(frame, operand)
        if value.type is not to.registers[0]:
            value = frame.add(mir.Bitcast(value, to.registers[0])).value
        store(frame, target, value)
        return
    write(frame, operand, target)
