"""LLVM IR text with its marked loops unrolled, since that text is read too.

ll = unrolled(ll, module, options, worker, report)

LLVM does it, so that the text is LLVM's, after its passes. It counts the rounds itself, and leaves a loop as it is where it cannot.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.errors import Diagnostic, codes
from oxide.export.llvm_ir import LOOP, marked_loops
from oxide.export.ptx import choose_target, inline_ptx
from oxide.ir.loops import innermost_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from oxide.export.worker import LlvmWorker
    from oxide.ir import Module
    from oxide.options import CompileOptions

MARK = re.compile(rf'^!(\d+) = !{{!"{LOOP}", i32 (\d+)}}$', re.MULTILINE)
NODE = re.compile(r"^!(\d+) = distinct !\{(.*)\}$", re.MULTILINE)
DONE = re.compile(r'^!(\d+) = !\{!"llvm\.loop\.unroll\.disable"\}$', re.MULTILINE)
"""What LLVM says of a loop that it has unrolled."""


def unrolled(ll: str, module: Module, options: CompileOptions, worker: LlvmWorker, report: Callable[[Diagnostic], None]) -> str:
    """Unroll the loops of a module's text that it marks; `report` is told of those that stay. A text without any is kept as it is."""
    marked = list(marked_loops(module).values())
    if not marked:
        return ll
    text = worker.unrolled(ll, choose_target(ll, inline_ptx(ll), options), options)
    for number in sorted(left(text)):
        place = marked[number]
        report(Diagnostic(codes.UNROLL, "this loop is not unrolled", None if place is None else place.span, "warning", help=(ROUNDS,)))
    return without_marks(text)


ROUNDS = "give it bounds that are known when the kernel is compiled, or, where threads do not meet in it, a factor: `#[unroll(4)]`"


FUNCTION = re.compile(r"^define .*?^\}$", re.MULTILINE | re.DOTALL)
LABEL = re.compile(r"^(\S+):(?= |$)")
SUCCESSOR = re.compile(r"label %([^\s,]+)")
JUMP = re.compile(r", !llvm\.loop (!\d+)")


def left(text: str) -> set[int]:
    """Return the numbers of marked loops that are still in LLVM's print of a module as they were.

    Jumps that went back before the loop was unrolled, and now go on, keep what they say of it.
    """
    marks = {f"!{node}": int(number) for node, number in MARK.findall(text)}
    done = {f"!{node}" for node in DONE.findall(text)}
    nodes = {f"!{node}": set(operands.split(", ")) for node, operands in NODE.findall(text)}
    found = set()
    for function in FUNCTION.findall(text):
        successors: dict[str, set[str]] = {}
        jumps: dict[str, int] = {}
        label = ""
        for line in function.splitlines():
            if (head := LABEL.match(line)) is not None:
                label = head[1]
                successors[label] = set()
            elif label:
                successors[label] |= set(SUCCESSOR.findall(line))
                node = nodes.get(jump[1], set()) if (jump := JUMP.search(line)) is not None else set()
                for part in node & marks.keys() if not node & done else ():
                    jumps[label] = marks[part]
        for label, number in jumps.items():
            loop = innermost_of(successors, next(iter(successors)), label)
            if loop is not None and loop[0] in successors[label]:
                found.add(number)
    return found


def without_marks(text: str) -> str:
    """Return a text without the numbers of marked loops, which nobody else reads."""
    marks = {f"!{node}" for node, _ in MARK.findall(text)}
    text = MARK.sub("", text)

    def rest(node: re.Match[str]) -> str:
        return node[0].replace(node[2], ", ".join(part for part in node[2].split(", ") if part not in marks))

    return NODE.sub(rest, text)
