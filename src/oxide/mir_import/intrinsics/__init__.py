"""rustc's intrinsics: functions of `core::intrinsics` whose meaning is the compiler's.

Those with a body of their own that are not in these files are called like any function; any other is refused by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.errors import codes
from oxide.mir_import.intrinsics import atomics, external, memory, numbers, simd, values  # noqa: F401 - their handlers
from oxide.mir_import.intrinsics.device import import_device_function
from oxide.mir_import.intrinsics.operation import check_direct, operation
from oxide.mir_import.intrinsics.registry import HANDLERS, Call, name_of
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from oxide.mir_import import stable_mir as smir
    from oxide.mir_import.frame import Frame

__all__ = ["check_direct", "import_device_function", "import_intrinsic", "operation"]


def import_intrinsic(frame: Frame, source: smir.Function, call: smir.Call) -> bool:
    """Import a call of an intrinsic; False if it is to be called as a function."""
    handler = HANDLERS.get(name_of(source))
    if handler is not None:
        handler(Call(frame, source, call))
        return True
    if source.has_body:
        return False
    raise Refusal(
        codes.INTRINSIC,
        f"the intrinsic `{name_of(source)}` of rustc {frame.importer.dump.rustc.split()[0]} is not supported in kernels",
        frame.span,
        help="write out what it does",
    )
