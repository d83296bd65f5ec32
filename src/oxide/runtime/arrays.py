"""Arrays of other libraries, as an address and a number of elements, without a copy.

    expected = Expected(slice_of_f32, cuda=False)
    expected.view(array)                # (address, elements, where)

`where` is None for memory of the host; else the CUDA device's number, and what the stream is that its library works on. NumPy, CuPy and
PyTorch are read by their own attributes, since each launch reads its arrays; all else by `__cuda_array_interface__` (version 3) or DLPack.
What cannot be passed raises `Unfit` with the reason.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from oxide.ir import signature as sig
from oxide.runtime.layout import BFLOAT, describe, flatten, matches, scalar_code
from oxide.runtime.values import Unfit

if TYPE_CHECKING:
    from collections.abc import Sequence

Where: TypeAlias = "tuple[int, Callable[[int], int] | None, int | None]"
"""A CUDA device, what tells the current stream of the array's library there, and the stream that the array carries with it, which a launch
on another one must wait for. A library's arrays on one device have the very same tuple, so that a launch asks once."""

View: TypeAlias = "tuple[int, int, Where | None]"
Reader: TypeAlias = Callable[[Any], View]

LEGACY_STREAM = 1
"""`CU_STREAM_LEGACY`, the default stream's name of its own."""


class Readers(dict[type, Reader]):
    """What reads arrays, by their types: `readers[type(array)](array)`."""

    def __init__(self, expected: Expected) -> None:
        super().__init__()
        self.expected = expected

    def __missing__(self, kind: type) -> Reader:
        """Return what finds out how arrays of a type are read."""

        def read(array: Any) -> View:
            reader = self[kind] = choose_reader(self.expected, array)
            return reader(array)

        return read


class Expected:
    """What an array argument must be: elements of a type, on the host or on a GPU, writable where the kernel may write."""

    def __init__(self, element: sig.Type | None, *, mutable: bool, cuda: bool, counted: bool = True) -> None:
        self.element = element
        self.mutable = mutable
        self.cuda = cuda
        self.counted = counted
        """Whether the number of elements is asked for."""
        self.base: sig.Type | None = None
        self.inner: tuple[int, ...] = ()
        if element is not None:
            self.base, self.inner = flatten(element)
        self.size, self.align = sig.size_and_align(element) if element is not None else (0, 1)
        self.base_size = sig.size_and_align(self.base)[0] if self.base is not None else 0
        self.parts = math.prod(self.inner)
        self.code = None if self.base is None else scalar_code(self.base)
        self.known: set[Any] = set()
        """The dtypes of libraries that were found to be right."""
        self.dtype: Any = None
        """The last of them, of any library: most often the next one is the very same object."""
        self.readers = Readers(self)

    def view(self, array: Any) -> View:
        """Return where an array lies; raise `Unfit` where it is not what is expected."""
        return self.readers[type(array)](array)

    @property
    def plain(self) -> bool:
        """Whether an element is one number on a GPU: what is read with the fewest steps."""
        return self.cuda and self.parts == 1 and not self.inner

    def place(self, address: int, count: int, where: Where | None) -> View:
        """Check an address, and return it with the number of elements; of `count` numbers, several may be one element."""
        if (where is not None) != self.cuda:
            raise Unfit(ON_CUDA if self.cuda else ON_CPU.format(f"CUDA device {where[0]}" if where else "the host"))
        if count == 0:
            # Rust's slices have an address, also those without elements.
            return address or self.align, 0, where
        if address % self.align:
            raise Unfit(f"got address {address:#x}, expected one that is aligned to {self.align}")
        return address, count // self.parts, where

    def check_inner(self, shape: Sequence[int]) -> None:
        """Check that the last dimensions are those of an element that is an array itself."""
        if tuple(shape[len(shape) - len(self.inner) :]) != self.inner:
            raise Unfit(f"got shape {tuple(shape)}, expected the last dimensions {self.inner}")

    def check_code(self, code: str, dtype: object) -> None:
        """Check the kind and size of a library's numbers."""
        if self.base is not None and code != self.code:
            raise Unfit(f"got dtype {dtype}, expected {describe(self.base)}")

    def check_numpy(self, dtype: Any) -> None:
        """Check a NumPy dtype."""
        if dtype not in self.known and self.base is not None and (why := matches(dtype, self.base)) is not None:
            raise Unfit(why)
        self.remember(dtype)

    def remember(self, dtype: Any) -> None:
        """Remember that a dtype is right."""
        self.known.add(dtype)
        self.dtype = dtype


