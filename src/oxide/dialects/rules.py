"""Rules that ops of several dialects keep.

rules = (CASES_FIT,)        # of a class of ops
ordering: str = attribute(str, rule=one_of(ORDERINGS))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.ir import FloatType, NumberType, Rule

if TYPE_CHECKING:
    from collections.abc import Collection

    from oxide.ir import Type

POINTER_BITS = 64


def width(ty: Type) -> int:
    """Return the bits of a scalar."""
    return ty.width if isinstance(ty, NumberType) else POINTER_BITS


def fits(bits: object, ty: NumberType) -> bool:
    """Return whether a number is the unsigned integer of a type's bits."""
    return isinstance(bits, int) and 0 <= bits < 1 << ty.width


def one_of(words: Collection[str]) -> Rule:
    """Return the rule of an attribute that is one of these words."""
    return Rule(f"one of {', '.join(filter(None, words))}", lambda value: value in words)


def operands_of(constraints: str) -> tuple[int, int]:
    """Return how many results and operands LLVM's constraints of inline PTX are for."""
    parts = [part for part in constraints.split(",") if part and part[0] != "~"]
    count = sum(part[0] == "=" for part in parts)
    return count, len(parts) - count


UNROLL_FACTOR = Rule("0 or a number from 2 to 1024", lambda value: value == 0 or 2 <= value <= 1024)
NATURAL = Rule("a number from 0 to 2^63 - 1", lambda value: 0 <= value < 1 << 63)
OFFSET = Rule("a number of 64 bits", lambda value: -1 << 63 <= value < 1 << 63)

SCOPES = ("block", "cluster", "device", "")
"""Who sees an atomic access in order, by LLVM's names (LLVM NVPTX usage, "Synchronization scopes"); the last is the whole system."""

SCOPE = one_of(SCOPES)

NO_FLOAT = Rule("an integer or a pointer", lambda ty: not isinstance(ty, FloatType))

ATOMIC_TYPE = Rule("a type of 8, 16, 32, 64 or 128 bits", lambda ty: width(ty) in (8, 16, 32, 64, 128))

NUMBER_FITS = Rule("a number of that type", lambda op: fits(op.bits, op.ty), lambda op: f"holds {op.bits} as {op.ty}")

ARMS = Rule(
    "one type",
    lambda op: op.if_true.type is op.if_false.type,
    lambda op: f"arms differ in type: {op.if_true.type} and {op.if_false.type}",
)

ONE_SIZE = Rule("as many bits", lambda op: width(op.arg.type) == width(op.ty), lambda op: f"makes {op.ty} of {op.arg.type}")

ATOMIC_OPERATIONS = ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "fadd")
"""What an atomic update does, by LLVM's names (LangRef, `atomicrmw`), in the order of MLIR's numbers."""

ATOMIC_OPERAND = Rule(
    "a float for `fadd`, an integer or pointer of 8 to 128 bits for all else",
    lambda op: ATOMIC_TYPE.holds(op.operand.type) and isinstance(op.operand.type, FloatType) is (op.operation == "fadd"),
    lambda op: f"updates by {op.operand.type}",
)

EXCHANGED = Rule(
    "two integers or pointers of one type and 8 to 128 bits",
    lambda op: op.expected.type is op.new.type and NO_FLOAT.holds(op.new.type) and ATOMIC_TYPE.holds(op.new.type),
    lambda op: f"exchanges {op.expected.type} for {op.new.type}",
)

TARGETS = Rule(
    "one for each case and the default",
    lambda op: len(op.targets) == len(op.cases) + 1,
    lambda op: f"has {len(op.targets)} targets and {len(op.cases)} cases",
)

CASES_FIT = Rule(
    "numbers of its type",
    lambda op: all(fits(case, op.value.type) for case in op.cases),
    lambda op: f"has cases {op.cases} of {op.value.type}",
)

CASES_DIFFER = Rule("each once", lambda op: len(set(op.cases)) == len(op.cases), lambda op: f"has one case twice: {op.cases}")

SWITCH = (TARGETS, CASES_FIT, CASES_DIFFER)
