"""How MLIR's LLVM dialect writes what `llvm` means, so that mlir-translate reads the stage's text.

    "llvm.icmp"(%0, %1) {predicate = 6 : i64} : (i32, i32) -> i1        # ult

Each op's fields become the attributes that MLIR has for them and back (MLIR, "'llvm' Dialect").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from oxide.dialects import llvm
from oxide.ir import (
    I8,
    I32,
    PTR,
    Array,
    ArrayType,
    Function,
    Global,
    IntType,
    Module,
    Op,
    Param,
    Pointer,
    PointerType,
    Relocation,
    Struct,
    Symbol,
    Type,
)
from oxide.ir.parser import FunctionType
from oxide.ir.text import FORMS, Raw, Record, TextError, Typed, build, integers, spell_dictionary, want
from oxide.ir.types import inner

DYNAMIC_INDEX = -(1 << 31)
"""MLIR's mark for an index that is an operand."""

Write = Callable[[Any], dict[str, Any]]
Read = Callable[[Record], dict[str, Any]]


def form(*classes: type[Op]) -> Callable[[tuple[Write, Read]], None]:
    """Give ops their MLIR attributes: a function that writes them, and one that reads our fields from them."""

    def register(pair: tuple[Write, Read]) -> None:
        write, read = pair
        for cls in classes:
            cls.text_attributes = write  # type: ignore[attr-defined]
            cls.from_text = classmethod(lambda cls, record: build(cls, record, read(record)))  # type: ignore[attr-defined]

    return register


def flags(attribute: str, dialect: str, names: tuple[str, ...]) -> tuple[Write, Read]:
    """Return the form of flags: `overflowFlags = #llvm.overflow<nsw>`."""

    def write(op: Any) -> dict[str, Any]:
        found = [name for name in names if getattr(op, name)]
        return {attribute: Raw(f"#llvm.{dialect}<{', '.join(found)}>")} if found else {}

    def read(record: Record) -> dict[str, Any]:
        text: Raw = want(record.attributes, attribute, Raw, Raw(f"#llvm.{dialect}<none>"))
        found = text.partition("<")[2].rstrip(">").split(", ")
        if not {"none", *names}.issuperset(found):
            raise TextError(f"attribute `{attribute}` is {text}, expected {' and '.join(names)}")
        return {name: True for name in names if name in found}

    return write, read


def number(attributes: dict[str, Any], key: str) -> int:
    """Return the plain number of an attribute that may have a type, or be a truth value."""
    match attributes.get(key):
        case Typed(bits=bits):
            return bits
        case bool(truth):
            return int(truth)
        case _:
            return int(want(attributes, key, int))


def nth(names: Sequence[str] | dict[int, str], attributes: dict[str, Any], key: str, default: Any = ...) -> str:
    """Return the name that MLIR has a number for."""
    code = want(attributes, key, int, default)
    known = names if isinstance(names, dict) else dict(enumerate(names))
    if code not in known:
        raise TextError(f"attribute `{key}` is {code}, expected one of {', '.join(map(str, known))}")
    return known[code]


def only_result(record: Record) -> Type:
    """Return the type of an op's one result."""
    if len(record.results) != 1:
        raise TextError(f"has {len(record.results)} results, expected one")
    return record.results[0]


def only_number(attributes: dict[str, Any], key: str) -> int:
    """Return the number that an array holds alone."""
    found = integers(attributes, key)
    if len(found) != 1:
        raise TextError(f"attribute `{key}` has {len(found)} numbers, expected one")
    return found[0]


def read_constant(record: Record) -> dict[str, Any]:
    """Read a number by the width of its type."""
    ty = only_result(record)
    width = getattr(ty, "width", 64)
    return {"bits": number(record.attributes, "value") & (1 << width) - 1, "ty": ty}


