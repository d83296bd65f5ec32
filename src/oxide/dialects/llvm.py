"""LLVM IR, one op an instruction, in the form of MLIR's LLVM dialect, so that mlir-translate reads it too.

    %2 = "llvm.add"(%0, %1) : (i32, i32) -> i32            # %2 = add i32 %0, %1

Meanings are LLVM's (LangRef). Flags that make a result poison are attributes with LLVM's names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from oxide.ir import (
    ALIGNMENT,
    I1,
    PTR,
    Block,
    FloatType,
    IntType,
    Op,
    Pointer,
    PointerType,
    Rule,
    SameTypeOperands,
    Struct,
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


class Constant(Op, name="llvm.mlir.constant"):
    """A number, as the unsigned integer of its bits."""

    bits: int = attribute(int)
    ty: Type = attribute(Type)
    value: Value = result(lambda op: op.ty)


class Zero(Op, name="llvm.mlir.zero"):
    """The null pointer."""

    value: Value = result(lambda op: PTR)


class AddressOf(Op, name="llvm.mlir.addressof"):
    """The address of a function or global, in its own address space."""

    symbol: Symbol = attribute(Symbol)
    space: int = attribute(int)
    value: Value = result(lambda op: Pointer(op.space))


class BinaryOp(SameTypeOperands):
    """Two operands of one type; the result has that type."""

    value: Value = result(lambda op: op.lhs.type)


class IntOp(BinaryOp):
    """Integer arithmetic."""

    def check(self) -> Iterator[str]:
        yield from super().check()
        if not isinstance(self.lhs.type, IntType):
            yield f"operands have type {self.lhs.type}, expected an integer"


class OverflowOp(IntOp):
    """Integer arithmetic that may promise not to wrap."""

    nsw: bool = attribute(bool, default=False)
    nuw: bool = attribute(bool, default=False)


class FloatOp(BinaryOp):
    """IEEE float arithmetic; `contract` lets a product be added without rounding first."""

    contract: bool = attribute(bool, default=False)

    def check(self) -> Iterator[str]:
        yield from super().check()
        if not isinstance(self.lhs.type, FloatType):
            yield f"operands have type {self.lhs.type}, expected a float"


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


class FNeg(Op, name="llvm.fneg"):
    """`fneg`."""

    operand: Value = operand(FloatType)
    value: Value = result(lambda op: op.operand.type)


class ICmp(SameTypeOperands, name="llvm.icmp"):
    """`icmp`, of integers or pointers."""

    predicate: str = attribute(str)
    value: Value = result(lambda op: I1)

    def check(self) -> Iterator[str]:
        yield from super().check()
        if self.predicate not in ICMP:
            yield f"predicate is {self.predicate}, expected one of {', '.join(ICMP)}"


class FCmp(SameTypeOperands, name="llvm.fcmp"):
    """`fcmp`."""

    lhs: Value = operand(FloatType)
    rhs: Value = operand(FloatType)
    predicate: str = attribute(str)
    value: Value = result(lambda op: I1)

    def check(self) -> Iterator[str]:
        yield from super().check()
        if self.predicate not in FCMP:
            yield f"predicate is {self.predicate}, expected one of {', '.join(FCMP)}"


class Select(Op, name="llvm.select"):
    """`select`."""

    condition: Value = operand(IntType)
    if_true: Value = operand()
    if_false: Value = operand()
    value: Value = result(lambda op: op.if_true.type)


class CastOp(Op):
    """One operand as another type."""

    takes: ClassVar[type[Type]] = Type
    gives: ClassVar[type[Type]] = Type
    grows: ClassVar[bool | None] = None
    """Whether the result is the wider one; None where widths do not count."""

    arg: Value = operand()
    ty: Type = attribute(Type)
    value: Value = result(lambda op: op.ty)

    def check(self) -> Iterator[str]:
        yield from super().check()
        taken, given = self.arg.type, self.ty
        if not isinstance(taken, self.takes) or not isinstance(given, self.gives):
            yield f"makes {given} of {taken}, expected {self.gives.__name__} of {self.takes.__name__}"
        elif self.grows is not None and (given.width == taken.width or (given.width > taken.width) is not self.grows):  # type: ignore[attr-defined]
            yield f"makes {given} of {taken}, expected a {'wider' if self.grows else 'narrower'} type"


class Trunc(CastOp, name="llvm.trunc"):
    """`trunc`."""

    takes = gives = IntType
    grows = False


class ZExt(CastOp, name="llvm.zext"):
    """`zext`."""

    takes = gives = IntType
    grows = True


class SExt(CastOp, name="llvm.sext"):
    """`sext`."""

    takes = gives = IntType
    grows = True


class FPTrunc(CastOp, name="llvm.fptrunc"):
    """`fptrunc`."""

    takes = gives = FloatType
    grows = False


class FPExt(CastOp, name="llvm.fpext"):
    """`fpext`."""

    takes = gives = FloatType
    grows = True


class SIToFP(CastOp, name="llvm.sitofp"):
    """`sitofp`."""

    takes = IntType
    gives = FloatType


class UIToFP(CastOp, name="llvm.uitofp"):
    """`uitofp`."""

    takes = IntType
    gives = FloatType


class PtrToInt(CastOp, name="llvm.ptrtoint"):
    """`ptrtoint`."""

    takes = PointerType
    gives = IntType


class IntToPtr(CastOp, name="llvm.inttoptr"):
    """`inttoptr`."""

    takes = IntType
    gives = PointerType


class Bitcast(CastOp, name="llvm.bitcast"):
    """`bitcast`."""


class AddrSpaceCast(CastOp, name="llvm.addrspacecast"):
    """`addrspacecast`."""

    takes = gives = PointerType


class Alloca(Op, name="llvm.alloca"):
    """`alloca` of `count` elements of `elem_type`, in the entry block."""

    count: Value = operand(IntType)
    elem_type: Type = attribute(Type)
    alignment: int = attribute(int, rule=ALIGNMENT)
    value: Value = result(lambda op: PTR)


ORDERINGS = {"": 0, "monotonic": 2, "acquire": 4, "release": 5, "acq_rel": 6, "seq_cst": 7}
"""Memory orderings with MLIR's numbers; none for what is not atomic."""

