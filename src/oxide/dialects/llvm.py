"""LLVM IR, one op an instruction, in the form of MLIR's LLVM dialect, so that mlir-translate reads it too.

    %2 = "llvm.add"(%0, %1) : (i32, i32) -> i32            # %2 = add i32 %0, %1

Meanings are LLVM's (LangRef). Flags that make a result poison are attributes with LLVM's names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import intrinsics
from oxide.dialects.rules import (
    ARMS,
    ATOMIC_OPERAND,
    ATOMIC_TYPE,
    EXCHANGED,
    NO_FLOAT,
    NUMBER_FITS,
    OFFSET,
    ONE_SIZE,
    SCOPE,
    SWITCH,
    UNROLL_FACTOR,
    one_of,
    operands_of,
)
from oxide.ir import (
    ALIGNMENT,
    I1,
    I8,
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
    check_return,
    operand,
    operands,
    optional_operand,
    optional_result,
    result,
    successor,
    successors,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.ir import Function, Module

ICMP = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""`icmp` predicates, in the order of MLIR's numbers."""

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


FAST_MATH = ("arcp", "contract", "afn", "fast")
"""The flags of `FloatOp`, in the order in which they are written."""

FLUSHED = "preserve-sign,preserve-sign"
"""LLVM's word for `Function.flushes`: of subnormal `f32`, as results and as operands, only the sign is left (LangRef, "Function
Attributes", `denormal-fp-math-f32`)."""


class Constant(Op, name="llvm.mlir.constant"):
    """A number, as the unsigned integer of its bits."""

    bits: int = attribute(int)
    ty: Type = attribute(NumberType)
    value: Value = result(lambda op: op.ty)

    rules = (NUMBER_FITS,)


class Zero(Op, name="llvm.mlir.zero"):
    """The null pointer."""

    value: Value = result(lambda op: PTR)


class AddressOf(Op, name="llvm.mlir.addressof"):
    """The address of a function or global, in its own address space."""

    symbol: Symbol = attribute(Symbol)
    space: int = attribute(int)
    value: Value = result(lambda op: Pointer(op.space))

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        expected = module.globals[self.symbol].space if self.symbol in module.globals else 0
        if self.space != expected:
            yield f"says that @{self.symbol} is in address space {self.space}, which is in {expected}"


class BinaryOp(SameTypeOperands):
    """Two operands of one type; the result has that type."""

    value: Value = result(lambda op: op.lhs.type)


class IntOp(BinaryOp):
    """Integer arithmetic."""

    lhs: Value = operand(IntType)


class OverflowOp(IntOp):
    """Integer arithmetic that may promise not to wrap."""

    nsw: bool = attribute(bool, default=False)
    nuw: bool = attribute(bool, default=False)


class FloatOp(BinaryOp):
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


class FNeg(Op, name="llvm.fneg"):
    """`fneg`."""

    operand: Value = operand(FloatType)
    value: Value = result(lambda op: op.operand.type)


class ICmp(SameTypeOperands, name="llvm.icmp"):
    """`icmp`, of integers or pointers."""

    predicate: str = attribute(str, rule=one_of(ICMP))
    value: Value = result(lambda op: I1)

    rules = (Rule(NO_FLOAT.words, lambda op: NO_FLOAT.holds(op.lhs.type), lambda op: f"compares {op.lhs.type}"),)


class FCmp(SameTypeOperands, name="llvm.fcmp"):
    """`fcmp`."""

    lhs: Value = operand(FloatType)
    predicate: str = attribute(str, rule=one_of(FCMP))
    value: Value = result(lambda op: I1)


class Select(Op, name="llvm.select"):
    """`select`."""

    condition: Value = operand(I1)
    if_true: Value = operand()
    if_false: Value = operand()
    value: Value = result(lambda op: op.if_true.type)

    rules = (ARMS,)


class CastOp(Op):
    """One operand as another type."""

    arg: Value = operand()
    ty: Type = attribute(ScalarType)
    value: Value = result(lambda op: op.ty)


def makes(op: CastOp) -> str:
    """Return what a cast does, in words."""
    return f"makes {op.ty} of {op.arg.type}"


NARROWER = Rule("a narrower type", lambda op: op.ty.width < op.arg.type.width, makes)
WIDER = Rule("a wider type", lambda op: op.ty.width > op.arg.type.width, makes)