ON_CUDA = (
    "got an array in memory of the host, expected one on a GPU\nhint: `oxide.to_device(array)` copies it there, or use CuPy or PyTorch"
)
ON_CPU = "got an array on {}, expected one in memory of the host: the module is loaded on the CPU device\nhint: load it with device='cuda'"
NOT_CONTIGUOUS = "got an array that is not contiguous, expected one whose elements are contiguous in memory\nhint: {} makes a copy that is"
COPY_BACK = ": launch with that copy, and copy the result back, `array[...] = copy`"
"""What is to be done besides with an array that the kernel writes, whose copy would keep the result."""
READ_ONLY = "got a read-only array, and the kernel writes to it"
MASKED = "got an array with a mask, which the kernel would not see, expected one without\nhint: pass array.filled(value), or array.data"


def not_contiguous(expected: Expected, copy: str) -> Unfit:
    """Return the error for an array whose elements do not lie one after another; `copy` makes one of it where they do."""
    return Unfit(NOT_CONTIGUOUS.format(copy) + (COPY_BACK if expected.mutable else ""))


def choose_reader(expected: Expected, array: Any) -> Reader:
    """Return what reads arrays of a type."""
    library = type(array).__module__.partition(".")[0]
    if any(kind.__name__ == "MaskedArray" and kind.__module__.startswith("numpy.ma") for kind in type(array).__mro__):
        raise Unfit(MASKED)
    match library:
        case "numpy" if hasattr(array, "ctypes"):
            return functools.partial(read_numpy, expected)
        case "cupy" if hasattr(array, "data"):
            return cupy_reader(expected) if expected.plain and hasattr(array, "_c_contiguous") else functools.partial(read_cupy, expected)
        case "torch" if hasattr(array, "data_ptr"):
            return torch_reader(expected) if expected.plain else functools.partial(read_torch, expected)
        case "jax" | "jaxlib":
            return functools.partial(read_dlpack, expected)
        case "oxide" if hasattr(array, "to_host"):
            return functools.partial(read_own, expected)
    if hasattr(array, "__cuda_array_interface__"):
        return functools.partial(read_cuda_interface, expected)
    if hasattr(array, "__array_interface__"):
        return functools.partial(read_interface, expected)
    if hasattr(array, "__dlpack__"):
        return functools.partial(read_dlpack, expected)
    raise Unfit(f"got {type(array).__name__}, expected an array\nhint: NumPy, CuPy, PyTorch and JAX have some")


def read_numpy(expected: Expected, array: Any) -> View:
    """Read a `numpy.ndarray`."""
    if expected.cuda:
        raise Unfit(ON_CUDA)
    dtype, flags = array.dtype, array.flags
    if dtype is not expected.dtype:
        expected.check_numpy(dtype)
    if not flags.c_contiguous:
        raise not_contiguous(expected, "numpy.ascontiguousarray(array)")
    if expected.mutable and not flags.writeable:
        raise Unfit(READ_ONLY)
    if expected.inner:
        expected.check_inner(array.shape)
    return expected.place(host_address(array, flags.writeable), array.size, None)