def typed_constant(op: llvm.Constant) -> dict[str, Any]:
    """Write a number with its type; MLIR wants integers signed."""
    width = getattr(op.ty, "width", 64)
    bits = op.bits
    if isinstance(op.ty, IntType) and width > 1 and bits >> (width - 1):
        bits -= 1 << width
    return {"value": Typed(bits, op.ty)}


form(llvm.Constant)((typed_constant, read_constant))
form(llvm.AddressOf)(
    (
        lambda op: {"global_name": op.symbol},
        lambda record: {"symbol": want(record.attributes, "global_name", Symbol), "space": pointer_space(only_result(record))},
    )
)
form(llvm.Add, llvm.Sub, llvm.Mul, llvm.Shl)(flags("overflowFlags", "overflow", ("nsw", "nuw")))
form(llvm.FAdd, llvm.FSub, llvm.FMul, llvm.FDiv, llvm.FRem)(flags("fastmathFlags", "fastmath", llvm.FAST_MATH))
form(llvm.ICmp)(
    (
        lambda op: {"predicate": llvm.ICMP.index(op.predicate)},
        lambda record: {"predicate": nth(llvm.ICMP, record.attributes, "predicate")},
    )
)
form(llvm.FCmp)(
    (
        lambda op: {"predicate": llvm.FCMP[op.predicate]},
        lambda record: {"predicate": nth({code: name for name, code in llvm.FCMP.items()}, record.attributes, "predicate")},
    )
)


def pointer_space(ty: Type) -> int:
    """Return a pointer type's address space."""
    if not isinstance(ty, PointerType):
        raise TextError(f"an address has type {ty}, expected a pointer")
    return ty.space


def write_access(op: llvm.Load | llvm.Store) -> dict[str, Any]:
    """Write a memory access."""
    ordering = {"ordering": llvm.ORDERINGS[op.ordering]} if op.ordering else {}
    return {"alignment": op.alignment, **ordering, **write_scope(op), **({"volatile_": None} if op.volatile else {})}


def write_scope(op: Any) -> dict[str, Any]:
    """Write a scope other than the whole system."""
    return {"syncscope": op.syncscope} if op.syncscope else {}


def read_scope(record: Record) -> dict[str, Any]:
    """Read a scope."""
    return {"syncscope": want(record.attributes, "syncscope", str, "")}


ORDERING_NAMES = {code: name for name, code in llvm.ORDERINGS.items()}


def read_access(record: Record) -> dict[str, Any]:
    """Read what loads and stores share."""
    return {
        "alignment": want(record.attributes, "alignment", int),
        "volatile": "volatile_" in record.attributes,
        "ordering": nth(ORDERING_NAMES, record.attributes, "ordering", 0),
        **read_scope(record),
    }


form(llvm.Load)((write_access, lambda record: {**read_access(record), "ty": only_result(record)}))
form(llvm.Store)((write_access, read_access))
form(llvm.AtomicRMW)(
    (
        lambda op: {
            "alignment": op.alignment,
            "bin_op": llvm.ATOMICRMW.index(op.operation),
            "ordering": llvm.ORDERINGS["monotonic"],
            "syncscope": "device",
        },
        lambda record: {
            "alignment": want(record.attributes, "alignment", int),
            "operation": nth(llvm.ATOMICRMW, record.attributes, "bin_op"),
        },
    )
)
form(llvm.CmpXchg)(
    (
        lambda op: {
            "alignment": op.alignment,
            "failure_ordering": llvm.ORDERINGS[op.failure],
            "success_ordering": llvm.ORDERINGS[op.success],
            **write_scope(op),
        },
        lambda record: {
            "alignment": want(record.attributes, "alignment", int),
            "failure": nth(ORDERING_NAMES, record.attributes, "failure_ordering"),
            "success": nth(ORDERING_NAMES, record.attributes, "success_ordering"),
            **read_scope(record),
        },
    )
)
form(llvm.Fence)(
    (
        lambda op: {"ordering": llvm.ORDERINGS[op.ordering], **write_scope(op)},
        lambda record: {"ordering": nth(ORDERING_NAMES, record.attributes, "ordering"), **read_scope(record)},
    )
)


