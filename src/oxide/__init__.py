"""Compile Rust kernels to PTX and run them.

    import oxide

    module = oxide.load("saxpy.rs")
    module.saxpy[grid, block](n, 2.0, x, y)

Nothing is imported before it is used, so that the command line starts at once.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oxide.errors import OxideError
    from oxide.runtime.cuda import DeviceArray, to_device
    from oxide.runtime.errors import ArgumentError, CompileError, CompileWarning, CudaError, LaunchError
    from oxide.runtime.kernel import Kernel
    from oxide.runtime.load import load, synchronize
    from oxide.runtime.magic import load_ipython_extension
    from oxide.runtime.module import GenericKernel, Module

__all__ = [
    "ArgumentError",
    "CompileError",
    "CompileWarning",
    "CudaError",
    "DeviceArray",
    "GenericKernel",
    "Kernel",
    "LaunchError",
    "Module",
    "OxideError",
    "load",
    "load_ipython_extension",
    "synchronize",
    "to_device",
]

_PLACES = {
    "oxide.errors": ("OxideError",),
    "oxide.runtime.cuda": ("DeviceArray", "to_device"),
    "oxide.runtime.errors": ("ArgumentError", "CompileError", "CompileWarning", "CudaError", "LaunchError"),
    "oxide.runtime.kernel": ("Kernel",),
    "oxide.runtime.load": ("load", "synchronize"),
    "oxide.runtime.magic": ("load_ipython_extension",),
    "oxide.runtime.module": ("GenericKernel", "Module"),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    import importlib

    for place, names in _PLACES.items():
        if name in names:
            found = globals()[name] = getattr(importlib.import_module(place), name)
            return found
    raise AttributeError(f"module 'oxide' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
