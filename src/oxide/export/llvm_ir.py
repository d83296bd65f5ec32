"""The `llvm` module as LLVM IR text.

    text = to_ll(module)

One op is one line. What the text says of functions is what NVPTX needs: entries are `ptx_kernel`, every function is `convergent`,
and every intrinsic whose row says so; nothing is named in a way that PTX could not spell (LLVM, "User Guide for NVPTX Back-end").
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from oxide.dialects import libdevice, llvm, operations
from oxide.errors import InternalError
from oxide.export import external
from oxide.export.debug_info import Describer
from oxide.ir import SHARED_SPACE, ArrayType, FloatType, IntType, PointerType, StructType

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from oxide.dialects.shared import CastOp
    from oxide.ir import Block, Function, Global, Module, Op, Param, Symbol, Type, Value
    from oxide.ir.location import Location
    from oxide.options import DebugInfo

TRIPLE = "nvptx64-nvidia-cuda"
DATA_LAYOUT = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

PTX_SYMBOL = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
"""Names that PTX can spell (PTX ISA, "Identifiers")."""


def spell_type(ty: Type) -> str:
    """Spell a type as LLVM IR does."""
    match ty:
        case IntType(width=width):
            return f"i{width}"
        case FloatType(width=width):
            return {16: "half", 32: "float", 64: "double", 128: "fp128"}[width]
        case PointerType(space=0):
            return "ptr"
        case PointerType(space=space):
            return f"ptr addrspace({space})"
        case ArrayType(count=count, element=element):
            return f"[{count} x {spell_type(element)}]"
        case StructType(elements=elements, packed=packed):
            body = ", ".join(map(spell_type, elements))
            return f"<{{ {body} }}>" if packed else f"{{ {body} }}"
        case _:
            raise InternalError(f"LLVM IR has no type {ty}", stage="ll")


def spell_number(bits: int, ty: Type) -> str:
    """Spell a constant; floats by their bits, which survive NaN payloads and rounding."""
    match ty:
        case IntType(width=1):
            return "true" if bits else "false"
        case IntType():
            return str(bits)
        case FloatType(width=64):
            return f"0x{bits:016X}"
        case FloatType(width=32):
            return f"0x{widen(bits):016X}"
        case FloatType(width=16):
            return f"0xH{bits:04X}"
        case _:
            raise InternalError(f"LLVM IR has no number of type {ty}", stage="ll")


def widen(bits: int) -> int:
    """Return the bits of the f64 that LLVM writes for an f32; a signalling NaN stays one."""
    exponent, fraction = bits >> 23 & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF and fraction:
        return (bits >> 31) << 63 | 0x7FF << 52 | fraction << 29
    (number,) = struct.unpack("<f", struct.pack("<I", bits))
    (wide,) = struct.unpack("<Q", struct.pack("<d", number))
    return int(wide)


def to_ll(module: Module, *, places: bool = False, debug_info: DebugInfo = "none") -> str:
    """Return a module's LLVM IR text; with `places`, where each access to memory and each call comes from is noted too."""
    lines = [f'source_filename = "{module.name}"', f'target datalayout = "{DATA_LAYOUT}"', f'target triple = "{TRIPLE}"', ""]
    for symbol in (*module.globals, *module.functions):
        if not PTX_SYMBOL.fullmatch(symbol):
            raise InternalError(f"the symbol {symbol} cannot be spelled in PTX", stage="ll")
    lines += [spell_global(item, module) for item in module.globals.values()]
    writer = Writer(module, places, debug_info)
    for function in module.functions.values():
        lines.append("")
        lines += writer.function(function)
    if writer.declarations:
        lines += ["", *sorted(writer.declarations.values())]
    lines += ["", "attributes #0 = { convergent nounwind }"]
    if any(" asm " in line for line in lines):
        lines += [
            "attributes #1 = { nounwind }",
            "attributes #2 = { nounwind memory(none) }",
            "attributes #3 = { convergent nounwind memory(none) }",
        ]
    lines.append("")
    flags = [] if writer.describer is None else [f"!{number}" for number in writer.describer.flags()]
    if writer.describer is not None and writer.describer.unit is not None:
        lines.append(f"!llvm.dbg.cu = !{{!{writer.describer.unit}}}")
    if any(function.flushes for function in module.functions.values()):
        # What libdevice's functions ask to be told of (LLVM NVPTX usage, "Reflection Parameters").
        number = len(writer.nodes)
        flags.append(f"!{number}")
        lines += [f"!llvm.module.flags = !{{{', '.join(flags)}}}", f'!{number} = !{{i32 4, !"nvvm-reflect-ftz", i32 1}}', ""]
    elif flags:
        lines += [f"!llvm.module.flags = !{{{', '.join(flags)}}}", ""]
    lines += [f"!{number} = {node}" for node, number in writer.nodes.items()]
    if writer.nodes:
        lines.append("")
    return "\n".join(lines)


