"""Shared memory in a CPU image: a variable is an offset in the memory that the device gives each block.

    memory.add("TILE", 1024, "@TILE = internal addrspace(3) global [1024 x i8] undef, align 4", is_dynamic=False)
    memory.replace("  %t = addrspacecast ptr addrspace(3) @TILE to ptr", used)       # … %oxide.shared.0 to ptr

Addresses are computed at a function's entry, from where the block's memory begins, which the current thread says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from oxide.errors import TextRefused

SHARED_BASE = 64
"""Offset in bytes of the address of the block's shared memory in the CPU device's thread."""

RED_ZONE = 64
"""Bytes between two variables that belong to none, so that an access beyond one does not hit the other."""

DYNAMIC_ALIGN = 16

SYMBOL = r"ptr addrspace\(3\) @([\w$.]+)"
GENERIC = re.compile(rf"addrspacecast \({SYMBOL} to ptr\)")
ELEMENT_OF_GENERIC = re.compile(rf"getelementptr (?:inbounds |nuw |nusw )*\(i8, ptr addrspacecast \({SYMBOL} to ptr\), i64 (-?\d+)\)")
ELEMENT = re.compile(rf"getelementptr (?:inbounds |nuw |nusw )*\(i8, {SYMBOL}, i64 (-?\d+)\)")
ELEMENT_CAST = re.compile(rf"addrspacecast \(ptr addrspace\(3\) {ELEMENT.pattern} to ptr\)")
PLAIN = re.compile(SYMBOL)
ALIGN = re.compile(r", align (\d+)")


@dataclass(frozen=True)
class Variable:
    """A variable in shared memory: where it begins in a block's, and its bytes."""

    name: str
    offset: int
    size: int


@dataclass
class SharedMemory:
    """The shared variables of a module, and the addresses that the function being translated uses."""

    variables: dict[str, Variable] = field(default_factory=dict)
    dynamic: int = 0
    """Where dynamic shared memory begins."""
    dynamic_names: set[str] = field(default_factory=set)
    end: int = 0
    align: int = DYNAMIC_ALIGN
    addresses: dict[tuple[str, int, bool], str] = field(default_factory=dict)
    """The name of the value for a variable, an offset in it, and whether the address is a generic one."""

    def add(self, name: str, size: int, line: str, *, is_dynamic: bool) -> None:
        """Add a variable, given its definition."""
        found = ALIGN.search(line)
        align = int(found[1]) if found else DYNAMIC_ALIGN
        if is_dynamic:
            self.dynamic_names.add(name)
            self.align = max(self.align, align)
        else:
            offset = up(self.end, align)
            self.variables[name] = Variable(name, offset, size)
            self.end = offset + size + RED_ZONE
        self.dynamic = up(self.end, self.align)

    def replace(self, line: str, used: set[str]) -> str:
        """Return an instruction with values for the addresses of shared variables, whose names are added to `used`."""

        def value(name: str, offset: int, is_generic: bool) -> str:
            used.add(name)
            return self.addresses.setdefault((name, offset, is_generic), f"%oxide.shared.{len(self.addresses)}")

        line = ELEMENT_CAST.sub(lambda match: value(match[1], int(match[2]), True), line)
        line = ELEMENT_OF_GENERIC.sub(lambda match: value(match[1], int(match[2]), True), line)
        line = GENERIC.sub(lambda match: value(match[1], 0, True), line)
        line = ELEMENT.sub(lambda match: value(match[1], int(match[2]), False), line)
        line = PLAIN.sub(lambda match: f"ptr addrspace(3) {value(match[1], 0, False)}", line)
        if re.search(r"\((?:i8|ptr)[^()]*%oxide\.shared\.", line) and not re.search(r"(?:call|invoke) ", line):
            raise TextRefused(f"the CPU device does not know this form of a shared variable's address: {line.strip()}", stage="cpu")
        return line

    def enter(self, body: list[str]) -> list[str]:
        """Return the lines of a function with what computes the addresses that it uses, which are forgotten."""
        if not self.addresses:
            return body
        lines = [
            "  %oxide.me = load ptr, ptr @oxide.thread",
            f"  %oxide.at = getelementptr i8, ptr %oxide.me, i64 {SHARED_BASE}",
            "  %oxide.base = load ptr, ptr %oxide.at",
        ]
        for (name, offset, is_generic), value in self.addresses.items():
            start = self.dynamic if name in self.dynamic_names else self.variables[name].offset
            address = value if is_generic else f"{value}.generic"
            lines.append(f"  {address} = getelementptr i8, ptr %oxide.base, i64 {start + offset}")
            if not is_generic:
                lines.append(f"  {value} = addrspacecast ptr {address} to ptr addrspace(3)")
        self.addresses.clear()
        # The first line may be the entry's label.
        at = 1 if body and not body[0].startswith(" ") else 0
        return [*body[:at], *lines, *body[at:]]


def up(offset: int, align: int) -> int:
    """Return the next multiple of an alignment."""
    return -(-offset // align) * align
