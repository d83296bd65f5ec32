"""No dump is too deep or too long: nothing recurses over types, places or statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import pytest

from oxide import pipeline
from oxide.export.worker import LlvmWorker
from oxide.mir_import import stable_mir as smir
from oxide.options import CompileOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

DEPTH = 2_000
UNIT, NUMBER, USIZE, SLICE = range(4)


def layout(
    size: int,
    abi: smir.ScalarAbi | smir.ScalarPairAbi | smir.MemoryAbi,
    fields: smir.StructFields | None = None,
    *,
    sized: bool = True,
    align: int = 0,
) -> smir.Layout:
    return smir.Layout(size, align or max(size, 1), sized, abi, fields or smir.PrimitiveFields(), smir.SingleVariant(0))


def scalar(bits: int) -> smir.ScalarAbi:
    return smir.ScalarAbi(smir.IntScalar(bits, signed=False))


def pointer_layout() -> smir.Layout:
    return layout(8, smir.ScalarAbi(smir.PointerScalar(0)))


def fat_pointer_layout() -> smir.Layout:
    return layout(16, smir.ScalarPairAbi(smir.PointerScalar(0), smir.IntScalar(64, signed=False), 8), align=8)


def struct(name: str, field: int, found: smir.Layout) -> smir.Type:
    kind = smir.Adt(name, "demo", "Struct", None, [], [smir.Variant("", "0", [field], ["inner"])])
    return smir.Type(name, kind, freeze=True, layout=found)


class Types:
    """The table of types: plain ones, then nests of three kinds, `DEPTH` deep, and pointers to the outermost."""

    def __init__(self) -> None:
        self.table = [
            smir.Type("()", smir.Tuple([]), freeze=True, layout=layout(0, smir.MemoryAbi())),
            smir.Type("u32", smir.Int(32, signed=False), freeze=True, layout=layout(4, scalar(32))),
            smir.Type("usize", smir.Int(64, signed=False), freeze=True, layout=layout(8, scalar(64))),
            smir.Type("[u32]", smir.Slice(NUMBER), freeze=True, layout=layout(0, smir.MemoryAbi(), sized=False, align=4)),
        ]
        fields = smir.StructFields([0])
        self.structs = self.nest(NUMBER, lambda inner: struct(f"S{inner}", inner, layout(4, scalar(32), fields)))
        self.tails = self.nest(SLICE, lambda inner: struct(f"T{inner}", inner, layout(0, smir.MemoryAbi(), fields, sized=False, align=4)))
        self.pointers = self.nest(NUMBER, self.pointer_to)
        self.struct_pointer = self.nest(self.structs[-1], self.pointer_to, 1)[-1]
        self.number_pointer = self.nest(NUMBER, self.pointer_to, 1)[-1]
        fat = smir.Type("*const T", smir.RawPtr(self.tails[-1], mutable=False), freeze=True, layout=fat_pointer_layout())
        self.tail_pointer = self.nest(SLICE, lambda _: fat, 1)[-1]

    @staticmethod
    def pointer_to(inner: int) -> smir.Type:
        return smir.Type(f"*mut {inner}", smir.RawPtr(inner, mutable=True), freeze=True, layout=pointer_layout())

    def nest(self, inner: int, make: object, depth: int = DEPTH) -> list[int]:
        assert callable(make)
        found = []
        for _ in range(depth):
            self.table.append(make(inner))
            inner = len(self.table) - 1
            found.append(inner)
        return found


def copy(local: int, *projection: smir.Projection) -> smir.CopyOperand:
    return smir.CopyOperand(smir.Place(local, list(projection)))


def assign(local: int, rvalue: smir.Rvalue, *projection: smir.Projection) -> smir.Assign:
    return smir.Assign(smir.Place(local, list(projection)), rvalue, 0)


def dump(types: Types, locals_: list[int], arguments: int, blocks: list[smir.BasicBlock], more: list[smir.Function]) -> bytes:
    declared = [smir.LocalDecl(ty, None, 0) for ty in locals_]
    body = smir.Body(list(declared), arguments, list(blocks))
    kernel = function("deep", locals_[1 : arguments + 1], UNIT, body)
    profile = smir.Profile("Aggressive", overflow_checks=False, ub_checks=False, contract_checks=False)
    spans = [smir.Span("deep.rs", 1, 1, local=True, caller=None, function=None)]
    kernels = [smir.Kernel("deep", 0, [], 0)]
    return msgspec.json.encode(
        smir.Dump(smir.SCHEMA, "1.96.0", "deep", "deep", profile, kernels, [], [], types.table, [], spans, [kernel, *more])
    )


def function(name: str, params: list[int], result: int, body: smir.Body | None, intrinsic: str | None = None) -> smir.Function:
    encoded = msgspec.Raw(msgspec.json.encode(body))
    kind: Literal["Item", "Intrinsic"] = "Item" if intrinsic is None else "Intrinsic"
    return smir.Function(name, name, name, "demo", kind, [], params, result, "Default", 0, None, encoded, intrinsic)


@pytest.fixture(scope="module")
def worker() -> Iterator[LlvmWorker]:
    with LlvmWorker() as started:
        yield started


def compiled(worker: LlvmWorker, source: bytes, kind: str) -> str:
    """Compile a dump; what its `mir` text becomes must be the same."""
    outputs = pipeline.compile(source, start="mir-json", emit={"mir", kind}, options=CompileOptions(), worker=worker, name="deep")
    again = pipeline.compile(outputs["mir"], start="mir", emit={kind}, options=CompileOptions(), worker=worker, name="deep")
    assert again[kind] == outputs[kind]
    return outputs[kind].decode()


def test_a_field_in_deeply_nested_structs(worker: LlvmWorker) -> None:
    types = Types()
    path = [smir.FieldProjection(0, inner) for inner in [*reversed(types.structs[:-1]), NUMBER]]
    statements = [
        assign(3, smir.Use(copy(1, smir.Deref()))),
        assign(2, smir.Use(copy(3, *path)), smir.Deref()),
    ]
    block = smir.BasicBlock(list(statements), smir.Return(0))
    locals_ = [UNIT, types.struct_pointer, types.number_pointer, types.structs[-1]]
    text = compiled(worker, dump(types, locals_, 2, [block], []), "ptx")
    assert "st.global" in text


def test_a_chain_of_pointers(worker: LlvmWorker) -> None:
    types = Types()
    chain = [smir.Deref() for _ in range(DEPTH)]
    block = smir.BasicBlock([assign(2, smir.Use(copy(1, *chain)), smir.Deref())], smir.Return(0))
    text = compiled(worker, dump(types, [UNIT, types.pointers[-1], types.number_pointer], 2, [block], []), "ptx")
    assert text.count("ld.") > DEPTH


def test_the_size_of_a_deeply_nested_tail(worker: LlvmWorker) -> None:
    types = Types()
    size_of_val = function("size_of_val", [types.tail_pointer], USIZE, None, "size_of_val")
    size_of_val.generic_args.append(smir.TypeArg(types.tails[-1]))
    call = smir.Call(smir.DirectCallee(1), [copy(3)], False, smir.Place(4, []), 1, 0)
    made = assign(3, smir.AggregateRvalue(smir.RawPtrAggregate(), [copy(1), copy(2)]))
    store = assign(5, smir.CastRvalue(smir.IntToInt(), copy(4), NUMBER))
    blocks = [smir.BasicBlock([made], call), smir.BasicBlock([store, assign(1, smir.Use(copy(5)), smir.Deref())], smir.Return(0))]
    locals_ = [UNIT, types.number_pointer, USIZE, types.tail_pointer, USIZE, NUMBER]
    assert "st.global" in compiled(worker, dump(types, locals_, 2, blocks, [size_of_val]), "ptx")


def test_a_long_function(worker: LlvmWorker) -> None:
    # Both ways of being long: many statements in one block, many blocks.
    types = Types()
    add = assign(2, smir.BinaryOp("Add", copy(2), copy(2)))
    block = smir.BasicBlock([add] * 100_000, smir.Goto(1, 0))
    blocks = [block, *(smir.BasicBlock([add] * 10, smir.Goto(number, 0)) for number in range(2, 10_001))]
    last = smir.BasicBlock([assign(1, smir.Use(copy(2)), smir.Deref())], smir.Return(0))
    source = dump(types, [UNIT, types.number_pointer, NUMBER], 2, [*blocks, last], [])
    # What the rest takes is LLVM's.
    outputs = pipeline.compile(source, start="mir-json", emit={"ll"}, options=CompileOptions(), worker=worker, name="deep")
    assert outputs["ll"].count(b" = add i32 ") > 190_000
