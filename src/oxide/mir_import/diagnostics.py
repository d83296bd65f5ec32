"""Refusals become diagnostics at the user's lines, with the calls that lead there from a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.errors import Diagnostic, Note
from oxide.mir_import.library import Library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.mir_import import stable_mir as smir
    from oxide.mir_import.refusal import Refusal


class Diagnostics:
    """The errors of one import, one per line."""

    def __init__(self, dump: smir.Dump) -> None:
        self.dump = dump
        self.errors: list[Diagnostic] = []
        self.callers: dict[str, tuple[smir.Function, int | None]] = {}
        """The first caller of each function but the entries, by the symbol of the callee, and where it calls."""
        self.library = Library(dump)

    def refuse(self, refusal: Refusal, source: smir.Function) -> None:
        """Record a refusal at the nearest line of the user's crate, with the calls that lead there from the kernel."""
        span = self.dump.user_span(refusal.span)
        if source.symbol in self.callers and not (self.dump.is_user(span) and source.has_body):
            self.library.refused[source.symbol] = source, refusal
        else:
            self.report(refusal, source, span, [] if self.dump.is_user(span) else [source.name])

    def refuse_library(self) -> None:
        """Report what was refused inside libraries, at the user's lines that lead there."""
        faults, apart = self.library.faults()
        for fault in faults:
            self.report(fault.as_refusal(), fault.function, fault.span, fault.inside)
        for source, refusal in apart:
            self.report(refusal, source, self.dump.user_span(refusal.span), [source.name])

    def report(self, refusal: Refusal, source: smir.Function, span: int | None, library: list[str]) -> None:
        """Report a refusal at a line, in or below a function, inside functions of libraries, the innermost first."""
        notes = []
        for function, line in self.call_path(source):
            if not self.dump.is_user(line):
                library.append(function.name)
            elif not self.dump.is_user(span):
                span = line
            elif line != span:
                notes.append(Note(f"called from `{function.name}`", line))
        if library:
            notes.insert(0, Note("inside the library, through " + ", ".join(f"`{name}`" for name in reversed(library))))
        help_lines = (refusal.help,) if refusal.help else ()
        diagnostic = Diagnostic(refusal.code, refusal.message, span, notes=tuple(notes), help=help_lines)
        if all(known.span != span for known in self.errors):
            # One error for each place: what follows from it would only repeat it.
            self.errors.append(diagnostic)

    def entry_span(self, function: smir.Function) -> int | None:
        """Return the line of the user's crate that leads to a function of a library."""
        lines = (function.span, *(line for _, line in self.call_path(function)))
        return next(filter(self.dump.is_user, lines), lines[-1])

    def call_path(self, function: smir.Function) -> Iterator[tuple[smir.Function, int | None]]:
        """Yield the calls that lead to a function from a kernel, the nearest first: who calls, and the nearest line of the user's."""
        while (found := self.callers.get(function.symbol)) is not None:
            function, called = found
            yield function, self.dump.user_span(called)
