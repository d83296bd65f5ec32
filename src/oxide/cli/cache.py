"""`oxide cache`: show or clear the cache."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oxide.cache.files import MAX_BUG_REPORTS, MAX_CELLS, MAX_CRATE_BYTES, MAX_IMAGE_BYTES, MAX_PROGRAM_BYTES, MAX_SCRIPT_BYTES, sizes_in
from oxide.cache.store import KINDS, Busy, Store, show_size
from oxide.cli import ui
from oxide.cli.parameters import COMMON, resolve, with_options
from oxide.errors import MachineError, UsageError, did_you_mean, reason_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.cache.files import Cache

PARTS = {
    "images": ("cpu",),
    "scripts": ("scripts", "target"),
    "crates": ("crates",),
    "programs": ("programs",),
    "cells": ("cells",),
    "bugs": ("bugs",),
    "backend": ("backend", "backend-refused", "rustc"),
    "device": ("device", "build"),
    "packages": ("packages",),
    "facts": ("content", "driver", "gpu", "metadata", "rustc-facts"),
}
"""The kinds of the cache besides compiled artifacts, and their folders: CPU images of PTX files, packages and builds of single files,
compiled crates that programs depend on, records of `oxide.load`, notebook cells, files that reproduce internal errors, linked backends,
the CPU device, NVIDIA packages, properties of this machine."""

NAMES = (*KINDS, *PARTS)

AT_MOST = {
    "images": show_size(MAX_IMAGE_BYTES),
    "scripts": show_size(MAX_SCRIPT_BYTES),
    "crates": show_size(MAX_CRATE_BYTES),
    "programs": show_size(MAX_PROGRAM_BYTES),
    "cells": f"{MAX_CELLS} cells",
    "bugs": f"{MAX_BUG_REPORTS} bugs",
}
"""The limit of each kind that grows; the least recently used entries are removed."""


EPILOG = """\b
Examples:
  oxide cache show
  oxide cache clear ptx cpu      compiled kernels only
"""


@click.group("cache", epilog=EPILOG)
def command() -> None:
    """Show or clear the cache.

    Compiled artifacts (ptx, cubin, cpu, remarks) are addressed by content; the least recently used are removed when they take more than
    OXIDE_CACHE_SIZE. Everything else is rebuilt when it is needed.
    """


def complete_name(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete the kinds of the cache."""
    return [name for name in NAMES if name.startswith(incomplete)]


@command.command("show")
@with_options(COMMON)
def show(**chosen: Any) -> int:
    """Show the location, the size of each kind, and the number of hits.

    The limit and the remote cache are those of the project in the current folder, if there is one.
    """
    from oxide.cache.files import Cache
    from oxide.rust.project import Place

    manifest = Path.cwd() / "Cargo.toml"
    options = resolve(chosen, Place(manifest) if manifest.is_file() else None)
    cache = Cache(options.cache)
    store = Store(cache.root / "store", options.store.size)
    usage = store.usage()
    hits, misses = store.counts()
    ui.line(f"folder   {cache.root}")
    ui.line(f"limit    {show_size(options.store.size)} of compiled artifacts, {show_size(sum(kind.size for kind in usage))} used")
    ui.line(f"hits     {hits} of {hits + misses} lookups")
    ui.line(f"remote   {f'{options.store.remote}, {options.store.mode}' if options.store.remote else 'none'}")
    ui.line()
    rows = [(kind.kind, kind.entries, kind.size) for kind in usage]
    rows += [(name, *measure([cache.root / folder for folder in folders])) for name, folders in PARTS.items()]
    ui.line(f"{'kind':9}{'files':>8}{'size':>12}{'at most':>12}")
    for name, files, size in rows:
        ui.line(f"{name:9}{files:8}{show_size(size):>12}{AT_MOST.get(name, ''):>12}".rstrip())
    return 0


@command.command("clear")
@click.argument("names", nargs=-1, metavar="[KIND]...", shell_complete=complete_name)
@with_options(COMMON)
def clear(names: tuple[str, ...], **chosen: Any) -> int:
    """Remove the entries of each KIND, or all.

    Kinds are ptx, cubin, cpu, remarks; images, scripts, crates, programs, cells, bugs, backend, device, packages, facts. Entries
    that another running oxide uses are not removed.
    """
    from oxide.cache.files import Cache

    options = resolve(chosen)
    for name in names:
        if name not in NAMES:
            raise UsageError(f"the cache has no kind '{name}'", hint=did_you_mean(name, NAMES))
    wanted = names or NAMES
    cache = Cache(options.cache)
    removed = 0
    if kinds := [name for name in KINDS if name in wanted]:
        removed += clear_store(Store(cache.root / "store", options.store.size), kinds)
    if parts := [name for name in PARTS if name in wanted]:
        removed += clear_parts(cache, parts)
    ui.say(f"removed {show_size(removed)} from {cache.root}")
    return 0


def clear_store(store: Store, kinds: Sequence[str]) -> int:
    """Remove compiled artifacts and return how many bytes. A reader has read an entry whole."""
    before = sum(kind.size for kind in store.usage())
    try:
        store.clear(kinds)
    except Busy:
        raise MachineError("the cache is locked by other builds", hint="try again when fewer builds run") from None
    except OSError as error:
        raise MachineError(f"cannot remove {error.filename or store.root}: {reason_of(error)}") from None
    return before - sum(kind.size for kind in store.usage())


def clear_parts(cache: Cache, parts: Sequence[str]) -> int:
    """Remove the folders of these parts and return how many bytes, unless another oxide is running: it may be about to open one."""
    if not cache.root.is_dir():
        return 0
    with cache.alone() as alone:
        if not alone:
            ui.say(f"not removed, since another oxide is running: {', '.join(parts)}")
            return 0
        folders = [cache.root / folder for part in parts for folder in PARTS[part]]
        _, size = measure(folders)
        for folder in folders:
            try:
                shutil.rmtree(folder)
            except FileNotFoundError:
                pass
            except OSError as error:
                raise MachineError(f"cannot remove {error.filename or folder}: {reason_of(error)}") from None
    return size


def measure(folders: Sequence[Path]) -> tuple[int, int]:
    """Return how many files there are in `folders`, and their bytes."""
    sizes = [size for folder in folders for size in sizes_in(folder)]
    return len(sizes), sum(sizes)
