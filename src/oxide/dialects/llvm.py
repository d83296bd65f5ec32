"""LLVM IR, one op an instruction, in the form of MLIR's LLVM dialect, so that mlir-translate reads it too.

    %2 = "llvm.add"(%0, %1) : (i32, i32) -> i32            # %2 = add i32 %0, %1

Meanings are LLVM's (LangRef). Flags that make a result poison are attributes with LLVM's names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxide.dialects import intrinsics
from oxide.dialects.rules import (
    ATOMIC_OPERATIONS,
    ATOMIC_TYPE,
    NO_FLOAT,
    OFFSET,
    ONE_SIZE,
    SCOPE,
    UNROLL_FACTOR,
    one_of,
    operands_of,
)
from oxide.dialects.shared import (
    BinaryOp,
    CastOp,
    CompareExchangeOp,
    ConstantOp,
    CopyOp,
    FenceOp,
    LoadOp,
    ReturnOp,
    SelectOp,
    SetOp,
    StoreOp,
    SwitchOp,
    UpdateOp,
)
from oxide.dialects.spellings import (
    ArgumentAlignment,
    Cases,
    ConstantIndex,
    LoopNumber,
    NoWrap,
    Number,
    Numbered,
    Position,
    ResultRange,
    ResultSpace,
    Unit,
    Unroll,
    flags,
)
from oxide.ir import (
    ALIGNMENT,
    I1,
    PTR,
    Block,
    FloatType,
    IntType,
    NumberType,
    Op,
    Pointer,
    PointerType,
    Rule,
    SameTypeOperands,
    ScalarType,
    Struct,
    StructType,
    Symbol,
    Type,
    Value,
    attribute,
    check_call,
    operand,
    operands,
    optional_operand,
    optional_result,
    result,
    successor,
)
from oxide.ir.record import Spelling, TextError, spelled, want
from oxide.ir.text import Raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oxide.ir import Function, Module
    from oxide.ir.record import Record

ICMP = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""`icmp` predicates, in the order of MLIR's numbers."""


def numbered(words: Sequence[str]) -> dict[str, int]:
    """Return words with their positions."""
    return {word: number for number, word in enumerate(words)}


FCMP = {
    "oeq": 1,
    "ogt": 2,
    "oge": 3,
    "olt": 4,
    "ole": 5,
    "one": 6,
    "ord": 7,
    "ueq": 8,
    "ugt": 9,
    "uge": 10,
    "ult": 11,
    "ule": 12,
    "une": 13,
}
"""`fcmp` predicates with MLIR's numbers."""


ORDERINGS = {"": 0, "monotonic": 2, "acquire": 4, "release": 5, "acq_rel": 6, "seq_cst": 7}
"""Memory orderings with MLIR's numbers; none for what is not atomic."""

LOAD_ORDERINGS = ("monotonic", "acquire", "seq_cst")
STORE_ORDERINGS = ("monotonic", "release", "seq_cst")
FENCE_ORDERINGS = ("acquire", "release", "acq_rel", "seq_cst")

FAST_MATH = ("arcp", "contract", "afn", "fast")
"""The flags of `FloatOp`, in the order in which they are written."""

FLUSHED = "preserve-sign,preserve-sign"
"""LLVM's word for `Function.flushes`: of subnormal `f32`, as results and as operands, only the sign is left (LangRef, "Function
Attributes", `denormal-fp-math-f32`)."""


class Instruction(Op):
    """Base of the ops: MLIR writes their attributes in alphabetical order, some of them under its own names."""

    spellings = spelled(
        align=Spelling("alignment"),
        volatile=Unit("volatile_"),
        ordering=Numbered("ordering", numbers=ORDERINGS),
        scope=Spelling("syncscope"),
        note=Spelling("oxide.note"),
    )

    def text_attributes(self) -> dict[str, Any]:
        found = {**super().text_attributes(), **self.required_attributes()}
        return {key: found[key] for key in sorted(found)}

    def required_attributes(self) -> dict[str, Any]:
        """Return what MLIR requires beside the fields."""
        return {}


