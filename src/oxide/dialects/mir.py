"""Ops that mean what Rust MIR means, over memory: a local is an alloca, a place is an address, an aggregate is bytes.

    %0 = "mir.alloca"() {align = 4 : i64, size = 4 : i64} : () -> !llvm.ptr
    %1 = "mir.load"(%0) {align = 4 : i64, ty = i32} : (!llvm.ptr) -> i32

Offsets and sizes are bytes and come from rustc's layouts. Values are numbers, truth values (`i1`) and pointers only.
The meaning of each op is that of the MIR construct it names (rustc's `rustc_middle::mir::syntax`, the Rust reference).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import intrinsics
from oxide.dialects.rules import (
    ATOMIC_TYPE,
    NATURAL,
    NO_FLOAT,
    OFFSET,
    ONE_SIZE,
    SCOPE,
    UNROLL_FACTOR,
    one_of,
    operands_of,
    width,
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
from oxide.ir import (
    ALIGNMENT,
    I1,
    I8,
    PTR,
    SIZE,
    Block,
    FloatType,
    IntType,
    NumberType,
    Op,
    PointerType,
    Rule,
    SameTypeOperands,
    ScalarType,
    Symbol,
    Type,
    Value,
    attribute,
    check_call,
    operand,
    operands,
    optional_result,
    result,
    successor,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.ir import Function, Module

PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")

ORDERINGS = ("relaxed", "release", "acquire", "acq_rel", "seq_cst")
"""Memory orderings, numbered as `core::intrinsics::AtomicOrdering` is."""

ORDERING = one_of(ORDERINGS)
LOAD_ORDERING = one_of(("relaxed", "acquire", "seq_cst"))
STORE_ORDERING = one_of(("relaxed", "release", "seq_cst"))
FENCE_ORDERING = one_of(ORDERINGS[1:])


class Alloca(Op, name="mir.alloca"):
    """Memory of one local, for as long as the function runs. Zero bytes are allowed."""

    size: int = attribute(int, rule=SIZE)
    align: int = attribute(int, rule=ALIGNMENT)
    hint: str = attribute(str, default="")
    addr: Value = result(lambda op: PTR)


class Load(LoadOp, name="mir.load"):
    """Read a `ty` from `addr`."""

    volatile: bool = attribute(bool, default=False)


class Store(StoreOp, name="mir.store"):
    """Write `value` to `addr`."""

    volatile: bool = attribute(bool, default=False)


class AtomicLoad(LoadOp, name="mir.atomic_load"):
    """Read a `ty` from `addr` in one piece, ordered for the threads of a scope."""

    ty: Type = attribute(ScalarType, rule=ATOMIC_TYPE)
    ordering: str = attribute(str, rule=LOAD_ORDERING)
    scope: str = attribute(str, default="", rule=SCOPE)


class AtomicStore(StoreOp, name="mir.atomic_store"):
    """Write `value` to `addr` in one piece, ordered for the threads of a scope."""

    ordering: str = attribute(str, rule=STORE_ORDERING)
    scope: str = attribute(str, default="", rule=SCOPE)

    rules = (Rule(ATOMIC_TYPE.words, lambda op: ATOMIC_TYPE.holds(op.value.type), lambda op: f"stores {op.value.type}"),)


class AtomicUpdate(UpdateOp, name="mir.atomic_update"):
    """Replace what is at `addr` by the operation of it and `operand`; the result is what was there."""

    addr: Value = operand(PTR)
    ordering: str = attribute(str, rule=ORDERING)
    scope: str = attribute(str, default="", rule=SCOPE)


class AtomicCompareExchange(CompareExchangeOp, name="mir.atomic_compare_exchange"):
    """Write `new` to `addr` if `expected` is there; the results are what was there, and whether it was written."""

    addr: Value = operand(PTR)
    success: str = attribute(str, rule=ORDERING)
    failure: str = attribute(str, rule=LOAD_ORDERING)
    value: Value = result(lambda op: op.expected.type)
    written: Value = result(lambda op: I1)


class Fence(FenceOp, name="mir.fence"):
    """Order memory accesses for the threads of a scope, as `core::sync::atomic::fence` does for the whole system."""

    ordering: str = attribute(str, rule=FENCE_ORDERING)


class Copy(Op, name="mir.copy"):
    """Copy `size` bytes; source and destination are the same or do not overlap."""

    dst: Value = operand(PTR)
    src: Value = operand(PTR)
    size: int = attribute(int, rule=SIZE)
    align: int = attribute(int, rule=ALIGNMENT)
    volatile: bool = attribute(bool, default=False)


class CopyBytes(CopyOp, name="mir.copy_bytes"):
    """Copy `count` bytes, a run-time number; they may overlap if `overlapping`."""

    overlapping: bool = attribute(bool, default=False)


class SetBytes(SetOp, name="mir.set_bytes"):
    """Set `count` bytes to `byte`."""


class Offset(Op, name="mir.offset"):
    """The address `bytes` after `base`, in the same object."""

    base: Value = operand(PointerType)
    bytes: int = attribute(int, rule=OFFSET)
    addr: Value = result(lambda op: op.base.type)


class Index(Op, name="mir.index"):
    """The address of element `index` (signed) of elements `stride` bytes apart; in the same object unless `wrapping`."""

    base: Value = operand(PointerType)
    index: Value = operand(IntType)
    stride: int = attribute(int, rule=SIZE)
    wrapping: bool = attribute(bool, default=False)
    addr: Value = result(lambda op: op.base.type)


class Constant(ConstantOp, name="mir.constant"):
    """A number or truth value, given as the unsigned integer of its bits."""


class AddressOf(Op, name="mir.address_of"):
    """The generic address of a function or global."""

    symbol: Symbol = attribute(Symbol)
    addr: Value = result(lambda op: PTR)


class NumberOp(BinaryOp):
    """Two numbers of one type; the result has that type."""

    lhs: Value = operand(NumberType)


class IntOp(NumberOp):
    """Two integers of one type."""

    lhs: Value = operand(IntType)


class Add(NumberOp, name="mir.add"):
    """Wrapping integer addition, or IEEE float addition."""


class Sub(NumberOp, name="mir.sub"):
    """Wrapping integer subtraction, or IEEE float subtraction."""


class Mul(NumberOp, name="mir.mul"):
    """Wrapping integer multiplication, or IEEE float multiplication."""


class UncheckedOp(IntOp):
    """Integer arithmetic whose overflow is undefined behaviour."""

    signed: bool = attribute(bool)


class UncheckedAdd(UncheckedOp, name="mir.unchecked_add"):
    """Addition that does not overflow."""


class UncheckedSub(UncheckedOp, name="mir.unchecked_sub"):
    """Subtraction that does not overflow."""


class UncheckedMul(UncheckedOp, name="mir.unchecked_mul"):
    """Multiplication that does not overflow."""


class DivisionOp(NumberOp):
    """Division of integers or floats."""

    signed: bool = attribute(bool)


class Div(DivisionOp, name="mir.div"):
    """Division; MIR asserts before it that integers neither divide by zero nor overflow."""


class Rem(DivisionOp, name="mir.rem"):
    """Remainder with the dividend's sign; asserted like `mir.div`."""


