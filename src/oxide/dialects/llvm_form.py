"""How MLIR's LLVM dialect writes functions and globals, so that mlir-translate reads the stage's text.

    "llvm.func"() ({ … }) {function_type = !llvm.func<void (ptr)>, sym_name = "vecadd", …} : () -> ()

What is inside functions, the ops say themselves: `llvm.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxide.dialects import llvm
from oxide.dialects.spellings import only_number, plain_number
from oxide.ir import (
    I8,
    I32,
    PTR,
    Array,
    ArrayType,
    Function,
    Global,
    Module,
    Param,
    Pointer,
    Relocation,
    Struct,
    Symbol,
    Type,
)
from oxide.ir.parser import FunctionType
from oxide.ir.record import Record, TextError, want
from oxide.ir.text import FORMS, Raw, Typed, spell_dictionary
from oxide.ir.types import inner

if TYPE_CHECKING:
    from collections.abc import Sequence

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
            plain_number(attributes, "addr_space"),
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
