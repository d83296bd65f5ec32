"""Types whose size is known only at run time: their size and alignment, and where their last field lies.

Of a slice or `str`, the pointer's metadata is the length; of a trait object, its vtable: drop glue, size, alignment, methods. A
struct may end in either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import codes
from oxide.ir import I64
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from oxide.ir import Value
    from oxide.mir_import.frame import Frame

SIZE_SLOT, ALIGN_SLOT = 8, 16
"""Where a vtable has the size and the alignment, in bytes (rustc's `CommonVTableEntries`)."""


def size_and_align(frame: Frame, ty: int, metadata: Value | None) -> tuple[Value, Value]:
    """Return the size and the alignment of a value in bytes, given the metadata of a pointer to it."""
    types = frame.types
    structs = []
    while not types.layout(ty).sized and isinstance(types.kind(ty), smir.Adt | smir.Tuple):
        structs.append(ty)
        ty = types.tail(ty)[0]
    size, align = innermost(frame, ty, metadata)
    for outer in reversed(structs):
        offset, align = place_tail(frame, outer, align)
        align = largest(frame, frame.constant(types.layout(outer).align, I64), align)
        size = round_up(frame, frame.add(mir.Add(offset, size)).value, align)
    return size, align


def innermost(frame: Frame, ty: int, metadata: Value | None) -> tuple[Value, Value]:
    """Return the size and the alignment of a value that does not end in another."""
    types = frame.types
    layout = types.layout(ty)
    if layout.sized:
        return frame.constant(layout.size, I64), frame.constant(layout.align, I64)
    assert metadata is not None, f"a pointer to a {types.name(ty)} has metadata"
    match types.kind(ty):
        case smir.Dynamic():
            return load(frame, metadata, SIZE_SLOT), load(frame, metadata, ALIGN_SLOT)
        case smir.Slice(element):
            stride = frame.constant(types.layout(element).size, I64)
            return frame.add(mir.Mul(metadata, stride)).value, frame.constant(layout.align, I64)
        case smir.Str():
            return metadata, frame.constant(1, I64)
        case _:
            raise Refusal(codes.UNSIZED_VALUE, f"the size of a `{types.name(ty)}` is not available in kernels", frame.span)


def load(frame: Frame, vtable: Value, slot: int) -> Value:
    """Return a number in a vtable."""
    return frame.add(mir.Load(frame.add(mir.Offset(vtable, slot)).addr, I64, 8)).value


def place_tail(frame: Frame, ty: int, align: Value) -> tuple[Value, Value]:
    """Return the offset of a struct's last field, whose own alignment is `align`, and its alignment there."""
    types = frame.types
    last, offset = types.tail(ty)
    if (pack := types.pack(ty)) is not None:
        align = smallest(frame, align, frame.constant(pack, I64))
    start = frame.constant(offset, I64)
    return (round_up(frame, start, align) if offset and types.ends_in_object(last) else start), align


def tail_offset(frame: Frame, ty: int, metadata: Value | None) -> Value:
    """Return the offset of a struct's last field, given the metadata of a pointer to the struct."""
    _, align = size_and_align(frame, frame.types.tail(ty)[0], metadata)
    return place_tail(frame, ty, align)[0]


def round_up(frame: Frame, size: Value, align: Value) -> Value:
    """Return the next multiple of a power of two."""
    less = frame.add(mir.Sub(align, frame.constant(1, I64))).value
    mask = frame.add(mir.Not(less)).value
    return frame.add(mir.And(frame.add(mir.Add(size, less)).value, mask)).value


def largest(frame: Frame, first: Value, second: Value) -> Value:
    """Return the greater of two sizes."""
    return frame.add(mir.Select(frame.add(mir.Compare(first, second, "gt")).value, first, second)).value


def smallest(frame: Frame, first: Value, second: Value) -> Value:
    """Return the lesser of two sizes."""
    return frame.add(mir.Select(frame.add(mir.Compare(first, second, "lt")).value, first, second)).value
