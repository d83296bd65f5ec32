"""What printer and parser agree on: how attributes are spelled, and how ops become flat records.

    "mir.load"(%0) {align = 4 : i64} : (!llvm.ptr) -> i32 loc(#loc1)

The text is MLIR's generic form (MLIR Language Reference, "Operations"), which mlir-opt reads with unregistered dialects allowed. An
op's attribute `ty` is its result's type and is not written twice. Dialects whose form is not ours (`llvm`) override
`text_attributes` and `from_text`, and register a `Form` for what holds ops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from oxide.ir.ops import Op, Symbol
from oxide.ir.types import Type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.ir.module import Block, Function, Global, Module
    from oxide.ir.ops import Value

I64_LIMIT = 1 << 63


class Raw(str):
    """An attribute that is spelled as it is: `#llvm.linkage<external>`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Typed:
    """A number with its type: `5 : i32`, `0x40490FDB : f32`."""

    bits: int
    type: Type


class TextError(Exception):
    """A text that is not of the form; the message says where."""


def want(attributes: dict[str, Any], key: str, expected: type, default: Any = ...) -> Any:
    """Return the attribute `key`, or `default` where there is none; raise `TextError` where it is missing or not as expected."""
    value = attributes.get(key, default)
    if value is ...:
        raise TextError(f"attribute `{key}` is missing")
    if (not isinstance(value, expected) or (expected is int and isinstance(value, bool))) and value is not default:
        raise TextError(f"attribute `{key}` is {value!r}, expected {expected.__name__}")
    return value


def integers(attributes: dict[str, Any], key: str, default: Any = ...) -> tuple[int, ...]:
    """Return an attribute that lists integers."""
    found = tuple(want(attributes, key, list, default))
    if not all(type(value) is int for value in found):
        raise TextError(f"attribute `{key}` is {list(found)}, expected integers")
    return found


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
            raise TypeError(f"{value!r} is no attribute")


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


@dataclass(slots=True)
class Record:
    """An op as text has it."""

    name: str
    operands: list[Value]
    attributes: dict[str, Any]
    results: list[Type]
    successors: list[Block]


def text_attributes(op: Op) -> dict[str, Any]:
    """Return the attributes to write."""
    hook = getattr(op, "text_attributes", None)
    if hook is not None:
        return hook()  # type: ignore[no-any-return]
    found = op.attributes()
    if op.results():
        found.pop("ty", None)
    return found


UNSAID = frozenset(("fastmathFlags", "noWrapFlags", "ordering", "overflowFlags", "oxide.note", "volatile_"))
"""Attributes of forms that are not ours, which we leave out where they say nothing."""


def from_record(record: Record) -> Op:
    """Return the op that a record describes; raise `TextError` where it does not fit the declaration."""
    from oxide.ir.ops import OPS

    cls = OPS.get(record.name)
    if cls is None:
        raise TextError(f"unknown op {record.name}")
    hook = getattr(cls, "from_text", None)
    try:
        if hook is None:
            return build(cls, record)
        op: Op = hook(record)
        if unknown := record.attributes.keys() - op.text_attributes().keys() - UNSAID:  # type: ignore[attr-defined]
            raise ValueError(f"has {', '.join(sorted(unknown))} that it does not declare")
        return op
    except (TextError, ValueError) as error:
        raise TextError(f"{record.name} is not as it is declared: {error}") from None


def build(cls: type[Op], record: Record, attributes: dict[str, Any] | None = None) -> Op:
    """Make an op from flat operands, successors and attributes."""
    attributes = dict(record.attributes if attributes is None else attributes)
    operands, successors = list(record.operands), list(record.successors)
    fixed = sum(field.kind == "operand" for field in cls.fields.values())
    arguments: dict[str, Any] = {}
    for key, field in cls.fields.items():
        match field.kind:
            case "operand":
                if not operands:
                    raise ValueError(f"operand `{key}` is missing")
                arguments[key] = operands.pop(0)
                fixed -= 1
            case "optional":
                arguments[key] = operands.pop(0) if len(operands) > fixed else None
            case "operands":
                taken = len(operands) - fixed
                arguments[key], operands = tuple(operands[:taken]), operands[taken:]
            case "successor":
                if not successors:
                    raise ValueError(f"successor `{key}` is missing")
                arguments[key] = successors.pop(0)
            case "successors":
                arguments[key], successors = tuple(successors), []
            case "attribute":
                if key == "ty" and record.results and key not in attributes:
                    arguments[key] = record.results[0]
                elif key in attributes:
                    arguments[key] = convert(key, field.type, attributes.pop(key))
                elif field.default is ...:
                    raise ValueError(f"attribute `{key}` is missing")
            case _:
                pass
    if operands or successors or attributes:
        raise ValueError(f"has {', '.join(attributes) or 'operands or successors'} that it does not declare")
    return cls(**arguments)


def convert(key: str, expected: type, value: Any) -> Any:
    """Return an attribute's value as the declaration has it."""
    if expected is tuple and isinstance(value, list):
        value = tuple(value)
    return want({key: value}, key, expected)


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
