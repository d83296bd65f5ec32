"""What stands for libdevice's functions in a CPU image: the C library's, or a few lines of LLVM IR in terms of those.

    name("sinf"), name("rsqrtf")            # "sinf", "oxide.math.rsqrtf"
    lines({"rsqrtf"})                       # "declare float @llvm.sqrt.f32(float)", "define internal float @oxide.math.rsqrtf(float %0) …"

Every function has one.
"""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING

from oxide.dialects.libdevice import DIRECTIONS, FAST, FUNCTIONS, ROUNDED, TYPES
from oxide.export.llvm_ir import spell_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oxide.ir import Type

SHARED = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf", "erfc", "exp", "exp10",
    "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb", "j0", "j1", "jn", "ldexp", "lgamma",
    "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "modf", "nan", "nearbyint", "nextafter", "pow", "remainder", "remquo",
    "rint", "round", "scalbn", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn",
)  # fmt: skip
"""Names that mean the same in libdevice and in the C library."""

HOST = {
    **{name + suffix: name + suffix for name in SHARED for suffix in ("", "f")},
    **{fast: exact for exact, fast in FAST.items()},
    "fast_tanhf": "tanhf",
    "powi": "__powidf2",
    "powif": "__powisf2",
}
"""The functions of the C library, or of the compiler's, that stand for some."""

BODIES = {
    "rsqrt": "%a = call X @llvm.sqrt.T(X %0)\n %r = fdiv X 1.0, %a",
    "rcbrt": "%a = call X @cbrtF(X %0)\n %r = fdiv X 1.0, %a",
    "rhypot": "%a = call X @hypotF(X %0, X %1)\n %r = fdiv X 1.0, %a",
    "norm3d": "%a = call X @hypotF(X %0, X %1)\n %r = call X @hypotF(X %a, X %2)",
    "rnorm3d": "%a = call X @hypotF(X %0, X %1)\n %b = call X @hypotF(X %a, X %2)\n %r = fdiv X 1.0, %b",
    "norm4d": "%a = call X @hypotF(X %0, X %1)\n %b = call X @hypotF(X %a, X %2)\n %r = call X @hypotF(X %b, X %3)",
    "rnorm4d": (
        "%a = call X @hypotF(X %0, X %1)\n %b = call X @hypotF(X %a, X %2)\n %c = call X @hypotF(X %b, X %3)\n %r = fdiv X 1.0, %c"
    ),
    "norm": """%some = icmp sgt i32 %0, 0
 br i1 %some, label %loop, label %done
loop:
 %i = phi i32 [ 0, %start ], [ %next, %loop ]
 %sum = phi X [ 0.0, %start ], [ %longer, %loop ]
 %address = getelementptr X, ptr %1, i32 %i
 %item = load X, ptr %address
 %longer = call X @hypotF(X %sum, X %item)
 %next = add i32 %i, 1
 %more = icmp slt i32 %next, %0
 br i1 %more, label %loop, label %done
done:
 %r = phi X [ 0.0, %start ], [ %longer, %loop ]""",
    "rnorm": "%a = call X @oxide.math.normF(i32 %0, ptr %1)\n %r = fdiv X 1.0, %a",
    "sincospi": """%s = call X @oxide.math.sinpiF(X %0)
 store X %s, ptr %1
 %c = call X @oxide.math.cospiF(X %0)
 store X %c, ptr %2""",
}
"""Bodies of functions in both precisions: X stands for the type, T for its name in intrinsics, F for C's suffix. The result is `%r`."""

QUARTER = """%turn = call double @fmod(double %0, double 2.0)
 %twice = fmul double %turn, 2.0
 %whole = call double @llvm.roundeven.f64(double %twice)
 %half = fmul double %whole, 0.5
 %rest = fsub double %turn, %half
 %none = fcmp oeq double %whole, 0.0
 %small = select i1 %none, double %turn, double %rest
 %angle = fmul double %small, 0x400921FB54442D18
 %sin = call double @sin(double %angle)
 %cos = call double @cos(double %angle)
 %quarter = call i32 @llvm.fptosi.sat.i32.f64(double %whole)
 %shifted = add i32 %quarter, SHIFT
 %odd = trunc i32 %shifted to i1
 %found = select i1 %odd, double %cos, double %sin
 %beyond = and i32 %shifted, 2
 %negative = icmp ne i32 %beyond, 0
 %opposite = fsub double 0.0, %found
 %r = select i1 %negative, double %opposite, double %found"""
