"""What can go wrong, sorted by who must act.

    raise UsageError("unknown emit kind 'ptxx'", hint="did you mean 'ptx'?")

| class | who must act | exit status |
| --- | --- | --- |
| `ProgramError`, `Refused` | the program's author | 1 |
| `UsageError` | the person at the shell | 2 (click's own) |
| `MachineError` | the owner of the machine | 3 |
| `InternalError` | us | 70 (`EX_SOFTWARE`) |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oxide.errors.codes import Code

INTERRUPTED = 130
"""Exit status after Ctrl-C: 128 + SIGINT, as shells give it."""


class OxideError(Exception):
    """An error that is shown as its message and hint, without a traceback.

    `message` is lower case, says what was got and what was expected, and ends without a full stop when it is one sentence.
    """

    exit_status: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if hint is not None and type(self).__str__ is Exception.__str__:
            # For tracebacks, which programs have that import oxide.
            self.add_note(f"hint: {hint}")


class ProgramError(OxideError):
    """The program's author must act."""


class UsageError(OxideError):
    """The person at the shell must act."""

    exit_status = 2


class MachineError(OxideError):
    """The owner of the machine must act: a tool, a package, a driver or a permission is missing."""

    exit_status = 3


def missing_tool(program: str) -> MachineError:
    """Return the error for a program of the system that is not there."""
    return MachineError(f"{program} is not installed", hint="run `oxide doctor` to see what is missing")


def reason_of(error: OSError) -> str:
    """Return why the system refused, in its words."""
    return (error.strerror or str(error)).lower()


def machine_fault(error: OSError) -> MachineError | None:
    """Return the error for what the system refused: a permission, a full disk, a path through a file. None where we asked for nonsense."""
    import errno

    denied = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO}
    no_such_path = {errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
    if error.errno not in denied | no_such_path:
        return None
    where = f"{error.filename}: " if error.filename is not None else ""
    return MachineError(f"the system refuses: {where}{reason_of(error)}")


class InternalError(OxideError):
    """We must act: oxide is wrong. `stage` names the stage that failed."""

    exit_status = 70

    def __init__(self, message: str, *, stage: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.stage = stage


class TextRefused(InternalError):
    """A text is not taken, by LLVM or ptxas, or a dump by the importer: our bug where oxide wrote it, the person's where it was edited.

    The pipeline knows.
    """


class AssemblerRefused(TextRefused):
    """ptxas does not take a PTX; `report` is what it says."""

    def __init__(self, report: str) -> None:
        super().__init__(f"ptxas refused the PTX:\n{report}", stage="cubin")
        self.report = report


@dataclass(frozen=True)
class Note:
    """What stands under a diagnostic, at a place of its own: one step of the chain to the kernel, for example."""

    message: str
    span: int | None = None


@dataclass(frozen=True)
class Diagnostic:
    """One error, warning or note about the program, as docs/formats.md has it.

    `span` is an index into the dump's `spans`; rustc shows the line that it stands for. `code` is None for our own failures only.
    """

    code: Code | None
    message: str
    span: int | None = None
    level: Literal["error", "warning", "note"] = "error"
    notes: tuple[Note, ...] = ()
    help: tuple[str, ...] = field(default=())

    @property
    def shown(self) -> str:
        """The message with its code."""
        return self.message if self.code is None else f"{self.message} [{self.code.name}]"

    def to_json(self) -> dict[str, object]:
        """Return the object that goes over the socket."""
        return {
            "level": self.level,
            "message": self.shown,
            "span": self.span,
            "notes": [{"span": note.span, "message": note.message} for note in self.notes],
            "help": list(self.help),
        }


class Refused(ProgramError):
    """The program holds something that oxide does not compile; each diagnostic says what and where.

    `places` says where each span lies, `src/lib.rs:7:5`, where rustc is not there to show it.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], places: Sequence[str] = ()) -> None:
        super().__init__("\n".join(diagnostic.shown for diagnostic in diagnostics))
        self.diagnostics = tuple(diagnostics)
        self.places = places


def did_you_mean(got: str, known: Iterable[str]) -> str | None:
    """Return a hint that names the known word closest to `got`, or that begins with it, or lists all of them where none is close."""
    import difflib

    words = list(known)
    begun = [word for word in words if got and word.startswith(got)]
    if close := difflib.get_close_matches(got, words, n=1, cutoff=0.7) or begun[:1]:
        return f"did you mean '{close[0]}'?"
    return f"one of {', '.join(words)}" if words else None
