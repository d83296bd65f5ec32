"""Refusals: constructs that kernels do not support, which become diagnostics at the user's line.

    raise Refusal(codes.HEAP, "heap allocation is not available in kernels", span, help="use an array or a slice parameter")

`diagnostics.py` adds the chain of calls to the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.errors import codes
from oxide.mir_import import stable_mir as smir

if TYPE_CHECKING:
    from oxide.errors.codes import Code

PLACED_HELP = {
    "SharedArray": "write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`",
    "Barrier": "write `static mut BARRIER: Barrier = Barrier::UNINIT;`, or for several a `SharedArray<Barrier, N>`",
    "ConstantMemory": "write `#[constant] static TABLE: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`",
}
"""How to declare a static of each type that only a static can have."""


class Refusal(Exception):
    """A construct that does not compile; `span` is the dump's number of the place."""

    def __init__(self, code: Code, message: str, span: int | None, help: str = "") -> None:  # noqa: A002 - rustc's word
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.help = help


def misplaced(name: str, span: int | None) -> Refusal:
    """Refuse a value of, or with, a type that only a static can have."""
    code = codes.CONSTANT_MEMORY if name == "ConstantMemory" else codes.SHARED_ARRAY
    return Refusal(code, f"a `{name}` must be a static", span, PLACED_HELP[name])


def unmarked_constant(name: str, span: int | None) -> Refusal:
    """Refuse a `ConstantMemory` that the host has no setter for: it would stay zero."""
    message = f"`{name}` has no `#[constant]`, so the host cannot set it"
    return Refusal(codes.CONSTANT_MEMORY, message, span, PLACED_HELP["ConstantMemory"])


def thread_local_refusal(name: str, span: int | None) -> Refusal:
    """Return the refusal of a thread-local static; `thread_local!` hides it in closures of a constant."""
    static = name.partition("::{")[0]
    message = f"the thread-local static `{static}` is not available in kernels"
    return Refusal(codes.THREAD_LOCAL, message, span, help="pass the value as an argument")


def missing_body(source: smir.Function, called: tuple[smir.Function, int | None] | None) -> Refusal:
    """Return the refusal of a function that rustc has no MIR for, with the help for its purpose."""
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
