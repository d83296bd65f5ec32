"""Which function imports which intrinsic, and what such a function is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import codes
from oxide.ir import F32
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.operands import operand_type, scalar
from oxide.mir_import.places import Spot, place
from oxide.mir_import.refusal import Refusal
from oxide.mir_import.rvalues import store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oxide.ir import Value
    from oxide.mir_import.frame import Frame

    Handler = Callable[["Call"], None]


HANDLERS: dict[str, Handler] = {}
"""Which function imports which intrinsic."""


class Call:
    """One call of an intrinsic."""

    def __init__(self, frame: Frame, source: smir.Function, call: smir.Call) -> None:
        self.frame = frame
        self.source = source
        self.name = name_of(source)
        self.args = call.args
        self.call = call

    @property
    def target(self) -> Spot:
        """The place of the result."""
        return place(self.frame, self.call.place)

    def arg(self, index: int) -> Value:
        """Return an argument of one register."""
        return scalar(self.frame, self.args[index])

    def arg_type(self, index: int) -> int:
        """Return an argument's type."""
        return operand_type(self.frame, self.args[index])

    def type_arg(self, index: int = 0) -> int:
        """Return a type argument."""
        found = [arg.ty for arg in self.source.generic_args if isinstance(arg, smir.TypeArg)]
        return found[index]

    def const_args(self) -> list[int]:
        """Return the constant arguments."""
        return [int(arg.value) for arg in self.source.generic_args if isinstance(arg, smir.ConstArg) and arg.value is not None]

    def store(self, value: Value) -> None:
        """Write the result."""
        store(self.frame, self.target, value)

    def store_pair(self, first: Value, second: Value) -> None:
        """Write the result, a tuple of two."""
        for part, value in zip(self.frame.fields(self.target), (first, second), strict=True):
            part.store_registers(self.frame, [value])

    def intrinsic(self, function: str, *args: Value) -> Value:
        """Return a function of numbers, of the type of its first argument."""
        return self.frame.add(mir.Intrinsic(args, function, args[0].type)).value

    def refuse(self, why: str, help: str = "") -> Refusal:  # noqa: A002 - rustc's word
        """Return a refusal that names the intrinsic."""
        return Refusal(codes.INTRINSIC_TYPE, f"the intrinsic `{self.name}` {why}", self.frame.span, help)


def name_of(source: smir.Function) -> str:
    """Return the name of an intrinsic: rustc's, or LLVM's where the standard library declares it as a foreign function."""
    return source.intrinsic or source.symbol


def registered(handlers: dict[str, Handler], names: Sequence[str]) -> Callable[[Handler], Handler]:
    """Register the decorated function in a table by these names, each of which is new."""

    def register(handler: Handler) -> Handler:
        for name in names:
            if name in handlers:
                raise TypeError(f"{name} has two handlers")
            handlers[name] = handler
        return handler

    return register


def intrinsic(*names: str) -> Callable[[Handler], Handler]:
    """Register the decorated function for these intrinsics."""
    return registered(HANDLERS, names)


def pointee(call: Call, index: int) -> int:
    """Return what a pointer argument points to."""
    found = call.frame.types.pointee(call.arg_type(index))
    assert found is not None, f"argument {index} of {call.name} is a pointer"
    return found


def call_library(frame: Frame, name: str, args: Sequence[Value], *, exact: bool = False) -> Value:
    """Return libdevice's function of numbers, of the type of its first argument, an `f32` or `f64`; `exact` is as of `libdevice`."""
    ty = args[0].type
    symbol = frame.importer.libdevice.symbol(name + ("f" if ty is F32 else ""), exact=exact, span=frame.span)
    value = frame.add(mir.Call(tuple(args), symbol, ty)).value
    assert value is not None, "libdevice's functions return a value"
    return value
