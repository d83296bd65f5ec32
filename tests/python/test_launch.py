"""Launches from Python on the CPU device: what is passed, what is refused and why, what faults become."""

from __future__ import annotations

import copy
import dataclasses
import enum
import gc
import inspect
import math
import pickle
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import oxide
from oxide.runtime.arrays import host_address
from oxide.runtime.values import Unfit, bfloat

KERNELS = Path(__file__).parent / "kernels.rs"


@pytest.fixture(scope="module")
def module() -> Any:
    return oxide.load(KERNELS, device="cpu")


def test_numpy_arrays_are_used_in_place(module: Any) -> None:
    x, y = np.arange(1000, dtype="f4"), np.ones(1000, "f4")
    module.saxpy[4, 256](1000, 2.0, x, y)
    assert (y == 2 * x + 1).all()
    module.raw_saxpy.launch(1000, 2.0, x, y=y, grid=(4, 1), block=(256, 1, 1))
    assert (y == 4 * x + 1).all()


@pytest.mark.parametrize("kernel", ["primitive_halves", "halves"])
def test_half_floats(module: Any, kernel: str) -> None:
    x, y = np.arange(32, dtype="f2"), np.ones(32, "f2")
    getattr(module, kernel)[1, 32](2.5, x, y)
    assert (y == (2.5 * x + 1).astype("f2")).all()
    with pytest.raises(oxide.ArgumentError, match="`x`: got uint16, expected f16"):
        getattr(module, kernel)[1, 32](2.5, x.view("u2"), y)
    with pytest.raises(oxide.ArgumentError, match="expected f16"):
        getattr(module, kernel)[1, 32](65520.0, x, y)


def test_brain_floats(module: Any) -> None:
    bf16 = np.dtype(ml_dtypes.bfloat16)
    x, y = np.arange(32).astype(bf16), np.ones(32, bf16)
    module.brain_floats[1, 32](2.5, x, y)
    assert (y == (2.5 * np.arange(32) + 1).astype(bf16)).all()
    assert module.brain_floats.__doc__.startswith("fn brain_floats(a: bf16, x: &[bf16], y: DisjointSlice<bf16>)")
    assert module.brain_floats.dtype("x") == bf16
    module.scale[bf16, 2][1, 32](2.0, y)
    assert (y == (4 * (2.5 * np.arange(32) + 1).astype(bf16)).astype(bf16)).all()
    for other in ("f2", "u2", "V2"):
        with pytest.raises(oxide.ArgumentError, match=r"`x`: got .*, expected bf16"):
            module.brain_floats[1, 32](2.5, np.zeros(32, other), y)
    with pytest.raises(oxide.ArgumentError, match="`x`: got bfloat16, expected f32"):
        module.saxpy[1, 32](32, 1.0, x, np.zeros(32, "f4"))


def test_a_number_becomes_the_nearest_brain_float() -> None:
    between = [1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-40, 1 + 2**-8 - 2**-40, 1 + 3 * 2**-8 - 2**-40]
    bits = [0x3F80, 0x3F82, 0x3F81, 0x3F80, 0x3F81]
    for number, expected in zip(between, bits, strict=True):
        assert bfloat(number) == expected, number
        assert bfloat(-number) == expected | 0x8000
    for number in np.random.default_rng(1).normal(size=1000).astype("f4"):
        assert bfloat(float(number)) == int(np.array(number).astype(ml_dtypes.bfloat16).view("u2"))
    assert bfloat(0.0) == 0
    assert bfloat(2.0**-133) == 1, "the least there is"
    assert bfloat(math.inf) == 0x7F80
    assert math.isnan(float(np.uint16(bfloat(math.nan)).view(ml_dtypes.bfloat16)))
    assert bfloat(float(np.array(0x7F7F, "u2").view(ml_dtypes.bfloat16))) == 0x7F7F
    for wrong in (3.4e38, -1e40, "1"):
        with pytest.raises(Unfit, match="expected bf16"):
            bfloat(wrong)


def test_a_kernel_tells_its_signature(module: Any) -> None:
    assert module.saxpy.__doc__.startswith("fn saxpy(n: u32, a: f32, x: &[f32], y: DisjointSlice<f32>)\n")
    assert list(inspect.signature(module.saxpy).parameters) == ["n", "a", "x", "y"]
    assert inspect.signature(module.saxpy).parameters["x"].annotation == "&[f32]"
    for one in (module, module.saxpy):
        for ways in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=r"is one of this process\nhint: call oxide.load in each process"):
                ways(one)
    names = dir(module)
    assert {"saxpy", "scale", "kernels"} <= set(names)
    assert len(names) == len(set(names))
    with pytest.raises(AttributeError, match="did you mean 'saxpy'"):
        _ = module.saxpi