class Constant(ConstantOp, Instruction, name="llvm.mlir.constant"):
    """A number, as the unsigned integer of its bits."""

    spellings = spelled(bits=Number("value"))


class Zero(Instruction, name="llvm.mlir.zero"):
    """The null pointer."""

    value: Value = result(lambda op: PTR)


class AddressOf(Instruction, name="llvm.mlir.addressof"):
    """The address of a function or global, in its own address space."""

    symbol: Symbol = attribute(Symbol)
    space: int = attribute(int)
    value: Value = result(lambda op: Pointer(op.space))

    spellings = spelled(symbol=Spelling("global_name"), space=ResultSpace(""))

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        expected = module.globals[self.symbol].space if self.symbol in module.globals else 0
        if self.space != expected:
            yield f"says that @{self.symbol} is in address space {self.space}, which is in {expected}"


class IntOp(BinaryOp, Instruction):
    """Integer arithmetic."""

    lhs: Value = operand(IntType)


class OverflowOp(IntOp):
    """Integer arithmetic that may promise not to wrap."""

    nsw: bool = attribute(bool, default=False)
    nuw: bool = attribute(bool, default=False)

    spellings = flags("overflowFlags", "overflow", ("nsw", "nuw"))


class FloatOp(BinaryOp, Instruction):
    """IEEE float arithmetic, but for what flags allow.

    `contract` lets a product be added without rounding first, `arcp` a division be a multiplication by the reciprocal, `afn` the result be
    an approximation; `fast` is these and reassociation, with a result that is poison where NaN or infinity has a part (LangRef,
    "Fast-Math Flags").
    """

    lhs: Value = operand(FloatType)
    contract: bool = attribute(bool, default=False)
    arcp: bool = attribute(bool, default=False)
    afn: bool = attribute(bool, default=False)
    fast: bool = attribute(bool, default=False)

    spellings = flags("fastmathFlags", "fastmath", FAST_MATH)


class Add(OverflowOp, name="llvm.add"):
    """`add`."""


class Sub(OverflowOp, name="llvm.sub"):
    """`sub`."""


class Mul(OverflowOp, name="llvm.mul"):
    """`mul`."""


class Shl(OverflowOp, name="llvm.shl"):
    """`shl`."""


class SDiv(IntOp, name="llvm.sdiv"):
    """`sdiv`."""


class UDiv(IntOp, name="llvm.udiv"):
    """`udiv`."""


class SRem(IntOp, name="llvm.srem"):
    """`srem`."""


class URem(IntOp, name="llvm.urem"):
    """`urem`."""


class LShr(IntOp, name="llvm.lshr"):
    """`lshr`."""


class AShr(IntOp, name="llvm.ashr"):
    """`ashr`."""


class And(IntOp, name="llvm.and"):
    """`and`."""


class Or(IntOp, name="llvm.or"):
    """`or`."""


class Xor(IntOp, name="llvm.xor"):
    """`xor`."""


class FAdd(FloatOp, name="llvm.fadd"):
    """`fadd`."""


class FSub(FloatOp, name="llvm.fsub"):
    """`fsub`."""


class FMul(FloatOp, name="llvm.fmul"):
    """`fmul`."""


class FDiv(FloatOp, name="llvm.fdiv"):
    """`fdiv`."""


class FRem(FloatOp, name="llvm.frem"):
    """`frem`; LLVM's code for NVPTX is `x - trunc(x / y) * y` with roundings in between."""


class FNeg(Instruction, name="llvm.fneg"):
    """`fneg`."""

    operand: Value = operand(FloatType)
    value: Value = result(lambda op: op.operand.type)


