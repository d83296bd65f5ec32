"""Kernels from Python on a GPU: NumPy, CuPy, PyTorch, Numba's and JAX's arrays, streams, exceptions, threads, and what a launch costs.

    python tests/gpu/python_gpu.py --prepare        # where Rust is: fills target/gpu-python with what was compiled
    python tests/gpu/python_gpu.py                  # on the machine with the GPU, which needs neither Rust nor a network

The second looks only into target/gpu-python, and compares every result. It ends with SUCCESS, or with the first check that fails.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
CARRIED = REPOSITORY / "target" / "gpu-python"
KERNELS = REPOSITORY / "tests" / "python" / "kernels.rs"
ARCH = "sm_90"
INSTANCES: tuple[tuple[str, tuple[Any, ...]], ...] = (("scale", ("f32", 2)), ("scale", ("f64", 3)), ("map", ("f32", "square")))


def prepare() -> None:
    """Compile what the GPU machine needs, with the CPU device as the place to launch, and keep it."""
    shutil.rmtree(CARRIED, ignore_errors=True)
    import msgspec

    import oxide
    from oxide.options import environment
    from oxide.runtime import program

    compile_program = program.compile_program
    (CARRIED / "programs").mkdir(parents=True)

    def keeping(*args: Any, instances: program.Instances = (), **named: Any) -> program.Program:
        compiled = compile_program(*args, instances=instances, **named)
        carried(instances).write_bytes(msgspec.json.encode(compiled))
        return compiled

    program.compile_program = keeping
    module = oxide.load(KERNELS, arch=ARCH, device="cpu")
    for name, args in INSTANCES:
        getattr(module, name)[args]
    shutil.copytree(environment().cache / "cpu", CARRIED / "cache" / "cpu")
    shutil.copy(cpu_library(), CARRIED / "liboxide_cpu.so")
    # The one package that such machines lack.
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", os.fspath(CARRIED / "site"), "--no-deps"]
    subprocess.run([*pip, "--python-version=3.12", "--only-binary=:all:", "msgspec"], check=True)


def carried(instances: Any) -> Path:
    """Return where a program lies that was compiled with these instances of generic kernels."""
    words = [word for path, args in instances for word in (path.rpartition("::")[2], *args)]
    return CARRIED / "programs" / f"{'-'.join(['program', *words])}.json"


def use_carried() -> None:
    """Let `oxide.load` take what was compiled elsewhere: here are other tools, and none to compile with."""
    import msgspec

    from oxide.runtime import program

    def compiled(*_: Any, instances: program.Instances = (), **__: Any) -> program.Program:
        return msgspec.json.decode(carried(instances).read_bytes(), type=program.Program)

    program.compile_program = compiled


def cpu_library() -> Path:
    """Return the CPU device that `oxide.load` has used."""
    from oxide.cache.files import Cache
    from oxide.options import environment
    from oxide.rust import cpu_device

    library = cpu_device.path(Cache(environment().cache))
    assert library is not None
    return library


def refused(kind: type[Exception], text: str, call: Any, *args: Any) -> None:
    """Check that a call is refused, for the reason."""
    said = None
    try:
        call(*args)
    except kind as error:
        said = str(error)
    assert said is not None, f"not refused: {text}"
    assert text in said, f"expected '{text}' in: {said}"


def check_cpu(_module: Any) -> None:
    """The CPU device with arrays of the host: NumPy's, PyTorch's, JAX's."""
    import jax
    import numpy
    import torch

    import oxide

    module: Any = oxide.load(KERNELS, arch=ARCH, device="cpu")
    x, y = torch.arange(1000, dtype=torch.float32), torch.ones(1000)
    module.saxpy[4, 256](1000, 2.0, x, y)
    assert torch.equal(y, 2 * x + 1)
    refused(oxide.ArgumentError, "device='cuda'", module.saxpy[1, 32], 1000, 2.0, x.cuda(), y)
    refused(oxide.ArgumentError, "detach", module.saxpy[1, 32], 1000, 2.0, x, y.clone().requires_grad_())
    brain, sums = torch.arange(32, dtype=torch.bfloat16), torch.ones(32, dtype=torch.bfloat16)
    module.brain_floats[1, 32](2.5, brain, sums)
    assert torch.equal(sums, 2.5 * brain + 1)
    with jax.default_device(jax.devices("cpu")[0]):
        module.brain_floats[1, 32](2.5, jax.numpy.arange(32, dtype="bfloat16"), sums)
        assert torch.equal(sums, 2.5 * brain + (2.5 * brain + 1))
        j = jax.numpy.arange(1000, dtype="float32")
        z = numpy.ones(1000, "f4")
        module.saxpy[4, 256](1000, 2.0, j, z)
        assert (z == 2 * numpy.asarray(j) + 1).all()
        refused(oxide.ArgumentError, "read-only", module.saxpy[4, 256], 1000, 2.0, z, j)
        refused(oxide.ArgumentError, "expected f32", module.saxpy[4, 256], 1000, 2.0, j.astype("int32"), z)


