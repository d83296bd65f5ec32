"""Ops that mean what Rust MIR means, over memory: a local is an alloca, a place is an address, an aggregate is bytes.

    %0 = "mir.alloca"() {align = 4 : i64, size = 4 : i64} : () -> !llvm.ptr
    %1 = "mir.load"(%0) {align = 4 : i64, ty = i32} : (!llvm.ptr) -> i32

Offsets and sizes are bytes and come from rustc's layouts. Values are numbers, truth values (`i1`) and pointers only.
The meaning of each op is that of the MIR construct it names (rustc's `rustc_middle::mir::syntax`, the Rust reference).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from oxide.ir import (
    ALIGNMENT,
    I1,
    I8,
    PTR,
    SIZE,
    Block,
    FloatType,
    IntType,
    Op,
    PointerType,
    Rule,
    SameTypeOperands,
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

PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")

ORDERINGS = ("relaxed", "release", "acquire", "acq_rel", "seq_cst")
"""Memory orderings, numbered as `core::intrinsics::AtomicOrdering` is."""

ORDERING = Rule(f"one of {', '.join(ORDERINGS)}", lambda value: value in ORDERINGS)

ATOMIC_OPERATIONS = ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin")
"""What an atomic update does, by LLVM's names (LangRef, `atomicrmw`)."""


class Alloca(Op, name="mir.alloca"):
    """Memory of one local, for as long as the function runs. Zero bytes are allowed."""

    size: int = attribute(int, rule=SIZE)
    align: int = attribute(int, rule=ALIGNMENT)
    hint: str = attribute(str, default="")
    addr: Value = result(lambda op: PTR)


class Load(Op, name="mir.load"):
    """Read a `ty` from `addr`."""

    addr: Value = operand(PointerType)
    ty: Type = attribute(Type)
    align: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)
    value: Value = result(lambda op: op.ty)


class Store(Op, name="mir.store"):
    """Write `value` to `addr`."""

    value: Value = operand()
    addr: Value = operand(PointerType)
    align: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)


class AtomicLoad(Op, name="mir.atomic_load"):
    """Read a `ty` from `addr` in one piece, ordered for the whole system."""

    addr: Value = operand(PointerType)
    ty: Type = attribute(Type)
    align: int = attribute(int, rule=ALIGNMENT)
    ordering: str = attribute(str, rule=ORDERING)
    value: Value = result(lambda op: op.ty)


class AtomicStore(Op, name="mir.atomic_store"):
    """Write `value` to `addr` in one piece, ordered for the whole system."""

    value: Value = operand()
    addr: Value = operand(PointerType)
    align: int = attribute(int, rule=ALIGNMENT)
    ordering: str = attribute(str, rule=ORDERING)


class AtomicUpdate(Op, name="mir.atomic_update"):
    """Replace what is at `addr` by the operation of it and `operand`; the result is what was there."""

    addr: Value = operand(PointerType)
    operand: Value = operand()
    operation: str = attribute(str, rule=Rule(f"one of {', '.join(ATOMIC_OPERATIONS)}", lambda value: value in ATOMIC_OPERATIONS))
    align: int = attribute(int, rule=ALIGNMENT)
    ordering: str = attribute(str, rule=ORDERING)
    value: Value = result(lambda op: op.operand.type)


class AtomicCompareExchange(Op, name="mir.atomic_compare_exchange"):
    """Write `new` to `addr` if `expected` is there; the results are what was there, and whether it was written."""

    addr: Value = operand(PointerType)
    expected: Value = operand()
    new: Value = operand()
    align: int = attribute(int, rule=ALIGNMENT)
    success: str = attribute(str, rule=ORDERING)
    failure: str = attribute(str, rule=ORDERING)
    value: Value = result(lambda op: op.expected.type)
    written: Value = result(lambda op: I1)


class Fence(Op, name="mir.fence"):
    """Order memory accesses for the whole system (`core::sync::atomic::fence`)."""

    ordering: str = attribute(str, rule=ORDERING)