"""The sine, or with a shift by 1 the cosine, of a number of half turns, which are taken off before they are rounded as an angle."""


def in_double(name: str) -> str:
    """Return the body of a function of `f32` by that of `f64`."""
    return f"%a = fpext float %0 to double\n %b = call double @{name}(double %a)\n %r = fptrunc double %b to float"


def constant(number: float) -> str:
    """Return an `f64` as LLVM IR spells any."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


SCALED_ERFC = f"""%is_far = fcmp oge double %0, 1.0e1
 br i1 %is_far, label %far, label %near
far:
 %squared = fmul double %0, %0
 %doubled = fmul double %squared, 2.0
 br label %series
series:
 %k = phi double [ 1.5e1, %far ], [ %before, %series ]
 %sum = phi double [ 1.0, %far ], [ %next, %series ]
 %twice = fmul double %k, 2.0
 %odd = fsub double %twice, 1.0
 %part = fdiv double %odd, %doubled
 %term = fmul double %part, %sum
 %next = fsub double 1.0, %term
 %before = fsub double %k, 1.0
 %more = fcmp ogt double %before, 0.5
 br i1 %more, label %series, label %sum_up
sum_up:
 %height = fdiv double {constant(1 / math.sqrt(math.pi))}, %0
 %small = fmul double %height, %next
 br label %done
near:
 %square = fmul double %0, %0
 %opposite = fneg double %square
 %exact = call double @llvm.fma.f64(double %0, double %0, double %opposite)
 %is_finite = fcmp olt double %square, 1.0e3
 %grown = call double @exp(double %square)
 %erfc = call double @erfc(double %0)
 %product = fmul double %grown, %erfc
 %corrected = call double @llvm.fma.f64(double %product, double %exact, double %product)
 %large = select i1 %is_finite, double %corrected, double %product
 br label %done
done:
 %r = phi double [ %small, %sum_up ], [ %large, %near ]"""
"""exp(x²) erfc(x): as that, with what x² was rounded by, or from 10 on by its asymptotic series (DLMF, 7.12.1)."""

NEWTON = 12
"""Steps that are more than Newton's method needs from where it starts here."""

INVERSE_ERF = f"""%magnitude = call double @llvm.fabs.f64(double %0)
 %is_small = fcmp ole double %magnitude, 0.5
 br i1 %is_small, label %near, label %far
near:
 %first = fmul double %0, {constant(math.sqrt(math.pi) / 2)}
 br label %loop
loop:
 %i = phi i32 [ 0, %near ], [ %j, %loop ]
 %z = phi double [ %first, %near ], [ %better, %loop ]
 %erf = call double @erf(double %z)
 %over = fsub double %erf, %0
 %square = fmul double %z, %z
 %grown = call double @exp(double %square)
 %slope = fmul double %grown, {constant(math.sqrt(math.pi) / 2)}
 %step = fmul double %over, %slope
 %better = fsub double %z, %step
 %j = add i32 %i, 1
 %more = icmp slt i32 %j, {NEWTON}
 br i1 %more, label %loop, label %done
far:
 %rest = fsub double 1.0, %magnitude
 %found = call double @oxide.math.erfcinv(double %rest)
 %signed = call double @llvm.copysign.f64(double %found, double %0)
 br label %done
done:
 %r = phi double [ %better, %loop ], [ %signed, %far ]"""
"""Newton's method on erf(z) − x where x is at most a half; beyond, 1 − x is exact."""

