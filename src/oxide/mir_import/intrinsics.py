"""rustc's intrinsics: functions of `core::intrinsics` whose meaning is the compiler's.

Those with a body of their own that are not in this table are called like any function; any other is refused by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide import codes
from oxide.dialects import mir
from oxide.ir import F16, F32, I1, I8, I32, I64, PTR, Int, IntType
from oxide.mir_import import dynamic, enums
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.operands import operand_type, registers, scalar, spot_of, write
from oxide.mir_import.places import Spot, place
from oxide.mir_import.refusal import Refusal
from oxide.mir_import.rvalues import CHECKED, is_signed, store
from oxide.mir_import.statements import copy_elements

if TYPE_CHECKING:
    from collections.abc import Callable

    from oxide.ir import Value
    from oxide.mir_import.functions import Frame
    from oxide.mir_import.layouts import Shape

    Handler = Callable[["Call"], None]

HANDLERS: dict[str, Handler] = {}
"""Which function imports which intrinsic."""


class Call:
    """One call of an intrinsic."""

    def __init__(self, frame: Frame, source: smir.Function, call: smir.Call) -> None:
        self.frame = frame
        self.source = source
        self.name = source.intrinsic or ""
        self.args = call.args
        self.call = call

    @property
    def target(self) -> Spot:
        """The place of the result."""
        return place(self.frame, self.call.place)

    def arg(self, index: int) -> Value:
        """Return an argument of one register."""
        return scalar(self.frame, self.args[index])

    def arg_type(self, index: int) -> int:
        """Return an argument's type."""
        return operand_type(self.frame, self.args[index])

    def type_arg(self, index: int = 0) -> int:
        """Return a type argument."""
        found = [arg.ty for arg in self.source.generic_args if isinstance(arg, smir.TypeArg)]
        return found[index]

    def store(self, value: Value) -> None:
        """Write the result."""
        store(self.frame, self.target, value)

    def store_pair(self, first: Value, second: Value) -> None:
        """Write the result, a tuple of two."""
        for part, value in zip(self.frame.fields(self.target), (first, second), strict=True):
            part.store_registers(self.frame, [value])

    def intrinsic(self, function: str, *args: Value) -> Value:
        """Return a function of numbers, of the type of its first argument."""
        return self.frame.add(mir.Intrinsic(args, function, args[0].type)).value

    def refuse(self, why: str, help: str = "") -> Refusal:  # noqa: A002 - rustc's word
        """Return a refusal that names the intrinsic."""
        return Refusal(codes.INTRINSIC_TYPE, f"the intrinsic `{self.name}` {why}", self.frame.span, help)


def intrinsic(*names: str) -> Callable[[Handler], Handler]:
    """Register the decorated function for these intrinsics."""

    def register(handler: Handler) -> Handler:
        for name in names:
            if name in HANDLERS:
                raise TypeError(f"intrinsic {name} has two handlers")
            HANDLERS[name] = handler
        return handler

    return register


def import_intrinsic(frame: Frame, source: smir.Function, call: smir.Call) -> bool:
    """Import a call of an intrinsic; False if it is to be called as a function."""
    handler = HANDLERS.get(source.intrinsic or "")
    if handler is not None:
        handler(Call(frame, source, call))
        return True
    if source.has_body:
        return False
    raise Refusal(
        codes.INTRINSIC,
        f"the intrinsic `{source.intrinsic}` of rustc {frame.importer.dump.rustc.split()[0]} is not supported in kernels",
        frame.span,
        help="write out what it does",
    )


COUNTS = {"ctpop": "ctpop", "ctlz": "ctlz", "ctlz_nonzero": "ctlz", "cttz": "cttz", "cttz_nonzero": "cttz"}


@intrinsic(*COUNTS)
def count_bits(call: Call) -> None:
    """Count bits; the result is a `u32` whatever the argument."""
    value = call.intrinsic(COUNTS[call.name], call.arg(0))
    to = call.frame.types.shape(call.target.ty).registers[0]
    call.store(value if value.type is to else call.frame.add(mir.IntCast(value, to)).value)


@intrinsic("bswap", "bitreverse")
def reorder_bits(call: Call) -> None:
    """Reverse bytes or bits."""
    value = call.arg(0)
    single = call.name == "bswap" and isinstance(value.type, IntType) and value.type.width == I8.width
    call.store(value if single else call.intrinsic(call.name, value))


