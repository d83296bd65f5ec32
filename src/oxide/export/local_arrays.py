"""Small arrays indexed at run time, kept in registers: each access becomes a choice among all elements.

    %p = getelementptr [3 x float], ptr %array, i64 0, i64 %i        %a = load float, ptr (element 0) …
    %v = load float, ptr %p                                     →    %v = select i1 %is_1_or_3, float %b, float %a …

LLVM's SROA takes an array apart only where every index is a constant, and what it leaves lies in local memory, which every thread writes
and reads back. This runs after LLVM's passes, when loops are unrolled and functions inlined; LLVM then promotes what is left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oxide.export.llvm_body import RESULT, SIZES, VALUE, callee, metadata, opcode, rewritten

if TYPE_CHECKING:
    from oxide.export.llvm_body import Body

MOST_ELEMENTS = 16
"""Of an array; a larger one is quicker in local memory."""

MOST_ACCESSES = 32
"""To an array by run-time indices, each of which becomes as many instructions as it has elements, and some more."""

ALLOCA = re.compile(r"alloca (\[\d+ x .*?\](?=,|$)|\w+)(?:, i\d+ 1)?, align (\d+)(?:, !.*)?$")
GEP = re.compile(rf"getelementptr (?:(?:inbounds|nuw|nusw) )*(\[.*\]|\w+), ptr ({VALUE}), (.*)$")
ARRAY = re.compile(r"\[(\d+) x (.*)\]")
LOAD = re.compile(rf"load (\w+), ptr ({VALUE}), align (\d+)")
STORE = re.compile(rf"store (\w+) ([^,]+), ptr ({VALUE}), align (\d+)")
LIFETIME = re.compile(rf"(?:tail )?call void @llvm\.lifetime\.(?:start|end)\.p0\((?:i64 [-\d]+, )?ptr [^%]*{VALUE}\)")
COPY = re.compile(r"(?:tail )?call void @llvm\.mem(?:cpy|move|set)\.[\w.]+\(.*, i\d+ \d+, i1 false\)")


@dataclass(frozen=True)
class Place:
    """An address in an array: a byte offset, and behind it so many bytes for each unit of a run-time index."""

    offset: int
    stride: int = 0
    index: str = ""
    """With its type; empty where the offset is all."""


@dataclass
class Array:
    """One array in memory, and its accesses by run-time indices, each by its line."""

    name: str
    size: int
    align: int
    accesses: dict[int, Place] = field(default_factory=dict)


def in_registers(text: str) -> str:
    """Return LLVM's print of an optimised module where no small array is indexed at run time; the same text where none is."""
    return rewritten(text, choose_elements, re.compile(" = alloca "))


def choose_elements(body: Body) -> None:
    """Change a function's accesses by run-time indices to small arrays."""
    for name, number in body.defined.items():
        if not number or opcode(definition := body.definition(name)) != "alloca" or (found := ALLOCA.match(definition)) is None:
            continue
        array = Array(name, size_of(found[1]), int(found[2]))
        if array.size and is_understood(body, array):
            for line, place in array.accesses.items():
                body.replace(line, chosen(body, array, body.lines[line], place))


def size_of(ty: str) -> int:
    """Return the bytes of a scalar, or of an array of them; 0 for other types."""
    if (array := ARRAY.fullmatch(ty)) is not None:
        return int(array[1]) * size_of(array[2])
    return SIZES.get(ty, 0)


def is_understood(body: Body, array: Array) -> bool:
    """Find the accesses to an array by run-time indices; return whether all uses of its address are known, and these are few enough."""
    todo = [(array.name, Place(0))]
    while todo:
        name, place = todo.pop()
        for number in body.used.get(name, ()):
            line = body.lines[number]
            found = RESULT.match(line)
            text = line.strip() if found is None else found[2]
            match opcode(text):
                case "getelementptr" if found is not None and (inner := moved(text, place)) is not None:
                    todo.append((found[1], inner))
                case "load" if (load := LOAD.match(text)) is not None and accessed(array, number, place, load[1]):
                    pass
                case "store" if (store := STORE.match(text)) is not None and store[2] != name and accessed(array, number, place, store[1]):
                    pass
                case "call" if LIFETIME.match(text) or (not place.index and is_copy(text)):
                    pass
                case _:
                    return False
    return 0 < len(array.accesses) <= MOST_ACCESSES


