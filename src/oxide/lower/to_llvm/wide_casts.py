"""Casts between floats and 128-bit integers, which LLVM has no code for on NVPTX: put together from shifts and selects.

    value = int_to_float(b, x, F64, signed=True)

The float's format is IEEE 754's: sign, exponent with a bias, fraction of an implicit leading 1. Shifts by 128 or more are poison, and a
`select` on the range then does not choose them (LangRef, "Poison Values").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm
from oxide.ir import I1, I128, FloatType, Int
from oxide.lower.to_llvm.expressions import Expression
from oxide.lower.to_llvm.float_formats import FORMATS

if TYPE_CHECKING:
    from oxide.ir import Value
    from oxide.lower.registry import Builder

WIDTH = 128
ALL_ONES = (1 << WIDTH) - 1
SIGN_BIT = 1 << (WIDTH - 1)


def int_to_float(b: Builder, value: Value, ty: FloatType, signed: bool) -> Value:
    """Return the nearest float, ties to even; a `u128` that rounds beyond the largest `f32` is infinite."""
    form = FORMATS[ty.width]
    integer = Expression(b.add, value)
    negative = integer.compare("slt", 0) if signed else integer.constant(0, I1)
    magnitude = negative.choose(-integer, integer)
    zeros = magnitude.leading_zeros()
    # The leading 1 at the top; what does not fit the float at the top of `dropped`.
    aligned = magnitude << zeros
    fraction = aligned >> (WIDTH - form.significant)
    dropped = aligned << form.significant
    above = dropped.compare("ugt", SIGN_BIT)
    tie = dropped.compare("eq", SIGN_BIT) & fraction.cast(llvm.Trunc, I1)
    rounded = fraction + (above | tie).cast(llvm.ZExt, I128)
    # The leading 1 adds one to the exponent, and so does a fraction that rounding carried over.
    exponent = (form.bias + WIDTH - 2) - zeros
    bits = (exponent << (form.significant - 1)) + rounded
    bits = magnitude.compare("eq", 0).choose(0, bits)
    bits = bits | (negative.cast(llvm.ZExt, I128) << (ty.width - 1))
    return bits.cast(llvm.Trunc, Int(ty.width)).cast(llvm.Bitcast, ty).value


def float_to_int(b: Builder, value: Value, signed: bool) -> Value:
    """Round towards zero and stop at the type's bounds; NaN is 0."""
    assert isinstance(value.type, FloatType), "a float is cast"
    form, width = FORMATS[value.type.width], value.type.width
    bits = Expression(b.add, value).cast(llvm.Bitcast, Int(width)).cast(llvm.ZExt, I128)
    negative = (bits >> (width - 1)).compare("ne", 0)
    magnitude = bits & ((1 << (width - 1)) - 1)
    exponent = (magnitude >> (form.significant - 1)) - form.bias
    leading = 1 << (form.significant - 1)
    fraction = (magnitude & (leading - 1)) | leading
    shift = exponent - (form.significant - 1)
    whole = shift.compare("sge", 0).choose(fraction << shift, fraction >> -shift)
    whole = negative.choose(-whole if signed else 0, whole)
    smallest, largest = (SIGN_BIT, SIGN_BIT - 1) if signed else (0, ALL_ONES)
    bound = negative.choose(whole.constant(smallest), whole.constant(largest))
    whole = exponent.compare("sge", WIDTH - 1 if signed else WIDTH).choose(bound, whole)
    whole = exponent.compare("slt", 0).choose(0, whole)
    infinity = ((1 << (width - form.significant)) - 1) << (form.significant - 1)
    return magnitude.compare("ugt", infinity).choose(0, whole).value
