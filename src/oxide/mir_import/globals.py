"""Statics, constants and vtables: allocations of the dump that become globals of the module.

importer.globals.allocation(number, span)       # const$7
importer.globals.constant(memory, span)         # bytes$0a1b2c3d4e5f6071
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING

from oxide.errors import codes
from oxide.ir import CONSTANT_SPACE, GLOBAL_SPACE, SHARED_SPACE, Global, Relocation, Symbol
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.placed import check_pointers, pointing_types, shared_array
from oxide.mir_import.refusal import Refusal, misplaced, thread_local_refusal, unmarked_constant
from oxide.mir_import.symbols import chosen_symbol, is_reserved, path_of_symbol

if TYPE_CHECKING:
    from oxide.mir_import.importer import Importer


class Globals:
    """The globals of one import."""

    def __init__(self, importer: Importer) -> None:
        self.importer = importer
        self.symbols: dict[int, Symbol] = {}
        """The symbol of each allocation that has been named so far."""
        self.statics: dict[str, smir.StaticAllocation] = {}
        """The statics by their symbols."""

    def allocation(self, number: int, span: int | None) -> Symbol:
        """Return the symbol of an allocation, which becomes a global if it is memory."""
        if (known := self.symbols.get(number)) is not None:
            return known
        allocation = self.importer.dump.allocations[number]
        match allocation:
            case smir.FunctionAllocation(function):
                symbol = self.importer.address(function, span)
            case smir.VTableAllocation(inner):
                symbol = self.allocation(inner, span)
            case smir.MemoryAllocation(memory, mutable):
                symbol = Symbol(f"const${number}")
                self.symbols[number] = symbol
                self.memory(symbol, memory, len(memory.bytes) // 2, constant=not mutable, span=span)
            case smir.StaticAllocation():
                symbol = self.static(number, allocation, span)
            case smir.TypeIdAllocation(name):
                raise ValueError(f"the id of `{name}` is a number without memory")
        self.symbols[number] = symbol
        return symbol

    def is_type_id(self, number: int) -> bool:
        """Return whether an allocation only marks part of a `TypeId`, which is a number: the bytes of the pointer to it."""
        return isinstance(self.importer.dump.allocations[number], smir.TypeIdAllocation)

    def static(self, number: int, static: smir.StaticAllocation, span: int | None) -> Symbol:
        """Make a global of a static: block-shared if it is a `SharedArray` or a `Barrier`, constant if it is a `ConstantMemory`.

        It keeps its name, by which the host finds it, but for one that is a kernel's too or that PTX cannot have.
        """
        symbol = Symbol(static.symbol)
        if is_reserved(symbol) or symbol in self.importer.module.functions or not re.fullmatch(r"\w+", symbol, re.ASCII):
            symbol = chosen_symbol(symbol)
        self.symbols[number] = symbol
        self.statics[symbol] = static
        if static.thread_local:
            raise thread_local_refusal(static.name, span)
        if (shared := self.importer.types.is_adt(static.ty, "cuda_device", "shared::SharedArray")) is not None:
            self.importer.module.add(shared_array(self.importer.types, symbol, shared.generic_args, static.span))
            return symbol
        if self.importer.types.is_adt(static.ty, "cuda_device", "barrier::Barrier") is not None:
            layout = self.importer.types.layout(static.ty)
            self.importer.module.add(Global(symbol, layout.size, layout.align, SHARED_SPACE, False, None))
            return symbol
        if self.importer.types.is_adt(static.ty, "cuda_device", "constant::ConstantMemory") is not None:
            if not static.constant:
                raise unmarked_constant(static.name, static.span)
            return self.constant_memory(number, static)
        if (inside := self.importer.types.placed_in(static.ty)) is not None:
            raise misplaced(inside, static.span)
        if static.memory is None:
            message = f"the foreign static `{static.name}` has no definition that kernels could use"
            raise Refusal(codes.FOREIGN_STATIC, message, span, help="pass the value as an argument")
        check_pointers(self.importer, static.ty, static.memory, static.span)
        self.memory(symbol, static.memory, self.importer.types.layout(static.ty).size, constant=not static.mutable, span=span)
        return symbol

    def constant_memory(self, number: int, static: smir.StaticAllocation) -> Symbol:
        """Make a global that the host fills of a `ConstantMemory`: `app$kernels$TABLE` of `app::kernels::TABLE`, as for the host."""
        layout = self.importer.types.layout(static.ty)
        symbol = Symbol("$".join(path_of_symbol(static.symbol)))
        self.symbols[number] = symbol
        content = bytes(layout.size)
        self.importer.module.add(Global(symbol, layout.size, layout.align, CONSTANT_SPACE, True, content, outside=True))
        return symbol

    def memory(self, symbol: Symbol, memory: smir.Memory, size: int, *, constant: bool, span: int | None) -> None:
        """Make a global of bytes and the pointers among them."""
        content = bytes.fromhex(memory.bytes)
        relocations = tuple(
            Relocation(offset, self.allocation(target, span), int.from_bytes(content[offset : offset + 8], "little"))
            for offset, target in memory.relocations
            if not self.is_type_id(target)
        )
        self.importer.module.add(Global(symbol, size, memory.align, GLOBAL_SPACE, constant, content, relocations))

    def constant(self, memory: smir.Memory, span: int | None) -> Symbol:
        """Return the symbol of a constant's bytes, which `span` names; equal constants share one."""
        key = f"{memory.bytes} {memory.align} {memory.relocations}"
        symbol = Symbol(f"bytes${hashlib.sha256(key.encode()).hexdigest()[:16]}")
        if symbol not in self.importer.module.globals:
            self.memory(symbol, memory, len(memory.bytes) // 2, constant=True, span=span)
        return symbol

    @cached_property
    def pointing_types(self) -> set[int]:
        """The types whose values may lead to one that only a static can have."""
        return pointing_types(self.importer.types)