def write_copy(op: llvm.MemCpy | llvm.MemMove) -> dict[str, Any]:
    """Write a copy."""
    align = {"llvm.align": op.alignment}
    return {"arg_attrs": [align, align, {}], "isVolatile": isinstance(op, llvm.MemCpy) and op.volatile}


def write_set(op: llvm.MemSet) -> dict[str, Any]:
    """Write a fill."""
    return {"arg_attrs": [{"llvm.align": op.alignment}, {}, {}], "isVolatile": False}


def read_alignment(record: Record) -> dict[str, Any]:
    """Read the alignment of the first pointer, which is the other's too."""
    match want(record.attributes, "arg_attrs", list):
        case [{"llvm.align": int(align)}, *_]:
            return {"alignment": align}
        case found:
            raise TextError(f"arg_attrs is {found}, expected llvm.align of the first pointer")


form(llvm.MemCpy)((write_copy, lambda record: {**read_alignment(record), "volatile": want(record.attributes, "isVolatile", bool)}))
form(llvm.MemMove)((write_copy, read_alignment))
form(llvm.MemSet)((write_set, read_alignment))


def write_gep(op: llvm.GetElementPtr) -> dict[str, Any]:
    """Write an address computation."""
    index = op.constant if op.index is None else DYNAMIC_INDEX
    inbounds = {"noWrapFlags": Typed(3, I32)} if op.inbounds else {}
    return {"elem_type": op.elem_type, **inbounds, "rawConstantIndices": Raw(f"array<i32: {index}>")}


def read_gep(record: Record) -> dict[str, Any]:
    """Read an address computation."""
    index = only_number(record.attributes, "rawConstantIndices")
    return {
        "elem_type": want(record.attributes, "elem_type", Type),
        "constant": 0 if index == DYNAMIC_INDEX else index,
        "inbounds": "noWrapFlags" in record.attributes,
    }


form(llvm.GetElementPtr)((write_gep, read_gep))
form(llvm.ExtractValue)(
    (
        lambda op: {"position": Raw(f"array<i64: {op.position}>")},
        lambda record: {"position": only_number(record.attributes, "position")},
    )
)
form(llvm.Alloca)(
    (
        lambda op: {"alignment": op.alignment, "elem_type": op.elem_type},
        lambda record: {
            "alignment": want(record.attributes, "alignment", int),
            "elem_type": want(record.attributes, "elem_type", Type),
        },
    )
)


def segments(count: int) -> dict[str, Any]:
    """Return what MLIR says of a call's operands: all are arguments, none belongs to a bundle."""
    return {"op_bundle_sizes": Raw("array<i32>"), "operandSegmentSizes": Raw(f"array<i32: {count}, 0>")}


def write_call(op: llvm.Call) -> dict[str, Any]:
    """Write a call."""
    callee = {} if op.callee is None else {"callee": op.callee}
    return {**callee, **segments(len(op.operands()))}


def read_call(record: Record) -> Op:
    """Read a call; without a callee its first operand is the function."""
    callee = want(record.attributes, "callee", Symbol, None)
    if callee is None and not record.operands:
        raise TextError("calls neither a symbol nor a pointer")
    pointer, args = (None, record.operands) if callee is not None else (record.operands[0], record.operands[1:])
    return llvm.Call(pointer, tuple(args), callee, record.results[0] if record.results else None)


llvm.Call.text_attributes = write_call  # type: ignore[attr-defined]
llvm.Call.from_text = staticmethod(read_call)  # type: ignore[attr-defined]
RANGE = re.compile(r"#llvm\.constant_range<i\d+, (\d+), (\d+)>")


