"""Atomic accesses, with Rust's orderings made real.

    "mir.atomic_update"(%p, %x) {ordering = "acq_rel", operation = "add"}   →   fence release; atomicrmw add monotonic; fence acquire

LLVM 22 drops the ordering of `atomicrmw` on NVPTX, so fences stand around it (PTX ISA, "Memory Consistency Model": a fence and a relaxed
access make a release or acquire pattern); loads, stores and `cmpxchg` keep theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.ir import I64, PTR
from oxide.lower.registry import Builder, lowers

if TYPE_CHECKING:
    from oxide.ir import Value


def ordering_of(ordering: str) -> str:
    """Return LLVM's name of an ordering."""
    return "monotonic" if ordering == "relaxed" else ordering


@lowers(mir.AtomicLoad)
def lower_atomic_load(op: mir.AtomicLoad, b: Builder) -> Value:
    return b.add(llvm.Load(op.addr, op.ty, op.align, False, ordering_of(op.ordering))).value


@lowers(mir.AtomicStore)
def lower_atomic_store(op: mir.AtomicStore, b: Builder) -> None:
    b.add(llvm.Store(op.value, op.addr, op.align, False, ordering_of(op.ordering)))


FENCES_BEFORE = {"release": "release", "acq_rel": "release", "seq_cst": "seq_cst"}
FENCES_AFTER = {"acquire": "acquire", "acq_rel": "acquire", "seq_cst": "seq_cst"}


@lowers(mir.AtomicUpdate)
def lower_atomic_update(op: mir.AtomicUpdate, b: Builder) -> Value:
    if (before := FENCES_BEFORE.get(op.ordering)) is not None:
        b.add(llvm.Fence(before))
    pointer = op.operand.type is PTR
    operand = b.add(llvm.PtrToInt(op.operand, I64)).value if pointer else op.operand
    value = b.add(llvm.AtomicRMW(op.addr, operand, op.operation, op.align)).value
    if (after := FENCES_AFTER.get(op.ordering)) is not None:
        b.add(llvm.Fence(after))
    return b.add(llvm.IntToPtr(value, PTR)).value if pointer else value


@lowers(mir.AtomicCompareExchange)
def lower_atomic_compare_exchange(op: mir.AtomicCompareExchange, b: Builder) -> tuple[Value, Value]:
    made = llvm.CmpXchg(op.addr, op.expected, op.new, op.align, ordering_of(op.success), ordering_of(op.failure))
    pair = b.add(made).value
    return b.add(llvm.ExtractValue(pair, 0)).value, b.add(llvm.ExtractValue(pair, 1)).value


@lowers(mir.Fence)
def lower_fence(op: mir.Fence, b: Builder) -> None:
    b.add(llvm.Fence(op.ordering))