class IntCast(CastOp):
    """An integer as another."""

    arg: Value = operand(IntType)
    ty: Type = attribute(IntType)


class FloatCast(CastOp):
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


class SIToFP(CastOp, name="llvm.sitofp"):
    """`sitofp`."""

    arg: Value = operand(IntType)
    ty: Type = attribute(FloatType)


class UIToFP(CastOp, name="llvm.uitofp"):
    """`uitofp`."""

    arg: Value = operand(IntType)
    ty: Type = attribute(FloatType)


class PtrToInt(CastOp, name="llvm.ptrtoint"):
    """`ptrtoint`."""

    arg: Value = operand(PointerType)
    ty: Type = attribute(IntType)


class IntToPtr(CastOp, name="llvm.inttoptr"):
    """`inttoptr`."""

    arg: Value = operand(IntType)
    ty: Type = attribute(PointerType)


class Bitcast(CastOp, name="llvm.bitcast"):
    """`bitcast` of a number."""

    arg: Value = operand(NumberType)
    ty: Type = attribute(NumberType)

    rules = (ONE_SIZE,)


class AddrSpaceCast(CastOp, name="llvm.addrspacecast"):
    """`addrspacecast`."""

    arg: Value = operand(PointerType)
    ty: Type = attribute(PointerType)

    rules = (Rule("another address space", lambda op: op.ty is not op.arg.type, makes),)


class Alloca(Op, name="llvm.alloca"):
    """`alloca` of `count` elements of `elem_type`, in the entry block."""

    count: Value = operand(IntType)
    elem_type: Type = attribute(Type)
    alignment: int = attribute(int, rule=ALIGNMENT)
    value: Value = result(lambda op: PTR)


ORDERINGS = {"": 0, "monotonic": 2, "acquire": 4, "release": 5, "acq_rel": 6, "seq_cst": 7}
"""Memory orderings with MLIR's numbers; none for what is not atomic."""

LOAD_ORDERINGS = ("monotonic", "acquire", "seq_cst")
STORE_ORDERINGS = ("monotonic", "release", "seq_cst")
FENCE_ORDERINGS = ("acquire", "release", "acq_rel", "seq_cst")


def atomic(ty: Type, ordering: str) -> bool:
    """Return whether a value can be accessed so: atomically only in whole bytes."""
    return not ordering or ATOMIC_TYPE.holds(ty)


ATOMICRMW = ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "fadd")
"""`atomicrmw` operations, in the order of MLIR's numbers."""


class Load(Op, name="llvm.load"):
    """`load`, atomic if it has an ordering."""

    addr: Value = operand(PointerType)
    ty: Type = attribute(ScalarType)
    alignment: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)
    ordering: str = attribute(str, default="", rule=one_of(("", *LOAD_ORDERINGS)))
    syncscope: str = attribute(str, default="", rule=SCOPE)
    value: Value = result(lambda op: op.ty)

    rules = (Rule(ATOMIC_TYPE.words, lambda op: atomic(op.ty, op.ordering), lambda op: f"loads {op.ty} atomically"),)


class Store(Op, name="llvm.store"):
    """`store`, atomic if it has an ordering."""

    value: Value = operand()
    addr: Value = operand(PointerType)
    alignment: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)
    ordering: str = attribute(str, default="", rule=one_of(("", *STORE_ORDERINGS)))
    syncscope: str = attribute(str, default="", rule=SCOPE)

    rules = (Rule(ATOMIC_TYPE.words, lambda op: atomic(op.value.type, op.ordering), lambda op: f"stores {op.value.type} atomically"),)


class AtomicRMW(Op, name="llvm.atomicrmw"):
    """`atomicrmw`, always `monotonic` and of the device: LLVM 22 makes that of any other on NVPTX. Fences stand beside it."""

    addr: Value = operand(PointerType)
    operand: Value = operand()
    operation: str = attribute(str, rule=one_of(ATOMICRMW))
    alignment: int = attribute(int, rule=ALIGNMENT)
    value: Value = result(lambda op: op.operand.type)

    rules = (ATOMIC_OPERAND,)


