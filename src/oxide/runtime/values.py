"""Values that are passed as they are, not as an address: numbers and what is made of them, as rustc's bytes.

    encode(record, {"x": 1.5, "id": 3})

A struct is a dict, a tuple in the order of its fields, a dataclass, or a NumPy scalar; an array is any sequence; an enum is the name or the
number of a variant. Raises `Unfit`, which says what was got and expected.
"""

from __future__ import annotations

import dataclasses
import operator
import struct
from typing import Any

from oxide.ir import signature as sig
from oxide.runtime.layout import describe, field_name, matches

FLOATS = {16: "<e", 32: "<f", 64: "<d"}
INTEGERS = {
    (8, True): "b",
    (8, False): "B",
    (16, True): "h",
    (16, False): "H",
    (32, True): "i",
    (32, False): "I",
    (64, True): "q",
    (64, False): "Q",
}


INFINITY = 0x7F80_0000
"""The bits of an infinite `f32`."""

TIE = 0x8000
"""The lower half of an `f32` that lies between two bfloat16."""


class Unfit(Exception):
    """A value that its type cannot have."""


def got(value: object) -> str:
    """Return a value as messages show it."""
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '…'} ({type(value).__name__})"


def unfit(value: object, kind: sig.Type) -> Unfit:
    """Return the error for a value of another type."""
    return Unfit(f"got {got(value)}, expected {describe(kind)}")


def integer(value: object, kind: sig.Int) -> int:
    """Return an integer that the type has; a float is none, however round."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise unfit(value, kind) from None
    low, high = (-(1 << (kind.bits - 1)), (1 << (kind.bits - 1)) - 1) if kind.signed else (0, (1 << kind.bits) - 1)
    if not low <= number <= high:
        raise Unfit(f"got {number}, expected {describe(kind)}, which is from {low} to {high}")
    return number


def truth(value: object) -> bool:
    """Return a `bool`, Python's or NumPy's."""
    if type(value) is bool:
        return value
    if type(value).__name__ in {"bool", "bool_"} and type(value).__module__ == "numpy":
        return bool(value)
    raise unfit(value, sig.Bool())


def character(value: object) -> int:
    """Return the number of a `char`: one character, or its number, surrogates excluded."""
    number = ord(value) if isinstance(value, str) and len(value) == 1 else value
    if type(number) is not int or not 0 <= number < 0x110000 or 0xD800 <= number < 0xE000:
        raise unfit(value, sig.Char())
    return number


def variant(value: object, kind: sig.Enum) -> int:
    """Return the number of a variant, by its name, its number, or a member of a Python enum that has either."""
    import enum

    numbers = dict(kind.variants)
    if isinstance(value, enum.Enum):
        value = value.name if value.name in numbers else value.value
    if isinstance(value, str) and value in numbers:
        return numbers[value]
    if type(value) is int and value in numbers.values():
        return value
    raise unfit(value, kind)


def encode(kind: sig.Type, value: Any) -> bytes:
    """Return the bytes of a value; padding is zero."""
    match kind:
        case sig.Int(bits, signed):
            return integer(value, kind).to_bytes(bits // 8, "little", signed=signed)
        case sig.Float(bits):
            return real(value, kind, FLOATS[bits])
        case sig.Bfloat():
            return bfloat(value).to_bytes(2, "little")
        case sig.Bool():
            return bytes([truth(value)])
        case sig.Char():
            return character(value).to_bytes(4, "little")
        case sig.Enum(tag=tag):
            return encode(tag, variant(value, kind))
        case sig.Pointer():
            return (0 if value is None else integer(value, sig.Int(64, signed=False))).to_bytes(8, "little")
        case sig.Nothing():
            return b""
        case sig.Array(element, count):
            if dtype_of(value) is not None and value.ndim:
                value = value.tolist()
            if not isinstance(value, list | tuple) or len(value) != count:
                raise unfit(value, kind)
            return b"".join(encode(element, part) for part in value)
        case sig.Record():
            return record(kind, value)
        case sig.Slice() | sig.Opaque():
            raise unfit(value, kind)


def bfloat(value: object) -> int:
    """Return the bits of the bfloat16 nearest to a number, of two the even one; one that would become infinite is refused."""
    kind = sig.Bfloat()
    single = real(value, kind, "<f")
    bits = int.from_bytes(single, "little")
    upper, lower = bits >> 16, bits & 0xFFFF
    if bits & 0x7FFF_FFFF > INFINITY:  # a NaN stays one
        return upper | 0x40
    if lower == TIE:
        # What the first rounding took away or added decides.
        beyond = abs(float(value)) - abs(struct.unpack("<f", single)[0])  # type: ignore[arg-type]
        upper += upper & 1 if beyond == 0 else beyond > 0
    else:
        upper += lower > TIE
    if upper & 0x7FFF == INFINITY >> 16 and bits & 0x7FFF_FFFF != INFINITY:
        raise unfit(value, kind)
    return upper


def real(value: object, kind: sig.Float | sig.Bfloat, form: str) -> bytes:
    """Return the bytes of a float, the nearest to a number; one that would become infinite is refused."""
    try:
        return struct.pack(form, value)
    except (struct.error, OverflowError):
        raise unfit(value, kind) from None


def dtype_of(value: object) -> Any:
    """Return the dtype of what NumPy made."""
    return getattr(value, "dtype", None) if type(value).__module__.partition(".")[0] == "numpy" else None


def record(kind: sig.Record, value: Any) -> bytes:
    """Return the bytes of a struct or tuple."""
    if (dtype := dtype_of(value)) is not None and getattr(value, "shape", None) == ():
        if (why := matches(dtype, kind)) is not None:
            raise Unfit(why)
        return bytes(value.tobytes())
    filled = [field for field in kind.fields if not isinstance(field.type, sig.Nothing)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        names = [field.name if field.name in value else field_name(field) for field in filled]
        if set(names) != set(value):
            raise Unfit(f"got fields {', '.join(map(str, value))}, expected {', '.join(names)}")
        parts = [value[name] for name in names]
    elif isinstance(value, list | tuple) and len(value) == len(filled):
        parts = list(value)
    else:
        raise unfit(value, kind)
    content = bytearray(kind.size)
    for field, part in zip(filled, parts, strict=True):
        try:
            encoded = encode(field.type, part)
        except Unfit as reason:
            raise Unfit(f"field `{field.name}`: {reason}") from None
        content[field.offset : field.offset + len(encoded)] = encoded
    return bytes(content)