@intrinsic("rotate_left", "rotate_right")
def rotate(call: Call) -> None:
    """Rotate by an amount taken modulo the width."""
    value, amount = call.arg(0), call.arg(1)
    if amount.type is not value.type:
        amount = call.frame.add(mir.IntCast(amount, value.type)).value
    call.store(call.intrinsic("fshl" if call.name == "rotate_left" else "fshr", value, value, amount))


@intrinsic("saturating_add", "saturating_sub")
def saturating(call: Call) -> None:
    """Stop at the type's bounds."""
    made = {"saturating_add": mir.SaturatingAdd, "saturating_sub": mir.SaturatingSub}[call.name]
    call.store(call.frame.add(made(call.arg(0), call.arg(1), is_signed(call.frame, call.arg_type(0)))).value)


@intrinsic("add_with_overflow", "sub_with_overflow", "mul_with_overflow")
def with_overflow(call: Call) -> None:
    """Write the wrapped result and whether it overflowed."""
    made = CHECKED[call.name.partition("_")[0].capitalize()]
    op = call.frame.add(made(call.arg(0), call.arg(1), is_signed(call.frame, call.arg_type(0))))
    call.store_pair(op.value, op.overflow)


ARITHMETIC = {
    "wrapping_add": mir.Add, "wrapping_sub": mir.Sub, "wrapping_mul": mir.Mul, "disjoint_bitor": mir.Or,
    "fadd_algebraic": mir.Add, "fsub_algebraic": mir.Sub, "fmul_algebraic": mir.Mul,
    "fadd_fast": mir.Add, "fsub_fast": mir.Sub, "fmul_fast": mir.Mul,
}  # fmt: skip
SIGNED_ARITHMETIC = {
    "exact_div": mir.Div, "unchecked_div": mir.Div, "unchecked_rem": mir.Rem, "unchecked_add": mir.UncheckedAdd,
    "unchecked_sub": mir.UncheckedSub, "unchecked_mul": mir.UncheckedMul, "fdiv_algebraic": mir.Div, "frem_algebraic": mir.Rem,
    "fdiv_fast": mir.Div, "frem_fast": mir.Rem,
}  # fmt: skip


@intrinsic(*ARITHMETIC)
def arithmetic(call: Call) -> None:
    """Do what the operator does; the freedom that `fast` and `algebraic` give is not used."""
    call.store(call.frame.add(ARITHMETIC[call.name](call.arg(0), call.arg(1))).value)


@intrinsic(*SIGNED_ARITHMETIC)
def signed_arithmetic(call: Call) -> None:
    """Do what the operator does, by the type's sign."""
    made = SIGNED_ARITHMETIC[call.name]
    call.store(call.frame.add(made(call.arg(0), call.arg(1), is_signed(call.frame, call.arg_type(0)))).value)


@intrinsic("unchecked_shl", "unchecked_shr")
def unchecked_shift(call: Call) -> None:
    """Shift by less than the width."""
    if call.name == "unchecked_shl":
        value = call.frame.add(mir.Shl(call.arg(0), call.arg(1), True)).value
    else:
        value = call.frame.add(mir.Shr(call.arg(0), call.arg(1), True, is_signed(call.frame, call.arg_type(0)))).value
    call.store(value)


@intrinsic("three_way_compare")
def three_way(call: Call) -> None:
    """Write an `Ordering`."""
    call.store(call.frame.add(mir.ThreeWay(call.arg(0), call.arg(1), is_signed(call.frame, call.arg_type(0)))).value)


FLOAT = {
    "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "round", "round_ties_even_": "roundeven",
    "copysign": "copysign", "fma": "fma", "fmuladd": "fmuladd", "minimum_number_nsz_": "minnum", "maximum_number_nsz_": "maxnum",
    "minimum": "minimum", "maximum": "maximum",
}  # fmt: skip
"""Float functions that need no library, by rustc's name without the type."""


@intrinsic(*(f"{name}f{width}" for name in FLOAT for width in (16, 32, 64)))
def float_function(call: Call) -> None:
    """Call LLVM's function of the same meaning."""
    args = [call.arg(index) for index in range(len(call.args))]
    call.store(call.intrinsic(FLOAT[call.name[:-3]], *args))


LIBRARY = ("sin", "cos", "exp", "exp2", "log", "log2", "log10", "pow", "powi")
"""Float functions of libdevice, by rustc's name without the type."""


