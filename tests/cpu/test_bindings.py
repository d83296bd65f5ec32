"""cuda-python's bindings on the CPU device, each program in a process that finds it as libcuda."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import ctypes
    from pathlib import Path

    from driver_api import Device

pytest_plugins = ("with_device",)
pytest.importorskip("cuda.bindings", reason="cuda-python is not installed")

ADD = """
define ptx_kernel void @add(ptr %p0, i32 %n) #0 {
  %old = load i32, ptr %p0, align 4
  %new = add i32 %old, %n
  store i32 %new, ptr %p0, align 4
  ret void
}
"""

CHECKED = """\
import sys
from cuda.bindings import driver


def checked(result):
    code, *values = result
    assert code == 0, code
    return values[0] if len(values) == 1 else values


checked(driver.cuInit(0))
"""

PROGRAM = (
    CHECKED
    + """
import numpy

assert checked(driver.cuDeviceGetCount()) == 1
assert checked(driver.cuDriverGetVersion()) == 13000
device = checked(driver.cuDeviceGet(0))
context = checked(driver.cuCtxCreate(None, 0, device))
assert int(checked(driver.cuCtxGetDevice())) == 0
stream = checked(driver.cuStreamCreate(1))
assert int(checked(driver.cuStreamGetCtx(stream))) == int(context)
data = open(sys.argv[1], "rb").read()
library = checked(driver.cuLibraryLoadData(data, [], [], 0, [], [], 0))
kernel = checked(driver.cuLibraryGetKernel(library, b"add"))
function = checked(driver.cuKernelGetFunction(kernel))
assert checked(driver.cuFuncGetName(function)) == b"add"
assert checked(driver.cuFuncGetParamInfo(function, 1)) == [8, 4]
address = checked(driver.cuMemAllocAsync(4, stream))
value = numpy.array([40], numpy.int32)
checked(driver.cuMemcpyHtoDAsync(address, value, 4, stream))
start, end = (checked(driver.cuEventCreate(0)) for _ in range(2))
checked(driver.cuEventRecord(start, stream))

import ctypes
arguments = ((int(address), 2), (ctypes.c_void_p, ctypes.c_int))
checked(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0))
config = driver.CUlaunchConfig()
config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1
config.hStream = stream
checked(driver.cuLaunchKernelEx(config, function, arguments, 0))
checked(driver.cuEventRecord(end, stream))
checked(driver.cuMemcpyDtoHAsync(value, address, 4, stream))
checked(driver.cuStreamSynchronize(stream))
assert checked(driver.cuEventElapsedTime(start, end)) >= 0
assert value[0] == 44
attributes = [driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL]
assert [int(it) for it in checked(driver.cuPointerGetAttributes(2, attributes, address))] == [2, 0]
checked(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_GLOBAL))
checked(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, 0))
assert checked(driver.cuStreamGetCaptureInfo(stream))[0] == 1
graph = checked(driver.cuStreamEndCapture(stream))
nodes, count = checked(driver.cuGraphGetNodes(graph, 1))
assert (count, int(checked(driver.cuGraphNodeGetType(nodes[0])))) == (1, 0)
executable = checked(driver.cuGraphInstantiate(graph, 0))
checked(driver.cuGraphLaunch(executable, stream))
checked(driver.cuMemcpyDtoH(value, address, 4))
assert value[0] == 46
checked(driver.cuMemFreeAsync(address, stream))
checked(driver.cuStreamSynchronize(stream))
assert driver.cuStreamSynchronize(driver.CUstream(0x1234))[0] == driver.CUresult.CUDA_ERROR_INVALID_HANDLE
checked(driver.cuCtxDestroy(context))
print("done")
"""
)

PER_THREAD = (
    CHECKED
    + """
import threading

context = checked(driver.cuDevicePrimaryCtxRetain(0))
numbers = []


def run():
    checked(driver.cuCtxSetCurrent(context))
    numbers.append(checked(driver.cuStreamGetId(driver.CUstream(0))))


for _ in range(2):
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
print(len(set(numbers)))
"""
)


@pytest.fixture
def folder(library: ctypes.CDLL, tmp_path: Path) -> Path:
    (folder := tmp_path / "cpu-device").mkdir()
    (folder / "libcuda.so.1").symlink_to(library._name)
    return folder


def run(folder: Path, program: str, *args: Path, **variables: str) -> str:
    environment = {**os.environ, "LD_LIBRARY_PATH": os.fspath(folder), **variables}
    command = [sys.executable, "-c", program, *map(os.fspath, args)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return str(done.stdout).strip()


def test_bindings_run_kernels(device: Device, folder: Path, tmp_path: Path) -> None:
    (ptx := tmp_path / "add.ptx").write_bytes(device.ptx(ADD))
    assert run(folder, PROGRAM, ptx) == "done"


@pytest.mark.parametrize(("setting", "streams"), [("", "1"), ("1", "2")])
def test_default_streams_of_threads(folder: Path, setting: str, streams: str) -> None:
    assert run(folder, PER_THREAD, CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM=setting) == streams


@pytest.mark.parametrize(("setting", "count"), [("", "1"), ("3", "3")])
def test_as_many_devices_as_asked_for(folder: Path, setting: str, count: str) -> None:
    assert run(folder, CHECKED + "print(checked(driver.cuDeviceGetCount()))\n", OXIDE_CPU_DEVICES=setting) == count


def test_a_number_of_devices_that_is_none(folder: Path) -> None:
    environment = {**os.environ, "LD_LIBRARY_PATH": os.fspath(folder), "OXIDE_CPU_DEVICES": "99"}
    command = [sys.executable, "-c", CHECKED + "print(checked(driver.cuDeviceGetCount()))\n"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "1\n"
    assert done.stderr == "oxide: got OXIDE_CPU_DEVICES=99, expected a number from 1 to 16: there is 1 device\n"


def test_what_there_is_not_is_not_found(folder: Path) -> None:
    program = CHECKED + "try:\n    driver.cuArrayDestroy(driver.CUarray(1))\nexcept RuntimeError as error:\n    print(error)\n"
    assert "cuArrayDestroy" in run(folder, program)
