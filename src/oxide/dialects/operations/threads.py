"""Special registers: which thread this is, of which launch, and clocks (PTX ISA, "Special Registers")."""

from __future__ import annotations

from oxide.dialects.operations.row import Ask, Assembly, Body, Intrinsic, Operation
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


def position(path: str, register: str, axis: str, doc: str) -> Operation:
    """Return the row of a register along an axis."""
    name = f"nvvm.read.ptx.sreg.{register}.{axis}"
    meaning = field(THREAD_FIELDS[register] + 4 * AXES.index(axis))
    return Operation(f"thread::{path}_{axis}", name, (), I32, Intrinsic(f"llvm.{name}"), f"{doc}, {axis}.", meaning)


def special(path: str, register: str, doc: str, ty: Type = I32, *, changes: bool = False, sm: int = 75, ptx: int = 63) -> Operation:
    """Return the row of another register; one that `changes` while a thread runs is read each time."""
    code = Assembly(f"mov.u{64 if ty is I64 else 32} $0, %{register};")
    name = f"ptx.read.{register}"
    return Operation(
        path, name, (), ty, code, doc, Ask("register_" + register.replace(".", "_")), memory="write" if changes else "none", sm=sm, ptx=ptx
    )


ROWS = (
    *(position("threadIdx", "tid", axis, "The thread's position in its block") for axis in AXES),
    *(position("blockIdx", "ctaid", axis, "The block's position in the grid") for axis in AXES),
    *(position("blockDim", "ntid", axis, "Threads of a block") for axis in AXES),
    *(position("gridDim", "nctaid", axis, "Blocks of the grid") for axis in AXES),
    Operation(
        "warp::lane_id", "nvvm.read.ptx.sreg.laneid", (), I32, Intrinsic("llvm.nvvm.read.ptx.sreg.laneid"),
        "The thread's position in its warp.", field(THREAD_FIELDS["laneid"]),
    ),
    *(
        special(f"warp::lanemask_{order}", f"lanemask_{order}", f"The lanes {words} this one.")
        for order, words in (("lt", "before"), ("le", "up to"), ("eq", "that are"), ("ge", "from"), ("gt", "after"))
    ),
    special("warp::warpid", "warpid", "The warp's place on its multiprocessor, which may change.", changes=True),
    special("warp::nwarpid", "nwarpid", "Most warps of a multiprocessor."),
    special("thread::smid", "smid", "The multiprocessor, which may change.", changes=True),
    special("thread::nsmid", "nsmid", "One more than the greatest number of a multiprocessor."),
    special("thread::gridid", "gridid", "The number of the launch.", I64),
    special("debug::clock", "clock", "Cycles, counted in 32 bits.", changes=True),
    special("debug::clock64", "clock64", "Cycles.", I64, changes=True),
    special("debug::globaltimer", "globaltimer", "Nanoseconds.", I64, changes=True),
    special("shared::dynamic_smem_size", "dynamic_smem_size", "Bytes of dynamic shared memory of the launch."),
    special("shared::total_smem_size", "total_smem_size", "Bytes of shared memory of the launch."),
    *(special(f"grid::envreg{number}", f"envreg{number}", "A register that the driver fills.") for number in (1, 2)),
    *(
        special(f"cluster::cluster_{path}{axis.upper()}", f"cluster_{register}.{axis}", f"{doc}, {axis}.", sm=90, ptx=78)
        for path, register, doc in (("ctaid", "ctaid", "The block's position in its cluster"), ("nctaid", "nctaid", "Blocks of a cluster"))
        for axis in AXES
    ),
    *(
        special(f"cluster::{register}_{axis}", f"{register}.{axis}", f"{doc}, {axis}.", sm=90, ptx=78)
        for register, doc in (("clusterid", "The cluster's position in the grid"), ("nclusterid", "Clusters of the grid"))
        for axis in AXES
    ),
    special("cluster::block_rank", "cluster_ctarank", "The block's number in its cluster.", sm=90, ptx=78),
    special("cluster::cluster_size", "cluster_nctarank", "Blocks of a cluster.", sm=90, ptx=78),
)  # fmt: skip
