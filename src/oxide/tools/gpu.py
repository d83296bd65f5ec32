"""What this machine has of a GPU: a device, a driver, its version, its architecture."""

from __future__ import annotations

from pathlib import Path


def has_gpu_device() -> bool:
    """Whether the kernel shows an NVIDIA device; says nothing about the driver library."""
    return Path("/dev/nvidiactl").exists() or Path("/dev/dxg").exists()


def has_cuda_driver() -> bool:
    """Whether libcuda loads here and a device is there."""
    if not has_gpu_device():
        return False
    import ctypes

    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def nvidia_driver_version() -> str | None:
    """Return the version of the loaded NVIDIA kernel driver."""
    try:
        first = Path("/proc/driver/nvidia/version").read_text().splitlines()[0]
    except (OSError, IndexError):
        return None
    return next((word for word in first.split() if word[0].isdigit() and "." in word), None)


def ask_gpu() -> str | None:
    """Ask the CUDA driver for the compute capability of device 0."""
    from cuda.bindings import driver

    if driver.cuInit(0)[0] != driver.CUresult.CUDA_SUCCESS:
        return None
    status, device = driver.cuDeviceGet(0)
    if status != driver.CUresult.CUDA_SUCCESS:
        return None
    attribute = driver.CUdevice_attribute
    major = driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)[1]
    minor = driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)[1]
    return f"sm_{major}{minor}"