def write_range(op: llvm.CallIntrinsic) -> dict[str, Any]:
    """Write the range of a result."""
    if not op.range:
        return {}
    low, high = op.range
    return {"res_attrs": [{"llvm.range": Raw(f"#llvm.constant_range<{op.ty}, {low}, {high}>")}]}


def read_range(record: Record) -> tuple[int, ...]:
    """Read the range of a result."""
    match want(record.attributes, "res_attrs", list, []):
        case []:
            return ()
        case [{"llvm.range": Raw() as text}] if (found := RANGE.fullmatch(text)) is not None:
            return int(found[1]), int(found[2])
        case found:
            raise TextError(f"res_attrs is {found}, expected a range")


write_approximation, read_approximation = flags("fastmathFlags", "fastmath", ("afn",))
form(llvm.CallIntrinsic)(
    (
        lambda op: {
            "intrin": op.intrin,
            **segments(len(op.args)),
            **({"oxide.note": op.note} if op.note else {}),
            **write_range(op),
            **write_approximation(op),
        },
        lambda record: {
            **read_approximation(record),
            "intrin": want(record.attributes, "intrin", str),
            "range": read_range(record),
            "note": want(record.attributes, "oxide.note", str, ""),
            **({"ty": record.results[0]} if record.results else {}),
        },
    )
)


def write_inline_asm(op: llvm.InlineAsm) -> dict[str, Any]:
    """Write inline PTX. MLIR has no word for what is convergent, so ours says what is not."""
    effects = {"has_side_effects": None} if op.has_side_effects else {}
    ours = {"oxide.note": op.note} if op.note else {}
    plain = {} if op.convergent else {"oxide.may_diverge": None}
    return {"asm_string": op.asm_string, "constraints": op.constraints, **effects, **plain, **ours}


def read_inline_asm(record: Record) -> dict[str, Any]:
    """Read inline PTX."""
    return {
        **{key: want(record.attributes, key, str) for key in ("asm_string", "constraints")},
        "has_side_effects": "has_side_effects" in record.attributes,
        "convergent": "oxide.may_diverge" not in record.attributes,
        "note": want(record.attributes, "oxide.note", str, ""),
        **({"ty": record.results[0]} if record.results else {}),
    }


form(llvm.InlineAsm)((write_inline_asm, read_inline_asm))
UNROLL = re.compile(r"#llvm\.loop_annotation<unroll = <(?:full = true|count = (\d+) : i32)>>")


def write_loop(op: llvm.Br | llvm.CondBr) -> dict[str, Any]:
    """Write how the loop that an op closes is unrolled. MLIR takes loops with one annotation for one; our number tells them apart."""
    if op.unroll is None:
        return {}
    how = f"count = {op.unroll} : i32" if op.unroll else "full = true"
    return {"loop_annotation": Raw(f"#llvm.loop_annotation<unroll = <{how}>>"), "oxide.loop": op.loop}


def read_loop(record: Record) -> dict[str, Any]:
    """Read how a loop is unrolled."""
    text = want(record.attributes, "loop_annotation", Raw, None)
    if text is None:
        return {}
    if (found := UNROLL.fullmatch(text)) is None:
        raise TextError(f"attribute `loop_annotation` is {text}, expected how often the loop is unrolled")
    return {"unroll": int(found[1] or 0), "loop": want(record.attributes, "oxide.loop", int, 0)}


form(llvm.Br)((write_loop, read_loop))
form(llvm.CondBr)((lambda op: {"operandSegmentSizes": Raw("array<i32: 1, 0, 0>"), **write_loop(op)}, read_loop))


def write_switch(op: llvm.Switch) -> dict[str, Any]:
    """Write a switch."""
    width = getattr(op.value.type, "width", 32)
    values = ", ".join(str(case - (1 << width) if width > 1 and case >> (width - 1) else case) for case in op.cases)
    cases = {"case_values": Raw(f"dense<[{values}]> : tensor<{len(op.cases)}x{op.value.type}>")} if op.cases else {}
    sizes = f"array<i32: {', '.join('0' for _ in op.cases)}>" if op.cases else "array<i32>"
    return {"case_operand_segments": Raw(sizes), **cases, "operandSegmentSizes": Raw("array<i32: 1, 0, 0>")}


