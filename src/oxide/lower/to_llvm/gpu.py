"""GPU operations: each row of the table becomes a call of its intrinsic, or its inline PTX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir, nvvm
from oxide.dialects.operations import Assembly, Fixed, Intrinsic, SystemCall
from oxide.dialects.rules import width
from oxide.ir import I1, I8, I32, Function, NumberType, Param, Pointer, Struct, Symbol
from oxide.lower.registry import Builder, lowers
from oxide.lower.to_llvm.arithmetic import constant

if TYPE_CHECKING:
    from oxide.dialects.operations import Operation
    from oxide.ir import Value


def lower_operation(op: nvvm.GpuOp, b: Builder) -> Value | None:
    """Call the row's intrinsic or inline PTX; several results go to memory."""
    row = op.row
    if row.count == 1:
        return call(b, row, op.args)
    target, *args = op.args
    made = call(b, row, tuple(args))
    assert made is not None
    assert isinstance(row.result, NumberType), "a row with several results gives numbers"
    size = row.result.width // 8
    for position in range(row.count):
        address = b.add(llvm.GetElementPtr(target, None, I8, position * size, True)).value
        b.add(llvm.Store(b.add(llvm.ExtractValue(made, position)).value, address, size))
    return None


def call(b: Builder, row: Operation, args: tuple[Value, ...]) -> Value | None:
    """Call a row's intrinsic or inline PTX with its parameters."""
    spaces = dict(row.spaces)
    given = [
        b.add(llvm.AddrSpaceCast(value, Pointer(spaces[number]))).value if number in spaces else value for number, value in enumerate(args)
    ]
    note = f"at {b.loc.own}" if b.loc is not None and row.is_told_where else ""
    takes, gives = row.signature
    match row.code:
        case Intrinsic(name, arguments):
            order = range(len(given)) if arguments is None else arguments
            passed = tuple(constant(b, it.number, I32) if isinstance(it, Fixed) else given[it] for it in order)
            return b.add(llvm.CallIntrinsic(passed, name, gives, note, b.ranges.get(row.name, ()))).value
        case SystemCall(name):
            symbol = Symbol(name)
            b.helpers.setdefault(symbol, Function(symbol, tuple(map(Param, takes)), gives))
            return b.add(llvm.Call(None, tuple(given), symbol, gives)).value
        case Assembly(text):
            passed = tuple(b.add(llvm.ZExt(value, ty)).value if value.type is I1 else value for value, ty in zip(given, takes, strict=True))
            effects = row.memory != "none"
            made = b.add(llvm.InlineAsm(passed, text, row.constraints, gives, effects, row.convergent, note)).value
            if row.result is I1 and made is not None:
                return b.add(llvm.ICmp(made, constant(b, 0, I32), "ne")).value
            return made


@lowers(mir.Assembly)
def lower_assembly(op: mir.Assembly, b: Builder) -> None:
    count = len(op.result_types)
    addresses, given = op.args[:count], op.args[count:]
    result = None if count == 0 else op.result_types[0] if count == 1 else Struct(op.result_types)
    note = f"at {b.loc.own}" if b.loc is not None and op.effects else ""
    made = b.add(llvm.InlineAsm(given, op.text, op.constraints, result, op.effects, op.convergent, note)).value
    for position, (address, ty) in enumerate(zip(addresses, op.result_types, strict=True)):
        assert made is not None, "inline PTX with results has them"
        value = made if count == 1 else b.add(llvm.ExtractValue(made, position)).value
        b.add(llvm.Store(value, address, width(ty) // 8))


for cls in nvvm.OPS.values():
    lowers(cls)(lower_operation)