INVERSE_ERFC = f"""%is_low = fcmp ult double %0, 0.5
 br i1 %is_low, label %low, label %other
other:
 %is_high = fcmp ogt double %0, 1.5
 br i1 %is_high, label %high, label %middle
high:
 %mirrored = fsub double 2.0, %0
 %inverse = call double @oxide.math.erfcinv(double %mirrored)
 %turned = fneg double %inverse
 br label %done
middle:
 %erf = fsub double 1.0, %0
 %direct = call double @oxide.math.erfinv(double %erf)
 br label %done
low:
 %log = call double @log(double %0)
 %minus = fneg double %log
 %first = call double @llvm.sqrt.f64(double %minus)
 %is_zero = fcmp oeq double %0, 0.0
 br i1 %is_zero, label %done, label %loop
loop:
 %i = phi i32 [ 0, %low ], [ %j, %loop ]
 %z = phi double [ %first, %low ], [ %better, %loop ]
 %scaled = call double @oxide.math.erfcx(double %z)
 %log_scaled = call double @log(double %scaled)
 %square = fmul double %z, %z
 %log_erfc = fsub double %log_scaled, %square
 %over = fsub double %log_erfc, %log
 %slope = fmul double %scaled, {constant(math.sqrt(math.pi) / 2)}
 %step = fmul double %over, %slope
 %better = fadd double %z, %step
 %j = add i32 %i, 1
 %more = icmp slt i32 %j, {NEWTON}
 br i1 %more, label %loop, label %done
done:
 %r = phi double [ %turned, %high ], [ %direct, %middle ], [ 0x7FF0000000000000, %low ], [ %better, %loop ]"""
"""Newton's method on the logarithm of erfc(z), which falls ever faster, from beyond its root; near 1 that of erf, above it mirrored."""


def bessel(order: int) -> str:
    """Return the body of a modified Bessel function of the first kind by its power series, whose terms are all positive (DLMF, 10.25.2)."""
    scale = "%half" if order else "1.0"
    return f"""%half = fmul double %0, 0.5
 %quarter = fmul double %half, %half
 br label %loop
loop:
 %k = phi double [ 1.0, %start ], [ %next, %loop ]
 %term = phi double [ 1.0, %start ], [ %smaller, %loop ]
 %sum = phi double [ 1.0, %start ], [ %longer, %loop ]
 %other = fadd double %k, {order}.0
 %divisor = fmul double %k, %other
 %factor = fdiv double %quarter, %divisor
 %smaller = fmul double %term, %factor
 %longer = fadd double %sum, %smaller
 %next = fadd double %k, 1.0
 %least = fmul double %longer, {constant(2.0**-60)}
 %more = fcmp ogt double %smaller, %least
 br i1 %more, label %loop, label %done
done:
 %r = fmul double %longer, {scale}"""


BY_SERIES = {
    "erfcx": SCALED_ERFC,
    "erfinv": INVERSE_ERF,
    "erfcinv": INVERSE_ERFC,
    "normcdfinv": (
        "%twice = fmul double %0, 2.0\n %a = call double @oxide.math.erfcinv(double %twice)\n"
        f" %r = fmul double %a, {constant(-math.sqrt(2))}"
    ),
    "cyl_bessel_i0": bessel(0),
    "cyl_bessel_i1": bessel(1),
}
"""Bodies of functions of `f64` that the C library has nothing like."""

