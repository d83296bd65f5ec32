"""What a launch costs: C++ with the driver API, oxide, CuPy's RawKernel, cuda.core, and a Rust program, in one run on one GPU.

    python tests/gpu/python_gpu.py --prepare        # where Rust is
    python bench/launch.py [RUST_PROGRAM]           # on the GPU's machine; needs nvcc or g++, CuPy, PyTorch

Microseconds of the caller's time for an empty kernel, and for one with four arguments (a number, a float, two arrays of 32), the best of
repeats, with the ratio to C++. RUST_PROGRAM is one that was built elsewhere and prints its own two numbers in a line, as the C++ one does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

REPOSITORY = Path(__file__).parents[1]
CARRIED = REPOSITORY / "target" / "gpu-python"
os.environ["OXIDE_CACHE"] = os.fspath(CARRIED / "cache")
sys.path[:0] = [os.fspath(folder) for folder in (REPOSITORY / "src", REPOSITORY / "tests" / "gpu", CARRIED / "site")]

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 500
"""Launches that fit into the queue, so that nothing waits for the GPU."""


def in_turn(launches: dict[str, tuple[Callable[[], object], ...]], wait: Callable[[], object]) -> dict[str, tuple[float, ...]]:
    """Return what each call costs its caller in microseconds, the best of rounds that take turns: a machine is not always as fast."""
    best = {name: [float("inf")] * len(calls) for name, calls in launches.items()}
    for _ in range(40):
        for name, calls in launches.items():
            for number, launch in enumerate(calls):
                wait()
                start = time.perf_counter()
                for _ in range(ROUNDS):
                    launch()
                best[name][number] = min(best[name][number], (time.perf_counter() - start) / ROUNDS * 1e6)
    return {name: tuple(found) for name, found in best.items()}


def programs(ptx: Path) -> dict[str, tuple[float, float]]:
    """Build the C++ program, and run it and the Rust one in turn: the best of each, since a machine is not always as fast."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "launch")
        compiler = shutil.which("nvcc") or "g++"
        include = ["-I/usr/local/cuda/include"] if compiler == "g++" else []
        subprocess.run(
            [compiler, "-O2", *include, os.fspath(REPOSITORY / "bench" / "launch.cpp"), "-o", os.fspath(program), "-lcuda"], check=True
        )
        commands = {"C++, driver API": [os.fspath(program), os.fspath(ptx), "empty", "raw_saxpy", str(ROUNDS)]}
        if len(sys.argv) > 1:
            commands["Rust"] = sys.argv[1:]
        runs = [{name: program_of(command) for name, command in commands.items()} for _ in range(5)]
        return {name: (min(run[name][0] for run in runs), min(run[name][1] for run in runs)) for name in commands}


def program_of(command: list[str]) -> tuple[float, float]:
    """Run a program that prints two numbers."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    empty, four = map(float, done.stdout.split()[-2:])
    return empty, four


def main() -> None:
    """Measure, and print a table."""
    import cupy
    import python_gpu
    import torch

    import oxide

    python_gpu.use_carried()
    module = oxide.load(REPOSITORY / "tests" / "python" / "kernels.rs", arch="sm_90", device="cuda")
    ptx = module.empty.loaded.ptx
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        rows = programs(Path(file.name))
        raw = cupy.RawModule(path=file.name)
        x, y = cupy.ones(32, "f4"), cupy.ones(32, "f4")
        empty, four = raw.get_function("empty"), raw.get_function("raw_saxpy")
    arguments = (cupy.uint32(32), cupy.float32(2), x, y)
    kernels: Any = module
    held, held_empty = kernels.raw_saxpy[1, 32, 0, 0], kernels.empty[1, 32, 0, 0]
    s, t = torch.ones(32, device="cuda"), torch.ones(32, device="cuda")
    launches: dict[str, tuple[Callable[[], object], ...]] = {
        "cupy.RawKernel": (lambda: empty((1,), (32,), ()), lambda: four((1,), (32,), arguments)),
        "oxide, CuPy arrays": (lambda: kernels.empty[1, 32](), lambda: kernels.raw_saxpy[1, 32](32, 2.0, x, y)),
        "oxide, CuPy, slices": (lambda: kernels.empty[1, 32](), lambda: kernels.saxpy[1, 32](32, 2.0, x, y)),
        "oxide, CuPy, held": (held_empty, lambda: held(32, 2.0, x, y)),
        "oxide, PyTorch tensors": (lambda: kernels.empty[1, 32](), lambda: kernels.raw_saxpy[1, 32](32, 2.0, s, t)),
        "cuda.core": core(ptx, x, y),
    }
    found = in_turn(launches, cupy.cuda.Device().synchronize)
    print(f"{'':24} {'empty':>8} {'ratio':>6} {'four':>8} {'ratio':>6}")
    base = rows["C++, driver API"]
    for name, (nothing, some) in {**rows, **found}.items():
        print(f"{name:24} {nothing:8.2f} {nothing / base[0]:6.2f} {some:8.2f} {some / base[1]:6.2f}")


def core(ptx: bytes, x: Any, y: Any) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return the launches of cuda.core."""
    try:
        from cuda.core import Device, LaunchConfig, ObjectCode, launch
    except ImportError:
        from cuda.core.experimental import Device, LaunchConfig, ObjectCode, launch
    import numpy

    device = Device()
    device.set_current()
    stream = device.default_stream
    code = ObjectCode.from_ptx(ptx)
    empty, four = code.get_kernel("empty"), code.get_kernel("raw_saxpy")
    config = LaunchConfig(grid=1, block=32)
    n, a = numpy.uint32(32), numpy.float32(2)
    return lambda: launch(stream, config, empty), lambda: launch(stream, config, four, n, a, x.data.ptr, y.data.ptr)


if __name__ == "__main__":
    main()
