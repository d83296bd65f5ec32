"""The socket between rustc and the driver; docs/formats.md says what goes over it.

listener = Listener(folder, answer=lambda message: {"type": "diagnostics", "diagnostics": []})
listener.path        # OXIDE_SOCKET
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Listener:
    """The socket on which each crate that holds kernels sends its dump and waits for an answer."""

    def __init__(self, folder: Path, answer: Callable[[dict[str, Any]], dict[str, object]]) -> None:
        import socket

        self.path = folder / "driver.sock"
        self.answer = answer
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(os.fspath(self.path))
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        """Take connections until the socket is closed."""
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self.converse, args=(connection,), daemon=True).start()

    def converse(self, connection: Any) -> None:
        """Answer one crate's message."""
        with connection, contextlib.suppress(OSError), connection.makefile("rwb") as stream:
            if line := stream.readline():
                stream.write(json.dumps(self.answer(json.loads(line))).encode() + b"\n")

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Take no more connections."""
        import socket

        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
