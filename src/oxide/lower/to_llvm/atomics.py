"""Atomic accesses, with Rust's orderings made real.

    "mir.atomic_update"(%p, %x) {ordering = "acq_rel", operation = "add"}   →   fence release; atomicrmw add monotonic; fence acquire

LLVM 22 drops the ordering of `atomicrmw` on NVPTX, so fences stand around it (PTX ISA, "Memory Consistency Model": a fence and a relaxed
access make a release or acquire pattern); loads, stores and `cmpxchg` keep theirs. Each update is a function, called where it stands and
inlined, that tells a thread's own memory from what threads share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.ir import I1, I64, PTR, Function, Param, Symbol
from oxide.lower.registry import Builder, lowers
from oxide.lower.to_llvm.arithmetic import call_intrinsic, complement

if TYPE_CHECKING:
    from collections.abc import Callable

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
    def atomic(b: Builder, address: Value, operand: Value) -> Value:
        if (before := FENCES_BEFORE.get(op.ordering)) is not None:
            b.add(llvm.Fence(before))
        value = b.add(llvm.AtomicRMW(address, operand, op.operation, op.align)).value
        if (after := FENCES_AFTER.get(op.ordering)) is not None:
            b.add(llvm.Fence(after))
        return value

    name = f"{op.operation}_{op.ordering}"
    return on_any_memory(b, name, op.addr, (op.operand,), op.align, atomic, UPDATES[op.operation])


@lowers(mir.AtomicCompareExchange)
def lower_atomic_compare_exchange(op: mir.AtomicCompareExchange, b: Builder) -> tuple[Value, Value]:
    def atomic(b: Builder, address: Value, expected: Value, new: Value) -> Value:
        made = llvm.CmpXchg(address, expected, new, op.align, ordering_of(op.success), ordering_of(op.failure))
        return b.add(llvm.ExtractValue(b.add(made).value, 0)).value

    def plain(b: Builder, old: Value, expected: Value, new: Value) -> Value:
        return b.add(llvm.Select(b.add(llvm.ICmp(old, expected, "eq")).value, new, old)).value

    name = f"cas_{op.success}_{op.failure}"
    old = on_any_memory(b, name, op.addr, (op.expected, op.new), op.align, atomic, plain)
    # It is never written without reason, so it was written if what was expected was there.
    return old, b.add(llvm.ICmp(old, op.expected, "eq")).value


def smaller(predicate: str) -> Callable[[Builder, Value, Value], Value]:
    """Return what computes the one of two integers for which the comparison holds."""
    return lambda b, old, operand: b.add(llvm.Select(b.add(llvm.ICmp(old, operand, predicate)).value, old, operand)).value


UPDATES: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "xchg": lambda _, __, operand: operand,
    "add": lambda b, old, operand: b.add(llvm.Add(old, operand)).value,
    "sub": lambda b, old, operand: b.add(llvm.Sub(old, operand)).value,
    "and": lambda b, old, operand: b.add(llvm.And(old, operand)).value,
    "nand": lambda b, old, operand: complement(b, b.add(llvm.And(old, operand)).value),
    "or": lambda b, old, operand: b.add(llvm.Or(old, operand)).value,
    "xor": lambda b, old, operand: b.add(llvm.Xor(old, operand)).value,
    "max": smaller("sgt"), "min": smaller("slt"), "umax": smaller("ugt"), "umin": smaller("ult"),
}  # fmt: skip
"""What each update writes, given what was there."""


def on_any_memory(
    b: Builder,
    name: str,
    addr: Value,
    operands: tuple[Value, ...],
    align: int,
    atomic: Callable[..., Value],
    plain: Callable[..., Value],
) -> Value:
    """Return what was at an address before `atomic` changed it, or, in the thread's own memory, a load and a store of what is `plain`.

    No GPU takes `atom` on local memory (PTX ISA, "atom"). Where LLVM sees which memory it is, nothing is left of the question.
    """
    pointers = operands[0].type is PTR
    given = tuple(b.add(llvm.PtrToInt(value, I64)).value for value in operands) if pointers else operands
    ty = given[0].type
    symbol = Symbol(f"oxide$atomic_{name}_{ty}")
    if symbol not in b.helpers:
        params = (Param(PTR), *(Param(value.type) for value in given))
        function = b.helpers[symbol] = Function(symbol, params, ty, inline="always")
        entry, own, shared = (function.add_block() for _ in range(3))
        inner = Builder(b.module, b.options)
        inner.ops = entry.ops
        address, *values = function.arguments
        inner.add(llvm.CondBr(call_intrinsic(inner, "llvm.nvvm.isspacep.local", I1, address), own, shared))
        inner.ops = own.ops
        old = inner.add(llvm.Load(address, ty, align)).value
        inner.add(llvm.Store(plain(inner, old, *values), address, align))
        inner.add(llvm.Return(old))
        inner.ops = shared.ops
        inner.add(llvm.Return(atomic(inner, address, *values)))
    found = b.add(llvm.Call(None, (addr, *given), symbol, ty)).value
    assert found is not None, "what was there is returned"
    return b.add(llvm.IntToPtr(found, PTR)).value if pointers else found


@lowers(mir.Fence)
def lower_fence(op: mir.Fence, b: Builder) -> None:
    b.add(llvm.Fence(op.ordering))
