"""How MLIR's LLVM dialect spells what a field of an `llvm` op means.

    spellings = spelled(predicate=Numbered("predicate", numbers=ICMP))      # "llvm.icmp"(%0, %1) {predicate = 6 : i64}, which is ult

MLIR has enumerations as numbers, flags as one attribute, and what belongs to an argument or a result in a list (MLIR, "'llvm' Dialect").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oxide.ir import I32, IntType, PointerType
from oxide.ir.record import Record, Spelling, TextError, integers, want
from oxide.ir.text import Raw, Typed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oxide.ir import Type

DYNAMIC_INDEX = -(1 << 31)
"""MLIR's mark for an index that is an operand."""


@dataclass(frozen=True, slots=True)
class Unit(Spelling):
    """A truth value as an attribute without a value, which is there where the field is `when`."""

    when: bool = True

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {self.key: None} if getattr(op, name) is self.when else {}

    def read(self, record: Record, name: str) -> bool:
        return (self.key in record.attributes) is self.when


@dataclass(frozen=True, slots=True)
class Numbered(Spelling):
    """A word as MLIR's number for it."""

    numbers: Mapping[str, int] = field(default_factory=dict)

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {self.key: self.numbers[getattr(op, name)]}

    def read(self, record: Record, name: str) -> Any:
        if self.key not in record.attributes:
            return ...
        code = want(record.attributes, self.key, int)
        for word, number in self.numbers.items():
            if code == number:
                return word
        raise TextError(f"attribute `{self.key}` is {code}, expected one of {', '.join(map(str, self.numbers.values()))}")


@dataclass(frozen=True, slots=True)
class Flags(Spelling):
    """Truth values of several fields as one attribute: `overflowFlags = #llvm.overflow<nsw>`."""

    kind: str = ""
    names: tuple[str, ...] = ()

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {self.key: Raw(f"#llvm.{self.kind}<{', '.join(name for name in self.names if getattr(op, name))}>")}

    def read(self, record: Record, name: str) -> bool:
        text: Raw = want(record.attributes, self.key, Raw, Raw(f"#llvm.{self.kind}<none>"))
        found = text.partition("<")[2].rstrip(">").split(", ")
        if not {"none", *self.names}.issuperset(found):
            raise TextError(f"attribute `{self.key}` is {text}, expected {' and '.join(self.names)}")
        return name in found


def flags(key: str, kind: str, names: tuple[str, ...]) -> Mapping[str, Spelling]:
    """Return the spelling of each of the flags that one attribute has."""
    return dict.fromkeys(names, Flags(key, kind=kind, names=names))


@dataclass(frozen=True, slots=True)
class Number(Spelling):
    """The bits of a constant, as a number of the result's type; MLIR wants integers signed."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        bits, ty = getattr(op, name), op.ty
        if isinstance(ty, IntType) and ty.width > 1 and bits >> (ty.width - 1):
            bits -= 1 << ty.width
        return {self.key: Typed(bits, ty)}

    def read(self, record: Record, name: str) -> int:
        width = getattr(only_result(record), "width", 64)
        return plain_number(record.attributes, self.key) & (1 << width) - 1


@dataclass(frozen=True, slots=True)
class ResultSpace(Spelling):
    """An address space, which is not an attribute: the type of the result has it."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {}

    def read(self, record: Record, name: str) -> int:
        ty = only_result(record)
        if not isinstance(ty, PointerType):
            raise TextError(f"an address has type {ty}, expected a pointer")
        return ty.space


@dataclass(frozen=True, slots=True)
class Position(Spelling):
    """A number as an array of one: `position = array<i64: 1>`."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {self.key: Raw(f"array<i64: {getattr(op, name)}>")}

    def read(self, record: Record, name: str) -> int:
        return only_number(record.attributes, self.key)


@dataclass(frozen=True, slots=True)
class ConstantIndex(Spelling):
    """The constant index of an address, or the mark for one that is an operand."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {self.key: Raw(f"array<i32: {getattr(op, name) if op.index is None else DYNAMIC_INDEX}>")}

    def read(self, record: Record, name: str) -> int:
        index = only_number(record.attributes, self.key)
        return 0 if index == DYNAMIC_INDEX else index


