"""The graph of references in a module: what a function reaches, and which functions are recursive.

names = graph(module)
reached(names, "vecadd")      # {"vecadd", "_RNv…", "TILE"}
cycles(names)                 # [["_RNv…3fib"]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.ir import Function, Module

    Graph: TypeAlias = dict[str, set[str]]

Node = TypeVar("Node", str, int)


def graph(module: Module) -> Graph:
    """Return the functions and globals that each function or global names."""
    names: Graph = {symbol: symbols_of(function) for symbol, function in module.functions.items()}
    return names | {symbol: {pointer.symbol for pointer in item.relocations} for symbol, item in module.globals.items()}


def symbols_of(function: Function) -> set[str]:
    """Return the functions and globals that a function names."""
    ops = (op for block in function.blocks for op in block.ops if op.symbols)
    return {getattr(op, key) for op in ops for key in op.symbols}


def reached(names: dict[Node, set[Node]], start: Node) -> set[Node]:
    """Return what can be reached from a symbol, itself included."""
    found, work = {start}, [start]
    while work:
        new = names.get(work.pop(), set()) - found
        found |= new
        work += new
    return found


def cycles(names: dict[Node, set[Node]]) -> Iterator[list[Node]]:
    """Yield the groups of symbols that reach themselves: Tarjan's strongly connected components, but for single ones without a loop."""
    order: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    stack: list[Node] = []
    stacked: set[Node] = set()
    for root in names:
        if root in order:
            continue
        work = [(root, iter(sorted(names[root])))]
        order[root] = lowest[root] = len(order)
        stack.append(root)
        stacked.add(root)
        while work:
            symbol, rest = work[-1]
            for name in rest:
                if name not in order and name in names:
                    order[name] = lowest[name] = len(order)
                    stack.append(name)
                    stacked.add(name)
                    work.append((name, iter(sorted(names[name]))))
                    break
                if name in stacked:
                    lowest[symbol] = min(lowest[symbol], order[name])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[symbol])
                if lowest[symbol] == order[symbol]:
                    group = []
                    while symbol in stacked:
                        group.append(stack.pop())
                        stacked.remove(group[-1])
                    if len(group) > 1 or symbol in names[symbol]:
                        yield group
