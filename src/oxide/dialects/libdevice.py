"""The functions of numbers that NVIDIA's libdevice has: what each takes and gives.

    FUNCTIONS["sinf"].symbol, FUNCTIONS["sinf"].params       # "__nv_sinf", (f32,)

A module declares those it calls and the PTX stage links libdevice in; what the CPU device calls instead, `export/cpu_library.py` says. The
two agree within libdevice's error bounds (CUDA C++ Programming Guide, "Mathematical Functions"), not bit for bit. The names are those
of the "libdevice User's Guide" without `__nv_`.
"""

from __future__ import annotations

from dataclasses import dataclass

from oxide.ir import F32, F64, I8, I16, I32, I64, PTR, Symbol, Type

PREFIX = "__nv_"

BOTH = {
    "x(x)": (
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp exp10 exp2"
        " expm1 fabs floor j0 j1 lgamma log log10 log1p log2 logb nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin sinh sinpi sqrt"
        " tan tanh tgamma trunc y0 y1"
    ),
    "x(xx)": "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot",
    "x(xxx)": "fma norm3d rnorm3d",
    "x(xxxx)": "norm4d rnorm4d",
    "x(xi)": "ldexp powi scalbn",
    "x(ix)": "jn yn",
    "i(x)": "ilogb",
    "l(x)": "llrint llround",
    "x(B)": "nan",
    "x(xI)": "frexp",
    "x(xX)": "modf",
    "x(xxI)": "remquo",
    "x(iX)": "norm rnorm",
    "(xXX)": "sincos sincospi",
}
"""Functions of `f64`, whose `f32` forms end in `f`, by what they give and take.

`x` is the float, `d` an `f64`, `f` an `f32`, `b`, `h`, `i` and `l` are integers of 8, 16, 32 and 64 bits; a capital is a pointer to such.
"""

ROUNDED = {
    "f(ff)": "fadd fdiv fmul fsub",
    "d(dd)": "dadd ddiv dmul dsub",
    "f(f)": "frcp fsqrt",
    "d(d)": "drcp dsqrt",
    "f(fff)": "fmaf fmaf_ieee",
    "d(ddd)": "fma",
    "f(d)": "double2float",
    "i(d)": "double2int double2uint",
    "l(d)": "double2ll double2ull",
    "i(f)": "float2int float2uint",
    "l(f)": "float2ll float2ull",
    "f(i)": "int2float uint2float",
    "f(l)": "ll2float ull2float",
    "d(l)": "ll2double ull2double",
}
"""Functions that end in how they round."""

DIRECTIONS = ("rn", "rz", "rd", "ru")
"""To the nearest, to zero, down and up."""

OTHERS = {
    "i(i)": "abs brev clz ffs popc",
    "i(l)": "clzll ffsll popcll",
    "l(l)": "brevll llabs",
    "i(ii)": "hadd max min mul24 mulhi rhadd uhadd umax umin umul24 umulhi urhadd",
    "l(ll)": "llmax llmin mul64hi ullmax ullmin umul64hi",
    "i(iii)": "byte_perm sad usad",
    "f(f)": "fast_cosf fast_exp10f fast_expf fast_log10f fast_log2f fast_logf fast_sinf fast_tanf fast_tanhf frsqrt_rn saturatef",
    "f(ff)": "fast_fdividef fast_powf",
    "(fFF)": "fast_sincosf",
    "d(d)": "rcp64h",
    "i(f)": "finitef float_as_int float_as_uint isinff isnanf signbitf",
    "i(d)": "double2hiint double2loint isfinited isinfd isnand signbitd",
    "l(d)": "double_as_longlong",
    "f(i)": "int_as_float uint_as_float",
    "d(i)": "int2double_rn uint2double_rn",
    "d(l)": "longlong_as_double",
    "d(ii)": "hiloint2double",
    "h(f)": "float2half_rn",
    "f(h)": "half2float",
}
"""All else."""

TYPES: dict[str, Type] = {"b": I8, "h": I16, "i": I32, "l": I64, "f": F32, "d": F64}

FAST = {
    "sinf": "fast_sinf", "cosf": "fast_cosf", "tanf": "fast_tanf", "sincosf": "fast_sincosf", "expf": "fast_expf", "exp10f": "fast_exp10f",
    "logf": "fast_logf", "log2f": "fast_log2f", "log10f": "fast_log10f", "powf": "fast_powf",
}  # fmt: skip
"""The functions of `f32` that have an approximation, and its name (CUDA C++ Programming Guide, "Intrinsic Functions")."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function."""

    symbol: Symbol
    params: tuple[Type, ...]
    result: Type | None
    pointees: tuple[Type | None, ...]
    """What each parameter points to, if it is a pointer."""


def function(name: str, form: str) -> Function:
    """Return a function by its form, such as `i(f)`."""
    result, _, params = form.rstrip(")").partition("(")
    types = tuple(PTR if letter.isupper() else TYPES[letter] for letter in params)
    pointees = tuple(TYPES[letter.lower()] if letter.isupper() else None for letter in params)
    return Function(Symbol(PREFIX + name), types, TYPES[result] if result else None, pointees)


def rows() -> dict[str, Function]:
    """Return every function by its name."""
    found: dict[str, Function] = {}
    for form, names in BOTH.items():
        for suffix, letter in (("", "d"), ("f", "f")):
            own = form.replace("x", letter).replace("X", letter.upper())
            found |= {name + suffix: function(name + suffix, own) for name in names.split()}
    for form, names in ROUNDED.items():
        found |= {f"{name}_{way}": function(f"{name}_{way}", form) for name in names.split() for way in DIRECTIONS}
    for form, names in OTHERS.items():
        found |= {name: function(name, form) for name in names.split()}
    return found


FUNCTIONS = rows()
"""The functions by name; where C has one of that name, it means the same."""

BY_SYMBOL = {function.symbol: function for function in FUNCTIONS.values()}
"""The functions by libdevice's name."""


IN_RUST = {"log": "ln", "log1p": "ln_1p", "expm1": "exp_m1", "pow": "powf", "sincos": "sin_cos", "fmod": "%"}
"""What methods of `f32` and `f64` are called that have another name than C's functions."""


def in_rust(symbol: str) -> str:
    """Return what a program calls a function, and of what type: "`exp` of `f32`" for `__nv_expf`."""
    name = symbol.removeprefix(PREFIX)
    single = (name.endswith("f") and name[:-1] in FUNCTIONS) or name.startswith("fast_")
    base = name.removeprefix("fast_").removesuffix("f") if single else name
    return f"`{IN_RUST.get(base, base)}` of `{'f32' if single else 'f64'}`"
