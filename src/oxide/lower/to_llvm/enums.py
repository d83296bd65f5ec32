"""Discriminants: rustc's tags and niches in LLVM's integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.ir import I8, I64, IntType, PointerType
from oxide.lower.registry import Builder, lowers
from oxide.lower.to_llvm.arithmetic import constant
from oxide.lower.to_llvm.casts import int_cast

if TYPE_CHECKING:
    from oxide.ir import Value


def tag_address(op: mir.EnumOp, b: Builder) -> Value:
    """Return the address of the tag."""
    if not op.tag_offset:
        return op.addr
    return b.add(llvm.GetElementPtr(op.addr, None, I8, op.tag_offset, True)).value


@lowers(mir.Discriminant)
def lower_discriminant(op: mir.Discriminant, b: Builder) -> Value:
    tag = b.add(llvm.Load(tag_address(op, b), op.tag_type, op.align)).value
    if isinstance(tag.type, PointerType):
        tag = b.add(llvm.PtrToInt(tag, I64)).value
    if not op.niche:
        return int_cast(b, tag, op.ty, op.signed)
    untagged, first, last, start = op.niche
    ty = tag.type
    assert isinstance(ty, IntType), "tags are integers"
    mask = (1 << ty.width) - 1
    relative = b.add(llvm.Sub(tag, constant(b, start & mask, ty))).value
    tagged = b.add(llvm.ICmp(relative, constant(b, last - first, ty), "ule")).value
    variant = b.add(llvm.Add(int_cast(b, relative, op.ty, False), constant(b, first, op.ty))).value
    return b.add(llvm.Select(tagged, variant, constant(b, untagged, op.ty))).value


@lowers(mir.SetDiscriminant)
def lower_set_discriminant(op: mir.SetDiscriminant, b: Builder) -> None:
    ty = I64 if isinstance(op.tag_type, PointerType) else op.tag_type
    assert isinstance(ty, IntType), "tags are integers"
    number = op.discriminant
    if op.niche:
        _, first, _, start = op.niche
        number = op.variant - first + start
    tag = constant(b, number & (1 << ty.width) - 1, ty)
    if isinstance(op.tag_type, PointerType):
        tag = b.add(llvm.IntToPtr(tag, op.tag_type)).value
    b.add(llvm.Store(tag, tag_address(op, b), op.align))
