"""The arguments of a launch, packed as the driver takes them: one buffer, and the address of each parameter in it.

    plan = Plan(signature, cuda=False)
    where = plan.pack((n, 2.0, x, y), packed := plan.packed())
    packed.table                        # what cuLaunchKernel's `kernelParams` is

The layout is worked out once a kernel; a launch converts its arguments and writes them with one `struct.pack_into`. What is passed as it is
goes through `struct`'s own checks; only where those fail is each argument looked at for what to say.
"""

from __future__ import annotations

import ctypes
import inspect
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from oxide import signature as sig
from oxide.runtime.arrays import Expected
from oxide.runtime.errors import ArgumentError
from oxide.runtime.layout import describe
from oxide.runtime.values import INTEGERS, Unfit, character, encode, truth, variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oxide.runtime.arrays import Where

Slot: TypeAlias = Callable[[Any, "list[Any]", "list[Where]"], None]
"""Appends what one argument becomes, and where its memory is if on a GPU."""

FLOATS = {16: "e", 32: "f", 64: "d"}


class Packed:
    """The memory of one thread's arguments."""

    def __init__(self, size: int, offsets: Iterable[int]) -> None:
        self.buffer = bytearray(size + 16)
        self.memory = (ctypes.c_char * len(self.buffer)).from_buffer(self.buffer)
        start = ctypes.addressof(self.memory)
        self.shift = -start % 16
        addresses = [start + self.shift + offset for offset in offsets]
        self.addresses = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)
        self.table = ctypes.addressof(self.addresses)


class Plan:
    """How the arguments of one kernel are packed, for memory on a GPU (`cuda`) or of the host."""

    def __init__(self, signature: sig.Signature, *, cuda: bool) -> None:
        self.signature = signature
        self.cuda = cuda
        self.slots: list[Slot | None] = []
        """One for each parameter; None where the argument is written as it is."""
        self.offsets: list[int] = []
        self.form = "<"
        self.end = 0
        for param in signature.params:
            self.add(param)
        self.struct = struct.Struct(self.form)
        self.count = len(signature.params)

    def add(self, param: sig.Param) -> None:
        """Add a parameter's slot, and its place in the buffer."""
        kind = param.type
        match kind:
            case sig.Int(bits, signed) if bits <= 64:
                self.reserve(INTEGERS[bits, signed], bits // 8)
                self.slots.append(None)
            case sig.Float(bits):
                self.reserve(FLOATS[bits], bits // 8)
                self.slots.append(None)
            case sig.Bool():
                self.reserve("?", 1)
                self.slots.append(lambda value, values, _: values.append(truth(value)))
            case sig.Char():
                self.reserve("I", 4)
                self.slots.append(lambda value, values, _: values.append(character(value)))
            case sig.Enum(tag=tag):
                self.reserve(INTEGERS[tag.bits, tag.signed], tag.bits // 8)
                self.slots.append(lambda value, values, _: values.append(variant(value, kind)))
            case sig.Pointer(mutable, element):
                self.reserve("Q", 8)
                self.slots.append(pointer_slot(Expected(element, mutable=mutable, cuda=self.cuda)))
            case sig.Slice(element, mutable, width):
                for code, size in (("Q", 8), ("Q", 8), *([("I", 4)] if width else [])):
                    self.reserve(code, size)
                self.slots.append((row_slot if width else slice_slot)(Expected(element, mutable=mutable, cuda=self.cuda)))
            case sig.Nothing():
                self.slots.append(nothing_slot)
            case sig.Opaque(size=size, why=why):
                self.slots.append(refusing_slot(why))
                self.reserve(f"{size}x", 1)
            case _:
                size, align = sig.size_and_align(kind)
                self.reserve(f"{size}s", align)
                self.slots.append(lambda value, values, _: values.append(encode(kind, value)))

    def reserve(self, code: str, align: int) -> None:
        """Put a value of `struct`'s next."""
        padding = -self.end % align
        self.offsets.append(self.end + padding)
        self.form += f"{padding}x{code}" if padding else code
        self.end += padding + struct.calcsize(f"<{code}")

    def packed(self) -> Packed:
        """Return memory for one thread's arguments."""
        return Packed(self.struct.size, self.offsets)

    def pack(self, args: tuple[Any, ...], packed: Packed) -> list[Where]:
        """Write the arguments, and return where those on GPUs are. Raises `ArgumentError` for what the kernel does not take."""
        if len(args) != self.count:
            raise self.refused(f"got {len(args)} arguments, expected {self.count}", hint=self.signature.text())
        values: list[Any] = []
        where: list[Where] = []
        try:
            for slot, argument in zip(self.slots, args):  # noqa: B905 - counted above, and strict takes longer
                if slot is None:
                    values.append(argument)
                else:
                    slot(argument, values, where)
            self.struct.pack_into(packed.buffer, packed.shift, *values)
        except (Unfit, struct.error, OverflowError, TypeError) as error:
            raise self.explain(args, error) from None
        return where

    def explain(self, args: tuple[Any, ...], error: Exception) -> Exception:
        """Return the error for the first argument that does not fit."""
        for param, slot, argument in zip(self.signature.params, self.slots, args, strict=True):
            try:
                if slot is None:
                    encode(param.type, argument)
                else:
                    slot(argument, [], [])
            except Unfit as reason:
                message, _, hint = str(reason).partition("\nhint: ")
                return self.refused(f"argument `{param.name}`: {message}", hint=hint or None)
        return error

    def refused(self, message: str, hint: str | None = None) -> ArgumentError:
        """Return the error for this kernel."""
        return ArgumentError(f"kernel `{self.signature.base or self.signature.name}`: {message}", hint=hint)


def nothing_slot(_value: Any, _values: list[Any], _where: list[Where]) -> None:
    """Pass nothing, whatever stands for it."""


def refusing_slot(why: str) -> Slot:
    """Return the slot of what cannot be passed."""

    def slot(_value: Any, _values: list[Any], _where: list[Where]) -> None:
        raise Unfit(f"it cannot be passed from Python: {why}")

    return slot


def slice_slot(expected: Expected) -> Slot:
    """Return the slot of a slice: address and length."""
    readers = expected.readers

    def slot(array: Any, values: list[Any], where: list[Where]) -> None:
        reader = readers.get(type(array)) or expected.reader_for(array)
        address, count, place = reader(array)
        values.append(address)
        values.append(count)
        if place is not None:
            where.append(place)

    return slot


def row_slot(expected: Expected) -> Slot:
    """Return the slot of a slice in rows: a two-dimensional array, or a pair of an array and the width of its rows."""

    def slot(value: Any, values: list[Any], where: list[Where]) -> None:
        array, width = value if isinstance(value, tuple) and len(value) == 2 else (value, None)
        address, count, place = expected.view(array)
        if width is None:
            shape = array.shape[: len(array.shape) - len(expected.inner)]
            if len(shape) != 2:
                raise Unfit(
                    f"got an array of shape {tuple(array.shape)}, expected rows\nhint: pass a two-dimensional array, or (array, width)"
                )
            width = int(shape[1])
        values += (address, count, width)
        if place is not None:
            where.append(place)

    return slot


def pointer_slot(expected: Expected) -> Slot:
    """Return the slot of a raw pointer: an array, an address as an integer, or None for null."""
    readers = expected.readers

    def slot(value: Any, values: list[Any], where: list[Where]) -> None:
        if value is None or type(value) is int:
            values.append(value or 0)
            return
        reader = readers.get(type(value)) or expected.reader_for(value)
        address, _, place = reader(value)
        values.append(address)
        if place is not None:
            where.append(place)

    return slot


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