def spell_global(item: Global, module: Module) -> str:
    """Spell one global."""
    space = f" addrspace({item.space})" if item.space else ""
    if item.content is None and item.outside:
        return f"@{item.symbol} = external{space} global [{item.size} x i8], align {item.align}"
    if item.content is None:
        return f"@{item.symbol} = internal{space} global [{item.size} x i8] undef, align {item.align}"
    kind = "constant" if item.constant else "global"
    parts = [
        spell_bytes(piece) if isinstance(piece, bytes) else ("ptr", spell_address(piece.symbol, piece.addend, module))
        for piece in item.pieces() or [b""]
    ]
    if len(parts) == 1:
        ty, value = parts[0]
    else:
        ty = f"<{{ {', '.join(ty for ty, _ in parts)} }}>"
        value = f"<{{ {', '.join(f'{ty} {value}' for ty, value in parts)} }}>"
    # Modules of two crates that have the same one are linked to one.
    linkage = f"weak_odr{space} externally_initialized" if item.outside else f"internal{space}"
    return f"@{item.symbol} = {linkage} {kind} {ty} {value}, align {item.align}"


def spell_bytes(content: bytes) -> tuple[str, str]:
    """Return the type and value of constant bytes."""
    ty = f"[{len(content)} x i8]"
    if not any(content):
        return ty, "zeroinitializer"
    return ty, f"c{spell_string(content)}"


def spell_string(content: bytes) -> str:
    """Spell bytes between quotation marks."""
    return '"' + "".join(chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in content) + '"'


def spell_address(symbol: str, addend: int, module: Module) -> str:
    """Spell the generic address of a symbol as a constant expression."""
    target = module.globals.get(symbol)
    address = f"@{symbol}"
    if target is not None and target.space:
        address = f"addrspacecast (ptr addrspace({target.space}) @{symbol} to ptr)"
    return f"getelementptr (i8, ptr {address}, i64 {addend})" if addend else address


def spell_param(param: Param) -> str:
    """Spell a parameter's type and attributes."""
    ty = spell_type(param.type) + (" noalias" if param.noalias else "") + (" readonly" if param.readonly else "")
    if param.byval is not None:
        size, align = param.byval
        return f"{ty} byval([{size} x i8]) align {align}"
    return ty


def declared_attributes(function: Function) -> str:
    """Spell what is said of a function that is declared only."""
    if function.symbol.startswith(libdevice.PREFIX) or function.symbol in operations.BY_SYSTEM_CALL:
        return "#0"
    meets = "#0" if function.convergent else "nounwind"
    effects = "" if function.memory == "write" else f" willreturn memory({function.memory})"
    return f"{meets}{effects} {external.MARK}"


NO_TABLES = ' "no-jump-tables"="true"'
"""Keeps LLVM from making a `switch` a table of its results in global memory, where no shared variable's address may stand (PTX ISA,
"Initializers"). Which function such an address reaches as a constant is known only after inlining, so all of a module have it."""

FLUSH = f'"denormal-fp-math-f32"="{llvm.FLUSHED}"'
"""The attribute of a function that takes subnormal `f32` for zero (LangRef, "Function Attributes")."""


