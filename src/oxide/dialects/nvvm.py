"""What a GPU offers beyond LLVM IR: one row an operation, and an op made from each.

    OPERATIONS["nvvm.read.ptx.sreg.tid.x"].path       # thread::threadIdx_x, its function in crate cuda_device
    BY_PATH["thread::sync_threads"].convergent        # True

Names that MLIR's NVVM dialect has are used as it has them, and mlir-opt checks those; names of our own begin with `ptx.`.
Meanings are those of the PTX ISA's instruction of the same name.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from oxide.ir import F32, I1, I32, PTR, Op, Rule, Type, Value, operands, result

FULL_WARP = 31
"""The `c` operand of a shuffle over all 32 lanes (PTX ISA, `shfl.sync`)."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """An argument of the intrinsic that is always this number."""

    number: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One row: an operation in Rust, in the `nvvm` dialect, in LLVM IR and on the CPU device."""

    path: str
    """The function's path inside crate `cuda_device`; empty where only lowerings make the op."""
    name: str
    params: tuple[Type, ...]
    result: Type | None
    intrinsic: str
    """LLVM's intrinsic, by its full name."""
    arguments: tuple[int | Fixed, ...]
    """What the intrinsic is given: parameters by number, and fixed numbers."""
    doc: str
    convergent: bool = False
    """All threads of a warp or block take part: it may not be moved into or out of a branch, copied or merged."""
    memory: Literal["none", "read", "write"] = "none"
    """What it does to memory: nothing, reads what changes, or orders and changes it."""
    sm: int = 75
    """The smallest target, as 10 times the compute capability."""
    ptx: int = 63
    """The smallest PTX version, as 10 times the version."""


def register(path: str, name: str, doc: str, memory: Literal["none", "read"] = "none") -> Operation:
    """Return the row of a special register."""
    return Operation(path, f"nvvm.read.ptx.sreg.{name}", (), I32, f"llvm.nvvm.read.ptx.sreg.{name}", (), doc, memory=memory)


def shuffle(path: str, mode: str, ty: Type, last: int, doc: str) -> Operation:
    """Return the row of a shuffle."""
    name = f"shfl.sync.{mode}.{ty}"
    params = (I32, ty, I32)
    return Operation(path, f"ptx.{name}", params, ty, f"llvm.nvvm.{name}", (0, 1, 2, Fixed(last)), doc, convergent=True, memory="write")


def vote(path: str, mode: str, ty: Type, doc: str) -> Operation:
    """Return the row of a vote."""
    name = f"vote.{mode}.sync"
    return Operation(path, f"ptx.{name}", (I32, I1), ty, f"llvm.nvvm.{name}", (0, 1), doc, convergent=True, memory="write")


def fence(path: str, scope: str, doc: str) -> Operation:
    """Return the row of a memory fence."""
    return Operation(path, f"ptx.membar.{scope}", (), None, f"llvm.nvvm.membar.{scope}", (), doc, memory="write")


AXES = ("x", "y", "z")

ROWS = (
    *(register(f"thread::threadIdx_{axis}", f"tid.{axis}", f"The thread's position in its block, {axis}.") for axis in AXES),
    *(register(f"thread::blockIdx_{axis}", f"ctaid.{axis}", f"The block's position in the grid, {axis}.") for axis in AXES),
    *(register(f"thread::blockDim_{axis}", f"ntid.{axis}", f"Threads of a block, {axis}.") for axis in AXES),
    *(register(f"thread::gridDim_{axis}", f"nctaid.{axis}", f"Blocks of the grid, {axis}.") for axis in AXES),
    register("warp::lane_id", "laneid", "The thread's position in its warp."),
    Operation(
        "thread::sync_threads", "ptx.barrier.cta.sync", (), None, "llvm.nvvm.barrier.cta.sync.aligned.all", (Fixed(0),),
        "Wait until every thread of the block is here; their memory is then seen by all (`bar.sync 0`).", convergent=True, memory="write",
    ),
    Operation(
        "warp::sync_mask", "nvvm.bar.warp.sync", (I32,), None, "llvm.nvvm.bar.warp.sync", (0,),
        "Wait until the lanes of the mask are here (`bar.warp.sync`).", convergent=True, memory="write",
    ),
    Operation(
        "warp::active_mask", "ptx.activemask", (), I32, "llvm.nvvm.activemask", (),
        "The lanes that run this instruction together.", convergent=True, memory="write",
    ),
    *(
        shuffle(f"warp::shuffle{name}{suffix}_sync", mode, ty, last, doc)
        for suffix, ty in (("", I32), ("_f32", F32))
        for name, mode, last, doc in (
            ("", "idx", FULL_WARP, "Another lane's value, by its number."),
            ("_xor", "bfly", FULL_WARP, "The value of the lane whose number differs in these bits."),
            ("_down", "down", FULL_WARP, "The value of the lane this much further on, or one's own."),
            ("_up", "up", 0, "The value of the lane this much before, or one's own."),
        )
    ),
    vote("warp::all_sync", "all", I1, "Whether the predicate holds in every lane of the mask."),
    vote("warp::any_sync", "any", I1, "Whether the predicate holds in a lane of the mask."),
    vote("warp::ballot_sync", "ballot", I32, "The lanes of the mask in which the predicate holds."),
    fence("fence::threadfence_block", "cta", "Order memory for the block (`membar.cta`)."),
    fence("fence::threadfence", "gl", "Order memory for the device (`membar.gl`)."),
    fence("fence::threadfence_system", "sys", "Order memory for the host and other devices too (`membar.sys`)."),
    Operation(
        "", "ptx.isspacep.local", (PTR,), I1, "llvm.nvvm.isspacep.local", (0,),
        "Whether an address lies in the thread's own memory, which takes no atomic accesses.",
    ),
)  # fmt: skip


class GpuOp(Op):
    """Base of the ops made from the rows."""

    row: ClassVar[Operation]

    args: tuple[Value, ...] = operands()

    rules = (
        Rule(
            "those of its row",
            lambda op: tuple(value.type for value in op.args) == op.row.params,
            lambda op: f"operands have types {tuple(value.type for value in op.args)}, its row says {op.row.params}",
        ),
    )


def declare(row: Operation) -> type[GpuOp]:
    """Return the op of a row."""

    def body(namespace: dict[str, Any]) -> None:
        namespace |= {"__doc__": row.doc, "__module__": __name__, "row": row}
        if row.result is not None:
            namespace["value"] = result(lambda op: op.row.result)

    title = "".join(part.capitalize() for part in row.name.replace("_", ".").split("."))
    return types.new_class(title, (GpuOp,), {"name": row.name}, body)


OPERATIONS = {row.name: row for row in ROWS}
"""The table by op."""

BY_PATH = {row.path: row for row in ROWS if row.path}
"""The table by path in `cuda_device`."""

BY_INTRINSIC = {row.intrinsic: row for row in ROWS}
"""The table by LLVM intrinsic; the CPU device gives each a meaning."""

OPS = {row.name: declare(row) for row in ROWS}
"""The ops by name."""
