"""Modules, functions and libraries on the CPU device, and what launches may ask for."""

from __future__ import annotations

import ctypes
from ctypes import addressof, byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from typing import TYPE_CHECKING

from driver_calls import ADD, INVALID_HANDLE, INVALID_VALUE, NOT_FOUND, NOT_SUPPORTED, SHARED, add

if TYPE_CHECKING:
    import pytest
    from driver_api import Device

pytest_plugins = ("with_device",)


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
