"""Refusals inside libraries, reported at the user's lines that lead there.

    let mut v = Vec::new();     // error: heap allocation is not available in kernels: `std::vec::Vec::push` allocates
    v.push(1);                  // is where it points: of a body that allocates, at the first call that does

Calls are recorded as functions are imported, each once, so only the graph of all calls gives every line that leads to a function.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxide.errors import codes
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.mir_import import stable_mir as smir

INSTEAD = {
    "sort": "sort_unstable",
    "sort_by": "sort_unstable_by",
    "sort_by_key": "sort_unstable_by_key",
    "sort_by_cached_key": "sort_unstable_by_key",
}
"""The method that does the same without an allocation."""

HASHED = re.compile(r"\bHash(Map|Set)\b|^hashbrown::")
"""Collections that ask the system for a random number before they allocate."""

DROP = re.compile(r"drop_in_place\b|\bDrop>::drop$")


@dataclass(frozen=True, slots=True)
class Fault:
    """A line of the user's, in a function, that leads to something refused in a library, through those functions to the last of them."""

    function: smir.Function
    span: int
    refused: smir.Function
    refusal: Refusal
    called: str
    """What the line calls, without its generic arguments."""
    path: tuple[str, ...]

    @property
    def allocates(self) -> bool:
        """Whether it is refused because it allocates."""
        named = (self.called, *self.path)
        return self.refusal.code is codes.HEAP or any("stable_sort" in name or HASHED.search(name) for name in named)

    @property
    def formats(self) -> bool:
        """Whether it is refused because it formats text."""
        return self.refusal.code is codes.FORMATTING

    @property
    def drops(self) -> bool:
        """Whether the line only ends the life of what was allocated elsewhere."""
        return bool(self.path) and DROP.search(self.path[0]) is not None

    @property
    def inside(self) -> list[str]:
        """The functions of libraries from what is refused to the line, where that does not name it itself."""
        return [*reversed(self.path)] if len(self.path) > 1 or self.refused.has_body else []

    def as_refusal(self) -> Refusal:
        """Return the refusal to report at the line."""
        if not self.allocates:
            return Refusal(self.refusal.code, self.refusal.message, self.span, self.refusal.help)
        what = "" if self.drops else f": `{self.called}` allocates"
        other = INSTEAD.get(self.called.rpartition("::")[2])
        help_text = f"use `{other}`" if other else "use an array, a slice parameter or shared memory"
        return Refusal(codes.HEAP, f"heap allocation is not available in kernels{what}", self.span, help_text)


class Library:
    """The calls of one import, and what was refused where no line of the user's is."""

    def __init__(self, dump: smir.Dump) -> None:
        self.dump = dump
        self.calls: dict[str, list[tuple[smir.Function, int | None]]] = defaultdict(list)
        """The callers of each function, by its symbol, and the spans of the calls."""
        self.refused: dict[str, tuple[smir.Function, Refusal]] = {}

    def faults(self) -> tuple[list[Fault], list[tuple[smir.Function, Refusal]]]:
        """Return the faults, one for each line and one for all allocations in a function, and the refusals that no line leads to."""
        found: dict[int, Fault] = {}
        apart = []
        for source, refusal in self.refused.values():
            leading = list(self.leading_to(source, refusal))
            if not leading:
                apart.append((source, refusal))
            for fault in leading:
                known = found.get(fault.span)
                if known is None or (fault.allocates, -len(fault.path)) > (known.allocates, -len(known.path)):
                    found[fault.span] = fault
        told: list[Fault] = []
        bodies: dict[int, list[Fault]] = defaultdict(list)
        for fault in sorted(found.values(), key=self.place):
            bodies[fault.function.span].append(fault)
        for faults in bodies.values():
            allocating = sorted((fault for fault in faults if fault.allocates), key=lambda fault: fault.drops)
            lines = {self.dump.spans[fault.span].line for fault in allocating}
            told += allocating[:1]
            # What `format!` prints is no second error.
            told += [fault for fault in faults if not fault.allocates and not (fault.formats and self.place(fault)[1] in lines)]
        return sorted(told, key=self.place), apart

    def place(self, fault: Fault) -> tuple[str, int, int]:
        """Return what orders faults."""
        span = self.dump.spans[fault.span]
        return span.file, span.line, span.column

    def leading_to(self, source: smir.Function, refusal: Refusal) -> Iterator[Fault]:
        """Yield the lines of the user's that lead to a function of a library, each by a shortest way."""
        work: list[tuple[smir.Function, tuple[str, ...]]] = [(source, (source.name,))]
        seen = {source.symbol}
        for function, path in work:
            for caller, span in self.calls[function.symbol]:
                line = self.dump.user_span(span)
                if line is not None and self.dump.is_user(line):
                    yield Fault(caller, line, source, refusal, self.called_at(span, path[0]), path)
                elif caller.symbol not in seen:
                    seen.add(caller.symbol)
                    work.append((caller, (caller.name, *path)))

    def called_at(self, span: int | None, callee: str) -> str:
        """Return what a line of the user's calls: the outermost function that was inlined there, or the callee."""
        inlined = None
        while span is not None and not self.dump.spans[span].local:
            inlined = self.dump.spans[span].function or inlined
            span = self.dump.spans[span].caller
        return without_arguments(inlined or callee)


def without_arguments(name: str) -> str:
    """Return a function's path without generic arguments: `std::vec::Vec::push` of `std::vec::Vec::<T, A>::push`."""
    while (shorter := re.sub(r"::<(?!impl\b)[^<>]*>", "", name)) != name:
        name = shorter
    return name
