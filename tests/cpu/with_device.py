"""A pytest plugin: the CPU device, built once, with a context for each test."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pytest
from driver_api import Device
from driver_calls import ADD

from oxide.cache.files import Cache
from oxide.options import environment
from oxide.rust import cpu_device, toolchain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def library() -> ctypes.CDLL:
    variables = environment()
    cache = Cache(variables.cache)
    try:
        rust = toolchain.find_rust(None, variables, cache)
    except toolchain.RustMissing as missing:
        pytest.skip(missing.message)
    path = cpu_device.build(rust, cache, variables.variables)
    assert path is not None
    library = ctypes.CDLL(str(path))
    # It looks once how many devices it is to have.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OXIDE_CPU_DEVICES", "2")
        count = ctypes.c_int()
        assert (library.cuInit(0), library.cuDeviceGetCount(ctypes.byref(count)), count.value) == (0, 0, 2)
    return library


@pytest.fixture
def device(library: ctypes.CDLL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    monkeypatch.setenv("OXIDE_CACHE", str(tmp_path))
    device = Device(library, tmp_path)
    device.start()
    yield device
    device.stop()


@pytest.fixture
def function(device: Device) -> ctypes.c_void_p:
    """A kernel that adds a number to what a pointer points to."""
    return device.function(device.load(device.ptx(ADD)), "k")
