"""The architecture of this machine's GPU, remembered: asking starts the driver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from oxide.cache.files import digest
from oxide.tools.gpu import ask_gpu, has_cuda_driver, has_gpu_device, nvidia_driver_version

if TYPE_CHECKING:
    from oxide.cache.files import Cache
    from oxide.options import Environment


def gpu_arch(environment: Environment, cache: Cache) -> str | None:
    """Return the target of the first GPU, such as `sm_90`, or None without one.

    The answer is remembered until the driver, the devices or their choice by environment change, since asking starts the driver.
    """
    if not has_gpu_device():
        return None
    devices = sorted(path.name for path in Path("/proc/driver/nvidia/gpus").glob("*"))
    key = digest("gpu", nvidia_driver_version() or "", *devices, environment.get("CUDA_VISIBLE_DEVICES") or "")
    if (known := cache.remembered("gpu", key)) is not None:
        return known
    if not has_cuda_driver():
        return None
    arch = ask_gpu()
    if arch is not None:
        cache.remember("gpu", key, arch)
    return arch
