"""Functions of numbers: bits, arithmetic that wraps, saturates or tells of overflow, float functions."""

from __future__ import annotations

from oxide.dialects import mir
from oxide.ir import F16, F32, F64, I8, FloatType, IntType
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.intrinsics.registry import Call, call_library, intrinsic
from oxide.mir_import.rvalues import CHECKED, is_signed

COUNTS = {"ctpop": "ctpop", "ctlz": "ctlz", "ctlz_nonzero": "ctlz", "cttz": "cttz", "cttz_nonzero": "cttz"}


@intrinsic(*COUNTS)
def count_bits(call: Call) -> None:
    """Count bits; the result is a `u32` whatever the argument."""
    value = call.intrinsic(COUNTS[call.name], call.arg(0))
    to = call.frame.types.shape(call.target.ty).registers[0]
    call.store(value if value.type is to else call.frame.add(mir.IntCast(value, to)).value)


@intrinsic("bswap", "bitreverse")
def reorder_bits(call: Call) -> None:
    """Reverse bytes or bits."""
    value = call.arg(0)
    single = call.name == "bswap" and isinstance(value.type, IntType) and value.type.width == I8.width
    call.store(value if single else call.intrinsic(call.name, value))


@intrinsic("rotate_left", "rotate_right")
def rotate(call: Call) -> None:
    """Rotate by an amount taken modulo the width."""
    value, amount = call.arg(0), call.arg(1)
    if amount.type is not value.type:
        amount = call.frame.add(mir.IntCast(amount, value.type)).value
    call.store(call.intrinsic("fshl" if call.name == "rotate_left" else "fshr", value, value, amount))


@intrinsic("unchecked_funnel_shl", "unchecked_funnel_shr")
def funnel_shift(call: Call) -> None:
    """Shift two numbers as one of twice the width, by less than the width of one."""
    high, low, amount = (call.arg(index) for index in range(3))
    if amount.type is not high.type:
        amount = call.frame.add(mir.IntCast(amount, high.type)).value
    call.store(call.intrinsic("fshl" if call.name.endswith("shl") else "fshr", high, low, amount))


@intrinsic("saturating_add", "saturating_sub")
def saturating(call: Call) -> None:
    """Stop at the type's bounds."""
    made = {"saturating_add": mir.SaturatingAdd, "saturating_sub": mir.SaturatingSub}[call.name]
    call.store(call.frame.add(made(call.arg(0), call.arg(1), is_signed(call.frame, call.arg_type(0)))).value)


@intrinsic("add_with_overflow", "sub_with_overflow", "mul_with_overflow")
def with_overflow(call: Call) -> None:
    """Write the wrapped result and whether it overflowed."""
    made = CHECKED[call.name.partition("_")[0].capitalize()]
    op = call.frame.add(made(call.arg(0), call.arg(1), is_signed(call.frame, call.arg_type(0))))
    call.store_pair(op.value, op.overflow)


ARITHMETIC = {
    "wrapping_add": mir.Add, "wrapping_sub": mir.Sub, "wrapping_mul": mir.Mul, "disjoint_bitor": mir.Or,
    "fadd_algebraic": mir.Add, "fsub_algebraic": mir.Sub, "fmul_algebraic": mir.Mul,
}  # fmt: skip
SIGNED_ARITHMETIC = {
    "exact_div": mir.Div, "unchecked_div": mir.Div, "unchecked_rem": mir.Rem, "unchecked_add": mir.UncheckedAdd,
    "unchecked_sub": mir.UncheckedSub, "unchecked_mul": mir.UncheckedMul, "fdiv_algebraic": mir.Div, "frem_algebraic": mir.Rem,
}  # fmt: skip


@intrinsic(*ARITHMETIC)
def arithmetic(call: Call) -> None:
    """Do what the operator does; the freedom that `algebraic` gives is not used."""
    call.store(call.frame.add(ARITHMETIC[call.name](call.arg(0), call.arg(1))).value)


@intrinsic("fadd_fast", "fsub_fast", "fmul_fast", "fdiv_fast", "frem_fast")
def fast_arithmetic(call: Call) -> None:
    """Do what the operator does with finite numbers, in any order and about as precisely."""
    call.store(call.frame.add(mir.FastFloat(call.arg(0), call.arg(1), call.name[1:4])).value)


