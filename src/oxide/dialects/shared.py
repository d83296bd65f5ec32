"""What ops of `mir` have in common with the instructions of `llvm` that they become: the fields and the rules.

class Load(shared.LoadOp, name="mir.load"): ...
class Load(shared.LoadOp, Instruction, name="llvm.load"): ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects.rules import ARMS, ATOMIC_OPERAND, ATOMIC_OPERATIONS, EXCHANGED, NUMBER_FITS, SCOPE, SWITCH, one_of
from oxide.ir import (
    ALIGNMENT,
    I1,
    I8,
    PTR,
    Block,
    IntType,
    NumberType,
    Op,
    PointerType,
    SameTypeOperands,
    ScalarType,
    Type,
    Value,
    attribute,
    check_return,
    operand,
    optional_operand,
    result,
    successors,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.ir import Function, Module


class ConstantOp(Op):
    """A number or truth value, given as the unsigned integer of its bits."""

    bits: int = attribute(int)
    ty: Type = attribute(NumberType)
    value: Value = result(lambda op: op.ty)

    rules = (NUMBER_FITS,)


class BinaryOp(SameTypeOperands):
    """Two operands of one type; the result has that type."""

    value: Value = result(lambda op: op.lhs.type)


class SelectOp(Op):
    """One of two values of one type; both are computed."""

    condition: Value = operand(I1)
    if_true: Value = operand()
    if_false: Value = operand()
    value: Value = result(lambda op: op.if_true.type)

    rules = (ARMS,)


class CastOp(Op):
    """One value as another type."""

    arg: Value = operand()
    ty: Type = attribute(ScalarType)
    value: Value = result(lambda op: op.ty)


class LoadOp(Op):
    """A read of a `ty` from `addr`."""

    addr: Value = operand(PointerType)
    ty: Type = attribute(ScalarType)
    align: int = attribute(int, rule=ALIGNMENT)
    value: Value = result(lambda op: op.ty)


class StoreOp(Op):
    """A write of `value` to `addr`."""

    value: Value = operand()
    addr: Value = operand(PointerType)
    align: int = attribute(int, rule=ALIGNMENT)


class UpdateOp(Op):
    """Replaces what is at `addr` by the operation of it and `operand`; the result is what was there."""

    addr: Value = operand(PointerType)
    operand: Value = operand()
    operation: str = attribute(str, rule=one_of(ATOMIC_OPERATIONS))
    align: int = attribute(int, rule=ALIGNMENT)
    value: Value = result(lambda op: op.operand.type)

    rules = (ATOMIC_OPERAND,)


class CompareExchangeOp(Op):
    """Writes `new` to `addr` if `expected` is there."""

    addr: Value = operand(PointerType)
    expected: Value = operand()
    new: Value = operand()
    align: int = attribute(int, rule=ALIGNMENT)
    success: str = attribute(str)
    failure: str = attribute(str)
    scope: str = attribute(str, default="", rule=SCOPE)

    rules = (EXCHANGED,)


class FenceOp(Op):
    """Orders memory accesses for the threads of a scope."""

    ordering: str = attribute(str)
    scope: str = attribute(str, default="", rule=SCOPE)


class CopyOp(Op):
    """A copy of `count` bytes, a run-time number; both pointers are aligned to `align`."""

    dst: Value = operand(PTR)
    src: Value = operand(PTR)
    count: Value = operand(IntType)
    align: int = attribute(int, rule=ALIGNMENT)


class SetOp(Op):
    """Sets `count` bytes, a run-time number, to `byte`."""

    dst: Value = operand(PTR)
    byte: Value = operand(I8)
    count: Value = operand(IntType)
    align: int = attribute(int, rule=ALIGNMENT)


class SwitchOp(Op, terminator=True):
    """Goes on in the target of the case that equals `value`, else in the first target."""

    value: Value = operand(IntType)
    targets: tuple[Block, ...] = successors()
    cases: tuple[int, ...] = attribute(tuple)
    """Bit patterns, one for each target after the first."""

    rules = SWITCH


class ReturnOp(Op, terminator=True):
    """Leaves the function."""

    value: Value | None = optional_operand()

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        yield from check_return(self.value, function)
