"""What the Python runtime does with a driver, seen from a driver that only counts."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from oxide.runtime import cuda
from oxide.runtime.cpu import CpuDevice
from oxide.runtime.errors import ArgumentError, CudaError
from oxide.runtime.kernel import Kernel
from oxide.runtime.loaded import Loaded

if TYPE_CHECKING:
    from collections.abc import Callable


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
        device.recover(719, 0)
        device.unload(8, 1)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive(), "it waits for itself"
    unloaded = [arguments for name, arguments in library.calls if name == "cuModuleUnload"]
    assert unloaded == [[8], [9]], "module 7 went with the reset"


def test_a_module_that_goes_while_another_is_loaded_is_unloaded_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    device = CpuDevice(Path("stub"))
    library.inside["cuModuleLoadData"] = lambda: device.unload(7, 0)
    Loaded(device, b"// of another tool").cpu_function("kernel")
    assert ("cuModuleUnload", [7]) in library.calls


class Driver:
    """cuda-python's driver, as far as contexts go: each thread has a stack of them."""

    def __init__(self) -> None:
        self.local = threading.local()
        self.retained: list[int] = []
        self.seen: list[tuple[str, int]] = []
        """Calls, each with the context that was current."""

    def __getattr__(self, name: str) -> Any:
        def function(*_: Any) -> tuple[int]:
            self.seen.append((name, self.stack()[-1]))
            return (0,)

        return function

    def stack(self) -> list[int]:
        if not hasattr(self.local, "stack"):
            self.local.stack = [0]
        stack: list[int] = self.local.stack
        return stack

    def cuDeviceGetCount(self) -> tuple[int, int]:  # noqa: N802 - the driver's names
        return 0, 2

    def cuDeviceGet(self, index: int) -> tuple[int, int]:  # noqa: N802
        return 0, index

    def cuDevicePrimaryCtxRetain(self, device: int) -> tuple[int, int]:  # noqa: N802
        time.sleep(0.1)
        self.retained.append(device)
        return 0, 1000 + device

    def cuCtxGetCurrent(self) -> tuple[int, int]:  # noqa: N802
        return 0, self.stack()[-1]

    def cuCtxSetCurrent(self, context: int) -> tuple[int]:  # noqa: N802
        self.stack()[-1] = context
        return (0,)

    def cuCtxPushCurrent(self, context: int) -> tuple[int]:  # noqa: N802
        self.stack().append(context)
        return (0,)

    def cuCtxPopCurrent(self) -> tuple[int, int]:  # noqa: N802
        return 0, self.stack().pop()


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> cuda.CudaDevice:
    monkeypatch.setattr(cuda, "driver", Driver)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: Library())
    monkeypatch.setattr(os, "register_at_fork", lambda **_: None)
    return cuda.CudaDevice()


def test_a_context_is_retained_once_for_all_threads(gpus: cuda.CudaDevice) -> None:
    threads = [threading.Thread(target=gpus.enter, args=(index,)) for index in (0, 1, 0, 1, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(gpus.driver.retained) == [0, 1]


def test_what_a_garbage_collection_ends_leaves_the_threads_context(gpus: cuda.CudaDevice) -> None:
    gpus.enter(1)
    gpus.enter(0)
    gpus.unload(1, "module")
    cuda.free(gpus, 1, 0x100)
    assert gpus.driver.seen == [("cuCtxSynchronize", 1001), ("cuModuleUnload", 1001), ("cuMemFree", 1001)]
    assert gpus.driver.cuCtxGetCurrent() == (0, 1000)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (CudaError("cuFuncSetAttribute", "CUDA_ERROR_INVALID_VALUE", 1), ArgumentError),
        (CudaError("cuFuncSetAttribute", "CUDA_ERROR_ILLEGAL_ADDRESS", 700), CudaError),
        (KeyError("ours"), KeyError),
    ],
)
def test_only_too_much_shared_memory_is_the_callers_fault(raised: Exception, expected: type[Exception]) -> None:
    def refuse(*_: Any) -> None:
        raise raised

    kernel: Any = SimpleNamespace(functions={0: 1}, shared={}, loaded=SimpleNamespace(device=SimpleNamespace(allow_shared=refuse)))
    kernel.__name__ = "sum"
    with pytest.raises(expected) as caught:
        Kernel.function(kernel, 0, cuda.PLAIN_SHARED + 1)
    assert type(caught.value) is expected
    assert Kernel.function(kernel, 0, cuda.PLAIN_SHARED) == 1
