"""Crate `libm`'s functions that kernels do not run the Rust code of: libdevice's and LLVM's are quicker and as precise.

    libm::sinf(x)       → __nv_sinf(x)
    libm::floor(x)      → llvm.floor.f64(x)

A function is known by its crate and its path, `math::sinf::sinf`, wherever it is called from: `num-traits`, `glam` and others call it too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.dialects import intrinsics, libdevice, mir
from oxide.ir import F32, F64, PTR, Function, Param, Symbol

if TYPE_CHECKING:
    from oxide.ir import FloatType
    from oxide.mir_import import stable_mir as smir
    from oxide.mir_import.functions import CallingConvention
    from oxide.mir_import.importer import Importer

LIBRARY = (
    "acos", "asin", "atan", "atan2", "cbrt", "cos", "cosh", "exp", "exp2", "expm1", "hypot", "log", "log10", "log1p", "log2", "pow", "sin",
    "sinh", "tan", "tanh",
)  # fmt: skip
"""What libdevice has, by C's name without suffix."""

LLVM = {
    "ceil": "ceil", "copysign": "copysign", "fabs": "fabs", "floor": "floor", "fma": "fma", "fmax": "maxnum", "fmin": "minnum",
    "rint": "roundeven", "round": "round", "roundeven": "roundeven", "sqrt": "sqrt", "trunc": "trunc",
}  # fmt: skip
"""What LLVM has an intrinsic for."""

PATH = re.compile(r"math::\w+::(\w+)")


def function(importer: Importer, source: smir.Function, found: CallingConvention) -> Symbol | None:
    """Return the symbol of what stands for a function of `libm`; None for those that keep their own code."""
    path = PATH.fullmatch(source.path)
    if source.crate != "libm" or path is None:
        return None
    types = tuple(param.type for param in found.params)
    for base, suffix, ty in ((path[1], "", F64), (path[1].removesuffix("f"), "f", F32)):
        if base + suffix != path[1]:
            continue
        if base in LIBRARY and (types, found.result) == ((row := libdevice.FUNCTIONS[path[1]]).params, row.result):
            return importer.libdevice.symbol(path[1])
        if base in LLVM and (types, found.result) == ((ty,) * intrinsics.FUNCTIONS[LLVM[base]][1], ty):
            return intrinsic(importer, path[1], LLVM[base], ty, len(types))
        if base == "sincos" and found.result_pointer and types == (PTR, ty):
            return both(importer, path[1], ty, importer.types.field_offset(source.result, None, 1))
    return None


def intrinsic(importer: Importer, name: str, llvm: str, ty: FloatType, count: int) -> Symbol:
    """Return the symbol of a function that calls an intrinsic."""
    made = Function(Symbol(f"libm${name}"), (Param(ty),) * count, ty, inline="always")
    if made.symbol not in importer.module.functions:
        op = mir.Intrinsic(made.add_block().params, llvm, ty)
        made.blocks[0].ops += [op, mir.Return(op.value)]
        importer.module.add(made)
    return made.symbol


def both(importer: Importer, name: str, ty: FloatType, offset: int) -> Symbol:
    """Return the symbol of a function that writes a sine and, `offset` bytes after it, a cosine."""
    made = Function(Symbol(f"libm${name}"), (Param(PTR), Param(ty)), None, inline="always")
    if made.symbol not in importer.module.functions:
        pointer, angle = made.add_block().params
        second = mir.Offset(pointer, offset)
        call = mir.Call((angle, pointer, second.addr), importer.libdevice.symbol(name), None)
        made.blocks[0].ops += [second, call, mir.Return(None)]
        importer.module.add(made)
    return made.symbol
