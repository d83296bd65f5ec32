"""Types of SSA values and of memory: the same in every dialect, spelled as MLIR spells them.

    Int(32)  Float(64)  Pointer()  Pointer(3)     # i32  f64  !llvm.ptr  !llvm.ptr<3>

Integers have no sign: operations that need one say so. Aggregates live in memory and appear as types only where LLVM needs
them. Types are interned, so that equal types are one object.
"""

from __future__ import annotations

from functools import cache


class Type:
    """Base of every type."""

    __slots__ = ("text",)

    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


class ScalarType(Type):
    """Base of what a value in a register is."""

    __slots__ = ()


class NumberType(ScalarType):
    """Base of the numbers, `width` bits wide."""

    __slots__ = ("width",)

    width: int


class IntType(NumberType):
    """An integer of `width` bits; `i1` is a truth value."""

    __slots__ = ()

    def __init__(self, width: int) -> None:
        self.width = width
        self.text = f"i{width}"


class FloatType(NumberType):
    """An IEEE 754 binary float of `width` bits."""

    __slots__ = ()

    def __init__(self, width: int) -> None:
        self.width = width
        self.text = f"f{width}"


class PointerType(ScalarType):
    """An address in NVPTX's address space `space`; 0 is generic (LLVM NVPTX usage, "Address Spaces")."""

    __slots__ = ("space",)

    def __init__(self, space: int) -> None:
        self.space = space
        self.text = f"!llvm.ptr<{space}>" if space else "!llvm.ptr"


class ArrayType(Type):
    """`count` elements, one after another."""

    __slots__ = ("count", "element")

    def __init__(self, count: int, element: Type) -> None:
        self.count = count
        self.element = element
        self.text = f"!llvm.array<{count} x {inner(element)}>"


class StructType(Type):
    """Elements one after another, without padding if `packed`."""

    __slots__ = ("elements", "packed")

    def __init__(self, elements: tuple[Type, ...], packed: bool) -> None:
        self.elements = elements
        self.packed = packed
        body = f"({', '.join(map(inner, elements))})"
        self.text = f"!llvm.struct<{'packed ' if packed else ''}{body}>"


def inner(ty: Type) -> str:
    """Spell a type inside an `!llvm` type, where MLIR drops the prefix."""
    return ty.text.removeprefix("!llvm.")


Int = cache(IntType)
Float = cache(FloatType)
Array = cache(ArrayType)


_pointer = cache(PointerType)
_struct = cache(StructType)


def Pointer(space: int = 0) -> PointerType:  # noqa: N802 - reads as the type that it makes
    """Return the pointer type of an address space."""
    return _pointer(space)


def Struct(elements: tuple[Type, ...], packed: bool = False) -> StructType:  # noqa: N802
    """Return a struct type."""
    return _struct(elements, packed)


I1, I8, I16, I32, I64, I128 = (Int(width) for width in (1, 8, 16, 32, 64, 128))
F16, F32, F64 = (Float(width) for width in (16, 32, 64))
PTR = Pointer()
