"""Coercions to pointers to unsized types: what `&[T; N]` as `&[T]` and `&T` as `&dyn Trait` add."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from oxide.dialects import mir
from oxide.ir import I64, PTR
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.operands import spot_of

if TYPE_CHECKING:
    from oxide.ir import Value
    from oxide.mir_import.frame import Frame
    from oxide.mir_import.places import Spot

    Metadata: TypeAlias = smir.Length | smir.VTable | smir.Upcast | None


def unsize(frame: Frame, target: Spot, operand: smir.Operand, metadata: Metadata) -> None:
    """Write a pointer, or a struct that holds one, with the metadata that its new type needs."""
    coerce(frame, spot_of(frame, operand), target, metadata)


def coerce(frame: Frame, source: Spot, target: Spot, metadata: Metadata) -> None:
    """Write the coerced pointer of `source` to `target`; of a struct, every field, the one that differs coerced."""
    types = frame.types
    while types.pointee(target.ty) is None:
        inner = None
        for index, (from_ty, to_ty) in enumerate(zip(types.parts(source.ty), types.parts(target.ty), strict=True)):
            size = types.layout(to_ty).size
            from_field = source.at(types.field_offset(source.ty, None, index), from_ty)
            to_field = target.at(types.field_offset(target.ty, None, index), to_ty)
            if size and from_ty == to_ty:
                align = min(from_field.align, to_field.align)
                frame.add(mir.Copy(to_field.address(frame), from_field.address(frame), size, align))
            elif size:
                inner = from_field, to_field
        assert inner is not None, f"a {types.name(source.ty)} holds what is coerced"
        source, target = inner
    pointer, *old = source.load_registers(frame)
    target.store_registers(frame, [pointer, new_metadata(frame, old, metadata)])


def new_metadata(frame: Frame, old: list[Value], metadata: Metadata) -> Value:
    """Return the metadata of a coerced pointer that had `old`."""
    match metadata:
        case smir.Length(count):
            return frame.constant(count, I64)
        case smir.VTable(allocation):
            return frame.add(mir.AddressOf(frame.importer.globals.allocation(allocation, frame.span))).addr
        case smir.Upcast(slot):
            return frame.add(mir.Load(frame.add(mir.Offset(old[0], 8 * slot)).addr, PTR, 8)).value
        case None:
            return old[0]
