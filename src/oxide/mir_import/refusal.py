"""How the importer says no: a diagnostic at the user's line.

    raise Refusal("heap allocation is not available in kernels", span, help="use an array, a slice parameter or shared memory")

Whoever walks the functions adds the chain of calls to the kernel.
"""

from __future__ import annotations

MISPLACED_SHARED_ARRAY = "a `SharedArray` is a static of its own"
SHARED_ARRAY_HELP = "write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`"


class Refusal(Exception):
    """A construct that does not compile; `span` is the dump's number of the place."""

    def __init__(self, message: str, span: int | None, help: str = "") -> None:  # noqa: A002 - rustc's word
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help