SINGLE = {
    **BY_SERIES,
    **{f"{name}f": in_double(f"oxide.math.{name}") for name in BY_SERIES},
    "sinpi": QUARTER.replace("SHIFT", "0"),
    "cospi": QUARTER.replace("SHIFT", "1"),
    "sinpif": in_double("oxide.math.sinpi"),
    "cospif": in_double("oxide.math.cospi"),
    "normcdf": "%a = fmul double %0, 0xBFE6A09E667F3BCD\n %b = call double @erfc(double %a)\n %r = fmul double %b, 0.5",
    "normcdff": in_double("oxide.math.normcdf"),
    "frsqrt_rn": in_double("oxide.math.rsqrt"),
    "rcp64h": ("%a = fdiv double 1.0, %0\n %b = bitcast double %a to i64\n %c = and i64 %b, -4294967296\n %r = bitcast i64 %c to double"),
    "saturatef": "%a = call float @llvm.maxnum.f32(float %0, float 0.0)\n %r = call float @llvm.minnum.f32(float %a, float 1.0)",
    "fast_fdividef": "%r = fdiv float %0, %1",
    "half2float": "%a = bitcast i16 %0 to half\n %r = fpext half %a to float",
    "float2half_rn": "%a = fptrunc float %0 to half\n %r = bitcast half %a to i16",
    "int2double_rn": "%r = sitofp i32 %0 to double",
    "uint2double_rn": "%r = uitofp i32 %0 to double",
    "hiloint2double": (
        "%a = zext i32 %0 to i64\n %b = shl i64 %a, 32\n %c = zext i32 %1 to i64\n %d = or i64 %b, %c\n %r = bitcast i64 %d to double"
    ),
    "double2hiint": "%a = bitcast double %0 to i64\n %b = lshr i64 %a, 32\n %r = trunc i64 %b to i32",
    "double2loint": "%a = bitcast double %0 to i64\n %r = trunc i64 %a to i32",
    "double_as_longlong": "%r = bitcast double %0 to i64",
    "longlong_as_double": "%r = bitcast i64 %0 to double",
    "byte_perm": """%low = zext i32 %0 to i64
 %wide = zext i32 %1 to i64
 %high = shl i64 %wide, 32
 %bytes = or i64 %low, %high
"""
    + "\n".join(
        f""" %choice{n} = lshr i32 %2, {4 * n}
 %index{n} = and i32 %choice{n}, 7
 %long{n} = zext i32 %index{n} to i64
 %shift{n} = shl i64 %long{n}, 3
 %moved{n} = lshr i64 %bytes, %shift{n}
 %cut{n} = trunc i64 %moved{n} to i32
 %byte{n} = and i32 %cut{n}, 255
 %place{n} = shl i32 %byte{n}, {8 * n}"""
        for n in range(4)
    )
    + "\n %two = or i32 %place0, %place1\n %three = or i32 %two, %place2\n %r = or i32 %three, %place3",
    **dict.fromkeys(("float_as_int", "float_as_uint"), "%r = bitcast float %0 to i32"),
    **dict.fromkeys(("int_as_float", "uint_as_float"), "%r = bitcast i32 %0 to float"),
}
"""Bodies of single functions."""


def predicates(letter: str) -> dict[str, str]:
    """Return the bodies of questions about an `f32` or an `f64`."""
    ty, bits = ("double", 64) if letter == "d" else ("float", 32)
    magnitude = f"%a = call {ty} @llvm.fabs.f{bits}({ty} %0)\n %b = fcmp PREDICATE {ty} %a, 0x7FF0000000000000\n %r = zext i1 %b to i32"
    return {
        f"isinf{letter}": magnitude.replace("PREDICATE", "oeq"),
        "isfinited" if letter == "d" else "finitef": magnitude.replace("PREDICATE", "olt"),
        f"isnan{letter}": f"%a = fcmp uno {ty} %0, %0\n %r = zext i1 %a to i32",
        f"signbit{letter}": f"%a = bitcast {ty} %0 to i{bits}\n %b = icmp slt i{bits} %a, 0\n %r = zext i1 %b to i32",
    }


def bits(width: int) -> dict[str, str]:
    """Return the bodies of functions of the bits of an integer. A count is an `i32`."""
    long, ty, whole = "" if width == 32 else "ll", f"i{width}", f"i{width} %0"
    cut = "freeze i32 %c" if width == 32 else "trunc i64 %c to i32"
    return {
        f"clz{long}": f"%c = call {ty} @llvm.ctlz.{ty}({whole}, i1 false)\n %r = {cut}",
        f"popc{long}": f"%c = call {ty} @llvm.ctpop.{ty}({whole})\n %r = {cut}",
        f"ffs{long}": (
            f"%a = call {ty} @llvm.cttz.{ty}({whole}, i1 false)\n %b = add {ty} %a, 1\n %none = icmp eq {whole}, 0\n"
            f" %c = select i1 %none, {ty} 0, {ty} %b\n %r = {cut}"
        ),
        f"brev{long}": f"%r = call {ty} @llvm.bitreverse.{ty}({whole})",
        f"{long}abs": f"%r = call {ty} @llvm.abs.{ty}({whole}, i1 false)",
    }


