"""The signatures of kernels, for launches from outside Rust.

    signature(types, kernel, function)      # a record of oxide.ir.signature

A type that no caller outside Rust can make a value of is opaque, with the reason.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.ir import signature as sig
from oxide.mir_import import stable_mir as smir

if TYPE_CHECKING:
    from oxide.mir_import.layouts import Types

TRANSPARENT_CRATES = ("core", "cuda_device")
"""Crates whose wrappers of one value (`AtomicU32`, `Uniform<f32>`) are passed as that value."""

MOST_PARTS = 1000
MOST_DEPTH = 32
"""Types within types of one parameter, and how deep they are nested, beyond which a type is opaque."""


def signature(types: Types, kernel: smir.Kernel, function: smir.Function) -> sig.Signature:
    """Return the signature of a kernel."""
    names = [name or f"argument{number}" for number, name in enumerate(kernel.params)]
    names += [f"argument{number}" for number in range(len(names), len(function.params))]
    given = zip(names, function.params, strict=True)
    params = tuple(sig.Param(name, sig.short(types.name(ty)), Describer(types).param(ty)) for name, ty in given)
    args = tuple(text for arg in function.generic_args if (text := argument(types, arg)) is not None)
    # `#[kernel]` may put the entry into a constant without a name.
    base = re.sub(r"\b_(#\d+)?::", "", function.path) if args else ""
    return sig.Signature(sig.VERSION, kernel.name, params, base=base, args=args)


def argument(types: Types, arg: smir.GenericArg) -> str | None:
    """Return a generic argument as Rust spells it; None for a lifetime."""
    match arg:
        case smir.Lifetime():
            return None
        case smir.TypeArg(ty):
            return sig.short(types.name(ty))
        case smir.ConstArg(ty, value):
            return constant(types.kind(ty), value)


def constant(kind: smir.TypeKind, value: str | None) -> str:
    """Return a constant as Rust spells it; the dump has its bits."""
    match kind, value:
        case _, None:
            return "_"
        case smir.Bool(), str(bits):
            return "true" if int(bits) else "false"
        case smir.Char(), str(bits):
            return chr(int(bits))
        case smir.Int(width, True), str(bits):
            return str((int(bits) ^ (1 << (width - 1))) - (1 << (width - 1)))
        case _, str(bits):
            return bits


class TooLarge(Exception):
    """A type has too many parts to describe."""


class Describer:
    """The description of one parameter."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self.parts = 0
        self.depth = 0

    def param(self, ty: int) -> sig.Type:
        """Return what a kernel's parameter is."""
        types = self.types
        try:
            if (adt := types.is_adt(ty, "cuda_device", "disjoint::DisjointSlice")) is not None:
                element = next(arg.ty for arg in adt.generic_args if isinstance(arg, smir.TypeArg))
                return sig.Slice(self.describe(element), mutable=True, width=types.layout(ty).size > 16)
            match types.kind(ty):
                case smir.Ref(pointee, mutable) if isinstance(kind := types.kind(pointee), smir.Slice):
                    writes = mutable or not types.types[pointee].freeze
                    return sig.Slice(self.describe(kind.element), mutable=writes)
                case _:
                    return self.describe(ty)
        except TooLarge:
            layout = types.layout(ty)
            return sig.Opaque(layout.size, layout.align, f"it has more than {MOST_PARTS} parts, or some nested more than {MOST_DEPTH} deep")

    def describe(self, ty: int, *, behind: bool = False) -> sig.Type:
        """Return what a type's values are; `behind` a pointer, of the pointers in them only that they are some."""
        self.parts += 1
        self.depth += 1
        if self.parts > MOST_PARTS or self.depth > MOST_DEPTH:
            raise TooLarge
        described = self.kind(ty, behind)
        self.depth -= 1
        return described

    def kind(self, ty: int, behind: bool) -> sig.Type:
        """Return what a type's values are, whatever its depth."""
        types, layout = self.types, self.types.layout(ty)
        if layout.size == 0 and not isinstance(types.kind(ty), smir.Never):
            return sig.Nothing()
        match types.kind(ty):
            case smir.Bool():
                return sig.Bool()
            case smir.Char():
                return sig.Char()
            case smir.Int(bits, signed):
                return sig.Int(bits, signed)
            case smir.Float(bits) if bits < 128:
                return sig.Float(bits)
            case smir.RawPtr(pointee, mutable) if layout.size == 8:
                inner = types.types[pointee].layout
                known = not behind and inner is not None and inner.sized
                return sig.Pointer(mutable, self.describe(pointee, behind=True) if known else None)
            case smir.Array(element, count):
                described = self.describe(element, behind=behind)
                return described if isinstance(described, sig.Opaque) else sig.Array(described, count)
            case smir.Tuple(elements):
                return self.record(ty, [(str(number), element) for number, element in enumerate(elements)], behind)
            case smir.Adt(crate="half", path="binary16::f16"):
                return sig.Float(16)
            case smir.Adt(crate="half", path="bfloat::bf16"):
                return sig.Bfloat()
            case smir.Adt(adt="Struct") as adt:
                return self.struct(ty, adt, behind)
            case smir.Adt(adt="Enum", variants=variants) if not any(types.layout(f).size for variant in variants for f in variant.fields):
                return self.enum(ty, variants)
            case smir.Pattern(base):
                return self.describe(base, behind=behind)
            case kind:
                return sig.Opaque(layout.size, layout.align, why_not(kind))

    def struct(self, ty: int, adt: smir.Adt, behind: bool) -> sig.Type:
        """Return a struct; one that only wraps a value is that value."""
        (variant,) = adt.variants
        made = self.record(ty, list(zip(variant.field_names, variant.fields, strict=True)), behind)
        filled = [field for field in made.fields if not isinstance(field.type, sig.Nothing)] if isinstance(made, sig.Record) else []
        if len(filled) == 1 and (adt.crate in TRANSPARENT_CRATES or filled[0].name == "0"):
            layout = self.types.layout(ty)
            if sig.size_and_align(filled[0].type) == (layout.size, layout.align):
                return filled[0].type
        return made

    def record(self, ty: int, fields: list[tuple[str, int]], behind: bool) -> sig.Type:
        """Return a struct or tuple; opaque where a field is."""
        layout = self.types.layout(ty)
        found = []
        for number, (name, inner) in enumerate(fields):
            kind = self.describe(inner, behind=behind)
            if isinstance(kind, sig.Opaque):
                return sig.Opaque(layout.size, layout.align, f"field `{name}`: {kind.why}")
            found.append(sig.Field(name, self.types.field_offset(ty, None, number), kind))
        return sig.Record(layout.size, layout.align, tuple(found))

    def enum(self, ty: int, variants: list[smir.Variant]) -> sig.Type:
        """Return an enum without payloads."""
        layout = self.types.layout(ty)
        match layout.variants:
            case smir.MultipleVariants(tag=smir.IntScalar(bits, signed), encoding=smir.DirectTag()) if bits // 8 == layout.size:
                tag = sig.Int(bits, signed)
                return sig.Enum(tag, tuple((variant.name, within(int(variant.discriminant), tag)) for variant in variants))
            case _:
                return sig.Opaque(layout.size, layout.align, "its tag is no plain integer")


def why_not(kind: smir.TypeKind) -> str:
    """Return why a value of a type cannot be made outside Rust."""
    match kind:
        case smir.Adt(adt="Enum"):
            return "an enum with payloads exists in Rust only: pass its parts"
        case smir.Adt():
            return "a union exists in Rust only: pass one of its fields"
        case smir.Closure():
            return "a closure exists in Rust only: pass what it captures, to a kernel that is not generic over it"
        case smir.Ref():
            return "a reference exists in Rust only: pass a raw pointer"
        case smir.RawPtr():
            return "a pointer with metadata exists in Rust only"
        case smir.FnPtr():
            return "a function of the device has no address outside it"
        case _:
            return "it exists in Rust only"


def within(number: int, tag: sig.Int) -> int:
    """Return the number that a tag's bits stand for."""
    low = number & ((1 << tag.bits) - 1)
    return low - (1 << tag.bits) if tag.signed and low >> (tag.bits - 1) else low
