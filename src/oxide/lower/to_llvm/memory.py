"""Memory and addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.ir import I8, I64, I128, PTR, Array
from oxide.lower.registry import Builder, lowers
from oxide.lower.to_llvm.arithmetic import constant
from oxide.lower.to_llvm.casts import int_cast

if TYPE_CHECKING:
    from oxide.ir import Value


@lowers(mir.Alloca)
def lower_alloca(op: mir.Alloca, b: Builder) -> Value:
    one = b.add_to_entry(llvm.Constant(1, I64)).value
    return b.add_to_entry(llvm.Alloca(one, Array(op.size, I8), op.align)).value


@lowers(mir.Load)
def lower_load(op: mir.Load, b: Builder) -> Value:
    return b.add(llvm.Load(op.addr, op.ty, op.align, op.volatile)).value


@lowers(mir.Store)
def lower_store(op: mir.Store, b: Builder) -> None:
    b.add(llvm.Store(op.value, op.addr, op.align, op.volatile))


VECTOR_BYTES = 16
"""Bytes of the widest access of a thread (PTX ISA, "Vectors")."""

MOST_VECTORS = 4
"""How many of them a copy is made of before it is left to LLVM."""


@lowers(mir.Copy)
def lower_copy(op: mir.Copy, b: Builder) -> None:
    if op.align >= VECTOR_BYTES and op.size in range(VECTOR_BYTES, (MOST_VECTORS + 1) * VECTOR_BYTES, VECTOR_BYTES) and not op.volatile:
        copy_vectors(op, b)
        return
    b.add(llvm.MemCpy(op.dst, op.src, constant(b, op.size, I64), op.align, op.volatile))


def copy_vectors(op: mir.Copy, b: Builder) -> None:
    """Move what is aligned as vectors are in registers of 16 bytes: LLVM leaves a `memcpy` of that size between a local and memory."""
    for offset in range(0, op.size, VECTOR_BYTES):
        source, target = (b.add(llvm.GetElementPtr(base, None, I8, offset, True)).value if offset else base for base in (op.src, op.dst))
        b.add(llvm.Store(b.add(llvm.Load(source, I128, VECTOR_BYTES)).value, target, VECTOR_BYTES))


@lowers(mir.CopyBytes)
def lower_copy_bytes(op: mir.CopyBytes, b: Builder) -> None:
    b.add((llvm.MemMove if op.overlapping else llvm.MemCpy)(op.dst, op.src, op.count, op.align))


@lowers(mir.SetBytes)
def lower_set_bytes(op: mir.SetBytes, b: Builder) -> None:
    b.add(llvm.MemSet(op.dst, op.byte, op.count, op.align))


@lowers(mir.Offset)
def lower_offset(op: mir.Offset, b: Builder) -> Value:
    return b.add(llvm.GetElementPtr(op.base, None, I8, op.bytes, True)).value


@lowers(mir.Index)
def lower_index(op: mir.Index, b: Builder) -> Value:
    index = int_cast(b, op.index, I64, True)
    return b.add(llvm.GetElementPtr(op.base, index, Array(op.stride, I8), 0, not op.wrapping)).value


@lowers(mir.AddressOf)
def lower_address_of(op: mir.AddressOf, b: Builder) -> Value:
    target = b.module.globals.get(op.symbol)
    space = 0 if target is None else target.space
    address = b.add(llvm.AddressOf(op.symbol, space)).value
    return b.add(llvm.AddrSpaceCast(address, PTR)).value if space else address
