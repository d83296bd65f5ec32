"""How the importer says no: a diagnostic at the user's line.

    raise Refusal("inline assembly is not supported in kernels", span, help="use `ptx_asm!`")

Whoever walks the functions adds the chain of calls to the kernel.
"""

from __future__ import annotations


class Refusal(Exception):
    """A construct that does not compile; `span` is the dump's number of the place."""

    def __init__(self, message: str, span: int | None, help: str = "") -> None:  # noqa: A002 - rustc's word
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help
