"""The verifier catches what breaks a module: each op, operand, attribute, successor, result and rule of it is broken, and told.

The mutations follow from the declarations, and the good modules are what the goldens begin with, so that a new op has its mutations as soon
as it has its golden. What the verifier lets pass of LLVM's dialect, LLVM has to take too.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oxide.dialects import llvm, llvm_form, mir, nvvm, operations  # noqa: F401 - their ops and forms
from oxide.errors import UsageError
from oxide.ir import (
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    I128,
    OPS,
    PTR,
    Array,
    Block,
    Function,
    Global,
    Int,
    Location,
    Module,
    Op,
    Param,
    Pointer,
    Relocation,
    Struct,
    Symbol,
    Type,
    Value,
    VerifyError,
    ops,
    verifier,
    verify,
)
from oxide.ir.parser import parse_module
from oxide.ir.printer import print_module
from oxide.pipeline import STAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oxide.ir.ops import Field

GOLDEN = Path(__file__).parents[1] / "golden"
HERE = Location("mutated", 1, 1)
TYPES: tuple[Type, ...] = (
    I1, I8, I16, I32, I64, I128, Int(7), F16, F32, F64, PTR, Pointer(3), Struct((I32, I1)), Array(4, I8),
)  # fmt: skip
WRONG: dict[type, tuple[object, ...]] = {
    int: (-1, 0, 1, 3, 1 << 31, 1 << 63, 1 << 130, -1 << 70),
    bool: (),
    str: ("nonsense", "", *llvm.ORDERINGS, *mir.ORDERINGS),
    Symbol: (Symbol("nowhere"),),
    tuple: ((), (1,), (1, 1), (-1,), ("x",), (1 << 130,), (0, 2, 1, 0), (0, 0, 1 << 70, 0)),
}
"""Values of an attribute's own type, some of which break its rule."""


def read(path: Path) -> Module:
    """Return the module that a golden begins with."""
    stage = path.suffix[1:]
    text = path.read_text().partition("// ---- out\n")[0]
    return parse_module(f'"builtin.module"() ({{\n{text}}}) {{oxide.stage = "{stage}", sym_name = "golden"}} : () -> ()\n', stage)


FEW_ROWS = (
    "thread::threadIdx_x",
    "thread::sync_threads",
    "warp::elect",
    "warp::shuffle_sync",
    "float::fma_rn_f32",
    "barrier::mbarrier_init",
)
"""All rows share the methods of two classes, so a few stand for them."""

NAMES = [name for name in OPS if name not in nvvm.OPS] + [operations.BY_PATH[path].name for path in FEW_ROWS]


def every_operation() -> Module:
    """Return a module with each row of the GPU operations, of which few have a golden."""
    module = Module("operations", "nvvm")
    for number, row in enumerate(operations.ROWS):
        function = Function(Symbol(f"operation{number}"), tuple(map(Param, row.operands)), None)
        block = function.add_block()
        block.ops += [nvvm.OPS[row.name](function.arguments), mir.Return(None)]
        module.add(function)
    return module


@cache
def goods() -> list[Module]:
    """The modules to break."""
    found = [read(path) for stage in ("llvm", "nvvm", "ll") for path in sorted((GOLDEN / stage).iterdir())]
    found.append(every_operation())
    for module in found:
        verify(module, STAGE[module.stage].dialects)
    return found


@dataclass(frozen=True)
class Place:
    """Where an op stands."""

    module: Module
    function: Function
    block: Block
    index: int

    @property
    def op(self) -> Op:
        return self.block.ops[self.index]


@cache
def places() -> dict[str, list[Place]]:
    """Where each op stands in the good modules, once for each kind of operands and attributes."""
    found: dict[str, dict[object, Place]] = defaultdict(dict)
    for module in goods():
        for function in module.functions.values():
            for block in function.blocks:
                for index, op in enumerate(block.ops):
                    kind = (tuple(value.type for value in op.operands()), str(op.text_attributes()), module.stage)
                    found[op.name].setdefault(kind, Place(module, function, block, index))
    return {name: list(kinds.values()) for name, kinds in found.items()}


@contextlib.contextmanager
def changed(item: object, name: str, value: object) -> Iterator[None]:
    """Change an attribute for a while."""
    before = getattr(item, name)
    setattr(item, name, value)
    try:
        yield
    finally:
        setattr(item, name, before)