@intrinsic(*(f"{name}f{width}" for name in LIBRARY for width in (16, 32, 64)))
def library_function(call: Call) -> None:
    """Call libdevice's function; of an `f16`, the `f32`'s is rounded."""
    frame, half = call.frame, call.name.endswith("f16")
    symbol = frame.importer.libdevice(call.name[:-3] + ("" if call.name.endswith("f64") else "f"))
    args = [call.arg(index) for index in range(len(call.args))]
    if half:
        args = [frame.add(mir.FloatCast(arg, F32)).value if arg.type is F16 else arg for arg in args]
    value = frame.add(mir.Call(tuple(args), symbol, args[0].type)).value
    assert value is not None, "libdevice's functions return a value"
    call.store(frame.add(mir.FloatCast(value, F16)).value if half else value)


@intrinsic("fabs")
def float_abs(call: Call) -> None:
    """Clear the sign."""
    call.store(call.intrinsic("fabs", call.arg(0)))


@intrinsic("float_to_int_unchecked")
def float_to_int_unchecked(call: Call) -> None:
    """Round towards zero; saturating is one of the allowed results out of range."""
    to = call.frame.types.shape(call.target.ty).registers[0]
    call.store(call.frame.add(mir.FloatToInt(call.arg(0), to, is_signed(call.frame, call.target.ty))).value)


@intrinsic("ptr_offset_from", "ptr_offset_from_unsigned")
def pointer_distance(call: Call) -> None:
    """Return the distance in elements."""
    frame = call.frame
    size = frame.types.layout(call.type_arg()).size
    if size == 0:
        raise call.refuse("on pointers to zero-sized values is not supported in kernels")
    first, second = (frame.add(mir.Bitcast(call.arg(index), I64)).value for index in (0, 1))
    distance = frame.add(mir.Sub(first, second)).value
    call.store(frame.add(mir.Div(distance, frame.constant(size, I64), call.name == "ptr_offset_from")).value)


@intrinsic("arith_offset", "offset")
def pointer_offset(call: Call) -> None:
    """Move a pointer by elements; `arith_offset` may leave its object."""
    size = call.frame.types.layout(call.type_arg() if call.name == "arith_offset" else pointee(call, 0)).size
    call.store(call.frame.add(mir.Index(call.arg(0), call.arg(1), size, call.name == "arith_offset")).addr)


def pointee(call: Call, index: int) -> int:
    """Return what a pointer argument points to."""
    found = call.frame.types.pointee(call.arg_type(index))
    assert found is not None, f"argument {index} of {call.name} is a pointer"
    return found


@intrinsic("ptr_mask")
def mask_pointer(call: Call) -> None:
    """Clear bits of an address."""
    frame = call.frame
    masked = frame.add(mir.And(frame.add(mir.Bitcast(call.arg(0), I64)).value, call.arg(1))).value
    call.store(frame.add(mir.Bitcast(masked, PTR)).value)


@intrinsic("copy", "copy_nonoverlapping")
def copy_memory(call: Call) -> None:
    """Copy elements."""
    copy_elements(call.frame, call.args[0], call.args[1], call.args[2], overlapping=call.name == "copy")


@intrinsic("write_bytes")
def write_bytes(call: Call) -> None:
    """Set elements to a byte."""
    frame = call.frame
    layout = frame.types.layout(pointee(call, 0))
    if layout.size:
        size = frame.add(mir.Mul(call.arg(2), frame.constant(layout.size, I64))).value
        frame.add(mir.SetBytes(call.arg(0), call.arg(1), size, layout.align))


@intrinsic("volatile_load", "unaligned_volatile_load")
def volatile_load(call: Call) -> None:
    """Read a number or pointer, once and for all to see."""
    frame, ty = call.frame, pointee(call, 0)
    shape = frame.types.shape(ty)
    if shape.kind == "none":
        return
    if shape.kind != "scalar":
        raise call.refuse(f"of a `{frame.types.name(ty)}` is not supported in kernels", "read its fields one by one")
    align = 1 if call.name.startswith("unaligned") else shape.align
    loaded = frame.add(mir.Load(call.arg(0), shape.stored[0], align, True)).value
    call.store(frame.add(mir.IntCast(loaded, I1)).value if shape.registers[0] is I1 else loaded)


