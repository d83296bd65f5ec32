"""What `load` returns: kernels by their names.

module.saxpy[grid, block](n, 2.0, x, y)
module.scale["f32", 4][grid, block](a, y)       # an instance of a generic kernel, compiled when it is first asked for
module.synchronize()
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from oxide.errors import did_you_mean
from oxide.runtime.errors import ArgumentError, CompileError
from oxide.runtime.kernel import Kernel
from oxide.runtime.loaded import Device, Loaded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oxide.ir.signature import Generic, GenericParam, Signature

Contents: TypeAlias = "Iterable[tuple[bytes, Sequence[Signature]]]"
"""PTX texts, each with the signatures of its kernels."""

Instantiate: TypeAlias = Callable[[str, tuple[str, ...]], "Contents"]


class Module:
    """The kernels of a program, on a device: `name` is what it was loaded from, `device` is `cuda` or `cpu`.

    A kernel is an attribute, and an item of `kernels`, where also one is that is named like one of the module's own attributes.
    """

    def __init__(
        self, name: str, device: Device, contents: Contents, generics: Iterable[Generic] = (), make: Instantiate | None = None
    ) -> None:
        self.name = name
        self._device = device
        self._kernels: dict[str, Kernel | GenericKernel] = {}
        for generic in generics:
            self._kernels[generic.name] = GenericKernel(self, generic.name, generic, make)
        self._add(contents)

    @property
    def device(self) -> str:
        """Where launches run: `cuda` or `cpu`."""
        return str(self._device.name)

    @property
    def kernels(self) -> dict[str, Kernel | GenericKernel]:
        """All kernels by their names."""
        return dict(self._kernels)

    def _add(self, contents: Contents) -> list[Kernel]:
        """Add the kernels of PTX texts, and return them; instances of generic kernels go to those."""
        added = []
        for ptx, signatures in contents:
            loaded = Loaded(self._device, ptx)
            for signature in signatures:
                kernel = Kernel(loaded, signature)
                added.append(kernel)
                if not signature.args:
                    self._kernels[kernel.__name__] = kernel
                    if not hasattr(Module, kernel.__name__):
                        # Found at once, without __getattr__.
                        self.__dict__[kernel.__name__] = kernel
                    continue
                generic = self._kernels.setdefault(kernel.__name__, GenericKernel(self, kernel.__name__, None, None))
                if isinstance(generic, GenericKernel):
                    generic.instances[signature.args] = kernel
        return added

    def synchronize(self) -> None:
        """Wait for all launches; raise `CudaError` where a kernel has failed. On the CPU device they are done already."""
        if self.device == "cuda":
            self._device.synchronize()

    def __getattr__(self, name: str) -> Any:
        """Return a kernel."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._kernels:
            return self._kernels[name]
        raise AttributeError(
            f"{self!r} has no kernel '{name}'\nhint: {did_you_mean(name, self.__dict__.get('_kernels', ())) or 'it has none'}"
        )

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied."""
        raise TypeError(f"{self!r} is one of this process\nhint: call oxide.load in each process, which finds it compiled")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._kernels})

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __repr__(self) -> str:
        return f"<oxide module {self.name} on {self.device}>"


class GenericKernel:
    """A kernel that is generic over types or constants: `kernel["f32", 4]` is one of its instances."""

    def __init__(self, module: Module, name: str, generic: Generic | None, make: Instantiate | None) -> None:
        self.module = module
        self.generic = generic
        self.make = make
        self.before_compiling: Callable[[], None] = lambda: None
        """Puts sources where they are looked for, if they need not be there any more."""
        self.instances: dict[tuple[str, ...], Kernel] = {}
        self.lock = threading.Lock()
        self.__name__ = name
        self.__doc__ = name if generic is None else generic.text()

    def __getitem__(self, arguments: Any) -> Kernel:
        """Return the instance for generic arguments: types as Rust spells them or NumPy dtypes, constants as Python values."""
        given = arguments if isinstance(arguments, tuple) else (arguments,)
        if self.generic is not None:
            self.check(self.generic, given)
        args = tuple(map(spell, given))
        with self.lock:
            if args not in self.instances:
                if self.make is None or self.generic is None:
                    known = ", ".join(f"[{', '.join(each)}]" for each in self.instances)
                    raise ArgumentError(f"got [{', '.join(args)}], expected one of the instances in the PTX: {known}")
                self.before_compiling()
                try:
                    for kernel in self.module._add(self.make(self.generic.path, args)):  # noqa: SLF001
                        # Rust may spell the arguments otherwise: with a path, or a number in another base.
                        self.instances[args] = kernel
                except CompileError as error:
                    missing = [arg for arg in args if RUST_NAMES.get(arg, arg) != arg and f"type or function `{arg}`" in error.diagnostics]
                    if not missing:
                        raise
                    hint = "in Rust it is " + ", ".join(f"'{RUST_NAMES[arg]}'" for arg in missing)
                    raise CompileError(error.diagnostics, hint=hint) from None
            return self.instances[args]

    def check(self, generic: Generic, given: tuple[Any, ...]) -> None:
        """Raise `ArgumentError` for too many generic arguments or too few, and for a number where a type belongs: the shape of a launch."""
        params = generic.generics
        if len(given) == len(params) and not any(
            param.ty is None and isinstance(argument, int | tuple | list) for param, argument in zip(params, given, strict=True)
        ):
            return
        got = ", ".join(map(repr, given))
        raise ArgumentError(f"kernel `{self.__name__}` is generic: got [{got}], expected [{generic.arguments()}]", hint=self.hint())

    def hint(self) -> str:
        """Return how an instance is chosen, and launched."""
        known = next(iter(self.instances), ()) if self.generic is None else map(example_of, self.generic.generics)
        example = ", ".join(known)
        return f"choose an instance first: {self.__name__}[{example}][grid, block](…)"

    def __call__(self, *_args: Any, **_named: Any) -> None:
        """Refuse to launch what has no types yet."""
        raise ArgumentError(f"{self!r} is generic", hint=self.hint())

    launch = __call__

    def __repr__(self) -> str:
        return f"<generic kernel {self.__doc__}>"


def example_of(param: GenericParam) -> str:
    """Return what could be written for a generic parameter, by its type, or by what parameters of its name are for."""
    if param.ty is not None:
        return {"bool": "True", "char": "\"'a'\""}.get(param.ty, "4")
    return '"a_function"' if param.name == "F" else '"f32"'


RUST_NAMES = {
    "bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "half::bf16",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
}  # fmt: skip
"""Rust's names of types, by those of NumPy and PyTorch."""


def spell(argument: Any) -> str:
    """Return a generic argument as Rust spells it. Raises `ArgumentError`."""
    if type(argument).__module__ == "numpy" and not isinstance(argument, type) and hasattr(argument, "item"):
        argument = argument.item() if getattr(argument, "shape", None) == () else argument  # a number, as Python has it
    if isinstance(argument, bool):
        return "true" if argument else "false"
    if isinstance(argument, str):
        return argument.strip()
    if isinstance(argument, int):
        return str(argument)
    if type(argument).__module__ == "torch" and (name := str(argument).removeprefix("torch.")) in RUST_NAMES:
        return RUST_NAMES[name]
    try:
        import numpy

        dtype = numpy.dtype(argument)
    except (ImportError, TypeError):
        dtype = None
    # NumPy's own reading of None is float64.
    if argument is None or dtype is None or not dtype.isnative or dtype.name not in RUST_NAMES:
        raise ArgumentError(f"got {argument!r}, expected a type as Rust spells it, a NumPy dtype, or a constant")
    return RUST_NAMES[dtype.name]
