"""Source locations of ops.

Location("src/main.rs", 12, 5, caller=Location("src/main.rs", 30, 9), function="app::helper", span=17)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LIBRARY = re.compile(r"/library/(core|alloc|std)/src/")
"""Files of the standard library, wherever its sources lie."""


DEVICE_CRATE = "/cuda-device/src/"


def is_library(file: str) -> bool:
    """Return whether a file is of the standard library or of `cuda_device`."""
    return DEVICE_CRATE in file or LIBRARY.search(file) is not None


@dataclass(frozen=True, slots=True)
class Location:
    """A line and column (from 1), the call that inlined it, the path of the function that was inlined there, and the number of the dump's
    span if it came from one.
    """

    file: str
    line: int
    column: int
    caller: Location | None = None
    function: str | None = None
    span: int | None = field(default=None, compare=False)

    @property
    def own(self) -> Location:
        """The nearest location, outwards, that is not in the standard library."""
        found = self
        while LIBRARY.search(found.file) and found.caller is not None:
            found = found.caller
        return found

    @property
    def users(self) -> Location:
        """The nearest location, outwards, that is neither in the standard library nor in `cuda_device`."""
        found = self
        while is_library(found.file) and found.caller is not None:
            found = found.caller
        return found

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