class ICmp(SameTypeOperands, Instruction, name="llvm.icmp"):
    """`icmp`, of integers or pointers."""

    predicate: str = attribute(str, rule=one_of(ICMP))
    value: Value = result(lambda op: I1)

    spellings = spelled(predicate=Numbered("predicate", numbers=numbered(ICMP)))

    rules = (Rule(NO_FLOAT.words, lambda op: NO_FLOAT.holds(op.lhs.type), lambda op: f"compares {op.lhs.type}"),)


class FCmp(SameTypeOperands, Instruction, name="llvm.fcmp"):
    """`fcmp`."""

    lhs: Value = operand(FloatType)
    predicate: str = attribute(str, rule=one_of(FCMP))
    value: Value = result(lambda op: I1)

    spellings = spelled(predicate=Numbered("predicate", numbers=FCMP))


class Select(SelectOp, Instruction, name="llvm.select"):
    """`select`."""


def makes(op: CastOp) -> str:
    """Return what a cast does, in words."""
    return f"makes {op.ty} of {op.arg.type}"


NARROWER = Rule("a narrower type", lambda op: op.ty.width < op.arg.type.width, makes)
WIDER = Rule("a wider type", lambda op: op.ty.width > op.arg.type.width, makes)


class IntCast(CastOp, Instruction):
    """An integer as another."""

    arg: Value = operand(IntType)
    ty: Type = attribute(IntType)


class FloatCast(CastOp, Instruction):
    """A float as another."""

    arg: Value = operand(FloatType)
    ty: Type = attribute(FloatType)


class Trunc(IntCast, name="llvm.trunc"):
    """`trunc`."""

    rules = (NARROWER,)


class ZExt(IntCast, name="llvm.zext"):
    """`zext`."""

    rules = (WIDER,)


class SExt(IntCast, name="llvm.sext"):
    """`sext`."""

    rules = (WIDER,)


class FPTrunc(FloatCast, name="llvm.fptrunc"):
    """`fptrunc`."""

    rules = (NARROWER,)


class FPExt(FloatCast, name="llvm.fpext"):
    """`fpext`."""

    rules = (WIDER,)


class SIToFP(CastOp, Instruction, name="llvm.sitofp"):
    """`sitofp`."""

    arg: Value = operand(IntType)
    ty: Type = attribute(FloatType)


class UIToFP(CastOp, Instruction, name="llvm.uitofp"):
    """`uitofp`."""

    arg: Value = operand(IntType)
    ty: Type = attribute(FloatType)


class PtrToInt(CastOp, Instruction, name="llvm.ptrtoint"):
    """`ptrtoint`."""

    arg: Value = operand(PointerType)
    ty: Type = attribute(IntType)


class IntToPtr(CastOp, Instruction, name="llvm.inttoptr"):
    """`inttoptr`."""

    arg: Value = operand(IntType)
    ty: Type = attribute(PointerType)


class Bitcast(CastOp, Instruction, name="llvm.bitcast"):
    """`bitcast` of a number."""

    arg: Value = operand(NumberType)
    ty: Type = attribute(NumberType)

    rules = (ONE_SIZE,)


class AddrSpaceCast(CastOp, Instruction, name="llvm.addrspacecast"):
    """`addrspacecast`."""

    arg: Value = operand(PointerType)
    ty: Type = attribute(PointerType)

    rules = (Rule("another address space", lambda op: op.ty is not op.arg.type, makes),)


class Alloca(Instruction, name="llvm.alloca"):
    """`alloca` of `count` elements of `elem_type`, in the entry block."""

    count: Value = operand(IntType)
    elem_type: Type = attribute(Type)
    align: int = attribute(int, rule=ALIGNMENT)
    value: Value = result(lambda op: PTR)


def atomic(ty: Type, ordering: str) -> bool:
    """Return whether a value can be accessed so: atomically only in whole bytes."""
    return not ordering or ATOMIC_TYPE.holds(ty)


