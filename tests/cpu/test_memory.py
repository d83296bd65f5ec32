"""Memory of the driver on the CPU device: copies, pools, physical memory, and what is known of pointers."""

from __future__ import annotations

import ctypes
from ctypes import addressof, byref, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from itertools import chain
from typing import TYPE_CHECKING

from driver_calls import INVALID_VALUE, NON_BLOCKING, NOT_SUPPORTED, OUT_OF_MEMORY, add, held, ints, read

if TYPE_CHECKING:
    import pytest
    from driver_api import Device

pytest_plugins = ("with_device",)


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
