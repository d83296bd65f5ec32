"""What a type of a signature is for NumPy, and which dtypes are it.

numpy_dtype(record)                 # {'names': ['x', 'id'], 'formats': ['<f4', 'u1'], 'offsets': [0, 4], 'itemsize': 8}
matches(dtype, record)              # None, or why not
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxide.ir import signature as sig

if TYPE_CHECKING:
    import numpy as np


BFLOAT = "bf2"
"""The code of a bfloat16, which NumPy has none for."""


def scalar_code(kind: sig.Type) -> str | None:
    """Return the kind and bytes of an array interface's typestr, `f4`, that is exactly a type; None for what is no number."""
    match kind:
        case sig.Int(bits, signed) if bits <= 64:
            return f"{'i' if signed else 'u'}{bits // 8}"
        case sig.Float(bits):
            return f"f{bits // 8}"
        case sig.Bfloat():
            return BFLOAT
        case sig.Bool():
            return "b1"
        case sig.Char():
            return "u4"
        case sig.Enum(tag):
            return scalar_code(tag)
        case sig.Pointer():
            return "u8"
        case _:
            return None


def flatten(kind: sig.Type) -> tuple[sig.Type, tuple[int, ...]]:
    """Return what an array of arrays holds in the end, and its shape; what is no array has the shape `()`."""
    shape: list[int] = []
    while isinstance(kind, sig.Array):
        shape.append(kind.count)
        kind = kind.element
    return kind, tuple(shape)


def numpy_dtype(kind: sig.Type) -> np.dtype[Any]:
    """Return the NumPy dtype of a type, structs with rustc's own offsets. Raises `ValueError` for what NumPy has none for."""
    import numpy

    base, shape = flatten(kind)
    if shape:
        return numpy.dtype((numpy_dtype(base), shape))
    if (code := scalar_code(base)) is not None and code != BFLOAT:
        return numpy.dtype(code)
    match base:
        case sig.Bfloat():
            try:
                import ml_dtypes
            except ImportError:
                raise ValueError("NumPy has no dtype for bf16: ml_dtypes has one") from None
            bfloat16: np.dtype[Any] = numpy.dtype(ml_dtypes.bfloat16)
            return bfloat16
        case sig.Record(size=size, fields=fields):
            filled = [field for field in fields if not isinstance(field.type, sig.Nothing)]
            return numpy.dtype(
                {
                    "names": [field_name(field) for field in filled],
                    "formats": [numpy_dtype(field.type) for field in filled],
                    "offsets": [field.offset for field in filled],
                    "itemsize": size,
                }
            )
        case sig.Int(128):
            return numpy.dtype("V16")
        case _:
            raise ValueError(f"NumPy has no dtype for {describe(base)}")


def field_name(field: sig.Field) -> str:
    """Return what a field is called in NumPy, as it calls those of tuples itself."""
    return f"f{field.name}" if field.name.isdecimal() else field.name


def matches(dtype: np.dtype[Any], kind: sig.Type) -> str | None:
    """Return why a dtype is not laid out as a type, or None where it is. Names, offsets and sizes of fields count, of tuples no names."""
    base, shape = flatten(kind)
    if shape or dtype.subdtype is not None:
        inner, has = dtype.subdtype or (dtype, ())
        return f"got shape {has}, expected {shape}" if has != shape else matches(inner, base)
    if isinstance(base, sig.Record):
        if dtype.names is None:
            return f"got {dtype}, expected a structured dtype"
        return record_matches(dtype, base)
    code = "V16" if isinstance(base, sig.Int) and base.bits == 128 else scalar_code(base)
    if code is None:
        return f"no dtype is {describe(base)}"
    if code == BFLOAT:
        # ml_dtypes' own, which NumPy knows as two bytes of any kind.
        return None if dtype.name == "bfloat16" else f"got {dtype}, expected bf16"
    got = dtype.str
    if got[0] == ">":
        return f"got {dtype}, which is big-endian"
    if got[1:] == code or (isinstance(base, sig.Char) and got[1:] == "U1"):
        return None
    return f"got {dtype}, expected {describe(base)}"


def record_matches(dtype: np.dtype[Any], record: sig.Record) -> str | None:
    """Return why a structured dtype is not laid out as a struct or tuple."""
    filled = [field for field in record.fields if not isinstance(field.type, sig.Nothing)]
    names = dtype.names or ()
    assert dtype.fields is not None
    wanted = tuple(field_name(field) for field in filled)
    if len(names) != len(wanted) or (record.named and set(names) != set(wanted)):
        return f"got fields {', '.join(names)}, expected {', '.join(wanted)}"
    for position, field in enumerate(filled):
        name = field_name(field) if record.named else names[position]
        inner, offset = dtype.fields[name][:2]
        if offset != field.offset:
            return f"field `{name}` is at byte {offset}, rustc has it at {field.offset}"
        if (why := matches(inner, field.type)) is not None:
            return f"field `{name}`: {why}"
    if dtype.itemsize != record.size:
        return f"got {dtype.itemsize} bytes an element, expected {record.size}"
    return None


def describe(kind: sig.Type) -> str:
    """Return a type in few words, for messages."""
    match kind:
        case sig.Int(bits, signed):
            return f"{'i' if signed else 'u'}{bits}"
        case sig.Float(bits):
            return f"f{bits}"
        case sig.Bfloat():
            return "bf16"
        case sig.Bool():
            return "bool"
        case sig.Char():
            return "char"
        case sig.Pointer():
            return "an address"
        case sig.Slice(element):
            return f"an array of {describe(element)}"
        case sig.Array(element, count):
            return f"[{describe(element)}; {count}]"
        case sig.Record(fields=fields, named=named):
            inner = ", ".join(f"{field.name}: {describe(field.type)}" if named else describe(field.type) for field in fields)
            return f"{{{inner}}}" if named else f"({inner})"
        case sig.Enum(variants=variants):
            return " or ".join(f"{name} ({number})" for name, number in variants[:8])
        case sig.Nothing():
            return "nothing"
        case sig.Opaque(why=why):
            return f"what cannot be passed ({why})"
