"""The kernel, launched from Python: `pip install pytest` beside what main.py needs, and run `pytest`."""

import numpy as np
from main import saxpy


def test_every_element_is_scaled_and_added() -> None:
    x = np.arange(1000, dtype=np.float32)
    assert np.array_equal(saxpy(2.0, x, np.ones_like(x)), 2 * x + 1)
