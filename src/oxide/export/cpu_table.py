"""The table `oxide.image` of a CPU image, by which the device finds kernels, their parameters and all else that it must know.

crates/oxide-cpu/src/exec/abi.rs declares its rows; each kernel has an entry that takes its parameters from a buffer.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from oxide.dialects.target import parameter_offsets
from oxide.export.cpu_meanings import FUNCTION
from oxide.export.llvm_ir import spell_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oxide.export.llvm_text import Function, Parameter

ABI_VERSION = 5
"""Version of the table `oxide.image`, of the thread that `@oxide.thread` points to, and of the device's functions."""


def three(text: str) -> list[int]:
    """Return the numbers between commas, 1 for what is not said."""
    numbers = [int(number) for number in text.split(",")]
    return numbers + [1] * (3 - len(numbers))


def offsets(parameters: Iterable[Parameter]) -> tuple[list[int], int]:
    """Return where each parameter lies in the buffer, and the buffer's size in bytes."""
    return parameter_offsets((parameter.size, parameter.align) for parameter in parameters)


def define_entry(kernel: Function) -> Iterator[str]:
    """Yield a kernel's entry, which takes the parameters from a buffer and calls it."""
    parameters = kernel.parameters or []
    args: list[str] = []
    yield f"define internal void @oxide.entry.{kernel.name}(ptr %buffer) {kernel.attributes} {{"
    for number, (parameter, offset) in enumerate(zip(parameters, offsets(parameters)[0], strict=True)):
        yield f"  %at{number} = getelementptr i8, ptr %buffer, i64 {offset}"
        if parameter.byval:
            args.append(f"ptr byval([{parameter.size} x i8]) align {parameter.align} %at{number}")
        else:
            yield f"  %value{number} = load {parameter.type}, ptr %at{number}, align {parameter.align}"
            args.append(f"{parameter.type} %value{number}")
    yield f"  call void @oxide.kernel.{kernel.name}({', '.join(args)})"
    yield "  ret void"
    yield "}"
    yield ""


class Table:
    """The table `oxide.image`, row by row."""

    KERNEL = "{ ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, [3 x i32], [3 x i32] }"
    GLOBAL = "{ ptr, ptr, i64 }"
    SHARED = "{ ptr, i32, i32 }"
    FUNCTION = "{ ptr, ptr }"

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.parameters: list[str] = []
        self.kernels: list[str] = []
        self.globals: list[str] = []
        self.sites: list[str] = []
        self.functions: list[str] = []
        """The functions of the device that are called, by name."""
        self.shared: list[str] = []
        self.dynamic = 0
        """Where dynamic shared memory begins."""
        self.checks = 0
        self.objects: list[str] = []

    def name(self, text: str) -> str:
        """Spell the address of a string."""
        return f"ptr {self.names.setdefault(text, f'@oxide.name.{len(self.names)}')}"

    def add_kernel(self, kernel: Function, meets: bool, asked: Mapping[str, str], shared: int, refused: str) -> None:
        """Add a kernel: what it takes, whether its threads meet, what it asks of launches, its shared memory, why it is refused."""
        parameters = kernel.parameters or []
        places, size = offsets(parameters)
        symbol = f"@oxide.parameters.{kernel.name}"
        rows = [f"{{ i32, i32 }} {{ i32 {place}, i32 {it.size} }}" for it, place in zip(parameters, places, strict=True)]
        self.parameters.append(array(symbol, "{ i32, i32 }", rows))
        bound = asked.get("reqntid") or asked.get("maxntid")
        most_threads = prod(three(bound)) if bound else 0
        numbers = ", ".join(f"i32 {number}" for number in (len(parameters), size, int(meets), most_threads, shared))
        shapes = ", ".join(dimensions(asked.get(name)) for name in ("reqntid", "cluster_dim"))
        reason = self.name(refused) if refused else "ptr null"
        addresses = f"{self.name(kernel.name)}, ptr @oxide.entry.{kernel.name}, ptr {symbol}, {reason}"
        self.kernels.append(f"{self.KERNEL} {{ {addresses}, {numbers}, {shapes} }}")

    def lines(self) -> Iterator[str]:
        """Yield the definitions."""
        yield from self.parameters
        yield array("@oxide.kernels", self.KERNEL, self.kernels)
        yield array("@oxide.globals", self.GLOBAL, self.globals)
        yield array("@oxide.sites", "ptr", self.sites)
        yield array("@oxide.shared", self.SHARED, self.shared)
        yield array("@oxide.objects", self.GLOBAL, self.objects)
        for function in self.functions:
            yield f"@{FUNCTION}{function} = internal global ptr null"
        rows = [f"{self.FUNCTION} {{ {self.name(function)}, ptr @{FUNCTION}{function} }}" for function in self.functions]
        yield array("@oxide.functions", self.FUNCTION, rows)
        for text, symbol in self.names.items():
            content = text.encode() + b"\0"
            yield f"{symbol} = private unnamed_addr constant [{len(content)} x i8] c{spell_string(content)}"
        yield "define internal ptr @oxide.current() nounwind {\n  ret ptr @oxide.thread\n}"
        counted = (self.kernels, self.sites, self.globals, self.functions, self.shared, self.objects)
        numbers = ", ".join(f"i32 {number}" for number in (ABI_VERSION, *map(len, counted), self.checks, self.dynamic, 0))
        tables = ", ".join(f"ptr @oxide.{name}" for name in ("kernels", "sites", "globals", "functions", "shared", "objects", "current"))
        yield f"@oxide.image = constant {{ {', '.join(['i32'] * 10 + ['ptr'] * 7)} }} {{ {numbers}, {tables} }}"


def dimensions(text: str | None) -> str:
    """Spell a shape, or zeros where there is none."""
    return f"[3 x i32] [{', '.join(f'i32 {number}' for number in (three(text) if text else (0, 0, 0)))}]"


def array(symbol: str, element: str, values: list[str]) -> str:
    """Spell a constant array."""
    return f"{symbol} = internal constant [{len(values)} x {element}] [{', '.join(values)}]"
