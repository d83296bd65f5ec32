"""The calling convention of functions and kernels.

A parameter travels by its shape: nothing, one register, two, or a pointer to memory that belongs to the callee. A result of one
register is returned, any other is written where a first pointer says. A kernel's parameters follow the host's launchers
instead: a slice is a pointer and a length, a scalar itself, anything else bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxide.dialects import target
from oxide.errors import codes
from oxide.ir import I32, I64, PTR, Function, Param, Symbol
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.refusal import Refusal
from oxide.mir_import.symbols import chosen_symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide import ir
    from oxide.mir_import.layouts import Types


@dataclass(frozen=True, slots=True)
class CallingConvention:
    """How a function is called: its parameters in order, the pointer to the result first if it is not returned."""

    params: tuple[Param, ...]
    result: ir.Type | None
    result_pointer: bool


def calling_convention(types: Types, params: Sequence[int], result: int, spread: int | None = None) -> CallingConvention:
    """Return the calling convention of a function; argument local `spread` is a tuple whose fields are passed one by one."""
    found: list[Param] = []
    shape = types.shape(result)
    returned: ir.Type | None = None
    match shape.kind:
        case "scalar":
            returned = shape.registers[0]
        case "pair" | "memory":
            found.append(Param(PTR))
        case "none" | "unsized":
            pass
    for number, ty in enumerate(params, start=1):
        for part in types.elements(ty) if number == spread else (ty,):
            part_shape = types.shape(part)
            if part_shape.kind == "memory":
                found.append(Param(PTR))
            else:
                found.extend(Param(register) for register in part_shape.registers)
    return CallingConvention(tuple(found), returned, shape.kind in ("pair", "memory"))


def kernel_parameter(types: Types, ty: int) -> list[tuple[int, Param]]:
    """Return the launch parameters that one kernel parameter becomes, each with its offset in the parameter's memory."""
    shape = types.shape(ty)
    pointee = types.pointee(ty)
    if pointee is not None and isinstance(types.kind(pointee), smir.Slice):
        kind = types.kind(ty)
        shared = isinstance(kind, smir.Ref) and not kind.mutable and types.types[pointee].freeze
        return [(0, Param(PTR, noalias=shared, readonly=shared)), (8, Param(I64))]
    if types.is_adt(ty, "cuda_device", "disjoint::DisjointSlice"):
        # A pointer, a length, and for the run-time spaces a width: repr(C).
        parts = [(0, Param(PTR)), (8, Param(I64))]
        return [*parts, (16, Param(I32))] if shape.size > 16 else parts
    match shape.kind:
        case "none":
            return []
        case "scalar":
            return [(0, Param(shape.stored[0]))]
        case "pair" | "memory" | "unsized":
            # It is only copied from, and LLVM reads it in place where the copy is not changed.
            return [(0, Param(PTR, byval=(shape.size, shape.align), noalias=True, readonly=True))]


def check_kernel_parameters(types: Types, source: smir.Function) -> None:
    """Refuse parameters that a launch cannot fill."""
    for index, ty in enumerate(source.params):
        pointee = types.pointee(ty)
        if types.shape(ty).kind == "pair" and pointee is not None and not isinstance(types.kind(pointee), smir.Slice):
            raise Refusal(
                codes.UNSIZED_PARAMETER,
                f"a kernel parameter of type `{types.name(ty)}` cannot be passed from the host",
                parameter_span(source, index),
                help="pass a slice, a raw pointer, or a value that is copied",
            )
        if isinstance(types.kind(ty), smir.Ref) and types.shape(ty).kind == "scalar":
            raise Refusal(
                codes.REFERENCE_PARAMETER,
                f"a kernel parameter of type `{types.name(ty)}` would be shared by every thread",
                parameter_span(source, index),
                help="pass a slice, a `DisjointSlice` or a raw pointer",
            )


def parameter_span(source: smir.Function, index: int) -> int:
    """Return where a parameter is written, or the function where it has no body."""
    body = source.decode_body()
    local = None if body is None else body.locals[1 + index]
    return source.span if local is None else local.span


def kernel_function(types: Types, source: smir.Function, name: str, loc: ir.Location | None) -> Function:
    """Return the empty entry of a kernel."""
    check_kernel_parameters(types, source)
    if types.shape(source.result).kind != "none":
        raise Refusal(codes.RESULT, f"a kernel returns nothing, got `{types.name(source.result)}`", source.span)
    parts = [[param for _, param in kernel_parameter(types, ty)] for ty in source.params]
    params = tuple(param for part in parts for param in part)
    if (size := target.parameter_bytes(param.size_and_align for param in params)) > target.MOST_PARAMETER_BYTES:
        largest = max(range(len(parts)), key=lambda index: target.parameter_bytes(param.size_and_align for param in parts[index]))
        raise Refusal(
            codes.PARAMETER_BYTES,
            f"the parameters of a kernel take at most {target.MOST_PARAMETER_BYTES} bytes, got {size}",
            parameter_span(source, largest),
            help="pass what is large in a buffer",
        )
    # Each crate that instantiates a generic kernel holds the instance.
    weak = any(not isinstance(arg, smir.Lifetime) for arg in source.generic_args)
    return Function(Symbol(name), params, None, kernel=True, weak=weak, loc=loc)


def device_function(types: Types, source: smir.Function, loc: ir.Location | None, operation: str = "") -> Function:
    """Return the empty function of an instance."""
    found = calling_convention(types, source.params, source.result, source.spread_arg)
    inline = source.inline.lower()
    symbol = Symbol(source.symbol) if re.fullmatch(r"_R\w+", source.symbol, re.ASCII) else chosen_symbol(source.symbol)
    return Function(symbol, found.params, found.result, inline=inline, operation=operation, loc=loc)