def test_every_kind_of_value(module: Any) -> None:
    dtype = module.mixed.dtype("bodies")
    assert dtype.names == ("x", "id", "v")
    bodies, out = np.zeros(3, dtype), np.zeros(1)
    rest = ((9, 70000), -5, None, "é", True, 2**65, 0.5, (1, 2, 3), bodies, out)

    @dataclasses.dataclass
    class Body:
        x: float
        id: int
        v: tuple[float, float]

    class Mode(enum.Enum):
        Sub = 7

    scalar = np.zeros((), dtype)
    scalar["x"], scalar["id"], scalar["v"] = 1.5, 3, (1, 2)
    for body in ({"x": 1.5, "id": 3, "v": [1, 2]}, (1.5, 3, np.array([1.0, 2.0])), Body(1.5, 3, (1, 2)), scalar, scalar[()]):
        for mode in ("Sub", 7, Mode.Sub):
            bodies[...] = np.zeros(3, dtype)
            module.mixed[1, 1](body, mode, *rest)
            assert bodies[0].tolist()[:2] == (1.5, 3)
            assert bodies[0]["v"].tolist() == [1, 2]
            assert (bodies[1]["id"], bodies[1]["x"]) == (9, -233)
            assert out[0] == 2.0**65 - 5 + 70000 + 0.5 + 6


def test_addresses_are_those_of_numpys_interface() -> None:
    dtypes: list[Any] = ["f4", "f2", "?", "c8", "M8[s]", "S3", np.dtype([("a", "u1"), ("b", "f8", (2,))], align=True)]
    for dtype in dtypes:
        for array in (np.zeros((3, 2), dtype), np.zeros(0, dtype), np.zeros(5, dtype)[2:], np.zeros((), dtype)):
            address = array.__array_interface__["data"][0]
            assert host_address(array, True) == address
            array.flags.writeable = False
            assert host_address(array, False) == address
    array = np.zeros(4)
    host_address(array, True)
    array.resize(8)  # which NumPy refuses while somebody holds the buffer


def test_a_mask_would_be_lost(module: Any) -> None:
    masked, y = np.ma.masked_array(np.ones(8, "f4"), [True, False] * 4), np.ones(8, "f4")

    class Masked(np.ma.MaskedArray[Any, Any]):
        """One of another library's."""

    other = SimpleNamespace(__array_interface__={**y.__array_interface__, "mask": masked.mask})
    for array in (masked, np.ma.array(y), masked.view(Masked), other):
        with pytest.raises(oxide.ArgumentError, match="argument `x`: got an array with a mask, which the kernel would not see"):
            module.saxpy[1, 8](8, 2.0, array, y)
    module.saxpy[1, 8](8, 2.0, masked.filled(0), y)
    assert (y == [1, 3] * 4).all()


BODY = (1.0, 1, (1.0, 1.0))


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (0, {"x": 1.0, "id": 3}, "argument `body`: got fields x, id, expected x, id, v"),
        (0, (1.0, 300, (1.0, 1.0)), "argument `body`: field `id`: got 300, expected u8, which is from 0 to 255"),
        (0, np.zeros((), "f4")[()], "argument `body`: got float32, expected a structured dtype"),
        (1, "Mul", "argument `mode`: got 'Mul' (str), expected Add (1) or Sub (7)"),
        (1, 2, "argument `mode`: got 2 (int), expected Add (1) or Sub (7)"),
        (2, (1,), "argument `pair`: got (1,) (tuple), expected (u8, u32)"),
        (3, 1 << 15, "argument `u`: got 32768, expected i16, which is from -32768 to 32767"),
        (3, 1.0, "argument `u`: got 1.0 (float), expected i16"),
        (5, "ab", "argument `c`: got 'ab' (str), expected char"),
        (5, 0xD800, "argument `c`: got 55296 (int), expected char"),
        (6, 1, "argument `b`: got 1 (int), expected bool"),
        (7, -1, "argument `wide`: got -1, expected u128"),
        (8, 1e300, "argument `length`: got 1e+300 (float), expected f32"),
        (9, (1, 2), "argument `weights`: got (1, 2) (tuple), expected [i16; 3]"),
        (10, np.zeros(3, [("x", "f4"), ("id", "u1"), ("v", "f8", 2)]), "argument `bodies`: field `x` is at byte 0, rustc has it at 16"),
        (10, np.zeros(3, "f4"), "argument `bodies`: got float32, expected a structured dtype"),
        (11, "text", "argument `out`: got str, expected an array"),
        (11, np.zeros(1, ">f8"), "argument `out`: got >f8, which is big-endian"),
    ],
)
def test_a_wrong_value_is_refused(module: Any, position: int, value: object, message: str) -> None:
    arguments = [BODY, "Add", (1, 2), 3, None, "c", True, 5, 0.5, (1, 2, 3), np.zeros(3, module.mixed.dtype("bodies")), np.zeros(1)]
    arguments[position] = value
    with pytest.raises(oxide.ArgumentError) as caught:
        module.mixed[1, 1](*arguments)
    assert str(caught.value).startswith(f"kernel `mixed`: {message}")


