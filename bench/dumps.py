"""Dumps of any size, for the compiler's growth.

    text = dump(statements=2_000, functions=1)       # bytes, as the backend would write them

Each function computes with eight locals in blocks of ten statements: sums, products, shifts, exclusive ors, a store through a
pointer, and a switch at the end of each block. What they compute is of no use; that they are well-formed MIR is.
"""

from __future__ import annotations

import msgspec

from oxide.mir_import import stable_mir as smir

U32, POINTER, UNIT = range(3)
LOCALS = 8
FIRST_LOCAL = 2
"""Local 0 is the return place, local 1 the pointer."""
STATEMENTS_A_BLOCK = 10


def layout(size: int, abi: smir.ScalarAbi | smir.MemoryAbi) -> smir.Layout:
    """Return the layout of a type without fields."""
    return smir.Layout(size, max(size, 1), sized=True, abi=abi, fields=smir.PrimitiveFields(), variants=smir.SingleVariant(0))


TYPES = [
    smir.Type("u32", smir.Int(32, signed=False), freeze=True, layout=layout(4, smir.ScalarAbi(smir.IntScalar(32, signed=False)))),
    smir.Type("*mut u32", smir.RawPtr(U32, mutable=True), freeze=True, layout=layout(8, smir.ScalarAbi(smir.PointerScalar(0)))),
    smir.Type("()", smir.Tuple([]), freeze=True, layout=layout(0, smir.MemoryAbi())),
]


def copy(local: int) -> smir.CopyOperand:
    """Return the value of a local."""
    return smir.CopyOperand(smir.Place(local, []))


def constant(value: int) -> smir.ConstantOperand:
    """Return a `u32`."""
    return smir.ConstantOperand(U32, smir.Allocated(smir.Memory(value.to_bytes(4, "little").hex(), 4)), 0)


def statement(number: int) -> smir.Assign:
    """Return one assignment; which, goes by its number."""
    target, left, right = (FIRST_LOCAL + (number * step + step) % LOCALS for step in (1, 3, 5))
    rvalue: smir.Rvalue
    match number % 5:
        case 0:
            rvalue = smir.BinaryOp("Add", copy(left), copy(right))
        case 1:
            rvalue = smir.BinaryOp("Mul", copy(left), constant(number % 1000 + 3))
        case 2:
            rvalue = smir.BinaryOp("Shl", copy(left), constant(number % 31))
        case 3:
            rvalue = smir.BinaryOp("BitXor", copy(left), copy(right))
        case _:
            return smir.Assign(smir.Place(1, [smir.Deref()]), smir.Use(copy(left)), 0)
    return smir.Assign(smir.Place(target, []), rvalue, 0)


def body(statements: int) -> smir.Body:
    """Return a body of that many statements."""
    first = [smir.Assign(smir.Place(FIRST_LOCAL + index, []), smir.Use(constant(index)), 0) for index in range(LOCALS)]
    starts = range(0, statements - LOCALS, STATEMENTS_A_BLOCK)
    groups = [
        first,
        *([statement(number) for number in range(start, min(start + STATEMENTS_A_BLOCK, statements - LOCALS))] for start in starts),
    ]
    blocks: list[smir.BasicBlock | None] = [
        smir.BasicBlock(list(group), smir.SwitchInt(copy(FIRST_LOCAL + index % LOCALS), [("7", min(index + 2, len(groups)))], index + 1, 0))
        for index, group in enumerate(groups)
    ]
    blocks.append(smir.BasicBlock([], smir.Return(0)))
    return smir.Body([smir.LocalDecl(ty, None, 0) for ty in (UNIT, POINTER, *[U32] * LOCALS)], 1, blocks)


def caller(functions: int) -> smir.Body:
    """Return the body of a kernel that calls each function once."""
    result = smir.Place(0, [])
    blocks: list[smir.BasicBlock | None] = [
        smir.BasicBlock([], smir.Call(smir.DirectCallee(number), [copy(1)], spread=False, place=result, target=number, span=0))
        for number in range(1, functions + 1)
    ]
    blocks.append(smir.BasicBlock([], smir.Return(0)))
    return smir.Body([smir.LocalDecl(ty, None, 0) for ty in (UNIT, POINTER)], 1, blocks)


def function(name: str, content: smir.Body) -> smir.Function:
    """Return a function that takes the pointer."""
    encoded = msgspec.Raw(msgspec.json.encode(content))
    return smir.Function(name, name, name, "bench", "Item", [], [POINTER], UNIT, "Never", 0, None, encoded)


def dump(statements: int, functions: int) -> bytes:
    """Return a dump of that many statements, spread evenly over so many functions that one kernel calls."""
    if functions == 1:
        found = [function("bench_kernel", body(statements))]
    else:
        found = [function("bench_kernel", caller(functions))]
        found += [function(f"bench_{number}", body(statements // functions)) for number in range(functions)]
    profile = smir.Profile("Aggressive", overflow_checks=False, ub_checks=False, contract_checks=False)
    spans = [smir.Span("bench.rs", 1, 1, local=True, caller=None, function=None)]
    kernels = [smir.Kernel("kernel", 0, ["out"], 0)]
    return msgspec.json.encode(smir.Dump(smir.SCHEMA, "1.96.0", "bench", "bench", profile, kernels, [], [], TYPES, [], spans, found))
