"""Special registers: which thread this is, of which launch, and clocks (PTX ISA, "Special Registers")."""

from __future__ import annotations

from oxide.dialects.operations.row import Assembly, Body, Intrinsic, Operation, RuntimeCall
from oxide.ir import I32, I64, Type

THREAD_FIELDS = {"tid": 8, "ctaid": 20, "ntid": 32, "nctaid": 44, "laneid": 56}
"""Offset in bytes of a special register in the CPU device's thread; axes are 4 bytes apart. At 0 is the table of its functions."""

AXES = ("x", "y", "z")


def field(offset: int) -> Body:
    """Return the body that reads a field of the CPU device's current thread."""
    return Body(f"""\
  %thread = load ptr, ptr @oxide.thread
  %field = getelementptr i8, ptr %thread, i64 {offset}
  %value = load i32, ptr %field
  ret i32 %value""")


def position(path: str, register: str, axis: str) -> Operation:
    """Return the row of a register along an axis."""
    name = f"nvvm.read.ptx.sreg.{register}.{axis}"
    meaning = field(THREAD_FIELDS[register] + 4 * AXES.index(axis))
    return Operation(f"thread::{path}_{axis}", name, (), I32, Intrinsic(f"llvm.{name}"), meaning)


def special(path: str, register: str, ty: Type = I32, *, changes: bool = False, sm: int = 75, ptx: int = 63) -> Operation:
    """Return the row of another register; one that `changes` while a thread runs is read each time."""
    code = Assembly(f"mov.u{64 if ty is I64 else 32} $0, %{register};")
    name = f"ptx.read.{register}"
    return Operation(
        path,
        name,
        (),
        ty,
        code,
        RuntimeCall("register_" + register.replace(".", "_")),
        memory="write" if changes else "none",
        sm=sm,
        ptx=ptx,
    )


ROWS = (
    *(position("threadIdx", "tid", axis) for axis in AXES),
    *(position("blockIdx", "ctaid", axis) for axis in AXES),
    *(position("blockDim", "ntid", axis) for axis in AXES),
    *(position("gridDim", "nctaid", axis) for axis in AXES),
    Operation(
        "warp::lane_id", "nvvm.read.ptx.sreg.laneid", (), I32, Intrinsic("llvm.nvvm.read.ptx.sreg.laneid"),
        field(THREAD_FIELDS["laneid"]),
    ),
    *(special(f"warp::lanemask_{order}", f"lanemask_{order}") for order in ("lt", "le", "eq", "ge", "gt")),
    special("warp::warpid", "warpid", changes=True),
    special("warp::nwarpid", "nwarpid"),
    special("thread::smid", "smid", changes=True),
    special("thread::nsmid", "nsmid"),
    special("thread::gridid", "gridid", I64),
    special("debug::clock", "clock", changes=True),
    special("debug::clock64", "clock64", I64, changes=True),
    special("debug::globaltimer", "globaltimer", I64, changes=True),
    special("shared::dynamic_smem_size", "dynamic_smem_size"),
    special("shared::total_smem_size", "total_smem_size"),
    *(special(f"grid::envreg{number}", f"envreg{number}") for number in (1, 2)),
    *(
        special(f"cluster::cluster_{register}{axis.upper()}", f"cluster_{register}.{axis}", sm=90, ptx=78)
        for register in ("ctaid", "nctaid") for axis in AXES
    ),
    *(
        special(f"cluster::{register}_{axis}", f"{register}.{axis}", sm=90, ptx=78)
        for register in ("clusterid", "nclusterid") for axis in AXES
    ),
    special("cluster::block_rank", "cluster_ctarank", sm=90, ptx=78),
    special("cluster::cluster_size", "cluster_nctarank", sm=90, ptx=78),
)  # fmt: skip
