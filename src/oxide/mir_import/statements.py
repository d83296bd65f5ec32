"""Statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.ir import I64
from oxide.mir_import import enums
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.operands import operand_type, registers, scalar
from oxide.mir_import.places import place
from oxide.mir_import.rvalues import assign

if TYPE_CHECKING:
    from oxide.mir_import.frame import Frame


def import_statement(frame: Frame, statement: smir.Statement) -> None:
    """Import one statement into the current block."""
    match statement:
        case smir.Assign(target, rvalue, span):
            frame.at(span)
            assign(frame, place(frame, target), rvalue)
        case smir.StorageLive() | smir.StorageDead():
            pass  # a local's memory lasts as long as the function
        case smir.SetDiscriminant(target, variant, span):
            frame.at(span)
            enums.set_discriminant(frame, place(frame, target), variant)
        case smir.Assume(operand, span):
            frame.at(span)
            frame.add(mir.Assume(scalar(frame, operand)))
        case smir.CopyNonOverlapping(src, dst, count, span):
            frame.at(span)
            copy_elements(frame, src, dst, count, overlapping=False)


def copy_elements(frame: Frame, src: smir.Operand, dst: smir.Operand, count: smir.Operand, *, overlapping: bool) -> None:
    """Copy `count` elements from one pointer to the other."""
    pointee = frame.types.pointee(operand_type(frame, src))
    assert pointee is not None, "elements are copied through pointers"
    layout = frame.types.layout(pointee)
    if layout.size == 0:
        return
    source, target = registers(frame, src)[0], registers(frame, dst)[0]
    size = frame.add(mir.Mul(scalar(frame, count), frame.constant(layout.size, I64))).value
    frame.add(mir.CopyBytes(target, source, size, layout.align, overlapping))
