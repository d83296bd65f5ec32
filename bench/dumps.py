"""Dumps of any size, for the compiler's growth.

    text = dump(statements=2_000, functions=1)       # bytes, as the backend would write them

Each function computes with eight locals in blocks of ten statements: sums, products, shifts, comparisons, a store through a pointer, and a
switch at the end of each block. What they compute is of no use; that they are well-formed MIR is.
"""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]

U32, BOOL, POINTER, UNIT = range(4)
LOCALS = 8
STATEMENTS_A_BLOCK = 10


def scalar(bits: int) -> Json:
    return {"kind": "Scalar", "scalar": {"kind": "Int", "bits": bits, "signed": False}}


def layout(size: int, abi: Json, fields: Json) -> Json:
    return {"size": size, "align": max(size, 1), "sized": True, "abi": abi, "fields": fields, "variants": {"kind": "Single", "index": 0}}


PRIMITIVE = {"kind": "Primitive"}

TYPES = [
    {"name": "u32", "ty": {"kind": "Int", "bits": 32, "signed": False}, "freeze": True, "layout": layout(4, scalar(32), PRIMITIVE)},
    {"name": "bool", "ty": {"kind": "Bool"}, "freeze": True, "layout": layout(1, scalar(8), PRIMITIVE)},
    {
        "name": "*mut u32",
        "ty": {"kind": "RawPtr", "pointee": U32, "mutable": True},
        "freeze": True,
        "layout": layout(8, {"kind": "Scalar", "scalar": {"kind": "Pointer", "space": 0}}, PRIMITIVE),
    },
    {"name": "()", "ty": {"kind": "Tuple", "elements": []}, "freeze": True, "layout": layout(0, {"kind": "Memory"}, {"kind": "Struct", "offsets": []})},
]

SPAN = {"file": "bench.rs", "line": 1, "column": 1, "local": True, "caller": None}


def place(local: int, *projection: Json) -> Json:
    return {"local": local, "projection": list(projection)}


def copy(local: int) -> Json:
    return {"kind": "Copy", "place": place(local)}


def constant(value: int) -> Json:
    memory = {"bytes": value.to_bytes(4, "little").hex(), "align": 4}
    return {"kind": "Constant", "ty": U32, "value": {"kind": "Allocated", "memory": memory}, "span": 0}


def statement(number: int) -> Json:
    """Return one assignment; which, goes by its number."""
    target, left, right = (2 + (number * step + step) % LOCALS for step in (1, 3, 5))
    match number % 5:
        case 0:
            rvalue = {"kind": "BinaryOp", "op": "Add", "left": copy(left), "right": copy(right)}
        case 1:
            rvalue = {"kind": "BinaryOp", "op": "Mul", "left": copy(left), "right": constant(number % 1000 + 3)}
        case 2:
            rvalue = {"kind": "BinaryOp", "op": "Shl", "left": copy(left), "right": constant(number % 31)}
        case 3:
            rvalue = {"kind": "BinaryOp", "op": "BitXor", "left": copy(left), "right": copy(right)}
        case _:
            return {"kind": "Assign", "place": place(1, {"kind": "Deref"}), "rvalue": {"kind": "Use", "operand": copy(left)}, "span": 0}
    return {"kind": "Assign", "place": place(target), "rvalue": rvalue, "span": 0}


def body(statements: int) -> Json:
    """Return a body of that many statements."""
    first = [{"kind": "Assign", "place": place(2 + index), "rvalue": {"kind": "Use", "operand": constant(index)}, "span": 0} for index in range(LOCALS)]
    numbers = list(range(statements - LOCALS))
    groups = [first] + [
        [statement(number) for number in numbers[start : start + STATEMENTS_A_BLOCK]] for start in range(0, len(numbers), STATEMENTS_A_BLOCK)
    ]
    blocks: list[Json] = []
    for index, group in enumerate(groups):
        after = min(index + 2, len(groups))
        switch = {"kind": "SwitchInt", "operand": copy(2 + index % LOCALS), "cases": [["7", after]], "otherwise": index + 1, "span": 0}
        blocks.append({"statements": group, "terminator": switch})
    blocks.append({"statements": [], "terminator": {"kind": "Return", "span": 0}})
    local = {"name": None, "span": 0}
    locals_ = [{"ty": UNIT, **local}, {"ty": POINTER, **local}, *({"ty": U32, **local} for _ in range(LOCALS))]
    return {"locals": locals_, "arg_count": 1, "blocks": blocks}


def function(name: str, content: Json) -> Json:
    return {
        "symbol": name, "name": name, "path": name, "crate": "bench", "kind": "Item", "generic_args": [], "params": [POINTER], "result": UNIT,
        "inline": "Never", "span": 0, "spread_arg": None, "body": content,
    }  # fmt: skip


def caller(functions: int) -> Json:
    """Return the body of a kernel that calls each function once."""
    blocks = [
        {
            "statements": [],
            "terminator": {
                "kind": "Call", "callee": {"kind": "Function", "function": number}, "args": [copy(1)], "spread": False, "place": place(0),
                "target": number, "span": 0,
            },
        }
        for number in range(1, functions + 1)
    ]  # fmt: skip
    blocks.append({"statements": [], "terminator": {"kind": "Return", "span": 0}})
    local = {"name": None, "span": 0}
    return {"locals": [{"ty": UNIT, **local}, {"ty": POINTER, **local}], "arg_count": 1, "blocks": blocks}


def dump(statements: int, functions: int) -> bytes:
    """Return a dump of that many statements, spread evenly over so many functions that one kernel calls."""
    kernel = body(statements) if functions == 1 else caller(functions)
    bodies = [function("bench_kernel", kernel)]
    if functions > 1:
        bodies += [function(f"bench_{number}", body(statements // functions)) for number in range(functions)]
    whole = {
        "schema": 1, "rustc": "1.96.0", "crate": "bench", "package": "bench",
        "profile": {"opt_level": "Aggressive", "overflow_checks": False, "ub_checks": False, "contract_checks": False},
        "kernels": [{"name": "kernel", "function": 0, "span": 0}],
        "types": TYPES, "allocations": [], "spans": [SPAN], "functions": bodies,
    }  # fmt: skip
    return json.dumps(whole, separators=(",", ":")).encode()
