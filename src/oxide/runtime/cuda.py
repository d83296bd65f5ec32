"""GPUs, through cuda-python's `cuda.bindings.driver`, which is imported when a GPU is first used.

Modules are loaded into the primary context of each device that they are launched on, which other libraries of the process use too.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

from oxide.errors import MachineError
from oxide.runtime.errors import CAUSES, CudaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.runtime.launcher import Launcher

PLAIN_SHARED = 48 * 1024
"""Bytes of dynamic shared memory that a launch may have without asking (CUDA C++ Programming Guide, "Shared Memory")."""


@functools.cache
def driver() -> Any:
    """Return cuda-python's driver, initialised. Raises `MachineError` where there is none, or no GPU."""
    try:
        from cuda.bindings import driver as bindings
    except ImportError:
        raise MachineError("cuda-python is not installed", hint="pip install 'cuda-python>=13.0'") from None
    try:
        code = int(bindings.cuInit(0)[0])
    except RuntimeError as error:
        raise MachineError("no CUDA driver was found", hint=f"device='cpu' runs kernels without a GPU; cuda-python says: {error}") from None
    if code != 0:
        raise MachineError(f"the CUDA driver does not start: error {code}", hint="`nvidia-smi` shows whether it works; or device='cpu'")
    return bindings


def succeeded(call: str, answer: tuple[Any, ...]) -> Any:
    """Return what a call of the driver gave; raise `CudaError` where it failed."""
    code = int(answer[0])
    if code != 0:
        raise CudaError(call, error_name(code), code, hint=CAUSES.get(code))
    return answer[1] if len(answer) == 2 else answer[1:]


def error_name(code: int) -> str:
    """Return CUDA's name of an error."""
    bindings = driver()
    try:
        return str(bindings.CUresult(code).name)
    except ValueError:
        return "CUDA_ERROR_UNKNOWN"