def host_address(array: Any, writeable: bool) -> int:
    """Return the address of a NumPy array that lies in one piece.

    Its buffer takes a third of the time that its interface does; ctypes takes none that cannot be written to, is empty, or holds dates.
    """
    if writeable:
        try:
            return ctypes.addressof(ctypes.c_char.from_buffer(array))
        except ValueError:
            pass
    address: int = array.__array_interface__["data"][0]
    return address


def read_interface(expected: Expected, array: Any) -> View:
    """Read what has `__array_interface__` (NumPy, "The array interface protocol") and says where its own memory is."""
    import numpy

    if array.__array_interface__.get("mask") is not None:
        raise Unfit(MASKED)
    if isinstance(array, numpy.generic) or not isinstance(array.__array_interface__.get("data"), tuple):
        # What NumPy makes of it is gone before the launch.
        raise Unfit(f"got {type(array).__name__}, which is no memory that stays, expected an array\nhint: pass numpy.atleast_1d(value)")
    return read_numpy(expected, numpy.asarray(array))


def read_cupy(expected: Expected, array: Any) -> View:
    """Read a `cupy.ndarray`, on CuPy's current stream."""
    expected.check_numpy(array.dtype)
    if not array.flags.c_contiguous:
        raise not_contiguous(expected, "cupy.ascontiguousarray(array)")
    if expected.inner:
        expected.check_inner(array.shape)
    memory = array.data
    return expected.place(memory.ptr, array.size, CUPY[memory.device_id])


def cupy_reader(expected: Expected) -> Reader:
    """Return a reader of CuPy's arrays that looks at each attribute once, and leaves what is unusual to `read_cupy`."""
    mask, counted, only = expected.align - 1, expected.counted, only_place(CUPY)

    def read(array: Any) -> View:
        memory = array.data
        address, count = memory.ptr, array.size if counted else 1
        # `array.flags` makes an object, which takes longer than all else here.
        if array.dtype is not expected.dtype or address & mask or not address or not count or not array._c_contiguous:  # noqa: SLF001
            return read_cupy(expected, array)
        return address, count, only or CUPY[memory.device_id]

    return read


def torch_reader(expected: Expected) -> Reader:
    """Return a reader of PyTorch's tensors that looks at each attribute once, and leaves what is unusual to `read_torch`."""
    mask, counted, only = expected.align - 1, expected.counted, only_place(TORCH)

    def read(tensor: Any) -> View:
        try:
            address, count = tensor.data_ptr(), tensor.numel() if counted else 1
        except RuntimeError:  # it has no memory of its own: a sparse one
            return read_torch(expected, tensor)
        if (
            tensor.dtype is not expected.dtype
            or address & mask
            or not address
            or not count
            or not tensor.is_cuda
            or not tensor.is_contiguous()
        ):
            return read_torch(expected, tensor)
        if tensor.requires_grad or tensor.is_neg():
            return read_torch(expected, tensor)
        return address, count, only or TORCH[tensor.get_device()]

    return read


def cupy_stream() -> Callable[[int], int]:
    """Return what tells CuPy's current stream on a device."""
    get = sys.modules["cupy"].cuda.get_current_stream

    def current(device: int) -> int:
        stream: int = get(device).ptr
        return stream

    return current


def torch_stream() -> Callable[[int], int]:
    """Return what tells PyTorch's current stream on a device."""
    torch = sys.modules["torch"]
    # What `torch.compile` asks at each launch; the public way makes an object, which takes longer than the launch.
    if (raw := getattr(torch._C, "_cuda_getCurrentRawStream", None)) is not None:  # noqa: SLF001
        return raw  # type: ignore[no-any-return]
    return lambda device: int(torch.cuda.current_stream(device).cuda_stream)


class Places(dict[int, "Where"]):
    """Where a library's arrays are, by the numbers of their devices."""

    def __init__(self, stream: Callable[[], Callable[[int], int]]) -> None:
        super().__init__()
        self.stream = stream

    def __missing__(self, device: int) -> Where:
        return self.setdefault(device, (device, self.stream(), None))


