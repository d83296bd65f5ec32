"""Ops as text has them: flat lists of operands and attributes, which become the fields of a declaration.

build(mir.Load, Record("mir.load", [address], {"align": 4}, [I32], []))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oxide.ir.module import Block
    from oxide.ir.ops import Op, Value
    from oxide.ir.types import Type

    AnyOp = TypeVar("AnyOp", bound=Op)


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


@dataclass(slots=True)
class Record:
    """An op as text has it."""

    name: str
    operands: list[Value]
    attributes: dict[str, Any]
    results: list[Type]
    successors: list[Block]


@dataclass(frozen=True, slots=True)
class Spelling:
    """The attribute of the text that a field of an op is read from and written to: of the name `key`, with the field's value."""

    key: str
    always: bool = False
    """Whether it is written where the field has its default too."""

    def write(self, op: Any, name: str) -> dict[str, Any]:
        """Return the text's attributes for the field `name`."""
        return {self.key: getattr(op, name)}

    def read(self, record: Record, name: str) -> Any:
        """Return the value of the field `name`, `...` where the text does not give it."""
        return record.attributes.get(self.key, ...)


def spelled(**fields: Spelling) -> Mapping[str, Spelling]:
    """Return the spellings of fields, for an op to declare."""
    return fields


def build(cls: type[AnyOp], record: Record) -> AnyOp:
    """Make an op from flat operands, successors and attributes; raise `TextError` or `ValueError` where they do not fit its declaration."""
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
                spelling = cls.spellings.get(key)
                name = key if spelling is None else spelling.key
                value = record.attributes.get(key, ...) if spelling is None else spelling.read(record, key)
                if value is not ...:
                    arguments[key] = convert(name, field.type, value)
                elif key == "ty" and record.results:
                    arguments[key] = record.results[0]
                elif field.default is ...:
                    raise ValueError(f"attribute `{name}` is missing")
            case _:
                pass
    if operands or successors:
        raise ValueError("has operands or successors that it does not declare")
    return cls(**arguments)


def convert(key: str, expected: type, value: Any) -> Any:
    """Return an attribute's value as the declaration has it."""
    if expected is tuple and isinstance(value, list):
        value = tuple(value)
    return want({key: value}, key, expected)
