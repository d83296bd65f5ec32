"""Inline assembly of x86-64 that has an equivalent in kernels: what crates commonly write for that host.

    asm!("sqrtss {x}, {x}", x = inout(xmm_reg) x)     # the square root of x

A table from templates to meanings, of the Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2. Templates that
need flags or memory are not in the table, and are refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.errors import codes
from oxide.ir import I64, I128
from oxide.mir_import.operands import operand_type, registers
from oxide.mir_import.places import place
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from oxide.ir import Value
    from oxide.mir_import import stable_mir as smir
    from oxide.mir_import.frame import Frame

    Meaning = Callable[[Frame, list[Value | None]], list[Value | None]]
    """From what goes in at each operand to what comes out there."""

ANYWHERE = re.compile(r"\w*reg\w*")
"""A class of registers, of which the compiler chooses one."""


def sqrt(frame: Frame, given: list[Value | None]) -> list[Value | None]:
    """`sqrtss`, `sqrtsd`."""
    return [frame.add(mir.Intrinsic((known(given[0]),), "sqrt", known(given[0]).type)).value]


def fma(frame: Frame, given: list[Value | None]) -> list[Value | None]:
    """`vfmadd213ss` and its kin: the first times the second plus the third."""
    args = tuple(map(known, given))
    return [frame.add(mir.Intrinsic(args, "fma", args[0].type)).value, None, None]


def div(frame: Frame, given: list[Value | None]) -> list[Value | None]:
    """`div`: the 128 bits of rdx and rax by 64 bits; rax gets the quotient, which fits, or the processor faults, and rdx the rest."""
    divisor, low, high = (frame.add(mir.IntCast(known(value), I128)).value for value in given)
    dividend = frame.add(mir.Or(frame.add(mir.Shl(high, frame.constant(64, I128), True)).value, low)).value
    quotient, rest = (frame.add(made(dividend, divisor, False)).value for made in (mir.Div, mir.Rem))
    return [None, *(frame.add(mir.IntCast(value, I64)).value for value in (quotient, rest))]


def conditional_move(predicate: str) -> Meaning:
    """Return the meaning of `test` and `cmovz` or `cmovnz`: the third operand, where the first compares so with 0, or the second."""

    def meaning(frame: Frame, given: list[Value | None]) -> list[Value | None]:
        condition, old, new = map(known, given)
        if old.type is not new.type:
            raise unknown(frame)
        chosen = frame.add(mir.Compare(condition, frame.constant(0, condition.type), predicate)).value
        return [None, frame.add(mir.Select(chosen, new, old)).value, None]

    return meaning


def equal_move(predicate: str) -> Meaning:
    """Return the meaning of `xor` and `cmovz` or `cmovnz`: the fourth operand, where the first two compare so, or the third."""

    def meaning(frame: Frame, given: list[Value | None]) -> list[Value | None]:
        left, right, old, new = map(known, given)
        if left.type is not right.type or old.type is not new.type:
            raise unknown(frame)
        chosen = frame.add(mir.Compare(left, right, predicate)).value
        return [frame.add(mir.Xor(left, right)).value, None, frame.add(mir.Select(chosen, new, old)).value, None]

    return meaning


def nothing(_frame: Frame, given: list[Value | None]) -> list[Value | None]:
    """Leave everything as it is: a barrier for the host's optimiser."""
    return given


MEANINGS: dict[tuple[str, tuple[str, ...]], Meaning] = {
    **{(f"sqrts{kind} {{0}}, {{0}}", ("reg",)): sqrt for kind in "sd"},
    **{(f"vfmadd213s{kind} {{0}}, {{1}}, {{2}}", ("reg",) * 3): fma for kind in "sd"},
    **{(f"vfmadds{kind} {{0}}, {{0}}, {{1}}, {{2}}", ("reg",) * 3): fma for kind in "sd"},
    ("div {0}", ("reg", "ax", "dx")): div,
    ("test {0}, {0}; cmovz {1}, {2}", ("reg",) * 3): conditional_move("eq"),
    ("test {0}, {0}; cmovnz {1}, {2}", ("reg",) * 3): conditional_move("ne"),
    ("xor {0}, {1}; cmovz {2}, {3}", ("reg",) * 4): equal_move("eq"),
    ("xor {0}, {1}; cmovnz {2}, {3}", ("reg",) * 4): equal_move("ne"),
}
"""Meanings by template, its lines joined and without the placeholders' modifiers, and by the operands' registers."""

CPUID = ("mov {0}, rbx; cpuid; xchg {0}, rbx", ("reg", "ax", "cx", "dx"))
"""`core::arch::x86_64::__cpuid_count`. It returns zeros: a processor without any of the features, so that portable code is chosen."""


def import_assembly(frame: Frame, source: smir.InlineAsm) -> None:
    """Import `asm!`. Raises `Refusal` for what is not in the table."""
    named = tuple("reg" if ANYWHERE.fullmatch(it.register) else it.register.strip('"') for it in source.operands)
    key = (plain(source.template), named)
    meaning = MEANINGS.get(key)
    if key == CPUID:
        for operand in source.operands:
            if operand.output is not None:
                spot = place(frame, operand.output)
                spot.store_registers(frame, [frame.constant(0, frame.types.shape(spot.ty).registers[0])])
    elif meaning is not None or (not key[0] and all(it.output is None or it.input is not None for it in source.operands)):
        given = [None if it.input is None else register(frame, it.input) for it in source.operands]
        if meaning is div and any(known(value).type is not I64 for value in given):
            raise unknown(frame)
        for operand, value in zip(source.operands, (meaning or nothing)(frame, given), strict=True):
            if operand.output is not None and value is not None:
                place(frame, operand.output).store_registers(frame, [value])
    else:
        raise unknown(frame)
    frame.add(mir.Unreachable() if source.target is None else mir.Goto(frame.block(source.target)))


def plain(template: str) -> str:
    """Return a template's instructions without comments and modifiers, one space and one `; ` between them."""
    text = re.sub(r"/\*.*?\*/|//.*|#.*", "", template)
    lines = (" ".join(line.split()).lower() for line in re.split(r"[\n;]", text))
    return re.sub(r"\{(\d+):\w\}", r"{\1}", "; ".join(line for line in lines if line))


def register(frame: Frame, operand: smir.Operand) -> Value:
    """Return what goes in at an operand, a number."""
    if frame.types.shape(operand_type(frame, operand)).kind != "scalar":
        raise unknown(frame)
    return registers(frame, operand)[0]


def known(value: Value | None) -> Value:
    """Return what goes in at an operand that every template of this meaning reads."""
    assert value is not None, "an operand that is read goes in"
    return value


def unknown(frame: Frame) -> Refusal:
    """Return the refusal of any other assembly."""
    message = "this `asm!` is assembly of the host, which is not available in kernels"
    return Refusal(codes.ASSEMBLY, message, frame.span, help="use a function of `cuda_device`, or the crate's feature for portable code")