@intrinsic("volatile_store", "unaligned_volatile_store")
def volatile_store(call: Call) -> None:
    """Write a number or pointer, once and for all to see."""
    frame, ty = call.frame, call.arg_type(1)
    shape = frame.types.shape(ty)
    if shape.kind == "none":
        return
    if shape.kind != "scalar":
        raise call.refuse(f"of a `{frame.types.name(ty)}` is not supported in kernels", "write its fields one by one")
    value = call.arg(1)
    stored = frame.add(mir.IntCast(value, shape.stored[0])).value if value.type is I1 else value
    align = 1 if call.name.startswith("unaligned") else shape.align
    frame.add(mir.Store(stored, call.arg(0), align, True))


UPDATES = {
    "atomic_xchg": "xchg", "atomic_xadd": "add", "atomic_xsub": "sub", "atomic_and": "and", "atomic_nand": "nand", "atomic_or": "or",
    "atomic_xor": "xor", "atomic_max": "max", "atomic_min": "min", "atomic_umax": "umax", "atomic_umin": "umin",
}  # fmt: skip


def orderings(call: Call) -> list[str]:
    """Return the memory orderings that a call is generic over."""
    numbers = (arg.value for arg in call.source.generic_args if isinstance(arg, smir.ConstArg))
    return [mir.ORDERINGS[int(number)] for number in numbers if number is not None]


LARGEST_ATOMIC = 8
"""Bytes that a GPU accesses in one piece."""


def atomic_type(call: Call) -> Shape:
    """Return the shape of what is accessed; refuse what no GPU accesses in one piece."""
    shape = call.frame.types.shape(call.type_arg())
    if shape.kind != "scalar" or shape.size > LARGEST_ATOMIC:
        raise call.refuse(
            f"of a `{call.frame.types.name(call.type_arg())}` is not supported in kernels", "at most 64 bits are accessed at once"
        )
    return shape


@intrinsic("atomic_load")
def atomic_load(call: Call) -> None:
    """Read in one piece."""
    shape, (ordering,) = atomic_type(call), orderings(call)
    call.store(call.frame.add(mir.AtomicLoad(call.arg(0), shape.stored[0], shape.size, ordering)).value)


@intrinsic("atomic_store")
def atomic_store(call: Call) -> None:
    """Write in one piece."""
    shape, (ordering,) = atomic_type(call), orderings(call)
    call.frame.add(mir.AtomicStore(call.arg(1), call.arg(0), shape.size, ordering))


@intrinsic(*UPDATES)
def atomic_update(call: Call) -> None:
    """Read, compute and write in one piece."""
    shape, (ordering,) = atomic_type(call), orderings(call)
    operand = call.arg(1)
    if operand.type is not shape.stored[0]:
        # `AtomicPtr` adds integers to pointers.
        operand = call.frame.add(mir.Bitcast(operand, shape.stored[0])).value
    call.store(call.frame.add(mir.AtomicUpdate(call.arg(0), operand, UPDATES[call.name], shape.size, ordering)).value)


@intrinsic("atomic_cxchg", "atomic_cxchgweak")
def atomic_compare_exchange(call: Call) -> None:
    """Write if the expected value is there; the weak form does not fail without reason here."""
    shape, (success, failure) = atomic_type(call), orderings(call)
    op = call.frame.add(mir.AtomicCompareExchange(call.arg(0), call.arg(1), call.arg(2), shape.size, success, failure))
    call.store_pair(op.value, op.written)


@intrinsic("atomic_fence")
def atomic_fence(call: Call) -> None:
    """Order memory accesses."""
    (ordering,) = orderings(call)
    call.frame.add(mir.Fence(ordering))


@intrinsic("black_box")
def black_box(call: Call) -> None:
    """Return the argument; the optimiser is not held back."""
    write(call.frame, call.args[0], call.target)


@intrinsic(
    "forget",
    "atomic_singlethreadfence",
    "cold_path",
    "prefetch_read_data",
    "prefetch_write_data",
    "prefetch_read_instruction",
)
def nothing(_call: Call) -> None:
    """Do nothing at run time."""


@intrinsic("assert_inhabited")
def assert_inhabited(call: Call) -> None:
    """Panic where the type has no values."""
    layout = call.frame.types.layout(call.type_arg())
    if isinstance(layout.variants, smir.EmptyVariants) or isinstance(call.frame.types.kind(call.type_arg()), smir.Never):
        name = call.frame.types.name(call.type_arg())
        call.frame.add(mir.Panic(f"attempted to instantiate uninhabited type `{name}`"))


