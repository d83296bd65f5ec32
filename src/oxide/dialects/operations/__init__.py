"""The table of GPU operations: one row each, families described once, one file a topic.

    OPERATIONS["nvvm.read.ptx.sreg.tid.x"].path       # thread::threadIdx_x, its function in crate cuda_device
    BY_PATH["thread::sync_threads"].convergent        # True

Names that MLIR's NVVM dialect has are used as it has them, and mlir-opt checks those; names of our own begin with `ptx.`.
Meanings are those of the PTX ISA's instruction of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects.operations import caches, debugging, memory, numbers, synchronization, threads, warps
from oxide.dialects.operations.row import Assembly, Body, Fixed, Instruction, Intrinsic, Operation, RuntimeCall, SystemCall

if TYPE_CHECKING:
    from oxide.ir import Type

ROWS = (*threads.ROWS, *warps.ROWS, *synchronization.ROWS, *memory.ROWS, *caches.ROWS, *numbers.ROWS, *debugging.ROWS)

OPERATIONS = {row.name: row for row in ROWS}
"""The table by op."""

BY_PATH = {row.path: row for row in ROWS if row.path}
"""The table by path in `cuda_device`."""

BY_RAW = {row.raw: row for row in ROWS if row.raw}
"""The table by path in `cuda_intrinsics`."""

BY_INTRINSIC = {row.code.name: row for row in ROWS if isinstance(row.code, Intrinsic)}
"""The table by LLVM intrinsic."""

BY_ASSEMBLY = {(row.code.text, row.constraints): row for row in ROWS if isinstance(row.code, Assembly)}
"""The table by the text and the constraints of inline PTX."""

BY_SYSTEM_CALL = {row.code.name: row for row in ROWS if isinstance(row.code, SystemCall)}
"""The table by the name of a function of the driver."""

SYSTEM_ATOMICS: dict[tuple[str, Type], Operation] = {
    (operation, ty): OPERATIONS[f"ptx.atom.sys.{operation}.{ty}"] for operation, (_, types) in memory.ATOMICS.items() for ty in types
}
"""The atomic updates of the whole system, by LLVM's name and the type."""

__all__ = [
    "BY_ASSEMBLY",
    "BY_INTRINSIC",
    "BY_PATH",
    "BY_RAW",
    "BY_SYSTEM_CALL",
    "OPERATIONS",
    "ROWS",
    "SYSTEM_ATOMICS",
    "Assembly",
    "Body",
    "Fixed",
    "Instruction",
    "Intrinsic",
    "Operation",
    "RuntimeCall",
    "SystemCall",
]  # fmt: skip
