"""How the importer says no: a diagnostic at the user's line.

    raise Refusal(codes.HEAP, "heap allocation is not available in kernels", span, help="use an array or a slice parameter")

Whoever walks the functions adds the chain of calls to the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.errors import codes

if TYPE_CHECKING:
    from oxide.errors.codes import Code

PLACED_HELP = {
    "SharedArray": "write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`",
    "Barrier": "write `static mut BARRIER: Barrier = Barrier::UNINIT;`, or for several a `SharedArray<Barrier, N>`",
    "ConstantMemory": "write `#[constant] static TABLE: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`",
}
"""How to write what only a static of its own can be, by its type."""


class Refusal(Exception):
    """A construct that does not compile; `span` is the dump's number of the place."""

    def __init__(self, code: Code, message: str, span: int | None, help: str = "") -> None:  # noqa: A002 - rustc's word
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.help = help


def misplaced(name: str, span: int | None) -> Refusal:
    """Refuse a value of, or with, a type that only a static of its own can have."""
    code = codes.CONSTANT_MEMORY if name == "ConstantMemory" else codes.SHARED_ARRAY
    return Refusal(code, f"a `{name}` is a static of its own", span, PLACED_HELP[name])


def unmarked_constant(name: str, span: int | None) -> Refusal:
    """Refuse a `ConstantMemory` that the host has no setter for: it would stay zero."""
    message = f"the host cannot set `{name}`, which has no `#[constant]`"
    return Refusal(codes.CONSTANT_MEMORY, message, span, PLACED_HELP["ConstantMemory"])


def thread_local_refusal(name: str, span: int | None) -> Refusal:
    """Return the refusal of a thread-local static; `thread_local!` hides it in closures of a constant."""
    static = name.partition("::{")[0]
    message = f"the thread-local static `{static}` is not available in kernels"
    return Refusal(codes.THREAD_LOCAL, message, span, help="pass the value as an argument")
