"""How the dump's types lie in memory and travel in registers.

    types = Types(dump.types)
    types.shape(t).registers        # (i64,) for usize, (!llvm.ptr, i64) for &[T], () for () and [u8; 100]

No layout is computed here: sizes, offsets and register forms are rustc's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from oxide.ir import I1, I8, Float, Int, Pointer
from oxide.mir_import import stable_mir as smir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide import ir


@dataclass(frozen=True, slots=True)
class Shape:
    """The form of a type's values.

    `none`: no bytes. `scalar` and `pair`: one or two registers, the second `offset` bytes into the memory form. `memory`: bytes
    that only memory holds. `unsized`: reached through a pointer only.
    """

    kind: Literal["none", "scalar", "pair", "memory", "unsized"]
    size: int
    align: int
    stored: tuple[ir.Type, ...] = ()
    """The scalars' types in memory."""
    registers: tuple[ir.Type, ...] = ()
    """The scalars' types as values: `bool` is a byte in memory and `i1` as a value."""
    offset: int = 0


PLACED_TYPES = {"SharedArray": "shared::SharedArray", "Barrier": "barrier::Barrier", "ConstantMemory": "constant::ConstantMemory"}
"""The types of crate `cuda_device` whose statics lie in memory of another kind: what a block shares, or what the host sets."""


