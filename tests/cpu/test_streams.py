"""Streams, events and host functions on the CPU device, and many threads that use them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING

from driver_calls import (
    INVALID_HANDLE,
    INVALID_VALUE,
    LEGACY,
    NON_BLOCKING,
    NOT_PERMITTED,
    NOT_READY,
    PER_THREAD,
    TRAP,
    Callback,
    HostFunction,
    add,
    held,
    read,
    waiting,
)

if TYPE_CHECKING:
    import pytest
    from driver_api import Device

pytest_plugins = ("with_device",)


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