class FastFloat(NumberOp, name="mir.fast_float"):
    """Float arithmetic that may be reordered and approximated, of finite numbers with a finite result (`core::intrinsics::fadd_fast`)."""

    lhs: Value = operand(FloatType)
    operation: str = attribute(str, rule=one_of(("add", "sub", "mul", "div", "rem")))


class And(IntOp, name="mir.and"):
    """Bitwise and."""


class Or(IntOp, name="mir.or"):
    """Bitwise or."""


class Xor(IntOp, name="mir.xor"):
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


class CheckedOp(SameTypeOperands):
    """Wrapping integer arithmetic, and whether it overflowed."""

    lhs: Value = operand(IntType)
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

    arg: Value = operand(NumberType)
    value: Value = result(lambda op: op.arg.type)


class Not(Op, name="mir.not"):
    """Bitwise complement, or the other truth value."""

    arg: Value = operand(IntType)
    value: Value = result(lambda op: op.arg.type)


class Compare(SameTypeOperands, name="mir.compare"):
    """Compare numbers, truth values or pointers; of floats all but `ne` are false for NaN."""

    predicate: str = attribute(str, rule=one_of(PREDICATES))
    signed: bool = attribute(bool, default=False)
    value: Value = result(lambda op: I1)


class ThreeWay(SameTypeOperands, name="mir.three_way"):
    """-1, 0 or 1 as `lhs` is less than, equal to or greater than `rhs` (`BinOp::Cmp`, the bytes of `Ordering`)."""

    lhs: Value = operand(IntType)
    signed: bool = attribute(bool, default=False)
    value: Value = result(lambda op: I8)


