"""Pointers and what they point to: distances, copies, volatile accesses, comparisons of bytes, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.ir import I1, I8, I32, I64, PTR, Int
from oxide.mir_import import dynamic
from oxide.mir_import.intrinsics.registry import Call, intrinsic, pointee
from oxide.mir_import.operands import registers, spot_of
from oxide.mir_import.statements import copy_elements

if TYPE_CHECKING:
    from oxide.ir import Value
    from oxide.mir_import.frame import Frame


@intrinsic("ptr_offset_from", "ptr_offset_from_unsigned")
def pointer_distance(call: Call) -> None:
    """Return the distance in elements."""
    frame = call.frame
    size = frame.types.layout(call.type_arg()).size
    if size == 0:
        raise call.refuse("on pointers to zero-sized values is not supported in kernels")
    first, second = (frame.add(mir.Bitcast(call.arg(index), I64)).value for index in (0, 1))
    distance = frame.add(mir.Sub(first, second)).value
    call.store(frame.add(mir.Div(distance, frame.constant(size, I64), call.name == "ptr_offset_from")).value)


@intrinsic("arith_offset", "offset")
def pointer_offset(call: Call) -> None:
    """Move a pointer by elements; `arith_offset` may leave its object."""
    size = call.frame.types.layout(call.type_arg() if call.name == "arith_offset" else pointee(call, 0)).size
    call.store(call.frame.add(mir.Index(call.arg(0), call.arg(1), size, call.name == "arith_offset")).addr)


@intrinsic("ptr_mask")
def mask_pointer(call: Call) -> None:
    """Clear bits of an address."""
    frame = call.frame
    masked = frame.add(mir.And(frame.add(mir.Bitcast(call.arg(0), I64)).value, call.arg(1))).value
    call.store(frame.add(mir.Bitcast(masked, PTR)).value)


@intrinsic("copy", "copy_nonoverlapping")
def copy_memory(call: Call) -> None:
    """Copy elements."""
    copy_elements(call.frame, call.args[0], call.args[1], call.args[2], overlapping=call.name == "copy")


@intrinsic("write_bytes")
def write_bytes(call: Call) -> None:
    """Set elements to a byte."""
    frame = call.frame
    layout = frame.types.layout(pointee(call, 0))
    if layout.size:
        size = frame.add(mir.Mul(call.arg(2), frame.constant(layout.size, I64))).value
        frame.add(mir.SetBytes(call.arg(0), call.arg(1), size, layout.align))


@intrinsic("volatile_load", "unaligned_volatile_load")
def volatile_load(call: Call) -> None:
    """Read a value, once and for all to see."""
    frame, target = call.frame, call.target
    shape = frame.types.shape(target.ty)
    align = 1 if call.name.startswith("unaligned") else shape.align
    if shape.kind == "scalar":
        loaded = frame.add(mir.Load(call.arg(0), shape.stored[0], align, True)).value
        call.store(frame.add(mir.IntCast(loaded, I1)).value if shape.registers[0] is I1 else loaded)
    elif shape.size:
        frame.add(mir.Copy(target.address(frame), call.arg(0), shape.size, min(align, target.align), True))


@intrinsic("volatile_store", "unaligned_volatile_store")
def volatile_store(call: Call) -> None:
    """Write a value, once and for all to see."""
    frame = call.frame
    shape = frame.types.shape(call.arg_type(1))
    align = 1 if call.name.startswith("unaligned") else shape.align
    if shape.kind == "scalar":
        value = call.arg(1)
        stored = frame.add(mir.IntCast(value, shape.stored[0])).value if value.type is I1 else value
        frame.add(mir.Store(stored, call.arg(0), align, True))
    elif shape.size:
        source = spot_of(frame, call.args[1])
        frame.add(mir.Copy(call.arg(0), source.address(frame), shape.size, min(align, source.align), True))


@intrinsic("size_of_val", "align_of_val")
def size_of_value(call: Call) -> None:
    """Return the size or alignment of what a pointer points to."""
    _, *metadata = registers(call.frame, call.args[0])
    size, align = dynamic.size_and_align(call.frame, pointee(call, 0), metadata[0] if metadata else None)
    call.store(size if call.name == "size_of_val" else align)


@intrinsic("compare_bytes")
def compare_bytes(call: Call) -> None:
    """Compare two pieces of memory as `memcmp` does: less than, equal to or greater than 0."""
    call.store(difference(call.frame, call.arg(0), call.arg(1), call.arg(2)))


@intrinsic("raw_eq")
def raw_eq(call: Call) -> None:
    """Return whether the values behind two references have the same bytes; their type has no padding."""
    frame = call.frame
    layout = frame.types.layout(call.type_arg())
    left, right = call.arg(0), call.arg(1)
    if layout.size in (1, 2, 4, 8, 16):
        left, right = (frame.add(mir.Load(address, Int(8 * layout.size), layout.align)).value for address in (left, right))
        call.store(frame.add(mir.Compare(left, right, "eq")).value)
        return
    found = difference(frame, left, right, frame.constant(layout.size, I64))
    call.store(frame.add(mir.Compare(found, frame.constant(0, I32), "eq")).value)


def difference(frame: Frame, left: Value, right: Value, count: Value) -> Value:
    """Return the difference of the first two bytes that differ among `count`, as an `i32`, or 0. The frame goes on in a new block."""
    index, found = frame.temporary(8, 8), frame.temporary(4, 4)
    frame.add(mir.Store(frame.constant(0, I64), index, 8))
    frame.add(mir.Store(frame.constant(0, I32), found, 4))
    head, body, after = (frame.function.add_block() for _ in range(3))
    frame.add(mir.Goto(head))
    frame.ops = head.ops
    here = frame.add(mir.Load(index, I64, 8)).value
    frame.add(mir.Switch(frame.add(mir.Compare(here, count, "lt")).value, (body, after), (0,)))
    frame.ops = body.ops
    bytes_here = (frame.add(mir.Load(frame.add(mir.Index(base, here, 1)).addr, I8, 1)).value for base in (left, right))
    first, second = (frame.add(mir.IntCast(byte, I32)).value for byte in bytes_here)
    differs = frame.add(mir.Sub(first, second)).value
    frame.add(mir.Store(differs, found, 4))
    frame.add(mir.Store(frame.add(mir.Add(here, frame.constant(1, I64))).value, index, 8))
    frame.add(mir.Switch(differs, (after, head), (0,)))
    frame.ops = after.ops
    return frame.add(mir.Load(found, I32, 4)).value
