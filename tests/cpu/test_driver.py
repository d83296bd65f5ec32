"""The driver's own behaviour on the CPU device: contexts, streams, events, memory, graphs, and their errors."""

from __future__ import annotations

import ctypes
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ctypes import addressof, byref, c_char_p, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from driver_api import Buffer, Device, Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest_plugins = ("with_device",)

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


@pytest.fixture
def function(device: Device) -> c_void_p:
    return device.function(device.load(device.ptx(ADD)), "k")


# Streams and events.


def test_streams_are_what_they_were_made(device: Device) -> None:
    stream = device.made("cuStreamCreateWithPriority", NON_BLOCKING, -100)
    value, number = c_int(), c_uint64()
    device.call("cuStreamGetFlags", stream, byref(value))
    assert value.value == NON_BLOCKING
    least, greatest = c_int(), c_int()
    device.call("cuCtxGetStreamPriorityRange", byref(least), byref(greatest))
    device.call("cuStreamGetPriority", stream, byref(value))
    assert greatest.value == value.value < least.value
    device.call("cuStreamGetId", stream, byref(number))
    assert number.value > 0
    context = c_void_p()
    device.call("cuStreamGetCtx", stream, byref(context))
    assert context.value == device.made("cuCtxGetCurrent").value
    assert device.code("cuStreamCreate", byref(c_void_p()), 2) == INVALID_VALUE
    device.call("cuStreamDestroy_v2", stream)
    for name in ("cuStreamDestroy_v2", "cuStreamSynchronize", "cuStreamQuery"):
        assert device.code(name, stream) == INVALID_HANDLE
    for default in (None, LEGACY, PER_THREAD):
        assert device.code("cuStreamQuery", default) == 0
        assert device.code("cuStreamDestroy_v2", default) == INVALID_HANDLE


def test_a_host_function_holds_its_stream_and_no_other(device: Device, function: c_void_p) -> None:
    out = device.ints([0])
    stream, other = (device.made("cuStreamCreate", NON_BLOCKING) for _ in range(2))
    event = device.made("cuEventCreate", 0)
    with held(device, stream) as let:
        assert add(device, function, out, 5, stream) == 0
        device.call("cuEventRecord", event, stream)
        assert device.code("cuStreamQuery", stream) == NOT_READY
        assert device.code("cuEventQuery", event) == NOT_READY
        assert device.code("cuEventElapsedTime", byref(c_float()), event, event) == NOT_READY
        assert device.code("cuStreamQuery", other) == 0
        assert out.values() == [0]
        let()
        device.call("cuEventSynchronize", event)
        assert out.values() == [5]
        assert device.code("cuStreamQuery", stream) == 0


def test_a_host_function_may_not_call_the_driver(device: Device) -> None:
    codes: list[int] = []
    function = HostFunction(lambda _: codes.append(device.code("cuStreamQuery", None)))
    device.call("cuLaunchHostFunc", None, function, None)
    device.call("cuStreamSynchronize", None)
    assert codes == [NOT_PERMITTED]


def test_the_legacy_stream_waits_for_streams_that_block(device: Device, function: c_void_p) -> None:
    out = device.ints([0])
    blocking, free = device.made("cuStreamCreate", 0), device.made("cuStreamCreate", NON_BLOCKING)
    for stream, waits in ((blocking, True), (free, False), (PER_THREAD, True)):
        with held(device, stream):
            assert device.code("cuStreamQuery", None) == (NOT_READY if waits else 0)
    with held(device, LEGACY):
        assert add(device, function, out, 1, free) == 0
        assert device.code("cuStreamQuery", free) == 0
        assert add(device, function, out, 1, blocking) == 0
        assert device.code("cuStreamQuery", blocking) == NOT_READY
    assert out.values() == [2]


def test_one_stream_waits_for_an_event_of_another(device: Device, function: c_void_p) -> None:
    out = device.ints([0])
    first, second = (device.made("cuStreamCreate", NON_BLOCKING) for _ in range(2))
    event = device.made("cuEventCreate", 0)
    with held(device, first):
        device.call("cuEventRecord", event, first)
        device.call("cuStreamWaitEvent", second, event, 0)
        assert add(device, function, out, 1, second) == 0
        assert device.code("cuStreamQuery", second) == NOT_READY
    assert out.values() == [1]


def test_times_are_those_of_events_that_have_them(device: Device) -> None:
    first, second = (device.made("cuEventCreate", 0) for _ in range(2))
    untimed = device.made("cuEventCreate", 2)
    passed = c_float()
    assert device.code("cuEventElapsedTime", byref(passed), first, second) == INVALID_HANDLE
    for event in (first, untimed, second):
        device.call("cuEventRecord", event, None)
        time.sleep(0.02)
    device.call("cuEventElapsedTime", byref(passed), first, second)
    assert 39 < passed.value < 5000
    assert device.code("cuEventElapsedTime", byref(passed), first, untimed) == INVALID_HANDLE
    assert device.code("cuEventCreate", byref(c_void_p()), 8) == INVALID_VALUE
    device.call("cuEventDestroy_v2", first)
    assert device.code("cuEventDestroy_v2", first) == INVALID_HANDLE


