"""Barriers of blocks and clusters, fences and mbarriers (PTX ISA, "Parallel Synchronization and Communication Instructions")."""

from __future__ import annotations

from oxide.dialects.operations.row import SHARED, Assembly, Body, Fixed, Intrinsic, Operation, RuntimeCall
from oxide.ir import I1, I32, I64, PTR, Type

FENCE = Body("  fence seq_cst\n  ret void")


def fence(path: str, scope: str) -> Operation:
    """Return the row of a memory fence."""
    return Operation(path, f"ptx.membar.{scope}", (), None, Intrinsic(f"llvm.nvvm.membar.{scope}"), FENCE, memory="write")


def proxy_fence(path: str, text: str, ptx: int) -> Operation:
    """Return the row of a fence between proxies, which the CPU device does not have apart."""
    return Operation(
        f"barrier::{path}", f"ptx.{text.replace('::', '.')}", (), None, Assembly(f"{text};"), FENCE, memory="write", sm=90, ptx=ptx
    )


def reducing(path: str, function: str, ty: Type) -> Operation:
    """Return the row of a block barrier that also combines a truth value of each thread."""
    code = Intrinsic(f"llvm.nvvm.barrier.cta.red.{function}.aligned.all", (Fixed(0), 0))
    name = f"ptx.barrier.cta.red.{function}"
    return Operation(
        f"thread::sync_threads_{path}", name, (I1,), ty, code, RuntimeCall(f"barrier_{function}"), convergent=True, memory="write"
    )


def mbarrier(path: str, params: tuple[Type, ...], ty: Type | None, text: str, *, sm: int = 80, ptx: int = 70) -> Operation:
    """Return the row of an operation of the mbarrier that the first parameter is the address of."""
    name = f"ptx.mbarrier.{path.removeprefix('mbarrier_')}"
    return Operation(
        f"barrier::{path}", name, params, ty, Assembly(text), RuntimeCall(path), spaces=((0, SHARED),), memory="write", sm=sm, ptx=ptx
    )


def asking(text: str) -> str:
    """Return inline PTX whose predicate `p` is the result."""
    return f"{{ .reg .pred p; {text}; selp.b32 $0, 1, 0, p; }}"


def cluster(path: str, instruction: str) -> Operation:
    """Return the row of half a cluster barrier."""
    text = f"barrier.cluster.{instruction}"
    meaning = RuntimeCall(f"cluster_{'_'.join(instruction.split('.')[:2])}")
    return Operation(
        f"cluster::{path}", f"ptx.{text}", (), None, Assembly(f"{text};"), meaning, convergent=True, memory="write", sm=90, ptx=80
    )


GRID_SYNC = """{
.reg .pred p; .reg .b32 a, b, c, n; .reg .b64 w;
bar.sync 0;
mov.u32 a, %tid.x; mov.u32 b, %tid.y; mov.u32 c, %tid.z; or.b32 a, a, b; or.b32 a, a, c;
setp.ne.u32 p, a, 0;
@p bra done;
mov.u32 a, %envreg2; mov.u32 b, %envreg1; mov.b64 w, {a, b};
mov.u32 n, %nctaid.x; mov.u32 a, %nctaid.y; mul.lo.u32 n, n, a; mov.u32 a, %nctaid.z; mul.lo.u32 n, n, a;
mov.u32 a, %ctaid.x; mov.u32 b, %ctaid.y; mov.u32 c, %ctaid.z; or.b32 a, a, b; or.b32 a, a, c;
setp.eq.u32 p, a, 0; sub.u32 n, 0x80000001, n; selp.b32 n, n, 1, p;
fence.acq_rel.gpu;
atom.relaxed.gpu.global.add.u32 a, [w+4], n;
spin:
ld.relaxed.gpu.global.u32 b, [w+4]; xor.b32 b, a, b; setp.ge.s32 p, b, 0;
@p bra spin;
fence.acq_rel.gpu;
done:
bar.sync 0;
}"""
"""One thread of each block adds to a word of the launch's workspace, whose address the driver leaves in two registers: 1, or in block 0
what makes the sum of all change the highest bit. It then waits for that bit to change."""

