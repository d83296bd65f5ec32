"""Terminators: how a block ends, calls among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import codes
from oxide.ir import I64, PTR
from oxide.mir_import import assembly, intrinsics
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.functions import calling_convention
from oxide.mir_import.operands import operand_type, place_type, registers, scalar, spot_of
from oxide.mir_import.places import Spot, place
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from oxide.ir import Value
    from oxide.mir_import.frame import Frame
    from oxide.mir_import.functions import CallingConvention

ASSERTIONS = {
    "BoundsCheck": "index out of bounds",
    "OverflowNeg": "attempt to negate with overflow",
    "OverflowAdd": "attempt to add with overflow",
    "OverflowSub": "attempt to subtract with overflow",
    "OverflowMul": "attempt to multiply with overflow",
    "OverflowDiv": "attempt to divide with overflow",
    "OverflowRem": "attempt to calculate the remainder with overflow",
    "OverflowShl": "attempt to shift left with overflow",
    "OverflowShr": "attempt to shift right with overflow",
    "DivisionByZero": "attempt to divide by zero",
    "RemainderByZero": "attempt to calculate the remainder with a divisor of zero",
    "MisalignedPointerDereference": "misaligned pointer dereference",
    "NullPointerDereference": "null pointer dereference",
    "InvalidEnumConstruction": "trying to construct an enum from an invalid value",
}
"""Rust's messages for assertions of MIR that fail, without the numbers."""

PANICS = {
    "std::option::unwrap_failed": "called `Option::unwrap()` on a `None` value",
    "std::result::unwrap_failed": "a `Result` is not the variant that was expected",
    "core::slice::index::slice_index_fail": "range out of bounds of a slice",
}
"""The messages of functions of `core` that only panic, without the values."""

OVERFLOW_CHECKS = frozenset({"OverflowNeg", "OverflowAdd", "OverflowSub", "OverflowMul", "OverflowShl", "OverflowShr"})
"""Assertions that hold only where the profile asks for overflow checks: functions of `core` inherit them from the crate that calls."""


def import_terminator(frame: Frame, terminator: smir.Terminator) -> None:
    """Import one terminator into the current block."""
    match terminator:
        case smir.Goto(target):
            frame.add(mir.Goto(frame.block(target)))
        case smir.SwitchInt(operand, cases, otherwise):
            value = scalar(frame, operand)
            targets = (frame.block(otherwise), *(frame.block(target) for _, target in cases))
            frame.add(mir.Switch(value, targets, tuple(int(case) for case, _ in cases)))
        case smir.Return():
            import_return(frame)
        case smir.Unreachable():
            frame.add(mir.Unreachable())
        case smir.Abort():
            frame.add(mir.Panic("aborted"))
        case smir.Panic(function, message):
            frame.add(mir.Panic(message or PANICS.get(function) or f"panicked in {function}"))
        case smir.Assert(operand, expected, check, _, target):
            message = ASSERTIONS.get(check)
            if message is None:
                raise Refusal(codes.UNSUPPORTED, f"the check `{check}` is not supported in kernels", terminator.span)
            if is_asked_for(frame, check):
                frame.add(mir.Assert(scalar(frame, operand), frame.block(target), expected, message))
            else:
                frame.add(mir.Goto(frame.block(target)))
        case smir.Drop(target_place, callee, target):
            import_drop(frame, target_place, callee)
            frame.add(mir.Goto(frame.block(target)))
        case smir.Call():
            import_call(frame, terminator)
        case smir.InlineAsm():
            assembly.import_assembly(frame, terminator)


def is_asked_for(frame: Frame, check: str) -> bool:
    """Return whether an assertion is checked: neither the profile nor the kernel whose body it is in disables it."""
    if check in OVERFLOW_CHECKS:
        return frame.importer.dump.profile.overflow_checks
    return check != "BoundsCheck" or frame.scope not in frame.unchecked


def import_return(frame: Frame) -> None:
    """Return the value of local 0, or write it where the caller wants it."""
    source = frame.local_type(0)
    shape = frame.types.shape(source)
    match shape.kind:
        case "none" | "unsized":
            frame.add(mir.Return(None))
        case "scalar":
            frame.add(mir.Return(frame.local(0).load_registers(frame)[0]))
        case "pair" | "memory":
            assert frame.result_pointer is not None, "a result in memory has a pointer"
            spot = frame.local(0)
            frame.add(mir.Copy(frame.result_pointer, spot.address(frame), shape.size, shape.align))
            frame.add(mir.Return(None))


def import_drop(frame: Frame, target: smir.Place, callee: smir.Callee) -> None:
    """Call the drop glue of a place."""
    if isinstance(callee, smir.NoCallee):
        return
    spot = place(frame, target)
    if isinstance(frame.types.kind(spot.ty), smir.Dynamic):
        drop_object(frame, spot)
        return
    if not isinstance(callee, smir.DirectCallee):
        raise Refusal(codes.UNSUPPORTED, f"dropping a `{frame.types.name(spot.ty)}` is not supported in kernels", frame.span)
    symbol = frame.importer.function(callee.function, frame.span)
    arguments = [spot.address(frame), *(() if spot.metadata is None else (spot.metadata,))]
    frame.add(mir.Call(tuple(arguments), symbol))


