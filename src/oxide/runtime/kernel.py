"""A kernel that can be launched.

    kernel[grid, block, shared, stream](n, 2.0, x, y)
    kernel.launch(n, 2.0, x, y, grid=128, block=256)

What a launch needs besides its arguments is checked once, where a shape is chosen; `kernel[grid, block]` is remembered.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, NoReturn

from oxide.runtime.arguments import Plan, bind, documentation, python_signature
from oxide.runtime.errors import ArgumentError, CudaError
from oxide.runtime.launcher import Launcher, compile_launch
from oxide.runtime.layout import flatten, numpy_dtype

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable

    import numpy as np

    from oxide.ir import signature as sig
    from oxide.runtime.loaded import Loaded

REMEMBERED = 256
"""Shapes of launches that a kernel remembers."""

INVALID_VALUE = 1
"""What the driver calls an attribute that is more than the device has: `CUDA_ERROR_INVALID_VALUE`."""


class Kernel:
    """One kernel of a module; its docstring and signature are those of the Rust function.

    `ptx_name` is its entry's name, `signature` what it takes.
    """

    def __init__(self, loaded: Loaded, signature: sig.Signature) -> None:
        self.loaded = loaded
        self.signature = signature
        self.ptx_name = signature.name
        self.plan = Plan(signature, cuda=loaded.device.name == "cuda")
        self.launchers: dict[Any, Callable[..., None]] = {}
        self.functions: dict[int, Any] = {}
        self.shared: dict[int, int] = {}
        self.__name__ = (signature.base or signature.name).rpartition("::")[2]
        self.__doc__ = documentation(signature)
        self.__signature__: inspect.Signature = python_signature(signature)

    @functools.cached_property
    def make(self) -> Callable[[Launcher], Callable[..., None]]:
        """Makes the function of a launcher."""
        return compile_launch(self)

    def __repr__(self) -> str:
        return f"<kernel {self.signature.text()}>"

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied."""
        raise TypeError(f"{self!r} is one of this process\nhint: call oxide.load in each process, which finds it compiled")

    def __call__(self, *_args: Any, **_named: Any) -> None:
        """Refuse to launch without a shape."""
        raise ArgumentError(
            f"kernel `{self.__name__}` was called without the shape of a launch", hint=f"write `{self.__name__}[grid, block](…)`"
        )

    def __getitem__(self, shape: Any) -> Callable[..., None]:
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
        launch = Launcher(self, grid, block, shared, stream).launch
        if (stream is None or type(stream) is int) and len(self.launchers) < REMEMBERED:
            with contextlib.suppress(TypeError):  # a list among its parts
                self.launchers[shape] = launch
        return launch

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
        Launcher(self, grid, block, shared, stream, cluster, cooperative).launch(*bind(self.signature, args, named))

    def dtype(self, parameter: str) -> np.dtype[Any]:
        """Return the NumPy dtype of a parameter, or of its elements, with rustc's offsets. Raises `ArgumentError` where there is none."""
        from oxide.ir import signature as sig

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
            except CudaError as error:
                if error.code != INVALID_VALUE:
                    raise
                raise ArgumentError(f"kernel `{self.__name__}`: got {shared} bytes of dynamic shared memory: {error}") from None
            self.shared[index] = shared
        return function