ROWS = (
    Operation(
        "thread::sync_threads", "ptx.barrier.cta.sync", (), None, Intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", (Fixed(0),)),
        RuntimeCall("barrier"), convergent=True, memory="write",
    ),
    reducing("count", "popc", I32),
    reducing("and", "and", I1),
    reducing("or", "or", I1),
    Operation(
        "barrier::bar_sync", "ptx.barrier.cta.sync.count", (I32, I32), None, Intrinsic("llvm.nvvm.barrier.cta.sync.aligned.count"),
        RuntimeCall("barrier_count"), convergent=True, memory="write",
    ),
    Operation(
        "barrier::bar_arrive", "ptx.barrier.cta.arrive.count", (I32, I32), None, Intrinsic("llvm.nvvm.barrier.cta.arrive.aligned.count"),
        RuntimeCall("barrier_arrive"), convergent=True, memory="write",
    ),
    Operation(
        "grid::sync", "ptx.grid.sync", (), None, Assembly(GRID_SYNC), RuntimeCall("grid_sync"), convergent=True, memory="write",
    ),
    fence("fence::threadfence_block", "cta"),
    fence("fence::threadfence", "gl"),
    fence("fence::threadfence_system", "sys"),
    proxy_fence("fence_proxy_async_shared_cta", "fence.proxy.async.shared::cta", 80),
    proxy_fence("fence_mbarrier_init_release_cluster", "fence.mbarrier_init.release.cluster", 80),
    proxy_fence(
        "fence_proxy_async_generic_release_shared_cta_cluster", "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
        86,
    ),
    proxy_fence(
        "fence_proxy_async_generic_acquire_shared_cluster_cluster",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", 86,
    ),
    mbarrier("mbarrier_init", (PTR, I32), None, "mbarrier.init.shared.b64 [$0], $1;"),
    mbarrier("mbarrier_inval", (PTR,), None, "mbarrier.inval.shared.b64 [$0];"),
    mbarrier("mbarrier_arrive", (PTR,), I64, "mbarrier.arrive.shared.b64 $0, [$1];"),
    mbarrier(
        "mbarrier_test_wait", (PTR, I64), I1, asking("mbarrier.test_wait.shared.b64 p, [$1], $2"),
    ),
    mbarrier(
        "mbarrier_try_wait", (PTR, I64), I1, asking("mbarrier.try_wait.shared.b64 p, [$1], $2"), sm=90, ptx=78,
    ),
    mbarrier(
        "mbarrier_try_wait_parity", (PTR, I32), I1, asking("mbarrier.try_wait.parity.shared.b64 p, [$1], $2"), sm=90, ptx=78,
    ),
    mbarrier(
        "mbarrier_try_wait_parity_cluster", (PTR, I32), I1, asking("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [$1], $2"),
        sm=90, ptx=80,
    ),
    mbarrier(
        "arrive_expect_tx", (PTR, I32), I64, "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 $0, [$1], $2;", sm=90, ptx=80,
    ),
    mbarrier(
        "arrive_expect_tx_cluster", (PTR, I32), I64, "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 $0, [$1], $2;",
        sm=90, ptx=86,
    ),
    Operation(
        "barrier::mbarrier_arrive_cluster", "ptx.mbarrier.arrive_cluster", (I64,), None,
        Assembly("{ .reg .b64 a; cvta.to.shared.u64 a, $0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }"),
        RuntimeCall("mbarrier_arrive_cluster"), memory="write", sm=90, ptx=80,
    ),
    Operation(
        "barrier::nanosleep", "ptx.nanosleep", (I32,), None, Assembly("nanosleep.u32 $0;"), RuntimeCall("nanosleep"), memory="write",
    ),
    *(
        cluster(f"barrier_cluster_{path}", instruction)
        for path, instruction in (
            ("arrive", "arrive.release"),
            ("arrive_aligned", "arrive.release.aligned"),
            ("arrive_relaxed", "arrive.relaxed"),
            ("arrive_relaxed_aligned", "arrive.relaxed.aligned"),
            ("wait", "wait.acquire"),
            ("wait_aligned", "wait.acquire.aligned"),
        )
    ),
    Operation(
        "cluster::mapa", "ptx.mapa", (PTR, I32), PTR, Assembly("mapa.u64 $0, $1, $2;"), RuntimeCall("mapa"), sm=90, ptx=78,
    ),
)  # fmt: skip
