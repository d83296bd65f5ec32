"""LTO IR, which nvJitLink links with other device code: made by libNVVM from LLVM IR text.

    ltoir = to_ltoir(ll, "sm_100", options, library)

From compute_100 on libNVVM reads LLVM IR as LLVM 20 has it; before, as LLVM 7 has it, with typed pointers (NVVM IR Specification).
"""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any

from oxide.dialects import target
from oxide.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from oxide.options import CompileOptions

DATA_LAYOUT = (
    "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64"
    "-v128:128:128-n16:32:64"
)
"""NVVM IR's (NVVM IR Specification, "Data layout")."""

EARLIER_NAMES = {
    "llvm.nvvm.barrier.cta.sync.aligned.all": "llvm.nvvm.barrier.n",
    "llvm.nvvm.barrier.cta.sync.aligned.count": "llvm.nvvm.barrier.sync.cnt",
}
"""Intrinsics by the names that every libNVVM reads: CUDA 13.0's has those of an earlier LLVM, and later ones still take them."""

DATA_LAYOUT_LINE = re.compile(r"^target datalayout = .*$", re.MULTILINE)
KERNEL = re.compile(r"^define .*?\bptx_kernel void @([\w$]+)\(", re.MULTILINE)
NUMBER = re.compile(r"^!(\d+) = ", re.MULTILINE)
INTRINSIC = re.compile(r"@(llvm\.nvvm\.[\w.]+)")
UNKNOWN = re.compile(rb"\.extern \.func\s+(?:\([^)]*\)\s+)?(llvm\.[\w.]+)")


def find_library() -> Path:
    """Return where libNVVM is. Raises `MachineError`."""
    from oxide.tools import finders

    library = finders.find_libnvvm()
    if library is None:
        raise finders.PackageMissing("libNVVM is not installed", finders.LIBDEVICE)
    return library


def to_ltoir(ll: str, arch: str, options: CompileOptions, library: Path) -> bytes:
    """Compile a module's text with the libNVVM at `library`.

    Raises `UsageError` for a target whose dialect libNVVM does not share with us, `MachineError` where it refuses the text.
    """
    from oxide.export.ptx import libdevice_of

    target.require_libnvvm(arch)
    flags = [
        f"-arch={arch.replace('sm_', 'compute_')}",
        f"-opt={3 if options.opt_level else 0}",
        f"-fma={int(options.fmad)}",
        f"-ftz={int(options.fast_math)}",
    ]
    found = libdevice_of(ll, options)
    libdevice = None if found is None else found.read_bytes()
    text = as_nvvm_ir(ll, library)
    # What libNVVM does not know it takes for a function that is elsewhere: its PTX says so, and LTO IR would only when it is linked.
    if unknown := UNKNOWN.search(compile_program(library, text, flags, libdevice)):
        raise MachineError(
            f"libNVVM does not know {unknown[1].decode()}, which the kernels use", hint=f"{library} is too old: install a newer one"
        )
    return compile_program(library, text, [*flags, "-gen-lto"], libdevice)


def as_nvvm_ir(ll: str, library: Path) -> str:
    """Return the text as NVVM IR: with its data layout, which code generation compares, its names of intrinsics, and the version that
    `library` asks for.

    Without that the text would be taken for an old one. Kernels are said to be used: nvJitLink, knowing of no host code that names
    them, would leave them out.
    """
    numbers = [ctypes.c_int() for _ in range(4)]
    open_library(library).nvvmIRVersion(*map(ctypes.byref, numbers))
    free = max(map(int, NUMBER.findall(ll)), default=-1) + 1
    version = ", ".join(f"i32 {number.value}" for number in numbers)
    named = INTRINSIC.sub(lambda found: f"@{EARLIER_NAMES.get(found[1], found[1])}", ll)
    lines = [DATA_LAYOUT_LINE.sub(f'target datalayout = "{DATA_LAYOUT}"', named)]
    if kernels := KERNEL.findall(ll):
        used = ", ".join(f"ptr @{name}" for name in kernels)
        lines.append(f'@llvm.used = appending global [{len(kernels)} x ptr] [{used}], section "llvm.metadata"')
    lines += [f"!nvvmir.version = !{{!{free}}}", f"!{free} = !{{{version}}}", ""]
    return "\n".join(lines)


def open_library(path: Path) -> Any:
    """Load libNVVM. Raises `MachineError`."""
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise MachineError(f"cannot load {path}: {error}") from None


def compile_program(library: Path, text: str, flags: Sequence[str], libdevice: bytes | None) -> bytes:
    """Run libNVVM's compiler and return its result. libNVVM API, "Compilation"."""
    nvvm = open_library(library)
    program = ctypes.c_void_p()
    expect(nvvm, nvvm.nvvmCreateProgram(ctypes.byref(program)), "nvvmCreateProgram")
    try:
        source = text.encode()
        added = nvvm.nvvmAddModuleToProgram(program, source, ctypes.c_size_t(len(source)), b"module")
        if libdevice is not None and added == 0:
            # Lazily: only what is called comes along.
            added = nvvm.nvvmLazyAddModuleToProgram(program, libdevice, ctypes.c_size_t(len(libdevice)), b"libdevice")
        expect(nvvm, added, "nvvmAddModuleToProgram")
        options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        if nvvm.nvvmCompileProgram(program, len(flags), options) != 0:
            log = result(nvvm.nvvmGetProgramLogSize, nvvm.nvvmGetProgramLog, program).rstrip(b"\0").decode(errors="replace").strip()
            raise MachineError(f"libNVVM refused the module: {log}", hint=f"{library} may be too old for what the kernels use")
        return result(nvvm.nvvmGetCompiledResultSize, nvvm.nvvmGetCompiledResult, program)
    finally:
        nvvm.nvvmDestroyProgram(ctypes.byref(program))


def result(size_of: Any, get: Any, program: ctypes.c_void_p) -> bytes:
    """Return bytes that libNVVM gives in two calls: how many, then which."""
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    get(program, buffer)
    return buffer.raw


def expect(nvvm: Any, status: int, call: str) -> None:
    """Raise `MachineError` for a call that failed."""
    if status != 0:
        nvvm.nvvmGetErrorString.restype = ctypes.c_char_p
        raise MachineError(f"{call} failed: {nvvm.nvvmGetErrorString(status).decode()}")
