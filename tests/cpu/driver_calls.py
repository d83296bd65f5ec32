"""What tests of the driver's own behaviour share: result codes, kernels, and host functions that hold a stream."""

from __future__ import annotations

import ctypes
import threading
from contextlib import contextmanager
from ctypes import addressof, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING

from driver_api import Buffer, Device

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

INVALID_VALUE, OUT_OF_MEMORY, INVALID_DEVICE, INVALID_CONTEXT = 1, 2, 101, 201
INVALID_HANDLE, ILLEGAL_STATE, NOT_FOUND, NOT_READY = 400, 401, 500, 600
ILLEGAL_ADDRESS, PEER_ALREADY, PEER_NOT, DESTROYED, NOT_PERMITTED, NOT_SUPPORTED = 700, 704, 705, 709, 800, 801
CAPTURE_UNSUPPORTED, INVALIDATED, UNJOINED, ISOLATION, IMPLICIT, CAPTURED_EVENT = 900, 901, 904, 905, 906, 907
NON_BLOCKING = 1
LEGACY, PER_THREAD = c_void_p(1), c_void_p(2)

HostFunction = ctypes.CFUNCTYPE(None, c_void_p)
Callback = ctypes.CFUNCTYPE(None, c_void_p, c_uint32, c_void_p)

ADD = """
define ptx_kernel void @k(ptr %p0, i32 %n) #0 {
  %old = load i32, ptr %p0, align 4
  %new = add i32 %old, %n
  store i32 %new, ptr %p0, align 4
  ret void
}
"""
TRAP = """
define ptx_kernel void @k() #0 {
  call void @llvm.trap()
  unreachable
}
declare void @llvm.trap()
"""
SHARED = """
define ptx_kernel void @k() #0 {
  ret void
}
"""


def ints(array: ctypes.Array[c_int]) -> list[int]:
    return list(array)


def read(device: Device, address: c_uint64, count: int = 1) -> list[int]:
    array = (c_int * count)()
    device.call("cuMemcpyDtoH_v2", array, address, c_size_t(4 * count))
    return ints(array)


def add(device: Device, function: c_void_p, buffer: Buffer | c_uint64, value: int, stream: c_void_p | None = None) -> int:
    address = buffer.address if isinstance(buffer, Buffer) else buffer
    number = c_int(value)
    pointers = (c_void_p * 2)(addressof(address), addressof(number))
    return device.code("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, stream, pointers, None)


def waiting(let: threading.Event) -> object:
    """Return a host function that waits for an event of the host's."""

    def wait(_: int | None) -> None:
        let.wait(30)

    return HostFunction(wait)


@contextmanager
def held(device: Device, stream: c_void_p | None) -> Iterator[Callable[[], None]]:
    """Queue a host function that returns when the block ends, or earlier when what it is given is called."""
    let = threading.Event()
    function = waiting(let)
    device.call("cuLaunchHostFunc", stream, function, None)
    try:
        yield let.set
    finally:
        let.set()
        device.call("cuCtxSynchronize")
