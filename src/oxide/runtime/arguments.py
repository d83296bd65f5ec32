"""How a kernel's arguments become what the driver takes: one buffer, and the address of each parameter in it.

    plan = Plan(signature, cuda=False)
    plan.steps, plan.values             # statements that convert arguments, and what is packed then

The layout is worked out once a kernel. What is passed as it is goes through `struct`'s own checks; only where those fail is each argument
looked at for what to say.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import struct
from typing import TYPE_CHECKING, Any

from oxide.ir import signature as sig
from oxide.runtime.arrays import Expected
from oxide.runtime.errors import ArgumentError
from oxide.runtime.layout import describe
from oxide.runtime.values import INTEGERS, Unfit, bfloat, character, encode, truth, variant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oxide.runtime.arrays import Where

UNFIT = (Unfit, struct.error, OverflowError, TypeError)
"""What an argument that does not fit is met with before it is explained."""

FLOATS = {16: "e", 32: "f", 64: "d"}


class Frame:
    """The memory of one launch's arguments."""

    def __init__(self, plan: Plan) -> None:
        size = plan.struct.size
        self.memory = (ctypes.c_char * (size + 16))()
        start = ctypes.addressof(self.memory)
        self.start = -start % 16
        addresses = [start + self.start + offset for offset in plan.offsets]
        self.table = ctypes.byref((ctypes.c_void_p * max(1, len(addresses)))(*addresses))
        """What cuLaunchKernelEx's `kernelParams` is."""