class Copy(Op, name="mir.copy"):
    """Copy `size` bytes; source and destination are the same or do not overlap."""

    dst: Value = operand(PointerType)
    src: Value = operand(PointerType)
    size: int = attribute(int, rule=SIZE)
    align: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)


class CopyBytes(Op, name="mir.copy_bytes"):
    """Copy `count` bytes, a run-time number; they may overlap if `overlapping`."""

    dst: Value = operand(PointerType)
    src: Value = operand(PointerType)
    count: Value = operand(IntType)
    align: int = attribute(int, rule=ALIGNMENT)
    overlapping: bool = attribute(bool, default=False)


class SetBytes(Op, name="mir.set_bytes"):
    """Set `count` bytes to `byte`."""

    dst: Value = operand(PointerType)
    byte: Value = operand(IntType)
    count: Value = operand(IntType)
    align: int = attribute(int, rule=ALIGNMENT)


class Offset(Op, name="mir.offset"):
    """The address `bytes` after `base`, in the same object."""

    base: Value = operand(PointerType)
    bytes: int = attribute(int)
    addr: Value = result(lambda op: op.base.type)


class Index(Op, name="mir.index"):
    """The address of element `index` (signed) of elements `stride` bytes apart; in the same object unless `wrapping`."""

    base: Value = operand(PointerType)
    index: Value = operand(IntType)
    stride: int = attribute(int, rule=SIZE)
    wrapping: bool = attribute(bool, default=False)
    addr: Value = result(lambda op: op.base.type)


class Constant(Op, name="mir.constant"):
    """A number or truth value, given as the unsigned integer of its bits."""

    bits: int = attribute(int)
    ty: Type = attribute(Type)
    value: Value = result(lambda op: op.ty)


class AddressOf(Op, name="mir.address_of"):
    """The generic address of a function or global."""

    symbol: Symbol = attribute(Symbol)
    addr: Value = result(lambda op: PTR)


class BinaryOp(SameTypeOperands):
    """Two operands of one type; the result has that type."""

    value: Value = result(lambda op: op.lhs.type)


class Add(BinaryOp, name="mir.add"):
    """Wrapping integer addition, or IEEE float addition."""


class Sub(BinaryOp, name="mir.sub"):
    """Wrapping integer subtraction, or IEEE float subtraction."""


class Mul(BinaryOp, name="mir.mul"):
    """Wrapping integer multiplication, or IEEE float multiplication."""


class UncheckedOp(BinaryOp):
    """Integer arithmetic whose overflow is undefined behaviour."""

    signed: bool = attribute(bool)


class UncheckedAdd(UncheckedOp, name="mir.unchecked_add"):
    """Addition that does not overflow."""


class UncheckedSub(UncheckedOp, name="mir.unchecked_sub"):
    """Subtraction that does not overflow."""


class UncheckedMul(UncheckedOp, name="mir.unchecked_mul"):
    """Multiplication that does not overflow."""


class Div(UncheckedOp, name="mir.div"):
    """Division; MIR asserts before it that integers neither divide by zero nor overflow."""


class Rem(UncheckedOp, name="mir.rem"):
    """Remainder with the dividend's sign; asserted like `mir.div`."""


class And(BinaryOp, name="mir.and"):
    """Bitwise and."""


class Or(BinaryOp, name="mir.or"):
    """Bitwise or."""


class Xor(BinaryOp, name="mir.xor"):
    """Bitwise exclusive or."""


class ShiftOp(Op):
    """A shift; the amount may be of another integer type."""

    lhs: Value = operand(IntType)
    amount: Value = operand(IntType)
    unchecked: bool = attribute(bool, default=False)
    """The amount is less than the width; otherwise it is taken modulo the width."""
    value: Value = result(lambda op: op.lhs.type)


class Shl(ShiftOp, name="mir.shl"):
    """Shift left."""


class Shr(ShiftOp, name="mir.shr"):
    """Shift right, filling with the sign if `signed`."""

    signed: bool = attribute(bool, default=False)


