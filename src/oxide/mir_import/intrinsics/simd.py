"""Vectors: what `core::simd`, and SSE2 under `core::arch::x86_64`, are made of, lane by lane.

A GPU's threads are its lanes, so a vector is the memory image of an array; LLVM keeps short ones in registers. A mask's lanes are
integers, all ones or all zeros. What is defined by one machine's approximation, such as `rsqrtps`, is refused as any foreign function.
"""

from __future__ import annotations

import struct
from functools import reduce
from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.ir import I32, I64, FloatType, Int, IntType
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.intrinsics.registry import Call, call_library, intrinsic
from oxide.mir_import.operands import spot_of
from oxide.mir_import.rvalues import COMPARISONS, is_signed, numeric

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oxide.ir import Value
    from oxide.mir_import.frame import Frame
    from oxide.mir_import.places import Spot

    Lane = Callable[["Lanes", list[Value]], Value]


class Lanes:
    """A vector type: its lanes' type and their number."""

    def __init__(self, frame: Frame, ty: int) -> None:
        types = frame.types
        abi = types.layout(ty).abi
        assert isinstance(abi, smir.VectorAbi), f"{types.name(ty)} is a vector"
        first = next(iter(types.parts(ty)))
        element = types.element(first)
        self.frame: Frame = frame
        self.ty = first if element is None else element
        self.count = abi.count
        self.size: int = types.layout(self.ty).size
        self.register = types.shape(self.ty).registers[0]

    @property
    def signed(self) -> bool:
        """Whether the lanes are signed integers."""
        return is_signed(self.frame, self.ty)

    def at(self, vector: Spot, index: int) -> Spot:
        """Return a lane of a vector."""
        return vector.at(index * self.size, self.ty)

    def read(self, vector: Spot) -> list[Value]:
        """Return every lane of a vector."""
        return [self.at(vector, index).load_registers(self.frame)[0] for index in range(self.count)]

    def write(self, vector: Spot, values: Sequence[Value]) -> None:
        """Write every lane of a vector."""
        for index, value in enumerate(values):
            self.at(vector, index).store_registers(self.frame, [value])

    def mask(self, condition: Value) -> Value:
        """Return a lane of a mask."""
        return self.frame.add(mir.IntCast(condition, self.register, True)).value

    def is_set(self, lane: Value) -> Value:
        """Return whether a lane of a mask is set."""
        return self.frame.add(mir.Compare(lane, self.frame.constant(0, self.register), "lt", True)).value


def argument(call: Call, index: int) -> tuple[Lanes, list[Value]]:
    """Return an argument's type and lanes."""
    lanes = Lanes(call.frame, call.arg_type(index))
    return lanes, lanes.read(spot_of(call.frame, call.args[index]))


def give(call: Call, values: Sequence[Value]) -> None:
    """Write the result, a vector."""
    target = call.target
    Lanes(call.frame, target.ty).write(target, values)


def plain(made: Callable[[Value, Value], mir.NumberOp]) -> Lane:
    """Return what an operator of two lanes does."""
    return lambda lanes, args: lanes.frame.add(made(args[0], args[1])).value


def signed(made: Callable[[Value, Value, bool], mir.NumberOp]) -> Lane:
    """Return what an operator that depends on the sign does."""
    return lambda lanes, args: lanes.frame.add(made(args[0], args[1], lanes.signed)).value


def function(name: str) -> Lane:
    """Return what a function of numbers does."""
    return lambda lanes, args: lanes.frame.add(mir.Intrinsic(tuple(args), name, lanes.register)).value


def library(name: str) -> Lane:
    """Return what a function of libdevice does."""
    return lambda lanes, args: call_library(lanes.frame, name, args)


