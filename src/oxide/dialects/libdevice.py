"""Mathematical functions that NVIDIA's libdevice has, and C's name and meaning for each.

    FUNCTIONS["sinf"].symbol, FUNCTIONS["sinf"].params       # "__nv_sinf", (f32,)

A module declares those it calls and the PTX stage links libdevice in; the CPU device calls the C library's. The two agree within
libdevice's error bounds (CUDA C++ Programming Guide, "Mathematical Functions"), not bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass

from oxide.ir import F32, F64, I32, Symbol, Type

PREFIX = "__nv_"

ONE_ARGUMENT = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "log",
    "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh", "tgamma",
)  # fmt: skip
TWO_ARGUMENTS = ("atan2", "hypot", "pow")
FAST = {
    "sinf": "fast_sinf", "cosf": "fast_cosf", "tanf": "fast_tanf", "sincosf": "fast_sincosf", "expf": "fast_expf", "exp10f": "fast_exp10f",
    "logf": "fast_logf", "log2f": "fast_log2f", "log10f": "fast_log10f", "powf": "fast_powf",
}  # fmt: skip
"""The functions of `f32` that have an approximation, and its name (CUDA C++ Programming Guide, "Intrinsic Functions")."""

POWER = "powi"
"""A float to the power of an `i32`, which C has no name for."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function; the result has the type of the first parameter."""

    symbol: Symbol
    params: tuple[Type, ...]
    host: str
    """The function of the C library, or of the compiler's, that means the same."""


def rows() -> dict[str, Function]:
    """Return every function by its name with C's suffix: none for `f64`, `f` for `f32`."""
    found: dict[str, Function] = {}
    for suffix, ty, compiler in (("", F64, "__powidf2"), ("f", F32, "__powisf2")):
        for names, params in ((ONE_ARGUMENT, (ty,)), (TWO_ARGUMENTS, (ty, ty))):
            found |= {name + suffix: Function(Symbol(PREFIX + name + suffix), params, name + suffix) for name in names}
        found |= {name: Function(Symbol(PREFIX + name), (F32,), c) for c, name in FAST.items() if c[:-1] in ONE_ARGUMENT}
        found["fast_powf"] = Function(Symbol(PREFIX + "fast_powf"), (F32, F32), "powf")
        found[POWER + suffix] = Function(Symbol(PREFIX + POWER + suffix), (ty, I32), compiler)
    return found


FUNCTIONS = rows()
"""The functions by C's name."""

BY_SYMBOL = {function.symbol: function for function in FUNCTIONS.values()}
"""The functions by libdevice's name."""
