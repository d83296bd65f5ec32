"""The accesses to memory in LLVM's print of a module, one instruction each.

    access("  %old = atomicrmw add ptr %p, i32 1 monotonic, align 4")      # [Access(Kind.UPDATE, "ptr", "%p", "4", 4, "monotonic")]

What is read is LLVM's own print, which has one form (LLVM LangRef, "Memory Access and Addressing Operations").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from oxide.errors import InternalError
from oxide.export.llvm_body import SIZES, split

ORDERINGS = {"": 0, "unordered": 1, "monotonic": 1, "acquire": 2, "release": 3, "acq_rel": 4, "seq_cst": 5}
"""The CPU device's numbers of how an access orders memory; 0 is no atomic access."""

INSTRUCTION = re.compile(r"^  (?:%[^ ]+ = )?(?:tail )?(load|store|atomicrmw|cmpxchg)\b(.*)$")
COPY = re.compile(r"^  (?:tail )?call void @llvm\.(memcpy|memmove|memset)(?:\.inline)?\.[\w.]+\((.*)\)")
ALIGN = re.compile(r"\balign (\d+)")
SCOPE = re.compile(r' syncscope\("(\w+)"\)')
ORDERED = re.compile(r" (unordered|monotonic|acquire|release|acq_rel|seq_cst)\b")
POINTER = re.compile(r"^(ptr(?: addrspace\(\d+\))?) (?:(?:nonnull|noundef|dereferenceable\(\d+\)|align \d+) )*(.*)$")
COUNTED = re.compile(r"^([\[<])(\d+) x (.*)[\]>]$")


class Kind(IntEnum):
    """What an access does."""

    READ = 0
    WRITE = 1
    UPDATE = 2


@dataclass(frozen=True)
class Access:
    """One range of bytes that an instruction accesses."""

    kind: Kind
    type: str
    """The pointer's."""
    pointer: str
    bytes: str
    """An operand of type `i64`."""
    align: int
    ordering: str = ""
    scope: str = ""
    volatile: bool = False

    @property
    def may_spin(self) -> bool:
        """Whether a thread may look there for what another one is to write."""
        return self.kind is Kind.UPDATE or (self.kind is Kind.READ and (self.ordering != "" or self.volatile))


def access(line: str) -> list[Access]:
    """Return the accesses of one line of a function: none, one, or two of a copy."""
    if match := INSTRUCTION.match(line):
        return [instruction(match[1], match[2])]
    if match := COPY.match(line):
        return copy(match[1], list(split(match[2])))
    return []


def instruction(name: str, rest: str) -> Access:
    """Read an instruction, given what follows its name."""
    volatile = " volatile " in f"{rest.split(',')[0]} "
    scope = SCOPE.search(rest)
    rest = SCOPE.sub("", rest)
    align = ALIGN.search(rest)
    parts = list(split(rest))
    words = [word for word in parts[0].split(" ") if word not in ("atomic", "volatile", "weak")]
    head = " ".join(words)
    # Orderings stand at the end, before the alignment.
    last = next((part for part in reversed(parts) if not part.startswith(("align ", "!"))), "")
    found = ORDERED.findall(f" {last}")
    ordering = found[0] if found and (name in ("atomicrmw", "cmpxchg") or "atomic" in parts[0].split(" ")) else ""
    match name:
        case "load":
            kind, where, ty = Kind.READ, parts[1], head
        case "store":
            kind, where, ty = Kind.WRITE, parts[1], type_of(head)
        case "atomicrmw":
            kind, where, ty = Kind.UPDATE, head.split(" ", 1)[1], type_of(parts[1])
        case _:
            kind, where, ty = Kind.UPDATE, head, type_of(parts[1])
    pointer = POINTER.match(ORDERED.sub("", where) if ordering else where)
    if pointer is None:
        raise InternalError(f"got the memory access `{name}{rest}`, whose address is not found", stage="cpu")
    scoped = scope[1] if scope else ""
    return Access(kind, pointer[1], pointer[2], str(size_of(ty)), int(align[1]) if align else 1, ordering, scoped, volatile)


def copy(name: str, args: list[str]) -> list[Access]:
    """Read a call that copies or fills."""
    bytes_ = args[2].split(" ")[-1]
    if args[2].split(" ")[0] != "i64" and not bytes_.isdecimal():
        raise InternalError(f"got a {name} of {args[2]}, expected 64 bits or a constant", stage="cpu")

    def part(arg: str, kind: Kind) -> Access:
        align, pointer = ALIGN.search(arg), POINTER.match(arg)
        if pointer is None:
            raise InternalError(f"got the argument `{arg}` of a {name}, expected an address", stage="cpu")
        return Access(kind, pointer[1], pointer[2], bytes_, int(align[1]) if align else 1)

    written = part(args[0], Kind.WRITE)
    return [written] if name == "memset" else [part(args[1], Kind.READ), written]


def type_of(typed: str) -> str:
    """Return the type of an operand that follows it."""
    depth = 0
    for at, letter in enumerate(typed):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == " " and depth == 0:
            ty, rest = typed[:at], typed[at + 1 :]
            return f"{ty} {rest.split(' ')[0]}" if rest.startswith("addrspace(") else ty
    return typed


def size_of(ty: str) -> int:
    """Return the bytes of a type in memory."""
    return layout(ty)[0]


def layout(ty: str) -> tuple[int, int]:
    """Return the bytes of a type in memory, and its alignment."""
    ty = ty.strip()
    if (scalar := SIZES.get(ty.split(" ")[0])) is not None:
        return scalar, scalar
    if match := COUNTED.match(ty):
        size, align = layout(match[3])
        whole = int(match[2]) * size
        # A vector is aligned to its size.
        return (whole, align) if match[1] == "[" else (whole, max(1, whole))
    if ty.startswith(("{", "<{")):
        packed = ty.startswith("<")
        offset, most = 0, 1
        for element in split(ty.strip("<>").strip()[1:-1]):
            size, align = layout(element)
            align = 1 if packed else align
            offset, most = -(-offset // align) * align + size, max(most, align)
        return -(-offset // most) * most, most
    if (match := re.fullmatch(r"i(\d+)", ty)) is not None:
        size = 1 << (-(-int(match[1]) // 8) - 1).bit_length()
        return size, size
    raise InternalError(f"the size of {ty} is not known", stage="cpu")
