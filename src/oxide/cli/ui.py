"""All printing: messages to stderr, data to stdout.

    ui.start("verbose")
    ui.phase(3, "spawning rustc")       # [PHASE 3/9] spawning rustc
    ui.error(MachineError("cc is not installed", hint="run `oxide doctor`"))

Colour only underlines what the words say, on a terminal without `NO_COLOR`, or as `--color` says.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from oxide.errors import INTERRUPTED, Diagnostic, InternalError, OxideError, Refused
from oxide.options import Colour, environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Loudness: TypeAlias = Literal["quiet", "normal", "verbose"]

COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "hint": "\x1b[1;36m", "note": "\x1b[1;32m", "strong": "\x1b[1m"}


@dataclass
class Settings:
    """The verbosity, and whether to use colour."""

    loudness: Loudness = "normal"
    colour: bool = False


settings = Settings()


def start(loudness: Loudness, colour: Colour = "auto") -> None:
    """Set the verbosity, and when to use colour."""
    settings.loudness = loudness
    settings.colour = colour == "always" or (colour == "auto" and sys.stderr.isatty() and environment().get("NO_COLOR") is None)


def paint(text: str, style: str) -> str:
    """Return `text` in a style's colour, where colour is wanted."""
    return f"{COLOURS[style]}{text}\x1b[0m" if settings.colour else text


def talk(line: str) -> None:
    """Write one line to stderr atomically, also from several threads."""
    with contextlib.suppress(BrokenPipeError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def say(line: str) -> None:
    """Write a message to stderr, unless quiet."""
    if settings.loudness != "quiet":
        talk(f"{paint('oxide', 'note')}: {line}")


def phase(number: int, text: str) -> None:
    """Report the start of one of the nine phases, if verbose."""
    if settings.loudness == "verbose":
        talk(f"[PHASE {number}/9] {text}")


@contextlib.contextmanager
def busy(what: str) -> Iterator[None]:
    """Report a long operation: a spinner on a terminal, a line elsewhere."""
    if settings.loudness == "quiet":
        yield
    elif sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status(what):
            yield
    else:
        say(what)
        yield


def error(problem: OxideError) -> None:
    """Show an error, its hint last."""
    if isinstance(problem, Refused):
        for diagnostic in problem.diagnostics:
            show_diagnostic(diagnostic, problem.places)
        return
    message = problem.message
    if isinstance(problem, InternalError):
        where = f" in stage {problem.stage}" if problem.stage else ""
        message = f"oxide failed{where}: {message}"
    if message:
        talk(f"{paint('error', 'error')}: {message}")
    if problem.hint:
        talk(f"{paint('hint', 'hint')}: {problem.hint}")


def show_diagnostic(diagnostic: Diagnostic, places: Sequence[str] = ()) -> None:
    """Show a diagnostic without rustc; `places` are the positions of its spans."""

    def place(span: int | None) -> str:
        return f"\n  --> {places[span]}" if span is not None and span < len(places) else ""

    talk(f"{paint(diagnostic.level, diagnostic.level)}: {diagnostic.shown}{place(diagnostic.span)}")
    for note in diagnostic.notes:
        talk(f"{paint('note', 'note')}: {note.message}{place(note.span)}")
    for line in diagnostic.help:
        talk(f"{paint('hint', 'hint')}: {line}")


def warning(text: str) -> None:
    """Show a warning."""
    if settings.loudness != "quiet":
        talk(f"{paint('warning', 'warning')}: {text}")


def data(content: bytes) -> None:
    """Write data to stdout."""
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def line(text: str = "") -> None:
    """Write one line of data to stdout."""
    sys.stdout.write(text + "\n")


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table to stdout: ruled on a terminal, elsewhere words in columns."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        shown = Table(*columns, box=None, pad_edge=False, header_style="bold")
        for row in rows:
            shown.add_row(*map(Text, row))
        Console(no_color=not settings.colour, highlight=False).print(shown)
        return
    widths = [max(len(row[at]) for row in (columns, *rows)) for at in range(len(columns))]
    for row in (columns, *rows):
        line("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
    sys.stdout.flush()


def heading(text: str) -> None:
    """Write a heading between data: a comment in every stage's text."""
    line(f"// ==== {text}")
    sys.stdout.flush()


def ended_by_signal(program: str, number: int) -> None:
    """Report that a program was killed by a signal."""
    import signal

    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    talk(f"{paint('error', 'error')}: {program} was ended by {name}")


def interrupted() -> int:
    """Print a newline after Ctrl-C, and return the exit status."""
    talk("")
    return INTERRUPTED
