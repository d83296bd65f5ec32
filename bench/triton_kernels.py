"""Triton's side of bench/kernels.py."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def vecadd(a, b, c, n, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: N803 - Triton's own language
    """Add two vectors of n numbers, BLOCK of them a program."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + at, tl.load(a + at, at < n) + tl.load(b + at, at < n), at < n)


@triton.jit
def softmax(a, out, WIDTH: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: N803
    """Compute the softmax of a row of WIDTH numbers."""
    at = tl.program_id(0).to(tl.int64) * WIDTH + tl.arange(0, WIDTH)
    row = tl.load(a + at)
    row = tl.exp(row - tl.max(row, 0))
    tl.store(out + at, row / tl.sum(row, 0))