class Load(LoadOp, Instruction, name="llvm.load"):
    """`load`, atomic if it has an ordering."""

    volatile: bool = attribute(bool, default=False)
    ordering: str = attribute(str, default="", rule=one_of(("", *LOAD_ORDERINGS)))
    scope: str = attribute(str, default="", rule=SCOPE)

    rules = (Rule(ATOMIC_TYPE.words, lambda op: atomic(op.ty, op.ordering), lambda op: f"loads {op.ty} atomically"),)


class Store(StoreOp, Instruction, name="llvm.store"):
    """`store`, atomic if it has an ordering."""

    volatile: bool = attribute(bool, default=False)
    ordering: str = attribute(str, default="", rule=one_of(("", *STORE_ORDERINGS)))
    scope: str = attribute(str, default="", rule=SCOPE)

    rules = (Rule(ATOMIC_TYPE.words, lambda op: atomic(op.value.type, op.ordering), lambda op: f"stores {op.value.type} atomically"),)


class AtomicRMW(UpdateOp, Instruction, name="llvm.atomicrmw"):
    """`atomicrmw`, always `monotonic` and of the device: LLVM 22 makes that of any other on NVPTX. Fences stand beside it."""

    spellings = spelled(operation=Numbered("bin_op", numbers=numbered(ATOMIC_OPERATIONS)))

    def required_attributes(self) -> dict[str, Any]:
        return {"ordering": ORDERINGS["monotonic"], "syncscope": "device"}


class CmpXchg(CompareExchangeOp, Instruction, name="llvm.cmpxchg"):
    """`cmpxchg`; the result is a pair of what was there and whether it was replaced."""

    success: str = attribute(str, rule=one_of(("monotonic", *FENCE_ORDERINGS)))
    failure: str = attribute(str, rule=one_of(LOAD_ORDERINGS))
    value: Value = result(lambda op: Struct((op.expected.type, I1)))

    spellings = spelled(
        success=Numbered("success_ordering", numbers=ORDERINGS),
        failure=Numbered("failure_ordering", numbers=ORDERINGS),
    )


class Fence(FenceOp, Instruction, name="llvm.fence"):
    """`fence`."""

    ordering: str = attribute(str, rule=one_of(FENCE_ORDERINGS))


class MemCpy(CopyOp, Instruction, name="llvm.intr.memcpy"):
    """`llvm.memcpy`."""

    volatile: bool = attribute(bool, default=False)

    spellings = spelled(align=ArgumentAlignment("arg_attrs", pointers=2), volatile=Spelling("isVolatile", always=True))


class MemMove(CopyOp, Instruction, name="llvm.intr.memmove"):
    """`llvm.memmove`."""

    spellings = spelled(align=ArgumentAlignment("arg_attrs", pointers=2))

    def required_attributes(self) -> dict[str, Any]:
        return {"isVolatile": False}


class MemSet(SetOp, Instruction, name="llvm.intr.memset"):
    """`llvm.memset`."""

    spellings = spelled(align=ArgumentAlignment("arg_attrs"))

    def required_attributes(self) -> dict[str, Any]:
        return {"isVolatile": False}


class GetElementPtr(Instruction, name="llvm.getelementptr"):
    """`getelementptr` over `elem_type`, by a constant or a value."""

    base: Value = operand(PointerType)
    index: Value | None = optional_operand(IntType)
    elem_type: Type = attribute(Type)
    constant: int = attribute(int, default=0, rule=OFFSET)
    """The index where no value is given."""
    inbounds: bool = attribute(bool, default=False)
    value: Value = result(lambda op: op.base.type)

    spellings = spelled(constant=ConstantIndex("rawConstantIndices", always=True), inbounds=NoWrap("noWrapFlags"))

    rules = (
        Rule("one index", lambda op: op.index is None or op.constant == 0, lambda op: f"has both a value and {op.constant} as its index"),
    )


def element_of(ty: Type, position: int) -> Type:
    """Return the type of a struct's element; raise `ValueError` where there is none."""
    if not isinstance(ty, StructType) or not 0 <= position < len(ty.elements):
        raise ValueError(f"{ty} has no element {position}")
    return ty.elements[position]