class CmpXchg(Op, name="llvm.cmpxchg"):
    """`cmpxchg`; the result is a pair of what was there and whether it was replaced."""

    addr: Value = operand(PointerType)
    expected: Value = operand()
    new: Value = operand()
    alignment: int = attribute(int, rule=ALIGNMENT)
    success: str = attribute(str, rule=one_of(("monotonic", *FENCE_ORDERINGS)))
    failure: str = attribute(str, rule=one_of(LOAD_ORDERINGS))
    syncscope: str = attribute(str, default="", rule=SCOPE)
    value: Value = result(lambda op: Struct((op.expected.type, I1)))

    rules = (EXCHANGED,)


class Fence(Op, name="llvm.fence"):
    """`fence`."""

    ordering: str = attribute(str, rule=one_of(FENCE_ORDERINGS))
    syncscope: str = attribute(str, default="", rule=SCOPE)


class MemCpy(Op, name="llvm.intr.memcpy"):
    """`llvm.memcpy`; both pointers are aligned to `alignment`."""

    dst: Value = operand(PTR)
    src: Value = operand(PTR)
    count: Value = operand(IntType)
    alignment: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)


class MemMove(Op, name="llvm.intr.memmove"):
    """`llvm.memmove`; both pointers are aligned to `alignment`."""

    dst: Value = operand(PTR)
    src: Value = operand(PTR)
    count: Value = operand(IntType)
    alignment: int = attribute(int, rule=ALIGNMENT)


class MemSet(Op, name="llvm.intr.memset"):
    """`llvm.memset`; the pointer is aligned to `alignment`."""

    dst: Value = operand(PTR)
    byte: Value = operand(I8)
    count: Value = operand(IntType)
    alignment: int = attribute(int, rule=ALIGNMENT)


class GetElementPtr(Op, name="llvm.getelementptr"):
    """`getelementptr` over `elem_type`, by a constant or a value."""

    base: Value = operand(PointerType)
    index: Value | None = optional_operand(IntType)
    elem_type: Type = attribute(Type)
    constant: int = attribute(int, default=0, rule=OFFSET)
    """The index where no value is given."""
    inbounds: bool = attribute(bool, default=False)
    value: Value = result(lambda op: op.base.type)

    rules = (
        Rule("one index", lambda op: op.index is None or op.constant == 0, lambda op: f"has both a value and {op.constant} as its index"),
    )


def element_of(ty: Type, position: int) -> Type:
    """Return the type of a struct's element; raise `ValueError` where there is none."""
    if not isinstance(ty, StructType) or not 0 <= position < len(ty.elements):
        raise ValueError(f"{ty} has no element {position}")
    return ty.elements[position]


class ExtractValue(Op, name="llvm.extractvalue"):
    """`extractvalue` of one element."""

    container: Value = operand(StructType)
    position: int = attribute(int)
    value: Value = result(lambda op: element_of(op.container.type, op.position))

    rules = (
        Rule(
            "an element of it",
            lambda op: 0 <= op.position < len(op.container.type.elements),
            lambda op: f"takes element {op.position} of {op.container.type}",
        ),
    )


class Call(Op, name="llvm.call"):
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

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        if self.callee is not None:
            yield from check_call(self.callee, self.args, self.ty, module)


class CallIntrinsic(Op, name="llvm.call_intrinsic"):
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


class InlineAsm(Op, name="llvm.inline_asm"):
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


class Br(Op, name="llvm.br", terminator=True):
    """`br`.

    From a latch of a loop that is to be unrolled, `unroll` says how often, 0 for all rounds (LangRef, "llvm.loop.unroll"), and `loop` tells
    the loop from the others of its function.
    """

    target: Block = successor()
    unroll: int | None = attribute(int, default=None, rule=UNROLL_FACTOR)
    loop: int = attribute(int, default=0)


class CondBr(Op, name="llvm.cond_br", terminator=True):
    """`br` by a condition; `unroll` and `loop` are as of `Br`."""

    condition: Value = operand(I1)
    if_true: Block = successor()
    if_false: Block = successor()
    unroll: int | None = attribute(int, default=None, rule=UNROLL_FACTOR)
    loop: int = attribute(int, default=0)


class Switch(Op, name="llvm.switch", terminator=True):
    """`switch`; the first target is the default."""

    value: Value = operand(IntType)
    targets: tuple[Block, ...] = successors()
    cases: tuple[int, ...] = attribute(tuple)

    rules = SWITCH


class Return(Op, name="llvm.return", terminator=True):
    """`ret`."""

    value: Value | None = optional_operand()

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        yield from check_return(self.value, function)


class Unreachable(Op, name="llvm.unreachable", terminator=True):
    """`unreachable`."""
