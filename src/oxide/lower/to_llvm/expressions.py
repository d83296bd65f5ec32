"""Arithmetic of integers written as formulas: an operator appends the instruction that it stands for.

    x = Expression(b.add, value)
    rounded = (x + 7) & ~7                        # constant, add, constant, and

A Python number becomes a constant of the other operand's type. Integers are unsigned but for the predicates that say otherwise.

What a lowering puts together with it (`remainder.py`, `wide_casts.py`) needs a few dozen instructions of one type in one or two widths. As
Rust functions they would have to be in every dump, or lie here as the text that the backend makes of them, ten times as long, once for each
type, and bound to one version of rustc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from oxide.dialects import llvm
from oxide.ir import I1, IntType, NumberType, Op

if TYPE_CHECKING:
    from oxide.dialects.shared import BinaryOp, CastOp
    from oxide.ir import Type, Value

AnyOp = TypeVar("AnyOp", bound=Op)


class Append(Protocol):
    """Appends an op to a block, and returns it."""

    def __call__(self, op: AnyOp, /) -> AnyOp: ...


class Expression:
    """A value that further instructions are computed from."""

    def __init__(self, append: Append, value: Value) -> None:
        self.append = append
        self.value = value

    def constant(self, number: int, ty: Type | None = None) -> Expression:
        """Return a number, of this value's type unless another is given."""
        ty = ty or self.value.type
        assert isinstance(ty, NumberType), "a number has its type"
        return Expression(self.append, self.append(llvm.Constant(number & (1 << ty.width) - 1, ty)).value)

    def of(self, other: Expression | int) -> Value:
        """Return an operand beside this value."""
        return self.constant(other).value if isinstance(other, int) else other.value

    def binary(self, cls: type[BinaryOp], other: Expression | int) -> Expression:
        """Return the result of an instruction of two operands."""
        return Expression(self.append, self.append(cls(self.value, self.of(other))).value)

    def __add__(self, other: Expression | int) -> Expression:
        return self.binary(llvm.Add, other)

    def __sub__(self, other: Expression | int) -> Expression:
        return self.binary(llvm.Sub, other)

    def __rsub__(self, other: int) -> Expression:
        return self.constant(other) - self

    def __neg__(self) -> Expression:
        return 0 - self

    def __mod__(self, other: Expression | int) -> Expression:
        return self.binary(llvm.URem, other)

    def __lshift__(self, other: Expression | int) -> Expression:
        return self.binary(llvm.Shl, other)

    def __rshift__(self, other: Expression | int) -> Expression:
        return self.binary(llvm.LShr, other)

    def __and__(self, other: Expression | int) -> Expression:
        return self.binary(llvm.And, other)

    def __or__(self, other: Expression | int) -> Expression:
        return self.binary(llvm.Or, other)

    def compare(self, predicate: str, other: Expression | int) -> Expression:
        """Return whether an `icmp` predicate holds."""
        return Expression(self.append, self.append(llvm.ICmp(self.value, self.of(other), predicate)).value)

    def choose(self, if_true: Expression | int, if_false: Expression) -> Expression:
        """Return one of two values by this truth value."""
        return Expression(self.append, self.append(llvm.Select(self.value, if_false.of(if_true), if_false.value)).value)

    def cast(self, cls: type[CastOp], ty: Type) -> Expression:
        """Return the value as another type."""
        return Expression(self.append, self.append(cls(self.value, ty)).value)

    def leading_zeros(self) -> Expression:
        """Return how many bits above the first 1 are 0: all of them of 0."""
        assert isinstance(self.value.type, IntType), "an integer has leading zeros"
        value = self.append(
            llvm.CallIntrinsic((self.value, self.constant(0, I1).value), f"llvm.ctlz.{self.value.type}", self.value.type)
        ).value
        assert value is not None, "llvm.ctlz returns a value"
        return Expression(self.append, value)
