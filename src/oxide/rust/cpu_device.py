"""The CPU device, a stand-in for libcuda that is built once into the cache.

cpu_device.path(cache)                  # where it lies or will lie: …/device/KEY/liboxide_cpu.so
cpu_device.build(rust, cache, variables)
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from oxide.cache.files import Cache, digest, digest_of_sources, is_complete_library, write_entry
from oxide.errors import InternalError
from oxide.rust.toolchain import crates_folder
from oxide.tools import gpu

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oxide.errors.ui import Ui
    from oxide.options import Environment, Options
    from oxide.rust.toolchain import Rust

CRATE = "oxide-cpu"
SOURCES = (CRATE, "cuda-core/src/embedded")
"""Folders that it is compiled from: it reads records with the file that programs read them with."""
LIBRARY_NAME = "liboxide_cpu.so"

IGNORED_VARIABLES = ("RUSTC", "CARGO_PROFILE_")
"""What the names of variables begin with that say how a user's own programs are built; RUSTFLAGS have several names."""


def path(cache: Cache) -> Path | None:
    """Return where the CPU device of these sources lies once built, or None where the sources are not there."""
    if not (crates_folder() / CRATE).is_dir():
        return None
    sources = digest(*(digest_of_sources(crates_folder() / folder, cache) for folder in SOURCES))
    return cache.root / "device" / sources / LIBRARY_NAME


def build(rust: Rust, cache: Cache, variables: Mapping[str, str]) -> Path | None:
    """Build the CPU device if it is not there, with the plain compiler and apart from any project; return where it is."""
    library = path(cache)
    if library is None or is_complete_library(library):
        return library
    with cache.lock("device"):
        if not is_complete_library(library):
            target = cache.folder("build", "device")
            command = [rust.cargo, "build", "--quiet", "--release", "--locked", "--package", CRATE, "--target-dir", os.fspath(target)]
            # All programs share it, so that what is set for one of them does not count.
            plain = {name: value for name, value in variables.items() if not name.startswith(IGNORED_VARIABLES) and "RUSTFLAGS" not in name}
            environment = {**plain, "RUSTC": rust.rustc, "CARGO_BUILD_TARGET": rust.host}
            done = subprocess.run(command, cwd=crates_folder(), env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise InternalError(
                    f"the CPU device did not build:\n{done.stderr.strip()}", hint="`cargo build -p oxide-cpu` in crates/ repeats it"
                )
            write_entry(library, (target / rust.host / "release" / LIBRARY_NAME).read_bytes(), mode=0o755)
    return library


def prepare(options: Options, environment: Environment, rust: Rust, ui: Ui) -> Path | None:
    """Return the CPU device where programs need it, built now if it is not there: programs that are run by hand contain its path."""
    if options.device != "cpu" and gpu.has_cuda_driver():
        return None
    cache = Cache(options.cache)
    library = path(cache)
    if library is not None and not is_complete_library(library):
        with ui.busy("building the CPU device, once"):
            build(rust, cache, environment.variables)
    return library


def run_variables(options: Options, environment: Environment, rust: Rust, ui: Ui) -> dict[str, str]:
    """Return the variables that a program with kernels reads; build the CPU device where it needs that."""
    variables: dict[str, str] = {}
    if options.device is not None:
        variables["OXIDE_DEVICE"] = options.device
    elif options.quiet and not gpu.has_cuda_driver() and environment.get("OXIDE_DEVICE") is None:
        # Where it is chosen, the CPU device does not print a line of its own.
        variables["OXIDE_DEVICE"] = "cpu"
    if options.verbose and not environment.logs_info:
        variables["RUST_LOG"] = "info"
    if environment.get("OXIDE_CPU_DEVICE") is None and (device := prepare(options, environment, rust, ui)) is not None:
        variables["OXIDE_CPU_DEVICE"] = os.fspath(device)
    return variables