def check_cupy(module: Any) -> None:
    """CuPy's arrays, its current stream, dtypes, generics, structs and shared memory."""
    import cupy
    import numpy

    import oxide

    n = 1 << 20
    x, y = cupy.arange(n, dtype="f4"), cupy.ones(n, "f4")
    module.saxpy[n // 256, 256](n, 2.0, x, y)
    assert (y == 2 * x + 1).all()
    module.raw_saxpy[n // 256, 256](n, 2.0, x, y)
    assert (y == 4 * x + 1).all()
    refused(oxide.ArgumentError, "memory of the host", module.saxpy[1, 32], n, 2.0, numpy.ones(3, "f4"), y)
    refused(oxide.ArgumentError, "expected f32", module.saxpy[1, 32], n, 2.0, x.astype("f8"), y)
    refused(oxide.ArgumentError, "not contiguous", module.saxpy[1, 32], n, 2.0, x[::2], y)
    refused(oxide.ArgumentError, "expected u32", module.saxpy[1, 32], 2.5, 2.0, x, y)
    for kernel in ("primitive_halves", "halves"):
        half, sums = cupy.arange(256, dtype="f2"), cupy.ones(256, "f2")
        getattr(module, kernel)[1, 256](2.5, half, sums)
        assert (sums.get() == (numpy.float16(2.5) * half.get() + numpy.float16(1))).all()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        late = cupy.zeros(1 << 16, "u4")
        module.spins[256, 256](20_000, late)
        again = cupy.zeros(1 << 16, "u4")
        module.spins.launch(20_000, again, grid=256, block=256, stream=stream)
    stream.synchronize()
    assert (late == again).all()
    assert late[0] != 0
    out = cupy.zeros((30, 50), "u4")
    module.rows[(4, 2), (16, 16)](out)
    expected = 100 * numpy.arange(30)[:, None] + numpy.arange(50)[None, :]
    assert (out.get() == expected).all()
    small = cupy.zeros(128, "u4")
    module.reverse[1, 128, 4 * 128](small)
    assert (small.get() == numpy.arange(128)[::-1]).all()
    module.reverse[1, 128, 100 * 1024](small)
    refused(oxide.ArgumentError, "got 1048576 bytes of dynamic shared memory", module.reverse[1, 128, 1 << 20], small)
    z = cupy.full(100, 3, "f8")
    module.scale["f64", 3][1, 128](2.0, z)
    assert (z == 24).all()
    w = cupy.full(100, 3, "f4")
    module.map["f32", "square"][1, 128](None, w)
    assert (w == 9).all()
    points = cupy.arange(30, dtype="f4").reshape(10, 3)
    sums = cupy.zeros(10, "f4")
    module.points[1, 32](points, sums)
    assert cupy.allclose(sums, points.sum(axis=1))
    bodies = oxide.to_device(numpy.zeros(3, module.mixed.dtype("bodies")))
    number = cupy.zeros(1)
    body = {"x": 1.5, "id": 3, "v": (1.0, 2.0)}
    module.mixed[1, 1](body, "Sub", (9, 70000), -5, None, "é", True, 2**65, 0.5, (1, 2, 3), bodies, number)
    host = bodies.to_host()
    assert host[0]["x"] == 1.5
    assert host[0]["v"].tolist() == [1.0, 2.0]
    assert host[1]["id"] == 9
    assert host[1]["x"] == -233
    assert number[0] == 2.0**65 - 5 + 70000 + 0.5 + 6
    module.saxpy[1, 32](0, 1.0, cupy.zeros(0, "f4"), cupy.zeros(0, "f4"))
    module.synchronize()


def check_torch(module: Any) -> None:
    """PyTorch's tensors and streams."""
    import torch

    import oxide

    n = 1 << 16
    x, y = torch.arange(n, dtype=torch.float32, device="cuda"), torch.ones(n, device="cuda")
    module.saxpy[n // 256, 256](n, 2.0, x, y)
    assert torch.equal(y, 2 * x + 1)
    for kernel, dtype in (("primitive_halves", torch.float16), ("halves", torch.float16), ("brain_floats", torch.bfloat16)):
        half, sums = torch.arange(256, dtype=dtype, device="cuda"), torch.ones(256, dtype=dtype, device="cuda")
        getattr(module, kernel)[1, 256](2.5, half, sums)
        # Two roundings, as PyTorch has them.
        assert torch.equal(sums, half * 2.5 + 1), kernel
    refused(oxide.ArgumentError, "expected f16", module.halves[1, 32], 1.0, half, half)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        z = torch.zeros(n, dtype=torch.uint32, device="cuda")
        module.spins[n // 256, 256](20_000, z)
        done = z.view(torch.int32) != 0
    stream.synchronize()
    assert bool(done.all())
    refused(oxide.ArgumentError, "detach", module.saxpy[1, 32], n, 2.0, x.clone().requires_grad_(), y)
    refused(oxide.ArgumentError, "memory of the host", module.saxpy[1, 32], n, 2.0, x.cpu(), y)
    refused(oxide.ArgumentError, "not contiguous", module.saxpy[1, 32], n, 2.0, x.view(-1, 2).t(), y)
    refused(oxide.ArgumentError, "expected f32", module.saxpy[1, 32], n, 2.0, x.to(torch.bfloat16), y)
    graph = torch.cuda.CUDAGraph()
    kernel = module.scale["f32", 2]
    kernel[1, 32](1.0, torch.ones(1, device="cuda"))
    w = torch.ones(32, device="cuda")
    with torch.cuda.graph(graph):
        kernel[1, 32](2.0, w)
    graph.replay()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(w, torch.full_like(w, 16)), w


def check_others(module: Any) -> None:
    """The CUDA array interface and DLPack of others: a stream that an array carries, and read-only arrays."""
    import cupy
    import jax

    import oxide

    class Carried:
        """An array whose library works on a stream of its own."""

        def __init__(self, array: Any, stream: int | None, read_only: bool = False) -> None:
            self.array, self.stream, self.read_only = array, stream, read_only

        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            address = self.array.data.ptr
            return {"version": 3, "data": (address, self.read_only), "shape": self.array.shape, "typestr": "<f4", "stream": self.stream}

    x, y = cupy.arange(1000, dtype="f4"), cupy.ones(1000, "f4")
    producer, consumer = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    module.saxpy[4, 256](1000, 2.0, Carried(x, producer.ptr), Carried(y, producer.ptr))
    module.saxpy[4, 256, 0, consumer](1000, 2.0, Carried(x, producer.ptr, True), Carried(y, producer.ptr))
    consumer.synchronize()
    assert (y == 4 * x + 1).all()
    refused(oxide.ArgumentError, "read-only", module.saxpy[1, 32], 1000, 2.0, x, Carried(y, None, True))
    refused(oxide.ArgumentError, "streams differ", module.saxpy[1, 32], 1, 2.0, Carried(x, producer.ptr), Carried(y, consumer.ptr))
    j = jax.numpy.arange(1000, dtype="float32")
    if j.devices().pop().platform in {"gpu", "cuda"}:
        module.saxpy[4, 256](1000, 2.0, j, y)
        assert (y == 6 * x + 1).all()
        refused(oxide.ArgumentError, "read-only", module.saxpy[4, 256], 1000, 2.0, x, j)


def check_threads(module: Any) -> None:
    """Eight threads with four streams each."""
    import cupy

    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(50):
                for _ in range(4):
                    with cupy.cuda.Stream(non_blocking=True) as stream:
                        x, y = cupy.full(4096, number, "f4"), cupy.ones(4096, "f4")
                        for _ in range(5):
                            module.saxpy[16, 256](4096, 2.0, x, y)
                        stream.synchronize()
                        assert (y == 10 * number + 1).all()
        except BaseException as error:  # shown by the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def check_contexts(module: Any) -> None:
    """A thread without a context, and one whose context is not the one that the module is loaded in."""
    import cupy
    import numpy
    from cuda.bindings import driver

    import oxide

    def set_current(context: Any) -> None:
        assert driver.cuCtxSetCurrent(context)[0] == 0

    primary = driver.cuCtxGetCurrent()[1]
    code, other = driver.cuCtxCreate(None, 0, 0)
    assert code == 0, code
    set_current(primary)
    stream = cupy.cuda.Stream(non_blocking=True)
    for context in (other, 0):
        for shape in ((4, 256), (4, 256, 0, stream.ptr), (4, 256, 0, 2)):
            x, y = cupy.arange(1000, dtype="f4"), cupy.ones(1000, "f4")
            cupy.cuda.runtime.deviceSynchronize()
            set_current(context)
            module.raw_saxpy[shape](1000, 2.0, x, y)
            set_current(primary)
            cupy.cuda.runtime.deviceSynchronize()
            assert (y == 2 * x + 1).all(), (context, shape)
        set_current(context)
        module.empty[1, 1]()
        set_current(primary)
    array, unloaded = oxide.to_device(numpy.ones(100, "f4")), oxide.load(KERNELS, arch=ARCH, device="cuda")
    unloaded.empty[1, 1]()
    set_current(other)
    del array, unloaded
    gc.collect()
    assert int(driver.cuCtxGetCurrent()[1]) == int(other), "what goes leaves the thread's context"
    set_current(primary)
    assert driver.cuCtxDestroy(other)[0] == 0
    set_current(primary)


def check_shapes(module: Any) -> None:
    """Clusters, cooperative launches, and both."""
    import cupy

    import oxide

    x, y = cupy.arange(1000, dtype="f4"), cupy.ones(1000, "f4")
    module.raw_saxpy.launch(1000, 1.0, x, y=y, grid=4, block=256, cluster=2)
    module.raw_saxpy.launch(1000, 1.0, x, y=y, grid=4, block=256, cooperative=True)
    module.raw_saxpy.launch(1000, 1.0, x, y=y, grid=(4, 1), block=256, cluster=(2, 1, 1), cooperative=True)
    assert (y == 3 * x + 1).all()
    refused(oxide.LaunchError, "CUDA_ERROR", lambda: module.empty.launch(grid=3, block=32, cluster=2))
    refused(oxide.LaunchError, "CUDA_ERROR", lambda: module.empty.launch(grid=1 << 20, block=1024, cooperative=True))


def check_errors(module: Any) -> None:
    """Launches that the driver refuses; last of all a kernel that traps, in a process of its own."""
    import oxide

    refused(oxide.LaunchError, "CUDA_ERROR_INVALID_VALUE (1)", module.empty[1, 2048])
    module.synchronize()
    child = subprocess.run([sys.executable, __file__, "--trap"], capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stderr


def trap() -> None:
    """A kernel that reads beyond a slice panics, which comes out where the host waits."""
    import cupy

    import oxide

    module = oxide.load(KERNELS, arch=ARCH, device="cuda")
    x, y = cupy.ones(32, "f4"), cupy.ones(32, "f4")
    module.fails[1, 32](x, y)
    refused(oxide.CudaError, "CUDA_ERROR_LAUNCH_FAILED (719)", oxide.synchronize)


def main() -> None:
    """Run what was asked for."""
    if "--prepare" in sys.argv:
        prepare()
        return
    os.environ["OXIDE_CACHE"] = os.fspath(CARRIED / "cache")
    os.environ["OXIDE_CPU_DEVICE"] = os.fspath(CARRIED / "liboxide_cpu.so")
    sys.path[:0] = [os.fspath(REPOSITORY / "src"), os.fspath(CARRIED / "site")]
    use_carried()
    if "--trap" in sys.argv:
        trap()
        return
    start = time.perf_counter()
    import oxide

    module = oxide.load(KERNELS, arch=ARCH, device="cuda")
    module.empty[1, 1]()
    module.synchronize()
    print(f"first use {time.perf_counter() - start:.2f} s")
    for check in (check_cpu, check_cupy, check_torch, check_others, check_threads, check_shapes, check_contexts, check_errors):
        check(module)
        print(f"ok {check.__name__.removeprefix('check_')}", flush=True)
    print("SUCCESS")


if __name__ == "__main__":
    main()
