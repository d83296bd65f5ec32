"""`oxide.load`: a Rust file, a crate or a PTX becomes a module.

module = load("saxpy.rs")
module = load("foreign.ptx", signature="fn saxpy(n: u32, a: f32, x: *const f32, y: *mut f32)")
"""

from __future__ import annotations

import contextlib
import functools
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from oxide.errors import MachineError, UsageError, did_you_mean, reason_of
from oxide.ir import signature as sig
from oxide.runtime.module import Module
from oxide.runtime.talk import Talk
from oxide.runtime.values import Unfit, truth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oxide.options import Environment, Options
    from oxide.runtime.cpu import CpuDevice
    from oxide.runtime.loaded import Device
    from oxide.runtime.module import Contents
    from oxide.runtime.program import Program

OPTIONS = {"fmad": bool, "fast_math": bool, "opt_level": int, "profile": str, "build_std": bool, "cubin": bool}
"""What of the command line's options `load` takes by name, and of which type they are."""


def load(
    path: str | os.PathLike[str],
    arch: str | int | tuple[int, int] | None = None,
    device: Literal["auto", "cuda", "cpu"] = "auto",
    *,
    signature: str | Mapping[str, str] | None = None,
    package: str | None = None,
    quiet: bool | None = None,
    **options: Any,
) -> Module:
    """Compile and load the kernels of a `.rs` file, of a Cargo project's folder, or of a `.ptx`.

    `arch` is a target such as `sm_90`, by default that of the GPU that is here; 90 and the compute capability (9, 0) are the same. Of
    several targets, as a project may name, it is the best for the device. `device` is where launches run: `auto` takes a GPU where
    one is, else the CPU device. `signature` says what the kernels of a PTX take that oxide did not write: `fn name(…)` in Rust's words,
    several one after another, or a mapping of names to them. `package` chooses a package of a workspace. Other options are those of the
    command line: `fmad`, `fast_math`, `opt_level`, `profile`, `build_std`.

    What was compiled before is not compiled again while its sources, the options and oxide are the same. What is compiled is told on
    stderr, unless `quiet`, or the variable `OXIDE_QUIET=1`, says not to. Raises `CompileError` with rustc's diagnostics,
    `UsageError` for arguments that make no sense, `MachineError` for what this machine lacks.
    """
    from oxide.options import environment
    from oxide.rust.resolve import resolve_options
    from oxide.rust.settings import project_settings

    if device not in ("auto", "cuda", "cpu"):
        raise UsageError(f"unknown device '{device}'", hint="one of auto, cuda, cpu")
    variables = environment()
    if not os.fspath(path):
        raise UsageError("got an empty path, expected a .rs file, a folder or a .ptx")
    file = Path(path)
    if unknown := options.keys() - OPTIONS.keys() - {"check"}:
        raise UsageError(f"unknown option {', '.join(sorted(unknown))}", hint=did_you_mean(min(unknown), OPTIONS))
    options |= {name: value_of(name, value) for name, value in options.items() if name in OPTIONS}
    quiet = value_of("quiet", quiet)
    if file.suffix == ".ptx":
        if useless := {name for name, value in {"arch": arch, "package": package, **options}.items() if value is not None}:
            raise UsageError(f"{', '.join(sorted(useless))}: for Rust that is compiled, and {file.name} is PTX already")
        chosen = resolve_options(variables, None, device=None if device == "auto" else device, quiet=quiet)
        target = device_for(chosen, variables, Talk(chosen))
        return Module(file.name, target, read_ptx(file, signature))
    if signature is not None:
        raise UsageError("a signature is for a .ptx that oxide did not write; Rust's own has one")
    if options.get("check"):
        hint = "`oxide run --check` finds them in a Rust program"
        raise UsageError("accesses are checked in memory that the device has allocated, and arrays are not in it", hint=hint)
    place = replace(find_place(file), library=True)
    if options.get("cubin"):
        raise UsageError(
            "got cubin=True, expected False: what is loaded is PTX", hint="`oxide build --cubin` makes programs that carry one"
        )
    # What a program carries beside its PTX or in place of it, as a project may say, is nothing here.
    given = {"arch": target_name(arch), "device": None if device == "auto" else device, "quiet": quiet, **options}
    given |= {"code": "ptx", "cubin": False}
    chosen = resolve_options(variables, project_settings(place.manifest, place.script, package), **given)
    talk = Talk(chosen)
    target = device_for(chosen, variables, talk)
    code = replace(chosen.compile, arch=arch_for(chosen, variables, target))
    chosen = replace(chosen, device=target.name, compile=code, further_archs=())

    def make(instances: tuple[tuple[str, tuple[str, ...]], ...] = ()) -> Program:
        from oxide.runtime.program import compile_program

        return compile_program(place, chosen, variables, talk, package=package, instances=instances)

    def instantiate(kernel: str, args: tuple[str, ...]) -> Contents:
        return contents(make(((kernel, args),)))

    program = make()
    return Module(file.name, target, contents(program), program.generics, instantiate)