@intrinsic(*SIGNED_ARITHMETIC)
def signed_arithmetic(call: Call) -> None:
    """Do what the operator does, by the type's sign."""
    made = SIGNED_ARITHMETIC[call.name]
    call.store(call.frame.add(made(call.arg(0), call.arg(1), is_signed(call.frame, call.arg_type(0)))).value)


@intrinsic("unchecked_shl", "unchecked_shr")
def unchecked_shift(call: Call) -> None:
    """Shift by less than the width."""
    if call.name == "unchecked_shl":
        value = call.frame.add(mir.Shl(call.arg(0), call.arg(1), True)).value
    else:
        value = call.frame.add(mir.Shr(call.arg(0), call.arg(1), True, is_signed(call.frame, call.arg_type(0)))).value
    call.store(value)


@intrinsic("three_way_compare")
def three_way(call: Call) -> None:
    """Write an `Ordering`."""
    call.store(call.frame.add(mir.ThreeWay(call.arg(0), call.arg(1), is_signed(call.frame, call.arg_type(0)))).value)


FLOAT = {
    "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "round", "round_ties_even_": "roundeven",
    "copysign": "copysign", "fma": "fma", "fmuladd": "fmuladd", "minimum_number_nsz_": "minnum", "maximum_number_nsz_": "maxnum",
    "minimum": "minimum", "maximum": "maximum",
}  # fmt: skip
"""Float functions that need no library, by rustc's name without the type."""


@intrinsic(*(f"{name}f{width}" for name in FLOAT for width in (16, 32, 64)))
def float_function(call: Call) -> None:
    """Call LLVM's function of the same meaning."""
    args = [call.arg(index) for index in range(len(call.args))]
    call.store(call.intrinsic(FLOAT[call.name[:-3]], *args))


LIBRARY = ("sin", "cos", "exp", "exp2", "log", "log2", "log10", "pow")
"""Float functions of libdevice, by rustc's name without the type."""


@intrinsic(*(f"{name}f{width}" for name in LIBRARY for width in (16, 32, 64)))
def library_function(call: Call) -> None:
    """Call libdevice's function; of an `f16`, the `f32`'s is rounded, no approximation of it: near zero that would not do."""
    frame, half = call.frame, call.name.endswith("f16")
    args = [call.arg(index) for index in range(len(call.args))]
    if half:
        args = [frame.add(mir.FloatCast(arg, F32)).value if arg.type is F16 else arg for arg in args]
    value = call_library(frame, call.name[:-3], args, exact=half)
    call.store(frame.add(mir.FloatCast(value, F16)).value if half else value)


ONE = {F16: 0x3C00, F32: 0x3F80_0000, F64: 0x3FF0_0000_0000_0000}
"""The bits of 1.0."""


@intrinsic("powif16", "powif32", "powif64")
def integer_power(call: Call) -> None:
    """Multiply squares where the exponent is a constant, in the order in which LLVM and compiler-rt do, so that all round alike; a negative
    exponent's result is divided into 1. For others call libdevice's function.
    """
    exponent = number_of(call.args[1])
    if exponent is None:
        library_function(call)
        return
    frame, square = call.frame, call.arg(0)
    assert isinstance(square.type, FloatType)
    one = frame.constant(ONE[square.type], square.type)
    result, left = None, abs(exponent)
    while left:
        if left & 1:
            result = square if result is None else frame.add(mir.Mul(result, square)).value
        left >>= 1
        if left:
            square = frame.add(mir.Mul(square, square)).value
    result = one if result is None else result
    call.store(frame.add(mir.Div(one, result, True)).value if exponent < 0 else result)


def number_of(operand: smir.Operand) -> int | None:
    """Return a signed integer that is a constant, or None."""
    match operand:
        case smir.ConstantOperand(value=smir.Allocated(memory)):
            return int.from_bytes(bytes.fromhex(memory.bytes), "little", signed=True)
        case _:
            return None


@intrinsic("fabs")
def float_abs(call: Call) -> None:
    """Clear the sign."""
    call.store(call.intrinsic("fabs", call.arg(0)))


@intrinsic("float_to_int_unchecked")
def float_to_int_unchecked(call: Call) -> None:
    """Round towards zero; saturating is one of the allowed results out of range."""
    to = call.frame.types.shape(call.target.ty).registers[0]
    call.store(call.frame.add(mir.FloatToInt(call.arg(0), to, is_signed(call.frame, call.target.ty))).value)
