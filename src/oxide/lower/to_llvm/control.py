"""Control flow, calls and panics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import llvm, mir
from oxide.ir import I1
from oxide.lower.registry import Builder, lowers

if TYPE_CHECKING:
    from oxide.ir import Value


@lowers(mir.Goto)
def lower_goto(op: mir.Goto, b: Builder) -> None:
    b.add(llvm.Br(op.target))


@lowers(mir.Switch)
def lower_switch(op: mir.Switch, b: Builder) -> None:
    if op.value.type is I1 and len(op.cases) == 1:
        first, second = op.targets
        b.add(llvm.CondBr(op.value, second, first) if op.cases[0] else llvm.CondBr(op.value, first, second))
    else:
        b.add(llvm.Switch(op.value, op.targets, op.cases))


def trap(b: Builder, message: str) -> None:
    """End the block with a trap: never with `unreachable` alone, from which LLVM would conclude that it cannot happen."""
    note = message if b.loc is None else f"{message}, at {b.loc.users}"
    b.add(llvm.CallIntrinsic((), "llvm.trap", None, note))
    b.add(llvm.Unreachable())


@lowers(mir.Assert)
def lower_assert(op: mir.Assert, b: Builder) -> None:
    failed = b.new_block()
    b.add(llvm.CondBr(op.condition, op.target, failed) if op.expected else llvm.CondBr(op.condition, failed, op.target))
    ops, b.ops = b.ops, failed.ops
    trap(b, op.message)
    b.ops = ops


@lowers(mir.Panic)
def lower_panic(op: mir.Panic, b: Builder) -> None:
    trap(b, op.message)


@lowers(mir.Return)
def lower_return(op: mir.Return, b: Builder) -> None:
    b.add(llvm.Return(op.value))


@lowers(mir.Unreachable)
def lower_unreachable(op: mir.Unreachable, b: Builder) -> None:
    b.add(llvm.Unreachable())


@lowers(mir.Call)
def lower_call(op: mir.Call, b: Builder) -> Value | None:
    return b.add(llvm.Call(None, op.args, op.callee, op.ty)).value


@lowers(mir.CallPointer)
def lower_call_pointer(op: mir.CallPointer, b: Builder) -> Value | None:
    return b.add(llvm.Call(op.pointer, op.args, None, op.ty)).value
