"""`oxide doctor`: what is installed, what is missing, and how to install it.

This module is usable without click, so that `./oxide doctor` works before anything is installed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oxide import options
from oxide.cache.files import Cache
from oxide.cli import ui
from oxide.errors import MachineError, OxideError
from oxide.rust import backend_link, toolchain
from oxide.tools import finders, gpu

if TYPE_CHECKING:
    import click

    from oxide.options import Environment
    from oxide.rust.toolchain import Rust

    command: click.Command


@dataclass(frozen=True)
class Finding:
    """One thing that oxide needs or can use: what was found, or what to do about it."""

    name: str
    found: str | None
    remedy: str = ""
    needed: bool = True

    @property
    def missing(self) -> bool:
        """Whether oxide cannot work until the remedy is taken."""
        return self.found is None and self.needed


def examine(wanted: Path | None, environment: Environment, cache: Cache) -> list[Finding]:
    """Look for everything oxide needs or can use."""

    def tool(name: str) -> Path | None:
        return finders.find_nvidia_tool(name, environment)

    return [
        examine_python(),
        examine_venv(),
        examine_packages(),
        *examine_rust(wanted, environment, cache),
        examine_tool("cc", "build-essential", environment),
        *(examine_tool(program, "binutils", environment) for program in ("nm", "c++filt", "objcopy")),
        optional(
            "ptxas",
            finders.find_ptxas(environment),
            "--emit=cubin and the registers of `oxide inspect` install it",
            finders.PTXAS.requirement,
        ),
        optional(
            "libdevice",
            finders.find_libdevice(),
            "the first kernel with f32::sin installs it",
            finders.LIBDEVICE.requirement,
        ),
        optional(
            "libnvvm",
            finders.find_libnvvm(),
            "`emit-ltoir` and `--code ltoir` install it",
            finders.LIBDEVICE.requirement,
        ),
        optional("nvdisasm", tool("nvdisasm"), "`oxide inspect --sass` needs it", finders.NVDISASM_REQUIREMENT),
        examine_toolkit("compute-sanitizer", tool("compute-sanitizer"), "`oxide sanitize` needs it on a GPU"),
        examine_toolkit("cuda-gdb", tool("cuda-gdb"), "`oxide debug` needs it on a GPU"),
        examine_driver(),
    ]


def examine_python() -> Finding:
    """Look at the Python that runs this."""
    version = ".".join(map(str, sys.version_info[:3]))
    if tuple(sys.version_info) >= (3, 11):
        return Finding("python", f"{version} at {sys.executable}")
    return Finding("python", None, f"got {version}, expected 3.11 or later: install python3.11")


def examine_venv() -> Finding:
    """Look for the module that makes virtual environments; Debian packs it apart."""
    from importlib.util import find_spec

    if find_spec("venv") and find_spec("ensurepip"):
        return Finding("venv", "part of this python")
    return Finding("venv", None, "run `apt-get install python3-venv` as root")


def examine_packages() -> Finding:
    """Look for the Python packages, here or in the checkout's .venv."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Finding(
            "packages", ", ".join(f"{name} {version(name)}" for name in ("click", "llvmlite", "msgspec", "rich", "cuda-bindings"))
        )
    except PackageNotFoundError as error:
        if (finders.REPOSITORY / ".venv" / "bin" / "python").exists():
            return Finding("packages", f"in {finders.REPOSITORY / '.venv'}")
        remedy = "the first `./oxide run` installs them" if (finders.REPOSITORY / "oxide").exists() else "run `pip install oxide`"
        return Finding("packages", None, f"{error.name or error} is not installed: {remedy}", needed=False)


def examine_rust(wanted: Path | None, environment: Environment, cache: Cache) -> list[Finding]:
    """Look for rustc and cargo, and for the backend that is linked against that rustc."""

    def accept(rust: Rust) -> None:
        if (reason := backend_link.refusal(rust, cache)) is not None:
            raise toolchain.NotUsable(reason)

    try:
        rust = toolchain.find_rust(wanted, environment, cache, accept)
        linked = backend_link.existing(rust, cache)
    except OxideError as error:
        first = (error.message.splitlines()[1:] or [error.message])[0].strip()
        remedy = f"{first.removesuffix(':')}: {error.hint}"
        return [Finding("rustc", None, remedy), Finding("cargo", None, "comes with rustc")]
    return [
        Finding("rustc", f"{rust.release} ({rust.commit[:9]}) at {rust.rustc}"),
        Finding("cargo", rust.cargo),
        Finding("rust-src", path_of(rust.library_source), "--build-std needs it: run `oxide setup --build-std`", needed=False),
        Finding("backend", path_of(linked), "the first run or `oxide setup` links it", needed=False),
    ]


def path_of(path: Path | None) -> str | None:
    """Return a path as text, where there is one."""
    return None if path is None else os.fspath(path)


def examine_tool(program: str, package: str, environment: Environment) -> Finding:
    """Look for a program of the system."""
    path = finders.which(program, environment)
    return Finding(program, path_of(path), f"run `apt-get install {package}` as root")


def optional(name: str, path: Path | None, use: str, requirement: str) -> Finding:
    """Return the finding for a file of a package that only some uses need."""
    return Finding(name, path_of(path), f"{use}: run `{finders.pip_install(requirement)}`", needed=False)


def examine_toolkit(name: str, path: Path | None, use: str) -> Finding:
    """Return the finding for a program that only the CUDA toolkit has."""
    return Finding(name, path_of(path), f"{use}: it comes with the CUDA toolkit", needed=False)


def examine_driver() -> Finding:
    """Look for an NVIDIA driver; without one programs run on the CPU device."""
    if not gpu.has_cuda_driver():
        return Finding("driver", None, "no NVIDIA driver: programs run on the CPU device", needed=False)
    return Finding("driver", f"NVIDIA {gpu.nvidia_driver_version() or 'of unknown version'}, libcuda.so.1")


def report(rustc: Path | None = None) -> int:
    """Print one line a thing; the exit status is 3 where something needed is missing."""
    ui.start("normal")
    environment = options.environment()
    wanted = environment.rustc if rustc is None else rustc
    findings = examine(wanted, environment, Cache(environment.cache))
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = "ok" if finding.found else "missing" if finding.needed else "-"
        ui.line(f"{mark:<7}  {finding.name:<{width}}  {finding.found or finding.remedy}")
    return MachineError.exit_status if any(finding.missing for finding in findings) else 0


with contextlib.suppress(ImportError):
    import click

    EPILOG = """\b
Examples:
  oxide doctor
  oxide doctor --rustc /usr/bin/rustc      whether this one can be used
"""

    @click.command("doctor", epilog=EPILOG)
    @click.option("--rustc", type=click.Path(path_type=Path), help="Check this rustc.")
    def command(rustc: Path | None) -> int:
        """Show what is installed, what is missing, and how to install it."""
        return report(rustc)