def read_switch(record: Record) -> dict[str, Any]:
    """Read a switch."""
    width = getattr(record.operands[0].type, "width", 32) if record.operands else 32
    return {"cases": tuple(case & (1 << width) - 1 for case in integers(record.attributes, "case_values", []))}


form(llvm.Switch)((write_switch, read_switch))

SIGNATURE = "oxide.signature"
"""The attribute of LLVM's function that holds what a kernel takes."""

INLINE = {"hint": "inline_hint", "always": "always_inline", "never": "no_inline"}


class LlvmForm:
    """`llvm.func` and `llvm.mlir.global`."""

    function_op = "llvm.func"
    global_op = "llvm.mlir.global"

    def function_attributes(self, function: Function) -> dict[str, Any]:
        """Return a function's attributes."""
        params = ", ".join(inner(param.type) for param in function.params)
        result = "void" if function.result is None else inner(function.result)
        outside = function.kernel or function.exported or not function.blocks
        linkage = "weak_odr" if function.weak else "external" if outside else "internal"
        found: dict[str, Any] = {
            "CConv": Raw(f"#llvm.cconv<{'ptx_kernelcc' if function.kernel else 'ccc'}>"),
            "arg_attrs": [param_attributes(param) for param in function.params],
            "convergent": None,
            "function_type": Raw(f"!llvm.func<{result} ({params})>"),
            "linkage": Raw(f"#llvm.linkage<{linkage}>"),
            "no_unwind": None,
            "sym_name": str(function.symbol),
        }
        if not function.params:
            del found["arg_attrs"]
        if not function.convergent:
            del found["convergent"]
        if function.memory != "write":
            found["oxide.memory"] = function.memory
        if function.inline != "default":
            found[INLINE[function.inline]] = None
        if function.flushes:
            found["denormal_fp_math_f32"] = llvm.FLUSHED
        if function.launch:
            found["passthrough"] = [[f"nvvm.{name}", llvm.spell_launch_fact(name, numbers)] for name, numbers in function.launch.items()]
        if function.signature:
            found["passthrough"] = [*found.get("passthrough", []), [SIGNATURE, function.signature]]
        return found

    def read_function(self, attributes: dict[str, Any]) -> Function:
        """Return an empty function."""
        ty = want(attributes, "function_type", FunctionType)
        promises = want(attributes, "arg_attrs", list, [{}] * len(ty.params))
        if len(promises) != len(ty.params) or not all(isinstance(promise, dict) for promise in promises):
            raise TextError(f"arg_attrs is {promises}, expected attributes of {len(ty.params)} parameters")
        inline = [ours for ours, theirs in INLINE.items() if theirs in attributes]
        passed = want(attributes, "passthrough", list, [])
        signatures = [pair[1] for pair in passed if isinstance(pair, list) and pair[:1] == [SIGNATURE] and len(pair) == 2]
        return Function(
            Symbol(want(attributes, "sym_name", str)),
            tuple(read_param(param, promise) for param, promise in zip(ty.params, promises, strict=True)),
            ty.result,
            kernel=attributes.get("CConv") == "#llvm.cconv<ptx_kernelcc>",
            exported=attributes.get("linkage") == "#llvm.linkage<external>",
            weak=attributes.get("linkage") == "#llvm.linkage<weak_odr>",
            inline=inline[0] if inline else "default",
            convergent="convergent" in attributes,
            memory=want(attributes, "oxide.memory", str, "write"),
            flushes=want(attributes, "denormal_fp_math_f32", str, "") == llvm.FLUSHED,
            launch=dict(read_launch_fact(pair) for pair in passed if not (isinstance(pair, list) and pair[:1] == [SIGNATURE])),
            signature=str(signatures[0]) if signatures else "",
        )

    def settled(self, function: Function) -> Function:
        """Return a function whose blocks are read: kernels and declarations are external too."""
        function.exported &= bool(function.blocks) and not function.kernel
        return function

    def global_text(self, item: Global, module: Module) -> tuple[dict[str, Any], list[str]]:
        """Return a global's attributes, and the region that builds what no single attribute can say."""
        ty: Type = Struct(tuple(map(piece_type, item.pieces())), True) if item.relocations else Array(item.size, I8)
        found: dict[str, Any] = {"addr_space": Typed(item.space, I32), "alignment": item.align}
        if item.constant:
            found["constant"] = None
        linkage = "internal" if not item.outside else "external" if item.content is None else "weak_odr"
        found |= {"global_type": ty, "linkage": Raw(f"#llvm.linkage<{linkage}>"), "sym_name": str(item.symbol)}
        if item.outside and item.content is None:
            return found, []
        if item.outside:
            found["externally_initialized"] = None
        if item.content is None:
            return found, constant_region("llvm.mlir.undef", ty)
        if item.relocations:
            return found, pointer_region(item, ty, module)
        if not any(item.content):
            return found, constant_region("llvm.mlir.zero", ty)
        return {**found, "value": item.content.decode(errors="surrogateescape")}, []

    def read_global(self, attributes: dict[str, Any], region: Sequence[tuple[Record, list[str], list[str]]]) -> Global:
        """Return a global."""
        ty = want(attributes, "global_type", Type)
        content: bytes | None
        relocations: tuple[Relocation, ...] = ()
        outside = attributes.get("linkage") in ("#llvm.linkage<external>", "#llvm.linkage<weak_odr>")
        if isinstance(ty, ArrayType):
            undefined = (outside and not region) or (bool(region) and region[0][0].name == "llvm.mlir.undef")
            text = want(attributes, "value", str, None)
            if not 0 <= ty.count <= MOST_BYTES:
                raise TextError(f"a global has {ty.count} bytes, expected at most {MOST_BYTES}")
            content = None if undefined else bytes(ty.count) if text is None else text.encode(errors="surrogateescape")
            size = ty.count
        else:
            content, relocations = read_region(region)
            size = len(content)
        return Global(
            Symbol(want(attributes, "sym_name", str)),
            size,
            want(attributes, "alignment", int),
            number(attributes, "addr_space"),
            "constant" in attributes,
            content,
            relocations,
            outside,
        )