@contextlib.contextmanager
def parameter(function: Function, ty: Type) -> Iterator[Value]:
    """Give a function one more parameter for a while."""
    value = Value(ty)
    entry = function.blocks[0]
    with changed(function, "params", (*function.params, Param(ty))), changed(entry, "params", (*entry.params, value)):
        yield value


def complaints(module: Module, dialects: frozenset[str] | None = None) -> list[str]:
    """Return what the verifier says of a module."""
    try:
        verify(module, STAGE[module.stage].dialects if dialects is None else dialects)
    except VerifyError as error:
        return error.messages
    return []


def blamed(place: Place, dialects: frozenset[str] | None = None) -> list[str]:
    """Return what the verifier says of one op, which has been changed."""
    with changed(place.op, "loc", HERE):
        messages = complaints(place.module, dialects)
    mark = f" at {HERE}: {place.op.name}: "
    return [message.partition(mark)[2] for message in messages if mark in message]


@dataclass(frozen=True)
class Slot:
    """One operand: the field that it is or, by its index, is part of."""

    op: Op
    key: str
    index: int | None = None

    @property
    def type(self) -> Type:
        given = getattr(self.op, self.key)
        found: Value = given if self.index is None else given[self.index]
        return found.type

    def filled(self, value: Value) -> contextlib.AbstractContextManager[None]:
        """Replace the operand for a while."""
        given = getattr(self.op, self.key)
        index = self.index
        return changed(self.op, self.key, value if index is None else (*given[:index], value, *given[index + 1 :]))


def slots(op: Op) -> Iterator[Slot]:
    """The operands of an op."""
    for key, field in op.fields.items():
        given = getattr(op, key)
        if field.kind in ("operand", "optional") and given is not None:
            yield Slot(op, key)
        elif field.kind == "operands":
            yield from (Slot(op, key, index) for index in range(len(given)))


def mutations(place: Place) -> Iterator[tuple[str, str]]:
    """Break an op in every way that follows from its declaration; yield the field and the way while it is broken."""
    op, function = place.op, place.function
    for slot in slots(op):
        for ty in TYPES:
            with parameter(function, ty) as value, slot.filled(value):
                yield slot.key, "type"
        with slot.filled(Value(slot.type)):
            yield slot.key, "from nowhere"
        for later in [result for other in place.block.ops[place.index :] for result in other.results()][:1]:
            with slot.filled(later):
                yield slot.key, "before its definition"
    for ty in TYPES:
        with parameter(function, ty) as value, contextlib.ExitStack() as stack:
            for slot in slots(op):
                stack.enter_context(slot.filled(value))
            yield "all operands", "type"
    for key, field in op.fields.items():
        given = getattr(op, key)
        match field.kind:
            case "operands":
                if given:
                    with changed(op, key, given[:-1]):
                        yield key, "missing"
                with parameter(function, I32) as value, changed(op, key, (*given, value)):
                    yield key, "extra"
            case "attribute":
                for wrong in (object(), 7.5):
                    with changed(op, key, wrong):
                        yield key, "type"
                for other in WRONG.get(field.type, TYPES):
                    if other != given:
                        with changed(op, key, other):
                            yield key, "value"
            case "successor":
                for target in (Block(), function.blocks[0]):
                    with changed(op, key, target):
                        yield key, "target"
            case "successors":
                for target in (Block(), function.blocks[0]):
                    with changed(op, key, (*given[:-1], target)):
                        yield key, "target"
                with changed(op, key, given[:-1]):
                    yield key, "missing"
                with changed(op, key, (*given, given[-1])):
                    yield key, "extra"
            case "result" | "optional result" if given is not None:
                for ty in TYPES:
                    if ty is not given.type:
                        with changed(given, "type", ty):
                            yield key, "type"
            case _:
                pass
    if op.terminator or op.results():
        with changed(place.block, "ops", [*place.block.ops[: place.index + 1], *place.block.ops[place.index :]]):
            yield "the op", "twice"


def expected(op: type[Op], field: Field) -> set[str]:
    """The ways to break a field of an op that have to be noticed."""
    match field.kind:
        case "operands" if issubclass(op, nvvm.GpuOp) and not op.row.params:
            return {"extra"}
        case "operand" | "optional":
            return {"type", "from nowhere"}
        case "operands":
            return {"type", "from nowhere", "missing", "extra"}
        case "attribute":
            return {"type"} | ({"value"} if field.rule is not None else set())
        case "successor":
            return {"target"}
        case "successors":
            return {"target", "missing", "extra"}
        case _:
            return {"type"}