LANE_BY_LANE: dict[str, Lane] = {
    "add": plain(mir.Add), "sub": plain(mir.Sub), "mul": plain(mir.Mul), "and": plain(mir.And), "or": plain(mir.Or),
    "xor": plain(mir.Xor), "div": signed(mir.Div), "rem": signed(mir.Rem),
    "saturating_add": signed(mir.SaturatingAdd), "saturating_sub": signed(mir.SaturatingSub),
    "shl": lambda lanes, args: lanes.frame.add(mir.Shl(args[0], args[1], True)).value,
    "shr": lambda lanes, args: lanes.frame.add(mir.Shr(args[0], args[1], True, lanes.signed)).value,
    "neg": lambda lanes, args: lanes.frame.add(mir.Neg(args[0])).value,
    "funnel_shl": function("fshl"), "funnel_shr": function("fshr"),
    # A byte has nothing to swap.
    "bswap": lambda lanes, args: function("bswap")(lanes, args) if lanes.size > 1 else args[0],
    "bitreverse": function("bitreverse"),
    "ctlz": function("ctlz"), "cttz": function("cttz"), "ctpop": function("ctpop"),
    "fabs": function("fabs"), "ceil": function("ceil"), "floor": function("floor"), "round": function("round"),
    "round_ties_even": function("roundeven"), "trunc": function("trunc"), "fsqrt": function("sqrt"), "fma": function("fma"),
    "relaxed_fma": function("fma"), "minimum_number_nsz": function("minnum"), "maximum_number_nsz": function("maxnum"),
    "fsin": library("sin"), "fcos": library("cos"), "fexp": library("exp"), "fexp2": library("exp2"), "flog": library("log"),
    "flog2": library("log2"), "flog10": library("log10"),
}  # fmt: skip
"""What is done to each lane by itself, by rustc's name without `simd_`."""


@intrinsic(*(f"simd_{name}" for name in LANE_BY_LANE))
def lane_by_lane(call: Call) -> None:
    """Do the same to every lane."""
    lanes = Lanes(call.frame, call.arg_type(0))
    columns = (argument(call, index)[1] for index in range(len(call.args)))
    give(call, [LANE_BY_LANE[call.name.removeprefix("simd_")](lanes, list(column)) for column in zip(*columns, strict=True)])


@intrinsic(*(f"simd_{name.lower()}" for name in COMPARISONS))
def compare(call: Call) -> None:
    """Return a mask."""
    (lanes, left), (_, right) = argument(call, 0), argument(call, 1)
    predicate, to = call.name.removeprefix("simd_"), Lanes(call.frame, call.target.ty)
    pairs = zip(left, right, strict=True)
    give(call, [to.mask(call.frame.add(mir.Compare(*pair, predicate, lanes.signed)).value) for pair in pairs])


CASTS: dict[tuple[bool, bool], smir.Cast] = {
    (False, False): smir.IntToInt(), (True, True): smir.FloatToFloat(), (True, False): smir.FloatToInt(), (False, True): smir.IntToFloat(),
}  # fmt: skip
"""Which cast it is, by whether each side is a float."""


@intrinsic("simd_cast", "simd_as")
def cast(call: Call) -> None:
    """Cast every lane as Rust's `as` does, which is one of the allowed results of the other."""
    frame = call.frame
    lanes, values = argument(call, 0)
    to = Lanes(frame, call.target.ty)
    made = CASTS[isinstance(lanes.register, FloatType), isinstance(to.register, FloatType)]
    give(call, [numeric(frame, made, value, lanes.ty, to.ty) for value in values])


@intrinsic("simd_splat")
def splat(call: Call) -> None:
    """Return a vector of equal lanes."""
    give(call, [call.arg(0)] * Lanes(call.frame, call.target.ty).count)


@intrinsic("simd_insert", "simd_insert_dyn")
def insert(call: Call) -> None:
    """Return the vector with one lane changed."""
    lanes, values = argument(call, 0)
    index, new = call.arg(1), call.arg(2)
    places = (call.frame.add(mir.Compare(index, call.frame.constant(number, I32), "eq")).value for number in range(lanes.count))
    give(call, [call.frame.add(mir.Select(here, new, old)).value for here, old in zip(places, values, strict=True)])


@intrinsic("simd_extract", "simd_extract_dyn")
def extract(call: Call) -> None:
    """Return one lane."""
    frame, vector = call.frame, spot_of(call.frame, call.args[0])
    lanes = Lanes(frame, call.arg_type(0))
    index = frame.add(mir.IntCast(call.arg(1), I64)).value
    address = frame.add(mir.Index(vector.address(frame), index, lanes.size)).addr
    call.store(frame.add(mir.Load(address, frame.types.shape(lanes.ty).stored[0], lanes.size)).value)