CUPY, TORCH = Places(cupy_stream), Places(torch_stream)


def only_place(places: Places) -> Where | None:
    """Return where all arrays of a library are if there is but one GPU."""
    from oxide.runtime.cuda import device

    return places[0] if device().count == 1 else None


TORCH_CODES = {
    "bool": "b1", "uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
    "float16": "f2", "float32": "f4", "float64": "f8", "bfloat16": BFLOAT,
}  # fmt: skip


def read_torch(expected: Expected, tensor: Any) -> View:
    """Read a `torch.Tensor`, of a GPU on PyTorch's current stream."""
    torch = sys.modules["torch"]
    dtype = tensor.dtype
    if tensor.layout is not torch.strided:
        raise Unfit(f"got a tensor of layout {tensor.layout}, expected a dense one")
    if dtype not in expected.known:
        if isinstance(expected.base, sig.Record | sig.Int) and expected.code is None:
            raise Unfit(f"PyTorch has no dtype for {describe(expected.base)}\nhint: pass an array of a library with structured dtypes")
        expected.check_code(TORCH_CODES.get(str(dtype).removeprefix("torch."), ""), dtype)
    expected.remember(dtype)
    if tensor.requires_grad and torch.is_grad_enabled():
        raise Unfit("got a tensor that requires a gradient, which the kernel would not be part of\nhint: pass tensor.detach()")
    if not tensor.is_contiguous():
        raise not_contiguous(expected, "tensor.contiguous()")
    if tensor.is_neg() or tensor.is_conj():
        raise Unfit("got a tensor whose values are not in its memory\nhint: tensor.resolve_conj().resolve_neg() has them there")
    if expected.inner:
        expected.check_inner(tensor.shape)
    if tensor.is_cuda:
        return expected.place(tensor.data_ptr(), tensor.numel(), TORCH[tensor.get_device()])
    if not tensor.is_cpu:
        raise Unfit(f"got a tensor on {tensor.device}, expected one on a GPU of NVIDIA's or on the CPU")
    return expected.place(tensor.data_ptr(), tensor.numel(), None)


def read_own(expected: Expected, array: Any) -> View:
    """Read what `oxide.to_device` made."""
    expected.check_numpy(array.dtype)
    if expected.inner:
        expected.check_inner(array.shape)
    return expected.place(array.address, math.prod(array.shape), (array.device, None, None))


def read_cuda_interface(expected: Expected, array: Any) -> View:
    """Read what has `__cuda_array_interface__` (Numba, "CUDA Array Interface", version 3)."""
    interface = array.__cuda_array_interface__
    (address, read_only), shape = interface["data"], interface["shape"]
    if interface.get("mask") is not None:
        raise Unfit(MASKED)
    size = check_typestr(expected, interface)
    if expected.mutable and read_only:
        raise Unfit(READ_ONLY)
    strides = interface.get("strides")
    if strides is not None and not is_contiguous(shape, strides, size):
        raise not_contiguous(expected, "the array's library")
    if expected.inner:
        expected.check_inner(shape)
    stream = interface.get("stream")
    if stream == 0:
        raise Unfit("the array's library gives stream 0, which the CUDA array interface forbids")
    # 1 is the legacy default stream's other name.
    return expected.place(address or 0, math.prod(shape), (device_of(address), None, 0 if stream == LEGACY_STREAM else stream))


def check_typestr(expected: Expected, interface: Any) -> int:
    """Check the type of an array interface, and return the bytes of an element."""
    text, description = interface["typestr"], interface.get("descr")
    if text[0] == ">":
        raise Unfit(f"got dtype {text}, which is big-endian")
    if text[1] == "V" and isinstance(expected.base, sig.Record | sig.Int) and expected.code is None:
        import numpy

        structured = isinstance(expected.base, sig.Record) and description and description != [("", text)]
        expected.check_numpy(numpy.dtype(description if structured else text))
    else:
        expected.check_code(text[1:], text)
    return int(text[2:])


