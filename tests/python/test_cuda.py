"""Launches as on a GPU: the CPU device is libcuda for cuda-python, and an array is as CuPy's are. Each program is a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import oxide
from oxide.options import environment
from oxide.runtime.load import cpu_device_of
from oxide.runtime.talk import Talk
from oxide.rust.resolve import resolve_options

pytest.importorskip("cuda.bindings", reason="cuda-python is not installed")

KERNELS = Path(__file__).parent / "kernels.rs"

START = f"""
import os, sys, threading, types
import numpy as np
import oxide
from cuda.bindings import driver

module = oxide.load({os.fspath(KERNELS)!r}, arch="sm_90", device="cuda")
cupy = sys.modules["cupy"] = types.ModuleType("cupy")
cupy.cuda = types.SimpleNamespace(get_current_stream=lambda device: types.SimpleNamespace(ptr=0))


class Memory:
    def __init__(self, array, device):
        self.own = oxide.to_device(array, device)
        self.ptr, self.device_id = self.own.address, device


class ndarray:
    __module__ = "cupy"

    def __init__(self, array, device=0):
        self.data = Memory(array, device)
        self.size, self.dtype, self.shape = array.size, array.dtype, array.shape
        self._c_contiguous = True
        self.flags = types.SimpleNamespace(c_contiguous=True)

    def get(self):
        return self.data.own.to_host()


def checked(answer):
    assert answer[0] == 0, answer
    return answer[1] if len(answer) == 2 else None


def saxpy(device=0, kernels=("saxpy", "raw_saxpy")):
    for kernel in kernels:
        x, y = ndarray(np.arange(100, dtype="f4"), device), ndarray(np.ones(100, "f4"), device)
        yield lambda: getattr(module, kernel)[4, 32](100, 2.0, x, y)
        assert (y.get() == 2 * np.arange(100) + 1).all(), kernel


def launch(**more):
    for each in saxpy(**more):
        each()


def refused(text, call, kind=oxide.ArgumentError):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)

"""


def run(tmp_path: Path, program: str, **variables: str) -> str:
    oxide.load(KERNELS, arch="sm_90", device="cpu")  # the processes find it compiled
    options = resolve_options(environment(), None)
    library = cpu_device_of(options, environment(), Talk(options))
    (folder := tmp_path / "device").mkdir()
    (folder / "libcuda.so.1").symlink_to(library.library._name)
    variables = {**os.environ, "LD_LIBRARY_PATH": os.fspath(folder), **variables}
    done = subprocess.run([sys.executable, "-c", START + program], env=variables, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_arrays_are_used_where_they_lie(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
launch()
launch()
x, y = oxide.to_device(np.arange(100, dtype="f4")), ndarray(np.ones(100, "f4"))
module.saxpy[4, 32](100, 2.0, x, y)
module.raw_saxpy[4, 32, 0, 0](100, 2.0, x.address, y)
assert (y.get() == 4 * np.arange(100) + 1).all()
wrong = (
    (np.ones(3, "f4"), "memory of the host"),
    (ndarray(np.ones(3)), "`x`: got float64, expected f32"),
    ([1], "`x`: got list"),
)
for array, text in wrong:
    for kernel in (module.saxpy, module.raw_saxpy):
        refused(text, lambda: kernel[1, 32](1, 2.0, array, y))
strided = ndarray(np.ones(3, "f4"))
strided._c_contiguous = strided.flags.c_contiguous = False
odd = ndarray(np.ones(3, "f4"))
odd.data.ptr += 2
for kernel in (module.saxpy, module.raw_saxpy):
    refused("not contiguous", lambda: kernel[1, 32](1, 2.0, strided, y))
    refused("aligned to 4", lambda: kernel[1, 32](1, 2.0, y, odd))
    refused("`n`: got -1, expected u32", lambda: kernel[1, 32](-1, 2.0, y, y))
    refused("got 3 arguments, expected 4", lambda: kernel[1, 32](1, 2.0, y))
    refused("got 5 arguments, expected 4", lambda: kernel[1, 32](1, 2.0, y, y, y))
refused("got address -1", lambda: module.raw_saxpy[1, 32](1, 2.0, -1, y))
refused("got 1 arguments, expected 0", lambda: module.empty[1, 32](1))
refused("CUDA_ERROR_INVALID_VALUE (1)", lambda: module.empty[1, 2048](), oxide.LaunchError)
launch()
out = ndarray(np.zeros(64, "u4"))
module.reverse[1, 64, 60_000](out)
assert out.get().tolist() == list(range(64))[::-1]
module.raw_saxpy.launch(100, 1.0, x, y=y, grid=4, block=32, cluster=2, cooperative=True)
assert (y.get() == 5 * np.arange(100) + 1).all()
refused("cluster", lambda: module.empty.launch(grid=3, block=1, cluster=2), oxide.LaunchError)
""",
    )


def test_another_context_may_be_current(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
launch()
module.empty[1, 1]()
other = checked(driver.cuCtxCreate(None, 0, 0))
for each in saxpy():
    checked(driver.cuCtxSetCurrent(other))
    each()
checked(driver.cuCtxSetCurrent(other))
module.empty[1, 1]()
for each in saxpy():
    checked(driver.cuCtxSetCurrent(None))
    each()
checked(driver.cuCtxSetCurrent(None))
module.empty[1, 1]()
launch(device=1)
for each in saxpy(device=1):
    oxide.to_device(np.ones(1), 0)
    each()
oxide.to_device(np.ones(1), 0)
module.empty[1, 1]()
oxide.to_device(np.ones(1), 1)
module.empty[1, 1]()
one, two = ndarray(np.ones(3, "f4"), 0), ndarray(np.ones(3, "f4"), 1)
refused("got arrays on devices [0, 1], expected one device", lambda: module.saxpy[1, 32](1, 2.0, one, two))
launch()
module.synchronize()
""",
        OXIDE_CPU_DEVICES="2",
    )


def test_another_context_of_the_only_gpu_may_be_current(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
launch()
other = checked(driver.cuCtxCreate(None, 0, 0))
for each in saxpy():
    checked(driver.cuCtxSetCurrent(other))
    each()
""",
    )


def test_threads_launch_at_once(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
failures = []


def work():
    try:
        for _ in range(20):
            launch()
    except BaseException as error:
        failures.append(error)


threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not failures, failures
""",
    )


def test_a_forked_process_is_refused(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
launch()
module.empty[1, 1]()
x = ndarray(np.ones(3, "f4"))
child = os.fork()
if child == 0:
    try:
        for call in (lambda: module.empty[1, 1](), lambda: module.saxpy[4, 32](3, 2.0, x, x)):
            refused("CUDA does not work in a forked process", call, oxide.OxideError)
    except BaseException as error:
        print(error, file=sys.stderr)
        os._exit(1)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
launch()
""",
    )
