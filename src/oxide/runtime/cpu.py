"""The CPU device, through the driver API's functions of its library.

Launches are done when the call returns, so a kernel's fault is the launch's exception. The device is reset then, and modules are loaded
again. Launches of other threads, which share the context, are begun again where that was in their way.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from oxide.cache.files import KEY_LINE, image_path, is_complete_library, read_entry, write_entry
from oxide.runtime.errors import CudaError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oxide.cache.files import Cache
FAULTS = range(700, 720)
"""Codes of errors that a kernel leaves in its context."""


class Image:
    """What the CPU device runs in place of a PTX: kept, since the cache that it lies in may be cleared while the PTX is in use."""

    def __init__(self, cache: Cache, ptx: bytes) -> None:
        self.path = image_path(cache, ptx)
        self.content: bytes | None = None
        # Another PTX's lies beside its file, or nowhere.
        with contextlib.suppress(OSError):
            self.content = read_entry(self.path) if ptx.startswith(KEY_LINE) else None

    def put_back(self) -> None:
        """Put it where the device looks for it, if it is not there any more."""
        if self.content is not None and not is_complete_library(self.path):
            write_entry(self.path, self.content, mode=0o755)


class CpuDevice:
    """One CPU device, shared by all modules of the process."""

    name = "cpu"

    def __init__(self, library: Path) -> None:
        # ctypes releases the GIL while a function of it runs.
        self.library = ctypes.CDLL(str(library))
        self.library.oxide_last_fault.restype = ctypes.c_size_t
        self.lock = threading.Lock()
        self.unused: deque[tuple[int, int]] = deque()
        """Modules that are to be unloaded, each with its epoch."""
        self.local = threading.local()
        self.epoch = 0
        """How often the device was reset; what was loaded before is gone."""
        self.call("cuInit", 0)
        self.context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)

    def call(self, name: str, *args: Any) -> None:
        """Call a function of the driver; raise `CudaError` where it fails."""
        if (code := getattr(self.library, name)(*args)) != 0:
            raise CudaError(name, self.error_name(code), code)

    def error_name(self, code: int) -> str:
        """Return CUDA's name of an error."""
        text = ctypes.c_char_p()
        self.library.cuGetErrorName(code, ctypes.byref(text))
        return (text.value or b"CUDA_ERROR_UNKNOWN").decode()

    def enter(self) -> None:
        """Make the context this thread's."""
        if not hasattr(self.local, "entered"):
            self.call("cuCtxSetCurrent", self.context)
            self.local.entered = True

    def load(self, ptx: bytes) -> int:
        """Load a PTX whose image lies in the cache."""
        self.enter()
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(ptx))
        return module.value or 0

    def function(self, module: int, name: str) -> int:
        """Return the handle of a kernel."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), ctypes.c_void_p(module), name.encode())
        return function.value or 0

    def launch(self, config: Any, function: int, table: Any) -> int:
        """Run a kernel and return CUDA's code."""
        return int(self.library.cuLaunchKernelEx(config, ctypes.c_void_p(function), table, None))

    def fault(self) -> str | None:
        """Return what the last launch of this thread did, and where; None where it failed for what another one did."""
        text = ctypes.create_string_buffer(1 << 16)
        size = self.library.oxide_last_fault(text, ctypes.c_size_t(len(text)))
        return text.raw[:size].decode(errors="replace") or None

    def recover(self, code: int, epoch: int) -> bool:
        """Begin anew where a fault was met, unless somebody has since an epoch; return whether what was loaded in that epoch is gone."""
        with self.alone():
            if code in FAULTS and self.epoch == epoch:
                self.library.cuDevicePrimaryCtxReset_v2(0)
                self.epoch += 1
            return self.epoch != epoch

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock, so that no other thread resets the device; then unload what came to be unused meanwhile."""
        try:
            with self.lock:
                yield
        finally:
            self.unload_unused()

    def unload(self, module: int, epoch: int) -> None:
        """Unload a module, unless the device was reset since.

        A garbage collection calls this, in any thread, also in one that holds the lock.
        """
        self.unused.append((module, epoch))
        self.unload_unused()

    def unload_unused(self) -> None:
        """Unload what nobody uses any more, unless somebody holds the lock, who does it afterwards."""
        while self.unused and self.lock.acquire(blocking=False):
            try:
                while self.unused:
                    module, epoch = self.unused.popleft()
                    if epoch == self.epoch:
                        self.enter()
                        self.library.cuModuleUnload(ctypes.c_void_p(module))
            finally:
                self.lock.release()