class CheckedOp(Op):
    """Wrapping integer arithmetic, and whether it overflowed."""

    lhs: Value = operand(IntType)
    rhs: Value = operand(IntType)
    signed: bool = attribute(bool)
    value: Value = result(lambda op: op.lhs.type)
    overflow: Value = result(lambda op: I1)


class CheckedAdd(CheckedOp, name="mir.checked_add"):
    """Addition."""


class CheckedSub(CheckedOp, name="mir.checked_sub"):
    """Subtraction."""


class CheckedMul(CheckedOp, name="mir.checked_mul"):
    """Multiplication."""


class SaturatingAdd(UncheckedOp, name="mir.saturating_add"):
    """Integer addition that stops at the type's bounds."""


class SaturatingSub(UncheckedOp, name="mir.saturating_sub"):
    """Integer subtraction that stops at the type's bounds."""


class Neg(Op, name="mir.neg"):
    """Wrapping integer negation, or the float with its sign flipped."""

    arg: Value = operand()
    value: Value = result(lambda op: op.arg.type)


class Not(Op, name="mir.not"):
    """Bitwise complement, or the other truth value."""

    arg: Value = operand(IntType)
    value: Value = result(lambda op: op.arg.type)


class Compare(SameTypeOperands, name="mir.compare"):
    """Compare numbers, truth values or pointers; of floats all but `ne` are false for NaN."""

    predicate: str = attribute(str)
    signed: bool = attribute(bool, default=False)
    value: Value = result(lambda op: I1)

    def check(self) -> Iterator[str]:
        yield from super().check()
        if self.predicate not in PREDICATES:
            yield f"predicate is {self.predicate}, expected one of {', '.join(PREDICATES)}"


class ThreeWay(SameTypeOperands, name="mir.three_way"):
    """-1, 0 or 1 as `lhs` is less than, equal to or greater than `rhs` (`BinOp::Cmp`, the bytes of `Ordering`)."""

    signed: bool = attribute(bool, default=False)
    value: Value = result(lambda op: I8)


class Select(Op, name="mir.select"):
    """`if_true` or `if_false`; both are computed."""

    condition: Value = operand(IntType)
    if_true: Value = operand()
    if_false: Value = operand()
    value: Value = result(lambda op: op.if_true.type)


class Intrinsic(Op, name="mir.intrinsic"):
    """A pure function of numbers that LLVM has an intrinsic for, by LLVM's name without types: `ctpop`, `fma`, `maxnum`."""

    args: tuple[Value, ...] = operands()
    function: str = attribute(str)
    ty: Type = attribute(Type)
    value: Value = result(lambda op: op.ty)


class CastOp(Op):
    """One value as another type."""

    takes: ClassVar[type[Type]] = Type
    gives: ClassVar[type[Type]] = Type

    arg: Value = operand()
    ty: Type = attribute(Type)
    value: Value = result(lambda op: op.ty)

    def check(self) -> Iterator[str]:
        yield from super().check()
        if not isinstance(self.arg.type, self.takes):
            yield f"operand `arg` has type {self.arg.type}, expected {self.takes.__name__}"
        if not isinstance(self.ty, self.gives):
            yield f"the result is {self.ty}, expected {self.gives.__name__}"


class IntCast(CastOp, name="mir.int_cast"):
    """Truncate, or extend with the sign if `signed`, else with zeros."""

    takes = gives = IntType

    signed: bool = attribute(bool, default=False)


class FloatCast(CastOp, name="mir.float_cast"):
    """Round to nearest, ties to even, or extend."""

    takes = gives = FloatType


class FloatToInt(CastOp, name="mir.float_to_int"):
    """Round towards zero and stop at the type's bounds; NaN is 0 (Rust reference, "Numeric cast")."""

    takes = FloatType
    gives = IntType

    signed: bool = attribute(bool)


class IntToFloat(CastOp, name="mir.int_to_float"):
    """The nearest float, ties to even."""

    takes = IntType
    gives = FloatType

    signed: bool = attribute(bool)


class Bitcast(CastOp, name="mir.bitcast"):
    """The same bits as a type of the same size; pointers and integers of 64 bits included."""