class ExtractValue(Instruction, name="llvm.extractvalue"):
    """`extractvalue` of one element."""

    container: Value = operand(StructType)
    position: int = attribute(int)
    value: Value = result(lambda op: element_of(op.container.type, op.position))

    spellings = spelled(position=Position("position"))

    rules = (
        Rule(
            "an element of it",
            lambda op: 0 <= op.position < len(op.container.type.elements),
            lambda op: f"takes element {op.position} of {op.container.type}",
        ),
    )


def operand_segments(count: int) -> dict[str, Any]:
    """Return what MLIR requires for a call's operands: all are arguments, none belongs to a bundle."""
    return {"op_bundle_sizes": Raw("array<i32>"), "operandSegmentSizes": Raw(f"array<i32: {count}, 0>")}


class Call(Instruction, name="llvm.call"):
    """`call` of a function of this module, or through `pointer`; `ty` is the result's type unless it is void."""

    pointer: Value | None = optional_operand(PointerType)
    args: tuple[Value, ...] = operands()
    callee: Symbol | None = attribute(Symbol, default=None)
    ty: Type | None = attribute(ScalarType, default=None)
    value: Value | None = optional_result(lambda op: op.ty)

    rules = (
        Rule(
            "either a symbol or a pointer",
            lambda op: (op.pointer is None) is not (op.callee is None),
            lambda op: "calls both" if op.callee is not None else "calls nothing",
        ),
    )

    def required_attributes(self) -> dict[str, Any]:
        return operand_segments(len(self.operands()))

    @classmethod
    def from_text(cls, record: Record) -> Call:
        """Make a call of what text has; without a callee its first operand is the function."""
        callee = want(record.attributes, "callee", Symbol, None)
        if callee is None and not record.operands:
            raise TextError("calls neither a symbol nor a pointer")
        pointer, args = (None, record.operands) if callee is not None else (record.operands[0], record.operands[1:])
        return Call(pointer, tuple(args), callee, record.results[0] if record.results else None)

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        if self.callee is not None:
            yield from check_call(self.callee, self.args, self.ty, module)


class CallIntrinsic(Instruction, name="llvm.call_intrinsic"):
    """`call` of an intrinsic by its full name; `ty` is the result's type unless it is void.

    `note` says what the call is for and where, to whoever runs it: metadata `!oxide.note`, which PTX drops. The result, an integer, is at
    least the first number of `range` and below the second. `afn` is as of `FloatOp`.
    """

    args: tuple[Value, ...] = operands()
    intrin: str = attribute(str)
    ty: Type | None = attribute(Type, default=None)
    note: str = attribute(str, default="")
    range: tuple[int, ...] = attribute(tuple, default=())
    afn: bool = attribute(bool, default=False)
    value: Value | None = optional_result(lambda op: op.ty)

    spellings = spelled(range=ResultRange("res_attrs"), **flags("fastmathFlags", "fastmath", ("afn",)))

    def required_attributes(self) -> dict[str, Any]:
        return operand_segments(len(self.args))

    rules = (
        Rule(
            "two numbers of an integer, the smaller first",
            lambda op: (
                not op.range or (isinstance(op.ty, IntType) and len(op.range) == 2 and 0 <= op.range[0] < op.range[1] < 1 << op.ty.width)
            ),
            lambda op: f"has results in {op.range}",
        ),
        Rule("floats that are approximated", lambda op: not op.afn or isinstance(op.ty, FloatType), lambda op: f"approximates {op.ty}"),
        Rule("an intrinsic that is known", lambda op: intrinsics.signature(op.intrin) is not None, lambda op: f"calls {op.intrin}"),
        Rule(
            "the intrinsic's own types",
            lambda op: intrinsics.signature(op.intrin) == (tuple([value.type for value in op.args]), op.ty),
            lambda op: f"{op.intrin} makes {op.ty} of {[value.type for value in op.args]}",
        ),
        Rule(
            "a constant that says whether zero has an answer",
            lambda op: not op.intrin.startswith(("llvm.ctlz.", "llvm.cttz.")) or isinstance(op.args[1].owner, Constant),
            lambda op: f"{op.intrin} is given no number",
        ),
    )


