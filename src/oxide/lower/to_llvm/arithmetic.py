"""Arithmetic, comparisons and pure functions of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.ir import F16, F32, I1, I8, FloatType, IntType, Struct
from oxide.lower.registry import Builder, lowers
from oxide.lower.to_llvm.remainder import remainder_function

if TYPE_CHECKING:
    from oxide.ir import Type, Value


def constant(b: Builder, bits: int, ty: Type) -> Value:
    """Return a number."""
    return b.add(llvm.Constant(bits, ty)).value


def is_fast(ty: Type, b: Builder) -> bool:
    """Return whether results of a type may be approximations."""
    return b.options.fast_math and ty is F32


@lowers(mir.Constant)
def lower_constant(op: mir.Constant, b: Builder) -> Value:
    return constant(b, op.bits, op.ty)


@lowers(mir.Add)
def lower_add(op: mir.Add, b: Builder) -> Value:
    if isinstance(op.lhs.type, FloatType):
        return b.add(llvm.FAdd(op.lhs, op.rhs, b.options.fmad)).value
    return b.add(llvm.Add(op.lhs, op.rhs)).value


@lowers(mir.Sub)
def lower_sub(op: mir.Sub, b: Builder) -> Value:
    if isinstance(op.lhs.type, FloatType):
        return b.add(llvm.FSub(op.lhs, op.rhs, b.options.fmad)).value
    return b.add(llvm.Sub(op.lhs, op.rhs)).value


@lowers(mir.Mul)
def lower_mul(op: mir.Mul, b: Builder) -> Value:
    if isinstance(op.lhs.type, FloatType):
        return b.add(llvm.FMul(op.lhs, op.rhs, b.options.fmad)).value
    return b.add(llvm.Mul(op.lhs, op.rhs)).value


@lowers(mir.UncheckedAdd)
def lower_unchecked_add(op: mir.UncheckedAdd, b: Builder) -> Value:
    return b.add(llvm.Add(op.lhs, op.rhs, op.signed, not op.signed)).value


@lowers(mir.UncheckedSub)
def lower_unchecked_sub(op: mir.UncheckedSub, b: Builder) -> Value:
    return b.add(llvm.Sub(op.lhs, op.rhs, op.signed, not op.signed)).value


@lowers(mir.UncheckedMul)
def lower_unchecked_mul(op: mir.UncheckedMul, b: Builder) -> Value:
    return b.add(llvm.Mul(op.lhs, op.rhs, op.signed, not op.signed)).value


@lowers(mir.Div)
def lower_div(op: mir.Div, b: Builder) -> Value:
    if isinstance(op.lhs.type, FloatType):
        fast = is_fast(op.lhs.type, b)
        return b.add(llvm.FDiv(op.lhs, op.rhs, arcp=fast, afn=fast)).value
    return b.add((llvm.SDiv if op.signed else llvm.UDiv)(op.lhs, op.rhs)).value


@lowers(mir.Rem)
def lower_rem(op: mir.Rem, b: Builder) -> Value:
    if isinstance(op.lhs.type, FloatType):
        value = b.add(llvm.Call(None, (op.lhs, op.rhs), remainder_function(b, op.lhs.type), op.lhs.type)).value
        assert value is not None, "a remainder is a value"
        return value
    return b.add((llvm.SRem if op.signed else llvm.URem)(op.lhs, op.rhs)).value


FAST = {"add": llvm.FAdd, "sub": llvm.FSub, "mul": llvm.FMul, "div": llvm.FDiv, "rem": llvm.FRem}


@lowers(mir.FastFloat)
def lower_fast_float(op: mir.FastFloat, b: Builder) -> Value:
    return b.add(FAST[op.operation](op.lhs, op.rhs, fast=True)).value


@lowers(mir.And)
def lower_and(op: mir.And, b: Builder) -> Value:
    return b.add(llvm.And(op.lhs, op.rhs)).value


@lowers(mir.Or)
def lower_or(op: mir.Or, b: Builder) -> Value:
    return b.add(llvm.Or(op.lhs, op.rhs)).value


@lowers(mir.Xor)
def lower_xor(op: mir.Xor, b: Builder) -> Value:
    return b.add(llvm.Xor(op.lhs, op.rhs)).value


def shift_amount(op: mir.ShiftOp, b: Builder) -> Value:
    """Return the amount in the type of what is shifted, less than its width."""
    ty = op.lhs.type
    assert isinstance(ty, IntType), "shifts are of integers"
    assert isinstance(op.amount.type, IntType), "shifts are by integers"
    amount = op.amount
    if amount.type is not ty:
        wider = op.amount.type.width < ty.width
        amount = b.add((llvm.ZExt if wider else llvm.Trunc)(amount, ty)).value
    if op.unchecked:
        return amount
    return b.add(llvm.And(amount, constant(b, ty.width - 1, ty))).value


@lowers(mir.Shl)
def lower_shl(op: mir.Shl, b: Builder) -> Value:
    return b.add(llvm.Shl(op.lhs, shift_amount(op, b))).value


@lowers(mir.Shr)
def lower_shr(op: mir.Shr, b: Builder) -> Value:
    return b.add((llvm.AShr if op.signed else llvm.LShr)(op.lhs, shift_amount(op, b))).value


def with_overflow(op: mir.CheckedOp, b: Builder, function: str) -> tuple[Value, Value]:
    """Return the wrapped result and the overflow flag."""
    ty = op.lhs.type
    name = f"llvm.{'s' if op.signed else 'u'}{function}.with.overflow.{ty}"
    pair = call_intrinsic(b, name, Struct((ty, I1)), op.lhs, op.rhs)
    return b.add(llvm.ExtractValue(pair, 0)).value, b.add(llvm.ExtractValue(pair, 1)).value


@lowers(mir.CheckedAdd)
def lower_checked_add(op: mir.CheckedAdd, b: Builder) -> tuple[Value, Value]:
    return with_overflow(op, b, "add")


@lowers(mir.CheckedSub)
def lower_checked_sub(op: mir.CheckedSub, b: Builder) -> tuple[Value, Value]:
    return with_overflow(op, b, "sub")


@lowers(mir.CheckedMul)
def lower_checked_mul(op: mir.CheckedMul, b: Builder) -> tuple[Value, Value]:
    return with_overflow(op, b, "mul")


def call_intrinsic(b: Builder, name: str, ty: Type, *args: Value) -> Value:
    """Return the result of an intrinsic."""
    value = b.add(llvm.CallIntrinsic(args, name, ty)).value
    assert value is not None, f"{name} returns a value"
    return value


@lowers(mir.SaturatingAdd)
def lower_saturating_add(op: mir.SaturatingAdd, b: Builder) -> Value:
    return call_intrinsic(b, f"llvm.{'s' if op.signed else 'u'}add.sat.{op.lhs.type}", op.lhs.type, op.lhs, op.rhs)


@lowers(mir.SaturatingSub)
def lower_saturating_sub(op: mir.SaturatingSub, b: Builder) -> Value:
    return call_intrinsic(b, f"llvm.{'s' if op.signed else 'u'}sub.sat.{op.lhs.type}", op.lhs.type, op.lhs, op.rhs)


@lowers(mir.Neg)
def lower_neg(op: mir.Neg, b: Builder) -> Value:
    if isinstance(op.arg.type, FloatType):
        return b.add(llvm.FNeg(op.arg)).value
    return b.add(llvm.Sub(constant(b, 0, op.arg.type), op.arg)).value


@lowers(mir.Not)
def lower_not(op: mir.Not, b: Builder) -> Value:
    return complement(b, op.arg)


def complement(b: Builder, value: Value) -> Value:
    """Return an integer with every bit changed."""
    assert isinstance(value.type, IntType), "only integers are complemented"
    return b.add(llvm.Xor(value, constant(b, (1 << value.type.width) - 1, value.type))).value


FLOAT_PREDICATES = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


def compare(b: Builder, lhs: Value, rhs: Value, predicate: str, signed: bool) -> Value:
    """Return a comparison as Rust means it: of floats, all but `ne` are false for NaN."""
    if isinstance(lhs.type, FloatType):
        return b.add(llvm.FCmp(lhs, rhs, FLOAT_PREDICATES[predicate])).value
    if predicate not in ("eq", "ne"):
        predicate = ("s" if signed else "u") + predicate
    return b.add(llvm.ICmp(lhs, rhs, predicate)).value


@lowers(mir.Compare)
def lower_compare(op: mir.Compare, b: Builder) -> Value:
    return compare(b, op.lhs, op.rhs, op.predicate, op.signed)


@lowers(mir.ThreeWay)
def lower_three_way(op: mir.ThreeWay, b: Builder) -> Value:
    greater = b.add(llvm.ZExt(compare(b, op.lhs, op.rhs, "gt", op.signed), I8)).value
    less = b.add(llvm.ZExt(compare(b, op.lhs, op.rhs, "lt", op.signed), I8)).value
    return b.add(llvm.Sub(greater, less)).value


@lowers(mir.Select)
def lower_select(op: mir.Select, b: Builder) -> Value:
    return b.add(llvm.Select(op.condition, op.if_true, op.if_false)).value


HALF = frozenset({"fabs", "copysign", "fma", "fmuladd"})
"""Functions that LLVM has for `f16` on every target; of others, the `f32`'s rounded is right, since it is exact or has twice the bits."""


