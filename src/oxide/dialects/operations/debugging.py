"""Stopping, and telling tools where the program is (PTX ISA, "Miscellaneous Instructions")."""

from __future__ import annotations

from oxide.dialects.operations.row import Ask, Assembly, Body, Operation
from oxide.ir import I32

ROWS = (
    Operation(
        "debug::breakpoint", "ptx.brkpt", (), None, Assembly("brkpt;"), "Stop under a debugger.", Ask("breakpoint"), memory="write",
    ),
    Operation(
        "debug::pmevent", "ptx.pmevent", (I32,), None, Assembly("pmevent $0;"), "Count an event, 0 to 15, for a profiler.",
        Body("  ret void"), immediate=(0,), memory="write",
    ),
)  # fmt: skip
