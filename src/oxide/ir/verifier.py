"""Checks that hold after every stage.

1. Every block but a declaration's ends in a terminator, and no other op of it is one.
2. Every op is of a dialect that the stage allows, and keeps its own declaration (`Op.check`).
3. A value is used only where its definition dominates: after it in its block, or in a block that every path reaches through it.
4. A value has one definition.
5. Successors are blocks of the same function, and never its entry.
6. Symbols that ops and globals name exist; calls and returns fit their function's type.

All broken rules are collected; the message shows the ops that break them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.ir.ops import ALIGNMENT, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oxide.ir.module import Block, Function, Module
    from oxide.ir.ops import Op, Value


class VerifyError(Exception):
    """A module breaks its stage's rules: a bug of the pass that made it, or an edit of a stage file."""

    def __init__(self, stage: str, messages: list[str]) -> None:
        super().__init__(f"the {stage} module is invalid\n  " + "\n  ".join(messages))
        self.messages = messages


def verify(module: Module, dialects: frozenset[str]) -> None:
    """Raise `VerifyError` unless the module keeps every rule with ops of these dialects only."""
    messages: list[str] = []
    for item in module.globals.values():
        for what, value, rule in (("alignment", item.align, ALIGNMENT), ("size", item.size, SIZE)):
            if not rule.holds(value):
                messages.append(f"global @{item.symbol}: its {what} is {value}, expected {rule.words}")
        pointed = (relocation.symbol for relocation in item.relocations)
        missing = (symbol for symbol in pointed if symbol not in module.globals and symbol not in module.functions)
        messages.extend(f"global @{item.symbol} points at @{symbol}, which is not defined" for symbol in missing)
    for function in module.functions.values():
        for op, message in broken(function, module, dialects):
            where = f"@{function.symbol}" + (f" at {op.loc}" if op is not None and op.loc else "")
            messages.append(f"{where}: {op.name + ': ' if op is not None else ''}{message}")
    if messages:
        raise VerifyError(module.stage, messages)


def broken(function: Function, module: Module, dialects: frozenset[str]) -> Iterator[tuple[Op | None, str]]:
    """Yield what is wrong in one function, with the op if one is to blame."""
    blocks = {block: index for index, block in enumerate(function.blocks)}
    position: dict[Value, tuple[int, int]] = {}
    for value in function.blocks[0].params if function.blocks else ():
        position[value] = (0, -1)
    for index, block in enumerate(function.blocks):
        if not block.ops or not block.ops[-1].terminator:
            yield (block.ops[-1] if block.ops else None), f"block {index} does not end in a terminator"
        for number, op in enumerate(block.ops):
            for value in op.results():
                if value in position:
                    yield op, "defines a value that is defined already"
                position[value] = (index, number)
    dominates: Callable[[int, int], bool] | None = None
    for index, block in enumerate(function.blocks):
        last = len(block.ops) - 1
        for number, op in enumerate(block.ops):
            if op.name.partition(".")[0] not in dialects:
                yield op, f"this stage holds only {' and '.join(sorted(dialects))} ops"
            if op.terminator and number != last:
                yield op, "ends its block, yet ops follow"
            yield from ((op, message) for message in op.check())
            yield from ((op, message) for message in op.check_place(function, module))
            if op.symbols:
                yield from ((op, message) for message in unknown_symbols(op, module))
            for value in op.operands():
                place = position.get(value)
                if place is None:
                    yield op, "uses a value that nothing in this function defines"
                elif place[0] == index:
                    if place[1] >= number:
                        yield op, "uses a value before its definition"
                elif place[0] != 0:
                    dominates = dominates or dominance(function.blocks, blocks)
                    if not dominates(place[0], index):
                        yield op, f"uses a value of block {place[0]}, which does not dominate block {index}"
            for target in op.successors():
                if blocks.get(target, 0) == 0:
                    yield op, "goes to a block that is not one of this function's, or to its entry"


def unknown_symbols(op: Op, module: Module) -> Iterator[str]:
    """Yield a message for each symbol of `op` that the module does not hold."""
    for key in op.symbols:
        symbol = getattr(op, key)
        if symbol is not None and symbol not in module.functions and symbol not in module.globals:
            yield f"@{symbol} is not defined"


def dominance(blocks: list[Block], numbers: dict[Block, int]) -> Callable[[int, int], bool]:
    """Return a test whether one block dominates another (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm)."""
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(blocks[0].ops[-1].successors()))]
    while stack:
        index, rest = stack[-1]
        for target in rest:
            number = numbers.get(target, 0)
            if number not in seen and blocks[number].ops:
                seen.add(number)
                stack.append((number, iter(blocks[number].ops[-1].successors())))
                break
        else:
            order.append(index)
            stack.pop()
    rank = {index: place for place, index in enumerate(order)}
    predecessors: dict[int, list[int]] = {index: [] for index in order}
    for index in order:
        for target in blocks[index].ops[-1].successors():
            predecessors[numbers.get(target, 0)].append(index)
    immediate = {0: 0}
    changed = True
    while changed:
        changed = False
        for index in reversed(order[:-1]):
            candidates = [other for other in predecessors[index] if other in immediate]
            best = candidates[0]
            for other in candidates[1:]:
                while best != other:
                    while rank[best] < rank[other]:
                        best = immediate[best]
                    while rank[other] < rank[best]:
                        other = immediate[other]
            if immediate.get(index) != best:
                immediate[index] = best
                changed = True

    def dominates(above: int, below: int) -> bool:
        if below not in immediate:
            return True  # cannot be reached
        while below != above and below != 0:
            below = immediate[below]
        return below == above

    return dominates
