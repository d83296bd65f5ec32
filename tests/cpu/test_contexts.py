"""Contexts and devices on the CPU device: what is apart, and whose errors are whose."""

from __future__ import annotations

import ctypes
import threading
from ctypes import byref, c_float, c_int, c_size_t, c_uint32, c_uint64, c_void_p

import pytest
from driver_api import Device, Failed
from driver_calls import (
    DESTROYED,
    ILLEGAL_ADDRESS,
    INVALID_CONTEXT,
    INVALID_DEVICE,
    INVALID_HANDLE,
    INVALID_VALUE,
    PEER_ALREADY,
    PEER_NOT,
    TRAP,
    add,
)

pytest_plugins = ("with_device",)


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
