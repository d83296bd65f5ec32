"""Scales one vector and adds it to another, with the kernel of src/lib.rs.

Needs oxide, from a checkout of it or its wheel, and NumPy: `pip install OXIDE numpy`.
"""

from pathlib import Path

import numpy as np

import oxide

BLOCK = 256
"""Threads of a block."""

# NumPy's arrays are for the CPU device. On a GPU leave `device` out, and launch with arrays of CuPy, PyTorch or JAX.
module = oxide.load(Path(__file__).parent, device="cpu")


def saxpy(a: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return `a * x + y`, of `float32` arrays with one shape."""
    sums = y.copy()
    module.saxpy[-(-x.size // BLOCK), BLOCK](a, x, sums)
    return sums


if __name__ == "__main__":
    x = np.arange(1000, dtype=np.float32)
    print("2 * 999 + 1 =", saxpy(2.0, x, np.ones_like(x))[999])