ORDERING = Rule(f"one of {', '.join(ORDERINGS)}", lambda value: value in ORDERINGS)

ATOMICRMW = ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin")
"""`atomicrmw` operations, in the order of MLIR's numbers."""


class Load(Op, name="llvm.load"):
    """`load`, atomic if it has an ordering."""

    addr: Value = operand(PointerType)
    ty: Type = attribute(Type)
    alignment: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)
    ordering: str = attribute(str, default="", rule=ORDERING)
    value: Value = result(lambda op: op.ty)


class Store(Op, name="llvm.store"):
    """`store`, atomic if it has an ordering."""

    value: Value = operand()
    addr: Value = operand(PointerType)
    alignment: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)
    ordering: str = attribute(str, default="", rule=ORDERING)


class AtomicRMW(Op, name="llvm.atomicrmw"):
    """`atomicrmw`, always `monotonic`: LLVM 22 drops any other ordering on NVPTX, so fences stand beside it."""

    addr: Value = operand(PointerType)
    operand: Value = operand()
    operation: str = attribute(str, rule=Rule(f"one of {', '.join(ATOMICRMW)}", lambda value: value in ATOMICRMW))
    alignment: int = attribute(int, rule=ALIGNMENT)
    value: Value = result(lambda op: op.operand.type)


class CmpXchg(Op, name="llvm.cmpxchg"):
    """`cmpxchg`; the result is a pair of what was there and whether it was replaced."""

    addr: Value = operand(PointerType)
    expected: Value = operand()
    new: Value = operand()
    alignment: int = attribute(int, rule=ALIGNMENT)
    success: str = attribute(str, rule=ORDERING)
    failure: str = attribute(str, rule=ORDERING)
    value: Value = result(lambda op: Struct((op.expected.type, I1)))


class Fence(Op, name="llvm.fence"):
    """`fence`."""

    ordering: str = attribute(str, rule=ORDERING)