UNBREAKABLE = {
    ("mir.call_pointer", "args", "missing"): "what a function takes is not known through a pointer",
    ("mir.call_pointer", "args", "extra"): "what a function takes is not known through a pointer",
}
"""What no rule can notice, and why."""


@pytest.mark.parametrize("name", NAMES)
def test_each_field_and_rule_of_an_op_is_kept(name: str) -> None:
    caught: set[tuple[str, str]] = set()
    broken: set[str] = set()
    slipped: dict[tuple[str, str], str] = {}
    for place in places()[name]:
        for key, way in mutations(place):
            told = blamed(place)
            if told:
                caught.add((key, way))
                broken.update(message.rpartition(", expected ")[2] for message in told)
            elif not complaints(place.module):
                refused = what_comes_after(place.module)
                if refused is not None:
                    slipped.setdefault((key, way), refused)
    op = OPS[name]
    wanted = {(key, way) for key, field in op.fields.items() for way in expected(op, field)}
    wanted -= {(key, way) for named, key, way in UNBREAKABLE if named == name}
    if op.terminator or any("result" in field.kind and not issubclass(op, llvm.Call | mir.Call) for field in op.fields.values()):
        wanted.add(("the op", "twice"))
    assert wanted - caught == set()
    assert [rule.words for rule in op.every_rule if rule.words not in broken] == []
    assert slipped == {}


def what_comes_after(module: Module) -> str | None:
    """Return what is wrong with a module that the verifier lets pass: it is lowered, and LLVM reads it."""
    import llvmlite.binding

    from oxide.export.llvm_ir import to_ll
    from oxide.lower.to_llvm import to_llvm
    from oxide.lower.to_nvvm import to_nvvm
    from oxide.options import CompileOptions

    if module.stage != "llvm":
        module = parse_module(print_module(module), module.stage)
        if module.stage == "mir":
            module = to_nvvm(module, CompileOptions())
        module = to_llvm(module, CompileOptions())
        if messages := complaints(module):
            return "\n".join(messages)
    try:
        llvmlite.binding.parse_assembly(to_ll(module)).verify()
    except RuntimeError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", NAMES)
def test_an_op_of_another_stage_is_told(name: str) -> None:
    place = places()[name][0]
    assert any("this stage holds only" in message for message in blamed(place, STAGE[place.module.stage].dialects - {place.op.dialect}))


SMALL = """\
"builtin.module"() ({
  "mir.global"() {align = 8 : i64, content = "00000000000000000000000000000000", relocations = [[0 : i64, @bytes, 0 : i64], \
[8 : i64, @callee, 0 : i64]], size = 16 : i64, space = 1 : i64, sym_name = "table"} : () -> ()
  "mir.global"() {align = 1 : i64, constant, content = "0102", size = 2 : i64, space = 1 : i64, sym_name = "bytes"} : () -> ()
  "mir.global"() {align = 4 : i64, size = 64 : i64, space = 3 : i64, sym_name = "shared"} : () -> ()
  "mir.func"() ({
  ^bb0(%0: !llvm.ptr, %1: i32, %2: i1):
    %3 = "mir.call"(%1) {callee = @callee} : (i32) -> i32
    "mir.switch"(%2)[^bb1, ^bb2] {cases = [1 : i64]} : (i1) -> ()
  ^bb1:
    %4 = "mir.add"(%3, %1) : (i32, i32) -> i32
    "mir.goto"()[^bb3] : () -> ()
  ^bb2:
    %5 = "mir.neg"(%3) : (i32) -> i32
    "mir.goto"()[^bb3] : () -> ()
  ^bb3:
    %6 = "mir.address_of"() {symbol = @table} : () -> !llvm.ptr
    "mir.return"() : () -> ()
  }) {kernel, launch = {maxntid = [256 : i64], minctasm = [2 : i64]}, params = [{byval = [16 : i64, 8 : i64], type = !llvm.ptr}, i32, i1], \
sym_name = "kernel"} : () -> ()
  "mir.func"() ({
  ^bb0(%0: i32):
    "mir.return"(%0) : (i32) -> ()
  }) {inline = "hint", params = [i32], result = i32, sym_name = "callee"} : () -> ()
  "mir.func"() ({
  }) {operation = "thread::threadIdx_x", params = [], result = i32, sym_name = "operation"} : () -> ()
}) {oxide.stage = "mir", sym_name = "small"} : () -> ()
"""


