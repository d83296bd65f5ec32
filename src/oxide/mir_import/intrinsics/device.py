"""Functions of crate `cuda_device` whose meaning is the compiler's and that are generic, or say something of the kernel.

Those that the table of operations has are called like any function until `to_nvvm`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide import codes
from oxide.dialects import mir
from oxide.dialects.rules import SCOPES
from oxide.ir import SHARED_SPACE, FloatType, Global, Int, Symbol
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.intrinsics.atomics import atomic_type
from oxide.mir_import.intrinsics.registry import Call
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from oxide.mir_import.functions import Frame

DEVICE_HANDLERS: dict[str, Callable[[Call], None]] = {}
"""Which function imports which function of `cuda_device`, by path."""


def device(*paths: str) -> Callable[[Callable[[Call], None]], Callable[[Call], None]]:
    """Register the decorated function for these functions."""

    def register(handler: Callable[[Call], None]) -> Callable[[Call], None]:
        for path in paths:
            if path in DEVICE_HANDLERS:
                raise TypeError(f"{path} has two handlers")
            DEVICE_HANDLERS[path] = handler
        return handler

    return register


def import_device_function(frame: Frame, source: smir.Function, call: smir.Call) -> bool:
    """Import a call of a function of `cuda_device`; False if it is to be called as a function."""
    handler = DEVICE_HANDLERS.get(source.path) if source.crate == "cuda_device" else None
    if handler is None:
        return False
    handler(Call(frame, source, call))
    return True


def numbers(call: Call) -> list[int]:
    """Return the constants that a function is generic over."""
    return [int(arg.value) for arg in call.source.generic_args if isinstance(arg, smir.ConstArg) and arg.value is not None]


ATOMIC_SCOPES = ("block", "device", "")
"""The scopes of `cuda_device::atomic`, as its numbers."""

ATOMIC_UPDATES = ("xchg", "add", "sub", "and", "or", "xor", "min", "max")
"""The updates of `cuda_device::atomic`, as its numbers, by LLVM's names of signed ones."""

assert set(ATOMIC_SCOPES) < set(SCOPES)


@device("atomic::operation::load")
def atomic_load(call: Call) -> None:
    """Read in one piece."""
    shape, (scope, order) = atomic_type(call), numbers(call)
    op = mir.AtomicLoad(call.arg(0), shape.stored[0], shape.size, mir.ORDERINGS[order], ATOMIC_SCOPES[scope])
    call.store(call.frame.add(op).value)


@device("atomic::operation::store")
def atomic_store(call: Call) -> None:
    """Write in one piece."""
    shape, (scope, order) = atomic_type(call), numbers(call)
    call.frame.add(mir.AtomicStore(call.arg(1), call.arg(0), shape.size, mir.ORDERINGS[order], ATOMIC_SCOPES[scope]))


@device("atomic::operation::update")
def atomic_update(call: Call) -> None:
    """Read, compute and write in one piece; a float is exchanged by its bits."""
    frame, shape, (number, scope, order) = call.frame, atomic_type(call), numbers(call)
    operand, operation = call.arg(1), ATOMIC_UPDATES[number]
    ty = operand.type
    if isinstance(ty, FloatType) and operation == "xchg":
        operand = frame.add(mir.Bitcast(operand, Int(ty.width))).value
    elif isinstance(ty, FloatType):
        operation = f"f{operation}"
    elif operation in ("min", "max") and not is_signed(call):
        operation = f"u{operation}"
    op = mir.AtomicUpdate(call.arg(0), operand, operation, shape.size, mir.ORDERINGS[order], ATOMIC_SCOPES[scope])
    old = frame.add(op).value
    call.store(old if old.type is ty else frame.add(mir.Bitcast(old, ty)).value)


def is_signed(call: Call) -> bool:
    """Return whether the integers that a function is generic over have a sign."""
    kind = call.frame.types.kind(call.type_arg())
    return isinstance(kind, smir.Int) and kind.signed


@device("atomic::operation::compare_exchange")
def atomic_compare_exchange(call: Call) -> None:
    """Write if the expected value is there; the result is what was there."""
    shape, (scope, success, failure) = atomic_type(call), numbers(call)
    orders = (mir.ORDERINGS[success], mir.ORDERINGS[failure])
    op = mir.AtomicCompareExchange(call.arg(0), call.arg(1), call.arg(2), shape.size, *orders, ATOMIC_SCOPES[scope])
    call.store(call.frame.add(op).value)


@device("debug::trap")
def trap(call: Call) -> None:
    """End the launch."""
    call.frame.add(mir.Panic("trapped"))


DYNAMIC_SHARED = Symbol("oxide$dynamic_shared")
"""The memory behind a block's shared variables, as large as the launch says."""


@device("shared::dynamic_shared")
def dynamic_shared(call: Call) -> None:
    """Return the address of the dynamic shared memory, aligned as its one generic number says or better."""
    (align,) = numbers(call)
    reserve_dynamic_shared(call.frame, align)
    call.store(call.frame.add(mir.AddressOf(DYNAMIC_SHARED)).addr)


def reserve_dynamic_shared(frame: Frame, align: int) -> None:
    """Make the dynamic shared memory a global of the module, of the largest alignment asked for."""
    known = frame.importer.module.globals.get(DYNAMIC_SHARED)
    if known is None:
        frame.importer.module.add(Global(DYNAMIC_SHARED, 0, align, SHARED_SPACE, False, None, outside=True))
    else:
        known.align = max(known.align, align)


LAUNCH_MARKERS = {
    "kernel::launch_bounds": ("maxntid", "minctasm"),
    "kernel::required_block": ("reqntid", "reqntid", "reqntid"),
    "kernel::cluster": ("cluster_dim", "cluster_dim", "cluster_dim"),
}
"""What the attributes of a kernel leave at the head of its body, with the fact that each argument is part of."""


@device(*LAUNCH_MARKERS)
def launch_marker(call: Call) -> None:
    """Keep what an attribute says of the kernel's launches; 0 in the place of a bound says nothing."""
    frame = call.frame
    if not frame.function.kernel or frame.is_inlined:
        # The kernel is called like any function here, and nothing is launched.
        return
    facts: dict[str, tuple[int, ...]] = {}
    for fact, operand in zip(LAUNCH_MARKERS[call.source.path], call.args, strict=True):
        facts[fact] = (*facts.get(fact, ()), constant_of(call, operand))
    frame.function.launch |= {fact: given for fact, given in facts.items() if any(given)}


@device("kernel::dynamic_shared_alignment")
def dynamic_shared_alignment(call: Call) -> None:
    """Align the dynamic shared memory as a launch contract says."""
    if call.frame.function.kernel and not call.frame.is_inlined:
        reserve_dynamic_shared(call.frame, constant_of(call, call.args[0]))


def constant_of(call: Call, operand: smir.Operand) -> int:
    """Return an argument that is a constant of 32 bits."""
    match operand:
        case smir.ConstantOperand(value=smir.Allocated(memory)):
            return int.from_bytes(bytes.fromhex(memory.bytes), "little")
        case _:
            raise Refusal(codes.UNSUPPORTED, f"`{call.source.path}` is for the attributes of kernels", call.frame.span)
