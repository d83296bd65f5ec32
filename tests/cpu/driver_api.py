"""The driver API through ctypes, as any program calls libcuda."""

from __future__ import annotations

import ctypes
import hashlib
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint64, c_void_p
from typing import TYPE_CHECKING

from oxide.export import cpu

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import TypeAlias

    Argument: TypeAlias = "c_int | c_uint64 | c_float | ctypes.c_uint8 | ctypes.Structure | Buffer"

HEAD = """\
source_filename = "test"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
"""

TAIL = """
attributes #0 = { convergent nounwind }
"""

Three = int | tuple[int, int, int]


class Failed(Exception):
    """A call that returned another code than success."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def three(dim: Three) -> tuple[int, int, int]:
    return dim if isinstance(dim, tuple) else (dim, 1, 1)


class Buffer:
    """Device memory that holds 32-bit elements."""

    def __init__(self, device: Device, array: ctypes.Array[c_int] | ctypes.Array[c_float]) -> None:
        self.device = device
        self.array = array
        self.bytes = c_size_t(ctypes.sizeof(array))
        self.address = c_uint64()
        device.call("cuMemAlloc_v2", byref(self.address), self.bytes)
        device.call("cuMemcpyHtoD_v2", self.address, self.array, self.bytes)

    def values(self) -> list[float]:
        self.device.call("cuMemcpyDtoH_v2", self.array, self.address, self.bytes)
        return list(self.array)


class Device:
    """The driver API, each call checked."""

    def __init__(self, library: ctypes.CDLL, cache: Path) -> None:
        self.library = library
        self.cache = cache

    def call(self, name: str, *args: object) -> None:
        if (code := getattr(self.library, name)(*args)) != 0:
            raise Failed(code)

    def code(self, name: str, *args: object) -> int:
        """Call without a check and return the code."""
        code: int = getattr(self.library, name)(*args)
        return code

    def made(self, name: str, *args: object) -> c_void_p:
        """Return the handle that a call stores at its first argument."""
        handle = c_void_p()
        self.call(name, byref(handle), *args)
        return handle

    def start(self) -> None:
        self.call("cuInit", 0)
        self.call("cuCtxSetCurrent", self.made("cuDevicePrimaryCtxRetain", 0))

    def stop(self) -> None:
        self.call("cuDevicePrimaryCtxReset_v2", 0)
        self.call("cuDevicePrimaryCtxRelease_v2", 0)

    def ptx(self, body: str, checks: Sequence[str] = ()) -> bytes:
        """Return a PTX that stands for the kernels in `body`, whose image is put where the device looks for it."""
        ll = HEAD + body + TAIL + f"; {', '.join(checks)}\n"
        text = "// stands for\n" + "".join(f"// {line}\n" for line in ll.splitlines())
        key = hashlib.sha256(text.encode()).hexdigest()[:32]
        path = self.cache / "cpu" / f"{key}.so"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(cpu.image(ll, checks=checks))
        return f"// oxide {key}\n{text}".encode()

    def load(self, ptx: bytes) -> c_void_p:
        module = c_void_p()
        self.call("cuModuleLoadData", byref(module), c_char_p(ptx))
        return module

    def function(self, module: c_void_p, name: str) -> c_void_p:
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), module, name.encode())
        return function

    def launch(self, function: c_void_p, grid: Three, block: Three, *args: Argument) -> None:
        places = [arg.address if isinstance(arg, Buffer) else arg for arg in args]
        pointers = (c_void_p * max(1, len(places)))(*(ctypes.addressof(place) for place in places))
        self.call("cuLaunchKernel", function, *three(grid), *three(block), 0, None, pointers, None)

    def run(self, body: str, grid: Three, block: Three, *args: Argument) -> None:
        """Compile, load and launch the kernel `k`."""
        self.launch(self.function(self.load(self.ptx(body)), "k"), grid, block, *args)

    def ints(self, values: Sequence[int]) -> Buffer:
        return Buffer(self, (c_int * len(values))(*values))

    def floats(self, values: Sequence[float]) -> Buffer:
        return Buffer(self, (c_float * len(values))(*values))
