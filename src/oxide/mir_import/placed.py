"""Types that only statics can have: a block shares a `SharedArray` or a `Barrier`, the host sets a `ConstantMemory`.

    static mut TILE: SharedArray<f32, 64> = SharedArray::UNINIT;            // this is memory
    static mut ROW: &SharedArray<f32, 64> = &SharedArray::UNINIT;           // this is a pointer to none: refused

What a value holds itself, `Types.placed_in` says; here are the constants and statics that point to such a value.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from oxide.ir import SHARED_SPACE, Global
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.enums import variant_in
from oxide.mir_import.refusal import misplaced

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from oxide.ir import Symbol
    from oxide.mir_import.importer import Importer
    from oxide.mir_import.layouts import Types


def shared_array(types: Types, symbol: Symbol, arguments: Sequence[smir.GenericArg], span: int | None) -> Global:
    """Return the block-shared memory of a `SharedArray<T, N, ALIGN>`, which is zero-sized on the host, by its generic arguments."""
    element = next(argument.ty for argument in arguments if isinstance(argument, smir.TypeArg))
    count, align = (int(argument.value or 0) for argument in arguments if isinstance(argument, smir.ConstArg))
    if (inside := types.placed_in(element)) not in (None, "Barrier"):
        raise misplaced(inside, span)
    layout = types.layout(element)
    return Global(symbol, layout.size * count, max(layout.align, align), SHARED_SPACE, False, None)


def pointing_types(types: Types) -> set[int]:
    """Return the types whose values may lead to a placed one through pointers."""
    holders = defaultdict(list)
    work = []
    for ty in range(len(types.types)):
        pointee = types.pointee(ty)
        for part in types.parts(ty) if pointee is None else (pointee,):
            holders[part].append(ty)
        if pointee is not None and types.placed_in(pointee) is not None:
            work.append(ty)
    found = set(work)
    while work:
        new = set(holders[work.pop()]) - found
        found |= new
        work += new
    return found


def check_pointers(importer: Importer, ty: int, memory: smir.Memory, span: int | None) -> None:
    """Refuse a value of a type, as memory has it, that leads to a placed value which is no static."""
    if ty not in importer.globals.pointing_types:
        return
    work = [(ty, memory, 0)]
    seen = set()
    while work:
        ty, memory, start = work.pop()
        content, targets = bytes.fromhex(memory.bytes), dict(memory.relocations)
        for offset, pointee in pointers(importer, ty, start, content, targets):
            if (number := targets.get(offset)) is None or pointee is None:
                continue
            allocation = importer.dump.allocations[number]
            addend = int.from_bytes(content[offset : offset + 8], "little")
            if not isinstance(allocation, smir.MemoryAllocation) or (number, pointee, addend) in seen:
                continue
            seen.add((number, pointee, addend))
            if (name := importer.types.placed_in(pointee)) is not None:
                raise misplaced(name, span)
            work.append((pointee, allocation.memory, addend))


def pointers(importer: Importer, ty: int, start: int, content: bytes, targets: Container[int]) -> Iterator[tuple[int, int | None]]:
    """Yield where pointers that may lead to a placed value lie in a value of a type, and what they point to; a slice is up to the end.

    Of an enum only the variant that is there counts; of a union all fields.
    """
    types = importer.types
    work = [(ty, start)]
    while work:
        ty, start = work.pop()
        if ty not in importer.globals.pointing_types:
            continue
        match types.kind(ty):
            case smir.Array(element) | smir.Slice(element) as kind:
                stride = types.layout(element).size
                count = kind.count if isinstance(kind, smir.Array) else (len(content) - start) // stride
                work += [(element, start + stride * index) for index in range(count)]
            case smir.Adt(adt="Enum", variants=variants):
                if (number := variant_in(types.layout(ty).variants, variants, start, content, targets)) is not None:
                    fields = enumerate(variants[number].fields)
                    work += [(field, start + types.field_offset(ty, number, index)) for index, field in fields]
            case smir.Adt(variants=[variant]):
                work += [(field, start + types.field_offset(ty, None, index)) for index, field in enumerate(variant.fields)]
            case smir.Tuple() | smir.Closure():
                work += [(part, start + types.field_offset(ty, None, index)) for index, part in enumerate(types.parts(ty))]
            case _:
                yield start, types.pointee(ty)
