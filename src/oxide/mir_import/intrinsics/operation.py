"""Which functions are rows of the table of operations, by the crate and the path that they have.

Both `cuda_device::thread::threadIdx_x` and `cuda_intrinsics::abi_v1::sreg::thread_idx_x` are the row `thread::threadIdx_x`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import operations
from oxide.dialects.operations import raw
from oxide.errors import codes
from oxide.mir_import.refusal import Refusal

if TYPE_CHECKING:
    from oxide.mir_import import stable_mir as smir
    from oxide.mir_import.frame import Frame


def operation(source: smir.Function, span: int | None) -> str:
    """Return the path of the row that a function is; empty if it is none. `span` is where it is named."""
    if source.crate == "cuda_device":
        return source.path if source.path in operations.BY_PATH else ""
    if source.crate == raw.CRATE and source.kind == "Item":
        version, _, path = source.path.partition("::")
        if version == raw.VERSION and (row := operations.BY_RAW.get(path)) is not None:
            return row.path
        known = "no such intrinsic" if version == raw.VERSION else f"no version `{version}`, but `{raw.VERSION}`"
        message = f"ABI mismatch between `cuda-intrinsics` and the compiler: of `{raw.CRATE}::{source.path}` the compiler knows {known}"
        raise Refusal(codes.INTRINSICS_VERSION, message, span, "build with the `cuda-intrinsics` that comes with oxide")
    return ""


def check_direct(frame: Frame, source: smir.Function) -> None:
    """Refuse a call of a raw intrinsic from the code that rustc makes where a function is called through a trait."""
    if frame.source.kind == "Shim" and source.crate == raw.CRATE:
        message = f"the raw intrinsic `{source.name}` is passed through a Fn trait: it is lowered only at a direct call site"
        raise Refusal(codes.DIRECT_CALL, message, frame.span, "pass a closure that calls it")
