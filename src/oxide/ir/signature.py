"""The signature of a kernel, as a PTX records it for each of its kernels: docs/formats.md, "PTX and CPU image".

    signature = decode('{"name":"saxpy","params":[…]}')
    signature.text()                    # fn saxpy(n: u32, a: f32, x: &[f32], y: DisjointSlice<f32>)

Sizes and offsets are bytes, and rustc's own. The compiler writes these records, and `oxide.load` reads them.
"""

from __future__ import annotations

import re
from typing import TypeAlias

import msgspec

VERSION = 1
"""Raised whenever a record changes its meaning or shape."""

LINE = "// oxide kernel "
"""What a record's line in a PTX begins with; all stand before `.version`."""


class Int(msgspec.Struct, frozen=True, tag_field="kind", tag="int"):
    """A primitive integer."""

    bits: int
    signed: bool


class Float(msgspec.Struct, frozen=True, tag_field="kind", tag="float"):
    """A primitive float."""

    bits: int


class Bfloat(msgspec.Struct, frozen=True, tag_field="kind", tag="bfloat"):
    """A bfloat16, the upper 16 bits of an `f32`."""


class Bool(msgspec.Struct, frozen=True, tag_field="kind", tag="bool"):
    """`bool`, a byte."""


class Char(msgspec.Struct, frozen=True, tag_field="kind", tag="char"):
    """`char`, 32 bits."""


class Pointer(msgspec.Struct, frozen=True, tag_field="kind", tag="pointer"):
    """A raw pointer; `element` is None where what it points to has no size."""

    mutable: bool
    element: Type | None


class Slice(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="slice"):
    """A pointer and a number of elements, with `width` also the elements of a row. `mutable` where the kernel may write."""

    element: Type
    mutable: bool
    width: bool = False


class Field(msgspec.Struct, frozen=True):
    """A field of a struct or tuple."""

    name: str
    offset: int
    type: Type


class Record(msgspec.Struct, frozen=True, tag_field="kind", tag="record"):
    """A struct, or a tuple, whose fields are named `0`, `1`, …."""

    size: int
    align: int
    fields: tuple[Field, ...]

    @property
    def named(self) -> bool:
        """Whether the fields have names."""
        return not all(field.name.isdecimal() for field in self.fields)


class Array(msgspec.Struct, frozen=True, tag_field="kind", tag="array"):
    """`count` elements one after another."""

    element: Type
    count: int


class Enum(msgspec.Struct, frozen=True, tag_field="kind", tag="enum"):
    """An enum without payloads, as an integer; each variant's name and number."""

    tag: Int
    variants: tuple[tuple[str, int], ...]


class Nothing(msgspec.Struct, frozen=True, tag_field="kind", tag="nothing"):
    """A type without bytes, of which nothing is passed."""


class Opaque(msgspec.Struct, frozen=True, tag_field="kind", tag="opaque"):
    """What cannot be passed from outside Rust, and why."""

    size: int
    align: int
    why: str


Type: TypeAlias = Int | Float | Bfloat | Bool | Char | Pointer | Slice | Record | Array | Enum | Nothing | Opaque


class Param(msgspec.Struct, frozen=True):
    """A parameter: its name, its type as Rust spells it, and what the type is."""

    name: str
    rust: str
    type: Type


class Signature(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kernel's entry `name`, and for an instance of a generic kernel the path and the arguments that it is an instance of."""

    version: int
    name: str
    params: tuple[Param, ...]
    base: str = ""
    args: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the kernel's signature as Rust has it."""
        generics = f"::<{', '.join(self.args)}>" if self.args else ""
        params = ", ".join(f"{param.name}: {param.rust}" for param in self.params)
        return f"fn {self.base or self.name}{generics}({params})"


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Signature)


def encode(signature: Signature) -> str:
    """Return a signature as one line of JSON."""
    return _ENCODER.encode(signature).decode()


def decode(text: str | bytes) -> Signature:
    """Return the signature that a line of JSON holds; raise `msgspec.DecodeError` where it holds none of this version."""
    signature = _DECODER.decode(text)
    if signature.version != VERSION:
        raise msgspec.ValidationError(f"got version {signature.version}, expected {VERSION}")
    return signature


def in_ptx(ptx: str) -> list[Signature]:
    """Return what a PTX says of its kernels, in the order of their entries; raise `msgspec.DecodeError` for another version's."""
    lines = ptx[: ptx.find("\n.version")].splitlines()
    return [decode(line.removeprefix(LINE)) for line in lines if line.startswith(LINE)]


def size_and_align(type: Type) -> tuple[int, int]:  # noqa: A002 - what it is of
    """Return the bytes of a type and what they are aligned to (of a slice, those of its pointer and numbers together)."""
    match type:
        case Int(bits=bits) | Float(bits=bits) | Enum(tag=Int(bits=bits)):
            return bits // 8, bits // 8
        case Bfloat():
            return 2, 2
        case Bool():
            return 1, 1
        case Char():
            return 4, 4
        case Pointer():
            return 8, 8
        case Slice(width=width):
            return 24 if width else 16, 8
        case Array(element=element, count=count):
            size, align = size_and_align(element)
            return size * count, align
        case Record(size=size, align=align) | Opaque(size=size, align=align):
            return size, align
        case Nothing():
            return 0, 1


PATH = re.compile(r"\b(?:[A-Za-z_]\w*::)+(?=[A-Za-z_{])")
LIFETIME = re.compile(r"&'\w+ |<'\w+>|'\w+, ")


def short(rust: str) -> str:
    """Return a type as a person would write it: without paths and lifetimes."""
    return PATH.sub("", LIFETIME.sub(lambda found: "&" if found[0][0] == "&" else "", rust))


class GenericParam(msgspec.Struct):
    """A generic parameter; a constant has a type."""

    name: str
    ty: str | None


class Generic(msgspec.Struct):
    """A generic kernel, as the dump has it."""

    name: str
    path: str
    generics: list[GenericParam]
    params: list[tuple[str, str]]

    def arguments(self) -> str:
        """Return its generic parameters as Rust has them."""
        return ", ".join(f"const {param.name}: {param.ty}" if param.ty else param.name for param in self.generics)

    def text(self) -> str:
        """Return its signature as Rust has it."""
        return f"fn {self.name}<{self.arguments()}>({', '.join(f'{name}: {short(ty)}' for name, ty in self.params)})"


class Dump(msgspec.Struct):
    """The part of a dump that is read here."""

    generic_kernels: list[Generic]


def generics_in(dump: bytes) -> list[Generic]:
    """Return the generic kernels that a dump tells of: all where it was asked for with `OXIDE_INSTANCES`."""
    return msgspec.json.decode(dump, type=Dump).generic_kernels
