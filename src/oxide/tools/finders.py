"""Where NVIDIA's tools and libraries are on this machine: in packages from PyPI, on PATH, in an installed toolkit.

    find_ptxas(environment)         # …/site-packages/nvidia/cu13/bin/ptxas

Only the standard library is used, since `oxide doctor` runs before anything is installed.
"""

from __future__ import annotations

import os
import shlex
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.errors import MachineError

if TYPE_CHECKING:
    from oxide.options import Environment

REPOSITORY = Path(__file__).parents[3]
"""The folder of a checkout; in an installed wheel it holds nothing of ours."""


def which(program: str, environment: Environment) -> Path | None:
    """Return where PATH has `program`."""
    import shutil

    found = shutil.which(program, path=os.pathsep.join(map(os.fspath, environment.search_path)))
    return Path(found) if found else None


def find_ptxas(environment: Environment) -> Path | None:
    """Return ptxas."""
    return find_nvidia_tool("ptxas", environment)


def find_nvidia_tool(name: str, environment: Environment) -> Path | None:
    """Return a program of the CUDA toolkit: the one from PyPI beside this Python, else PATH's, else the installed toolkit's."""
    return nvidia_file(f"bin/{name}") or which(name, environment) or existing(Path("/usr/local/cuda/bin", name))


def find_libdevice() -> Path | None:
    """Return NVIDIA's library of mathematical functions as LLVM bitcode."""
    inside = "nvvm/libdevice/libdevice.10.bc"
    return nvidia_file(inside) or existing(Path("/usr/local/cuda", inside))


def find_libnvvm() -> Path | None:
    """Return libNVVM, NVIDIA's own compiler of LLVM IR."""
    toolkit = Path("/usr/local/cuda/nvvm/lib64")
    return nvidia_file("lib/libnvvm.so.4") or nvidia_file("nvvm/lib64/libnvvm.so.4") or existing(toolkit / "libnvvm.so.4")


def nvidia_file(inside: str) -> Path | None:
    """Return a file of NVIDIA's packages."""
    for folder in nvidia_folders():
        for found in sorted(folder.glob(f"nvidia/cu*/{inside}"), reverse=True):
            if is_installed(folder, found):
                return found
    return None


def nvidia_folders() -> list[Path]:
    """Return where NVIDIA's packages may be: this Python's site-packages, the checkout's .venv, the cache."""
    from oxide.options import environment

    packages = {sysconfig.get_paths()[kind] for kind in ("purelib", "platlib")}
    virtual = (REPOSITORY / ".venv" / "lib").glob("python3*/site-packages")
    kept = (environment().cache / PACKAGES / package.requirement for package in (LIBDEVICE, PTXAS))
    return [*map(Path, sorted(packages)), *virtual, *kept]


def is_installed(folder: Path, file: Path) -> bool:
    """Whether the installation that a file is of was completed: the list of its files is written last."""
    name = file.relative_to(folder).as_posix().encode()
    return any(name in record.read_bytes() for record in folder.glob("nvidia*.dist-info/RECORD"))


PACKAGES = "packages"
"""The folder of the cache for packages that the environment of this Python cannot take."""


@dataclass(frozen=True)
class Package:
    """A package of NVIDIA's on PyPI: its version, what of it is used, and the megabytes that are downloaded."""

    requirement: str
    what: str
    size: int
    file: str
    """One of its files, below `nvidia/cu13`."""


LIBDEVICE = Package("nvidia-nvvm==13.0.88", "libdevice and libNVVM", 62, "nvvm/libdevice/libdevice.10.bc")


PTXAS = Package("nvidia-cuda-nvcc==13.0.88", "ptxas", 37, "bin/ptxas")


class PackageMissing(MachineError):
    """A package of NVIDIA's is needed; `packages.install` may install it."""

    def __init__(self, message: str, package: Package, further_hint: str | None = None) -> None:
        command = f"run `{pip_install(package.requirement)}`"
        super().__init__(message, hint=command if further_hint is None else f"{command}; {further_hint}")
        self.package = package
        self.further_hint = further_hint

    def because(self, why: str) -> PackageMissing:
        """Return the error that also says why the package was not installed."""
        return PackageMissing(f"{self.message}: {why}", self.package, self.further_hint)


NVDISASM_REQUIREMENT = "nvidia-cuda-nvdisasm>=13"


def pip_install(requirement: str) -> str:
    """Return the command that installs a package where oxide looks for it: the checkout's .venv, else this Python."""
    python = REPOSITORY / ".venv" / "bin" / "python" if (REPOSITORY / "oxide").exists() else sys.executable
    return f"{shlex.quote(os.fspath(python))} -m pip install {shlex.quote(requirement)}"


def existing(path: Path) -> Path | None:
    """Return `path` if it is there."""
    return path if path.exists() else None


def last_line(text: str) -> str:
    """Return the last line of `text` that holds something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