def drop_object(frame: Frame, spot: Spot) -> None:
    """Call the drop glue that a trait object's vtable begins with, unless it is null. The frame goes on in a new block."""
    assert spot.metadata is not None, "a trait object has a vtable"
    glue = frame.add(mir.Load(spot.metadata, PTR, 8)).value
    address = frame.add(mir.Bitcast(glue, I64)).value
    call, after = frame.function.add_block(), frame.function.add_block()
    frame.add(mir.Switch(address, (call, after), (0,)))
    frame.ops = call.ops
    frame.add(mir.CallPointer(glue, (spot.address(frame),)))
    frame.add(mir.Goto(after))
    frame.ops = after.ops


def import_call(frame: Frame, call: smir.Call) -> None:
    """Import a call and what follows it."""
    match call.callee:
        case smir.NoCallee():
            pass
        case smir.DirectCallee(number):
            source = frame.importer.dump.functions[number]
            if imported(frame, source, call):
                if frame.ops and frame.ops[-1].terminator:
                    return
            else:
                call_function(frame, call, number, source)
        case smir.PointerCallee(operand, params, result):
            pointer = scalar(frame, operand)
            found = calling_convention(frame.types, params, result)
            call_pointer(frame, call, pointer, result, found, arguments(frame, call))
        case smir.VirtualCallee(index):
            call_virtual(frame, call, index)
    frame.add(mir.Unreachable() if call.target is None else mir.Goto(frame.block(call.target)))


def imported(frame: Frame, source: smir.Function, call: smir.Call) -> bool:
    """Import a call whose meaning is the compiler's; False if it is to be called as a function."""
    if source.kind == "Intrinsic" or source.symbol.startswith("llvm."):
        return intrinsics.import_intrinsic(frame, source, call)
    return intrinsics.import_device_function(frame, source, call)


def arguments(frame: Frame, call: smir.Call) -> list[Value]:
    """Return the arguments as the callee takes them."""
    values: list[Value] = []
    for number, operand in enumerate(call.args):
        if call.spread and number == len(call.args) - 1:
            for part in frame.fields(spot_of(frame, operand)):
                values.extend(pass_spot(frame, part))
        elif frame.types.shape(operand_type(frame, operand)).kind == "memory":
            values.extend(pass_spot(frame, spot_of(frame, operand)))
        else:
            values.extend(registers(frame, operand))
    return values


def pass_spot(frame: Frame, spot: Spot) -> list[Value]:
    """Return an argument that lies in memory: its registers, or a pointer to a copy that the callee may change."""
    shape = frame.types.shape(spot.ty)
    if shape.kind != "memory":
        return spot.load_registers(frame)
    copy = frame.temporary(shape.size, shape.align)
    frame.add(mir.Copy(copy, spot.address(frame), shape.size, min(shape.align, spot.align)))
    return [copy]


def call_function(frame: Frame, call: smir.Call, number: int, source: smir.Function) -> None:
    """Call a known function."""
    intrinsics.check_direct(frame, source)
    symbol = frame.importer.function(number, frame.span)
    found = calling_convention(frame.types, source.params, source.result, source.spread_arg)
    values = arguments(frame, call)
    target, spot = result_spot(frame, call, source.result, found)
    if target is not None:
        values.insert(0, target)
    if len(values) != len(found.params):
        message = f"calling `{source.name}` with another number of arguments than it takes is not supported in kernels"
        raise Refusal(codes.UNSUPPORTED, message, frame.span)
    value = frame.add(mir.Call(tuple(values), symbol, found.result)).value
    if value is not None:
        spot.store_registers(frame, [value])


def call_pointer(frame: Frame, call: smir.Call, pointer: Value, result: int, found: CallingConvention, values: list[Value]) -> None:
    """Call through a pointer."""
    target, spot = result_spot(frame, call, result, found)
    if target is not None:
        values.insert(0, target)
    value = frame.add(mir.CallPointer(pointer, tuple(values), found.result)).value
    if value is not None:
        spot.store_registers(frame, [value])


def result_spot(frame: Frame, call: smir.Call, result: int, found: CallingConvention) -> tuple[Value | None, Spot]:
    """Return the pointer that the callee writes its result to, if it does, and the place of the result."""
    spot = place(frame, call.place)
    return (spot.address(frame) if found.result_pointer else None), spot


def call_virtual(frame: Frame, call: smir.Call, index: int) -> None:
    """Call method `index` of the first argument's vtable."""
    receiver = registers(frame, call.args[0])
    if len(receiver) != 2:
        message = "calling a method of an unsized value is not available in kernels"
        raise Refusal(codes.UNSIZED_VALUE, message, frame.span, help="call it through a reference")
    data, vtable = receiver
    slot = frame.add(mir.Offset(vtable, 8 * index)).addr
    pointer = frame.add(mir.Load(slot, PTR, 8)).value
    rest = smir.Call(call.callee, call.args[1:], call.spread, call.place, call.target, call.span)
    result = place_type(frame, call.place)
    found = calling_convention(frame.types, (), result)
    call_pointer(frame, call, pointer, result, found, [data, *arguments(frame, rest)])