def read_only() -> np.ndarray[Any, Any]:
    array = np.ones(10, "f4")
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (np.ones(10), np.ones(10, "f4"), "`x`: got float64, expected f32"),
        (np.ones(20, "f4")[::2], np.ones(10, "f4"), "`x`: got an array that is not contiguous"),
        (np.ones((4, 4), "f4").T, np.ones(10, "f4"), "`x`: got an array that is not contiguous"),
        (np.ones(10, "f4"), np.ones((4, 4), "f4", order="F").T[:, 1:], "copy the result back"),
        (np.ones(10, "f4"), read_only(), "`y`: got a read-only array, and the kernel writes to it"),
        (np.frombuffer(bytes(41), "u1")[1:].view("f4"), np.ones(10, "f4"), "expected one that is aligned to 4"),
        ([1.0], np.ones(10, "f4"), "`x`: got list, expected an array"),
    ],
)
def test_a_wrong_array_is_refused(module: Any, x: object, y: object, message: str) -> None:
    with pytest.raises(oxide.ArgumentError) as caught:
        module.saxpy[1, 32](10, 1.0, x, y)
    assert message in str(caught.value)


def test_a_read_only_array_is_read(module: Any) -> None:
    y = np.zeros(10, "f4")
    module.saxpy[1, 32](10, 2.0, read_only(), y)
    assert (y == 2).all()


def test_another_number_of_arguments_is_refused(module: Any) -> None:
    with pytest.raises(oxide.ArgumentError, match=r"got 1 arguments, expected 4\nhint: fn saxpy"):
        module.saxpy[1, 1](1)
    with pytest.raises(oxide.ArgumentError, match="got arguments by name z, expected n, a, x, y"):
        module.saxpy.launch(z=1, grid=1, block=1)
    with pytest.raises(oxide.ArgumentError, match=r"hint: write `saxpy\[grid, block\]"):
        module.saxpy(1)


@pytest.mark.parametrize("shape", [(0, 1), (1, -1), (1.5, 1), ((1, 1, 1, 1), 1), (1, 1, -1), (1, 1, "much"), 1, (1,), (1 << 32, 1)])
def test_a_wrong_shape_is_refused(module: Any, shape: Any) -> None:
    with pytest.raises(oxide.ArgumentError, match="got "):
        module.empty[shape]


def test_a_shape_that_the_device_refuses(module: Any) -> None:
    with pytest.raises(oxide.LaunchError) as caught:
        module.empty[1, 2048]()
    assert (caught.value.name, caught.value.code) == ("CUDA_ERROR_INVALID_VALUE", 1)
    assert (caught.value.kernel, caught.value.grid, caught.value.block) == ("empty", (1, 1, 1), (2048, 1, 1))
    assert "at most 1024 threads" in str(caught.value)


def test_what_cannot_be_made_outside_rust_is_refused(module: Any) -> None:
    with pytest.raises(oxide.ArgumentError, match="argument `number`: it cannot be passed from Python: an enum with payloads"):
        module.optional[1, 1](3, np.zeros(1, "u8"))


def test_rows(module: Any) -> None:
    expected = 100 * np.arange(3)[:, None] + np.arange(5)[None, :]
    out = np.zeros((3, 5), "u4")
    module.rows[1, (8, 8)](out)
    assert (out == expected).all()
    flat = np.zeros(15, "u4")
    module.rows[1, (8, 8)]((flat, 5))
    assert (flat.reshape(3, 5) == expected).all()
    with pytest.raises(oxide.ArgumentError, match=r"expected rows\nhint: pass a two-dimensional array, or \(array, width\)"):
        module.rows[1, 1](flat)


