"""Atomics, of at most 64 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.mir_import.intrinsics.registry import Call, intrinsic

if TYPE_CHECKING:
    from oxide.mir_import.layouts import Shape


UPDATES = {
    "atomic_xchg": "xchg", "atomic_xadd": "add", "atomic_xsub": "sub", "atomic_and": "and", "atomic_nand": "nand", "atomic_or": "or",
    "atomic_xor": "xor", "atomic_max": "max", "atomic_min": "min", "atomic_umax": "umax", "atomic_umin": "umin",
}  # fmt: skip


def orderings(call: Call) -> list[str]:
    """Return the memory orderings that a call is generic over."""
    return [mir.ORDERINGS[number] for number in call.const_args()]


LARGEST_ATOMIC = 8
"""Bytes that a GPU accesses in one piece."""


def atomic_type(call: Call) -> Shape:
    """Return the shape of what is accessed; refuse what no GPU accesses in one piece."""
    shape = call.frame.types.shape(call.type_arg())
    if shape.kind != "scalar" or shape.size > LARGEST_ATOMIC:
        raise call.refuse(
            f"of a `{call.frame.types.name(call.type_arg())}` is not supported in kernels", "at most 64 bits are accessed at once"
        )
    return shape


@intrinsic("atomic_load")
def atomic_load(call: Call) -> None:
    """Read in one piece."""
    shape, (ordering,) = atomic_type(call), orderings(call)
    call.store(call.frame.add(mir.AtomicLoad(call.arg(0), shape.stored[0], shape.size, ordering)).value)


@intrinsic("atomic_store")
def atomic_store(call: Call) -> None:
    """Write in one piece."""
    shape, (ordering,) = atomic_type(call), orderings(call)
    call.frame.add(mir.AtomicStore(call.arg(1), call.arg(0), shape.size, ordering))


@intrinsic(*UPDATES)
def atomic_update(call: Call) -> None:
    """Read, compute and write in one piece."""
    shape, (ordering,) = atomic_type(call), orderings(call)
    operand = call.arg(1)
    if operand.type is not shape.stored[0]:
        # `AtomicPtr` adds integers to pointers.
        operand = call.frame.add(mir.Bitcast(operand, shape.stored[0])).value
    call.store(call.frame.add(mir.AtomicUpdate(call.arg(0), operand, UPDATES[call.name], shape.size, ordering)).value)


@intrinsic("atomic_cxchg", "atomic_cxchgweak")
def atomic_compare_exchange(call: Call) -> None:
    """Write if the expected value is there; the weak form does not fail without reason here."""
    shape, (success, failure) = atomic_type(call), orderings(call)
    op = call.frame.add(mir.AtomicCompareExchange(call.arg(0), call.arg(1), call.arg(2), shape.size, success, failure))
    call.store_pair(op.value, op.written)


@intrinsic("atomic_fence")
def atomic_fence(call: Call) -> None:
    """Order memory accesses."""
    (ordering,) = orderings(call)
    call.frame.add(mir.Fence(ordering))