def products(sign: str, width: int) -> dict[str, str]:
    """Return the bodies of the larger and the smaller of two integers, signed or unsigned, and of the upper half of their product."""
    prefix = ("u" if sign == "u" else "") + ("" if width == 32 else "ll")
    ty, wide, extend = f"i{width}", f"i{2 * width}", "zext" if sign == "u" else "sext"
    high = f"{'u' if sign == 'u' else ''}mul{'' if width == 32 else width}hi"
    return {
        **{f"{prefix}{which}": f"%r = call {ty} @llvm.{sign}{which}.{ty}({ty} %0, {ty} %1)" for which in ("min", "max")},
        high: (
            f"%a = {extend} {ty} %0 to {wide}\n %b = {extend} {ty} %1 to {wide}\n %c = mul {wide} %a, %b\n"
            f" %d = lshr {wide} %c, {width}\n %r = trunc {wide} %d to {ty}"
        ),
    }


def small(sign: str) -> dict[str, str]:
    """Return the bodies of other functions of signed or unsigned `i32`."""
    prefix, shift, extend = ("u", "lshr", "zext") if sign == "u" else ("", "ashr", "sext")
    mean = (
        f"%a = {extend} i32 %0 to i64\n %b = {extend} i32 %1 to i64\n %c = add i64 %a, %b\n %d = add i64 %c, UP\n %e = ashr i64 %d, 1\n"
        " %r = trunc i64 %e to i32"
    )
    return {
        f"{prefix}mul24": (
            f"%a = shl i32 %0, 8\n %b = {shift} i32 %a, 8\n %c = shl i32 %1, 8\n %d = {shift} i32 %c, 8\n %r = mul i32 %b, %d"
        ),
        f"{prefix}hadd": mean.replace("UP", "0"),
        f"{prefix}rhadd": mean.replace("UP", "1"),
        f"{prefix}sad": (
            f"%a = call i32 @llvm.{sign}max.i32(i32 %0, i32 %1)\n %b = call i32 @llvm.{sign}min.i32(i32 %0, i32 %1)\n"
            " %c = sub i32 %a, %b\n %r = add i32 %c, %2"
        ),
    }


MODES = {"rn": 0, "rd": 0x400, "ru": 0x800, "rz": 0xC00}
"""How the processor is told to round (the C library's `fesetround` on x86-64)."""

TO_WHOLE = {"rn": "roundeven", "rz": "trunc", "rd": "floor", "ru": "ceil"}


def rounded(name: str, way: str, params: str, result: str) -> str:
    """Return the body of a function that rounds in a way; its types are letters of libdevice's table."""
    takes, gives = params[0], result
    if gives in "il":
        return to_whole(takes, gives, way, unsigned="2u" in name)
    ty = {"f": "float", "d": "double"}[gives]
    suffix, arguments = {"f": "f32", "d": "f64"}[gives], ", ".join(f"{ty} %{number}" for number in range(len(params)))
    if "2" in name:
        source = {"d": "f64", "i": "i32", "l": "i64"}[takes]
        operation = "fptrunc" if takes == "d" else "uitofp" if name.startswith("u") else "sitofp"
        head, arguments = f"{operation}.{suffix}.{source}", f"{spell_type(TYPES[takes])} %0"
    else:
        operation = next(known for known in ("add", "sub", "mul", "div", "rcp", "sqrt", "fma") if known in name)
        head = {"fma": "fma", "sqrt": "sqrt", "rcp": "fdiv"}.get(operation, f"f{operation}") + f".{suffix}"
        arguments = f"{ty} 1.0, {ty} %0" if operation == "rcp" else arguments
    return f"""%before = call i32 @fegetround() strictfp
 %set = call i32 @fesetround(i32 {MODES[way]}) strictfp
 %r = call {ty} @llvm.experimental.constrained.{head}({arguments}, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
 %reset = call i32 @fesetround(i32 %before) strictfp"""