def test_elements_that_are_arrays(module: Any) -> None:
    points, sums = np.arange(30, dtype="f4").reshape(10, 3), np.zeros(10, "f4")
    module.points[1, 32](points, sums)
    assert (sums == points.sum(axis=1)).all()
    with pytest.raises(oxide.ArgumentError, match=r"got shape \(15, 2\), expected the last dimensions \(3,\)"):
        module.points[1, 32](points.reshape(15, 2), sums)


def test_dynamic_shared_memory(module: Any) -> None:
    out = np.zeros(64, "u4")
    module.reverse[1, 64, 256](out)
    assert out.tolist() == list(range(64))[::-1]


@pytest.mark.parametrize("more", [{"cluster": 2}, {"cooperative": True}, {"cluster": (2, 1, 1), "cooperative": True}])
def test_clusters_and_cooperative_launches(module: Any, more: dict[str, Any]) -> None:
    x, y = np.arange(100, dtype="f4"), np.ones(100, "f4")
    module.saxpy.launch(100, 2.0, x, y, grid=4, block=32, **more)
    assert (y == 2 * x + 1).all()


def test_a_grid_that_is_not_whole_clusters_is_refused(module: Any) -> None:
    with pytest.raises(oxide.LaunchError, match=r"grid \(3, 1, 1\)"):
        module.empty.launch(grid=3, block=1, cluster=2)


def test_generic_kernels(module: Any) -> None:
    assert module.scale.__doc__ == "fn scale<T, const N: usize>(factor: T, out: DisjointSlice<T>)"
    out = np.full(5, 3.0)
    module.scale["f64", 2][1, 8](2.0, out)
    assert (out == 12).all()
    assert module.scale[np.float64, 2] is module.scale["f64", 2] or module.scale[np.float64, 2].ptx_name == module.scale["f64", 2].ptx_name
    numbers = np.full(5, 3, "i2")
    module.scale[np.int16, 1][1, 8](-2, numbers)
    assert (numbers == -6).all()
    squares = np.full(5, 3.0, "f4")
    module.map["f32", "square"][1, 8](None, squares)
    assert (squares == 9).all()
    for launch in (module.scale, module.scale.launch):
        with pytest.raises(oxide.ArgumentError, match=r'is generic\nhint: .* scale\["f32", 4\]\[grid, block\]'):
            launch(1)


