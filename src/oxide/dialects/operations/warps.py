"""What the lanes of a warp do together (PTX ISA, "Warp-level instructions")."""

from __future__ import annotations

from oxide.dialects.operations.row import Assembly, Fixed, Intrinsic, Operation, RuntimeCall
from oxide.ir import F32, I1, I32, I64, Type

FULL_WARP = 31
"""The `c` operand of a shuffle over all 32 lanes (PTX ISA, `shfl.sync`)."""

SHUFFLES = {"up": 0, "down": 1, "bfly": 2, "idx": 3}
"""The modes, with the CPU device's numbers."""


def shuffle(path: str, mode: str, ty: Type, last: int) -> Operation:
    """Return the row of a shuffle; a float travels as its bits."""
    name = f"shfl.sync.{mode}.{ty}"
    code = Intrinsic(f"llvm.nvvm.{name}", (0, 1, 2, Fixed(last)))
    meaning = RuntimeCall("shuffle_f32" if ty is F32 else "shuffle", (SHUFFLES[mode],))
    return Operation(path, f"ptx.{name}", (I32, ty, I32), ty, code, meaning, convergent=True, memory="write")


def vote(path: str, mode: str, number: int, ty: Type) -> Operation:
    """Return the row of a vote, with the CPU device's number of its mode."""
    name = f"vote.{mode}.sync"
    code = Intrinsic(f"llvm.nvvm.{name}")
    return Operation(path, f"ptx.{name}", (I32, I1), ty, code, RuntimeCall("vote", (number,)), convergent=True, memory="write")


def match(mode: str, suffix: str, ty: Type) -> Operation:
    """Return the row of a match."""
    bits = 64 if ty is I64 else 32
    code = Assembly(f"match.{mode}.sync.b{bits} $0, $2, $1;")
    name = f"ptx.match.{mode}.sync.b{bits}"
    return Operation(
        f"warp::match_{mode}{suffix}_sync", name, (I32, ty), I32, code, RuntimeCall(f"match_{mode}_{bits}"), convergent=True, memory="write"
    )


def reduction(path: str, function: str, ptx_type: str) -> Operation:
    """Return the row of a reduction over the lanes of a mask."""
    code = Assembly(f"redux.sync.{function}.{ptx_type} $0, $2, $1;")
    name = f"ptx.redux.sync.{function}.{ptx_type}"
    meaning = RuntimeCall(f"redux_{function}_{ptx_type}")
    return Operation(f"warp::redux_sync_{path}", name, (I32, I32), I32, code, meaning, convergent=True, memory="write", sm=80, ptx=70)


ROWS = (
    Operation(
        "warp::sync_mask", "nvvm.bar.warp.sync", (I32,), None, Intrinsic("llvm.nvvm.bar.warp.sync"),
        RuntimeCall("warp_barrier"), convergent=True, memory="write",
    ),
    Operation(
        "warp::active_mask", "ptx.activemask", (), I32, Intrinsic("llvm.nvvm.activemask"),
        RuntimeCall("active_mask"), convergent=True, memory="write",
    ),
    *(
        shuffle(f"warp::shuffle{name}{suffix}_sync", mode, ty, last)
        for suffix, ty in (("", I32), ("_f32", F32))
        for name, mode, last in (("", "idx", FULL_WARP), ("_xor", "bfly", FULL_WARP), ("_down", "down", FULL_WARP), ("_up", "up", 0))
    ),
    vote("warp::all_sync", "all", 0, I1),
    vote("warp::any_sync", "any", 1, I1),
    vote("warp::ballot_sync", "ballot", 2, I32),
    *(match(mode, suffix, ty) for suffix, ty in (("", I32), ("_i64", I64)) for mode in ("any", "all")),
    *(reduction(function, function, ty) for function, ty in (("add", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"))),
    *(reduction(f"{function}_{ty.replace('s', 'i')}", function, ty) for function in ("min", "max") for ty in ("u32", "s32")),
    Operation(
        "warp::elect", "ptx.elect.sync", (I32,), I32, Assembly("{ .reg .pred p; elect.sync $0|p, $2; selp.b32 $1, 1, 0, p; }"),
        RuntimeCall("elect"), count=2, convergent=True, memory="write", sm=90, ptx=80,
    ),
)  # fmt: skip