def read_launch_fact(value: Any) -> tuple[str, tuple[int, ...]]:
    """Return the name and the numbers of a fact about launches: `["nvvm.reqntid", "16,16,1"]`."""
    match value:
        case [str(name), str(text)] if name.startswith("nvvm.") and all(part.isdecimal() for part in text.split(",")):
            fact, numbers = name.removeprefix("nvvm."), tuple(map(int, text.split(",")))
            return fact, numbers[:1] if fact == "maxntid" and numbers[1:] == (1, 1) else numbers
        case _:
            raise TextError(f"passthrough has {value!r}, expected a name and numbers")


MOST_BYTES = 1 << 32
"""Of a global that a text makes without writing them."""


def param_attributes(param: Param) -> dict[str, Any]:
    """Return a parameter's attributes."""
    promises: dict[str, Any] = {f"llvm.{name}": None for name in ("noalias", "readonly") if getattr(param, name)}
    if param.byval is None:
        return promises
    size, align = param.byval
    return {"llvm.align": align, "llvm.byval": Array(size, I8), **promises}


def read_param(ty: Type, attributes: dict[str, Any]) -> Param:
    """Return a parameter."""
    memory = attributes.get("llvm.byval")
    byval = (memory.count, want(attributes, "llvm.align", int)) if isinstance(memory, ArrayType) else None
    return Param(ty, byval, "llvm.noalias" in attributes, "llvm.readonly" in attributes)


