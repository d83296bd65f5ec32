"""What the driver needs of whoever prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Sequence

    from oxide.errors import Diagnostic


class Ui(Protocol):
    """What the driver needs of whoever prints; `oxide.cli.ui` is one."""

    def talk(self, line: str) -> None:
        """Write one line, whatever the loudness."""

    def say(self, line: str) -> None:
        """Tell the person at the shell what is going on."""

    def show_diagnostic(self, diagnostic: Diagnostic, places: Sequence[str] = ()) -> None:
        """Show a diagnostic where rustc is not there to show it; `places` says where each span lies."""

    def warning(self, text: str) -> None:
        """Tell of what may be wrong, or slow."""

    def phase(self, number: int, text: str) -> None:
        """Tell that one of the nine phases is under way."""

    def busy(self, what: str) -> contextlib.AbstractContextManager[None]:
        """Say what takes a while, for as long as it does."""

    def ended_by_signal(self, program: str, number: int) -> None:
        """Say that a program died by a signal."""