def float_cast(b: Builder, value: Value, ty: FloatType) -> Value:
    """Round or extend a float."""
    assert isinstance(value.type, FloatType), "a float is cast"
    if value.type is ty:
        return value
    return b.add((llvm.FPTrunc if ty.width < value.type.width else llvm.FPExt)(value, ty)).value


@lowers(mir.Intrinsic)
def lower_intrinsic(op: mir.Intrinsic, b: Builder) -> Value:
    if op.ty is F16 and op.function not in HALF:
        args = (float_cast(b, arg, F32) for arg in op.args)
        return float_cast(b, call_intrinsic(b, f"llvm.{op.function}.f32", F32, *args), F16)
    name = f"llvm.{op.function}.{op.ty}"
    if op.function in ("ctlz", "cttz"):
        # The answer for zero is the width, as Rust has it.
        return call_intrinsic(b, name, op.ty, *op.args, constant(b, 0, I1))
    if op.function == "sqrt" and is_fast(op.ty, b):
        value = b.add(llvm.CallIntrinsic(op.args, name, op.ty, afn=True)).value
        assert value is not None, "a square root is a value"
        return value
    return call_intrinsic(b, name, op.ty, *op.args)


@lowers(mir.Assume)
def lower_assume(op: mir.Assume, b: Builder) -> None:
    b.add(llvm.CallIntrinsic((op.condition,), "llvm.assume"))
