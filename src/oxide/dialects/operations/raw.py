"""Where crate `cuda_intrinsics` has the operations: each is a function there too, raw, under a path that is the row's identity.

    path("thread::threadIdx_x", "nvvm.read.ptx.sreg.tid.x")   # sreg::thread_idx_x
    path("warp::sync_mask", "nvvm.bar.warp.sync")             # warp::sync_mask

The functions stand in a module named by their version. What a path means never changes within one; a function that the compiler finds in
another version's module, or under a path that no row has, is from a crate that does not match it.
"""

from __future__ import annotations

import re

CRATE = "cuda_intrinsics"
VERSION = "abi_v1"
"""The module that holds the functions."""

MODULES = frozenset(
    {
        "async_copy", "atomic", "barrier", "bf16", "bf16x2", "cluster", "debug", "dotprod", "f16", "f16x2", "fence", "float", "grid",
        "prmt", "shared", "sreg", "thread", "warp",
    }
)  # fmt: skip
"""The modules of the crate."""

RENAMED = {"cluster::block_rank": "sreg::cluster_block_rank", "cluster::cluster_size": "sreg::cluster_block_count"}
WRAPPED = frozenset({"debug::assert_fail", "debug::vprintf"})
"""What macros of `cuda_device` call, and the crate does not have."""


def path(of: str, name: str) -> str:
    """Return the path of a row by its path in `cuda_device` and its name; empty where the crate does not have it.

    Special registers are in one module, in snake case.
    """
    module, _, function = of.rpartition("::")
    if of in WRAPPED or module not in MODULES:
        return ""
    if of in RENAMED:
        return RENAMED[of]
    if name.startswith(("nvvm.read.ptx.sreg.", "ptx.read.")):
        return "sreg::" + re.sub("(?<=[a-z])(?=[A-Z])", "_", function).lower()
    return of
