"""Operands: places read, constants, and the profile's checks, in registers or written to memory."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.ir import I1, I64, PTR, PointerType
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.placed import check_pointers
from oxide.mir_import.places import Spot, place

if TYPE_CHECKING:
    from oxide import ir
    from oxide.ir import Value
    from oxide.mir_import.frame import Frame
    from oxide.mir_import.layouts import Shape


def operand_type(frame: Frame, operand: smir.Operand) -> int:
    """Return the type of an operand, without evaluating it."""
    match operand:
        case smir.CopyOperand(source) | smir.MoveOperand(source):
            return place_type(frame, source)
        case smir.ConstantOperand(ty) | smir.RuntimeChecks(ty=ty):
            return ty


def place_type(frame: Frame, source: smir.Place) -> int:
    """Return the type of a place, without evaluating it."""
    ty = frame.local_type(source.local)
    for projection in source.projection:
        match projection:
            case smir.Deref():
                pointee = frame.types.pointee(ty)
                ty = ty if pointee is None else pointee
            case smir.FieldProjection(_, ty) | smir.OpaqueCast(ty):
                pass
            case smir.IndexProjection() | smir.ConstantIndex():
                element = frame.types.element(ty)
                assert element is not None, f"{frame.types.name(ty)} is indexed"
                ty = element
            case smir.Subslice(first, last, from_end):
                kind = frame.types.kind(ty)
                if isinstance(kind, smir.Array):
                    ty = frame.types.array_of(kind.element, (kind.count - last if from_end else last) - first)
            case smir.Downcast():
                pass
    return ty


def registers(frame: Frame, operand: smir.Operand) -> list[Value]:
    """Return an operand of shape none, scalar or pair in registers."""
    match operand:
        case smir.CopyOperand(source) | smir.MoveOperand(source):
            spot = place(frame, source)
            return spot.load_registers(frame)
        case smir.ConstantOperand(ty, smir.Allocated(memory)):
            check_pointers(frame.importer, ty, memory, frame.span)
            return constant_registers(frame, frame.types.shape(ty), memory)
        case smir.ConstantOperand():
            return []
        case smir.RuntimeChecks(value=value):
            return [frame.constant(int(value), I1)]


def scalar(frame: Frame, operand: smir.Operand) -> Value:
    """Return an operand of shape scalar in its register."""
    (value,) = registers(frame, operand)
    return value


def constant_registers(frame: Frame, shape: Shape, memory: smir.Memory) -> list[Value]:
    """Return a constant of shape none, scalar or pair in registers."""
    content = bytes.fromhex(memory.bytes)
    targets = dict(memory.relocations)
    found = []
    for stored, value, offset in zip(shape.stored, shape.registers, (0, shape.offset), strict=False):
        size = 8 if isinstance(stored, PointerType) else stored.width // 8  # type: ignore[attr-defined]
        bits = int.from_bytes(content[offset : offset + size], "little")
        if (target := targets.get(offset)) is not None and not frame.importer.globals.is_type_id(target):
            found.append(pointer_constant(frame, stored, target, bits))
        elif isinstance(stored, PointerType):
            found.append(frame.add(mir.Bitcast(frame.constant(bits, I64), stored)).value)
        else:
            found.append(frame.constant(bits & 1 if value is I1 else bits, value))
    return found


def pointer_constant(frame: Frame, ty: ir.Type, allocation: int, addend: int) -> Value:
    """Return the address `addend` bytes into an allocation."""
    symbol = frame.importer.globals.allocation(allocation, frame.span)
    address = frame.add(mir.AddressOf(symbol)).addr
    if addend:
        address = frame.add(mir.Offset(address, addend)).addr
    return address if ty is PTR else frame.add(mir.Bitcast(address, ty)).value


def write(frame: Frame, operand: smir.Operand, target: Spot) -> None:
    """Write an operand's value to memory; the target's type may be another of the same size (a transmutation)."""
    shape = frame.types.shape(operand_type(frame, operand))
    if shape.kind == "none":
        return
    match operand:
        case smir.CopyOperand(source) | smir.MoveOperand(source):
            spot = place(frame, source)
            if shape.kind == "scalar" and frame.types.shape(target.ty).stored == shape.stored:
                loaded = frame.add(mir.Load(spot.address(frame), shape.stored[0], spot.align)).value
                frame.add(mir.Store(loaded, target.address(frame), target.align))
            else:
                align = min(aligned_for(spot, target.align, shape.size), aligned_for(target, spot.align, shape.size))
                frame.add(mir.Copy(target.address(frame), spot.address(frame), shape.size, align))
        case smir.ConstantOperand(ty, smir.Allocated(memory)):
            check_pointers(frame.importer, ty, memory, frame.span)
            if shape.kind == "memory":
                symbol = frame.importer.globals.constant(memory, frame.span)
                source_address = frame.add(mir.AddressOf(symbol)).addr
                frame.add(mir.Copy(target.address(frame), source_address, shape.size, min(target.align, memory.align)))
            else:
                typed = Spot(target.base, ty, target.offset, target.align)
                typed.store_registers(frame, constant_registers(frame, shape, memory))
        case smir.ConstantOperand():
            pass
        case smir.RuntimeChecks(ty=ty):
            Spot(target.base, ty, target.offset, target.align).store_registers(frame, registers(frame, operand))


def aligned_for(spot: Spot, other: int, size: int) -> int:
    """Return what `spot` is aligned to where `size` bytes are copied to or from memory aligned to `other`.

    Memory of the function's own is aligned as the other is: the lanes of a vector of 16 bytes are then still moved by one instruction.
    """
    wanted = min(other, size & -size)
    if wanted > spot.align and isinstance(own := spot.base.owner, mir.Alloca):
        own.align = max(own.align, wanted)
        return gcd(own.align, spot.offset)
    return spot.align


def spot_of(frame: Frame, operand: smir.Operand) -> Spot:
    """Return memory that holds an operand's value: the place itself, or a temporary for a constant."""
    match operand:
        case smir.CopyOperand(source) | smir.MoveOperand(source):
            return place(frame, source)
        case smir.ConstantOperand(ty) | smir.RuntimeChecks(ty=ty):
            shape = frame.types.shape(ty)
            spot = Spot(frame.temporary(shape.size, shape.align), ty, align=shape.align)
            write(frame, operand, spot)
            return spot
