"""The import of one dump: from its kernels, function by function, to all that they reach.

importer = Importer(decode(text), target, fast_math=False)
module = importer.run()
"""

from __future__ import annotations

import contextlib
from functools import cached_property
from typing import TYPE_CHECKING

from oxide.dialects import libdevice, operations
from oxide.errors import Diagnostic, Refused, TextRefused, codes
from oxide.ir import Function, Location, Module, Symbol, reach
from oxide.ir import signature as sig
from oxide.mir_import import checks, host_references, intrinsics, libm, signatures, std_detect
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.aliasing import withdraw_promises
from oxide.mir_import.diagnostics import Diagnostics
from oxide.mir_import.exports import exported
from oxide.mir_import.frame import Frame
from oxide.mir_import.functions import calling_convention, device_function, kernel_function
from oxide.mir_import.globals import Globals
from oxide.mir_import.intrinsics.device import align_dynamic_shared
from oxide.mir_import.layouts import Types
from oxide.mir_import.libdevice_functions import LibdeviceFunctions
from oxide.mir_import.refusal import Refusal, missing_body
from oxide.mir_import.symbols import is_reserved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.dialects.target import Target


class Importer:
    """The import of one dump."""

    def __init__(self, dump: smir.Dump, target: Target | None, fast_math: bool) -> None:
        self.dump = dump
        self.target = target
        self.fast_math = fast_math
        self.types = Types(dump.types)
        self.module = Module(dump.crate, "mir")
        self.globals = Globals(self)
        self.libdevice = LibdeviceFunctions(self)
        self.diagnostics = Diagnostics(dump)
        self.warnings: list[Diagnostic] = []
        self.locations: dict[int, Location] = {}
        self.symbols: dict[int, Symbol] = {}
        """The symbols of the dump's functions that have been named so far."""
        self.imported: list[tuple[smir.Function, Function]] = []
        """The functions whose bodies are imported, in the order in which they were reached."""
        self.importing: smir.Function
        self.named_at: int | None = None
        """Where the function being looked up is named."""
        self.entries: list[smir.Kernel | smir.Export] = [*dump.kernels, *dump.exports]
        self.entry_numbers = {entry.function for entry in self.entries}

    def run(self) -> Module:
        """Import every kernel, or function of a device library, and all it reaches."""
        for kernel in self.dump.kernels:
            self.kernel(kernel)
        for export in self.dump.exports:
            self.export(export)
        # The list grows while bodies name further functions.
        for source, function in self.imported:
            try:
                self.import_body(source, function)
            except Refusal as refusal:
                self.diagnostics.refuse(refusal, source)
        self.diagnostics.refuse_library()
        if not self.diagnostics.errors:
            align_dynamic_shared(self)
            self.diagnostics.errors += [*checks.shared_memory(self), *checks.static_cycles(self)]
        if self.diagnostics.errors:
            raise Refused(self.diagnostics.errors)
        withdraw_promises(self.module)
        return self.module

    def kernel(self, kernel: smir.Kernel) -> None:
        """Add a kernel's entry."""
        source = self.dump.functions[kernel.function]
        try:
            if kernel.name in self.module.functions:
                help_text = "rename one: names in PTX are global"
                raise Refusal(codes.SAME_NAME, f"two kernels are named `{kernel.name}`", kernel.span, help_text)
            if not kernel.name.isascii():
                help_text = "use the letters a to z, digits and _"
                raise Refusal(codes.KERNEL_NAME, f"PTX cannot spell the name `{kernel.name}`", kernel.span, help_text)
            if is_reserved(kernel.name):
                message = f"the name `{kernel.name}` is reserved by PTX or libdevice"
                raise Refusal(codes.KERNEL_NAME, message, kernel.span, "rename the kernel")
            with importing(source):
                function = kernel_function(self.types, source, kernel.name, self.location(kernel.span))
                function.signature = sig.encode(signatures.signature(self.types, kernel, source))
        except Refusal as refusal:
            self.diagnostics.refuse(refusal, source)
            return
        self.module.add(function)
        self.imported.append((source, function))
        self.warnings += host_references.mark(self, kernel, source)

    def export(self, export: smir.Export) -> None:
        """Import a function of a device library, and add the one that others call."""
        source = self.dump.functions[export.function]
        try:
            if export.name in self.module.functions:
                message = f"two functions of this device library are named `{export.name}`"
                raise Refusal(codes.SAME_NAME, message, export.span, "rename one: names in PTX are global")
            with importing(source):
                function = device_function(self.types, source, self.location(source.span))
                outer = exported(self.types, export, source, function, self.location(export.span))
        except Refusal as refusal:
            self.diagnostics.refuse(refusal, source)
            return
        self.symbols[export.function] = function.symbol
        self.module.add(outer)
        self.module.add(function)
        self.imported.append((source, function))

    @cached_property
    def names(self) -> reach.Graph:
        """What each function and global names, once all are imported."""
        return reach.graph(self.module)

    def import_body(self, source: smir.Function, function: Function) -> None:
        """Import one function's code."""
        body = source.decode_body()
        if body is None:
            raise missing_body(source, self.diagnostics.callers.get(source.symbol))
        self.importing = source
        with importing(source):
            if self.processor_queries:
                body = std_detect.without_features(body, self.processor_queries, self.dump)
            Frame(self, source, body, function).import_body()

    def function(self, number: int, span: int | None) -> Symbol:
        """Return the symbol of a function that the one being imported names at `span`. It is imported later if it is new."""
        source = self.dump.functions[number]
        self.named_at = span
        self.diagnostics.library.calls[source.symbol].append((self.importing, span))
        if (known := self.symbols.get(number)) is not None:
            return known
        if source.kind == "Foreign" and source.crate in ("core", "std") and source.symbol in libdevice.FUNCTIONS:
            # The C library's mathematical functions, which the standard library calls.
            return self.libdevice.symbol(source.symbol)
        if source.kind == "Foreign" and source.symbol.startswith(libdevice.PREFIX):
            return self.libdevice.declared(source.symbol, source.params, source.result, source.span)
        if source.crate == "libm":
            found = calling_convention(self.types, source.params, source.result)
            if (replacement := libm.function(self, source, found)) is not None:
                self.symbols[number] = replacement
                return replacement
        operation = intrinsics.operation(source, span)
        if operation and self.target is not None and (needed := operations.BY_PATH[operation].sm) > self.target.sm:
            message = f"`{operation}` requires sm_{needed}, the target is {self.target.name}"
            raise Refusal(codes.ARCHITECTURE, message, span, f"omit `--arch`, or use `--arch sm_{needed}`")
        function = device_function(self.types, source, self.location(source.span), operation)
        self.symbols[number] = function.symbol
        if source.kind == "Foreign" and function.symbol in self.module.functions:
            # Declared in two ways, and refused at the first.
            return function.symbol
        if number not in self.entry_numbers:
            # The call path of an entry ends there, also where it is called like any function.
            self.diagnostics.callers[source.symbol] = (self.importing, span)
        self.module.add(function)
        if not operation:
            self.imported.append((source, function))
        return function.symbol

    def address(self, number: int, span: int | None) -> Symbol:
        """Return the symbol of a function whose address is taken at `span`; an intrinsic has none."""
        source = self.dump.functions[number]
        if intrinsics.operation(source, span):
            message = f"`{source.name}` is an intrinsic and has no address: it must be called directly"
            raise Refusal(codes.DIRECT_CALL, message, span, "make a function pointer of a closure that calls it")
        return self.function(number, span)

    def location(self, span: int) -> Location:
        """Return where a span of the dump lies."""
        if (known := self.locations.get(span)) is None:
            source = self.dump.spans[span]
            caller = None if source.caller is None else self.location(source.caller)
            known = self.locations[span] = Location(source.file, source.line, source.column, caller, source.function, span)
        return known

    @cached_property
    def processor_queries(self) -> set[int]:
        """The functions of the dump that detect features of the host's CPU."""
        return std_detect.queries(self.dump.functions)

    @cached_property
    def unchecked_markers(self) -> set[int]:
        """The functions of the dump that mark the body around their call as one without bounds checks."""
        marker = ("cuda_device", "kernel::unchecked_indexing")
        return {number for number, function in enumerate(self.dump.functions) if (function.crate, function.path) == marker}

    def unchecked_scopes(self, body: smir.Body) -> set[int | None]:
        """Return the calls at which bodies without bounds checks were inlined in this one; None stands for its own."""
        if not self.unchecked_markers:
            return set()
        ends = (block.terminator for block in body.blocks if block is not None)
        return {
            self.dump.spans[end.span].caller
            for end in ends
            if isinstance(end, smir.Call) and isinstance(end.callee, smir.DirectCallee) and end.callee.function in self.unchecked_markers
        }


@contextlib.contextmanager
def importing(source: smir.Function) -> Iterator[None]:
    """Name the function where its records contradict each other: a bug of the backend or the importer, or an edited dump."""
    try:
        yield
    except (AssertionError, LookupError, ValueError, TypeError, AttributeError, OverflowError) as error:
        message = f"invalid dump of function `{source.name}`: {type(error).__name__}: {error}"
        raise TextRefused(message, stage="mir", hint="unless the dump was edited, this is a bug in oxide") from error
