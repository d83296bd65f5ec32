"""What a kernel takes of a GPU once it is machine code, as ptxas tells, and that code.

resources = assemble(ptx, environment)
resources.kernels["saxpy"].registers        # 16
resources.cubin
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.dialects.target import target_of
from oxide.errors import AssemblerRefused, InternalError, MachineError, UsageError
from oxide.export import ptxas
from oxide.tools import finders

if TYPE_CHECKING:
    from oxide.options import Environment

ENTRY = re.compile(r"^(?:\.visible |\.weak )?\.entry ([\w$]+)\(.*?^\}\n?", re.MULTILINE | re.DOTALL)
BOUND = re.compile(r"^\.(?:maxntid|reqntid) ([\d, ]+)", re.MULTILINE)
ABOUT = re.compile(r"Compiling entry function '([\w$]+)' for '(sm_\w+)'")
STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
BARRIERS = re.compile(r"used (\d+) barriers")
SHARED = re.compile(r"(\d+) bytes smem")
CONSTANT = re.compile(r"(\d+) bytes cmem\[\d+\]")
CODE = re.compile(r"^//-+ \.text\.([\w$]+)\s+-+$", re.MULTILINE)


@dataclass(frozen=True)
class Kernel:
    """What ptxas says of one kernel. All but `registers` and `barriers` is in bytes; `spill_stores` and `spill_loads` are of a thread."""

    name: str
    ptx: str
    block: int | None
    """The most threads of a block that the kernel is declared for, if it is."""
    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int
    """Static shared memory of a block."""
    constant: int
    barriers: int


@dataclass(frozen=True)
class Resources:
    """A module as machine code."""

    arch: str
    kernels: dict[str, Kernel]
    cubin: bytes


def assemble(ptx: str, environment: Environment) -> Resources:
    """Assemble a module's PTX and return what its kernels take.

    Raises `MachineError` where ptxas is missing, `UsageError` where it does not take the text.
    """
    try:
        assembled = ptxas.run(ptx, environment, "--verbose")
    except finders.PackageMissing:
        message = "registers, spills and memory of kernels are known to ptxas alone, which is not installed"
        raise finders.PackageMissing(message, finders.PTXAS, "`--ptx` shows their PTX without it") from None
    except AssemblerRefused as refused:
        raise UsageError(refused.message) from None
    return Resources(target_of(ptx), read_report(ptx, assembled.report), assembled.cubin)


def kernel_texts(ptx: str) -> dict[str, str]:
    """Return the PTX of each kernel, by name; raise `UsageError` where the text is no PTX."""
    target_of(ptx)
    return {found[1]: found[0] for found in ENTRY.finditer(ptx)}


def read_report(ptx: str, report: str) -> dict[str, Kernel]:
    """Return what the lines of `ptxas --verbose` say of each kernel. CUDA's "NVCC" manual, "Printing Code Generation Statistics"."""
    texts = kernel_texts(ptx)
    kernels: dict[str, Kernel] = {}
    for part in re.split(r"(?=ptxas info\s*: Compiling entry function)", report)[1:]:
        about, stack = ABOUT.search(part), STACK.search(part)
        used = USED.search(part)
        if about is None or stack is None or used is None:
            raise InternalError(f"unrecognised ptxas output:\n{part}", stage="cubin")
        text = texts.get(about[1], "")
        kernels[about[1]] = Kernel(
            name=about[1],
            ptx=text,
            block=declared_block(text),
            registers=int(used[1]),
            stack=int(stack[1]),
            spill_stores=int(stack[2]),
            spill_loads=int(stack[3]),
            shared=sum(map(int, SHARED.findall(part))),
            constant=sum(map(int, CONSTANT.findall(part))),
            barriers=sum(map(int, BARRIERS.findall(part))),
        )
    return kernels


def declared_block(ptx: str) -> int | None:
    """Return how many threads a block has at most, by the kernel's directives. PTX ISA, "Performance-Tuning Directives"."""
    found = BOUND.search(ptx)
    if found is None:
        return None
    threads = 1
    for extent in found[1].split(","):
        threads *= int(extent)
    return threads


def disassemble(cubin: bytes, environment: Environment) -> dict[str, str] | None:
    """Return the machine code of each function as text, or None where nvdisasm is not installed."""
    nvdisasm = finders.find_nvidia_tool("nvdisasm", environment)
    if nvdisasm is None:
        return None
    with tempfile.TemporaryDirectory(prefix="oxide-nvdisasm-") as folder:
        file = Path(folder, "module.cubin")
        file.write_bytes(cubin)
        done = subprocess.run([nvdisasm, "--print-code", file], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise MachineError(f"{nvdisasm} cannot read what ptxas wrote: {done.stderr.strip()}", hint="install an nvdisasm of the same CUDA")
    parts = CODE.split(done.stdout)
    return {name: code.strip("\n") + "\n" for name, code in zip(parts[1::2], parts[2::2], strict=True)}