class Select(SelectOp, name="mir.select"):
    """`if_true` or `if_false`; both are computed."""


class Intrinsic(Op, name="mir.intrinsic"):
    """A pure function of numbers that LLVM has an intrinsic for, by LLVM's name without types: `ctpop`, `fma`, `maxnum`."""

    args: tuple[Value, ...] = operands(NumberType)
    function: str = attribute(str, rule=one_of(intrinsics.FUNCTIONS))
    ty: Type = attribute(NumberType)
    value: Value = result(lambda op: op.ty)

    rules = (
        Rule(
            "numbers of its type, as many as it takes",
            lambda op: intrinsics.takes(op.function, op.ty, len(op.args)) and all(arg.type is op.ty for arg in op.args),
            lambda op: f"{op.function} makes {op.ty} of {[arg.type for arg in op.args]}",
        ),
    )


class IntCast(CastOp, name="mir.int_cast"):
    """Truncate, or extend with the sign if `signed`, else with zeros."""

    arg: Value = operand(IntType)
    ty: Type = attribute(IntType)
    signed: bool = attribute(bool, default=False)


class FloatCast(CastOp, name="mir.float_cast"):
    """Round to nearest, ties to even, or extend."""

    arg: Value = operand(FloatType)
    ty: Type = attribute(FloatType)


class FloatToInt(CastOp, name="mir.float_to_int"):
    """Round towards zero and stop at the type's bounds; NaN is 0 (Rust reference, "Numeric cast")."""

    arg: Value = operand(FloatType)
    ty: Type = attribute(IntType)
    signed: bool = attribute(bool)


class IntToFloat(CastOp, name="mir.int_to_float"):
    """The nearest float, ties to even."""

    arg: Value = operand(IntType)
    ty: Type = attribute(FloatType)
    signed: bool = attribute(bool)


class Bitcast(CastOp, name="mir.bitcast"):
    """The same bits as a type of the same size; pointers and integers of 64 bits included."""

    rules = (ONE_SIZE,)


def is_niche(niche: tuple[int, ...]) -> bool:
    """Return whether these numbers describe a niche, or there are none."""
    match niche:
        case ():
            return True
        case (int(untagged), int(first), int(last), int(start)):
            return untagged >= 0 <= start and 0 <= first <= last
        case _:
            return False


NICHE = Rule("(untagged, first, last, niche_start), or nothing", is_niche)


class EnumOp(Op):
    """Reads or writes which variant the enum at `addr` is, by rustc's layout of it.

    The tag lies at `tag_offset`. Without a niche it holds the discriminant. With one, variants `first` to `last` are stored as
    `niche_start` and up, wrapping, and any other tag means `untagged`.
    """

    addr: Value = operand(PointerType)
    tag_type: Type = attribute(ScalarType, rule=NO_FLOAT)
    tag_offset: int = attribute(int, rule=SIZE)
    align: int = attribute(int, rule=ALIGNMENT)
    """The tag's alignment."""
    niche: tuple[int, ...] = attribute(tuple, rule=NICHE)


