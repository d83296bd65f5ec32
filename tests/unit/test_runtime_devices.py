"""What the Python runtime does with a driver, seen from a driver that only counts."""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.runtime.cpu import CpuDevice

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


class Library:
    """A library of the driver API that remembers its calls, and calls back where a test says so."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.inside: dict[str, Callable[[], None]] = {}
        self.functions: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        def function(*arguments: Any) -> int:
            self.calls.append((name, [getattr(argument, "value", argument) for argument in arguments]))
            self.inside.get(name, lambda: None)()
            return 0

        return self.functions.setdefault(name, function)


def test_modules_that_go_while_the_device_is_busy_are_unloaded_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    device = CpuDevice(Path("stub"))
    # A garbage collection runs finalizers wherever it happens: while the device is reset, or while another module is unloaded.
    library.inside["cuDevicePrimaryCtxReset_v2"] = lambda: device.unload(7, 0)

    def once() -> None:
        del library.inside["cuModuleUnload"]
        device.unload(9, 1)

    library.inside["cuModuleUnload"] = once

    def work() -> None:
        device.recover(719)
        device.unload(8, 1)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive(), "it waits for itself"
    unloaded = [arguments for name, arguments in library.calls if name == "cuModuleUnload"]
    assert unloaded == [[8], [9]], "module 7 went with the reset"
