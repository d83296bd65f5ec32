"""The functions that stand for GPU operations in a CPU image: one a row of the table of operations.

    %value = call i32 @llvm.nvvm.activemask()      →      %value = call i32 @oxide.ptx.activemask(i32 7)

What asks the device calls one of its functions, found by name when the image is loaded, with the current thread and the number of the
call in the module, so that the device can name the function that it is in (crates/oxide-cpu/src/exec/functions).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxide.dialects.operations import Body, Instruction, RuntimeCall
from oxide.errors import InternalError
from oxide.export.llvm_ir import spell_type
from oxide.ir import I1, I16, I32, I64, PTR, StructType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.dialects.operations import Operation
    from oxide.ir import Type

NO_SITE = -1
"""In the place of a call's number, for operations that can neither wait nor fault."""

FUNCTION = "oxide.function."
"""Where the address of a function of the device is kept, with its name after this."""


def replacement(row: Operation) -> str:
    """Return the name of the function that stands for a row."""
    return f"oxide.{row.name}"


def define(row: Operation) -> Iterator[str]:
    """Yield the function that stands for a row."""
    takes, gives = row.signature
    params = [f"{spell_type(ty)} %{number}" for number, ty in enumerate(takes)]
    site = ["i32 %site"] if row.is_told_where else []
    result = "void" if gives is None else spell_type(gives)
    convergent = " convergent" if row.convergent else ""
    yield f"define internal {result} @{replacement(row)}({', '.join(site + params)}) alwaysinline nounwind{convergent} {{"
    match row.cpu:
        case Body(text):
            yield text
        case RuntimeCall() as question:
            yield from ask(question, takes, gives, "%site" if row.is_told_where else str(NO_SITE))
        case None | Instruction():
            raise InternalError(f"{row.name} has no meaning on the CPU device", stage="cpu")
    yield "}\n"


def ask(question: RuntimeCall, takes: tuple[Type, ...], gives: Type | None, site: str) -> Iterator[str]:
    """Yield the body that asks the device. Truth values travel in 32 bits, several results through memory."""
    yield "  %thread = load ptr, ptr @oxide.thread"
    yield f"  %function = load ptr, ptr @{FUNCTION}{question.function}"
    args = ["ptr %thread", f"i32 {site}"]
    several = isinstance(gives, StructType)
    if several and gives is not None:
        yield f"  %results = alloca {spell_type(gives)}"
        args.append("ptr %results")
    args += [f"i32 {number}" for number in question.first]
    for number, ty in enumerate(takes):
        if ty is I1:
            yield f"  %wide{number} = zext i1 %{number} to i32"
            args.append(f"i32 %wide{number}")
        else:
            args.append(f"{spell_type(ty)} {'zeroext ' if ty is I16 else ''}%{number}")
    call = f"%function({', '.join(args)}) convergent"
    if gives is None:
        yield f"  call void {call}"
        yield "  ret void"
    elif several:
        yield f"  call void {call}\n  %answer = load {spell_type(gives)}, ptr %results\n  ret {spell_type(gives)} %answer"
    elif gives is I1:
        yield f"  %answer = call i32 {call}\n  %truth = icmp ne i32 %answer, 0\n  ret i1 %truth"
    else:
        yield f"  %answer = call {'zeroext ' if gives is I16 else ''}{spell_type(gives)} {call}\n  ret {spell_type(gives)} %answer"


@dataclass(frozen=True)
class Question:
    """What else is asked of the device, by a function of the image that is told where each call stands."""

    name: str
    ask: RuntimeCall | None
    """None for what the image does by itself."""
    takes: tuple[Type, ...] = ()
    gives: Type | None = None
    returns: bool = True


TRAP = Question("oxide.trap", RuntimeCall("trap"), returns=False)
"""Stands for `llvm.trap`: the device ends the launch."""

OUT_OF_BOUNDS = Question("oxide.out.of.bounds", RuntimeCall("out_of_bounds"), (I64, I64), returns=False)
"""Stands for `llvm.trap` where an index is out of bounds; its operands are the index and the length."""

REFUSED = Question("oxide.refused", RuntimeCall("refused"))
"""Stands for what has no meaning on the CPU device."""

SPIN = Question("oxide.spin", RuntimeCall("spin"), (PTR, I32))
"""Stands before an access that may be one of a loop which waits for another thread: its address and bytes. Each so many times the device
lets other threads run."""

CHECK = Question("oxide.check", RuntimeCall("check"), (PTR, I64, I32))
"""Stands before an access that is checked: its address, bytes, and what else there is to say."""

CHECK_FENCE = Question("oxide.check.fence", RuntimeCall("check_fence"), (I32,))
"""Stands before a fence, whose order it is told."""

ENTER = Question("oxide.enter", None)
LEAVE = Question("oxide.leave", None)
"""Stand around a call of another function, for the device to know the calls that lead to another one."""

DEPTH, CALLS = 72, 76
"""Offsets in bytes, in the CPU device's thread, of how many calls it is in and of the numbers of the outer ones."""

MOST_CALLS = 32
"""How many of them it has room for, a power of two."""

SPINS = 60
"""Offset in bytes of the count of such accesses in the CPU device's thread."""

OFTEN = 32
"""Every so many of them lets others run; a power of two."""


def define_question(question: Question) -> Iterator[str]:
    """Yield the function that stands for a question."""
    params = [*([] if question is LEAVE else ["i32 %site"]), *(f"{spell_type(ty)} %{number}" for number, ty in enumerate(question.takes))]
    result = "void" if question.gives is None else spell_type(question.gives)
    attributes = " alwaysinline" if question.returns else " cold noreturn"
    yield f"define internal {result} @{question.name}({', '.join(params)}){attributes} nounwind {{"
    if question.ask is None:
        yield f"""\
  %me = load ptr, ptr @oxide.thread
  %at = getelementptr i8, ptr %me, i64 {DEPTH}
  %depth = load i32, ptr %at"""
        yield from ENTERING if question is ENTER else LEAVING
        yield "}\n"
        return
    body = list(ask(question.ask, question.takes, question.gives, "%site"))
    if question is SPIN:
        yield f"""\
  %me = load ptr, ptr @oxide.thread
  %at = getelementptr i8, ptr %me, i64 {SPINS}
  %count = load i32, ptr %at
  %more = add i32 %count, 1
  store i32 %more, ptr %at
  %low = and i32 %more, {OFTEN - 1}
  %is_due = icmp eq i32 %low, 0
  br i1 %is_due, label %due, label %end
due:"""
        yield from (*body[:-1], "  br label %end", "end:", "  ret void", "}\n")
        return
    yield from body if question.returns else (*body[:-1], "  unreachable")
    yield "}\n"


ENTERING = f"""\
  %number = and i32 %depth, {MOST_CALLS - 1}
  %call = getelementptr i8, ptr %me, i64 {CALLS}
  %slot = getelementptr i32, ptr %call, i32 %number
  store i32 %site, ptr %slot
  %deeper = add i32 %depth, 1
  store i32 %deeper, ptr %at
  ret void""".splitlines()

LEAVING = """\
  %higher = sub i32 %depth, 1
  store i32 %higher, ptr %at
  ret void""".splitlines()
