"""Checks of the whole module, once every function is imported: shared memory, statics that refer to each other, recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import Diagnostic, codes
from oxide.ir import SHARED_SPACE, reach
from oxide.mir_import import stable_mir as smir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.mir_import.importer import Importer

MOST_SHARED_BYTES = 48 * 1024
"""Static shared memory of a block (CUDA C++ Programming Guide, "Compute Capabilities")."""


def shared_memory(importer: Importer) -> Iterator[Diagnostic]:
    """Yield an error for kernels, and functions of a library, that reach more block-shared memory than a block has."""
    sizes = {symbol: item.size for symbol, item in importer.module.globals.items() if item.space == SHARED_SPACE}
    if not sizes:
        return
    for entry in importer.entries:
        used = sum(sizes[symbol] for symbol in reach.reached(importer.names, entry.name) & sizes.keys())
        if used > MOST_SHARED_BYTES:
            what = "kernel" if isinstance(entry, smir.Kernel) else "function"
            message = f"a block has {MOST_SHARED_BYTES} bytes of static shared memory, the {what} `{entry.name}` uses {used}"
            yield Diagnostic(codes.SHARED_BYTES, message, entry.span, help=("share smaller arrays",))


def static_cycles(importer: Importer) -> Iterator[Diagnostic]:
    """Yield an error for statics that point back to themselves: PTX initialises a variable with addresses of those before it."""
    for group in reach.cycles({symbol: importer.names[symbol] for symbol in importer.module.globals}):
        statics = [static for symbol, static in importer.globals.statics.items() if symbol in group]
        listed = ", ".join(f"`{static.name}`" for static in statics)
        message = f"statics that refer to each other in a cycle are not available in kernels: {listed}"
        yield Diagnostic(codes.STATIC_CYCLE, message, statics[0].span, help=("use indices instead of references",))


def remarks(importer: Importer) -> Iterator[Diagnostic]:
    """Yield the warnings and notes for a module that compiles."""
    yield from importer.warnings
    sources: dict[str, smir.Function] = {function.symbol: source for source, function in importer.imported}
    library = []
    for group in reach.cycles(importer.names):
        functions = [sources[symbol] for symbol in group if symbol in sources]
        if others := [function for function in functions if function.crate not in ("core", "alloc", "std")]:
            yield recursion(others, importer.diagnostics.entry_span(min(others, key=lambda function: function.span)))
        else:
            library.append(functions)
    if library:
        # One of them is enough: they are nobody's to change.
        yield recursion(library[0], importer.diagnostics.entry_span(library[0][0]), "raise the limit with `CudaContext::set_stack_size`")
    blocks = (block for function in importer.module.functions.values() for block in function.blocks)
    if count := sum(isinstance(block.ops[-1], mir.Panic) for block in blocks):
        yield Diagnostic(None, f"panics trap without their messages: {count}", level="note")


def recursion(
    functions: list[smir.Function], span: int | None, help_text: str = "write a loop, or raise the limit with `CudaContext::set_stack_size`"
) -> Diagnostic:
    """Return the warning, at a span, for functions that call each other recursively."""
    first, *others = sorted(functions, key=lambda function: function.span)
    through = f", through {', '.join(f'`{other.name}`' for other in others[:3])}" if others else ""
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    message = f"`{first.name}` may call itself{through}{more}: the stack size that a thread needs is unknown"
    return Diagnostic(codes.RECURSION, message, span, "warning", help=(help_text,))
