"""Checks that hold after every stage.

1. Every block but a declaration's ends in a terminator, and no other op of it is one.
2. Every op is of a dialect that the stage allows, and keeps its own declaration (`Op.check`).
3. A value is used only where its definition dominates: after it in its block, or in a block that every path reaches through it.
4. A value has one definition.
5. Successors are blocks of the same function, and never its entry.
6. Symbols that ops and globals name exist, each names one thing; calls and returns fit their function's type.
7. Functions keep `FUNCTION_RULES`, globals keep `GLOBAL_RULES`.

All broken rules are collected; the message shows the ops that break them.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from oxide.ir.module import LAUNCH_FACTS
from oxide.ir.ops import ALIGNMENT, SIZE, Rule
from oxide.ir.types import PointerType, ScalarType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oxide.ir.module import Block, Function, Global, Module, Param
    from oxide.ir.ops import Op

INLINE = ("default", "hint", "always", "never")

SPACES = {1: "global", 3: "shared", 4: "constant"}
"""Where globals may lie (LLVM NVPTX usage, "Address Spaces")."""

POINTER_BYTES = 8


def are_apart(item: Global) -> bool:
    """Return whether a global's relocations lie in its content, one after another."""
    done = 0
    for relocation in item.relocations:
        if relocation.offset < done:
            return False
        done = relocation.offset + POINTER_BYTES
    return done <= len(item.content or b"")


def keeps_promises(param: Param) -> bool:
    """Return whether a parameter promises what can be promised of its type."""
    if not isinstance(param.type, PointerType):
        return isinstance(param.type, ScalarType) and param.byval is None and not param.noalias and not param.readonly
    return param.byval is None or (SIZE.holds(param.byval[0]) and ALIGNMENT.holds(param.byval[1]))


GLOBAL_RULES = (
    Rule(ALIGNMENT.words, lambda item: ALIGNMENT.holds(item.align), lambda item: f"its alignment is {item.align}"),
    Rule(SIZE.words, lambda item: SIZE.holds(item.size), lambda item: f"its size is {item.size}"),
    Rule("1, 3 or 4", lambda item: item.space in SPACES, lambda item: f"its address space is {item.space}"),
    Rule(
        "as many as its size",
        lambda item: item.content is None or len(item.content) == item.size,
        lambda item: f"it has {len(item.content)} bytes of {item.size}",
    ),
    Rule("none", lambda item: SPACES.get(item.space) != "shared" or item.content is None, lambda _: "it has initial bytes and is shared"),
    Rule(
        "pointers in its content, one after another", are_apart, lambda item: f"it points from {[part.offset for part in item.relocations]}"
    ),
)

FUNCTION_RULES = (
    Rule(
        "one of write, read, none",
        lambda function: function.memory in ("write", "read", "none"),
        lambda function: f"memory is {function.memory}",
    ),
    Rule(
        "nothing",
        lambda function: not function.blocks or (function.convergent and function.memory == "write"),
        lambda _: "it is defined, and says what declarations say",
    ),
    Rule(f"one of {', '.join(INLINE)}", lambda function: function.inline in INLINE, lambda function: f"inline is {function.inline}"),
    Rule(
        "positive numbers, as many as each has",
        lambda function: all(
            len(numbers) == LAUNCH_FACTS.get(name) and all(0 < number < 1 << 31 for number in numbers)
            for name, numbers in function.launch.items()
        ),
        lambda function: f"says of its launches {function.launch}",
    ),
    Rule("none", lambda function: function.kernel or not function.launch, lambda _: "what is no kernel says how it is launched"),
    Rule(
        "a function with a body that is no kernel",
        lambda function: not function.exported or (function.blocks and not function.kernel and not function.weak),
        lambda _: "it is exported",
    ),
    Rule(
        "one of both",
        lambda function: not {"maxntid", "reqntid"} <= function.launch.keys(),
        lambda _: "says both the shape of a block and the most threads",
    ),
    Rule(
        "nothing",
        lambda function: not function.kernel or function.result is None,
        lambda function: f"a kernel returns {function.result}",
    ),
    Rule(
        "a scalar",
        lambda function: function.result is None or isinstance(function.result, ScalarType),
        lambda function: f"returns {function.result}",
    ),
    Rule("one", lambda function: not function.kernel or function.blocks, lambda _: "a kernel has no body"),
    Rule("none", lambda function: not function.operation or not function.blocks, lambda _: "a device operation has a body"),
    Rule(
        "scalars, and promises of pointers only",
        lambda function: all(map(keeps_promises, function.params)),
        lambda function: f"has parameters {function.params}",
    ),
    Rule(
        "the function's parameters at its entry",
        lambda function: (
            not function.blocks or [value.type for value in function.blocks[0].params] == [param.type for param in function.params]
        ),
        lambda function: f"begins with {[value.type for value in function.blocks[0].params]}",
    ),
    Rule("at the entry only", lambda function: not any(block.params for block in function.blocks[1:]), lambda _: "a block has parameters"),
)