class Discriminant(EnumOp, name="mir.discriminant"):
    """The discriminant (`Rvalue::Discriminant`), as an integer of type `ty`."""

    ty: Type = attribute(IntType)
    signed: bool = attribute(bool, default=False)
    """Whether a direct tag is sign-extended to `ty`."""
    value: Value = result(lambda op: op.ty)

    rules = (
        Rule(
            "variants that its types hold",
            lambda op: not op.niche or max(op.niche[:3]) >> op.ty.width == 0 == op.niche[2] - op.niche[1] >> width(op.tag_type),
            lambda op: f"reads the niche {op.niche} of {op.tag_type} as {op.ty}",
        ),
    )


class SetDiscriminant(EnumOp, name="mir.set_discriminant"):
    """Make the enum variant `variant`, whose discriminant is `discriminant`; its fields are left alone."""

    variant: int = attribute(int, rule=NATURAL)
    discriminant: int = attribute(int)


class Goto(Op, name="mir.goto", terminator=True):
    """Go on in `target`."""

    target: Block = successor()


class Unroll(Op, name="mir.unroll"):
    """The innermost loop around this is to be unrolled: its body `factor` times, or, where that is 0, as often as it has rounds."""

    factor: int = attribute(int, rule=UNROLL_FACTOR)


class Switch(SwitchOp, name="mir.switch"):
    """Go on in the target of the case that equals `value`, else in the first target."""


class Assert(Op, name="mir.assert", terminator=True):
    """Go on in `target` if `condition` is `expected`; otherwise the thread panics and traps."""

    condition: Value = operand(I1)
    target: Block = successor()
    expected: bool = attribute(bool)
    message: str = attribute(str)


class Assembly(Op, name="mir.assembly"):
    """Inline PTX (`ptx_asm!`): `$0` and so on in `text` are first its results, then the operands behind their addresses.

    The first operands are the addresses that results go to, one for each of `result_types`. `constraints` are LLVM's (LLVM NVPTX usage,
    "Inline assembly"). Without `effects` it is a function of its operands; one that is not `convergent` may be moved to where threads have
    parted.
    """

    args: tuple[Value, ...] = operands()
    text: str = attribute(str)
    constraints: str = attribute(str)
    result_types: tuple[Type, ...] = attribute(tuple, default=())
    effects: bool = attribute(bool, default=True)
    convergent: bool = attribute(bool, default=True)

    rules = (
        Rule(
            "an address for each result",
            lambda op: len(op.args) >= len(op.result_types) and all(value.type is PTR for value in op.args[: len(op.result_types)]),
            lambda op: f"has {len(op.result_types)} results and {[value.type for value in op.args]}",
        ),
        Rule(
            "one for each",
            lambda op: operands_of(op.constraints) == (len(op.result_types), len(op.args) - len(op.result_types)),
            lambda op: f"has the constraints {op.constraints} on {len(op.result_types)} results and {len(op.args)} operands",
        ),
        Rule(
            "registers",
            lambda op: all(isinstance(ty, ScalarType) for ty in op.result_types),
            lambda op: f"has results {op.result_types}",
        ),
    )


class Panic(Op, name="mir.panic", terminator=True):
    """The thread panics and traps."""

    message: str = attribute(str)


class Return(ReturnOp, name="mir.return"):
    """Leave the function."""


class Unreachable(Op, name="mir.unreachable", terminator=True):
    """Never reached; otherwise undefined behaviour."""


class Assume(Op, name="mir.assume"):
    """`condition` holds; otherwise undefined behaviour."""

    condition: Value = operand(I1)


class Call(Op, name="mir.call"):
    """Call a function of this module; `ty` is its result's type, if it has one."""

    args: tuple[Value, ...] = operands()
    callee: Symbol = attribute(Symbol)
    ty: Type | None = attribute(ScalarType, default=None)
    value: Value | None = optional_result(lambda op: op.ty)

    def check_place(self, function: Function, module: Module) -> Iterator[str]:
        yield from check_call(self.callee, self.args, self.ty, module)


class CallPointer(Op, name="mir.call_pointer"):
    """Call the function at `pointer`; `ty` is its result's type, if it has one."""

    pointer: Value = operand(PointerType)
    args: tuple[Value, ...] = operands()
    ty: Type | None = attribute(ScalarType, default=None)
    value: Value | None = optional_result(lambda op: op.ty)