def escaped(text: str) -> str:
    """Return a text as LLVM's string, with nothing in it that could be taken for more of the line than that string."""
    return "".join(chr(byte) if chr(byte).isalnum() and byte < 128 else f"\\{byte:02X}" for byte in text.encode())


INLINE = {"default": "", "hint": " inlinehint", "always": " alwaysinline", "never": " noinline"}


class Writer:
    """Writes functions and collects the declarations that they need."""

    def __init__(self, module: Module, places: bool = False, debug_info: DebugInfo = "none") -> None:
        self.module = module
        self.places = places
        self.declarations: dict[str, str] = {}
        self.nodes: dict[str, int] = {}
        """Metadata, numbered as it is met."""
        self.marked = {key: number for number, key in enumerate(marked_loops(module))}
        self.loops: dict[tuple[Symbol, int], int] = {}
        self.symbol: Symbol
        """Of the function that is being written."""
        self.names: dict[Value, str] = {}
        self.types: dict[Type, str] = {}
        self.blocks: dict[Block, str] = {}
        self.describer = None if debug_info == "none" else Describer(debug_info, self.node, spell_string)
        self.tables = "" if all(item.space != SHARED_SPACE for item in module.globals.values()) else NO_TABLES

    def type(self, ty: Type) -> str:
        """Spell a type, remembering it."""
        if (known := self.types.get(ty)) is None:
            known = self.types[ty] = spell_type(ty)
        return known

    def function(self, function: Function) -> list[str]:
        """Return a function's lines."""
        result = "void" if function.result is None else self.type(function.result)
        convention = "ptx_kernel " if function.kernel else "" if function.exported else "internal "
        if not function.blocks:
            params = ", ".join(map(spell_param, function.params))
            return [f"declare {result} @{function.symbol}({params}) {declared_attributes(function)}"]
        self.symbol = function.symbol
        names: dict[Value, str] = {}
        for index, value in enumerate(function.arguments):
            names[value] = f"%p{index}"
        params = ", ".join(f"{spell_param(param)} %p{index}" for index, param in enumerate(function.params))
        attributes = "#0" + INLINE[function.inline] + self.tables
        if function.flushes:
            attributes += f" {FLUSH}"
        for name, numbers in function.launch.items():
            attributes += f' "nvvm.{name}"="{llvm.spell_launch_fact(name, numbers)}"'
        if function.signature:
            attributes += f' "oxide.signature"="{escaped(function.signature)}"'
        if self.describer is not None:
            attributes += self.describer.begin(function)
        linkage = "weak_odr " if function.weak else ""
        lines = [f"define {linkage}{convention}{result} @{function.symbol}({params}) {attributes} {{"]
        self.names = names
        self.blocks = {block: f"b{index}" for index, block in enumerate(function.blocks)}
        count = 0
        for block, label in self.blocks.items():
            lines.append(f"{label}:")
            for op in block.ops:
                results = op.results()
                if type(op) in CONSTANTS:
                    names[results[0]] = CONSTANTS[type(op)](op)
                    continue
                text = WRITERS[type(op)](op, self)
                if self.places and op.loc is not None and isinstance(op, PLACED):
                    text += self.note(f"at {op.loc.users}")
                if self.describer is not None:
                    text += self.describer.at(op.loc)
                if results:
                    names[results[0]] = name = f"%v{count}"
                    count += 1
                    text = f"{name} = {text}"
                lines.append(f"  {text}")
        lines.append("}")
        return lines

    def typed(self, value: Value) -> str:
        """Spell a value with its type."""
        return f"{self.type(value.type)} {self.names[value]}"

    def note(self, text: str) -> str:
        """Spell the metadata that carries a note."""
        return f", !oxide.note !{self.node(f'!{{!{spell_string(text.encode())}}}')}" if text else ""

    def node(self, text: str) -> int:
        """Return the number of a node of metadata."""
        return self.nodes.setdefault(text, len(self.nodes))

    def loop(self, op: llvm.Br | llvm.CondBr) -> str:
        """Spell the metadata of a loop that is to be unrolled (LangRef, "llvm.loop"), one node a loop."""
        if op.unroll is None:
            return ""
        key = (self.symbol, op.loop)
        if key not in self.loops:
            how = self.node(f'!{{!"llvm.loop.unroll.count", i32 {op.unroll}}}' if op.unroll else '!{!"llvm.loop.unroll.full"}')
            which = self.node(f'!{{!"{LOOP}", i32 {self.marked[key]}}}')
            number = self.loops[key] = len(self.nodes)
            self.nodes[f"distinct !{{!{number}, !{how}, !{which}}}"] = number
        return f", !llvm.loop !{self.loops[key]}"

    def declare(self, name: str, result: str, args: tuple[Value, ...], attributes: str) -> None:
        """Declare an intrinsic."""
        if name not in self.declarations:
            self.declarations[name] = f"declare {result} @{name}({', '.join(self.type(value.type) for value in args)}){attributes}"


