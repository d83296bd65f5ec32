"""The CPU device, through the driver API's functions of its library.

Launches are done when the call returns, so a kernel's fault is the launch's exception. The device is reset then, and modules are loaded
again.
"""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

from oxide.runtime.errors import CudaError

if TYPE_CHECKING:
    from pathlib import Path

    from oxide.runtime.errors import Three

FAULTS = range(700, 720)
"""Codes of errors that a kernel leaves in its context."""


class Attribute(ctypes.Structure):
    """A `CUlaunchAttribute`: what it says, and up to 64 bytes of it."""

    _fields_ = (("id", ctypes.c_uint), ("padding", ctypes.c_char * 4), ("value", ctypes.c_uint * 16))


class Config(ctypes.Structure):
    """A `CUlaunchConfig`."""

    _fields_ = (
        ("dims", ctypes.c_uint * 6),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    )


CLUSTER_DIMENSION = 4
COOPERATIVE = 2


class CpuDevice:
    """One CPU device, shared by all modules of the process."""

    name = "cpu"

    def __init__(self, library: Path) -> None:
        # ctypes releases the GIL while a function of it runs.
        self.library = ctypes.CDLL(str(library))
        self.library.cuLaunchKernel.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3]
        self.run = self.library.cuLaunchKernel
        self.lock = threading.Lock()
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

    def launch(self, function: int, grid: Three, block: Three, shared: int, table: int, cluster: Three | None, cooperative: bool) -> int:
        """Run a kernel and return CUDA's code."""
        if cluster is None and not cooperative:
            return int(self.run(function, *grid, *block, shared, None, table, None))
        attributes = (Attribute * 2)()
        count = 0
        if cluster is not None:
            attributes[count].id, attributes[count].value[:3] = CLUSTER_DIMENSION, cluster
            count += 1
        if cooperative:
            attributes[count].id, attributes[count].value[0] = COOPERATIVE, 1
            count += 1
        config = Config((ctypes.c_uint * 6)(*grid, *block), shared, None, attributes, count)
        return int(self.library.cuLaunchKernelEx(ctypes.byref(config), ctypes.c_void_p(function), ctypes.c_void_p(table), None))

    def recover(self, code: int) -> None:
        """Begin anew after a kernel's fault."""
        if code in FAULTS:
            with self.lock:
                self.library.cuDevicePrimaryCtxReset_v2(0)
                self.epoch += 1

    def unload(self, module: int, epoch: int) -> None:
        """Unload a module, unless the device was reset since."""
        with self.lock:
            if epoch == self.epoch:
                self.enter()
                self.library.cuModuleUnload(ctypes.c_void_p(module))
