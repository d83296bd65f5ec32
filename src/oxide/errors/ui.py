"""What the driver needs of whoever prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Collection, Iterable, Sequence

    from oxide.errors import Diagnostic


class Ui(Protocol):
    """What prints for the driver; `oxide.cli.ui` is one, and `oxide.load` has another."""

    def talk(self, line: str) -> None:
        """Print one line of cargo's or rustc's, with --quiet too."""

    def data(self, content: bytes) -> None:
        """Write to stdout what a program reads."""

    def say(self, line: str) -> None:
        """Print what is going on, for the person at the shell."""

    def show_diagnostic(self, diagnostic: Diagnostic, places: Sequence[str] = ()) -> None:
        """Show a diagnostic without rustc; `places` are the positions of its spans."""

    def warning(self, text: str) -> None:
        """Print a warning."""

    def phase(self, number: int, text: str) -> None:
        """Print, with --verbose, that one of the nine phases has begun."""

    def busy(self, what: str) -> contextlib.AbstractContextManager[None]:
        """Show what takes a while, for as long as it does."""

    def ended_by_signal(self, program: str, number: int) -> None:
        """Print that a program died by a signal."""


PHASES = {"mir": (6, "imported and verified (mir)"), "llvm": (7, "lowered (nvvm, llvm)"), "ptx": (8, "exported, compiled to PTX")}
"""The phase that ends with a stage."""


class CratePhases:
    """Reports the phases of one crate, which are numbered as in docs/architecture.md."""

    def __init__(self, ui: Ui, crate: str) -> None:
        self.ui = ui
        self.crate = crate

    def done(self, stage: str) -> None:
        """Report the phase that ends with a stage, if one does."""
        if stage in PHASES:
            number, text = PHASES[stage]
            self.ui.phase(number, f"{self.crate}: {text}")

    def note(self, remark: Diagnostic) -> None:
        """Report a remark of the importer."""
        self.ui.phase(6, f"{self.crate}: {remark.message}")

    def found(self, kinds: Collection[str]) -> None:
        """Report the phases that were skipped, since the cache has their results."""
        if "ptx" in kinds:
            self.ui.phase(6, f"{self.crate}: imported before")
            self.ui.phase(7, f"{self.crate}: lowered before")
        self.ui.phase(8, f"{self.crate}: found in the cache: {', '.join(sorted(kinds))}")

    def further(self, archs: Iterable[str]) -> None:
        """Report the targets that code was made for beside the first."""
        for arch in archs:
            self.ui.phase(8, f"{self.crate}: the same for {arch}")

    def fresh(self) -> None:
        """Report the phases of a crate that cargo did not compile again."""
        for number, what in ((4, "found kernels"), (5, "dumped stable MIR"), (6, "imported"), (7, "lowered"), (8, "exported")):
            self.ui.phase(number, f"{self.crate}: {what} in an earlier build, nothing has changed")
