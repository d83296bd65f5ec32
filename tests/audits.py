"""What holds of every text that tests make: LLVM IR says what is convergent, and ptxas takes the PTX.

assert unmarked(ll) == []
assert refused_by_ptxas(Path("vecadd.ptx"), "sm_90") == ""
"""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from oxide.dialects import operations
from oxide.export.llvm_text import ASSEMBLY, unescaped
from oxide.export.ptxas import flags_of
from oxide.options import environment
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path

GROUP = re.compile(r"^attributes (#\d+) = \{ (.*) \}$", re.MULTILINE)
CALL = re.compile(r"  (?:%\S+ = )?(?:\w+ )?call ")
CALLEE = re.compile(r"[@%]([\w$.]+)\(")
PURE = re.compile(r"^declare .*?@([\w$.]+)\(.*\) nounwind willreturn memory\((?:none|read)\) \"oxide.external\"$", re.MULTILINE)
"""What the program says of a function that is linked in later: threads meet in none of these."""
STRING = re.compile(r'"[^"]*"')


def unmarked(ll: str) -> list[str]:
    """Return the lines that lack `convergent`: of functions, of calls, of intrinsics whose row says so, and of assembly.

    Where LLVM has unrolled loops, it knows itself which functions and calls reach none of the latter.
    """
    derived = ll.startswith("; ModuleID")
    pure = set(PURE.findall(ll))
    groups = {name for name, words in GROUP.findall(ll) if "convergent" in words.split()}
    ours = (line for line in ll.splitlines() if pure.isdisjoint(CALLEE.findall(line)))
    lines = (STRING.sub("", line) for line in ours if has_to_be_convergent(line, derived))
    return [line for line in lines if groups.isdisjoint(re.findall(r"#\d+", line.rpartition(")")[2]))]


def has_to_be_convergent(line: str, derived: bool = False) -> bool:
    """Return whether a line defines, declares or calls what may not be moved: of LLVM's own functions few."""
    if not line.startswith(("define ", "declare ")) and not CALL.match(line):
        return False
    if assembly := ASSEMBLY.search(line):
        row = operations.BY_ASSEMBLY.get((unescaped(assembly[1]), assembly[2]))
        return " sideeffect " in line if row is None else row.convergent
    found = CALLEE.search(line)
    if found is None or not found[1].startswith("llvm."):
        return not derived
    row = operations.BY_INTRINSIC.get(found[1])
    return row is not None and row.convergent


def refused_by_ptxas(ptx: Path, arch: str | None = None) -> str | None:
    """Return what NVIDIA's assembler says against a PTX, for its own target if no other is given; None where it is not installed."""
    ptxas = finders.find_ptxas(environment())
    if ptxas is None:
        return None
    target = arch or re.findall(r"^\.target (\w+)", ptx.read_text(), re.MULTILINE)[0]
    done = subprocess.run(
        [ptxas, f"-arch={target}", *flags_of(ptx.read_text()), ptx, "-o", os.devnull], capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else f"{ptx}: {done.stdout}{done.stderr}"


def answer_of_ptxas(ptx: Path, arch: str | None = None) -> str:
    """Return the same for a test that is about nothing else, and skip it where the assembler is not installed."""
    if (told := refused_by_ptxas(ptx, arch)) is None:
        pytest.skip("ptxas is not installed: pip install nvidia-cuda-nvcc")
    return told
