"""The functions of a device library: `#[device]` in a crate without kernels, which other device code calls by their names.

    exported(types, export, source, callee)      # a function that passes on what it is given

What crosses is what `#[device] extern "C"` declares on the other side: numbers and pointers, as PTX passes them by the C ABI (CUDA, "PTX
Writer's Guide to Interoperability"), a `bool` as a byte.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import codes
from oxide.ir import I32, Function, IntType, Param, Symbol
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.functions import parameter_span
from oxide.mir_import.refusal import Refusal
from oxide.mir_import.symbols import is_reserved

if TYPE_CHECKING:
    from oxide.ir import Location, Type, Value
    from oxide.mir_import.layouts import Types


def exported(types: Types, export: smir.Export, source: smir.Function, callee: Function, loc: Location) -> Function:
    """Return the function of the exported name, which calls the one of this crate, `callee`."""
    if is_reserved(export.name) or not re.fullmatch(r"[A-Za-z_$][\w$]*", export.name, re.ASCII):
        message = f"a function of a device library cannot have the name `{export.name}`"
        raise Refusal(codes.EXPORTED_FUNCTION, message, export.span, "use letters, digits, `_` and `$`; names with `__nv_` are libdevice's")
    given = [(number, ty) for number, ty in enumerate(source.params) if carries(types, ty)]
    params = tuple(Param(passed(types, ty, parameter_span(source, number))) for number, ty in given)
    result = passed(types, source.result, export.span) if carries(types, source.result) else None
    if isinstance(result, IntType) and result.width < 32:
        # Callers may count on the bits above it (CUDA's C ABI, as C: an integer is returned extended).
        result = I32
    function = Function(Symbol(export.name), params, result, exported=True, loc=loc)
    ops = function.add_block().ops

    def converted(value: Value, ty: Type, signed: bool = False) -> Value:
        if value.type is ty:
            return value
        ops.append(cast := mir.IntCast(value, ty, signed))
        return cast.value

    values = tuple(converted(value, param.type) for value, param in zip(function.arguments, callee.params, strict=True))
    ops.append(call := mir.Call(values, callee.symbol, callee.result))
    ops.append(mir.Return(None if call.value is None or result is None else converted(call.value, result, is_signed(types, source.result))))
    for op in ops:
        op.loc = loc
    return function


def is_signed(types: Types, ty: int) -> bool:
    """Return whether a value is an integer with a sign, or wraps one."""
    match types.layout(ty).abi:
        case smir.ScalarAbi(smir.IntScalar(signed=signed)):
            return signed
        case _:
            return False


def carries(types: Types, ty: int) -> bool:
    """Return whether a value of the type is anything that is passed."""
    return types.shape(ty).kind != "none"


def passed(types: Types, ty: int, span: int) -> Type:
    """Return the type that a parameter or result, written at `span`, travels as."""
    shape = types.shape(ty)
    if shape.kind != "scalar":
        message = f"a function of a device library takes and returns numbers and pointers, got a `{types.name(ty)}`"
        help_text = "pass a pointer to it, of a slice also its length; what Rust alone calls takes anything without `#[device]`"
        raise Refusal(codes.EXPORTED_FUNCTION, message, span, help_text)
    return shape.stored[0]
