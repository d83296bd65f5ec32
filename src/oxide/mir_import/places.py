"""Places: the memory that a local and a projection name.

spot = place(frame, p)           # (*_1)[_4].1
spot.address(frame)              # one pointer; constant offsets are added up first
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import codes
from oxide.ir import I1, I64
from oxide.mir_import import dynamic
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.ir import Value
    from oxide.mir_import.frame import Frame


class Spot:
    """Memory `offset` bytes after `base` that holds a `ty`, aligned to at least `align`.

    `metadata` is the length or vtable of an unsized type, `variant` the one that an enum was taken as.
    """

    __slots__ = ("align", "base", "metadata", "offset", "ty", "variant")

    def __init__(
        self, base: Value, ty: int, offset: int = 0, align: int = 1, metadata: Value | None = None, variant: int | None = None
    ) -> None:
        self.base = base
        self.ty = ty
        self.offset = offset
        self.align = align
        self.metadata = metadata
        self.variant = variant

    def address(self, frame: Frame) -> Value:
        """Return the address as one pointer."""
        return frame.add(mir.Offset(self.base, self.offset)).addr if self.offset else self.base

    def at(self, offset: int, ty: int, metadata: Value | None = None) -> Spot:
        """Return a part of this memory."""
        return Spot(self.base, ty, self.offset + offset, gcd(self.align, offset), metadata)

    def load_registers(self, frame: Frame) -> list[Value]:
        """Return the registers of a scalar or a pair."""
        shape = frame.types.shape(self.ty)
        found = []
        for stored, value, offset in zip(shape.stored, shape.registers, (0, shape.offset), strict=False):
            part = self.at(offset, self.ty)
            loaded = frame.add(mir.Load(part.address(frame), stored, part.align)).value
            found.append(frame.add(mir.IntCast(loaded, I1)).value if value is I1 else loaded)
        return found

    def store_registers(self, frame: Frame, values: Sequence[Value]) -> None:
        """Write the registers of a scalar or a pair."""
        shape = frame.types.shape(self.ty)
        for value, stored, offset in zip(values, shape.stored, (0, shape.offset), strict=False):
            part = self.at(offset, self.ty)
            written = frame.add(mir.IntCast(value, stored)).value if value.type is I1 else value
            frame.add(mir.Store(written, part.address(frame), part.align))


def place(frame: Frame, source: smir.Place) -> Spot:
    """Return the memory that a place names."""
    spot = frame.local(source.local)
    for projection in source.projection:
        spot = project(frame, spot, projection)
    return spot


def project(frame: Frame, spot: Spot, projection: smir.Projection) -> Spot:
    """Take one step of a projection."""
    types = frame.types
    match projection:
        case smir.FieldProjection(index, ty):
            offset = types.field_offset(spot.ty, spot.variant, index)
            if types.shape(ty).kind != "unsized":
                return spot.at(offset, ty)
            if not (offset and types.ends_in_object(ty)):
                return spot.at(offset, ty, spot.metadata)
            found = dynamic.tail_offset(frame, spot.ty, spot.metadata)
            return Spot(frame.add(mir.Index(spot.address(frame), found, 1)).addr, ty, 0, 1, spot.metadata)
        case smir.Deref():
            return dereference(frame, spot)
        case smir.Downcast(variant):
            return Spot(spot.base, spot.ty, spot.offset, spot.align, spot.metadata, variant)
        case smir.IndexProjection(local):
            return element(frame, spot, frame.local(local).load_registers(frame)[0])
        case smir.ConstantIndex(offset, from_end):
            if from_end:
                length = slice_length(frame, spot)
                return element(frame, spot, frame.add(mir.Sub(length, frame.constant(offset, I64))).value)
            ty = element_type(frame, spot)
            return spot.at(offset * types.layout(ty).size, ty)
        case smir.Subslice(first, last, from_end):
            return subslice(frame, spot, first, last, from_end)
        case smir.OpaqueCast(ty):
            return Spot(spot.base, ty, spot.offset, spot.align, spot.metadata)


def dereference(frame: Frame, spot: Spot) -> Spot:
    """Return the memory that a pointer at `spot` points to."""
    types = frame.types
    pointee = types.pointee(spot.ty)
    if pointee is None:
        raise Refusal(codes.UNSUPPORTED, f"dereferencing a `{types.name(spot.ty)}` is not supported in kernels", frame.span)
    pointer, *metadata = spot.load_registers(frame)
    return Spot(pointer, pointee, 0, types.layout(pointee).align, metadata[0] if metadata else None)


def element_type(frame: Frame, spot: Spot) -> int:
    """Return the element type of the array or slice at `spot`."""
    ty = frame.types.element(spot.ty)
    assert ty is not None, f"{frame.types.name(spot.ty)} is indexed"
    return ty


def element(frame: Frame, spot: Spot, index: Value) -> Spot:
    """Return element `index` of the array or slice at `spot`."""
    ty = element_type(frame, spot)
    stride = frame.types.layout(ty).size
    address = frame.add(mir.Index(spot.address(frame), index, stride)).addr
    return Spot(address, ty, 0, gcd(spot.align, stride) if stride else spot.align)


def slice_length(frame: Frame, spot: Spot) -> Value:
    """Return the length of the array or slice at `spot`."""
    match frame.types.kind(spot.ty):
        case smir.Array(_, count):
            return frame.constant(count, I64)
        case _:
            assert spot.metadata is not None, f"{frame.types.name(spot.ty)} has no length"
            return spot.metadata


def subslice(frame: Frame, spot: Spot, first: int, last: int, from_end: bool) -> Spot:
    """Return elements `first..last` of the array or slice at `spot`, `last` counted from the end if so said."""
    ty = element_type(frame, spot)
    start = spot.at(first * frame.types.layout(ty).size, spot.ty)
    match frame.types.kind(spot.ty):
        case smir.Array(_, count):
            start.ty = frame.types.array_of(ty, (count - last if from_end else last) - first)
        case _ if from_end:
            start.metadata = frame.add(mir.Sub(slice_length(frame, spot), frame.constant(first + last, I64))).value
        case _:
            start.metadata = frame.constant(last - first, I64)
    return start
