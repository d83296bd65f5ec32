"""What each GPU intrinsic means on the CPU: one body of LLVM IR a row of the nvvm table.

    MEANINGS["llvm.nvvm.read.ptx.sreg.laneid"]     # load the field `laneid` of the current thread

A body sees the intrinsic's arguments as `%0`, `%1` and so on. What needs other threads asks the device through the table of
callbacks that the current thread begins with (crates/oxide-cpu/src/abi.rs), and passes `%site`, the number of the call in the
module, so that the device can name the function it is in. Meanings are those of the PTX ISA, which the device implements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects.nvvm import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

THREAD_FIELDS = {"tid": 8, "ctaid": 20, "ntid": 32, "nctaid": 44, "laneid": 56}
"""Offset in bytes of a special register in the device's thread; axes are 4 bytes apart. At 0 is the table of callbacks."""

CALLBACKS = ("trap", "barrier", "warp_barrier", "active_mask", "shuffle", "vote")
"""The device's functions, in the order of their table."""

SHUFFLES = {"up": 0, "down": 1, "bfly": 2, "idx": 3}
VOTES = {"all": 0, "any": 1, "ballot": 2}


def read(register: str, axis: str = "x") -> str:
    """Return the body that reads a special register of the current thread."""
    return f"""\
  %thread = load ptr, ptr @oxide.thread
  %field = getelementptr i8, ptr %thread, i64 {THREAD_FIELDS[register] + 4 * "xyz".index(axis)}
  %value = load i32, ptr %field
  ret i32 %value"""


def ask(callback: str, *args: str, result: str = "i32") -> str:
    """Return the lines that call the device; what it answers is `%answer`."""
    answer = "" if result == "void" else "%answer = "
    return f"""\
  %thread = load ptr, ptr @oxide.thread
  %callbacks = load ptr, ptr %thread
  %slot = getelementptr ptr, ptr %callbacks, i64 {CALLBACKS.index(callback)}
  %callback = load ptr, ptr %slot
  {answer}call {result} %callback({", ".join(("ptr %thread", "i32 %site", *args))}) convergent"""


def shuffle(mode: str, ty: str) -> str:
    """Return the body of a shuffle; the value travels as 32 bits."""
    return f"""\
  %bits = bitcast {ty} %1 to i32
{ask("shuffle", f"i32 {SHUFFLES[mode]}", "i32 %0", "i32 %bits", "i32 %2", "i32 %3")}
  %value = bitcast i32 %answer to {ty}
  ret {ty} %value"""


def vote(mode: str) -> str:
    """Return the body of a vote; a ballot's answer is its lanes, another's is 0 or 1."""
    question = f"  %bit = zext i1 %1 to i32\n{ask('vote', f'i32 {VOTES[mode]}', 'i32 %0', 'i32 %bit')}\n"
    return question + ("  ret i32 %answer" if mode == "ballot" else "  %value = trunc i32 %answer to i1\n  ret i1 %value")


MEANINGS: Mapping[str, str] = {
    **{
        f"llvm.nvvm.read.ptx.sreg.{register}.{axis}": read(register, axis)
        for register in ("tid", "ctaid", "ntid", "nctaid")
        for axis in "xyz"
    },
    "llvm.nvvm.read.ptx.sreg.laneid": read("laneid"),
    "llvm.nvvm.barrier.cta.sync.aligned.all": ask("barrier", "i32 %0", result="void") + "\n  ret void",
    "llvm.nvvm.bar.warp.sync": ask("warp_barrier", "i32 %0", result="void") + "\n  ret void",
    # A thread's own memory takes atomic accesses like any other here.
    "llvm.nvvm.isspacep.local": "  ret i1 false",
    "llvm.nvvm.activemask": ask("active_mask") + "\n  ret i32 %answer",
    **{f"llvm.nvvm.shfl.sync.{mode}.{name}": shuffle(mode, ty) for mode in SHUFFLES for name, ty in (("i32", "i32"), ("f32", "float"))},
    **{f"llvm.nvvm.vote.{mode}.sync": vote(mode) for mode in VOTES},
    **{f"llvm.nvvm.membar.{scope}": "  fence seq_cst\n  ret void" for scope in ("cta", "gl", "sys")},
}
"""The body of each intrinsic. A row of the nvvm table without one is refused by name, and a test compares the two tables."""

TRAP = ask("trap", result="void") + "\n  unreachable"
"""The body of `llvm.trap`: the device ends the launch and never returns."""

WAITING = frozenset(row.intrinsic for row in OPERATIONS.values() if row.convergent)
"""Intrinsics in which threads meet: a kernel that reaches one needs all threads of a block under way at once."""