class VerifyError(Exception):
    """A module breaks its stage's rules: a bug of the pass that made it, or an edit of a stage file."""

    def __init__(self, stage: str, messages: list[str]) -> None:
        super().__init__(f"the {stage} module is invalid\n  " + "\n  ".join(messages))
        self.messages = messages


def verify(module: Module, dialects: frozenset[str]) -> None:
    """Raise `VerifyError` unless the module keeps every rule with ops of these dialects only."""
    messages: list[str] = []
    for symbols in (module.globals, module.functions):
        for symbol, item in symbols.items():
            if symbol != item.symbol or (symbol in module.globals and symbol in module.functions):
                messages.append(f"@{symbol} names @{item.symbol}, or more than one thing")
    for item in module.globals.values():
        messages += [f"global @{item.symbol}: {told}" for told in broken_rules(GLOBAL_RULES, item)]
        pointed = (relocation.symbol for relocation in item.relocations)
        missing = (symbol for symbol in pointed if symbol not in module.globals and symbol not in module.functions)
        messages.extend(f"global @{item.symbol} points at @{symbol}, which is not defined" for symbol in missing)
    for function in module.functions.values():
        messages += [f"@{function.symbol}: {told}" for told in broken_rules(FUNCTION_RULES, function)]
        for op, message in broken(function, module, dialects):
            where = f"@{function.symbol}" + (f" at {op.loc}" if op is not None and op.loc else "")
            messages.append(f"{where}: {op.name + ': ' if op is not None else ''}{message}")
    if messages:
        raise VerifyError(module.stage, messages)


def broken_rules(rules: tuple[Rule, ...], item: Function | Global) -> Iterator[str]:
    """Yield a message for each rule that a function or global breaks."""
    return (f"{rule.got(item)}, expected {rule.words}" for rule in rules if not rule.holds(item))


def broken(function: Function, module: Module, dialects: frozenset[str]) -> Iterator[tuple[Op | None, str]]:
    """Yield what is wrong in one function's body, with the op if one is to blame."""
    if not function.blocks:
        return
    blocks = {block: index for index, block in enumerate(function.blocks)}
    position = dict.fromkeys(function.blocks[0].params, -1)
    starts: list[int] = []
    number = 0
    for index, block in enumerate(function.blocks):
        starts.append(number)
        if not block.ops or not block.ops[-1].terminator:
            yield (block.ops[-1] if block.ops else None), f"block {index} does not end in a terminator"
        for op in block.ops:
            for value in op.results():
                if value in position:
                    yield op, "defines a value that is defined already"
                position[value] = number
            number += 1
    dominates: Callable[[int, int], bool] | None = None
    after_entry = len(function.blocks[0].ops)
    number = 0
    for index, block in enumerate(function.blocks):
        start = starts[index]
        last = start + len(block.ops) - 1
        for op in block.ops:
            if op.dialect not in dialects:
                yield op, f"this stage holds only {' and '.join(sorted(dialects))} ops"
            if op.terminator and number != last:
                yield op, "ends its block, yet ops follow"
            for message in op.check():
                yield op, message
            for message in op.check_place(function, module):
                yield op, message
            for key in op.symbols:
                symbol = getattr(op, key)
                if symbol is not None and symbol not in module.functions and symbol not in module.globals:
                    yield op, f"@{symbol} is not defined"
            for value in op.operands():
                place = position.get(value)
                if place is None:
                    yield op, "uses a value that nothing in this function defines"
                elif start <= place < number or place < after_entry <= start:
                    pass  # of this block, or of the entry
                elif place >= start and bisect_right(starts, place) - 1 == index:
                    yield op, "uses a value before its definition"
                elif place >= 0:
                    above = bisect_right(starts, place) - 1
                    dominates = dominates or dominance(function.blocks, blocks)
                    if not dominates(above, index):
                        yield op, f"uses a value of block {above}, which does not dominate block {index}"
            for target in op.successors():
                if blocks.get(target, 0) == 0:
                    yield op, "goes to a block that is not one of this function's, or to its entry"
            number += 1


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
