"""Casts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.ir import F16, F32, I64, I128, FloatType, IntType, PointerType
from oxide.lower.registry import Builder, lowers
from oxide.lower.to_llvm import wide_casts
from oxide.lower.to_llvm.arithmetic import call_intrinsic, float_cast

if TYPE_CHECKING:
    from oxide.ir import Type, Value


@lowers(mir.IntCast)
def lower_int_cast(op: mir.IntCast, b: Builder) -> Value:
    return int_cast(b, op.arg, op.ty, op.signed)


def int_cast(b: Builder, value: Value, ty: Type, signed: bool) -> Value:
    """Truncate or extend an integer."""
    assert isinstance(value.type, IntType), "an integer is cast"
    assert isinstance(ty, IntType), "an integer is cast to an integer"
    if value.type is ty:
        return value
    if ty.width < value.type.width:
        return b.add(llvm.Trunc(value, ty)).value
    return b.add((llvm.SExt if signed else llvm.ZExt)(value, ty)).value


@lowers(mir.FloatCast)
def lower_float_cast(op: mir.FloatCast, b: Builder) -> Value:
    assert isinstance(op.arg.type, FloatType), "a float is cast"
    assert isinstance(op.ty, FloatType), "a float is cast to a float"
    return float_cast(b, op.arg, op.ty)


@lowers(mir.FloatToInt)
def lower_float_to_int(op: mir.FloatToInt, b: Builder) -> Value:
    value = float_cast(b, op.arg, F32) if op.arg.type is F16 else op.arg
    if op.ty is I128:
        return wide_casts.float_to_int(b, value, op.signed)
    name = f"llvm.fpto{'s' if op.signed else 'u'}i.sat.{op.ty}.{value.type}"
    return call_intrinsic(b, name, op.ty, value)


@lowers(mir.IntToFloat)
def lower_int_to_float(op: mir.IntToFloat, b: Builder) -> Value:
    assert isinstance(op.ty, FloatType), "an integer is cast to a float"
    if op.ty is F16:
        # An integer that an f32 has to round is beyond the largest f16.
        return float_cast(b, int_to_float(b, op.arg, F32, op.signed), F16)
    return int_to_float(b, op.arg, op.ty, op.signed)


def int_to_float(b: Builder, value: Value, ty: FloatType, signed: bool) -> Value:
    """Return the float nearest to an integer."""
    if value.type is I128:
        return wide_casts.int_to_float(b, value, ty, signed)
    return b.add((llvm.SIToFP if signed else llvm.UIToFP)(value, ty)).value


@lowers(mir.Bitcast)
def lower_bitcast(op: mir.Bitcast, b: Builder) -> Value:
    source, to = op.arg.type, op.ty
    if source is to:
        return op.arg
    match source, to:
        case PointerType(), PointerType():
            return b.add(llvm.AddrSpaceCast(op.arg, to)).value
        case PointerType(), IntType():
            return b.add(llvm.PtrToInt(op.arg, to)).value
        case PointerType(), _:
            return b.add(llvm.Bitcast(b.add(llvm.PtrToInt(op.arg, I64)).value, to)).value
        case IntType(), PointerType():
            return b.add(llvm.IntToPtr(op.arg, to)).value
        case _, PointerType():
            return b.add(llvm.IntToPtr(b.add(llvm.Bitcast(op.arg, I64)).value, to)).value
        case _:
            return b.add(llvm.Bitcast(op.arg, to)).value
