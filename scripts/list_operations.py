"""Print docs/operations.md, the table of GPU operations as Markdown: `.venv/bin/python scripts/list_operations.py >docs/operations.md`."""

from __future__ import annotations

import json
import sys
from itertools import groupby
from typing import TYPE_CHECKING

import proofs
from oxide.dialects.operations import ROWS, Assembly, Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PAGE = proofs.ROOT / "docs" / "operations.md"

PREAMBLE = """# GPU operations

<!-- written by scripts/list_operations.py -->

The functions of crate `cuda_device` that the compiler implements, by path, and operations that only lowerings create, by name in the
`nvvm` dialect. `sm` and `ptx` are the smallest target and PTX version, times 10. A convergent operation may not be moved into or out of
a branch. The CPU device refuses to launch a kernel that can reach an operation marked as refused.

Crate `cuda_intrinsics` contains the raw operations under the same paths, except `cache`; special registers are in its module `sreg`, in
snake case.

Each operation is tested by a program that checks its own results: a program of `tests/programs`, by name, or `tests/operations`, which
runs operations on numbers with many inputs. All succeed on the CPU device. "GPU" means that the unchanged program also succeeded on a
GPU, or that `tests/operations` had the same results there as on the CPU device, with the compiler of the commit below. The programs were
not run again with each later commit:
"""

BAR = r"\|"
"""A bar in a cell."""

COLUMNS = ("operation", "PTX, or function of LLVM", "sm", "ptx", "convergent", "CPU device", "proven by")


def page() -> str:
    """Return docs/operations.md."""
    return "\n".join([PREAMBLE, *marks(), "", *sections()])


def marks() -> Iterator[str]:
    """Yield a line for each compiler that marks are of, with its programs."""
    device = json.loads(proofs.RECORD.read_text())["device"]
    for compiler, names in sorted(proofs.compilers().items()):
        yield f"- {device}, commit {compiler}: {', '.join(f'`{name}`' for name in names)}"
    numbers = json.loads((proofs.NUMBERS / "gpu.json").read_text())
    yield f"- {numbers['device']}, commit {numbers['compiler']}: `tests/operations`"


def sections() -> Iterator[str]:
    """Yield a section for each module of the crate, and at last one for what has no function there."""
    for module, rows in groupby(sorted(ROWS, key=lambda row: (not row.path, module_of(row))), module_of):
        title = f"`{module}`" if module else "Without a function"
        yield "\n".join([f"## {title}\n", line(COLUMNS), line(["---"] * len(COLUMNS)), *(line(cells(row)) for row in rows), ""])


def module_of(row: Operation) -> str:
    """Return the module of a row's function; nothing for rows without one."""
    return row.path.partition("::")[0]


def line(texts: Iterable[str]) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(text.replace('|', BAR) for text in texts)} |"


def cells(row: Operation) -> Iterator[str]:
    """Yield what is said of a row."""
    yield f"`{row.path or row.name}`"
    yield code(row)
    yield str(row.sm)
    yield str(row.ptx)
    yield "yes" if row.convergent else ""
    yield "refused" if row.cpu is None else "yes"
    yield proven(row)


def proven(row: Operation) -> str:
    """Return which program proves a row, and whether on a GPU."""
    proof = proofs.proof(row.path) if row.path else None
    return "" if proof is None else f"`{proof.program}`{', GPU' if proof.on_gpu else ''}"


def code(row: Operation) -> str:
    """Return what a row becomes, where that is one line."""
    if not isinstance(row.code, Assembly):
        return f"`{row.code.name}`"
    lines = row.code.text.strip().splitlines()
    return f"`{lines[0]}`" if len(lines) == 1 else f"{len(lines)} lines of PTX"


if __name__ == "__main__":
    sys.stdout.write(page())
