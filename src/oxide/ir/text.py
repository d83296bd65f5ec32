"""What printer and parser share: how attributes are spelled, how records become ops, and the form of functions and globals.

    "mir.load"(%0) {align = 4 : i64} : (!llvm.ptr) -> i32 loc(#loc1)

The text is MLIR's generic form (MLIR Language Reference, "Operations"), which mlir-opt reads with unregistered dialects allowed. An
op's attribute `ty` is its result's type and is not written twice. Ops whose attributes MLIR spells in another way (`llvm`) declare it in
`spellings`; a dialect registers a `Form` for its functions and globals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from oxide.ir.ops import OPS, Op, Symbol
from oxide.ir.record import Record, TextError
from oxide.ir.types import Type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.ir.module import Function, Global, Module

I64_LIMIT = 1 << 63


class Raw(str):
    """An attribute that is spelled as it is: `#llvm.linkage<external>`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Typed:
    """A number with its type: `5 : i32`, `0x40490FDB : f32`."""

    bits: int
    type: Type


def spell(value: Any) -> str:
    """Spell an attribute's value."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value} : i64" if -I64_LIMIT <= value < I64_LIMIT else f"{value} : i128"
        case Raw():
            return str(value)
        case Symbol():
            return f"@{value}"
        case str():
            return quote(value)
        case Type():
            return value.text
        case Typed(bits, ty):
            if ty.text == "i1":
                return "true" if bits else "false"
            return f"0x{bits:0{ty.width // 4}X} : {ty}" if ty.text[0] == "f" else f"{bits} : {ty}"  # type: ignore[attr-defined]
        case dict():
            return spell_dictionary(value)
        case list() | tuple():
            return f"[{', '.join(map(spell, value))}]"
        case _:
            raise TypeError(f"{value!r} is not an attribute")


def spell_dictionary(attributes: dict[str, Any]) -> str:
    """Spell a dictionary; a None is a unit attribute, of which only the name counts."""
    return "{" + ", ".join(key if value is None else f"{key} = {spell(value)}" for key, value in attributes.items()) + "}"


def quote(text: str) -> str:
    """Spell a string."""
    return '"' + "".join(character if " " <= character <= "~" and character not in '"\\' else escape(character) for character in text) + '"'


def escape(character: str) -> str:
    """Spell a character by its UTF-8 bytes."""
    return "".join(f"\\{byte:02X}" for byte in character.encode(errors="surrogateescape"))


def unquote(text: str) -> str:
    """Return the string that a token spells; bytes that are no UTF-8 become surrogates, as in file names."""
    if "\\" not in text:
        return text[1:-1]
    found = bytearray()
    rest = text[1:-1].encode(errors="surrogateescape")
    index = 0
    while index < len(rest):
        if rest[index] != ord("\\"):
            found.append(rest[index])
            index += 1
        elif rest[index + 1 : index + 2] in (b'"', b"\\"):
            found.append(rest[index + 1])
            index += 2
        else:
            found.append(int(rest[index + 1 : index + 3], 16))
            index += 3
    return found.decode(errors="surrogateescape")


def from_record(record: Record) -> Op:
    """Return the op that a record describes; raise `TextError` where it does not fit the declaration."""
    cls = OPS.get(record.name)
    if cls is None:
        raise TextError(f"unknown op {record.name}")
    try:
        op = cls.from_text(record)
        if (unknown := record.attributes.keys() - cls.text_keys) and (unknown := unknown - op.text_attributes().keys()):
            raise ValueError(f"has {', '.join(sorted(unknown))} that it does not declare")
    except (TextError, ValueError) as error:
        raise TextError(f"invalid {record.name}: {error}") from None
    return op


class Form(Protocol):
    """How a stage writes functions and globals."""

    function_op: str
    global_op: str

    def function_attributes(self, function: Function) -> dict[str, Any]:
        """Return the attributes of a function's op."""

    def read_function(self, attributes: dict[str, Any]) -> Function:
        """Return the function, still empty, that an op's attributes describe."""

    def settled(self, function: Function) -> Function:
        """Return a function whose blocks are read, with what they decide."""

    def global_text(self, item: Global, module: Module) -> tuple[dict[str, Any], list[str]]:
        """Return the attributes of a global's op, and the lines of its region."""

    def read_global(self, attributes: dict[str, Any], region: Sequence[tuple[Record, list[str], list[str]]]) -> Global:
        """Return the global that an op describes."""


FORMS: dict[str, Form] = {}
"""The form of each stage whose functions and globals are not `mir`'s."""
