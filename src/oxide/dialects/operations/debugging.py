"""Stopping, and telling tools where the program is (PTX ISA, "Miscellaneous Instructions")."""

from __future__ import annotations

from oxide.dialects.operations.row import Assembly, Body, Operation, RuntimeCall, SystemCall
from oxide.ir import I32, I64, PTR

ROWS = (
    Operation(
        "debug::vprintf", "ptx.vprintf", (PTR, PTR), I32, SystemCall("vprintf"), RuntimeCall("vprintf"), memory="write",
    ),
    Operation(
        "debug::assert_fail", "ptx.assertfail", (PTR, PTR, I32, PTR, I64), None, SystemCall("__assertfail"),
        RuntimeCall("assert_fail"), memory="write",
    ),
    Operation(
        "debug::breakpoint", "ptx.brkpt", (), None, Assembly("brkpt;"), RuntimeCall("breakpoint"), memory="write",
    ),
    Operation(
        "debug::pmevent", "ptx.pmevent", (I32,), None, Assembly("pmevent $0;"), Body("  ret void"), immediate=(0,), memory="write",
    ),
)  # fmt: skip
