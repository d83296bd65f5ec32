"""Functions that are linked in later: `#[device] extern "C"`.

A function of libdevice is there already: it is called as if `extern "C"` alone had declared it.

A scalar or pointer is passed as PTX passes it by the C ABI (CUDA, "PTX Writer's Guide to Interoperability"), a `bool` as a byte.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.dialects import libdevice, mir
from oxide.errors import codes
from oxide.ir import Function, Param, Symbol, Type
from oxide.mir_import.intrinsics.device import constant_of, device, string_of
from oxide.mir_import.operands import spot_of
from oxide.mir_import.refusal import Refusal
from oxide.mir_import.symbols import is_reserved

if TYPE_CHECKING:
    from oxide.mir_import.intrinsics.registry import Call

CONVERGENT, PURE, READONLY = 1, 2, 4
"""What the declaration says, as `cuda_device::external` has it."""


@device("external::call")
def call_external(call: Call) -> None:
    """Call a function by its symbol, which is declared once. Threads may meet in it unless something is said that excludes that."""
    frame = call.frame
    name, facts = string_of(call, call.args[0]), constant_of(call, call.args[1])
    fields = frame.fields(spot_of(frame, call.args[2]))
    params = tuple(Param(passed(call, spot.ty)) for spot in fields)
    output = call.type_arg(1)
    result = None if frame.types.shape(output).kind == "none" else passed(call, output)
    if name.startswith(libdevice.PREFIX):
        symbol = frame.importer.libdevice.declared(name, [spot.ty for spot in fields], output, frame.span)
    else:
        function = Function(Symbol(name), params, result)
        function.memory = "none" if facts & PURE else "read" if facts & READONLY else "write"
        function.convergent = bool(facts & CONVERGENT) or function.memory == "write"
        declare(call, function)
        symbol = function.symbol
    values = tuple(
        frame.add(mir.Load(spot.address(frame), param.type, spot.align)).value for spot, param in zip(fields, params, strict=True)
    )
    value = frame.add(mir.Call(values, symbol, result)).value
    if value is not None:
        frame.add(mir.Store(value, call.target.address(frame), call.target.align))


def passed(call: Call, ty: int) -> Type:
    """Return the type that a parameter or result travels as."""
    shape = call.frame.types.shape(ty)
    if shape.kind != "scalar":
        message = f"an external function takes and returns numbers and pointers, got a `{call.frame.types.name(ty)}`"
        raise Refusal(codes.EXTERNAL_FUNCTION, message, call.frame.span, "pass a pointer to it")
    return shape.stored[0]


def declare(call: Call, function: Function) -> None:
    """Add the declaration, unless it is known; refuse one that says otherwise, and a name that is another's."""
    functions = call.frame.importer.module.functions
    known = functions.get(function.symbol)
    if known is None:
        if is_reserved(function.symbol) or not re.fullmatch(r"[A-Za-z_$][\w$]*", function.symbol, re.ASCII):
            message = f"an external function cannot have the name `{function.symbol}`"
            raise Refusal(
                codes.EXTERNAL_FUNCTION, message, call.frame.span, "use letters, digits, `_` and `$`; names with `__nv_` are libdevice's"
            )
        call.frame.importer.module.add(function)
        return
    if known.blocks or known.kernel:
        message = f"`{function.symbol}` is declared external, but this crate defines it"
        raise Refusal(codes.EXTERNAL_FUNCTION, message, call.frame.span, "rename one")
    said = [(item.params, item.result, item.memory, item.convergent) for item in (known, function)]
    if said[0] != said[1]:
        message = f"the external function `{function.symbol}` is declared in two ways"
        raise Refusal(codes.EXTERNAL_FUNCTION, message, call.frame.span, "declare it once")
