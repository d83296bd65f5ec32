"""A kernel that can be launched, and the one way that all launches take.

    kernel[grid, block, shared, stream](n, 2.0, x, y)
    kernel.launch(n, 2.0, x, y, grid=128, block=256)

What a launch needs besides its arguments is checked once, where a shape is chosen; `kernel[grid, block]` is remembered.
"""

from __future__ import annotations

import contextlib
import operator
import sys
import threading
from typing import TYPE_CHECKING, Any

from oxide.runtime.arguments import Plan, bind, documentation, python_signature
from oxide.runtime.errors import CAUSES, ArgumentError, LaunchError
from oxide.runtime.layout import flatten, numpy_dtype

if TYPE_CHECKING:
    import inspect

    import numpy as np

    from oxide import signature as sig
    from oxide.runtime.arguments import Packed
    from oxide.runtime.arrays import Where
    from oxide.runtime.errors import Three
    from oxide.runtime.loaded import Loaded

REMEMBERED = 256
"""Shapes of launches that a kernel remembers."""

LAUNCH_CODES = {1, 200, 701, 702, 712, 720, 801, 912}
"""Errors that a launch itself can have; others on a GPU are what an earlier kernel left."""


def three(value: Any, what: str) -> Three:
    """Return three extents from one to three of them. Raises `ArgumentError`."""
    parts = value if isinstance(value, tuple | list) else (value,)
    try:
        numbers = [operator.index(part) for part in parts]
    except TypeError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or not all(0 < number < 1 << 32 for number in numbers):
        raise ArgumentError(f"got {what} {value!r}, expected a positive integer, or a tuple of one to three")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def stream_handle(stream: Any) -> int:
    """Return the handle of a stream: an integer, what has `__cuda_stream__`, or one of PyTorch's, CuPy's or cuda-python's."""
    if type(stream) is int:
        return stream
    if (protocol := getattr(stream, "__cuda_stream__", None)) is not None:
        version, handle = protocol() if callable(protocol) else protocol
        if version != 0:
            raise ArgumentError(f"got version {version} of the stream protocol, expected 0")
        return int(handle)
    for name in ("cuda_stream", "ptr"):
        if (handle := getattr(stream, name, None)) is not None:
            return int(handle)
    try:
        return int(stream)
    except (TypeError, ValueError):
        raise ArgumentError(f"got {stream!r}, expected a stream") from None


class Kernel:
    """One kernel of a module; its docstring and signature are those of the Rust function.

    `ptx_name` is its entry's name, `signature` what it takes.
    """

    def __init__(self, loaded: Loaded, signature: sig.Signature) -> None:
        self.loaded = loaded
        self.signature = signature
        self.ptx_name = signature.name
        self.plan = Plan(signature, cuda=loaded.device.name == "cuda")
        self.launchers: dict[Any, Launcher] = {}
        self.local = threading.local()
        """Each thread's memory for arguments, `packed`."""
        self.functions: dict[int, Any] = {}
        self.shared: dict[int, int] = {}
        self.__name__ = (signature.base or signature.name).rpartition("::")[2]
        self.__doc__ = documentation(signature)
        self.__signature__: inspect.Signature = python_signature(signature)

    def __repr__(self) -> str:
        return f"<kernel {self.signature.text()}>"

    def __call__(self, *_args: Any, **_named: Any) -> None:
        """Refuse to launch without a shape."""
        raise ArgumentError(
            f"kernel `{self.__name__}` was called without the shape of a launch", hint=f"write `{self.__name__}[grid, block](…)`"
        )

    def __getitem__(self, shape: Any) -> Launcher:
        """Return what launches in a shape: `[grid, block]`, `[grid, block, shared]` or `[grid, block, shared, stream]`."""
        try:
            return self.launchers[shape]
        except (KeyError, TypeError):
            pass
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 4:
            raise ArgumentError(
                f"got {shape!r} for the shape of a launch, expected [grid, block, shared, stream], the last two may be left out"
            )
        grid, block, shared, stream = (*shape, 0, None)[:4] if len(shape) < 4 else shape
        launcher = Launcher(self, grid, block, shared, stream)
        if (stream is None or type(stream) is int) and len(self.launchers) < REMEMBERED:
            with contextlib.suppress(TypeError):  # a list among its parts
                self.launchers[shape] = launcher
        return launcher

    def launch(
        self,
        *args: Any,
        grid: int | tuple[int, ...],
        block: int | tuple[int, ...],
        shared: int = 0,
        stream: Any = None,
        cluster: int | tuple[int, ...] | None = None,
        cooperative: bool = False,
        **named: Any,
    ) -> None:
        """Launch with the kernel's arguments in order or by name.

        `grid` and `block` have one to three axes, `shared` is bytes of dynamic shared memory, `cluster` is the blocks that form a cluster,
        and `cooperative` has all blocks run at once. `stream` is any CUDA stream, by default the current one of the arrays' library.
        """
        Launcher(self, grid, block, shared, stream, cluster, cooperative)(*bind(self.signature, args, named))

    def dtype(self, parameter: str) -> np.dtype[Any]:
        """Return the NumPy dtype of a parameter, or of its elements, with rustc's offsets. Raises `ArgumentError` where there is none."""
        from oxide import signature as sig

        for param in self.signature.params:
            if param.name == parameter:
                kind = param.type
                element = kind.element if isinstance(kind, sig.Slice | sig.Pointer) else kind
                try:
                    return numpy_dtype(flatten(element)[0] if element is not None else kind)
                except ValueError as error:
                    raise ArgumentError(f"parameter `{parameter}`: {error}") from None
        raise ArgumentError(f"kernel `{self.__name__}` has no parameter `{parameter}`", hint=self.signature.text())

    def function(self, index: int, shared: int = 0) -> Any:
        """Return the handle on a GPU, allowed that much dynamic shared memory; the module is loaded there first."""
        from oxide.runtime.cuda import PLAIN_SHARED

        function = self.functions.get(index)
        if function is None:
            function = self.functions[index] = self.loaded.function(index, self.ptx_name)
        if shared > PLAIN_SHARED and shared > self.shared.get(index, 0):
            try:
                self.loaded.device.allow_shared(function, shared)
            except Exception as error:
                raise ArgumentError(f"kernel `{self.__name__}`: got {shared} bytes of dynamic shared memory: {error}") from None
            self.shared[index] = shared
        return function


