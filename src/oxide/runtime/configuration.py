"""What cuLaunchKernelEx is given beside a kernel and its arguments (CUDA driver API, "CUlaunchConfig")."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oxide.runtime.errors import Three


class Attribute(ctypes.Structure):
    """A `CUlaunchAttribute`: what it says, and up to 64 bytes of it."""

    _fields_ = (("id", ctypes.c_uint), ("padding", ctypes.c_char * 4), ("value", ctypes.c_uint * 16))


class Configuration(ctypes.Structure):
    """A `CUlaunchConfig`."""

    _fields_ = (
        ("dims", ctypes.c_uint * 6),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    )


CLUSTER_DIMENSION = 4
COOPERATIVE = 2


def configuration(grid: Three, block: Three, shared: int, stream: int, cluster: Three | None, cooperative: bool) -> Configuration:
    """Return the configuration of a launch; it does not change, so that threads may share it."""
    attributes = (Attribute * 2)()
    count = 0
    if cluster is not None:
        attributes[count].id, attributes[count].value[:3] = CLUSTER_DIMENSION, cluster
        count += 1
    if cooperative:
        attributes[count].id, attributes[count].value[0] = COOPERATIVE, 1
        count += 1
    return Configuration((ctypes.c_uint * 6)(*grid, *block), shared, stream, attributes, count)