LOOP = "oxide.loop"
"""Names the metadata that tells which of `marked_loops` a loop is."""


def marked_loops(module: Module) -> dict[tuple[Symbol, int], Location | None]:
    """Return the loops that are to be unrolled, by function and number there, each with its place."""
    found: dict[tuple[Symbol, int], Location | None] = {}
    for function in module.functions.values():
        for block in function.blocks:
            jump = block.ops[-1]
            if isinstance(jump, llvm.Br | llvm.CondBr) and jump.unroll is not None:
                found.setdefault((function.symbol, jump.loop), jump.loc)
    return found


PLACED = (llvm.Load, llvm.Store, llvm.AtomicRMW, llvm.CmpXchg, llvm.Fence, llvm.MemCpy, llvm.MemMove, llvm.MemSet, llvm.Call)
"""Ops whose place is noted on demand."""

CONSTANTS: dict[type[Op], Callable[[Any], str]] = {
    llvm.Constant: lambda op: spell_number(op.bits, op.ty),
    llvm.Zero: lambda op: "null",
    llvm.AddressOf: lambda op: f"@{op.symbol}",
}
"""Ops that are no instruction but an operand."""

WRITERS: dict[type[Op], Callable[[Any, Writer], str]] = {}
"""The line of each op, without its result."""


def writes(*classes: type[Op]) -> Callable[[Callable[[Any, Writer], str]], Callable[[Any, Writer], str]]:
    """Register the decorated function as the writer of these ops."""

    def register(write: Callable[[Any, Writer], str]) -> Callable[[Any, Writer], str]:
        for cls in classes:
            if cls in WRITERS:
                raise TypeError(f"{cls.name} has two writers")
            WRITERS[cls] = write
        return write

    return register


def mnemonic(op: Op) -> str:
    """Return the instruction's name."""
    return op.name.removeprefix("llvm.")


@writes(llvm.Add, llvm.Sub, llvm.Mul, llvm.Shl)
def write_overflow_op(op: llvm.OverflowOp, w: Writer) -> str:
    flags = (" nuw" if op.nuw else "") + (" nsw" if op.nsw else "")
    return f"{mnemonic(op)}{flags} {w.typed(op.lhs)}, {w.names[op.rhs]}"


@writes(llvm.SDiv, llvm.UDiv, llvm.SRem, llvm.URem, llvm.LShr, llvm.AShr, llvm.And, llvm.Or, llvm.Xor)
def write_int_op(op: llvm.IntOp, w: Writer) -> str:
    return f"{mnemonic(op)} {w.typed(op.lhs)}, {w.names[op.rhs]}"


@writes(llvm.FAdd, llvm.FSub, llvm.FMul, llvm.FDiv, llvm.FRem)
def write_float_op(op: llvm.FloatOp, w: Writer) -> str:
    flags = "".join(f" {name}" for name in llvm.FAST_MATH if getattr(op, name))
    return f"{mnemonic(op)}{flags} {w.typed(op.lhs)}, {w.names[op.rhs]}"