@intrinsic("simd_shuffle")
def shuffle(call: Call) -> None:
    """Return lanes of two vectors, chosen by constants."""
    values = argument(call, 0)[1] + argument(call, 1)[1]
    match call.args[2]:
        case smir.ConstantOperand(_, smir.Allocated(memory)):
            content = bytes.fromhex(memory.bytes)
            indices = [int.from_bytes(content[at : at + 4], "little") for at in range(0, len(content), 4)]
        case _:
            raise call.refuse("by what is no constant is not supported in kernels")
    give(call, [values[index] for index in indices])


REDUCTIONS: dict[str, Lane] = {
    "add": plain(mir.Add), "mul": plain(mir.Mul), "and": plain(mir.And), "or": plain(mir.Or), "xor": plain(mir.Xor),
    "min": lambda lanes, args: extreme(lanes, args, "lt", "minnum"), "max": lambda lanes, args: extreme(lanes, args, "gt", "maxnum"),
}  # fmt: skip


def extreme(lanes: Lanes, args: list[Value], predicate: str, name: str) -> Value:
    """Return the smaller or the greater of two lanes."""
    if isinstance(lanes.register, FloatType):
        return function(name)(lanes, args)
    first = lanes.frame.add(mir.Compare(args[0], args[1], predicate, lanes.signed)).value
    return lanes.frame.add(mir.Select(first, args[0], args[1])).value


@intrinsic(
    *(f"simd_reduce_{name}" for name in ("and", "or", "xor", "min", "max")),
    *(f"simd_reduce_{name}_{order}" for name in ("add", "mul") for order in ("ordered", "unordered")),
)
def reduction(call: Call) -> None:
    """Combine all lanes, from the first to the last; an ordered one begins with its second argument."""
    lanes, values = argument(call, 0)
    name = call.name.removeprefix("simd_reduce_").partition("_")[0]
    start = [call.arg(1)] if len(call.args) > 1 else []
    call.store(reduce(lambda left, right: REDUCTIONS[name](lanes, [left, right]), start + values))


@intrinsic("simd_reduce_all", "simd_reduce_any")
def all_or_any(call: Call) -> None:
    """Return whether all lanes of a mask are set, or any."""
    lanes, values = argument(call, 0)
    made = mir.And if call.name == "simd_reduce_all" else mir.Or
    call.store(reduce(lambda left, right: call.frame.add(made(left, right)).value, map(lanes.is_set, values)))


@intrinsic("simd_select")
def select(call: Call) -> None:
    """Choose lane by lane."""
    (masks, mask), (_, yes), (_, no) = (argument(call, index) for index in range(3))
    rows = zip(map(masks.is_set, mask), yes, no, strict=True)
    give(call, [call.frame.add(mir.Select(*row)).value for row in rows])


