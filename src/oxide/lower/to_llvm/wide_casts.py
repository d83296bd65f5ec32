"""Casts between floats and 128-bit integers, which LLVM has no code for on NVPTX: put together from shifts and selects.

    value = int_to_float(b, x, F64, signed=True)

The float's format is IEEE 754's: sign, exponent with a bias, fraction of an implicit leading 1. Shifts by 128 or more are poison, and a
`select` on the range then does not choose them (LangRef, "Poison Values").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm
from oxide.ir import I1, I128, FloatType, Int
from oxide.lower.to_llvm.arithmetic import call_intrinsic, constant
from oxide.lower.to_llvm.float_formats import FORMATS

if TYPE_CHECKING:
    from oxide.ir import Type, Value
    from oxide.lower.registry import Builder

WIDTH = 128
ALL_ONES = (1 << WIDTH) - 1
SIGN_BIT = 1 << (WIDTH - 1)


class Wide:
    """128-bit arithmetic, op by op."""

    def __init__(self, b: Builder) -> None:
        self.b = b

    def number(self, value: int, ty: Type = I128) -> Value:
        """Return a number."""
        return constant(self.b, value, ty)

    def shl(self, value: Value, amount: Value) -> Value:
        """Shift left."""
        return self.b.add(llvm.Shl(value, amount)).value

    def lshr(self, value: Value, amount: Value) -> Value:
        """Shift right, filling with zeros."""
        return self.b.add(llvm.LShr(value, amount)).value

    def add(self, lhs: Value, rhs: Value) -> Value:
        """Add."""
        return self.b.add(llvm.Add(lhs, rhs)).value

    def sub(self, lhs: Value, rhs: Value) -> Value:
        """Subtract."""
        return self.b.add(llvm.Sub(lhs, rhs)).value

    def bits_and(self, lhs: Value, rhs: Value) -> Value:
        """And."""
        return self.b.add(llvm.And(lhs, rhs)).value

    def bits_or(self, lhs: Value, rhs: Value) -> Value:
        """Or."""
        return self.b.add(llvm.Or(lhs, rhs)).value

    def is_true(self, predicate: str, lhs: Value, rhs: Value) -> Value:
        """Compare."""
        return self.b.add(llvm.ICmp(lhs, rhs, predicate)).value

    def select(self, condition: Value, if_true: Value, if_false: Value) -> Value:
        """Choose."""
        return self.b.add(llvm.Select(condition, if_true, if_false)).value

    def widen(self, value: Value) -> Value:
        """Extend with zeros."""
        return self.b.add(llvm.ZExt(value, I128)).value

    def negate(self, value: Value) -> Value:
        """Negate."""
        return self.sub(self.number(0), value)


def int_to_float(b: Builder, value: Value, ty: FloatType, signed: bool) -> Value:
    """Return the nearest float, ties to even; a `u128` that rounds beyond the largest `f32` is infinite."""
    w, form = Wide(b), FORMATS[ty.width]
    negative = w.is_true("slt", value, w.number(0)) if signed else w.number(0, I1)
    magnitude = w.select(negative, w.negate(value), value)
    zeros = call_intrinsic(b, "llvm.ctlz.i128", I128, magnitude, constant(b, 0, I1))
    # The leading 1 at the top; what does not fit the float at the top of `dropped`.
    aligned = w.shl(magnitude, zeros)
    fraction = w.lshr(aligned, w.number(WIDTH - form.significant))
    dropped = w.shl(aligned, w.number(form.significant))
    above = w.is_true("ugt", dropped, w.number(SIGN_BIT))
    tie = b.add(llvm.And(w.is_true("eq", dropped, w.number(SIGN_BIT)), b.add(llvm.Trunc(fraction, I1)).value)).value
    rounded = w.add(fraction, w.widen(b.add(llvm.Or(above, tie)).value))
    # The leading 1 adds one to the exponent, and so does a fraction that rounding carried over.
    exponent = w.sub(w.number(form.bias + WIDTH - 2), zeros)
    bits = w.add(w.shl(exponent, w.number(form.significant - 1)), rounded)
    bits = w.select(w.is_true("eq", magnitude, w.number(0)), w.number(0), bits)
    bits = w.bits_or(bits, w.shl(w.widen(negative), w.number(ty.width - 1)))
    return b.add(llvm.Bitcast(b.add(llvm.Trunc(bits, Int(ty.width))).value, ty)).value


def float_to_int(b: Builder, value: Value, signed: bool) -> Value:
    """Round towards zero and stop at the type's bounds; NaN is 0."""
    assert isinstance(value.type, FloatType), "a float is cast"
    w, form = Wide(b), FORMATS[value.type.width]
    width = value.type.width
    bits = w.widen(b.add(llvm.Bitcast(value, Int(width))).value)
    negative = w.is_true("ne", w.lshr(bits, w.number(width - 1)), w.number(0))
    magnitude = w.bits_and(bits, w.number((1 << (width - 1)) - 1))
    exponent = w.sub(w.lshr(magnitude, w.number(form.significant - 1)), w.number(form.bias))
    leading = 1 << (form.significant - 1)
    fraction = w.bits_or(w.bits_and(magnitude, w.number(leading - 1)), w.number(leading))
    shift = w.sub(exponent, w.number(form.significant - 1))
    whole = w.select(w.is_true("sge", shift, w.number(0)), w.shl(fraction, shift), w.lshr(fraction, w.negate(shift)))
    limit = WIDTH - 1 if signed else WIDTH
    largest = SIGN_BIT - 1 if signed else ALL_ONES
    smallest = SIGN_BIT if signed else 0
    whole = w.select(negative, w.negate(whole) if signed else w.number(0), whole)
    bound = w.select(negative, w.number(smallest), w.number(largest))
    whole = w.select(w.is_true("sge", exponent, w.number(limit)), bound, whole)
    whole = w.select(w.is_true("slt", exponent, w.number(0)), w.number(0), whole)
    infinity = ((1 << (width - form.significant)) - 1) << (form.significant - 1)
    return w.select(w.is_true("ugt", magnitude, w.number(infinity)), w.number(0), whole)
