"""Run-time detection of CPU features: kernels have none of them, so that portable code is chosen.

    if is_x86_feature_detected!("avx2") { wide(x) } else { plain(x) }        →  plain(x)

Code for a CPU's features contains instructions that a GPU does not have, so blocks that only a detected feature reaches are not imported.
`cpuid` in `asm!` detects nothing either: `assembly.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from oxide.mir_import import stable_mir as smir

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

QUERY = re.compile(r"detect::(arch::\w+::__is_feature_detected::\w+|check_for|cache::(test|detect_and_initialize))", re.ASCII)
"""The functions behind the macros, by path: rustc may have inlined the outer ones. The last one returns a set, as bits."""


def queries(functions: Sequence[smir.Function]) -> set[int]:
    """Return the numbers of the functions that detect features."""
    return {number for number, it in enumerate(functions) if it.crate == "std_detect" and QUERY.fullmatch(it.path) is not None}


def without_features(body: smir.Body, queries: AbstractSet[int], dump: smir.Dump) -> smir.Body:
    """Return a body in which queries return zeros, without the blocks that only other results reach."""
    blocks = [None if block is None else answered(block, queries, dump) for block in body.blocks]
    if all(before is after for before, after in zip(body.blocks, blocks, strict=True)):
        return body
    body = msgspec.structs.replace(body, blocks=blocks)
    unknown = {*range(1, 1 + body.arg_count), *borrowed(body)}
    while True:
        reached = dict(settled(body, unknown))
        found = {local for block in reached.values() for local, value in written(block) if value is None or not is_zero(value, unknown)}
        if found <= unknown:
            return msgspec.structs.replace(body, blocks=[reached.get(number) for number in range(len(blocks))])
        unknown |= found


def answered(block: smir.BasicBlock, queries: AbstractSet[int], dump: smir.Dump) -> smir.BasicBlock:
    """Return a block that writes zeros instead of calling a query at its end; itself if it calls none."""
    match block.terminator:
        case smir.Call(callee=smir.DirectCallee(number), place=place, target=int(target), span=span) if number in queries:
            ty = dump.functions[number].result
            layout = dump.types[ty].layout
            assert layout is not None, "a function returns what has a layout"
            zeros = smir.ConstantOperand(ty, smir.Allocated(smir.Memory("00" * layout.size, layout.align)), span)
            return smir.BasicBlock([*block.statements, smir.Assign(place, smir.Use(zeros), span)], smir.Goto(target, span))
        case _:
            return block


def settled(body: smir.Body, unknown: AbstractSet[int]) -> Iterator[tuple[int, smir.BasicBlock]]:
    """Yield the blocks that are reached where every local is zero but the unknown ones, each with the targets that it has then."""
    seen, left = {0}, [0]
    while left:
        number = left.pop()
        block = body.blocks[number]
        assert block is not None, f"block {number} is a target, yet absent"
        match block.terminator:
            case smir.SwitchInt(operand, cases, otherwise, span) if is_zero(operand, unknown):
                target = next((target for case, target in cases if case == "0"), otherwise)
                block = smir.BasicBlock(block.statements, smir.Goto(target, span))
            case _:
                pass
        yield number, block
        new = set(successors(block.terminator)) - seen
        seen |= new
        left += new


def successors(terminator: smir.Terminator) -> list[int]:
    """Return the blocks that a terminator may go to."""
    match terminator:
        case smir.Goto(target) | smir.Drop(target=target) | smir.Assert(target=target):
            return [target]
        case smir.SwitchInt(cases=cases, otherwise=otherwise):
            return [*(target for _, target in cases), otherwise]
        case smir.Call(target=target) | smir.InlineAsm(target=target):
            return [] if target is None else [target]
        case smir.Return() | smir.Unreachable() | smir.Abort() | smir.Panic():
            return []


def written(block: smir.BasicBlock) -> Iterator[tuple[int, smir.Operand | None]]:
    """Yield the locals that a block writes, with the operand that becomes the whole of one; None for any other value."""
    for statement in block.statements:
        match statement:
            case smir.Assign(smir.Place(local, []), smir.Use(operand)):
                yield local, operand
            case smir.Assign(place) | smir.SetDiscriminant(place):
                yield place.local, None
            case smir.StorageLive() | smir.StorageDead() | smir.Assume() | smir.CopyNonOverlapping():
                pass
    match block.terminator:
        case smir.Call(place=place):
            yield place.local, None
        case smir.InlineAsm(operands=operands):
            yield from ((operand.output.local, None) for operand in operands if operand.output is not None)
        case _:
            pass


def borrowed(body: smir.Body) -> Iterator[int]:
    """Yield the locals that have an address, through which they may be written."""
    for block in body.blocks:
        for statement in () if block is None else block.statements:
            match statement:
                case smir.Assign(rvalue=smir.RefRvalue(place) | smir.AddressOf(place)):
                    yield place.local
                case _:
                    pass


def is_zero(operand: smir.Operand, unknown: AbstractSet[int]) -> bool:
    """Return whether an operand is zero where every local is but the unknown ones."""
    match operand:
        case smir.CopyOperand(smir.Place(local, projection)) | smir.MoveOperand(smir.Place(local, projection)):
            return not projection and local not in unknown
        case smir.ConstantOperand(_, smir.Allocated(memory)):
            return not (memory.bytes.strip("0") or memory.uninit or memory.relocations)
        case smir.ConstantOperand():
            return True
        case smir.RuntimeChecks(value=value):
            return not value