def value_of(name: str, value: Any) -> Any:
    """Return the value of an option, NumPy's truths as Python's; raise `UsageError` for one of another type."""
    kind = OPTIONS.get(name, bool)
    if kind is bool and value is not None:
        with contextlib.suppress(Unfit):
            return truth(value)
    if value is not None and type(value) is not kind:
        expected = {bool: "True or False", int: "an integer", str: "a text"}[kind]
        raise UsageError(f"got {value!r} for {name}, expected {expected}")
    return value


def target_name(arch: Any) -> str | None:
    """Return the target that is named by a text, by a number, or by the compute capability that libraries give. Raises `UsageError`."""
    if arch is None or isinstance(arch, str):
        return arch
    parts = arch if isinstance(arch, tuple) and len(arch) == 2 else (arch,)
    if not all(type(part) is int for part in parts):
        raise UsageError(f"got {arch!r} for arch, expected a target", hint="'sm_90', 90 or (9, 0)")
    return f"sm_{''.join(map(str, parts))}"


def find_place(file: Path) -> Any:
    """Return the place of a Rust program. Raises `UsageError`."""
    from oxide.rust.project import find

    return find(os.fspath(file), Path.cwd())


def contents(program: Program) -> Iterator[tuple[bytes, list[sig.Signature]]]:
    """Yield each PTX of a program with its signatures."""
    for text in program.texts.values():
        yield text.encode(), signatures_in(text)


def signatures_in(text: str) -> list[sig.Signature]:
    """Return what a PTX says of its kernels. Raises `UsageError` for another version's."""
    try:
        return sig.in_ptx(text)
    except msgspec.DecodeError as error:
        raise UsageError(f"the PTX's signatures are not as this oxide has them: {error}", hint="compile it again") from None


def read_ptx(file: Path, signature: str | Mapping[str, str] | None) -> Contents:
    """Return a PTX file with the signatures that it has, or that are given."""
    from oxide.runtime.entries import check, entries
    from oxide.runtime.parse import parse_signatures

    try:
        # Names in comments may be in any encoding.
        text = file.read_text("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {reason_of(error)}") from None
    if "\0" in text:
        raise UsageError(f"{file} is not text, expected PTX", hint="Rust programs load cubins: docs/host.md")
    declared = entries(text)
    found = signatures_in(text) if signature is None else parse_signatures(signature)
    if not found:
        names = ", ".join(declared) or "no kernel"
        raise UsageError(
            f"{file.name} does not contain its kernels' signatures ({names})", hint="pass signature='fn name(n: u32, x: *mut f32)'"
        )
    for each in found:
        check(each, declared, file.name)
    return [(text.encode("utf-8", "surrogateescape"), found)]


def device_for(options: Options, environment: Environment, talk: Talk) -> Device:
    """Return the device that launches run on. Raises `MachineError` where a GPU is asked for and none is there."""
    from oxide.tools import gpu

    if options.device != "cpu" and (options.device == "cuda" or gpu.has_cuda_driver()):
        from oxide.runtime import cuda

        try:
            return cuda.device()
        except MachineError:
            if options.device == "cuda":
                raise
    return cpu_device_of(options, environment, talk)


def arch_for(options: Options, environment: Environment, device: Device) -> str | None:
    """Return the target to compile for: the best for the device of those that are named, else that of the GPU that is here.

    Raises `UsageError` where none of several runs on that GPU.
    """
    from oxide.cache.files import Cache
    from oxide.cache.gpu import gpu_arch
    from oxide.dialects import target

    named = [arch for arch in (options.compile.arch, *options.further_archs) if arch is not None]
    if len(named) == 1 or device.name == "cpu":
        return options.compile.arch
    present = gpu_arch(environment, Cache(options.cache))
    if present is None:
        return options.compile.arch
    if not named:
        return target.nearest(present)
    if (best := target.best(named, present)) is None:
        raise UsageError(f"the GPU is {present}, and none of {', '.join(named)} runs on it", hint=f"arch='{target.nearest(present)}'")
    return best


def cpu_device_of(options: Options, environment: Environment, talk: Talk) -> CpuDevice:
    """Return the CPU device, built if it is not there."""
    from oxide.cache.files import Cache, is_complete_library
    from oxide.rust import cpu_device, toolchain

    cache = Cache(options.cache)
    named = environment.get("OXIDE_CPU_DEVICE")
    library = Path(named) if named else cpu_device.path(cache)
    if library is None:
        raise MachineError("the sources of the CPU device are not installed", hint="install oxide again")
    if not is_complete_library(library):
        with talk.busy("building the CPU device, once"):
            cpu_device.build(toolchain.find_rust(options.rustc, environment, cache), cache, environment.variables)
    return open_cpu_device(library)


@functools.cache
def open_cpu_device(library: Path) -> CpuDevice:
    """Return the CPU device of a library, one for the process."""
    from oxide.runtime.cpu import CpuDevice

    return CpuDevice(library)


def synchronize() -> None:
    """Wait for all launches on all GPUs; raise `CudaError` where a kernel has failed."""
    from oxide.runtime import cuda

    if cuda.device.cache_info().currsize:
        cuda.device().synchronize()
