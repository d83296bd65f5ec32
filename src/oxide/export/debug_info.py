"""Debug information: which line of the program each instruction is from, as LLVM's metadata (LangRef, "Specialized Metadata Nodes").

    store i32 %v0, ptr %v1, align 4, !dbg !7        # !7 = !DILocation(line: 12, column: 9, scope: !6)

What an inlined function of the standard library or of `cuda_device` does is at the line that called it. Lines are rustc's: its paths, with
what `--remap-path-prefix` makes of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.ir.location import is_library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oxide.ir import Function
    from oxide.ir.location import Location
    from oxide.options import DebugInfo

KINDS: dict[DebugInfo, str] = {"lines": "DebugDirectivesOnly", "full": "FullDebug"}
"""LLVM's words: directives that name lines, or DWARF sections too (PTX ISA, "Debugging Directives")."""

FLAGS = ('!{i32 7, !"Dwarf Version", i32 2}', '!{i32 2, !"Debug Info Version", i32 3}')
"""What holds of the whole module: the version of DWARF that PTX has, and that of the metadata."""


class Describer:
    """Describes one module; `node` makes a node of metadata and returns its number, `spell` a string of it."""

    def __init__(self, kind: DebugInfo, node: Callable[[str], int], spell: Callable[[bytes], str]) -> None:
        self.kind = kind
        self.node = node
        self.spell = spell
        self.unit: int | None = None
        self.current: tuple[int, str] | None = None
        """The description of the function that is being written, and its file."""

    def file(self, path: str) -> int:
        """Return the node of a source file."""
        return self.node(f'!DIFile(filename: {self.spell(path.encode())}, directory: "")')

    def begin(self, function: Function) -> str:
        """Describe a function, and return what its first line says of that; nothing for one that no source has."""
        self.current = None
        if function.loc is None:
            return ""
        if self.unit is None:
            self.unit = self.node(
                f'distinct !DICompileUnit(language: DW_LANG_Rust, file: !{self.file(function.loc.file)}, producer: "oxide", '
                f"isOptimized: true, runtimeVersion: 0, emissionKind: {KINDS[self.kind]})"
            )
        spelled = f'name: "{function.symbol}", linkageName: "{function.symbol}"'
        number = self.subprogram(spelled, function.loc.file, function.loc.line)
        self.current = number, function.loc.file
        return f" !dbg !{number}"

    def subprogram(self, spelled: str, path: str, line: int) -> int:
        """Return the node of a function, whose names are spelled."""
        file, ty = self.file(path), self.node(f"!DISubroutineType(types: !{self.node('!{null}')})")
        return self.node(
            f"distinct !DISubprogram({spelled}, scope: !{file}, file: !{file}, line: {line}, type: !{ty}, scopeLine: {line}, "
            f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{self.unit})"
        )

    def at(self, loc: Location | None) -> str:
        """Return what an instruction says of its place: line 0 where it has none, since LLVM wants one of calls."""
        if self.current is None:
            return ""
        if loc is None:
            return f", !dbg !{self.node(f'!DILocation(line: 0, scope: !{self.current[0]})')}"
        return f", !dbg !{self.place(loc.users)}"

    def place(self, loc: Location, kind: str = "") -> int:
        """Return the node of a place; a debugger is told of what was inlined around it too."""
        assert self.current is not None, "a function has begun"
        scope, file = self.current
        inlined = ""
        if self.kind == "full" and loc.caller is not None and loc.function is not None:
            scope, file = self.subprogram(f"name: {self.spell(loc.function.encode())}", loc.file, 0), loc.file
            inlined = f", inlinedAt: !{self.place(loc.caller, 'distinct ')}"
        if loc.file != file:
            scope = self.node(f"!DILexicalBlockFile(scope: !{scope}, file: !{self.file(loc.file)}, discriminator: 0)")
        return self.node(f"{kind}!DILocation(line: {loc.line}, column: {loc.column}, scope: !{scope}{inlined})")

    def flags(self) -> Iterator[int]:
        """Yield what the module's flags say."""
        yield from map(self.node, FLAGS)


def kind_of(ll: str) -> DebugInfo:
    """Return what debug information a module's text has."""
    return next((kind for kind, words in KINDS.items() if f"emissionKind: {words}" in ll), "none")


USE = re.compile(r",? !dbg !\d+")
UNIT = re.compile(r"^!llvm\.dbg\.cu = .*\n", re.MULTILINE)
FLAG = re.compile(r'!"Debug Info Version", i32 3')


def without(ll: str) -> str:
    """Return a module's text without debug information: LLVM drops nodes that nobody names."""
    return ll if kind_of(ll) == "none" else FLAG.sub('!"No Debug Info", i32 1', UNIT.sub("", USE.sub("", ll)))


LOCATION = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: \d+, (?:column: \d+, )?scope: !(\d+), inlinedAt: !(\d+)", re.MULTILINE)
SCOPE = re.compile(r"^!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlockFile)\(.*?\bfile: !(\d+)", re.MULTILINE)
FILE = re.compile(r'^!(\d+) = !DIFile\(filename: "((?:[^"\\]|\\.)*)"', re.MULTILINE)
PLACE = re.compile(r"(?<=, !dbg !)\d+")


def at_own_lines(ll: str) -> str:
    """Return LLVM's print of an optimised module where what it inlined of libraries stands at the line that called them.

    PTX names one line for an instruction, so that the program's own has to be it.
    """
    libraries = {number for number, path in FILE.findall(ll) if is_library(path)}
    inside = {number for number, file in SCOPE.findall(ll) if file in libraries}
    callers = {number: caller for number, scope, caller in LOCATION.findall(ll) if scope in inside}

    def own(match: re.Match[str]) -> str:
        number = match[0]
        while number in callers:
            number = callers[number]
        return number

    return PLACE.sub(own, ll)
