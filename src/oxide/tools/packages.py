"""Packages of NVIDIA's that a program needs are installed when it first does, where nothing forbids that.

    with_packages(lambda: to_cubin(ptx), options, environment, cache.lock, say)

They go where oxide itself is installed, or into the cache where pip cannot write there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from oxide.errors import reason_of
from oxide.tools.finders import PACKAGES, PackageMissing, last_line, nvidia_file, which

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from oxide.options import Environment, Options
    from oxide.tools.finders import Package

Made = TypeVar("Made")

Lock: TypeAlias = "Callable[[str], AbstractContextManager[None]]"

LICENCE = "https://docs.nvidia.com/cuda/eula/"

PIP = ("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--retries", "1")
"""The package alone: what it depends on is for those who compile CUDA C++ with it."""


def with_packages(work: Callable[[], Made], options: Options, environment: Environment, lock: Lock, say: Callable[[str], None]) -> Made:
    """Do `work`, and do it again each time that a package was installed that it misses. Raises `PackageMissing` where one cannot be.

    `lock` holds a name of the cache against other processes.
    """
    missed: set[Package] = set()
    while True:
        try:
            return work()
        except PackageMissing as missing:
            if missing.package in missed:
                raise
            missed.add(missing.package)
            install(missing, options, environment, lock, say)


def install(missing: PackageMissing, options: Options, environment: Environment, lock: Lock, say: Callable[[str], None]) -> None:
    """Install the package that is missing; raise `PackageMissing` with the reason where that is forbidden or fails.

    Two processes take turns, and the second finds what the first has installed.
    """
    if not options.install:
        raise missing.because("OXIDE_INSTALL or the project's settings forbid installing it")
    if options.offline:
        raise missing.because("it cannot be installed without a network")
    package = missing.package
    with lock(PACKAGES):
        if nvidia_file(package.file) is not None:
            return
        size = f"{package.what}, a download of {package.size} MB"
        failure = "pip is not installed"
        for command, place in ways(package, options.cache, environment):
            say(f"installing {package.requirement} ({size}) into {place}; NVIDIA's licence holds: {LICENCE}")
            failure = run(command) if place.name != package.requirement else install_separately(command, place)
            if nvidia_file(package.file) is not None:
                return
        raise missing.because(f"it could not be installed: {failure}")


def ways(package: Package, cache: Path, environment: Environment) -> Iterator[tuple[list[str], Path]]:
    """Yield the one command to try and where it installs: pip's of this Python, or of another one for the cache."""
    site = Path(sysconfig.get_paths()["purelib"])
    here = [sys.executable, *PIP]
    has_pip = find_spec("pip") is not None
    if has_pip and may_be_changed(site):
        # What an interrupted installation has left is written over.
        yield [*here, "--ignore-installed", package.requirement], site
        return
    kept = cache / PACKAGES / package.requirement
    if has_pip:
        yield [*here, package.requirement], kept
        return
    for name in ("python3", "python"):
        if (python := which(name, environment)) is not None and succeeds(python):
            yield [os.fspath(python), *PIP, package.requirement], kept
            return
    if (uv := which("uv", environment)) is not None:
        yield [os.fspath(uv), "pip", "install", "--quiet", "--no-deps", "--python", sys.executable, package.requirement], kept


def may_be_changed(site: Path) -> bool:
    """Whether pip may write to this Python's packages: they are no system's (PEP 668), and not read-only."""
    managed = sys.prefix == sys.base_prefix and Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists()
    return not managed and os.access(site, os.W_OK)


def succeeds(python: Path) -> bool:
    """Whether a Python has pip."""
    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def run(command: list[str]) -> str:
    """Run pip and return the last line of what it says where it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        return f"{command[0]}: {reason_of(error)}"
    return last_line(done.stderr) or f"pip ended with status {done.returncode}"


def install_separately(command: list[str], place: Path) -> str:
    """Install into a folder of its own, which appears whole or not at all; return what is said where that fails."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=place.parent) as folder:
            new = Path(folder, "new")
            said = run([*command, "--target", os.fspath(new)])
            if new.is_dir():
                shutil.rmtree(place, ignore_errors=True)
                new.rename(place)
            return said
    except OSError as error:
        return f"{error.filename or place}: {reason_of(error)}"