def to_whole(takes: str, gives: str, way: str, *, unsigned: bool) -> str:
    """Return the body of a conversion to an integer, which stops at its bounds; a NaN becomes what PTX says (PTX ISA, "cvt")."""
    ty, name = ("double", "f64") if takes == "d" else ("float", "f32")
    width = 32 if gives == "i" else 64
    nan = 0 if takes == "f" and width == 32 else -(1 << (width - 1))
    return f"""%a = call {ty} @llvm.{TO_WHOLE[way]}.{name}({ty} %0)
 %b = call i{width} @llvm.fpto{"u" if unsigned else "s"}i.sat.i{width}.{name}({ty} %a)
 %none = fcmp uno {ty} %0, %0
 %r = select i1 %none, i{width} {nan}, i{width} %b"""


def bodies() -> dict[str, str]:
    """Return the body of every function that has one, by name."""
    found = dict(SINGLE)
    for suffix, ty, name in (("", "double", "f64"), ("f", "float", "f32")):
        for function, text in BODIES.items():
            found[function + suffix] = re.sub(r"\bX\b", ty, text).replace(".T(", f".{name}(").replace("F(", f"{suffix}(")
    for letter in "df":
        found |= predicates(letter)
    for width in (32, 64):
        found |= bits(width)
    for sign in "su":
        found |= {**products(sign, 32), **products(sign, 64), **small(sign)}
    for form, names in ROUNDED.items():
        result, _, params = form.rstrip(")").partition("(")
        found |= {f"{name}_{way}": rounded(name, way, params, result) for name in names.split() for way in DIRECTIONS}
    return found


DEFINED = bodies()

CALLED = re.compile(r"call (?P<result>\S+) @(?P<name>[\w.]+)\((?P<args>.*)\)")


def replacement(name: str) -> str:
    """Return the function that is called instead of one of libdevice's."""
    return f"{OWN}{name}" if name in DEFINED else HOST[name]


OWN = "oxide.math."


def lines(names: Iterable[str]) -> Iterator[str]:
    """Yield the declarations and definitions that calls of these functions need."""
    declared: dict[str, str] = {}
    defined: dict[str, None] = {}
    waiting = sorted(names)
    while waiting:
        name = waiting.pop()
        if name not in DEFINED:
            row = FUNCTIONS[name]
            declared[HOST[name]] = f"declare {spell_result(row.result)} @{HOST[name]}({', '.join(map(spell_type, row.params))})"
        elif name not in defined:
            defined[name] = None
            for call in CALLED.finditer(DEFINED[name]):
                if call["name"].startswith(OWN):
                    waiting.append(call["name"].removeprefix(OWN))
                else:
                    params = ", ".join(arg.rpartition(" ")[0] or arg for arg in call["args"].split(", ") if arg)
                    declared[call["name"]] = f"declare {call['result']} @{call['name']}({params})"
    yield from (declared[name] for name in sorted(declared))
    yield from (define(name) for name in sorted(defined))


def define(name: str) -> str:
    """Return the function of a body."""
    row = FUNCTIONS[name]
    result = spell_result(row.result)
    params = ", ".join(f"{spell_type(ty)} %{number}" for number, ty in enumerate(row.params))
    strict = " noinline strictfp" if "strictfp" in DEFINED[name] else ""
    end = "ret void" if row.result is None else f"ret {result} %r"
    return f"define internal {result} @{OWN}{name}({params}) nounwind{strict} {{\nstart:\n {DEFINED[name]}\n {end}\n}}"


def spell_result(ty: Type | None) -> str:
    """Spell what a function gives."""
    return "void" if ty is None else spell_type(ty)
