"""What cargo says of a workspace, remembered until a file that it looks at changes.

    workspace = ask_cargo(rust, manifest, variables, cache)
    workspace["packages"][0]["name"]

Asking costs a process, some 0.1 s, and nothing of a workspace changes between most builds.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.cache.files import MAX_METADATA_BYTES, digest, trim_files
from oxide.errors import ProgramError
from oxide.options import Environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oxide.cache.files import Cache
    from oxide.rust.toolchain import Rust

CLOCK_TICK = 10_000_000
"""Nanoseconds that a file's times may be behind the clock: they are those of its last tick."""


class UnreadableManifest(ProgramError):
    """Cargo cannot read a manifest, or one that it names; the message has cargo's words."""


def ask_cargo(rust: Rust, manifest: Path, variables: Mapping[str, str], cache: Cache) -> dict[str, Any]:
    """Return `cargo metadata` of the workspace that `manifest` belongs to, without dependencies.

    Raises `UnreadableManifest` where it cannot.
    """
    before = time.time_ns() - CLOCK_TICK
    settings = sorted(f"{name}={value}" for name, value in variables.items() if name.startswith("CARGO"))
    home = Environment(variables).cargo_home
    key = digest("metadata", rust.cargo, os.fspath(manifest), os.fspath(home), *settings)
    if (text := cache.remembered("metadata", key)) is not None:
        known: dict[str, Any] = json.loads(text)
        if all(stamp_of(path) == stamp for path, stamp in known["seen"].items()):
            metadata: dict[str, Any] = known["metadata"]
            return metadata
    above = {os.fspath(path): stamp_of(path) for path in (*manifests_above(manifest.parent), *configuration(manifest.parent, home))}
    command = [rust.cargo, "metadata", "--no-deps", "--format-version=1", "--manifest-path", os.fspath(manifest)]
    environment = {**variables, "RUSTC": rust.rustc}
    done = subprocess.run(command, cwd=manifest.parent, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise UnreadableManifest(f"cargo cannot read {manifest}:\n{done.stderr.strip().removeprefix('error: ')}")
    metadata = json.loads(done.stdout)
    packages = {os.fspath(path): stamp_of(path) for path in looked_at(metadata)}
    # Which these are is known only now: one that has changed meanwhile may not be what cargo saw.
    if all(changed_at(path) < before for path in packages):
        cache.remember("metadata", key, json.dumps({"seen": packages | above, "metadata": metadata}))
        trim_files(cache.root / "metadata", MAX_METADATA_BYTES)
    return metadata


def manifests_above(folder: Path) -> Iterator[Path]:
    """Yield where cargo looks for the manifest of a package in `folder` and of its workspace, there or not."""
    yield from (above / "Cargo.toml" for above in (folder, *folder.parents))


def configuration(folder: Path, home: Path) -> Iterator[Path]:
    """Yield the files, there or not, that configure a cargo that is started in `folder`; `home` is where it keeps its own.

    The Cargo Book, "Configuration", "Hierarchical structure".
    """
    for place in (*(above / ".cargo" for above in (folder, *folder.parents)), home):
        yield from (place / name for name in ("config.toml", "config"))


def looked_at(metadata: Mapping[str, Any]) -> Iterator[Path]:
    """Yield what cargo looks at of the packages of a workspace, there or not: manifests, and where binaries lie.

    The Cargo Book, "Package Layout".
    """
    for package in metadata["packages"]:
        own = Path(package["manifest_path"])
        programs = own.parent / "src" / "bin"
        yield from (own, own.parent / "src", programs)
        if own.parent != Path(metadata["workspace_root"]):
            # Where `members` is a pattern, another member is a folder beside this one.
            yield own.parent.parent
        yield from (folder for folder in programs.glob("*") if folder.is_dir())


def stamp_of(path: str | Path) -> str:
    """Return what changes when a file does, or which files a folder holds; nothing where there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - takes both
    except OSError:
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"


def changed_at(path: str | Path) -> int:
    """Return when a file was changed, renamed or made, whatever it says of that itself, in nanoseconds; 0 where there is none."""
    try:
        return os.stat(path).st_ctime_ns  # noqa: PTH116 - takes both
    except OSError:
        return 0