@pytest.mark.parametrize("shape", [(4, 256), (1, 1, 1), ("f32",), 4, ((4, 1), 256), ()])
def test_a_generic_kernel_says_how_an_instance_is_chosen(module: Any, shape: Any) -> None:
    with pytest.raises(oxide.ArgumentError) as caught:
        module.scale[shape]
    assert "kernel `scale` is generic: got [" in str(caught.value)
    assert ', expected [T, const N: usize]\nhint: choose an instance first: scale["f32", 4][grid, block](…)' in str(caught.value)
    with pytest.raises(oxide.ArgumentError, match=r'hint: .* map\["f32", "a_function"\]\[grid, block\]'):
        module.map[1, 8]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Missing", 1), "neither this crate nor one that it names has a type or function `Missing`"),
        (("bool", 1), "it does not meet the kernel's bounds"),
        (("f32", -1), "got `-1`, expected a value of type `usize`"),
        (("f32", "x"), "got `x`, expected a value of type `usize`"),
    ],
)
def test_an_instance_that_cannot_be_made(module: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(oxide.CompileError) as caught:
        module.scale[arguments]
    assert message in caught.value.diagnostics
    assert "kernels.rs:" in caught.value.diagnostics
    assert caught.value.hint is None


@pytest.mark.parametrize(("name", "rust"), [("float32", "f32"), ("uint16", "u16")])
def test_a_type_by_its_name_in_numpy_is_told_rusts(module: Any, name: str, rust: str) -> None:
    with pytest.raises(oxide.CompileError) as caught:
        module.scale[name, 1]
    assert caught.value.hint == f"in Rust it is '{rust}'"


def test_a_fault_is_an_exception_and_the_next_launch_works(module: Any, capfd: pytest.CaptureFixture[str]) -> None:
    x, y = np.ones(32, "f4"), np.ones(32, "f4")
    with pytest.raises(oxide.LaunchError) as caught:
        module.fails[1, 32](x, y)
    assert caught.value.name == "CUDA_ERROR_LAUNCH_FAILED"
    assert caught.value.fault is not None
    assert caught.value.fault in capfd.readouterr().err
    assert "kernels.rs:" in caught.value.fault
    assert "thread (" in str(caught.value)
    module.saxpy[1, 32](32, 1.0, x, y)
    module.synchronize()
    oxide.synchronize()


def test_what_a_kernel_prints(module: Any, capfd: pytest.CaptureFixture[str]) -> None:
    module.prints[1, 1](-7)
    assert capfd.readouterr().out == "number -7\n"


def test_threads_launch_at_once(module: Any) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(20):
                x, y = np.full(512, number, "f4"), np.ones(512, "f4")
                module.saxpy[2, 256](512, 2.0, x, y)
                assert (y == 2 * number + 1).all()
        except BaseException as error:  # shown below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_faults_of_other_threads_are_theirs(module: Any, capfd: pytest.CaptureFixture[str]) -> None:
    other: Any = oxide.load(KERNELS, device="cpu")
    failures: list[BaseException] = []
    ended = threading.Event()

    def fails(number: int) -> None:
        x, y = np.ones(number + 1, "f4"), np.ones(64, "f4")
        for round_ in range(30):
            kernels = (module, other)[round_ % 2]
            with pytest.raises(oxide.LaunchError) as caught:
                kernels.fails[1, 64](x, y)
            assert f"thread ({number}, 0, 0)" in str(caught.value.fault)

    def works(number: int) -> None:
        y, rounds = np.zeros(256, "f4"), 0
        while not ended.is_set():
            kernels = (module, other)[rounds % 2]
            kernels.saxpy[1, 256](256, 1.0, np.full(256, number, "f4"), y)
            rounds += 1
            assert (y == rounds * number).all()

    def watched(work: Any, number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # shown below
            failures.append(error)

    good, bad = (
        [threading.Thread(target=watched, args=(work, number)) for number in numbers]
        for work, numbers in ((works, range(1, 5)), (fails, (3, 40)))
    )
    for thread in good + bad:
        thread.start()
    for thread in bad:
        thread.join()
    ended.set()
    for thread in good:
        thread.join()
    assert not failures
    assert "panicked" in capfd.readouterr().err


def test_a_module_goes_when_nothing_uses_it() -> None:
    module: Any = oxide.load(KERNELS, device="cpu")
    kernel = module.saxpy
    kernel[1, 1](0, 1.0, np.ones(1, "f4"), np.ones(1, "f4"))
    del module
    gc.collect()
    y = np.ones(4, "f4")
    kernel[1, 4](4, 1.0, np.ones(4, "f4"), y)
    assert (y == 2).all()


class Shared:
    """An array of another library, through DLPack."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __dlpack__(self, **asked: Any) -> Any:
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_dlpack(module: Any) -> None:
    x, y = np.arange(10, dtype="f4"), np.ones(10, "f4")
    module.saxpy[1, 32](10, 2.0, Shared(x), Shared(y))
    assert (y == 2 * x + 1).all()
    with pytest.raises(oxide.ArgumentError, match="expected f32"):
        module.saxpy[1, 32](10, 2.0, Shared(x.astype("f8")), y)
    with pytest.raises(oxide.ArgumentError, match="not contiguous"):
        module.saxpy[1, 32](10, 2.0, Shared(np.ones(20, "f4")[::2]), y)
    with pytest.raises(oxide.ArgumentError, match="read-only"):
        module.saxpy[1, 32](10, 2.0, x, Shared(read_only()))


def test_an_array_on_a_gpu_is_refused_by_the_cpu_device(module: Any) -> None:
    class OnGpu:
        """An array that says it is on a GPU."""

        def __dlpack__(self, **_: Any) -> Any:
            raise AssertionError

        def __dlpack_device__(self) -> Any:
            return (2, 0)

    with pytest.raises(oxide.ArgumentError, match="hint: load it with device='cuda'"):
        module.saxpy[1, 32](10, 2.0, OnGpu(), np.ones(10, "f4"))


def test_memory_that_does_not_stay_is_refused(module: Any) -> None:
    class Made:
        def __init__(self, data: object) -> None:
            self.__array_interface__ = {"shape": (4,), "typestr": "<f4", "data": data, "version": 3}

    x, y = np.full(4, 7, "f4"), np.zeros(4, "f4")
    kept = Made((x.ctypes.data, True))
    module.saxpy[1, 4](4, 1.0, kept, y)
    assert (y == 7).all()
    for gone in (Made(x.tobytes()), np.float32(7)):
        with pytest.raises(oxide.ArgumentError, match="which is no memory that stays, expected an array"):
            module.saxpy[1, 4](4, 1.0, gone, y)
