"""ptxas: PTX assembled to a cubin.

assembled = run(ptx, environment(), "--verbose")
assembled.cubin, assembled.report
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.dialects.target import target_of
from oxide.errors import AssemblerRefused
from oxide.export.ptx import external
from oxide.options import environment
from oxide.tools import finders

if TYPE_CHECKING:
    from oxide.options import Environment

PTX_DEBUG = re.compile(r"^\.target \w+, debug$", re.MULTILINE)
PTX_LINE = re.compile(r"^\s*\.loc\s", re.MULTILINE)
PTX_ENTRY = re.compile(r"^\.(?:visible|weak) \.entry ([\w$]+)\(", re.MULTILINE)


@dataclass(frozen=True)
class Assembled:
    """A module as machine code, and what ptxas printed."""

    cubin: bytes
    report: str


def run(ptx: str, variables: Environment, *flags: str) -> Assembled:
    """Assemble a module for the target that it declares.

    Raises `PackageMissing` where there is no ptxas, `AssemblerRefused` where it rejects the PTX, `UsageError` where the text is no PTX.
    """
    ptxas = finders.find_ptxas(variables)
    if ptxas is None:
        raise finders.PackageMissing("ptxas is not installed", finders.PTXAS)
    arch = target_of(ptx)
    with tempfile.TemporaryDirectory(prefix="oxide-ptxas-") as folder:
        source, result = Path(folder, "module.ptx"), Path(folder, "module.cubin")
        source.write_bytes(ptx.encode())
        command = [str(ptxas), f"-arch={arch}", *flags, str(source), "-o", str(result)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        report = f"{done.stdout}{done.stderr}".strip().replace(f"{source}, ", "")
        if done.returncode != 0:
            raise AssemblerRefused(report)
        return Assembled(result.read_bytes(), report)


def to_cubin(ptx: str) -> bytes:
    """Return the cubin of a module's PTX."""
    return run(ptx, environment(), *flags_of(ptx)).cubin


def flags_of(ptx: str) -> list[str]:
    """Return the flags for a module: `-c` where functions are linked in later, or it is linked into others; those for its lines."""
    whole = not external(ptx) and PTX_ENTRY.search(ptx) is not None
    debug = ["-g"] if PTX_DEBUG.search(ptx) else ["-lineinfo"] if PTX_LINE.search(ptx) else []
    return [*([] if whole else ["-c"]), *debug]