def is_copy(text: str) -> bool:
    """Return whether a call copies or sets so many bytes, a constant."""
    return callee(text).startswith("llvm.mem") and COPY.match(text) is not None


def accessed(array: Array, number: int, place: Place, ty: str) -> bool:
    """Note an access; return whether it can be one of an element."""
    if not place.index:
        return True
    array.accesses[number] = place
    size = SIZES.get(ty, 0)
    return 0 < size <= place.stride and array.size <= MOST_ELEMENTS * place.stride


def moved(text: str, place: Place) -> Place | None:
    """Return the place that an address computation moves another to; None where it is not one run-time index at most."""
    gep = GEP.match(text)
    if gep is None:
        return None
    ty, offset, stride, index = gep[1], place.offset, place.stride, place.index
    for position, step in enumerate(re.sub(r", !.*", "", gep[3]).split(", ")):
        if position:
            inner = ARRAY.fullmatch(ty)
            if inner is None:
                return None
            ty = inner[2]
        size, number = size_of(ty), step.rpartition(" ")[2]
        if not size:
            return None
        if re.fullmatch(r"-?\d+", number):
            offset += int(number) * size
        elif index or not re.fullmatch(rf"i\d+ {VALUE}", step):
            return None
        else:
            stride, index = size, step
    return Place(offset, stride, index)


def chosen(body: Body, array: Array, line: str, place: Place) -> list[str]:
    """Return what stands for one access: loads of every element and a choice, or for a store a choice and a store for every element."""
    made: list[str] = []
    where = metadata(line)

    def add(text: str) -> str:
        name = body.fresh()
        made.append(f"  {name} = {text}{where}")
        return name

    # A shift of whole elements is one of the index.
    first = place.offset % place.stride
    ty, index = place.index.split(" ")
    if shift := (place.offset - first) // place.stride:
        index = add(f"add {ty} {index}, {shift}")
    found = RESULT.match(line)
    access = (LOAD if found is not None else STORE).match(line.strip() if found is None else found[2])
    assert access is not None, f"`{line}` has been understood"
    kind = access[1]
    offsets = range(first, array.size - SIZES[kind] + 1, place.stride)
    elements = [add(f"getelementptr inbounds i8, ptr {array.name}, i64 {offset}") for offset in offsets]
    aligned = [f"align {alignment(array.align, offset)}" for offset in offsets]
    loaded = [add(f"load {kind}, ptr {element}, {align}") for element, align in zip(elements, aligned, strict=True)]
    if found is None:
        for number, (element, align, old) in enumerate(zip(elements, aligned, loaded, strict=True)):
            value = add(f"select i1 {add(f'icmp eq {ty} {index}, {number}')}, {kind} {access[2]}, {kind} {old}")
            made.append(f"  store {kind} {value}, ptr {element}, {align}{where}")
        return made
    bit = 1
    while len(loaded) > 1:
        # Halve the number of elements by one bit of the index.
        odd = add(f"icmp ne {ty} {add(f'and {ty} {index}, {bit}')}, 0")
        pairs = [loaded[number : number + 2] for number in range(0, len(loaded), 2)]
        loaded = [add(f"select i1 {odd}, {kind} {pair[1]}, {kind} {pair[0]}") if len(pair) == 2 else pair[0] for pair in pairs]
        bit *= 2
    return [*made, f"  {found[1]} = select i1 true, {kind} {loaded[0]}, {kind} {loaded[0]}{where}"]


def alignment(most: int, offset: int) -> int:
    """Return the alignment of what lies so many bytes behind something aligned."""
    return min(most, offset & -offset) if offset else most