class MemCpy(Op, name="llvm.intr.memcpy"):
    """`llvm.memcpy`; both pointers are aligned to `alignment`."""

    dst: Value = operand(PointerType)
    src: Value = operand(PointerType)
    count: Value = operand(IntType)
    alignment: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)


class MemMove(Op, name="llvm.intr.memmove"):
    """`llvm.memmove`; both pointers are aligned to `alignment`."""

    dst: Value = operand(PointerType)
    src: Value = operand(PointerType)
    count: Value = operand(IntType)
    alignment: int = attribute(int, rule=ALIGNMENT)


class MemSet(Op, name="llvm.intr.memset"):
    """`llvm.memset`; the pointer is aligned to `alignment`."""

    dst: Value = operand(PointerType)
    byte: Value = operand(IntType)
    count: Value = operand(IntType)
    alignment: int = attribute(int, rule=ALIGNMENT)


class GetElementPtr(Op, name="llvm.getelementptr"):
    """`getelementptr` over `elem_type`, by a constant or a value."""

    base: Value = operand(PointerType)
    index: Value | None = optional_operand(IntType)
    elem_type: Type = attribute(Type)
    constant: int = attribute(int, default=0)
    """The index where no value is given."""
    inbounds: bool = attribute(bool, default=False)
    value: Value = result(lambda op: op.base.type)


class ExtractValue(Op, name="llvm.extractvalue"):
    """`extractvalue` of one element."""

    container: Value = operand()
    position: int = attribute(int)
    value: Value = result(lambda op: op.container.type.elements[op.position])


class Call(Op, name="llvm.call"):
    """`call` of a function of this module, or through `pointer`; `ty` is the result's type unless it is void."""

    pointer: Value | None = optional_operand(PointerType)
    args: tuple[Value, ...] = operands()
    callee: Symbol | None = attribute(Symbol, default=None)
    ty: Type | None = attribute(Type, default=None)
    value: Value | None = optional_result(lambda op: op.ty)

    def check(self) -> Iterator[str]:
        yield from super().check()
        if (self.pointer is None) is (self.callee is None):
            yield "calls either a symbol or a pointer"

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        if self.callee is not None:
            yield from check_call(self.callee, self.args, self.ty, module)


class CallIntrinsic(Op, name="llvm.call_intrinsic"):
    """`call` of an intrinsic by its full name; `ty` is the result's type unless it is void.

    `note` says what the call is for and where, to whoever runs it: metadata `!oxide.note`, which PTX drops.
    """

    args: tuple[Value, ...] = operands()
    intrin: str = attribute(str)
    ty: Type | None = attribute(Type, default=None)
    note: str = attribute(str, default="")
    value: Value | None = optional_result(lambda op: op.ty)


class InlineAsm(Op, name="llvm.inline_asm"):
    """`call asm sideeffect`: PTX text."""

    args: tuple[Value, ...] = operands()
    asm_string: str = attribute(str)
    constraints: str = attribute(str)


class Br(Op, name="llvm.br", terminator=True):
    """`br`."""

    target: Block = successor()


class CondBr(Op, name="llvm.cond_br", terminator=True):
    """`br` by a condition."""

    condition: Value = operand(IntType)
    if_true: Block = successor()
    if_false: Block = successor()


class Switch(Op, name="llvm.switch", terminator=True):
    """`switch`; the first target is the default."""

    value: Value = operand(IntType)
    targets: tuple[Block, ...] = successors()
    cases: tuple[int, ...] = attribute(tuple)

    def check(self) -> Iterator[str]:
        yield from super().check()
        if len(self.targets) != len(self.cases) + 1:
            yield f"has {len(self.targets)} targets, expected {len(self.cases) + 1}"
        if len(set(self.cases)) != len(self.cases):
            yield "has one case twice"


class Return(Op, name="llvm.return", terminator=True):
    """`ret`."""

    value: Value | None = optional_operand()

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        yield from check_return(self.value, function)


class Unreachable(Op, name="llvm.unreachable", terminator=True):
    """`unreachable`."""