class EnumOp(Op):
    """Reads or writes which variant the enum at `addr` is, by rustc's layout of it.

    The tag lies at `tag_offset`. Without a niche it holds the discriminant. With one, variants `first` to `last` are stored as
    `niche_start` and up, wrapping, and any other tag means `untagged`.
    """

    addr: Value = operand(PointerType)
    tag_type: Type = attribute(Type)
    tag_offset: int = attribute(int)
    align: int = attribute(int, rule=ALIGNMENT)
    """The tag's alignment."""
    niche: tuple[int, ...] = attribute(tuple)
    """(untagged, first, last, niche_start), or nothing."""

    def check(self) -> Iterator[str]:
        yield from super().check()
        if not isinstance(self.tag_type, (IntType, PointerType)):
            yield f"the tag is a {self.tag_type}, expected an integer or a pointer"
        if len(self.niche) not in (0, 4):
            yield f"the niche is {self.niche}, expected (untagged, first, last, niche_start) or nothing"


class Discriminant(EnumOp, name="mir.discriminant"):
    """The discriminant (`Rvalue::Discriminant`), as an integer of type `ty`."""

    ty: Type = attribute(Type)
    signed: bool = attribute(bool, default=False)
    """Whether a direct tag is sign-extended to `ty`."""
    value: Value = result(lambda op: op.ty)

    def check(self) -> Iterator[str]:
        yield from super().check()
        if not isinstance(self.ty, IntType):
            yield f"the discriminant is a {self.ty}, expected an integer"


class SetDiscriminant(EnumOp, name="mir.set_discriminant"):
    """Make the enum variant `variant`, whose discriminant is `discriminant`; its fields are left alone."""

    variant: int = attribute(int)
    discriminant: int = attribute(int)


class Goto(Op, name="mir.goto", terminator=True):
    """Go on in `target`."""

    target: Block = successor()


class Switch(Op, name="mir.switch", terminator=True):
    """Go on in the target of the case that equals `value`, else in the first target."""

    value: Value = operand(IntType)
    targets: tuple[Block, ...] = successors()
    cases: tuple[int, ...] = attribute(tuple)
    """Bit patterns, one for each target after the first."""

    def check(self) -> Iterator[str]:
        yield from super().check()
        if len(self.targets) != len(self.cases) + 1:
            yield f"has {len(self.targets)} targets, expected {len(self.cases) + 1}"
        if len(set(self.cases)) != len(self.cases):
            yield "has one case twice"


class Assert(Op, name="mir.assert", terminator=True):
    """Go on in `target` if `condition` is `expected`; otherwise the thread panics and traps."""

    condition: Value = operand(IntType)
    target: Block = successor()
    expected: bool = attribute(bool)
    message: str = attribute(str)


class Panic(Op, name="mir.panic", terminator=True):
    """The thread panics and traps."""

    message: str = attribute(str)


class Return(Op, name="mir.return", terminator=True):
    """Leave the function."""

    value: Value | None = optional_operand()

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        yield from check_return(self.value, function)


class Unreachable(Op, name="mir.unreachable", terminator=True):
    """Never reached; otherwise undefined behaviour."""


class Assume(Op, name="mir.assume"):
    """`condition` holds; otherwise undefined behaviour."""

    condition: Value = operand(IntType)


class Call(Op, name="mir.call"):
    """Call a function of this module; `ty` is its result's type, if it has one."""

    args: tuple[Value, ...] = operands()
    callee: Symbol = attribute(Symbol)
    ty: Type | None = attribute(Type, default=None)
    value: Value | None = optional_result(lambda op: op.ty)

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        yield from check_call(self.callee, self.args, self.ty, module)


class CallPointer(Op, name="mir.call_pointer"):
    """Call the function at `pointer`; `ty` is its result's type, if it has one."""

    pointer: Value = operand(PointerType)
    args: tuple[Value, ...] = operands()
    ty: Type | None = attribute(Type, default=None)
    value: Value | None = optional_result(lambda op: op.ty)
