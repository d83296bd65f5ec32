"""Declarations of libdevice's functions, and where the program first calls each.

importer.libdevice.symbol("expf")       # __nv_expf, or __nv_fast_expf with fast-math
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from oxide.dialects import libdevice
from oxide.errors import codes
from oxide.ir import F32, F64, I8, I16, I32, I64, Function, Param, Symbol, Type
from oxide.mir_import.functions import calling_convention
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.mir_import import stable_mir as smir
    from oxide.mir_import.importer import Importer


class LibdeviceFunctions:
    """The functions of libdevice that one import declares."""

    def __init__(self, importer: Importer) -> None:
        self.importer = importer
        self.first_calls: dict[str, tuple[smir.Function, int | None]] = {}
        """Where each is first called, by its symbol."""

    def symbol(self, name: str, *, exact: bool = False, span: int | None = None) -> Symbol:
        """Return the symbol of a mathematical function, or, unless it must be `exact`, of the approximation that is asked for.

        It is declared once.
        """
        row = libdevice.FUNCTIONS[libdevice.FAST.get(name, name) if self.importer.fast_math and not exact else name]
        if row.symbol not in self.importer.module.functions:
            self.first_calls[row.symbol] = (self.importer.importing, self.importer.named_at if span is None else span)
            self.importer.module.add(Function(row.symbol, tuple(map(Param, row.params)), row.result))
        return row.symbol

    def declared(self, symbol: str, params: Sequence[int], result: int, span: int | None) -> Symbol:
        """Return the symbol of the function of libdevice that the user has declared so; it is that one, also with fast-math."""
        name = symbol.removeprefix(libdevice.PREFIX)
        row = libdevice.FUNCTIONS.get(name)
        if row is None:
            close = difflib.get_close_matches(name, libdevice.FUNCTIONS, n=1)
            help_text = f"did you mean `{libdevice.PREFIX}{close[0]}`?" if close else "CUDA's libdevice User's Guide lists what it has"
            raise Refusal(codes.FOREIGN_FUNCTION, f"libdevice has no function `{symbol}`", span, help_text)
        found = calling_convention(self.importer.types, params, result)
        pointees = [None if (ty := self.importer.types.pointee(param)) is None else self.importer.types.shape(ty) for param in params]
        points = tuple(shape.registers[0] if shape is not None and shape.kind == "scalar" else None for shape in pointees)
        if (tuple(param.type for param in found.params), found.result, points) != (row.params, row.result, row.pointees):
            message = f"`{symbol}` does not match libdevice's declaration: expected `{rust_declaration(symbol, row)}`"
            raise Refusal(codes.FOREIGN_FUNCTION, message, span, "integers may be signed or not")
        return self.symbol(name, exact=True)

    def use(self, symbol: str, source: smir.Function, span: int | None) -> str:
        """Return the name of a function of libdevice in the program, and where it is called."""
        dump = self.importer.dump
        own = dump.user_span(span)
        own = own if dump.is_user(own) else self.importer.diagnostics.entry_span(source)
        place = None if own is None else dump.spans[own]
        return libdevice.in_rust(symbol) + ("" if place is None else f" at {place.file}:{place.line}:{place.column}")


RUST_TYPES: dict[Type, str] = {I8: "u8", I16: "u16", I32: "i32", I64: "i64", F32: "f32", F64: "f64"}


def rust_declaration(symbol: str, row: libdevice.Function) -> str:
    """Return the declaration of a function of libdevice as a program would have it."""
    params = (f"*mut {RUST_TYPES[to]}" if to else RUST_TYPES[ty] for ty, to in zip(row.params, row.pointees, strict=True))
    return f"fn {symbol}({', '.join(params)})" + ("" if row.result is None else f" -> {RUST_TYPES[row.result]}")
