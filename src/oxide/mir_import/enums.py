"""Discriminants: which variant an enum is, by rustc's layout of it."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.ir import IntType
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.layouts import scalar_type

if TYPE_CHECKING:
    from collections.abc import Container

    from oxide.ir import Type, Value
    from oxide.mir_import.frame import Frame
    from oxide.mir_import.places import Spot


def discriminant(frame: Frame, spot: Spot, ty: Type) -> Value:
    """Return the discriminant of the value at `spot` as an integer of type `ty`; 0 for what is no enum."""
    assert isinstance(ty, IntType), "discriminants are integers"
    variants = frame.types.layout(spot.ty).variants
    match variants:
        case smir.EmptyVariants():
            return frame.constant(0, ty)
        case smir.SingleVariant(index):
            return frame.constant(number(frame, spot.ty, index) & (1 << ty.width) - 1, ty)
        case smir.MultipleVariants(tag, tag_offset, encoding):
            niche = () if isinstance(encoding, smir.DirectTag) else niche_of(encoding)
            signed = not niche and isinstance(tag, smir.IntScalar) and tag.signed
            align = gcd(spot.align, tag_offset)
            return frame.add(mir.Discriminant(spot.address(frame), scalar_type(tag), tag_offset, align, niche, ty, signed)).value


def set_discriminant(frame: Frame, spot: Spot, variant: int) -> None:
    """Make the enum at `spot` the given variant."""
    variants = frame.types.layout(spot.ty).variants
    if not isinstance(variants, smir.MultipleVariants):
        return
    tag = scalar_type(variants.tag)
    niche: tuple[int, ...] = ()
    if isinstance(variants.encoding, smir.NicheTag):
        if variant == variants.encoding.untagged_variant:
            return
        niche = niche_of(variants.encoding)
    width = tag.width if isinstance(tag, IntType) else 64
    found = number(frame, spot.ty, variant) & (1 << width) - 1
    align = gcd(spot.align, variants.tag_offset)
    frame.add(mir.SetDiscriminant(spot.address(frame), tag, variants.tag_offset, align, niche, variant, found))


def variant_in(
    layout: smir.EmptyVariants | smir.SingleVariant | smir.MultipleVariants,
    variants: list[smir.Variant],
    start: int,
    content: bytes,
    targets: Container[int],
) -> int | None:
    """Return the variant of the enum that lies at `start` of a constant's bytes, with pointers at `targets`; None where it has none."""
    match layout:
        case smir.EmptyVariants():
            return None
        case smir.SingleVariant(index):
            return index
        case smir.MultipleVariants(tag, tag_offset, encoding):
            width = tag.bits if isinstance(tag, smir.IntScalar | smir.FloatScalar) else 64
            mask, place = (1 << width) - 1, start + tag_offset
            value = int.from_bytes(content[place : place + width // 8], "little")
            if isinstance(encoding, smir.DirectTag):
                found = (number for number, variant in enumerate(variants) if int(variant.discriminant) & mask == value)
                return next(found, None)
            from_niche = (value - int(encoding.niche_start)) & mask
            # An address is no value of a niche.
            if place in targets or from_niche > encoding.last_variant - encoding.first_variant:
                return encoding.untagged_variant
            return encoding.first_variant + from_niche


def niche_of(niche: smir.NicheTag) -> tuple[int, ...]:
    """Return a niche as the ops of `mir` carry it."""
    return (niche.untagged_variant, niche.first_variant, niche.last_variant, int(niche.niche_start))


def number(frame: Frame, ty: int, variant: int) -> int:
    """Return a variant's discriminant as an unsigned 128-bit pattern."""
    kind = frame.types.kind(ty)
    if isinstance(kind, smir.Adt) and kind.adt == "Enum":
        return int(kind.variants[variant].discriminant)
    return 0