class Types:
    """The dump's types by number, with what the importer asks of them."""

    def __init__(self, types: list[smir.Type]) -> None:
        self.types: list[smir.Type] = smir.Table("type", types)
        self.shapes: dict[int, Shape] = {}
        self.arrays: dict[tuple[int, int], int] = {}
        self.placed: dict[int, str | None] = {}

    def kind(self, ty: int) -> smir.TypeKind:
        """Return what a type is."""
        return self.types[ty].ty

    def name(self, ty: int) -> str:
        """Return a type as Rust spells it."""
        return self.types[ty].name

    def layout(self, ty: int) -> smir.Layout:
        """Return a type's layout; every type of a monomorphic body has one, but for what the front end refused."""
        layout = self.types[ty].layout
        assert layout is not None, f"{self.name(ty)} has no layout"
        return layout

    def shape(self, ty: int) -> Shape:
        """Return the form of a type's values."""
        if (known := self.shapes.get(ty)) is None:
            known = self.shapes[ty] = self._shape(ty)
        return known

    def _shape(self, ty: int) -> Shape:
        layout = self.layout(ty)
        if not layout.sized:
            return Shape("unsized", layout.size, layout.align)
        match layout.abi:
            case _ if layout.size == 0:
                return Shape("none", 0, layout.align)
            case smir.ScalarAbi(scalar):
                stored = scalar_type(scalar)
                value = I1 if isinstance(self.kind(ty), smir.Bool) else stored
                return Shape("scalar", layout.size, layout.align, (stored,), (value,))
            case smir.ScalarPairAbi(first, second, offset):
                both = (scalar_type(first), scalar_type(second))
                return Shape("pair", layout.size, layout.align, both, both, offset)
            case smir.VectorAbi() | smir.MemoryAbi():
                return Shape("memory", layout.size, layout.align)

    def pointee(self, ty: int) -> int | None:
        """Return what a reference or raw pointer points to."""
        match self.kind(ty):
            case smir.Ref(pointee) | smir.RawPtr(pointee):
                return pointee
            case smir.Pattern(base):
                return self.pointee(base)
            case _:
                return None

    def element(self, ty: int) -> int | None:
        """Return the element type of an array or slice."""
        match self.kind(ty):
            case smir.Array(element) | smir.Slice(element):
                return element
            case _:
                return None

    def field_offset(self, ty: int, variant: int | None, index: int) -> int:
        """Return the offset of a field, of a variant if one is given."""
        layout = self.layout(ty)
        if variant is not None and isinstance(layout.variants, smir.MultipleVariants):
            return layout.variants.offsets[variant][index]
        match layout.fields:
            case smir.StructFields(offsets):
                # A variant that cannot exist has no layout of its own; nothing reads it.
                return offsets[index] if index < len(offsets) else 0
            case smir.UnionFields():
                return 0
            case smir.ArrayFields(stride):
                return stride * index
            case smir.PrimitiveFields():
                return 0

    def elements(self, ty: int) -> list[int]:
        """Return the types of a tuple's fields."""
        kind = self.kind(ty)
        assert isinstance(kind, smir.Tuple), f"{self.name(ty)} is no tuple"
        return kind.elements

    def array_of(self, element: int, count: int) -> int:
        """Return the type of an array, which the dump need not name: part of a longer one."""
        if (known := self.arrays.get((element, count))) is not None:
            return known
        stride = self.layout(element).size
        layout = smir.Layout(
            size=stride * count,
            align=self.layout(element).align,
            sized=True,
            abi=smir.MemoryAbi(),
            fields=smir.ArrayFields(stride, count),
            variants=smir.SingleVariant(0),
        )
        self.types.append(smir.Type(f"[{self.name(element)}; {count}]", smir.Array(element, count), self.types[element].freeze, layout))
        self.arrays[element, count] = len(self.types) - 1
        return len(self.types) - 1

    def placed_in(self, ty: int) -> str | None:
        """Return the name of the one of `PLACED_TYPES`, which only statics can have, that a value is or holds."""
        work = [ty]
        while work:
            inner = work.pop()
            if inner in self.placed:
                continue
            parts = list(self.parts(inner))
            if unknown := [part for part in parts if part not in self.placed]:
                work += [inner, *unknown]
                continue
            itself = [name for name, path in PLACED_TYPES.items() if self.is_adt(inner, "cuda_device", path) is not None]
            self.placed[inner] = next(filter(None, (*itself, *(self.placed[part] for part in parts))), None)
        return self.placed[ty]

    def parts(self, ty: int) -> Iterator[int]:
        """Yield the types of what lies inside a value, not behind its pointers."""
        match self.kind(ty):
            case smir.Array(element) | smir.Slice(element):
                yield element
            case smir.Tuple(elements) | smir.Closure(elements):
                yield from elements
            case smir.Adt() as adt:
                for variant in adt.variants:
                    yield from variant.fields
            case _:
                pass

    def pack(self, ty: int) -> int | None:
        """Return the most that a field of the type is aligned to, where `repr(packed)` limits it."""
        kind = self.kind(ty)
        return kind.pack if isinstance(kind, smir.Adt) else None

    def tail(self, ty: int) -> tuple[int, int]:
        """Return the type and the offset of a struct's or tuple's last field; where that is a trait object, the least offset."""
        parts = list(self.parts(ty))
        return parts[-1], self.field_offset(ty, None, len(parts) - 1)

    def ends_in_object(self, ty: int) -> bool:
        """Return whether a type is a trait object or a struct that ends in one, so that its alignment is known at run time only."""
        while not isinstance(self.kind(ty), smir.Dynamic):
            if self.layout(ty).sized or not (parts := list(self.parts(ty))) or isinstance(self.kind(ty), smir.Slice):
                return False
            ty = parts[-1]
        return True

    def is_adt(self, ty: int, crate: str, path: str) -> smir.Adt | None:
        """Return the ADT if it is that one, by its own definition."""
        match self.kind(ty):
            case smir.Adt() as adt if adt.crate == crate and adt.path == path:
                return adt
            case _:
                return None


def scalar_type(scalar: smir.Scalar) -> ir.Type:
    """Return the type of a scalar in memory."""
    match scalar:
        case smir.IntScalar(bits):
            return Int(bits) if bits != 1 else I8
        case smir.FloatScalar(128):
            return Int(128)  # moved about, but `check_arithmetic` refuses what computes
        case smir.FloatScalar(bits):
            return Float(bits)
        case smir.PointerScalar(space):
            return Pointer(space)
