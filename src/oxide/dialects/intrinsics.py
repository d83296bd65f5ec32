"""What LLVM's intrinsics take and give (LangRef, "Intrinsic Functions"), those of the GPU by their table.

signature("llvm.ctlz.i32")        # ((i32, i1), i32)
signature("llvm.trap")            # ((), None)
"""

from __future__ import annotations

import re
from functools import cache

from oxide.dialects import operations
from oxide.ir import I1, Float, FloatType, Int, IntType, NumberType, Struct, Type

Signature = tuple[tuple[Type, ...], Type | None]

FUNCTIONS: dict[str, tuple[type[NumberType], int]] = {
    **dict.fromkeys(("bitreverse", "bswap", "ctlz", "ctpop", "cttz"), (IntType, 1)),
    **dict.fromkeys(("fshl", "fshr"), (IntType, 3)),
    **dict.fromkeys(("ceil", "fabs", "floor", "round", "roundeven", "sqrt", "trunc"), (FloatType, 1)),
    **dict.fromkeys(("copysign", "maximum", "maxnum", "minimum", "minnum"), (FloatType, 2)),
    **dict.fromkeys(("fma", "fmuladd"), (FloatType, 3)),
}
"""Pure functions of numbers: of what, and how many. All are of one type, and so is the result."""

PLAIN: dict[str, Signature] = {"llvm.trap": ((), None), "llvm.assume": ((I1,), None)}

SATURATING = frozenset(f"{sign}{function}.sat" for sign in "su" for function in ("add", "sub"))
OVERFLOW = frozenset(f"{sign}{function}.with.overflow" for sign in "su" for function in ("add", "sub", "mul"))
FLOAT_TO_INT = frozenset(("fptosi.sat", "fptoui.sat"))

NAME = re.compile(r"llvm\.([a-z.]+)\.([if])(\d+)(?:\.f(\d+))?")


def takes(function: str, ty: Type, count: int) -> bool:
    """Return whether a function of `FUNCTIONS` is one of so many numbers of a type."""
    kind, expected = FUNCTIONS[function]
    whole_bytes = function != "bswap" or (isinstance(ty, IntType) and ty.width % 16 == 0)
    return isinstance(ty, kind) and count == expected and whole_bytes


@cache
def signature(name: str) -> Signature | None:
    """Return the types of an intrinsic by its full name; None for one that oxide does not use."""
    if (row := operations.BY_INTRINSIC.get(name)) is not None:
        return row.signature
    if (found := NAME.fullmatch(name)) is None:
        return PLAIN.get(name)
    function, letter, digits, second = found.groups()
    ty: Type = (Int if letter == "i" else Float)(int(digits))
    if second is not None:
        return ((Float(int(second)),), ty) if function in FLOAT_TO_INT and letter == "i" else None
    if letter == "i" and function in SATURATING:
        return (ty, ty), ty
    if letter == "i" and function in OVERFLOW:
        return (ty, ty), Struct((ty, I1))
    if function not in FUNCTIONS or not takes(function, ty, count := FUNCTIONS[function][1]):
        return None
    # Whether zero has no answer is a number of its own.
    return ((ty, I1) if function in ("ctlz", "cttz") else (ty,) * count), ty
