"""Operands of inline PTX that stand in the instruction itself: constants, once functions are inlined.

    call void asm sideeffect "cp.async.wait_group $0;", "n,~{memory}"(i32 %n)      # LLVM ends its process at this one

They are looked for after LLVM's passes, since only those show which are constants, where a module has such operands at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.dialects.operations import BY_ASSEMBLY
from oxide.export.llvm_body import split
from oxide.export.llvm_text import ASSEMBLY, METADATA, NOTE, unescaped

if TYPE_CHECKING:
    from collections.abc import Iterator

CALL = re.compile(rf"{ASSEMBLY.pattern}\((.*?)\)(?: #\d+)?(?:, !|$)")
CONSTANT = re.compile(r"\w+ -?\d+")


def variables(ll: str) -> Iterator[str]:
    """Yield what is wrong where such an operand is no constant, with the place if the text says it."""
    notes = {match[1]: unescaped(match[2]) for match in METADATA.finditer(ll)}
    for line in ll.splitlines():
        if (call := CALL.search(line)) is None:
            continue
        inputs = [part for part in call[2].split(",") if part and part[0] not in "=~"]
        for constraint, operand in zip(inputs, split(call[3]), strict=True):
            if constraint == "n" and not CONSTANT.fullmatch(operand):
                row = BY_ASSEMBLY.get((unescaped(call[1]), call[2]))
                what = f"`{row.path}`" if row is not None else f"`n` in the inline PTX `{unescaped(call[1])}`"
                note = NOTE.search(line)
                place = f" {notes[note[1]]}" if note and note[1] in notes else ""
                yield f"{what}{place} takes a constant, and is given a value that is known only when the kernel runs"
