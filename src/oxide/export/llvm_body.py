r"""One function of LLVM's print of a module, by its values: where each is defined and used, and lines put in other lines' place.

    body = Body(["define void @k(i32 %p0) #0 {", "  %1 = shl i32 %p0, 2", "  ret void", "}"], fresh=Names(text))
    body.defined["%1"], body.used["%p0"]      # 1, [1]
    body.replace(1, ["  %1 = shl i32 %p0, 3"])

For what LLVM's own passes do wrong or not at all and llvmlite cannot say: it has no way to change an instruction but its text.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

VALUE = r"%(?:\"[^\"]*\"|[-\w$.]+)"
"""A local value, or a label."""

NAME = re.compile(VALUE)
RESULT = re.compile(rf"  ({VALUE}) = (.*)")
SIZES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "i128": 16, "half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8, "fp128": 16}
"""Bytes of a scalar type in memory, which are its alignment too (PTX ISA, "Kernel Function Parameter Attributes")."""

CALLEE = re.compile(r"^(?:(?:tail|musttail|notail) )?call .*?@([-\w$.]+)\(")


class Names:
    """Makes names of values that a module's text does not have."""

    def __init__(self, text: str) -> None:
        prefix = next(prefix for prefix in (f"%fix{number}." for number in count()) if prefix not in text)
        self.names = (f"{prefix}{number}" for number in count())

    def __call__(self) -> str:
        """Return a new one."""
        return next(self.names)


class Body:
    """The lines of one function's definition, from `define` to the closing brace."""

    def __init__(self, lines: Sequence[str], fresh: Callable[[], str]) -> None:
        self.lines = list(lines)
        self.fresh = fresh
        self.changes: dict[int, list[str]] = {}

    @cached_property
    def defined(self) -> dict[str, int]:
        """The line that defines each value; parameters are defined by the first."""
        found = dict.fromkeys(NAME.findall(self.lines[0]), 0)
        for number, line in enumerate(self.lines):
            if (result := RESULT.match(line)) is not None:
                found[result[1]] = number
        return found

    @cached_property
    def used(self) -> dict[str, list[int]]:
        """The lines that use each value, or go to each label."""
        found: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines[1:], start=1):
            if "%" not in line:
                continue
            for name in set(NAME.findall(instruction(line))):
                found.setdefault(name, []).append(number)
        return found

    def definition(self, name: str) -> str:
        """Return the instruction that defines a value, without its name; nothing for what none defines."""
        number = self.defined.get(name, 0)
        return instruction(self.lines[number]) if number else ""

    def users(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the instructions that use a value, each with the name of its own."""
        for number in self.used.get(name, ()):
            result = RESULT.match(self.lines[number])
            yield ("", self.lines[number].strip()) if result is None else (result[1], result[2])

    def replace(self, number: int, lines: list[str]) -> None:
        """Put lines in the place of one."""
        self.changes[number] = lines

    def text(self) -> list[str]:
        """Return the lines as they are now."""
        return [new for number, line in enumerate(self.lines) for new in self.changes.get(number, (line,))]


def instruction(line: str) -> str:
    """Return the instruction of a line, without the name of its result."""
    result = RESULT.match(line)
    return line.strip() if result is None else result[2]


def opcode(text: str) -> str:
    """Return an instruction's name."""
    word = text.partition(" ")[0]
    return "call" if word in ("tail", "musttail", "notail") else word


def callee(text: str) -> str:
    """Return the function that an instruction calls by its name; nothing where it calls none."""
    found = CALLEE.match(text)
    return "" if found is None else found[1]


def metadata(line: str) -> str:
    """Return what an instruction's metadata says of where it is from, to be put behind others."""
    found = re.search(r", !dbg !\d+", line)
    return "" if found is None else found[0]


def functions(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each definition, by number."""
    start = 0
    for number, line in enumerate(lines):
        if line.startswith("define "):
            start = number
        elif line == "}":
            yield start, number


def rewritten(text: str, change: Callable[[Body], None], wanted: re.Pattern[str]) -> str:
    """Return LLVM's print of a module after `change` of each function that has a wanted line; the very text where nothing changes."""
    if wanted.search(text) is None:
        return text
    lines, fresh = text.split("\n"), Names(text)
    out: list[str] = []
    done = 0
    for start, end in functions(lines):
        if not any(wanted.search(line) for line in lines[start : end + 1]):
            continue
        body = Body(lines[start : end + 1], fresh)
        change(body)
        if body.changes:
            out += lines[done:start]
            out += body.text()
            done = end + 1
    return "\n".join(out + lines[done:]) if done else text


def split(text: str) -> Iterator[str]:
    """Yield the parts between commas that stand in no bracket."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text.strip():
        yield text[start:].strip()