@dataclass(frozen=True, slots=True)
class NoWrap(Unit):
    """`inbounds`, which for MLIR is also the promise not to wrap."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {self.key: Typed(3, I32)}


@dataclass(frozen=True, slots=True)
class ArgumentAlignment(Spelling):
    """The alignment of the first pointers among three arguments."""

    pointers: int = 1

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {self.key: [{"llvm.align": getattr(op, name)} if index < self.pointers else {} for index in range(3)]}

    def read(self, record: Record, name: str) -> int:
        match want(record.attributes, self.key, list):
            case [{"llvm.align": int(align)}, *_]:
                return align
            case found:
                raise TextError(f"{self.key} is {found}, expected llvm.align of the first pointer")


RANGE = re.compile(r"#llvm\.constant_range<i\d+, (\d+), (\d+)>")


@dataclass(frozen=True, slots=True)
class ResultRange(Spelling):
    """The range of the result, among the attributes of results."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        low, high = getattr(op, name)
        return {self.key: [{"llvm.range": Raw(f"#llvm.constant_range<{op.ty}, {low}, {high}>")}]}

    def read(self, record: Record, name: str) -> tuple[int, ...]:
        match want(record.attributes, self.key, list, []):
            case []:
                return ()
            case [{"llvm.range": Raw() as text}] if (found := RANGE.fullmatch(text)) is not None:
                return int(found[1]), int(found[2])
            case found:
                raise TextError(f"{self.key} is {found}, expected a range")


UNROLL = re.compile(r"#llvm\.loop_annotation<unroll = <(?:full = true|count = (\d+) : i32)>>")


@dataclass(frozen=True, slots=True)
class Unroll(Spelling):
    """How the loop that an op closes is unrolled."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        count = getattr(op, name)
        return {self.key: Raw(f"#llvm.loop_annotation<unroll = <{f'count = {count} : i32' if count else 'full = true'}>>")}

    def read(self, record: Record, name: str) -> Any:
        text = want(record.attributes, self.key, Raw, None)
        if text is None:
            return ...
        if (found := UNROLL.fullmatch(text)) is None:
            raise TextError(f"attribute `{self.key}` is {text}, expected how often the loop is unrolled")
        return int(found[1] or 0)


@dataclass(frozen=True, slots=True)
class LoopNumber(Spelling):
    """Which loop of its function an annotation belongs to: MLIR takes loops with one annotation for one."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        return {} if op.unroll is None else {self.key: getattr(op, name)}

    def read(self, record: Record, name: str) -> Any:
        if self.key in record.attributes and "loop_annotation" not in record.attributes:
            raise TextError(f"attribute `{self.key}` without `loop_annotation`")
        return record.attributes.get(self.key, ...)


@dataclass(frozen=True, slots=True)
class Cases(Spelling):
    """The cases of a switch, signed, as a tensor."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        cases, ty = getattr(op, name), op.value.type
        width = getattr(ty, "width", 32)
        values = ", ".join(str(case - (1 << width) if width > 1 and case >> (width - 1) else case) for case in cases)
        return {self.key: Raw(f"dense<[{values}]> : tensor<{len(cases)}x{ty}>")} if cases else {}

    def read(self, record: Record, name: str) -> tuple[int, ...]:
        width = getattr(record.operands[0].type, "width", 32) if record.operands else 32
        return tuple(case & (1 << width) - 1 for case in integers(record.attributes, self.key, []))


def only_result(record: Record) -> Type:
    """Return the type of an op's one result."""
    if len(record.results) != 1:
        raise TextError(f"has {len(record.results)} results, expected one")
    return record.results[0]


def plain_number(attributes: dict[str, Any], key: str) -> int:
    """Return the number of an attribute that may have a type, or be a truth value."""
    match attributes.get(key):
        case Typed(bits=bits):
            return bits
        case bool(truth):
            return int(truth)
        case _:
            return int(want(attributes, key, int))


def only_number(attributes: dict[str, Any], key: str) -> int:
    """Return the number that an array holds alone."""
    found = integers(attributes, key)
    if len(found) != 1:
        raise TextError(f"attribute `{key}` has {len(found)} numbers, expected one")
    return found[0]