@writes(llvm.FNeg)
def write_fneg(op: llvm.FNeg, w: Writer) -> str:
    return f"fneg {w.typed(op.operand)}"


@writes(llvm.ICmp, llvm.FCmp)
def write_compare(op: llvm.ICmp | llvm.FCmp, w: Writer) -> str:
    return f"{mnemonic(op)} {op.predicate} {w.typed(op.lhs)}, {w.names[op.rhs]}"


@writes(llvm.Select)
def write_select(op: llvm.Select, w: Writer) -> str:
    return f"select {w.typed(op.condition)}, {w.typed(op.if_true)}, {w.typed(op.if_false)}"


@writes(
    llvm.Trunc, llvm.ZExt, llvm.SExt, llvm.FPTrunc, llvm.FPExt, llvm.SIToFP, llvm.UIToFP, llvm.PtrToInt, llvm.IntToPtr, llvm.Bitcast,
    llvm.AddrSpaceCast,
)  # fmt: skip
def write_cast(op: CastOp, w: Writer) -> str:
    return f"{mnemonic(op)} {w.typed(op.arg)} to {w.type(op.ty)}"


@writes(llvm.Alloca)
def write_alloca(op: llvm.Alloca, w: Writer) -> str:
    return f"alloca {w.type(op.elem_type)}, {w.typed(op.count)}, align {op.align}"


@writes(llvm.Load)
def write_load(op: llvm.Load, w: Writer) -> str:
    atomic, volatile, ordering = access(op)
    return f"load{atomic}{volatile} {w.type(op.ty)}, {w.typed(op.addr)}{ordering}, align {op.align}"


def access(op: llvm.Load | llvm.Store) -> tuple[str, str, str]:
    """Return the words that say how memory is accessed: atomically, and in which order; and whether the access is seen."""
    ordering = f"{scope(op)} {op.ordering}" if op.ordering else ""
    return " atomic" if op.ordering else "", " volatile" if op.volatile else "", ordering


def scope(op: llvm.Load | llvm.Store | llvm.CmpXchg | llvm.Fence) -> str:
    """Spell for whom an atomic access is ordered, where that is not the whole system."""
    return f' syncscope("{op.scope}")' if op.scope else ""


@writes(llvm.Store)
def write_store(op: llvm.Store, w: Writer) -> str:
    atomic, volatile, ordering = access(op)
    return f"store{atomic}{volatile} {w.typed(op.value)}, {w.typed(op.addr)}{ordering}, align {op.align}"


@writes(llvm.AtomicRMW)
def write_atomic_rmw(op: llvm.AtomicRMW, w: Writer) -> str:
    return f'atomicrmw {op.operation} {w.typed(op.addr)}, {w.typed(op.operand)} syncscope("device") monotonic, align {op.align}'


@writes(llvm.CmpXchg)
def write_cmpxchg(op: llvm.CmpXchg, w: Writer) -> str:
    values = f"{w.typed(op.addr)}, {w.typed(op.expected)}, {w.typed(op.new)}"
    return f"cmpxchg {values}{scope(op)} {op.success} {op.failure}, align {op.align}"


@writes(llvm.Fence)
def write_fence(op: llvm.Fence, w: Writer) -> str:
    return f"fence{scope(op)} {op.ordering}"


@writes(llvm.MemCpy, llvm.MemMove)
def write_memory_copy(op: llvm.MemCpy | llvm.MemMove, w: Writer) -> str:
    name = f"llvm.{mnemonic(op).removeprefix('intr.')}.p0.p0.{op.count.type}"
    w.declarations.setdefault(name, f"declare void @{name}(ptr, ptr, {w.type(op.count.type)}, i1 immarg)")
    pointers = f"ptr align {op.align} {w.names[op.dst]}, ptr align {op.align} {w.names[op.src]}"
    volatile = "true" if isinstance(op, llvm.MemCpy) and op.volatile else "false"
    return f"call void @{name}({pointers}, {w.typed(op.count)}, i1 {volatile})"