@intrinsic("breakpoint")
def breakpoint_(call: Call) -> None:
    """Refuse it: the host stops under a debugger, a GPU would end the launch."""
    raise call.refuse("is not supported in kernels")


@intrinsic("abort")
def abort(call: Call) -> None:
    """End the kernel."""
    call.frame.add(mir.Panic("aborted"))


@intrinsic("unreachable")
def unreachable(call: Call) -> None:
    """Never reached."""
    call.frame.add(mir.Unreachable())


@intrinsic("assume")
def assume(call: Call) -> None:
    """State a fact."""
    call.frame.add(mir.Assume(call.arg(0)))


@intrinsic("select_unpredictable")
def select(call: Call) -> None:
    """Write one of two values."""
    frame = call.frame
    condition, target = call.arg(0), call.target
    first, second = spot_of(frame, call.args[1]), spot_of(frame, call.args[2])
    chosen = frame.add(mir.Select(condition, first.address(frame), second.address(frame))).value
    shape = frame.types.shape(target.ty)
    if shape.size:
        frame.add(mir.Copy(target.address(frame), chosen, shape.size, shape.align))


@intrinsic("discriminant_value")
def discriminant_value(call: Call) -> None:
    """Return the discriminant of the enum behind a reference."""
    pointer = registers(call.frame, call.args[0])[0]
    ty = pointee(call, 0)
    spot = Spot(pointer, ty, align=call.frame.types.layout(ty).align)
    to = call.frame.types.shape(call.target.ty).registers[0]
    call.store(enums.discriminant(call.frame, spot, to))


@intrinsic("size_of_val", "align_of_val")
def size_of_value(call: Call) -> None:
    """Return the size or alignment of what a pointer points to."""
    _, *metadata = registers(call.frame, call.args[0])
    size, align = dynamic.size_and_align(call.frame, pointee(call, 0), metadata[0] if metadata else None)
    call.store(size if call.name == "size_of_val" else align)


@intrinsic("compare_bytes")
def compare_bytes(call: Call) -> None:
    """Compare two pieces of memory as `memcmp` does: less than, equal to or greater than 0."""
    call.store(difference(call.frame, call.arg(0), call.arg(1), call.arg(2)))


@intrinsic("raw_eq")
def raw_eq(call: Call) -> None:
    """Return whether the values behind two references have the same bytes; their type has no padding."""
    frame = call.frame
    layout = frame.types.layout(call.type_arg())
    left, right = call.arg(0), call.arg(1)
    if layout.size in (1, 2, 4, 8, 16):
        left, right = (frame.add(mir.Load(address, Int(8 * layout.size), layout.align)).value for address in (left, right))
        call.store(frame.add(mir.Compare(left, right, "eq")).value)
        return
    found = difference(frame, left, right, frame.constant(layout.size, I64))
    call.store(frame.add(mir.Compare(found, frame.constant(0, I32), "eq")).value)


def difference(frame: Frame, left: Value, right: Value, count: Value) -> Value:
    """Return the difference of the first two bytes that differ among `count`, as an `i32`, or 0. The frame goes on in a new block."""
    index, found = frame.temporary(8, 8), frame.temporary(4, 4)
    frame.add(mir.Store(frame.constant(0, I64), index, 8))
    frame.add(mir.Store(frame.constant(0, I32), found, 4))
    head, body, after = (frame.function.add_block() for _ in range(3))
    frame.add(mir.Goto(head))
    frame.ops = head.ops
    here = frame.add(mir.Load(index, I64, 8)).value
    frame.add(mir.Switch(frame.add(mir.Compare(here, count, "lt")).value, (body, after), (0,)))
    frame.ops = body.ops
    bytes_here = (frame.add(mir.Load(frame.add(mir.Index(base, here, 1)).addr, I8, 1)).value for base in (left, right))
    first, second = (frame.add(mir.IntCast(byte, I32)).value for byte in bytes_here)
    differs = frame.add(mir.Sub(first, second)).value
    frame.add(mir.Store(differs, found, 4))
    frame.add(mir.Store(frame.add(mir.Add(here, frame.constant(1, I64))).value, index, 8))
    frame.add(mir.Switch(differs, (after, head), (0,)))
    frame.ops = after.ops
    return frame.add(mir.Load(found, I32, 4)).value
