"""ptxas errors in a program's own inline PTX, and their places in the program.

    ptxas module.ptx, line 28; error   : Not a name of any known instruction: 'frobnicate'

is about a line between `// begin inline asm` and `// end inline asm`, and the `.loc` before it names the line of the source, where the PTX
was made with lines (PTX ISA, "Debugging Directives").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from oxide.dialects.operations import BY_ASSEMBLY

ERROR = re.compile(r"^ptxas .*?\bline (\d+); (?:error|fatal)\s*: (.*)$", re.MULTILINE)
LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"((?:[^"\\]|\\.)*)"', re.MULTILINE)
BEGIN, END = "// begin inline asm", "// end inline asm"


@dataclass(frozen=True, slots=True)
class PtxError:
    """An error that ptxas reports for a text of inline PTX; the place is that of the text in the program, where it is known."""

    message: str
    text: str
    file: str | None = None
    line: int = 0
    column: int = 0

    @property
    def help(self) -> str:
        """What to change."""
        if "requires" in self.message:
            return "choose a later target or version: `--arch`, `--ptx-version`"
        if "Duplicate definition" in self.message:
            return "write `{` and `}` around the text: a function that is inlined twice has it twice"
        return "the PTX ISA lists the instructions, with their types, and what they need"


@dataclass(frozen=True, slots=True)
class AssemblyText:
    """One text of inline PTX in a module: its lines, from 1, and the place that is named before it."""

    first: int
    last: int
    text: str
    place: tuple[int, int, int] | None


def inline_ptx_errors(ptx: str, report: str) -> list[PtxError] | None:
    """Return the errors of ptxas's report, all of them in the program's own inline PTX; None where one is elsewhere.

    An error right after a text that does not end its last statement belongs to that text.
    """
    files = {int(number): path for number, path in FILE.findall(ptx)}
    blocks = blocks_of(ptx)
    found: list[PtxError] = []
    for number, message in ERROR.findall(report):
        line = int(number)
        block = next((block for block in blocks if block.first <= line <= block.last), None)
        if block is None and (before := [block for block in blocks if block.last < line]) and not re.search(r"[;}]\s*$", before[-1].text):
            block = before[-1]
        # An operation that the target is too small for is the program's mistake.
        if block is None or ("requires" not in message and is_operation(block.text)):
            return None
        if block.place is None or block.place[0] not in files:
            error = PtxError(message, block.text)
        else:
            error = PtxError(message, block.text, files[block.place[0]], *block.place[1:])
        if error not in found:
            found.append(error)
    return found or None


def blocks_of(ptx: str) -> list[AssemblyText]:
    """Return the inline PTX of a module."""
    blocks: list[AssemblyText] = []
    place: tuple[int, int, int] | None = None
    begun: int | None = None
    lines = ptx.splitlines()
    for number, line in enumerate(lines, 1):
        if (loc := LOC.match(line)) is not None:
            place = int(loc[1]), int(loc[2]), int(loc[3])
        elif line.startswith("}"):
            place = None
        elif line.strip() == BEGIN:
            begun = number + 1
        elif line.strip() == END and begun is not None:
            blocks.append(AssemblyText(begun, number - 1, "\n".join(lines[begun - 1 : number - 1]).strip(), place))
            begun = None
    return blocks


def is_operation(text: str) -> bool:
    """Return whether a text, its operands filled in, is that of one of the operations."""
    return any(
        re.fullmatch(re.sub(r"\\\$\d+|\\\$\\\{\d+(?::\w+)?\\\}", r"\\S+", re.escape(row).replace(r"\$\$", re.escape("$"))), text)
        for row, _ in BY_ASSEMBLY
    )