class Launcher:
    """A kernel with the shape of its launches."""

    __slots__ = ("block", "cluster", "cooperative", "grid", "kernel", "numbers", "on_cuda", "plain", "shared", "stream")

    def __init__(
        self, kernel: Kernel, grid: Any, block: Any, shared: Any = 0, stream: Any = None, cluster: Any = None, cooperative: bool = False
    ) -> None:
        self.kernel = kernel
        self.grid = three(grid, "grid")
        self.block = three(block, "block")
        try:
            self.shared = operator.index(shared)
        except TypeError:
            self.shared = -1
        if not 0 <= self.shared < 1 << 31:
            raise ArgumentError(f"got {shared!r} bytes of dynamic shared memory, expected an integer from 0")
        self.cluster = None if cluster is None else three(cluster, "cluster")
        self.cooperative = cooperative
        self.stream = None if stream is None else stream_handle(stream)
        self.plain = self.cluster is None and not cooperative
        self.on_cuda = kernel.plan.cuda
        self.numbers = (*self.grid, *self.block, self.shared)

    def __call__(self, *args: Any) -> None:
        """Launch. Raises `ArgumentError` for what the kernel does not take, and `LaunchError` for what the driver refuses."""
        kernel = self.kernel
        try:
            packed = kernel.local.packed
        except AttributeError:
            packed = kernel.local.packed = kernel.plan.packed()
        where = kernel.plan.pack(args, packed)
        if not self.on_cuda:
            self.run(packed)
            return
        gpus = kernel.loaded.device
        if where:
            first = where[0]
            if self.stream is None and first[1] is not None and where.count(first) == len(where):
                index, current, _ = first
                stream = current(index) if callable(current) else current
            else:
                index, stream = self.agree(where)
        else:
            index, stream = gpus.current(), self.stream or 0
        if gpus.entered() != index:
            gpus.enter(index)
        function = kernel.functions.get(index)
        if function is None or self.shared > 49152:
            function = kernel.function(index, self.shared)
        if self.plain:
            code = gpus.driver.cuLaunchKernel(function, *self.numbers, stream, packed.table, 0)[0]
        else:
            code = gpus.launch_with(function, self.grid, self.block, self.shared, stream, packed.table, self.cluster, self.cooperative)
        if code:
            raise self.failed(int(code))

    def agree(self, where: list[Where]) -> tuple[int, int]:
        """Return the device that all arrays are on, and the stream: the one that was given, else the one that their libraries work on.

        A stream that is given waits for those that arrays carry with them: the CUDA array interface's, DLPack's.
        """
        devices = sorted({index for index, _, _ in where})
        if len(devices) > 1:
            raise ArgumentError(f"kernel `{self.kernel.__name__}`: got arrays on devices {devices}, expected one device")
        if self.stream is not None:
            for first in {stream for _, stream, carried in where if carried and stream not in (None, self.stream)}:
                self.kernel.loaded.device.enter(devices[0])
                self.kernel.loaded.device.wait(first, self.stream)
            return devices[0], self.stream
        streams = {stream(index) if callable(stream) else stream for index, stream, _ in where if stream is not None}
        if len(streams) > 1:
            raise ArgumentError(
                f"kernel `{self.kernel.__name__}`: got arrays of libraries whose current streams differ",
                hint="say which one: [grid, block, shared, stream], and let it wait for the others",
            )
        return devices[0], next(iter(streams), 0)

    def run(self, packed: Packed) -> None:
        """Run on the CPU device, which is done when this returns."""
        kernel = self.kernel
        device = kernel.loaded.device
        device.enter()
        function = kernel.loaded.cpu_function(kernel.ptx_name)
        sys.stdout.flush()  # what the kernel prints comes after
        code = device.launch(function, self.grid, self.block, self.shared, packed.table, self.cluster, self.cooperative)
        if code:
            device.recover(code)
            raise self.failed(code)

    def failed(self, code: int) -> LaunchError:
        """Return the error for a code of the driver's."""
        hint = CAUSES.get(code)
        if self.on_cuda and code not in LAUNCH_CODES:
            hint = f"{hint or 'see the name'}; an earlier launch may have left it: synchronize() after each finds which"
        elif not self.on_cuda and code in range(700, 720):
            hint = "the CPU device has written to stderr what it found, and where"
        name = self.kernel.loaded.error_name(code)
        return LaunchError(name, code, kernel=self.kernel.__name__, grid=self.grid, block=self.block, shared=self.shared, hint=hint)
