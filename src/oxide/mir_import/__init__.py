"""The JSON dump becomes a `mir` module.

    module = import_dump(Path("vecadd.mir.json").read_bytes())

Functions are imported as kernels reach them, in that order. What is not supported is refused at the user's line, with the calls
that lead there from the kernel.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING

from oxide.dialects import libdevice, mir, operations, target
from oxide.errors import Diagnostic, Note, Refused, TextRefused, codes
from oxide.ir import (
    CONSTANT_SPACE,
    F32,
    F64,
    GLOBAL_SPACE,
    I8,
    I16,
    I32,
    I64,
    SHARED_SPACE,
    Function,
    Global,
    Location,
    Module,
    Param,
    Relocation,
    Symbol,
    Type,
    reach,
)
from oxide.ir import signature as sig
from oxide.mir_import import host_references, intrinsics, libm, signatures, std_detect
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.aliasing import withdraw_promises
from oxide.mir_import.exports import exported
from oxide.mir_import.functions import Frame, chosen_symbol, device_function, is_taken, kernel_function, path_of_symbol, signature
from oxide.mir_import.intrinsics.device import align_dynamic_shared
from oxide.mir_import.layouts import Types
from oxide.mir_import.library import Library
from oxide.mir_import.placed import check_pointers, pointing_types, shared_array
from oxide.mir_import.refusal import Refusal, misplaced, thread_local_refusal, unmarked_constant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MOST_SHARED_BYTES = 48 * 1024
"""Static shared memory of a block (CUDA C++ Programming Guide, "Compute Capabilities")."""


def import_dump(
    text: bytes,
    report: Callable[[Diagnostic], None] = lambda _: None,
    arch: str | None = None,
    *,
    fast_math: bool = False,
    uses: dict[str, str] | None = None,
) -> Module:
    """Import a dump, for a target if one was chosen; `report` is given warnings, and notes for who wants to know more.

    With `fast_math`, functions of `f32` are libdevice's approximations where it has some. `uses` is filled with what each function of
    libdevice is called in the program, and where it is first: "`exp` of `f32` at src/main.rs:7:5".

    Raises `Refused` for what kernels may not do, `UsageError` for what is no dump.
    """
    importer = Importer(smir.decode(text), None if arch is None else target.parse(arch), fast_math)
    module = importer.run()
    for diagnostic in importer.remarks():
        report(diagnostic)
    if uses is not None:
        uses |= {symbol: importer.use(symbol, *place) for symbol, place in importer.uses.items()}
    return module


class Importer:
    """The import of one dump."""

    def __init__(self, dump: smir.Dump, target: target.Target | None, fast_math: bool) -> None:
        self.dump = dump
        self.target = target
        self.fast_math = fast_math
        self.types = Types(dump.types)
        self.module = Module(dump.crate, "mir")
        self.locations: dict[int, Location] = {}
        self.symbols: dict[int, Symbol] = {}
        self.imported: list[tuple[smir.Function, Function]] = []
        self.importing: smir.Function
        self.callers: dict[str, tuple[smir.Function, int | None]] = {}
        self.library = Library(self)
        self.uses: dict[str, tuple[smir.Function, int | None]] = {}
        """Where each function of libdevice is first called."""
        self.named_at: int | None = None
        """Where the function is named that is looked at."""
        self.allocations: dict[int, Symbol] = {}
        self.statics: dict[str, smir.StaticAllocation] = {}
        self.diagnostics: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self.entries: list[smir.Kernel | smir.Export] = [*dump.kernels, *dump.exports]
        self.entered = {entry.function for entry in self.entries}

    def run(self) -> Module:
        """Import every kernel, or function of a device library, and all it reaches."""
        for kernel in self.dump.kernels:
            source = self.dump.functions[kernel.function]
            try:
                if kernel.name in self.module.functions:
                    help_text = "rename one: the PTX has no modules"
                    raise Refusal(codes.SAME_NAME, f"two kernels are named `{kernel.name}`", kernel.span, help_text)
                if not kernel.name.isascii():
                    help_text = "use the letters a to z, digits and _"
                    raise Refusal(codes.KERNEL_NAME, f"PTX cannot spell the name `{kernel.name}`", kernel.span, help_text)
                if is_taken(kernel.name):
                    message = f"the name `{kernel.name}` is PTX's or libdevice's"
                    raise Refusal(codes.KERNEL_NAME, message, kernel.span, "rename the kernel")
                with making_sense_of(source):
                    function = kernel_function(self.types, source, kernel.name, self.location(kernel.span))
                    function.signature = sig.encode(signatures.signature(self.types, kernel, source))
            except Refusal as refusal:
                self.refuse(refusal, source)
                continue
            self.module.add(function)
            self.imported.append((source, function))
            self.warnings += host_references.mark(self, kernel, source)
        for export in self.dump.exports:
            self.export(export)
        done = 0
        while done < len(self.imported):
            source, function = self.imported[done]
            done += 1
            try:
                self.import_body(source, function)
            except Refusal as refusal:
                self.refuse(refusal, source)
        self.refuse_library()
        if not self.diagnostics:
            align_dynamic_shared(self)
            self.check_shared_memory()
            self.check_static_cycles()
        if self.diagnostics:
            raise Refused(self.diagnostics)
        withdraw_promises(self.module)
        return self.module

    def export(self, export: smir.Export) -> None:
        """Import a function of a device library, and add the one that others call."""
        source = self.dump.functions[export.function]
        try:
            if export.name in self.module.functions:
                message = f"two functions of this device library are named `{export.name}`"
                raise Refusal(codes.SAME_NAME, message, export.span, "rename one: the PTX has no modules")
            with making_sense_of(source):
                function = device_function(self.types, source, self.location(source.span))
                outer = exported(self.types, export, source, function, self.location(export.span))
        except Refusal as refusal:
            self.refuse(refusal, source)
            return
        self.symbols[export.function] = function.symbol
        self.module.add(outer)
        self.module.add(function)
        self.imported.append((source, function))

    @cached_property
    def names(self) -> reach.Graph:
        """What each function and global names, once all are imported."""
        return reach.graph(self.module)

    def check_shared_memory(self) -> None:
        """Refuse kernels, and functions of a library, that reach more block-shared memory than a block has."""
        sizes = {symbol: item.size for symbol, item in self.module.globals.items() if item.space == SHARED_SPACE}
        if not sizes:
            return
        for entry in self.entries:
            used = sum(sizes[symbol] for symbol in reach.reached(self.names, entry.name) & sizes.keys())
            if used > MOST_SHARED_BYTES:
                what = "kernel" if isinstance(entry, smir.Kernel) else "function"
                message = f"a block has {MOST_SHARED_BYTES} bytes of static shared memory, the {what} `{entry.name}` uses {used}"
                self.diagnostics.append(Diagnostic(codes.SHARED_BYTES, message, entry.span, help=("share smaller arrays",)))

    def check_static_cycles(self) -> None:
        """Refuse statics that point back to themselves: PTX initialises a variable with addresses of those before it."""
        for group in reach.cycles({symbol: self.names[symbol] for symbol in self.module.globals}):
            statics = [static for symbol, static in self.statics.items() if symbol in group]
            listed = ", ".join(f"`{static.name}`" for static in statics)
            message = f"statics that point at themselves or at each other are not available in kernels: {listed}"
            self.diagnostics.append(Diagnostic(codes.STATIC_CYCLE, message, statics[0].span, help=("use indices instead of references",)))

    def remarks(self) -> Iterator[Diagnostic]:
        """Yield what is worth knowing of a module that compiles."""
        yield from self.warnings
        sources: dict[str, smir.Function] = {function.symbol: source for source, function in self.imported}
        library = []
        for group in reach.cycles(self.names):
            functions = [sources[symbol] for symbol in group if symbol in sources]
            if others := [function for function in functions if function.crate not in ("core", "alloc", "std")]:
                yield recursion(others, self.way_in(min(others, key=lambda function: function.span)))
            else:
                library.append(functions)
        if library:
            # One of them is enough: they are nobody's to change.
            yield recursion(library[0], self.way_in(library[0][0]), "raise the limit with `CudaContext::set_stack_size`")
        blocks = (block for function in self.module.functions.values() for block in function.blocks)
        if count := sum(isinstance(block.ops[-1], mir.Panic) for block in blocks):
            yield Diagnostic(None, f"panics trap without their messages: {count}", level="note")

    def import_body(self, source: smir.Function, function: Function) -> None:
        """Import one function's code."""
        body = source.decode_body()
        if body is None:
            raise missing_body(source, self.callers.get(source.symbol))
        self.importing = source
        with making_sense_of(source):
            if self.processor_queries:
                body = std_detect.without_features(body, self.processor_queries, self.dump)
            Frame(self, source, body, function).import_body()

    def libdevice(self, name: str, *, exact: bool = False, span: int | None = None) -> Symbol:
        """Return the symbol of a mathematical function, or, unless it must be `exact`, of the approximation that is asked for.

        It is declared once.
        """
        row = libdevice.FUNCTIONS[libdevice.FAST.get(name, name) if self.fast_math and not exact else name]
        if row.symbol not in self.module.functions:
            self.uses[row.symbol] = (self.importing, self.named_at if span is None else span)
            self.module.add(Function(row.symbol, tuple(map(Param, row.params)), row.result))
        return row.symbol

    def use(self, symbol: str, source: smir.Function, span: int | None) -> str:
        """Return what a function of libdevice is called in the program, and where."""
        own = self.own_line(span)
        own = own if self.is_own(own) else self.way_in(source)
        place = None if own is None else self.dump.spans[own]
        return libdevice.in_rust(symbol) + ("" if place is None else f" at {place.file}:{place.line}:{place.column}")

    def declared_libdevice(self, symbol: str, params: Sequence[int], result: int, span: int | None) -> Symbol:
        """Return the symbol of the function of libdevice that the user has declared so; it is that one, also with fast-math."""
        name = symbol.removeprefix(libdevice.PREFIX)
        row = libdevice.FUNCTIONS.get(name)
        if row is None:
            close = difflib.get_close_matches(name, libdevice.FUNCTIONS, n=1)
            help_text = f"did you mean `{libdevice.PREFIX}{close[0]}`?" if close else "CUDA's libdevice User's Guide lists what it has"
            raise Refusal(codes.FOREIGN_FUNCTION, f"libdevice has no function `{symbol}`", span, help_text)
        found = signature(self.types, params, result)
        pointees = [None if (ty := self.types.pointee(param)) is None else self.types.shape(ty) for param in params]
        points = tuple(shape.registers[0] if shape is not None and shape.kind == "scalar" else None for shape in pointees)
        if (tuple(param.type for param in found.params), found.result, points) != (row.params, row.result, row.pointees):
            message = f"`{symbol}` is declared otherwise than libdevice has it: expected `{rust_declaration(symbol, row)}`"
            raise Refusal(codes.FOREIGN_FUNCTION, message, span, "integers may be signed or not")
        return self.libdevice(name, exact=True)

    def function(self, number: int, span: int | None) -> Symbol:
        """Return the symbol of a function that the one being imported names at `span`. It is imported later if it is new."""
        source = self.dump.functions[number]
        self.named_at = span
        self.library.calls[source.symbol].append((self.importing, span))
        if (known := self.symbols.get(number)) is not None:
            return known
        if source.kind == "Foreign" and source.crate in ("core", "std") and source.symbol in libdevice.FUNCTIONS:
            # What the standard library calls of the C library's mathematical functions.
            return self.libdevice(source.symbol)
        if source.kind == "Foreign" and source.symbol.startswith(libdevice.PREFIX):
            return self.declared_libdevice(source.symbol, source.params, source.result, source.span)
        if (
            source.crate == "libm"
            and (standing := libm.function(self, source, signature(self.types, source.params, source.result))) is not None
        ):
            self.symbols[number] = standing
            return standing
        operation = intrinsics.operation(source, span)
        if operation and self.target is not None and (needed := operations.BY_PATH[operation].sm) > self.target.sm:
            message = f"`{operation}` needs sm_{needed}, the target is {self.target.name}"
            raise Refusal(codes.ARCHITECTURE, message, span, f"leave `--arch` out, or say `--arch sm_{needed}`")
        function = device_function(self.types, source, self.location(source.span), operation)
        self.symbols[number] = function.symbol
        if source.kind == "Foreign" and function.symbol in self.module.functions:
            # Declared in two ways, and refused where it was first met.
            return function.symbol
        if number not in self.entered:
            # The way to a kernel ends there, also where it is called like any function.
            self.callers[source.symbol] = (self.importing, span)
        self.module.add(function)
        if not operation:
            self.imported.append((source, function))
        return function.symbol

    def address(self, number: int, span: int | None) -> Symbol:
        """Return the symbol of a function whose address is taken at `span`; one that stands for an instruction has none."""
        source = self.dump.functions[number]
        if intrinsics.operation(source, span):
            message = f"`{source.name}` stands for an instruction and has no address: it must be called directly"
            raise Refusal(codes.DIRECT_CALL, message, span, "make a function pointer of a closure that calls it")
        return self.function(number, span)

    def location(self, span: int) -> Location:
        """Return where a span of the dump lies."""
        if (known := self.locations.get(span)) is None:
            source = self.dump.spans[span]
            caller = None if source.caller is None else self.location(source.caller)
            known = self.locations[span] = Location(source.file, source.line, source.column, caller, source.function, span)
        return known

    def allocation(self, number: int, span: int | None) -> Symbol:
        """Return the symbol of an allocation, which becomes a global if it is memory."""
        if (known := self.allocations.get(number)) is not None:
            return known
        allocation = self.dump.allocations[number]
        match allocation:
            case smir.FunctionAllocation(function):
                symbol = self.address(function, span)
            case smir.VTableAllocation(inner):
                symbol = self.allocation(inner, span)
            case smir.MemoryAllocation(memory, mutable):
                symbol = Symbol(f"const${number}")
                self.allocations[number] = symbol
                self.memory(symbol, memory, len(memory.bytes) // 2, constant=not mutable, span=span)
            case smir.StaticAllocation():
                symbol = self.static(number, allocation, span)
            case smir.TypeIdAllocation(name):
                raise ValueError(f"the id of `{name}` is a number, no memory")
        self.allocations[number] = symbol
        return symbol

    def is_type_id(self, number: int) -> bool:
        """Return whether an allocation only marks part of a `TypeId`, which is a number: the bytes of the pointer to it."""
        return isinstance(self.dump.allocations[number], smir.TypeIdAllocation)

    def static(self, number: int, static: smir.StaticAllocation, span: int | None) -> Symbol:
        """Make a global of a static: block-shared if it is a `SharedArray` or a `Barrier`, constant if it is a `ConstantMemory`.

        It keeps its name, by which the host finds it, but for one that is a kernel's too or that PTX cannot have.
        """
        symbol = Symbol(static.symbol)
        if is_taken(symbol) or symbol in self.module.functions or not re.fullmatch(r"\w+", symbol, re.ASCII):
            symbol = chosen_symbol(symbol)
        self.allocations[number] = symbol
        self.statics[symbol] = static
        if static.thread_local:
            raise thread_local_refusal(static.name, span)
        if (shared := self.types.is_adt(static.ty, "cuda_device", "shared::SharedArray")) is not None:
            self.module.add(shared_array(self.types, symbol, shared.generic_args, static.span))
            return symbol
        if self.types.is_adt(static.ty, "cuda_device", "barrier::Barrier") is not None:
            layout = self.types.layout(static.ty)
            self.module.add(Global(symbol, layout.size, layout.align, SHARED_SPACE, False, None))
            return symbol
        if self.types.is_adt(static.ty, "cuda_device", "constant::ConstantMemory") is not None:
            if not static.constant:
                raise unmarked_constant(static.name, static.span)
            return self.constant_memory(number, static)
        if (inside := self.types.placed_in(static.ty)) is not None:
            raise misplaced(inside, static.span)
        if static.memory is None:
            message = f"the foreign static `{static.name}` has no definition that kernels could use"
            raise Refusal(codes.FOREIGN_STATIC, message, span, help="pass the value as an argument")
        check_pointers(self, static.ty, static.memory, static.span)
        self.memory(symbol, static.memory, self.types.layout(static.ty).size, constant=not static.mutable, span=span)
        return symbol

    def constant_memory(self, number: int, static: smir.StaticAllocation) -> Symbol:
        """Make a global that the host fills of a `ConstantMemory`: `app$kernels$TABLE` of `app::kernels::TABLE`, as for the host."""
        layout = self.types.layout(static.ty)
        symbol = Symbol("$".join(path_of_symbol(static.symbol)))
        self.allocations[number] = symbol
        content = bytes(layout.size)
        self.module.add(Global(symbol, layout.size, layout.align, CONSTANT_SPACE, True, content, outside=True))
        return symbol

    def memory(self, symbol: Symbol, memory: smir.Memory, size: int, *, constant: bool, span: int | None) -> None:
        """Make a global of bytes and the pointers among them."""
        content = bytes.fromhex(memory.bytes)
        relocations = tuple(
            Relocation(offset, self.allocation(target, span), int.from_bytes(content[offset : offset + 8], "little"))
            for offset, target in memory.relocations
            if not self.is_type_id(target)
        )
        self.module.add(Global(symbol, size, memory.align, GLOBAL_SPACE, constant, content, relocations))

    def constant(self, memory: smir.Memory, span: int | None) -> Symbol:
        """Return the symbol of a constant's bytes, which `span` names; equal constants share one."""
        key = f"{memory.bytes} {memory.align} {memory.relocations}"
        symbol = Symbol(f"bytes${hashlib.sha256(key.encode()).hexdigest()[:16]}")
        if symbol not in self.module.globals:
            self.memory(symbol, memory, len(memory.bytes) // 2, constant=True, span=span)
        return symbol

    @cached_property
    def pointing_types(self) -> set[int]:
        """The types whose values may lead to what only a static of its own can be."""
        return pointing_types(self.types)

    @cached_property
    def processor_queries(self) -> set[int]:
        """The functions of the dump that say what the host's processor has."""
        return std_detect.queries(self.dump.functions)

    @cached_property
    def unchecked_markers(self) -> set[int]:
        """The functions of the dump that say of the body around their call that it does not check indices."""
        marker = ("cuda_device", "kernel::unchecked_indexing")
        return {number for number, function in enumerate(self.dump.functions) if (function.crate, function.path) == marker}

    def unchecked_scopes(self, body: smir.Body) -> set[int | None]:
        """Return the calls at which bodies without checks of indices were inlined in this one; None stands for its own."""
        if not self.unchecked_markers:
            return set()
        ends = (block.terminator for block in body.blocks if block is not None)
        return {
            self.dump.spans[end.span].caller
            for end in ends
            if isinstance(end, smir.Call) and isinstance(end.callee, smir.DirectCallee) and end.callee.function in self.unchecked_markers
        }

    def refuse(self, refusal: Refusal, source: smir.Function) -> None:
        """Record a refusal at the nearest line of the user's crate, with the calls that lead there from the kernel."""
        span = self.own_line(refusal.span)
        if source.symbol in self.callers and not (self.is_own(span) and source.has_body):
            self.library.refused[source.symbol] = source, refusal
        else:
            self.tell(refusal, source, span, [] if self.is_own(span) else [source.name])

    def refuse_library(self) -> None:
        """Tell what was refused inside libraries, at the user's lines that lead there."""
        faults, apart = self.library.faults()
        for fault in faults:
            self.tell(fault.told(), fault.function, fault.span, fault.inside)
        for source, refusal in apart:
            self.tell(refusal, source, self.own_line(refusal.span), [source.name])

    def tell(self, refusal: Refusal, source: smir.Function, span: int | None, library: list[str]) -> None:
        """Tell of a refusal at a line, in or below a function, inside functions of libraries, the innermost first."""
        notes = []
        for function, line in self.way_out(source):
            if not self.is_own(line):
                library.append(function.name)
            elif not self.is_own(span):
                span = line
            elif line != span:
                notes.append(Note(f"called from `{function.name}`", line))
        if library:
            notes.insert(0, Note("inside the library, through " + ", ".join(f"`{name}`" for name in reversed(library))))
        help_lines = (refusal.help,) if refusal.help else ()
        diagnostic = Diagnostic(refusal.code, refusal.message, span, notes=tuple(notes), help=help_lines)
        if all(known.span != span for known in self.diagnostics):
            # One error a place: what follows from it would only repeat it.
            self.diagnostics.append(diagnostic)

    def way_in(self, function: smir.Function) -> int | None:
        """Return the line of the user's crate that leads to a function of a library."""
        lines = (function.span, *(line for _, line in self.way_out(function)))
        return next(filter(self.is_own, lines), lines[-1])

    def way_out(self, function: smir.Function) -> Iterator[tuple[smir.Function, int | None]]:
        """Yield the calls that lead to a function from a kernel, the nearest first: who calls, and the nearest line of the user's."""
        while (found := self.callers.get(function.symbol)) is not None:
            function, called = found
            yield function, self.own_line(called)

    def own_line(self, span: int | None) -> int | None:
        """Return the nearest span of the user's crate among those that a span was inlined into, or the outermost."""
        while span is not None and not self.dump.spans[span].local and self.dump.spans[span].caller is not None:
            span = self.dump.spans[span].caller
        return span

    def is_own(self, span: int | None) -> bool:
        """Return whether a span is a line of the user's crate."""
        return span is not None and self.dump.spans[span].local


@contextlib.contextmanager
def making_sense_of(source: smir.Function) -> Iterator[None]:
    """Name the function whose records contradict each other: the backend is wrong, the importer, or whoever edited the dump."""
    try:
        yield
    except (AssertionError, LookupError, ValueError, TypeError, AttributeError, OverflowError) as error:
        message = f"the dump's function `{source.name}` makes no sense: {type(error).__name__}: {error}"
        raise TextRefused(message, stage="mir", hint="where nobody has edited the dump, this is a bug in oxide") from error


def recursion(
    functions: list[smir.Function], span: int | None, help_text: str = "write a loop, or raise the limit with `CudaContext::set_stack_size`"
) -> Diagnostic:
    """Return the warning, at a line, for functions that call each other in a circle."""
    first, *others = sorted(functions, key=lambda function: function.span)
    through = f", through {', '.join(f'`{other.name}`' for other in others[:3])}" if others else ""
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    message = f"`{first.name}` may call itself{through}{more}: how much stack a thread needs is not known"
    return Diagnostic(codes.RECURSION, message, span, "warning", help=(help_text,))


RUST_TYPES: dict[Type, str] = {I8: "u8", I16: "u16", I32: "i32", I64: "i64", F32: "f32", F64: "f64"}


def rust_declaration(symbol: str, row: libdevice.Function) -> str:
    """Return the declaration of a function of libdevice as a program would have it."""
    params = (f"*mut {RUST_TYPES[to]}" if to else RUST_TYPES[ty] for ty, to in zip(row.params, row.pointees, strict=True))
    return f"fn {symbol}({', '.join(params)})" + ("" if row.result is None else f" -> {RUST_TYPES[row.result]}")


def missing_body(source: smir.Function, called: tuple[smir.Function, int | None] | None) -> Refusal:
    """Return the refusal of a function that rustc has no MIR for: what it is for decides what to say."""
    span = source.span if called is None else called[1]
    match source:
        case smir.Function(crate="alloc"):
            message = "heap allocation is not available in kernels"
            return Refusal(codes.HEAP, message, span, "use an array, a slice parameter or shared memory")
        case smir.Function(crate="core" | "std", path=path) if path.startswith(("fmt::", "io::")) or "::fmt" in path:
            message = "formatting and printing are not available in kernels"
            return Refusal(
                codes.FORMATTING,
                message,
                span,
                "print with `gpu_printf!`, or write numbers to a buffer for the host; `write!` into a type of your own takes `--build-std`",
            )
        case smir.Function(crate="std"):
            message = f"`{source.name}` of the standard library is not available in kernels"
            return Refusal(codes.STD, message, span, "do it on the host and pass the result, or use what `core` offers")
        case smir.Function(kind="Foreign"):
            message = f"the foreign function `{source.name}` has no definition that kernels could call"
            return Refusal(codes.FOREIGN_FUNCTION, message, span, "write it in Rust")
        case smir.Function(crate="core"):
            message = f"`{source.name}` of `core` has no MIR that kernels could use"
            return Refusal(codes.MISSING_CORE_BODY, message, span, "build with `--build-std`, or write out what it does")
        case _:
            help_text = f"mark `{source.name}` `#[inline]`, or build its crate with oxide"
            message = f"`{source.name}` of crate `{source.crate}` has no MIR that kernels could use"
            return Refusal(codes.MISSING_BODY, message, span, help_text)
