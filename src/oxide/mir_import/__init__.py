"""The JSON dump becomes a `mir` module.

    module = import_dump(Path("vecadd.mir.json").read_bytes())

Functions are imported as kernels reach them, in that order. What is not supported is refused at the user's line, with the calls
that lead there from the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects import target
from oxide.mir_import import checks
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.importer import Importer

if TYPE_CHECKING:
    from collections.abc import Callable

    from oxide.errors import Diagnostic
    from oxide.ir import Module


def import_dump(
    text: bytes,
    report: Callable[[Diagnostic], None] = lambda _: None,
    arch: str | None = None,
    *,
    fast_math: bool = False,
    uses: dict[str, str] | None = None,
) -> Module:
    """Import a dump, for a target if one was chosen; `report` is given the warnings and notes.

    With `fast_math`, functions of `f32` are libdevice's approximations where it has them. `uses` is filled with the name in the program
    of each function of libdevice, and its first call: "`exp` of `f32` at src/main.rs:7:5".

    Raises `Refused` for what kernels may not do, `UsageError` for a text that is not a dump.
    """
    importer = Importer(smir.decode(text), None if arch is None else target.parse(arch), fast_math)
    module = importer.run()
    for diagnostic in checks.remarks(importer):
        report(diagnostic)
    if uses is not None:
        uses |= {symbol: importer.libdevice.use(symbol, *place) for symbol, place in importer.libdevice.first_calls.items()}
    return module