class Small:
    """A small good module, and its parts."""

    def __init__(self) -> None:
        self.module = parse_module(SMALL, "mir")
        self.kernel, self.callee, self.operation = self.module.functions.values()
        self.table, self.bytes, self.shared = self.module.globals.values()
        self.blocks = self.kernel.blocks
        self.call: Any = self.blocks[0].ops[0]
        self.add: Any = self.blocks[1].ops[0]
        self.neg: Any = self.blocks[2].ops[0]

    def relocate(self, *relocations: Relocation) -> None:
        self.table.relocations = relocations

    def promise(self, index: int, **promises: Any) -> None:
        params = list(self.kernel.params)
        params[index] = replace(params[index], **promises)
        self.kernel.params = tuple(params)

    def add_llvm_address(self) -> None:
        self.module.stage = "llvm"
        self.module.functions = {"callee": self.callee}
        self.table.relocations = ()
        self.callee.blocks[0].ops = [llvm.AddressOf(Symbol("shared"), 1), llvm.Return(self.callee.arguments[0])]


AT_BYTES = Symbol("bytes")

BREAKS: list[tuple[str, Callable[[Small], object]]] = [
    ("global @table: its alignment is 3", lambda small: setattr(small.table, "align", 3)),
    ("global @table: its size is -1", lambda small: setattr(small.table, "size", -1)),
    ("global @table: its address space is 0", lambda small: setattr(small.table, "space", 0)),
    ("global @bytes: it has 2 bytes of 3", lambda small: setattr(small.bytes, "size", 3)),
    ("global @bytes: it has initial bytes and is shared", lambda small: setattr(small.bytes, "space", 3)),
    ("global @table: it points from [9]", lambda small: small.relocate(Relocation(9, AT_BYTES, 0))),
    ("global @table: it points from [-1]", lambda small: small.relocate(Relocation(-1, AT_BYTES, 0))),
    ("global @table: it points from [0, 4]", lambda small: small.relocate(*(Relocation(offset, AT_BYTES, 0) for offset in (0, 4)))),
    ("global @table: it points from [8, 0]", lambda small: small.relocate(*(Relocation(offset, AT_BYTES, 0) for offset in (8, 0)))),
    ("global @table: it points from [0, 8]", lambda small: setattr(small.table, "content", None)),
    ("global @table points at @nowhere", lambda small: small.relocate(Relocation(0, Symbol("nowhere"), 0))),
    (
        "@kernel names @kernel, or more than one thing",
        lambda small: small.module.globals.update(kernel=Global(Symbol("kernel"), 1, 1, 1, False, None)),
    ),
    ("@other names @bytes, or more than one thing", lambda small: small.module.globals.update(other=small.bytes)),
    ("@kernel: memory is all", lambda small: setattr(small.kernel, "memory", "all")),
    ("@kernel: it is defined, and says what declarations say", lambda small: setattr(small.kernel, "memory", "read")),
    ("@kernel: it is defined, and says what declarations say", lambda small: setattr(small.kernel, "convergent", False)),
    ("@kernel: inline is sometimes", lambda small: setattr(small.kernel, "inline", "sometimes")),
    ("@kernel: says of its launches {'maxntid': (0,)}", lambda small: setattr(small.kernel, "launch", {"maxntid": (0,)})),
    ("@kernel: says of its launches {'reqntid': (1, 1)}", lambda small: setattr(small.kernel, "launch", {"reqntid": (1, 1)})),
    ("@kernel: says of its launches {'color': (1,)}", lambda small: setattr(small.kernel, "launch", {"color": (1,)})),
    (
        "@kernel: says both the shape of a block and the most threads",
        lambda small: setattr(small.kernel, "launch", {"maxntid": (8,), "reqntid": (8, 1, 1)}),
    ),
    ("@kernel: a kernel returns i32", lambda small: setattr(small.kernel, "result", I32)),
    ("@callee: returns !llvm.struct<(i32)>", lambda small: setattr(small.callee, "result", Struct((I32,)))),
    ("@kernel: a kernel has no body", lambda small: small.blocks.clear()),
    ("@kernel: it is exported", lambda small: setattr(small.kernel, "exported", True)),
    ("@callee: a device operation has a body", lambda small: setattr(small.callee, "operation", "thread::threadIdx_x")),
    ("@kernel: has parameters", lambda small: small.promise(0, byval=(16, 3))),
    ("@kernel: has parameters", lambda small: small.promise(0, byval=(-1, 8))),
    ("@kernel: has parameters", lambda small: small.promise(1, byval=(4, 4))),
    ("@kernel: has parameters", lambda small: small.promise(1, noalias=True)),
    ("@kernel: has parameters", lambda small: small.promise(1, readonly=True)),
    ("@kernel: has parameters", lambda small: small.promise(0, type=Struct((I32,)))),
    ("@kernel: begins with [!llvm.ptr, i32, i1]", lambda small: small.promise(1, type=I64)),
    ("@kernel: begins with [!llvm.ptr, i32, i1]", lambda small: setattr(small.kernel, "params", small.kernel.params[:2])),
    ("@kernel: begins with [!llvm.ptr, i32]", lambda small: setattr(small.blocks[0], "params", small.blocks[0].params[:2])),
    ("@kernel: a block has parameters", lambda small: setattr(small.blocks[1], "params", (Value(I32),))),
    ("mir.add: block 1 does not end in a terminator", lambda small: small.blocks[1].ops.pop()),
    ("block 3 does not end in a terminator", lambda small: small.blocks[3].ops.clear()),
    ("block 0 does not end in a terminator", lambda small: small.blocks[0].ops.clear()),
    ("mir.return: ends its block, yet ops follow", lambda small: small.blocks[3].ops.insert(0, mir.Return(None))),
    ("mir.add: defines a value that is defined already", lambda small: small.blocks[2].ops.insert(0, small.add)),
    ("llvm.fence: this stage holds only mir ops", lambda small: small.blocks[0].ops.insert(0, llvm.Fence("acquire"))),
    ("mir.call: @nowhere is not defined", lambda small: setattr(small.call, "callee", Symbol("nowhere"))),
    ("mir.call: calls @bytes, which is not a function", lambda small: setattr(small.call, "callee", AT_BYTES)),
    ("mir.call: calls @kernel, which is a kernel", lambda small: setattr(small.call, "callee", Symbol("kernel"))),
    ("mir.call: calls @callee with [], expected [i32]", lambda small: setattr(small.call, "args", ())),
    ("mir.call: calls @callee with [i1], expected [i32]", lambda small: setattr(small.call, "args", (small.kernel.arguments[2],))),
    ("mir.call: calls @callee with [i32, i32], expected [i32]", lambda small: setattr(small.call, "args", small.call.args * 2)),
    ("mir.call: takes a i64 from @callee, which returns i32", lambda small: setattr(small.call, "ty", I64)),
    ("mir.return: returns None, expected i32", lambda small: setattr(small.callee.blocks[0].ops[0], "value", None)),
    ("mir.return: returns i32, expected i64", lambda small: setattr(small.callee, "result", I64)),
    ("mir.return: returns i32, expected None", lambda small: setattr(small.callee, "result", None)),
    ("mir.neg: uses a value that nothing in this function defines", lambda small: setattr(small.neg, "arg", small.callee.arguments[0])),
    ("mir.neg: uses a value before its definition", lambda small: setattr(small.neg, "arg", small.neg.value)),
    ("mir.neg: uses a value of block 1, which does not dominate block 2", lambda small: setattr(small.neg, "arg", small.add.value)),
    ("mir.goto: goes to a block that is not one of", lambda small: setattr(small.blocks[1].ops[-1], "target", small.callee.blocks[0])),
    ("mir.goto: goes to a block that is not one of", lambda small: setattr(small.blocks[1].ops[-1], "target", small.blocks[0])),
    ("llvm.mlir.addressof: says that @shared is in address space 1, which is in 3", Small.add_llvm_address),
]
"""What the verifier says of the small module, broken so."""