@writes(llvm.MemSet)
def write_memory_set(op: llvm.MemSet, w: Writer) -> str:
    name = f"llvm.memset.p0.{op.count.type}"
    w.declarations.setdefault(name, f"declare void @{name}(ptr, i8, {w.type(op.count.type)}, i1 immarg)")
    return f"call void @{name}(ptr align {op.align} {w.names[op.dst]}, {w.typed(op.byte)}, {w.typed(op.count)}, i1 false)"


@writes(llvm.GetElementPtr)
def write_gep(op: llvm.GetElementPtr, w: Writer) -> str:
    index = f"i64 {op.constant}" if op.index is None else w.typed(op.index)
    return f"getelementptr{' inbounds' if op.inbounds else ''} {w.type(op.elem_type)}, {w.typed(op.base)}, {index}"


@writes(llvm.ExtractValue)
def write_extract(op: llvm.ExtractValue, w: Writer) -> str:
    return f"extractvalue {w.typed(op.container)}, {op.position}"


@writes(llvm.Call)
def write_call(op: llvm.Call, w: Writer) -> str:
    result = "void" if op.ty is None else w.type(op.ty)
    callee = f"@{op.callee}" if op.pointer is None else w.names[op.pointer]
    known = None if op.callee is None else w.module.functions.get(op.callee)
    meets = "" if known is not None and not known.convergent else " #0"
    return f"call {result} {callee}({', '.join(map(w.typed, op.args))}){meets}"


@writes(llvm.CallIntrinsic)
def write_call_intrinsic(op: llvm.CallIntrinsic, w: Writer) -> str:
    result = "void" if op.ty is None else w.type(op.ty)
    row = operations.BY_INTRINSIC.get(op.intrin)
    attributes = " #0" if row is not None and row.convergent else ""
    w.declare(op.intrin, result, op.args, attributes)
    within = f"range({result} {op.range[0]}, {op.range[1]}) " if op.range else ""
    return f"call {'afn ' if op.afn else ''}{within}{result} @{op.intrin}({', '.join(map(w.typed, op.args))}){attributes}{w.note(op.note)}"


ASSEMBLY_ATTRIBUTES = {(True, True): "#0", (False, True): "#1", (False, False): "#2", (True, False): "#3"}
"""The attributes of inline PTX: whether it is convergent, and whether it has effects."""


@writes(llvm.InlineAsm)
def write_inline_asm(op: llvm.InlineAsm, w: Writer) -> str:
    result = "void" if op.ty is None else w.type(op.ty)
    effects = " sideeffect" if op.has_side_effects else ""
    attributes = ASSEMBLY_ATTRIBUTES[op.convergent, op.has_side_effects]
    text = spell_string(op.asm_string.encode())
    return f'call {result} asm{effects} {text}, "{op.constraints}"({", ".join(map(w.typed, op.args))}) {attributes}{w.note(op.note)}'


@writes(llvm.Br)
def write_br(op: llvm.Br, w: Writer) -> str:
    return f"br label %{w.blocks[op.target]}{w.loop(op)}"


@writes(llvm.CondBr)
def write_cond_br(op: llvm.CondBr, w: Writer) -> str:
    return f"br {w.typed(op.condition)}, label %{w.blocks[op.if_true]}, label %{w.blocks[op.if_false]}{w.loop(op)}"


@writes(llvm.Switch)
def write_switch(op: llvm.Switch, w: Writer) -> str:
    ty = w.type(op.value.type)
    default, *targets = op.targets
    cases = " ".join(
        f"{ty} {spell_number(case, op.value.type)}, label %{w.blocks[target]}" for case, target in zip(op.cases, targets, strict=True)
    )
    return f"switch {w.typed(op.value)}, label %{w.blocks[default]} [ {cases} ]"


@writes(llvm.Return)
def write_return(op: llvm.Return, w: Writer) -> str:
    return "ret void" if op.value is None else f"ret {w.typed(op.value)}"


@writes(llvm.Unreachable)
def write_unreachable(op: llvm.Unreachable, w: Writer) -> str:
    return "unreachable"
