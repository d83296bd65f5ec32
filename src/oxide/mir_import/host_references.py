"""References in kernel parameters, which are addresses of the host's memory: a warning, and a mark that the host's launch looks for.

    map(stream, config, |x| x * factor, …)        # the closure captures `&factor`; with `move` it captures `factor`

Systems whose GPU reads the host's memory run such kernels, so they are compiled (CUDA C++ Programming Guide, "Unified Memory on devices
with full CUDA Unified Memory support"). A `&[T]` that is a parameter itself is no such reference: the host passes a buffer's address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.errors import Diagnostic, codes
from oxide.ir import GLOBAL_SPACE, Global, Symbol
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.functions import parameter_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.mir_import.importer import Importer
    from oxide.mir_import.layouts import Types

MARK = "oxide_host_references$"
"""What the name of a variable of one byte begins with that a module has for such a kernel; crates/cuda-core/src/module.rs looks for it."""


def mark(importer: Importer, kernel: smir.Kernel, source: smir.Function) -> Iterator[Diagnostic]:
    """Yield a warning for each parameter of a kernel that contains a reference, and mark the kernel where there is one."""
    for index, ty in enumerate(source.params):
        for closure in owners(importer.types, ty):
            symbol = Symbol(f"{MARK}{kernel.name}")
            if symbol not in importer.module.globals:
                importer.module.add(Global(symbol, 1, 1, GLOBAL_SPACE, constant=False, content=b"\0", outside=True))
            yield warning(importer, kernel, source, index, closure)


def owners(types: Types, parameter: int) -> list[int | None]:
    """Return the closures in a parameter's type that capture references, None for one that lies in no closure; each once."""
    pointee = types.pointee(parameter)
    if pointee is not None and isinstance(types.kind(pointee), smir.Slice):
        return []
    found: dict[int | None, None] = {}
    todo: list[tuple[int, int | None]] = [(parameter, None)]
    seen: set[tuple[int, int | None]] = set()
    while todo:
        ty, closure = entry = todo.pop()
        if entry in seen:
            continue
        seen.add(entry)
        match types.kind(ty):
            case smir.Ref(pointee=behind):
                if not is_empty(types, behind):
                    found[closure] = None
            case smir.Closure():
                todo += [(part, ty) for part in types.parts(ty)]
            case smir.Slice():
                pass
            case _:
                todo += [(part, closure) for part in types.parts(ty)]
    return list(found)


def is_empty(types: Types, ty: int) -> bool:
    """Return whether a type has no bytes, so that nothing is read through a reference to it."""
    layout = types.types[ty].layout
    return layout is not None and layout.sized and layout.size == 0


def warning(importer: Importer, kernel: smir.Kernel, source: smir.Function, index: int, closure: int | None) -> Diagnostic:
    """Return the warning for a parameter that contains a reference, in a closure or not."""
    types = importer.types
    if closure is None:
        name = kernel.params[index] if index < len(kernel.params) else str(index)
        message = f"the kernel parameter `{name}: {types.name(source.params[index])}` contains a reference to host memory"
        help_text = "pass the value itself, or a buffer's elements as a slice"
        return Diagnostic(codes.HOST_REFERENCE, message, parameter_span(source, index), "warning", help=(help_text,))
    span = next((found.span for found in importer.dump.functions if is_body(types, found, closure)), parameter_span(source, index))
    called = source.name.partition("::<")[0]
    message = f"this closure borrows host memory, which the kernel `{called}` would read"
    help_text = "add `move` before its parameters, so that it carries the values; what is a reference itself, pass to the kernel as a slice"
    return Diagnostic(codes.HOST_REFERENCE, message, span, "warning", help=(help_text,))


def is_body(types: Types, function: smir.Function, closure: int) -> bool:
    """Return whether a function is a closure's own code."""
    itself = function.params[:1]
    return "{closure#" in function.name and closure in (*itself, *map(types.pointee, itself))