@pytest.mark.parametrize(("message", "break_it"), BREAKS, ids=lambda part: part if isinstance(part, str) else "")
def test_what_holds_of_functions_and_globals_is_kept(message: str, break_it: Callable[[Small], object]) -> None:
    small = Small()
    assert complaints(small.module) == []
    break_it(small)
    assert any(message in told for told in complaints(small.module))


def test_every_rule_of_functions_and_globals_is_broken() -> None:
    met = {message.rpartition(", expected ")[2] for message in told_of_small()}
    assert [rule.words for rule in (*verifier.GLOBAL_RULES, *verifier.FUNCTION_RULES) if rule.words not in met] == []


def test_every_message_of_the_verifier_is_met() -> None:
    sources = (verifier.verify, verifier.broken, ops.check_call, ops.check_return, llvm.AddressOf.check_place)
    places_checked = {cls.check_place.__qualname__ for cls in OPS.values()}
    assert places_checked == {f"{name}.check_place" for name in ("Op", "AddressOf", "Call", "ReturnOp")}
    texts = [text for source in sources for text in spoken(source)]
    assert len(texts) > len(sources)
    told = told_of_small()
    assert [text for text in texts if not any(re.search(text, message) for message in told)] == []


def told_of_small() -> list[str]:
    """Return all that the verifier says of the small module."""
    found = []
    for _, break_it in BREAKS:
        small = Small()
        break_it(small)
        found += complaints(small.module)
    return found