class InlineAsm(Instruction, name="llvm.inline_asm"):
    """`call asm` of PTX text (LLVM NVPTX usage, "Inline assembly"); `ty` is the result's type unless it is void, a struct for several.

    `$0` and so on in `asm_string` are the results, then the operands, as many as `constraints` has. Without `has_side_effects` it is a
    function of its operands. One that is not `convergent` may be moved to where threads have parted. `note` is as of `CallIntrinsic`.
    """

    args: tuple[Value, ...] = operands()
    asm_string: str = attribute(str)
    constraints: str = attribute(str)
    ty: Type | None = attribute(Type, default=None)
    has_side_effects: bool = attribute(bool, default=True)
    convergent: bool = attribute(bool, default=True)
    note: str = attribute(str, default="")
    value: Value | None = optional_result(lambda op: op.ty)

    spellings = spelled(
        has_side_effects=Unit("has_side_effects", always=True),
        convergent=Unit("oxide.may_diverge", when=False),
    )

    rules = (
        Rule(
            "one for each",
            lambda op: operands_of(op.constraints) == (len(results(op)), len(op.args)),
            lambda op: f"has the constraints {op.constraints} on {len(results(op))} results and {len(op.args)} operands",
        ),
    )


def results(op: InlineAsm) -> tuple[Type, ...]:
    """Return the types of the results."""
    return () if op.ty is None else op.ty.elements if isinstance(op.ty, StructType) else (op.ty,)


def spell_launch_fact(name: str, numbers: tuple[int, ...]) -> str:
    """Spell what holds of a kernel's launches as LLVM has it: the most threads of a block as nvcc does too, along the first axis."""
    return ",".join(map(str, (*numbers, 1, 1) if name == "maxntid" else numbers))


LOOP = spelled(unroll=Unroll("loop_annotation"), loop=LoopNumber("oxide.loop", always=True))
"""How an op that closes a loop says how that is unrolled."""


class Br(Instruction, name="llvm.br", terminator=True):
    """`br`.

    From a latch of a loop that is to be unrolled, `unroll` says how often, 0 for all rounds (LangRef, "llvm.loop.unroll"), and `loop` tells
    the loop from the others of its function.
    """

    target: Block = successor()
    unroll: int | None = attribute(int, default=None, rule=UNROLL_FACTOR)
    loop: int = attribute(int, default=0)

    spellings = LOOP


class CondBr(Instruction, name="llvm.cond_br", terminator=True):
    """`br` by a condition; `unroll` and `loop` are as of `Br`."""

    condition: Value = operand(I1)
    if_true: Block = successor()
    if_false: Block = successor()
    unroll: int | None = attribute(int, default=None, rule=UNROLL_FACTOR)
    loop: int = attribute(int, default=0)

    spellings = LOOP

    def text_attributes(self) -> dict[str, Any]:
        return {"operandSegmentSizes": Raw("array<i32: 1, 0, 0>"), **super().text_attributes()}


class Switch(SwitchOp, Instruction, name="llvm.switch"):
    """`switch`; the first target is the default."""

    spellings = spelled(cases=Cases("case_values"))

    def required_attributes(self) -> dict[str, Any]:
        sizes = f"array<i32: {', '.join('0' for _ in self.cases)}>" if self.cases else "array<i32>"
        return {"case_operand_segments": Raw(sizes), "operandSegmentSizes": Raw("array<i32: 1, 0, 0>")}


class Return(ReturnOp, Instruction, name="llvm.return"):
    """`ret`."""


class Unreachable(Instruction, name="llvm.unreachable", terminator=True):
    """`unreachable`."""
