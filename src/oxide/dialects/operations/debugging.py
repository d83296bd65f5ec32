"""Stopping, and telling tools where the program is (PTX ISA, "Miscellaneous Instructions")."""

from __future__ import annotations

from oxide.dialects.operations.row import Ask, Assembly, Body, Operation, SystemCall
from oxide.ir import I32, I64, PTR

ROWS = (
    Operation(
        "debug::vprintf", "ptx.vprintf", (PTR, PTR), I32, SystemCall("vprintf"),
        "Print by C's format with arguments one after another in memory; how many there were.", Ask("vprintf"), memory="write",
    ),
    Operation(
        "debug::assert_fail", "ptx.assertfail", (PTR, PTR, I32, PTR, I64), None, SystemCall("__assertfail"),
        "Tell of a failed assertion, by message, file, line, function and the size of a letter, and end the launch.", Ask("assert_fail"),
        memory="write",
    ),
    Operation(
        "debug::breakpoint", "ptx.brkpt", (), None, Assembly("brkpt;"), "Stop under a debugger.", Ask("breakpoint"), memory="write",
    ),
    Operation(
        "debug::pmevent", "ptx.pmevent", (I32,), None, Assembly("pmevent $0;"), "Count an event, 0 to 15, for a profiler.",
        Body("  ret void"), immediate=(0,), memory="write",
    ),
)  # fmt: skip
