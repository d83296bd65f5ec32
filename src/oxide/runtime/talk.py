"""What `oxide.load` tells while it compiles, on stderr, which Jupyter shows too.

    oxide: compiling saxpy.rs for sm_90
    oxide: compiled saxpy.rs in 12.3 s

What is remembered is loaded without a word. What rustc says, and what the driver warns of, is kept for exceptions and warnings.
"""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oxide.errors import Diagnostic
    from oxide.options import Options


def tell(line: str) -> None:
    """Write one line to stderr, whole, where there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(BrokenPipeError):
            sys.stderr.write(line + "\n")
            sys.stderr.flush()


class Talk:
    """A driver's talk: the options say how much of it is told."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.lines: list[str] = []
        """What rustc said."""
        self.warnings: list[str] = []

    def data(self, content: bytes) -> None:
        """Nobody reads cargo's messages here."""

    def anew(self) -> Talk:
        """Return one that has kept nothing yet."""
        return Talk(self.options)

    def talk(self, line: str) -> None:
        """Keep a line of rustc's."""
        self.lines.append(line)

    def warning(self, text: str) -> None:
        """Keep a warning."""
        self.warnings.append(text)

    def show_diagnostic(self, diagnostic: Diagnostic, places: Sequence[str] = ()) -> None:
        """Say nothing: what is refused is an exception."""

    def say(self, line: str) -> None:
        """Tell what is going on."""
        if not self.options.quiet:
            tell(f"oxide: {line}")

    def phase(self, number: int, text: str) -> None:
        """Tell that one of the nine phases is under way, where someone wants to know."""
        if self.options.verbose and not self.options.quiet:
            tell(f"[PHASE {number}/9] {text}")

    @contextlib.contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """Tell what takes a while."""
        self.say(what)
        yield

    @contextlib.contextmanager
    def compiling(self, name: str, target: str) -> Iterator[None]:
        """Tell that a program is compiled, and how long it took where it succeeds."""
        self.say(f"compiling {name} for {target}")
        start = time.monotonic()
        yield
        self.say(f"compiled {name} in {time.monotonic() - start:.1f} s")

    def ended_by_signal(self, program: str, number: int) -> None:
        """Say nothing: no program is run."""