@intrinsic("simd_bitmask")
def bitmask(call: Call) -> None:
    """Return a mask as bits, the first lane as the lowest: an integer, or an array of bytes."""
    frame, target = call.frame, call.target
    lanes, values = argument(call, 0)
    conditions = [lanes.is_set(value) for value in values]
    element = frame.types.element(target.ty)
    part = target.ty if element is None else element
    register = frame.types.shape(part).registers[0]
    assert isinstance(register, IntType), "a bitmask is made of integers"
    for number, start in enumerate(range(0, lanes.count, register.width)):
        bits = frame.constant(0, register)
        for index, condition in enumerate(conditions[start : start + register.width]):
            bit = frame.add(mir.Select(condition, frame.constant(1 << index, register), frame.constant(0, register))).value
            bits = frame.add(mir.Or(bits, bit)).value
        target.at(number * register.width // 8, part).store_registers(frame, [bits])


@intrinsic("simd_select_bitmask")
def select_bitmask(call: Call) -> None:
    """Choose lane by lane, by the bits of an integer or of an array of bytes."""
    frame, mask = call.frame, spot_of(call.frame, call.args[0])
    element = frame.types.element(mask.ty)
    part = mask.ty if element is None else element
    register = frame.types.shape(part).registers[0]
    assert isinstance(register, IntType), "a bitmask is made of integers"
    (_, yes), (_, no) = argument(call, 1), argument(call, 2)
    chosen = []
    for index, pair in enumerate(zip(yes, no, strict=True)):
        number, bit = divmod(index, register.width)
        bits = mask.at(number * register.width // 8, part).load_registers(frame)[0]
        set_ = frame.add(mir.And(bits, frame.constant(1 << bit, register))).value
        condition = frame.add(mir.Compare(set_, frame.constant(0, register), "ne")).value
        chosen.append(frame.add(mir.Select(condition, *pair)).value)
    give(call, chosen)


def either(predicate: str) -> Lane:
    """Return what `minps` and `maxps` do: the second lane where the comparison is false, for NaN too."""

    def lane(lanes: Lanes, args: list[Value]) -> Value:
        condition = lanes.frame.add(mir.Compare(args[0], args[1], predicate)).value
        return lanes.frame.add(mir.Select(condition, args[0], args[1])).value

    return lane


X86_EXTREMES = {
    f"llvm.x86.{level}.{name}.{kind}": either(predicate)
    for level, kind in (("sse", "ps"), ("sse2", "pd"))
    for name, predicate in (("min", "lt"), ("max", "gt"))
}


@intrinsic(*X86_EXTREMES)
def x86_extremes(call: Call) -> None:
    """`minps` and its kin (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2)."""
    (lanes, left), (_, right) = argument(call, 0), argument(call, 1)
    give(call, [X86_EXTREMES[call.name](lanes, list(pair)) for pair in zip(left, right, strict=True)])


@intrinsic("llvm.x86.sse.cmp.ps", "llvm.x86.sse2.cmp.pd")
def x86_compare(call: Call) -> None:
    """`cmpps` and `cmppd`: lanes of all ones or all zeros, in floats; the third argument chooses the comparison."""
    frame = call.frame
    (lanes, left), (_, right) = argument(call, 0), argument(call, 1)
    match call.args[2]:
        case smir.ConstantOperand(_, smir.Allocated(memory)):
            number = int(memory.bytes[:2], 16)
        case _:
            raise call.refuse("by what is no constant is not supported in kernels")
    bits = Int(8 * lanes.size)
    found = []
    for pair in zip(left, right, strict=True):
        condition = x86_condition(frame, *pair, number & 3)
        if number & 4:
            condition = frame.add(mir.Not(condition)).value
        found.append(frame.add(mir.Bitcast(frame.add(mir.IntCast(condition, bits, True)).value, lanes.register)).value)
    give(call, found)


def x86_condition(frame: Frame, left: Value, right: Value, number: int) -> Value:
    """Return one of `cmpps`'s first four comparisons: equal, less, less or equal, unordered. The others are their opposites."""
    if number < len(X86_PREDICATES):
        return frame.add(mir.Compare(left, right, X86_PREDICATES[number])).value
    # Only NaN differs from itself.
    return frame.add(mir.Or(*(frame.add(mir.Compare(value, value, "ne")).value for value in (left, right)))).value


X86_PREDICATES = ("eq", "lt", "le")


X86_ROUNDINGS = {"llvm.x86.sse2.cvtps2dq": "roundeven", "llvm.x86.sse2.cvttps2dq": "trunc"}


@intrinsic(*X86_ROUNDINGS)
def x86_round(call: Call) -> None:
    """`cvtps2dq` and `cvttps2dq`: the nearest `i32`, or the one towards zero; what does not fit, and NaN, is `i32::MIN`."""
    frame = call.frame
    lanes, values = argument(call, 0)
    least = frame.constant(1 << 31, I32)
    limit = frame.constant(int.from_bytes(struct.pack("<f", 2.0**31), "little"), lanes.register)
    found = []
    for value in values:
        rounded = frame.add(mir.Intrinsic((value,), X86_ROUNDINGS[call.name], lanes.register)).value
        fits = frame.add(mir.Compare(rounded, limit, "lt")).value
        found.append(frame.add(mir.Select(fits, frame.add(mir.FloatToInt(rounded, I32, True)).value, least)).value)
    give(call, found)
