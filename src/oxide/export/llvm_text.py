"""LLVM's print of a module, read line by line: it has one form, whoever wrote the text.

read_function("define ptx_kernel void @k(ptr %p0, i32 %n) #0 {")     # Function("k", [Parameter("ptr", 8, 8), Parameter("i32", 4, 4)], "#0")
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oxide.errors import TextRefused
from oxide.export.llvm_body import SIZES, split

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

DEFINE = re.compile(r"define .*?@(\"[^\"]+\"|[\w$.]+)\(")
KERNEL = re.compile(r"define .*?\bptx_kernel void @([\w$.]+)\((.*)\)[^)]*\{$")
CALLEE = re.compile(r"\bcall\b.*?([@%])(\"[^\"]+\"|[\w$.]+)\(")
ASSEMBLY = re.compile(r"\basm (?:sideeffect )?\"((?:[^\"\\]|\\.)*)\", \"([^\"]*)\"")
DECLARED = re.compile(r"declare .*?@([\w$.]+)\(")
GLOBAL = re.compile(
    r"@([\w$.]+) = (?P<before>(?:(?!global |constant )\w+ )*?)(?:(?:local_)?unnamed_addr )?"
    r"addrspace\((?P<space>\d+)\) (?P<after>.*)"
)
CALLED = re.compile(r"^  (?:%\S+ = )?(?:tail |notail )?call\b.*? ([@%][\w$.]+)\(")
LOCAL = re.compile(r"^  (%\S+) = (?:alloca |getelementptr (?:inbounds |nuw |nusw )*[^,]+, ptr (%[^,]+), )")
FENCE = re.compile(r"^  fence (?:syncscope\(\"\w+\"\) )?(\w+)")
NAMED = re.compile(r"^@([\w$.]+) = ")

QUOTED = re.compile(r'@"([A-Za-z_$.][\w$.]*)"', re.ASCII)
"""LLVM prints names with a dollar sign in quotation marks, which they do not need."""

NOTE = re.compile(r", !oxide\.note !(\d+)")
METADATA = re.compile(r"^!(\d+) = !\{!\"((?:[^\"\\]|\\.)*)\"\}$", re.MULTILINE)
BYVAL = re.compile(r"\bbyval\(\[(\d+) x i8\]\).*\balign (\d+)")
ATTRIBUTES = re.compile(r"attributes (#\d+) = ")
ASKED = re.compile(r"\"nvvm\.(maxntid|reqntid|cluster_dim)\"=\"([\d,]+)\"")
RESULT = re.compile(
    r"^  (?P<name>%\S+) = .*?\bcall (?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|noundef|zeroext|signext) )*(?P<type>.*?) (?:asm |@)"
)


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter: its type in LLVM IR, size and alignment in bytes; `byval` where the kernel is given its address."""

    type: str
    size: int
    align: int
    byval: bool = False


@dataclass
class Function:
    """A function of the module, and what a CPU image must know of it."""

    name: str
    parameters: list[Parameter] | None = None
    """None for a function that is no kernel."""
    attributes: str = ""
    """The attribute group, for example `#0`."""
    calls: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    """The shared variables that it names."""
    waits: bool = False
    """Whether it meets other threads itself, or calls what it cannot know."""
    looks: bool = False
    """Whether it looks at what other threads may write, perhaps again and again."""
    refused: str = ""
    """What has no meaning on the CPU device, with the function and where it stands in lines of their own."""


def parse(text: str) -> Any:
    """Parse and verify a module's text."""
    import llvmlite.binding as llvm

    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise TextRefused(f"LLVM refused the module: {str(error).strip()}", stage="cpu") from None
    return module


def unescaped(text: str) -> str:
    r"""Return the string that LLVM spells, where `\22` is a byte."""
    return re.sub(rb"\\([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), text.encode()).decode(errors="replace")


def read_function(line: str) -> Function:
    """Read a function's first line."""
    match = KERNEL.match(line)
    attributes = re.search(r"(#\d+) (?:align \d+ )?\{$", line)
    group = attributes[1] if attributes else ""
    if match:
        return Function(match[1], [read_parameter(text) for text in split(match[2])], group)
    if not (plain := DEFINE.match(line)):
        raise TextRefused(f"got {line!r}, expected the definition of a function", stage="cpu")
    return Function(plain[1], None, group)


def read_parameter(text: str) -> Parameter:
    """Read one parameter of a kernel."""
    if match := BYVAL.search(text):
        return Parameter("ptr", int(match[1]), int(match[2]), byval=True)
    ty, _, rest = text.partition(" ")
    if ty == "ptr" and rest.startswith("addrspace("):
        ty = f"ptr {rest.split(' ')[0]}"
    size = SIZES.get(ty.split(" ")[0])
    if size is None or "byval" in rest:
        raise TextRefused(f"a kernel parameter is `{text}`, which the CPU device cannot be given", stage="cpu")
    return Parameter(ty, size, size)


def leading(functions: dict[str, Function], to: set[str]) -> set[str]:
    """Return the functions from which one of these can be reached by calls that name them."""
    callers: dict[str, list[str]] = {}
    for function in functions.values():
        for callee in function.calls:
            callers.setdefault(callee, []).append(function.name)
    found: set[str] = set()
    todo = sorted(to)
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += callers.get(name, ())
    return found


def reach(function: Function, functions: dict[str, Function]) -> Iterator[Function]:
    """Yield a function and those that it reaches by calls that name them."""
    done: set[str] = set()
    todo = [function.name]
    while todo:
        if (name := todo.pop()) in functions and name not in done:
            done.add(name)
            yield functions[name]
            todo += sorted(functions[name].calls)
