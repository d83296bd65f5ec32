"""One PTX on a device: loaded where it is first launched, unloaded with the last that uses it."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, TypeAlias

from oxide.cache.files import Cache
from oxide.options import environment
from oxide.runtime.cpu import CpuDevice, Image
from oxide.runtime.errors import CudaError

if TYPE_CHECKING:
    from oxide.runtime.cuda import CudaDevice

Device: TypeAlias = Any
"""A `CpuDevice` or a `CudaDevice`, which are called differently."""


class Loaded:
    """A PTX, with its handle on each device."""

    def __init__(self, device: Device, ptx: bytes) -> None:
        self.device = device
        self.ptx = ptx
        self.lock = threading.Lock()
        self.modules: dict[int, Any] = {}
        self.functions: dict[str, int] = {}
        self.epoch = -1
        self.image = Image(Cache(environment().cache), ptx) if isinstance(device, CpuDevice) else None

    def function(self, index: int, name: str) -> Any:
        """Return a kernel's handle on a GPU, whose context is this thread's."""
        gpus: CudaDevice = self.device
        with self.lock:
            if index not in self.modules:
                module = self.modules[index] = gpus.load(self.ptx)
                weakref.finalize(self, gpus.unload, index, module).atexit = False
            return gpus.function(self.modules[index], name)

    def run(self, name: str, config: Any, table: Any) -> tuple[int, str | None]:
        """Run a kernel on the CPU device; return CUDA's code, and what the kernel did where it has left a fault.

        Another thread's fault, or the reset after one, can be in the way of a launch: it has not run then, and is begun again.
        """
        device: CpuDevice = self.device
        while True:
            epoch = device.epoch
            try:
                code = device.launch(config, self.cpu_function(name), table)
                failed = None
            except CudaError as error:
                code, failed = error.code, error
            if code == 0:
                return code, None
            fault = device.fault()
            gone = device.recover(code, epoch)
            if fault is None and gone:
                continue
            if failed is not None:
                raise failed
            return code, fault

    def cpu_function(self, name: str) -> int:
        """Return a kernel's handle on the CPU device, after a reset a new one."""
        device: CpuDevice = self.device
        if self.epoch == device.epoch and (known := self.functions.get(name)) is not None:
            return known
        with self.lock, device.alone():
            if self.epoch != device.epoch:
                self.functions.clear()
                if self.image is not None:
                    self.image.put_back()
                self.modules[0] = module = device.load(self.ptx)
                self.epoch = device.epoch
                weakref.finalize(self, device.unload, module, self.epoch).atexit = False
            if name not in self.functions:
                self.functions[name] = device.function(self.modules[0], name)
            return self.functions[name]

    def error_name(self, code: int) -> str:
        """Return CUDA's name of an error."""
        if isinstance(self.device, CpuDevice):
            return self.device.error_name(code)
        from oxide.runtime.cuda import error_name

        return error_name(code)