def piece_type(piece: bytes | Relocation) -> Type:
    """Return the type of a piece."""
    return PTR if isinstance(piece, Relocation) else Array(len(piece), I8)


class Region:
    """The ops of a global's region, as lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def op(self, name: str, operands: Sequence[tuple[str, Type]], ty: Type, **attributes: Any) -> tuple[str, Type]:
        """Append an op and return its result."""
        value = f"%{len(self.lines)}"
        given = ", ".join(operand for operand, _ in operands)
        types = ", ".join(str(operand_type) for _, operand_type in operands)
        spelled = f" {spell_dictionary(attributes)}" if attributes else ""
        self.lines.append(f'    {value} = "{name}"({given}){spelled} : ({types}) -> {ty}')
        return value, ty

    def piece(self, piece: bytes | Relocation, module: Module) -> tuple[str, Type]:
        """Append what makes a piece."""
        if isinstance(piece, bytes):
            return self.op("llvm.mlir.constant", [], piece_type(piece), value=piece.decode(errors="surrogateescape"))
        target = module.globals.get(piece.symbol)
        value = self.op("llvm.mlir.addressof", [], Pointer(0 if target is None else target.space), global_name=piece.symbol)
        if value[1] is not PTR:
            value = self.op("llvm.addrspacecast", [value], PTR)
        if piece.addend:
            index = Raw(f"array<i32: {piece.addend}>")
            value = self.op("llvm.getelementptr", [value], PTR, elem_type=I8, rawConstantIndices=index)
        return value

    def finish(self, value: tuple[str, Type]) -> list[str]:
        """Return the lines, with the result returned."""
        return [*self.lines, f'    "llvm.return"({value[0]}) : ({value[1]}) -> ()']


def constant_region(op: str, ty: Type) -> list[str]:
    """Return a region of one constant."""
    made = Region()
    return made.finish(made.op(op, [], ty))


def pointer_region(item: Global, ty: Type, module: Module) -> list[str]:
    """Return a region that puts bytes and pointers together."""
    made = Region()
    whole = made.op("llvm.mlir.undef", [], ty)
    for index, piece in enumerate(item.pieces()):
        part = made.piece(piece, module)
        whole = made.op("llvm.insertvalue", [whole, part], ty, position=Raw(f"array<i64: {index}>"))
    return made.finish(whole)


def read_region(region: Sequence[tuple[Record, list[str], list[str]]]) -> tuple[bytes, tuple[Relocation, ...]]:
    """Return the bytes and pointers that a region puts together."""
    parts: dict[str, bytes | tuple[Symbol, int]] = {}
    content = bytearray()
    relocations: list[Relocation] = []
    for record, operands, results in region:
        given = [parts[operand] for operand in operands if operand in parts]
        match record.name, given:
            case "llvm.mlir.constant", []:
                made: bytes | tuple[Symbol, int] = want(record.attributes, "value", str).encode(errors="surrogateescape")
            case "llvm.mlir.addressof", []:
                made = (want(record.attributes, "global_name", Symbol), 0)
            case "llvm.addrspacecast", [(symbol, addend)]:
                made = (symbol, addend)
            case "llvm.getelementptr", [(symbol, addend)]:
                made = (symbol, addend + only_number(record.attributes, "rawConstantIndices"))
            case "llvm.insertvalue", [bytes() as part]:
                content += part
                continue
            case "llvm.insertvalue", [(symbol, addend)] if 0 <= addend < 1 << 64:
                relocations.append(Relocation(len(content), symbol, addend))
                content += addend.to_bytes(8, "little")
                continue
            case "llvm.mlir.undef" | "llvm.mlir.zero" | "llvm.return", _:
                continue
            case name, _:
                raise TextError(f"a global's region has {name} of {', '.join(operands) or 'nothing'}")
        parts.update(dict.fromkeys(results, made))
    return bytes(content), tuple(relocations)


FORMS["llvm"] = LlvmForm()