def is_contiguous(shape: Sequence[int], strides: Sequence[int], size: int) -> bool:
    """Return whether elements of `size` bytes lie one after another, the last dimension fastest."""
    if 0 in shape:
        return True
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != size:
            return False
        size *= extent
    return True


def device_of(address: int) -> int:
    """Return the CUDA device that an address belongs to."""
    from oxide.runtime.cuda import driver, succeeded

    if not address:
        return int(succeeded("cuCtxGetDevice", driver().cuCtxGetDevice()))
    attribute = driver().CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    return int(succeeded("cuPointerGetAttribute", driver().cuPointerGetAttribute(attribute, address)))


class DLDevice(ctypes.Structure):
    """DLPack's device."""

    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


class DLTensor(ctypes.Structure):
    """DLPack's view of memory (DLPack, "C API")."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


class DLVersioned(ctypes.Structure):
    """A `DLManagedTensorVersioned`, as far as it is read."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


DL_CODES = {0: "i", 1: "u", 2: "f", 4: "bf", 6: "b"}
DL_CPU, DL_CUDA, DL_CUDA_HOST, DL_CUDA_MANAGED = 1, 2, 3, 13
DL_READ_ONLY = 1

capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype = ctypes.c_void_p
capsule_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
capsule_is = ctypes.pythonapi.PyCapsule_IsValid
capsule_is.restype = ctypes.c_int
capsule_is.argtypes = (ctypes.py_object, ctypes.c_char_p)


def read_dlpack(expected: Expected, array: Any) -> View:
    """Read what has `__dlpack__`. The memory stays the array's, since the capsule is not consumed.

    On a GPU the array's library is asked to be ready on the legacy default stream, where the launch goes unless it is told otherwise.
    """
    kind, number = array.__dlpack_device__()
    if (int(kind) == DL_CPU) == expected.cuda:
        raise Unfit(ON_CUDA if expected.cuda else ON_CPU.format(f"device {number} of kind {int(kind)}"))
    asked: dict[str, Any] = {"stream": LEGACY_STREAM} if int(kind) == DL_CUDA else {}
    try:
        capsule = array.__dlpack__(max_version=(1, 0), **asked)
    except TypeError:
        capsule = array.__dlpack__(**asked)
    except (BufferError, RuntimeError, ValueError) as error:
        raise Unfit(f"the array's library does not share it: {error}") from None
    # JAX's arrays never change, whatever their capsules say.
    read_only = type(array).__module__.partition(".")[0] in {"jax", "jaxlib"}
    if capsule_is(capsule, b"dltensor_versioned"):
        versioned = DLVersioned.from_address(capsule_pointer(capsule, b"dltensor_versioned"))
        read_only, tensor = read_only or bool(versioned.flags & DL_READ_ONLY), versioned.tensor
    else:
        tensor = DLTensor.from_address(capsule_pointer(capsule, b"dltensor"))
    shape = tensor.shape[: tensor.ndim]
    code = f"{DL_CODES.get(tensor.code, '?')}{tensor.bits // 8}"
    expected.check_code(code if tensor.lanes == 1 else f"{code}x{tensor.lanes}", f"{code} in DLPack")
    if tensor.strides and not is_contiguous(shape, tensor.strides[: tensor.ndim], 1):
        raise not_contiguous(expected, "the array's library")
    if expected.mutable and read_only:
        raise Unfit(READ_ONLY + ("\nhint: JAX's arrays cannot be changed: write to one of NumPy's" if int(kind) == DL_CPU else ""))
    if expected.inner:
        expected.check_inner(shape)
    where = None if int(kind) == DL_CPU else (number, None, 0)
    return expected.place((tensor.data or 0) + tensor.offset, math.prod(shape), where)