def test_pageable_memory_is_read_before_a_copy_returns(device: Device) -> None:
    out = device.ints([0, 0])
    stream = device.made("cuStreamCreate", NON_BLOCKING)
    source = (c_int * 2)(1, 2)
    with held(device, stream):
        device.call("cuMemcpyHtoDAsync_v2", out.address, source, c_size_t(8), stream)
        source[0] = 9
    assert out.values() == [1, 2]


def test_a_stream_waits_for_a_value(device: Device) -> None:
    flag, out = device.ints([0]), device.ints([0])
    first, second = (device.made("cuStreamCreate", NON_BLOCKING) for _ in range(2))
    device.call("cuStreamWaitValue32_v2", first, flag.address, c_uint32(7), 1)
    device.call("cuMemsetD32Async", out.address, c_uint32(3), c_size_t(1), first)
    assert device.code("cuStreamQuery", first) == NOT_READY
    device.call("cuStreamWriteValue32_v2", second, flag.address, c_uint32(7), 0)
    device.call("cuStreamSynchronize", first)
    assert out.values() == [3]
    assert device.code("cuStreamWaitValue32_v2", first, c_uint64(flag.address.value + 2), c_uint32(7), 1) == INVALID_VALUE


def test_callbacks_are_told_of_errors(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    stream = device.made("cuStreamCreate", NON_BLOCKING)
    told: list[int] = []
    callback = Callback(lambda _stream, code, _data: told.append(code))
    let = threading.Event()
    device.call("cuStreamAddCallback", stream, callback, None, 0)
    trap = device.function(device.load(device.ptx(TRAP)), "k")
    wait = waiting(let)
    device.call("cuLaunchHostFunc", stream, wait, None)
    device.call("cuLaunchKernel", trap, 1, 1, 1, 1, 1, 1, 0, stream, None, None)
    device.call("cuStreamAddCallback", stream, callback, None, 0)
    let.set()
    assert device.code("cuStreamSynchronize", stream) == 719
    assert told == [0, 719]
    assert "oxide: kernel `k`" in capfd.readouterr().err


# Contexts and devices.


def test_without_a_context(device: Device) -> None:
    codes: list[int] = []

    def run() -> None:
        codes.append(device.code("cuMemAlloc_v2", byref(c_uint64()), c_size_t(4)))
        codes.append(device.code("cuCtxPopCurrent_v2", byref(c_void_p())))
        codes.append(device.code("cuCtxSetCurrent", c_void_p(0x1234)))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert codes == [INVALID_CONTEXT] * 3


def test_contexts_are_apart(device: Device, function: c_void_p) -> None:
    before = device.made("cuCtxGetCurrent")
    out = device.ints([1])
    stream, event = device.made("cuStreamCreate", 0), device.made("cuEventCreate", 0)
    context = device.made("cuCtxCreate_v4", None, 0, 1)
    number = c_int()
    device.call("cuCtxGetDevice", byref(number))
    assert number.value == 1
    own = device.made("cuStreamCreate", 0)
    assert add(device, function, out, 1, own) == INVALID_HANDLE
    assert add(device, function, out, 1, stream) == INVALID_HANDLE
    assert device.code("cuEventRecord", event, own) == INVALID_HANDLE
    # Streams wait for events of other devices, copies are queued in any stream; times are of one device.
    device.call("cuEventRecord", event, stream)
    device.call("cuStreamWaitEvent", own, event, 0)
    device.call("cuMemsetD32Async", out.address, c_uint32(1), c_size_t(1), stream)
    there = device.made("cuEventCreate", 0)
    device.call("cuEventRecord", there, own)
    assert device.code("cuEventElapsedTime", byref(c_float()), event, there) == INVALID_HANDLE
    pooled, number = c_uint64(), c_int()
    device.call("cuMemAllocAsync", byref(pooled), c_size_t(4), stream)
    device.call("cuPointerGetAttribute", byref(number), 9, pooled)
    assert number.value == 0
    device.call("cuMemFreeAsync", pooled, stream)
    device.call("cuCtxPushCurrent_v2", context)
    assert device.code("cuCtxDestroy_v2", before) == INVALID_CONTEXT
    device.call("cuCtxDestroy_v2", context)
    # It was pushed twice.
    assert device.code("cuStreamQuery", None) == DESTROYED
    device.call("cuCtxPopCurrent_v2", byref(c_void_p()))
    assert device.made("cuCtxGetCurrent").value == before.value
    assert device.code("cuStreamQuery", own) == INVALID_HANDLE
    assert device.code("cuCtxSetCurrent", context) == INVALID_CONTEXT
    assert add(device, function, out, 1, stream) == 0
    assert out.values() == [2]


def test_the_error_of_a_kernel_is_its_contexts(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    context = device.made("cuCtxCreate_v4", None, 0, 1)
    trap = device.function(device.load(device.ptx(TRAP)), "k")
    assert device.code("cuLaunchKernel", trap, 1, 1, 1, 1, 1, 1, 0, None, None, None) == 719
    assert device.code("cuMemAlloc_v2", byref(c_uint64()), c_size_t(4)) == 719
    device.call("cuCtxPopCurrent_v2", None)
    assert device.ints([3]).values() == [3]
    device.call("cuCtxDestroy_v2", context)
    assert "oxide: kernel `k`: thread (0, 0, 0) of block (0, 0, 0)" in capfd.readouterr().err


def test_primary_contexts_are_counted(device: Device) -> None:
    flags, active = c_int(), c_int()

    def state() -> tuple[int, int]:
        device.call("cuDevicePrimaryCtxGetState", 1, byref(flags), byref(active))
        return flags.value, active.value

    assert state() == (0, 0)
    device.call("cuDevicePrimaryCtxSetFlags_v2", 1, 4)
    context = device.made("cuDevicePrimaryCtxRetain", 1)
    assert device.made("cuDevicePrimaryCtxRetain", 1).value == context.value
    assert state() == (4, 1)
    device.call("cuDevicePrimaryCtxRelease_v2", 1)
    assert state() == (4, 1)
    device.call("cuDevicePrimaryCtxRelease_v2", 1)
    assert state() == (4, 0)
    assert device.code("cuDevicePrimaryCtxRelease_v2", 1) == INVALID_CONTEXT
    device.call("cuDevicePrimaryCtxSetFlags_v2", 1, 0)
    assert device.code("cuDevicePrimaryCtxRetain", byref(c_void_p()), 2) == INVALID_DEVICE


def test_devices_have_identities(device: Device) -> None:
    ids = []
    for number in range(2):
        uuid, place = ctypes.create_string_buffer(16), ctypes.create_string_buffer(32)
        device.call("cuDeviceGetUuid_v2", uuid, number)
        device.call("cuDeviceGetPCIBusId", place, 32, number)
        found = c_int()
        device.call("cuDeviceGetByPCIBusId", byref(found), place)
        assert found.value == number
        ids.append((uuid.raw, place.value))
    assert len(set(ids)) == 2
    for attribute in range(1, 148):
        device.call("cuDeviceGetAttribute", byref(c_int()), attribute, 0)


NEAR = """
define ptx_kernel void @k(ptr %p0, ptr %p1) #0 {
  %value = load i32, ptr %p1, align 4
  store i32 %value, ptr %p0, align 4
  ret void
}
"""


def test_memory_of_another_device(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    first = device.made("cuCtxGetCurrent")
    out = device.ints([0])
    second = device.made("cuDevicePrimaryCtxRetain", 1)
    device.call("cuCtxPushCurrent_v2", second)
    there = device.ints([8])
    device.call("cuCtxPopCurrent_v2", None)
    # Copies need no leave.
    device.call("cuMemcpyPeer", out.address, first, there.address, second, c_size_t(4))
    assert out.values() == [8]
    assert device.code("cuMemcpyPeer", out.address, second, there.address, first, c_size_t(4)) == INVALID_VALUE
    can = c_int()
    device.call("cuDeviceCanAccessPeer", byref(can), 0, 1)
    assert can.value == 1
    device.call("cuCtxEnablePeerAccess", second, 0)
    assert device.code("cuCtxEnablePeerAccess", second, 0) == PEER_ALREADY
    assert device.code("cuCtxEnablePeerAccess", first, 0) == INVALID_DEVICE
    checked = device.function(device.load(device.ptx(NEAR, checks=["memory"])), "k")
    device.launch(checked, 1, 1, out, there)
    reached = c_uint64()
    device.call("cuPointerGetAttribute", byref(reached), 3, there.address)
    assert reached.value == there.address.value
    device.call("cuCtxDisablePeerAccess", second)
    assert device.code("cuPointerGetAttribute", byref(reached), 3, there.address) == INVALID_VALUE
    assert device.code("cuCtxDisablePeerAccess", second) == PEER_NOT
    with pytest.raises(Failed) as failed:
        device.launch(checked, 1, 1, out, there)
    assert failed.value.code == ILLEGAL_ADDRESS
    assert "an allocation of 4 bytes on device 1, to which device 0 has no access" in capfd.readouterr().err
    device.call("cuDevicePrimaryCtxRelease_v2", 1)


# Memory.


class Box(ctypes.Structure):
    """`CUDA_MEMCPY2D`."""

    _fields_ = tuple(
        chain(
            *(
                (
                    (f"{side}_x", c_size_t),
                    (f"{side}_y", c_size_t),
                    (f"{side}_kind", c_int),
                    (f"{side}_host", c_void_p),
                    (f"{side}_device", c_uint64),
                    (f"{side}_array", c_void_p),
                    (f"{side}_pitch", c_size_t),
                )
                for side in ("source", "destination")
            ),
            (("width", c_size_t), ("height", c_size_t)),
        )
    )


def test_boxes_are_copied(device: Device) -> None:
    address, pitch = c_uint64(), c_size_t()
    device.call("cuMemAllocPitch_v2", byref(address), byref(pitch), c_size_t(12), c_size_t(4), 4)
    assert pitch.value % 512 == 0
    device.call("cuMemsetD2D8_v2", address, pitch, ctypes.c_uint8(1), c_size_t(12), c_size_t(4))
    host = (c_int * 4)(10, 11, 12, 13)
    # A box of 2 × 2 numbers to column 1, row 1.
    box = Box(source_kind=1, source_host=addressof(host), destination_kind=2, destination_device=address.value, width=8, height=2)
    box.destination_x, box.destination_y, box.destination_pitch, box.source_pitch = 4, 1, pitch.value, 8
    device.call("cuMemcpy2D_v2", byref(box))
    ones = 0x01010101
    rows = [read(device, c_uint64(address.value + row * pitch.value), 3) for row in range(4)]
    assert rows == [[ones] * 3, [ones, 10, 11], [ones, 12, 13], [ones] * 3]
    box.destination_y = 3
    assert device.code("cuMemcpy2D_v2", byref(box)) == INVALID_VALUE
    box.destination_kind = 3
    assert device.code("cuMemcpy2D_v2", byref(box)) == NOT_SUPPORTED


def test_host_memory_for_the_device(device: Device, function: c_void_p) -> None:
    pinned, flags, address = c_void_p(), c_int(), c_uint64()
    device.call("cuMemHostAlloc", byref(pinned), c_size_t(4), 3)
    device.call("cuMemHostGetFlags", byref(flags), pinned)
    device.call("cuMemHostGetDevicePointer_v2", byref(address), pinned, 0)
    device.call("cuMemsetD32_v2", address, c_uint32(4), c_size_t(1))
    assert add(device, function, address, 1) == 0
    assert (flags.value, ctypes.cast(pinned, ctypes.POINTER(c_int))[0]) == (3, 5)
    assert device.code("cuMemFree_v2", c_uint64(pinned.value or 0)) == INVALID_VALUE
    device.call("cuMemFreeHost", pinned)
    assert device.code("cuMemFreeHost", pinned) == INVALID_VALUE
    array = (c_int * 4)(1, 2, 3, 4)
    device.call("cuMemHostRegister_v2", array, c_size_t(16), 0)
    assert device.code("cuMemHostRegister_v2", byref(array, 4), c_size_t(4), 0) == 712
    device.call("cuMemHostGetDevicePointer_v2", byref(address), byref(array, 4), 0)
    assert add(device, function, address, 1) == 0
    device.call("cuMemHostUnregister", array)
    assert device.code("cuMemHostUnregister", array) == 713
    assert ints(array) == [1, 3, 3, 4]


def test_what_is_known_of_pointers(device: Device) -> None:
    out = device.ints([0] * 4)
    kind, number, start, size = c_int(), c_int(), c_uint64(), c_size_t()
    inside = c_uint64(out.address.value + 8)
    for place, attribute in ((kind, 2), (number, 9), (start, 11), (size, 12)):
        device.call("cuPointerGetAttribute", byref(place), attribute, inside)
    assert (kind.value, number.value, start.value, size.value) == (2, 0, out.address.value, 16)
    assert device.code("cuPointerGetAttribute", byref(kind), 2, c_uint64(addressof(kind))) == INVALID_VALUE
    wanted, places = (c_int * 2)(2, 9), (c_void_p * 2)(addressof(kind), addressof(number))
    device.call("cuPointerGetAttributes", 2, wanted, places, c_uint64(addressof(kind)))
    assert (kind.value, number.value) == (0, -2)


def test_more_memory_than_there_is(device: Device) -> None:
    free, total = c_size_t(), c_size_t()
    device.call("cuMemGetInfo_v2", byref(free), byref(total))
    assert 0 < free.value <= total.value
    assert device.code("cuMemAlloc_v2", byref(c_uint64()), c_size_t(free.value + 1)) == OUT_OF_MEMORY
    out = device.ints([0] * (1 << 18))
    after = c_size_t()
    device.call("cuMemGetInfo_v2", byref(after), byref(total))
    assert free.value - after.value == 1 << 20
    device.call("cuMemFree_v2", out.address)


class PoolProperties(ctypes.Structure):
    _fields_ = (
        ("kind", c_int),
        ("handles", c_int),
        ("place", c_int),
        ("number", c_int),
        ("security", c_void_p),
        ("most", c_size_t),
        ("usage", ctypes.c_ushort),
        ("reserved", ctypes.c_ubyte * 54),
    )


def test_pools_count_what_they_give(device: Device) -> None:
    pool = device.made("cuMemPoolCreate", byref(PoolProperties(kind=1, place=1, number=0, most=1000)))
    used, high, address = c_uint64(), c_uint64(), c_uint64()

    def counts() -> tuple[int, int]:
        device.call("cuMemPoolGetAttribute", pool, 7, byref(used))
        device.call("cuMemPoolGetAttribute", pool, 8, byref(high))
        return used.value, high.value

    device.call("cuMemAllocFromPoolAsync", byref(address), c_size_t(600), pool, None)
    assert device.code("cuMemAllocFromPoolAsync", byref(c_uint64()), c_size_t(600), pool, None) == OUT_OF_MEMORY
    assert counts() == (600, 600)
    stream = device.made("cuStreamCreate", NON_BLOCKING)
    with held(device, stream):
        device.call("cuMemFreeAsync", address, stream)
        assert device.code("cuMemFreeAsync", address, stream) == INVALID_VALUE
        assert counts() == (600, 600)
    assert counts() == (0, 600)
    device.call("cuMemPoolSetAttribute", pool, 8, byref(c_uint64(0)))
    assert counts() == (0, 0)
    device.call("cuMemPoolSetAttribute", pool, 4, byref(c_uint64(1 << 20)))
    device.call("cuMemPoolGetAttribute", pool, 4, byref(used))
    assert used.value == 1 << 20
    device.call("cuDeviceSetMemPool", 0, pool)
    assert device.made("cuDeviceGetMemPool", 0).value == pool.value
    device.call("cuMemPoolDestroy", pool)
    default = device.made("cuDeviceGetDefaultMemPool", 0)
    assert device.made("cuDeviceGetMemPool", 0).value == default.value
    assert device.code("cuMemPoolDestroy", default) == INVALID_VALUE
    assert device.code("cuMemPoolTrimTo", pool, c_size_t(0)) == INVALID_VALUE


class AllocationProperties(ctypes.Structure):
    _fields_ = (("kind", c_int), ("handles", c_int), ("place", c_int), ("number", c_int), ("security", c_void_p), ("flags", c_uint64))


class Access(ctypes.Structure):
    _fields_ = (("place", c_int), ("number", c_int), ("flags", c_int))


def test_physical_memory_is_mapped(device: Device, function: c_void_p) -> None:
    properties = AllocationProperties(kind=1, place=1, number=0)
    granularity = c_size_t()
    device.call("cuMemGetAllocationGranularity", byref(granularity), byref(properties), 0)
    size, twice = granularity, c_size_t(2 * granularity.value)
    handle, base = c_uint64(), c_uint64()
    device.call("cuMemCreate", byref(handle), size, byref(properties), c_uint64(0))
    device.call("cuMemAddressReserve", byref(base), twice, c_size_t(0), c_uint64(0), c_uint64(0))
    second = c_uint64(base.value + size.value)
    for address in (base, second):
        device.call("cuMemMap", address, size, c_size_t(0), handle, c_uint64(0))
    # Nobody has access yet.
    assert device.code("cuMemsetD32_v2", base, c_uint32(5), c_size_t(1)) == INVALID_VALUE
    device.call("cuMemSetAccess", base, twice, byref(Access(1, 0, 3)), c_size_t(1))
    flags = c_uint64()
    device.call("cuMemGetAccess", byref(flags), byref(Access(1, 1, 0)), base)
    assert flags.value == 0
    device.call("cuMemsetD32_v2", base, c_uint32(5), c_size_t(size.value // 2))
    assert add(device, function, base, 1) == 0
    assert read(device, second, 2) == [6, 5]
    device.call("cuMemRelease", handle)
    assert device.code("cuMemAddressFree", base, twice) == INVALID_VALUE
    device.call("cuMemUnmap", base, twice)
    device.call("cuMemAddressFree", base, twice)
    assert device.code("cuMemCreate", byref(handle), c_size_t(4096), byref(properties), c_uint64(0)) == INVALID_VALUE


def test_what_the_device_has_not(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    assert device.code("cuMulticastCreate", byref(c_uint64()), None) == NOT_SUPPORTED
    assert device.code("cuTensorMapEncodeTiled", *[None] * 12) == NOT_SUPPORTED
    err = capfd.readouterr().err
    assert "the CPU device has no multicast objects" in err
    assert "the CPU device has no tensor maps (TMA)" in err


class Attribute(ctypes.Structure):
    """`CUlaunchAttribute`."""

    _fields_ = (("kind", c_uint32), ("padding", c_uint32), ("value", c_uint32 * 16))


class Config(ctypes.Structure):
    """`CUlaunchConfig`."""

    _fields_ = (("shape", c_int * 7), ("stream", c_void_p), ("attributes", c_void_p), ("count", c_int))


def test_launch_attributes_that_the_device_has_not(device: Device, function: c_void_p, capfd: pytest.CaptureFixture[str]) -> None:
    # CU_LAUNCH_ATTRIBUTE_PRIORITY, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT
    for kind, code in ((8, 0), (12, NOT_SUPPORTED)):
        out, number, attribute = device.ints([1]), c_int(2), Attribute(kind=kind)
        config = Config(shape=(c_int * 7)(1, 1, 1, 1, 1, 1, 0), attributes=addressof(attribute), count=1)
        pointers = (c_void_p * 2)(addressof(out.address), addressof(number))
        assert device.code("cuLaunchKernelEx", byref(config), function, pointers, None) == code
        assert out.values() == [3 if code == 0 else 1]
    assert "the CPU device does not have launch attribute 12" in capfd.readouterr().err


# Modules, functions, libraries.


def test_dynamic_shared_memory_has_a_limit(device: Device) -> None:
    function = device.function(device.load(device.ptx(SHARED)), "k")

    def launch(shared: int) -> int:
        return device.code("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, shared, None, None, None)

    assert (launch(48 << 10), launch((48 << 10) + 1)) == (0, INVALID_VALUE)
    device.call("cuFuncSetAttribute", function, 8, 227 << 10)
    assert (launch(227 << 10), launch((227 << 10) + 1)) == (0, INVALID_VALUE)
    assert device.code("cuFuncSetAttribute", function, 8, (227 << 10) + 1) == INVALID_VALUE
    # Occupancy is that of the same limits: two blocks do not fit.
    blocks, room = c_int(), c_size_t()
    device.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(blocks), function, 128, c_size_t(227 << 10))
    assert blocks.value == 1
    device.call("cuOccupancyAvailableDynamicSMemPerBlock", byref(room), function, 2, 128)
    device.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(blocks), function, 128, room)
    assert blocks.value == 2
    grid, block = c_int(), c_int()
    device.call("cuOccupancyMaxPotentialBlockSize", byref(grid), byref(block), function, None, c_size_t(0), 0)
    assert (grid.value, block.value) == (2 * 132, 1024)


def test_libraries_are_of_all_contexts(device: Device) -> None:
    library = c_void_p()
    device.call("cuLibraryLoadData", byref(library), c_char_p(device.ptx(ADD)), None, None, 0, None, None, 0)
    kernel = device.made("cuLibraryGetKernel", library, b"k")
    name, count, offset, size = c_char_p(), c_int(), c_size_t(), c_size_t()
    device.call("cuKernelGetName", byref(name), kernel)
    device.call("cuLibraryGetKernelCount", byref(count), library)
    device.call("cuKernelGetParamInfo", kernel, c_size_t(1), byref(offset), byref(size))
    assert (name.value, count.value, offset.value, size.value) == (b"k", 1, 8, 4)
    assert device.code("cuKernelGetParamInfo", kernel, c_size_t(2), byref(offset), byref(size)) == INVALID_VALUE
    assert device.code("cuLibraryGetKernel", byref(c_void_p()), library, b"other") == NOT_FOUND
    out = device.ints([1])
    assert add(device, kernel, out, 2) == 0
    assert add(device, device.made("cuKernelGetFunction", kernel), out, 3) == 0
    assert out.values() == [6]
    device.call("cuKernelSetAttribute", 8, 64 << 10, kernel, 0)
    value = c_int()
    device.call("cuFuncGetAttribute", byref(value), 8, device.made("cuKernelGetFunction", kernel))
    assert value.value == 64 << 10
    context = device.made("cuCtxCreate_v4", None, 0, 1)
    there = device.ints([1])
    assert add(device, kernel, there, 1) == 0
    assert there.values() == [2]
    device.call("cuCtxDestroy_v2", context)
    device.call("cuLibraryUnload", library)
    assert add(device, kernel, out, 1) == INVALID_HANDLE
    assert device.code("cuLibraryUnload", library) == INVALID_HANDLE


def test_functions_of_a_module(device: Device) -> None:
    module = device.load(device.ptx(ADD + SHARED.replace("@k", "@other")))
    count, functions, name = c_int(), (c_void_p * 2)(), c_char_p()
    device.call("cuModuleGetFunctionCount", byref(count), module)
    device.call("cuModuleEnumerateFunctions", functions, 2, module)
    names = []
    for function in functions:
        device.call("cuFuncGetName", byref(name), c_void_p(function))
        names.append(name.value)
    assert (count.value, names) == (2, [b"k", b"other"])
    assert device.made("cuFuncGetModule", c_void_p(functions[0])).value == module.value
    device.call("cuModuleUnload", module)
    assert device.code("cuFuncGetName", byref(name), c_void_p(functions[0])) == INVALID_HANDLE


# Capture and graphs.


def capture(device: Device, stream: c_void_p, mode: int = 0) -> None:
    device.call("cuStreamBeginCapture_v2", stream, mode)


def test_a_capture_is_launched(device: Device, function: c_void_p) -> None:
    out, copy = device.ints([0]), device.ints([0])
    stream, side = (device.made("cuStreamCreate", NON_BLOCKING) for _ in range(2))
    fork, join = (device.made("cuEventCreate", 2) for _ in range(2))
    called: list[int] = []
    note = HostFunction(lambda _: called.append(1))
    capture(device, stream)
    assert add(device, function, out, 1, stream) == 0
    device.call("cuEventRecord", fork, stream)
    device.call("cuStreamWaitEvent", side, fork, 0)
    device.call("cuMemcpyDtoDAsync_v2", copy.address, out.address, c_size_t(4), side)
    device.call("cuLaunchHostFunc", stream, note, None)
    device.call("cuEventRecord", join, side)
    device.call("cuStreamWaitEvent", stream, join, 0)
    device.call("cuMemsetD32Async", out.address, c_uint32(10), c_size_t(1), stream)
    status, number = c_int(), c_uint64()
    device.call("cuStreamIsCapturing", side, byref(status))
    assert status.value == 1
    device.call("cuStreamGetCaptureInfo_v3", stream, byref(status), byref(number), None, None, None, None)
    assert (status.value, number.value > 0) == (1, True)
    graph = c_void_p()
    device.call("cuStreamEndCapture", stream, byref(graph))
    assert (out.values(), copy.values(), called) == ([0], [0], [])
    count, edges = c_size_t(), c_size_t()
    device.call("cuGraphGetNodes", graph, None, byref(count))
    device.call("cuGraphGetEdges_v2", graph, None, None, None, byref(edges))
    assert (count.value, edges.value) == (4, 4)
    executable = device.made("cuGraphInstantiateWithFlags", graph, c_uint64(0))
    device.call("cuGraphDestroy", graph)
    for _ in range(2):
        device.call("cuGraphLaunch", executable, stream)
    device.call("cuStreamSynchronize", stream)
    assert (out.values(), copy.values(), called) == ([10], [11], [1, 1])
    device.call("cuGraphExecDestroy", executable)
    assert device.code("cuGraphLaunch", executable, stream) == INVALID_VALUE


def test_what_captures_forbid(device: Device, function: c_void_p) -> None:
    out = device.ints([0])
    stream, side = device.made("cuStreamCreate", 0), device.made("cuStreamCreate", NON_BLOCKING)
    event = device.made("cuEventCreate", 2)
    device.call("cuEventRecord", event, side)

    def ended() -> int:
        graph = c_void_p(1)
        code = device.code("cuStreamEndCapture", stream, byref(graph))
        assert (code == 0) == (graph.value is not None)
        return code

    forbidden: list[tuple[int, Callable[[], int]]] = [
        (CAPTURE_UNSUPPORTED, lambda: device.code("cuStreamSynchronize", stream)),
        (CAPTURE_UNSUPPORTED, lambda: device.code("cuStreamQuery", stream)),
        (CAPTURE_UNSUPPORTED, lambda: device.code("cuMemAlloc_v2", byref(c_uint64()), c_size_t(4))),
        (CAPTURE_UNSUPPORTED, lambda: device.code("cuCtxSynchronize")),
        (IMPLICIT, lambda: add(device, function, out, 1, LEGACY)),
        (ISOLATION, lambda: device.code("cuStreamWaitEvent", stream, event, 0)),
    ]
    for code, call in forbidden:
        capture(device, stream)
        assert call() == code
        assert add(device, function, out, 1, stream) == INVALIDATED
        assert ended() == INVALIDATED
    assert device.code("cuStreamBeginCapture_v2", LEGACY, 0) == CAPTURE_UNSUPPORTED
    capture(device, stream)
    assert device.code("cuStreamBeginCapture_v2", stream, 0) == ILLEGAL_STATE
    device.call("cuEventRecord", event, stream)
    assert device.code("cuEventQuery", event) == CAPTURED_EVENT
    device.call("cuStreamWaitEvent", side, event, 0)
    assert add(device, function, out, 1, side) == 0
    assert ended() == UNJOINED
    assert ended() == ILLEGAL_STATE
    # In relaxed mode memory may be allocated.
    capture(device, stream, 2)
    device.call("cuMemAlloc_v2", byref(c_uint64()), c_size_t(4))
    assert ended() == 0
    assert out.values() == [0]


@pytest.mark.parametrize("joined", [True, False])
def test_a_stream_that_goes_during_a_capture(device: Device, function: c_void_p, joined: bool) -> None:
    out, stream, side = device.ints([0]), device.made("cuStreamCreate", NON_BLOCKING), device.made("cuStreamCreate", NON_BLOCKING)
    fork, join = (device.made("cuEventCreate", 2) for _ in range(2))
    capture(device, stream)
    device.call("cuEventRecord", fork, stream)
    device.call("cuStreamWaitEvent", side, fork, 0)
    assert add(device, function, out, 1, side) == 0
    device.call("cuEventRecord", join, side)
    if joined:
        device.call("cuStreamWaitEvent", stream, join, 0)
    device.call("cuStreamDestroy_v2", side)
    assert device.code("cuStreamEndCapture", stream, byref(c_void_p())) == (0 if joined else UNJOINED)


class NodeParameters(ctypes.Structure):
    """`CUDA_KERNEL_NODE_PARAMS`."""

    _fields_ = (
        ("function", c_void_p),
        ("grid", c_int * 3),
        ("block", c_int * 3),
        ("shared", c_int),
        ("pointers", c_void_p),
        ("extra", c_void_p),
        ("kernel", c_void_p),
        ("context", c_void_p),
    )


def test_graphs_by_hand(device: Device, function: c_void_p) -> None:
    out, number = device.ints([0]), c_int(4)
    pointers = (c_void_p * 2)(addressof(out.address), addressof(number))
    one = (c_int * 3)(1, 1, 1)
    parameters = NodeParameters(function=function.value, grid=one, block=one, pointers=addressof(pointers))
    graph = device.made("cuGraphCreate", 0)
    root = device.made("cuGraphAddEmptyNode", graph, None, c_size_t(0))
    node = device.made("cuGraphAddKernelNode_v2", graph, (c_void_p * 1)(root.value), c_size_t(1), byref(parameters))
    other = device.made("cuGraphAddKernelNode_v2", graph, None, c_size_t(0), byref(parameters))
    both = ((c_void_p * 1)(node.value), (c_void_p * 1)(other.value))
    device.call("cuGraphAddDependencies_v2", graph, *both, None, c_size_t(1))
    # The other way it is a cycle.
    assert device.code("cuGraphAddDependencies_v2", graph, both[1], both[0], None, c_size_t(1)) == INVALID_VALUE
    kind, count = c_int(), c_size_t()
    device.call("cuGraphNodeGetType", other, byref(kind))
    device.call("cuGraphNodeGetDependencies_v2", other, None, None, byref(count))
    assert (kind.value, count.value) == (0, 1)
    device.call("cuGraphKernelNodeGetParams_v2", node, byref(parameters))
    places = ctypes.cast(parameters.pointers, ctypes.POINTER(c_void_p))
    assert c_int.from_address(places[1] or 0).value == 4
    executable = device.made("cuGraphInstantiateWithFlags", graph, c_uint64(0))
    device.call("cuGraphLaunch", executable, None)
    assert out.values() == [8]
    number.value = 100
    parameters.pointers = addressof(pointers)
    device.call("cuGraphExecKernelNodeSetParams_v2", executable, other, byref(parameters))
    device.call("cuGraphLaunch", executable, None)
    assert out.values() == [112]
    # An update brings what the graph says, which is another's shape no more once it has a node more.
    result = (c_uint64 * 3)()
    device.call("cuGraphExecUpdate_v2", executable, graph, result)
    device.call("cuGraphLaunch", executable, None)
    assert out.values() == [120]
    parent = device.made("cuGraphCreate", 0)
    device.made("cuGraphAddChildGraphNode", parent, None, c_size_t(0), graph)
    assert device.code("cuGraphExecUpdate_v2", executable, parent, result) == 910
    device.call("cuGraphLaunch", device.made("cuGraphInstantiateWithFlags", parent, c_uint64(0)), None)
    assert out.values() == [128]
    device.call("cuGraphDestroy", graph)
    device.call("cuGraphDestroy", parent)
    assert device.code("cuGraphDestroy", parent) == INVALID_VALUE


def test_nodes_record_events_and_wait_for_them(device: Device, function: c_void_p) -> None:
    out, stream, side = device.ints([0]), device.made("cuStreamCreate", NON_BLOCKING), device.made("cuStreamCreate", NON_BLOCKING)
    wanted, told = device.made("cuEventCreate", 0), device.made("cuEventCreate", 0)
    # Events of outside: CU_EVENT_WAIT_EXTERNAL, CU_EVENT_RECORD_EXTERNAL.
    capture(device, stream)
    device.call("cuStreamWaitEvent", stream, wanted, 1)
    assert add(device, function, out, 1, stream) == 0
    device.call("cuEventRecordWithFlags", told, stream, 1)
    graph = c_void_p()
    device.call("cuStreamEndCapture", stream, byref(graph))
    executable = device.made("cuGraphInstantiateWithFlags", graph, c_uint64(0))
    with held(device, side):
        device.call("cuEventRecord", wanted, side)
        device.call("cuGraphLaunch", executable, stream)
        assert device.code("cuEventQuery", told) == NOT_READY
        assert out.values() == [0]
    assert device.code("cuEventQuery", told) == 0
    assert out.values() == [1]
    device.call("cuGraphLaunch", executable, stream)
    assert out.values() == [2]


def test_user_objects_end_with_their_graphs(device: Device) -> None:
    ended: list[int] = []

    def note(value: int | None) -> None:
        # It may not call the driver.
        assert device.code("cuStreamQuery", None) == NOT_PERMITTED
        ended.append(value or 0)

    end = HostFunction(note)
    made = c_void_p()
    device.call("cuUserObjectCreate", byref(made), c_void_p(7), end, 1, 1)
    graph = device.made("cuGraphCreate", 0)
    device.call("cuGraphRetainUserObject", graph, made, 1, 1)
    # The graph's reference is all that there is, and the handle is one still.
    clone = device.made("cuGraphClone", graph)
    device.call("cuGraphReleaseUserObject", clone, made, 1)
    device.call("cuGraphDestroy", clone)
    assert ended == []
    executable = device.made("cuGraphInstantiateWithFlags", graph, c_uint64(0))
    device.call("cuGraphDestroy", graph)
    assert ended == []
    device.call("cuGraphExecDestroy", executable)
    assert ended == [7]


# Threads.


def test_many_threads_with_streams(device: Device, function: c_void_p) -> None:
    context = device.made("cuCtxGetCurrent")

    def work(number: int) -> list[list[float]]:
        device.call("cuCtxSetCurrent", context)
        streams = [device.made("cuStreamCreate", NON_BLOCKING) for _ in range(4)]
        buffers = [device.ints([0]) for _ in streams]
        event = device.made("cuEventCreate", 2)
        for step in range(60):
            for stream, buffer in zip(streams, buffers, strict=True):
                assert add(device, function, buffer, number, stream) == 0
                device.call("cuEventRecord", event, stream)
                device.call("cuStreamWaitEvent", streams[step % 4], event, 0)
            address = c_uint64()
            device.call("cuMemAllocAsync", byref(address), c_size_t(64), streams[0])
            device.call("cuMemsetD32Async", address, c_uint32(number), c_size_t(16), streams[0])
            assert read(device, address, 16) == [number] * 16
            device.call("cuMemFreeAsync", address, streams[0])
        results = []
        for stream, buffer in zip(streams, buffers, strict=True):
            device.call("cuStreamSynchronize", stream)
            results.append(buffer.values())
            device.call("cuStreamDestroy_v2", stream)
        return results

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [[[60 * number]] * 4 for number in range(8)]