class Plan:
    """How the arguments of one kernel are converted and packed, for memory on a GPU (`cuda`) or of the host.

    Argument 2 is `a2` in `steps` and `values`, what it becomes has names such as `v2`, and what converts it is `c2`, in `names`. Of an
    array `w2`, in `places`, is where it is.
    """

    def __init__(self, signature: sig.Signature, *, cuda: bool) -> None:
        self.signature = signature
        self.cuda = cuda
        self.steps: list[str] = []
        self.values: list[str] = []
        self.places: list[str] = []
        self.names: dict[str, Any] = {}
        self.checks: list[Callable[[Any], object]] = []
        """One for each parameter: raises `Unfit`."""
        self.offsets: list[int] = []
        self.form = "<"
        self.end = 0
        for number, param in enumerate(signature.params):
            self.add(number, param.type)
        self.struct = struct.Struct(self.form)

    def add(self, number: int, kind: sig.Type) -> None:
        """Add a parameter's place in the buffer, and what makes its values."""
        match kind:
            case sig.Int(bits, signed) if bits <= 64:
                self.reserve(INTEGERS[bits, signed], bits // 8)
                self.as_it_is(number, kind)
            case sig.Float(bits):
                self.reserve(FLOATS[bits], bits // 8)
                self.as_it_is(number, kind)
            case sig.Bfloat():
                self.reserve("H", 2)
                self.converted(number, bfloat)
            case sig.Bool():
                self.reserve("?", 1)
                self.converted(number, truth)
            case sig.Char():
                self.reserve("I", 4)
                self.converted(number, character)
            case sig.Enum(tag=tag):
                self.reserve(INTEGERS[tag.bits, tag.signed], tag.bits // 8)
                self.converted(number, lambda value: variant(value, kind))
            case sig.Pointer(mutable, element):
                self.reserve("Q", 8)
                expected = Expected(element, mutable=mutable, cuda=self.cuda, counted=False)
                expected.readers[int] = expected.readers[type(None)] = null_or_address
                self.array(number, expected, f"v{number}, _")
            case sig.Slice(element, mutable, width):
                expected = Expected(element, mutable=mutable, cuda=self.cuda)
                self.reserve("Q", 8)
                self.reserve("Q", 8)
                if width:
                    self.reserve("I", 4)
                    self.rows(number, expected)
                else:
                    self.array(number, expected, f"v{number}, n{number}")
            case sig.Nothing():
                self.checks.append(lambda _: None)
            case sig.Opaque(size=size, why=why):
                self.reserve(f"{size}x", 1)
                self.refuse(number, why)
            case _:
                size, align = sig.size_and_align(kind)
                self.reserve(f"{size}s", align)
                self.converted(number, functools.partial(encode, kind))

    def reserve(self, code: str, align: int) -> None:
        """Put a value of `struct`'s next."""
        padding = -self.end % align
        self.offsets.append(self.end + padding)
        self.form += f"{padding}x{code}" if padding else code
        self.end += padding + struct.calcsize(f"<{code}")

    def as_it_is(self, number: int, kind: sig.Type) -> None:
        """Pack an argument itself."""
        self.values.append(f"a{number}")
        self.checks.append(functools.partial(encode, kind))

    def converted(self, number: int, convert: Callable[[Any], object]) -> None:
        """Pack what a function makes of an argument."""
        self.steps.append(f"v{number} = c{number}(a{number})")
        self.values.append(f"v{number}")
        self.names[f"c{number}"] = convert
        self.checks.append(convert)

    def array(self, number: int, expected: Expected, names: str) -> None:
        """Pack the address of an array, and its length where that has a name."""
        self.steps.append(f"{names}, w{number} = c{number}[type(a{number})](a{number})")
        self.values += [name for name in names.split(", ") if name != "_"]
        self.places.append(f"w{number}")
        self.names[f"c{number}"] = expected.readers
        self.checks.append(expected.view)

    def rows(self, number: int, expected: Expected) -> None:
        """Pack the address of a slice in rows, its length, and its width."""
        read = functools.partial(read_rows, expected)
        self.steps.append(f"v{number}, n{number}, m{number}, w{number} = c{number}(a{number})")
        self.values += [f"v{number}", f"n{number}", f"m{number}"]
        self.places.append(f"w{number}")
        self.names[f"c{number}"] = read
        self.checks.append(read)

    def refuse(self, number: int, why: str) -> None:
        """Refuse what can be made in Rust only."""

        def refuse(_value: object) -> None:
            raise Unfit(f"it cannot be passed from Python: {why}")

        self.steps.append(f"c{number}(a{number})")
        self.names[f"c{number}"] = refuse
        self.checks.append(refuse)

    def miscounted(self, args: tuple[Any, ...]) -> ArgumentError:
        """Return the error for too few arguments, or too many."""
        return self.refused(f"got {len(args)} arguments, expected {len(self.checks)}", hint=self.signature.text())

    def explain(self, args: tuple[Any, ...], error: Exception) -> Exception:
        """Return the error for the first argument that does not fit."""
        for param, check, argument in zip(self.signature.params, self.checks, args, strict=True):
            try:
                check(argument)
            except Unfit as reason:
                message, _, hint = str(reason).partition("\nhint: ")
                return self.refused(f"argument `{param.name}`: {message}", hint=hint or None)
        return error

    def refused(self, message: str, hint: str | None = None) -> ArgumentError:
        """Return the error for this kernel."""
        return ArgumentError(f"kernel `{self.signature.base or self.signature.name}`: {message}", hint=hint)


def null_or_address(value: int | None) -> tuple[int, int, None]:
    """Return an address that is given as a number; None is the null pointer."""
    if value and not 0 < value < 1 << 64:
        raise Unfit(f"got address {value}, expected one from 0 to 2⁶⁴ - 1")
    return value or 0, 0, None


def read_rows(expected: Expected, value: Any) -> tuple[int, int, int, Where | None]:
    """Read a two-dimensional array, or a pair of an array and the width of its rows."""
    array, width = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
    address, count, place = expected.view(array)
    if width is None:
        shape = array.shape[: len(array.shape) - len(expected.inner)]
        if len(shape) != 2:
            raise Unfit(f"got an array of shape {tuple(array.shape)}, expected rows\nhint: pass a two-dimensional array, or (array, width)")
        width = int(shape[1])
    return address, count, width, place


def python_signature(signature: sig.Signature) -> inspect.Signature:
    """Return a kernel's signature as `inspect` has it, with Rust's types as annotations."""
    kind = inspect.Parameter.POSITIONAL_ONLY
    return inspect.Signature([inspect.Parameter(param.name, kind, annotation=param.rust) for param in signature.params])


def documentation(signature: sig.Signature) -> str:
    """Return a kernel's docstring: its Rust signature, and what to pass for each parameter."""
    lines = [f"{param.name}: {passed_as(param.type)}" for param in signature.params]
    return "\n".join([signature.text(), *(["", *lines] if lines else [])])


def passed_as(kind: sig.Type) -> str:
    """Return what to pass for a parameter."""
    match kind:
        case sig.Slice(element, mutable, width):
            rows = ", two-dimensional, or a pair with the width of its rows" if width else ""
            return f"an array of {describe(element)}{rows}{', written' if mutable else ''}"
        case sig.Pointer(mutable, element):
            of = "" if element is None else f" of {describe(element)}"
            return f"an array{of}, or an address{', written' if mutable else ''}"
        case _:
            return describe(kind)


def bind(signature: sig.Signature, args: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return all arguments in order, those given by name too. Raises `ArgumentError` for names that the kernel does not have."""
    if not named:
        return args
    names = [param.name for param in signature.params][len(args) :]
    if set(names) != set(named):
        wanted = ", ".join(names) or "none"
        raise ArgumentError(
            f"kernel `{signature.name}`: got arguments by name {', '.join(named)}, expected {wanted}", hint=signature.text()
        )
    return (*args, *(named[name] for name in names))
