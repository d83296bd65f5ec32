"""Atomic accesses with Rust's orderings and CUDA's scopes.

    "mir.atomic_update"(%p, %x) {ordering = "acq_rel", operation = "add"}   →   fence release; atom.relaxed.sys.add; fence acquire

LLVM 22 drops the ordering of `atomicrmw` on NVPTX, so fences stand around it (PTX ISA, "Memory Consistency Model": a fence and a relaxed
access make a release or acquire pattern), and makes each one of the device: enough for blocks and clusters, and for shared memory; what
the whole system sees is inline PTX. Loads, stores and `cmpxchg` keep ordering and scope. Each update is a function, called where it stands
and inlined, that tells a thread's own memory from what threads share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.dialects.operations import OPERATIONS, SYSTEM_ATOMICS
from oxide.ir import I1, I64, PTR, Function, Param, Symbol
from oxide.lower.registry import Builder, lowers
from oxide.lower.to_llvm.arithmetic import call_intrinsic, complement
from oxide.lower.to_llvm.gpu import call

if TYPE_CHECKING:
    from collections.abc import Callable

    from oxide.ir import Type, Value


def ordering_of(ordering: str) -> str:
    """Return LLVM's name of an ordering."""
    return "monotonic" if ordering == "relaxed" else ordering


@lowers(mir.AtomicLoad)
def lower_atomic_load(op: mir.AtomicLoad, b: Builder) -> Value:
    value = b.add(llvm.Load(op.addr, op.ty, op.align, False, ordering_of(op.ordering), op.scope)).value
    if op.ordering != "relaxed":
        # LLVM takes such a load for one that changes nothing (FunctionAttrs) and that other loads may pass (LoadStoreVectorizer).
        call(b, OPERATIONS["ptx.compiler.fence"], ())
    return value


@lowers(mir.AtomicStore)
def lower_atomic_store(op: mir.AtomicStore, b: Builder) -> None:
    b.add(llvm.Store(op.value, op.addr, op.align, False, ordering_of(op.ordering), op.scope))


FENCES_BEFORE = {"release": "release", "acq_rel": "release", "seq_cst": "seq_cst"}
FENCES_AFTER = {"acquire": "acquire", "acq_rel": "acquire", "seq_cst": "seq_cst"}


@lowers(mir.AtomicUpdate)
def lower_atomic_update(op: mir.AtomicUpdate, b: Builder) -> Value:
    def atomic(b: Builder, address: Value, operand: Value) -> Value:
        if (before := FENCES_BEFORE.get(op.ordering)) is not None:
            b.add(llvm.Fence(before, op.scope))
        value = relaxed(b, address, operand, op)
        if (after := FENCES_AFTER.get(op.ordering)) is not None:
            b.add(llvm.Fence(after, op.scope))
        return value

    name = "_".join(filter(None, (op.operation, op.ordering, op.scope)))
    return on_any_memory(b, name, op.addr, (op.operand,), op.align, atomic, UPDATES[op.operation])


def relaxed(b: Builder, address: Value, operand: Value, op: mir.AtomicUpdate) -> Value:
    """Return what was at an address before the update."""
    row = None if op.scope else SYSTEM_ATOMICS.get((op.operation, operand.type))
    if row is None:
        # A narrow one becomes a loop of `cmpxchg`, which is the system's by itself.
        return b.add(llvm.AtomicRMW(address, operand, op.operation, op.align)).value
    function, (at, given), inner = helper(b, f"system_{op.operation}_{operand.type}", (PTR, operand.type), operand.type)
    if inner is not None:
        shared, elsewhere = function.add_block(), function.add_block()
        inner.add(llvm.CondBr(call_intrinsic(inner, "llvm.nvvm.isspacep.shared", I1, at), shared, elsewhere))
        inner.ops = shared.ops
        inner.add(llvm.Return(inner.add(llvm.AtomicRMW(at, given, op.operation, op.align)).value))
        inner.ops = elsewhere.ops
        inner.add(llvm.Return(call(inner, row, (at, given))))
    value = b.add(llvm.Call(None, (address, operand), function.symbol, operand.type)).value
    assert value is not None, "what was there is returned"
    return value


@lowers(mir.AtomicCompareExchange)
def lower_atomic_compare_exchange(op: mir.AtomicCompareExchange, b: Builder) -> tuple[Value, Value]:
    def atomic(b: Builder, address: Value, expected: Value, new: Value) -> Value:
        made = llvm.CmpXchg(address, expected, new, op.align, ordering_of(op.success), ordering_of(op.failure), op.scope)
        return b.add(llvm.ExtractValue(b.add(made).value, 0)).value

    def plain(b: Builder, old: Value, expected: Value, new: Value) -> Value:
        return b.add(llvm.Select(b.add(llvm.ICmp(old, expected, "eq")).value, new, old)).value

    name = "_".join(filter(None, ("cas", op.success, op.failure, op.scope)))
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
    "fadd": lambda b, old, operand: b.add(llvm.FAdd(old, operand)).value,
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
    function, (address, *values), inner = helper(b, f"{name}_{ty}", (PTR, *(value.type for value in given)), ty)
    if inner is not None:
        own, shared = function.add_block(), function.add_block()
        inner.add(llvm.CondBr(call_intrinsic(inner, "llvm.nvvm.isspacep.local", I1, address), own, shared))
        inner.ops = own.ops
        old = inner.add(llvm.Load(address, ty, align)).value
        inner.add(llvm.Store(plain(inner, old, *values), address, align))
        inner.add(llvm.Return(old))
        inner.ops = shared.ops
        inner.add(llvm.Return(atomic(inner, address, *values)))
    found = b.add(llvm.Call(None, (addr, *given), function.symbol, ty)).value
    assert found is not None, "what was there is returned"
    return b.add(llvm.IntToPtr(found, PTR)).value if pointers else found


def helper(b: Builder, name: str, params: tuple[Type, ...], result: Type) -> tuple[Function, tuple[Value, ...], Builder | None]:
    """Return a function of the module, its arguments and, the first time, what builds it."""
    symbol = Symbol(f"oxide$atomic_{name}")
    if (known := b.helpers.get(symbol)) is not None:
        return known, known.arguments, None
    function = b.helpers[symbol] = Function(symbol, tuple(map(Param, params)), result, inline="always")
    inner = Builder(b.module, b.options)
    inner.helpers = b.helpers
    inner.ops = function.add_block().ops
    return function, function.arguments, inner


@lowers(mir.Fence)
def lower_fence(op: mir.Fence, b: Builder) -> None:
    b.add(llvm.Fence(op.ordering, op.scope))