class CudaDevice:
    """All GPUs of the process."""

    name = "cuda"

    def __init__(self) -> None:
        self.driver = driver()
        # ctypes calls it in half of cuda-python's time, where all arguments are there already. It is the same library, and the same choice.
        each_thread = bool(int(os.environ.get("CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM", "0") or 0))
        self.launch = getattr(ctypes.CDLL("libcuda.so.1"), "cuLaunchKernelEx_ptsz" if each_thread else "cuLaunchKernelEx")
        self.count = int(succeeded("cuDeviceGetCount", self.driver.cuDeviceGetCount()))
        self.forked = False
        self.launchers: weakref.WeakSet[Launcher] = weakref.WeakSet()
        """What has handles of functions."""
        os.register_at_fork(after_in_child=self.fork)
        self.contexts: dict[int, tuple[Any, int]] = {}
        self.devices: dict[int, int] = {}
        """The devices by the addresses of their contexts."""
        # What a garbage collection ends may enter a device while this thread does.
        self.lock = threading.RLock()

    def entered(self) -> int:
        """Return the device whose primary context is this thread's, -1 where none is, also in a forked process."""
        return -1 if self.forked else self.devices.get(int(self.driver.cuCtxGetCurrent()[1]), -1)

    def fork(self) -> None:
        """Remember that this is a child without CUDA, where no handle means anything."""
        self.forked = True
        self.devices.clear()
        for launcher in self.launchers:
            launcher.functions.clear()

    def enter(self, index: int) -> None:
        """Make the primary context of a device this thread's. Raises `MachineError` in a child that was forked from a process with CUDA."""
        if self.forked:
            raise MachineError("CUDA does not work in a forked process", hint="start it with multiprocessing's method 'spawn'")
        known = self.contexts.get(index) or self.retain(index)
        if int(self.driver.cuCtxGetCurrent()[1]) != known[1]:
            succeeded("cuCtxSetCurrent", self.driver.cuCtxSetCurrent(known[0]))

    def retain(self, index: int) -> tuple[Any, int]:
        """Return the primary context of a device and its address, retained once for the process."""
        with self.lock:
            if index not in self.contexts:
                device = succeeded("cuDeviceGet", self.driver.cuDeviceGet(index))
                context = succeeded("cuDevicePrimaryCtxRetain", self.driver.cuDevicePrimaryCtxRetain(device))
                self.devices[int(context)] = index
                self.contexts[index] = (context, int(context))
            return self.contexts[index]

    @contextlib.contextmanager
    def inside(self, index: int) -> Iterator[None]:
        """Make a device's context this thread's for a while: a garbage collection leaves the one that the thread works in."""
        succeeded("cuCtxPushCurrent", (*self.driver.cuCtxPushCurrent(self.contexts[index][0]), None))
        try:
            yield
        finally:
            self.driver.cuCtxPopCurrent()

    def current(self) -> int:
        """Return the device of this thread's context, 0 without one."""
        if (entered := self.entered()) >= 0:
            return entered
        if int(self.driver.cuCtxGetCurrent()[1]) == 0:
            return 0
        return int(succeeded("cuCtxGetDevice", self.driver.cuCtxGetDevice()))

    def load(self, ptx: bytes) -> Any:
        """Compile and load a PTX for this thread's context; the error has the driver's log."""
        log = bytearray(8192)
        options = [self.driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER, self.driver.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
        code, module = self.driver.cuModuleLoadDataEx(ptx + b"\0", len(options), options, [log, len(log)])
        if int(code) != 0:
            text = bytes(log).rstrip(b"\0").decode(errors="replace").strip()
            what = f"cuModuleLoadDataEx: {text}" if text else "cuModuleLoadDataEx"
            raise CudaError("cuModuleLoadDataEx", error_name(int(code)), int(code), what=what, hint=CAUSES.get(int(code)))
        return module

    def function(self, module: Any, name: str) -> Any:
        """Return the handle of a kernel."""
        return succeeded("cuModuleGetFunction", self.driver.cuModuleGetFunction(module, name.encode()))

    def allow_shared(self, function: Any, size: int) -> None:
        """Let a kernel have more dynamic shared memory than a launch may have without asking."""
        attribute = self.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        succeeded("cuFuncSetAttribute", self.driver.cuFuncSetAttribute(function, attribute, size))

    def wait(self, first: int, then: int) -> None:
        """Let stream `then` wait for what is on stream `first` now."""
        event = succeeded("cuEventCreate", self.driver.cuEventCreate(self.driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
        succeeded("cuEventRecord", self.driver.cuEventRecord(event, first))
        succeeded("cuStreamWaitEvent", self.driver.cuStreamWaitEvent(then, event, 0))
        succeeded("cuEventDestroy", (*self.driver.cuEventDestroy(event), None))

    def synchronize(self) -> None:
        """Wait for all that was launched on the devices that are in use; raise `CudaError` where a kernel has failed."""
        for index in list(self.contexts):
            self.enter(index)
            succeeded("cuCtxSynchronize", (*self.driver.cuCtxSynchronize(), None))

    def unload(self, index: int, module: Any) -> None:
        """Unload a module after what runs of it."""
        if not self.forked:
            with self.inside(index):
                self.driver.cuCtxSynchronize()
                self.driver.cuModuleUnload(module)


@functools.cache
def device() -> CudaDevice:
    """Return the GPUs of the process."""
    return CudaDevice()


class DeviceArray:
    """Memory on a GPU with the shape and dtype of a NumPy array, structs too: what `to_device` gives."""

    def __init__(self, array: Any, index: int) -> None:
        gpus = device()
        gpus.enter(index)
        self.dtype, self.shape, self.device = array.dtype, array.shape, index
        self.size = array.nbytes
        self.address = int(succeeded("cuMemAlloc", gpus.driver.cuMemAlloc(self.size))) if self.size else 0
        if self.address:
            weakref.finalize(self, free, gpus, index, self.address).atexit = False
            succeeded("cuMemcpyHtoD", (*gpus.driver.cuMemcpyHtoD(self.address, array.ctypes.data, self.size), None))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The memory, as other libraries read it."""
        return {"version": 3, "data": (self.address, False), "shape": self.shape, "typestr": self.dtype.str, "stream": None}

    def to_host(self) -> Any:
        """Return a NumPy array of what the memory holds once all that was launched on the device is done."""
        import numpy

        gpus = device()
        gpus.enter(self.device)
        array = numpy.empty(self.shape, self.dtype)
        succeeded("cuCtxSynchronize", (*gpus.driver.cuCtxSynchronize(), None))
        if self.address:
            succeeded("cuMemcpyDtoH", (*gpus.driver.cuMemcpyDtoH(array.ctypes.data, self.address, self.size), None))
        return array


def free(gpus: CudaDevice, index: int, address: int) -> None:
    """Free device memory."""
    if not gpus.forked:
        with gpus.inside(index):
            gpus.driver.cuMemFree(address)


def to_device(array: Any, index: int = 0) -> DeviceArray:
    """Copy a NumPy array to GPU number `index`."""
    import numpy

    return DeviceArray(numpy.ascontiguousarray(array), index)
