"""IEEE 754's binary formats, as code that takes floats apart needs them.

FORMATS[32].significant      # 24
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Format:
    """A float's format: significant bits with the leading 1, and the exponent's bias."""

    significant: int
    bias: int


FORMATS = {16: Format(11, 15), 32: Format(24, 127), 64: Format(53, 1023)}
"""The formats by width."""