def spoken(source: Callable[..., object]) -> Iterator[str]:
    """The messages in a function's source, as patterns."""
    for node in ast.walk(ast.parse(inspect.cleandoc("\n" + inspect.getsource(source)))):
        match node:
            case ast.JoinedStr(values=parts) if len(parts) > 1:
                yield "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in parts)
            case ast.Yield(value=ast.Tuple(elts=[*_, ast.Constant(value=str(text))])):
                yield re.escape(text)
            case _:
                pass


def lines_of(name: str) -> tuple[Module, str, str]:
    """Return a module with an op, its text and the line of the op."""
    place = places()[name][0]
    with changed(place.op, "loc", HERE):
        text = print_module(place.module)
    (line,) = [line for line in text.splitlines() if line.endswith(" loc(#loc0)")]
    return place.module, text, line


def misfits(line: str) -> Iterator[tuple[str, str]]:
    """The line of an op with an operand, an attribute or a result too few or too many."""
    head, attributes, tail = re.fullmatch(r"(.*?\)(?:\[.*?\])?)( \{.*\})?( : .*)", line).groups()  # type: ignore[union-attr]
    if operands := re.search(r"\((%[^()]*)\)", head):
        fewer = ", ".join(operands[1].split(", ")[:-1])
        types = re.sub(r"^( : \()(.*?)((?:, )?[^,]+)(\) -> )", r"\1\2\4", tail)
        yield "missing", head.replace(operands[0], f"({fewer})") + (attributes or "") + types
    more = head.replace("(", "(%nothing, ", 1) if "%" in head.partition("(")[2] else head.replace("()", "(%nothing)", 1)
    yield "extra", more + (attributes or "") + tail
    yield "attribute", head + ' {nonsense = "x"}' + tail
    yield "result", head + (attributes or "") + tail.replace("-> ", "-> !llvm.struct<(i7)>, ", 1)


@pytest.mark.parametrize("name", NAMES)
def test_an_op_whose_text_does_not_fit_is_told(name: str) -> None:
    module, text, line = lines_of(name)
    assert print_module(parse_module(text, module.stage)) == text
    for what, edited in misfits(line):
        if (name, "args", what) in UNBREAKABLE:
            continue
        with pytest.raises((UsageError, VerifyError)):
            verify(parse_module(text.replace(line, edited), module.stage), STAGE[module.stage].dialects)


ATTRIBUTE = re.compile(r"[\w.]+ = (\[.*?\]|\"[^\"]*\"|\{.*?\}|array<[^>]*>|[^,{}]+?)(?=[,}])")
NONSENSE = ("", '"x"', "7 : i64", "-1 : i64", "[]", "[7 : i64]", "[[]]", "{}", "@x", "i32", "true", "array<i32>", "!llvm.func<void ()>")


def edits(line: str) -> Iterator[str]:
    """The line with each attribute taken away, without a value, or with another."""
    for found in ATTRIBUTE.finditer(line):
        yield line[: found.start()] + 'oxide.note = ""' + line[found.end() :]
        for value in NONSENSE:
            yield line[: found.start(1)] + value + line[found.end(1) :]


def parse_or_refuse(text: str, stage: str) -> None:
    """Read and verify a text, which may be wrong and nothing else."""
    with contextlib.suppress(UsageError, VerifyError):
        verify(parse_module(text, stage), STAGE[stage].dialects)


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if any(field.kind == "attribute" for field in op.fields.values())])
def test_no_edit_of_an_attribute_is_a_bug_of_ours(name: str) -> None:
    module, text, line = lines_of(name)
    for edited in edits(line):
        parse_or_refuse(text.replace(line, edited), module.stage)


@pytest.mark.parametrize("file", ["llvm/kernels.mir", "llvm/globals.mir", "ll/kernels.llvm", "ll/globals.llvm"])
def test_no_edit_of_a_function_or_global_is_a_bug_of_ours(file: str) -> None:
    module = read(GOLDEN / file)
    text = print_module(module)
    for line in text.splitlines():
        if "sym_name" in line or "insertvalue" in line:
            for edited in edits(line):
                parse_or_refuse(text.replace(line, edited), module.stage)
