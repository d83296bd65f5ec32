"""What cargo made of the crates that programs depend on, for the next project: they are compiled once a machine.

    dependencies = Dependencies(cache, environment, plan.rust, plan.call, plan.project, profile="release", features=[])
    dependencies.restore()              # before cargo starts
    dependencies.save(messages)         # after it has ended, with its messages

A saved set holds units of one build: of oxide's own crates and of those that they depend on from crates.io, never of a project's own.
It is put into a target folder that has nothing of the profile yet. Cargo's fingerprints then decide what is fresh: a set of other versions
or features costs a compilation, as no set would. Units of different sets are never mixed, since rustc refuses a library that another was
not compiled against.

Libraries are hard links, since rustc replaces them by a rename. All else is copied: cargo writes fingerprints in place, and some linkers
programs. Times of files are kept: cargo compares them.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.cache.files import MAX_CRATE_BYTES, digest, digest_of_sources, newest_first, read_entry, remove, size_of, touch, write_entry
from oxide.errors import MachineError, UsageError
from oxide.rust.artifacts import beside
from oxide.rust.project import our_crates
from oxide.rust.settings import read
from oxide.rust.toolchain import crates_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oxide.cache.files import Cache
    from oxide.options import Environment
    from oxide.rust.project import Project
    from oxide.rust.rustflags import RustcCall
    from oxide.rust.toolchain import Rust

FOLDER = "crates"
LIST = "files.json"
"""The file of a set that names its other files, each with its size and time; the time is null for a folder."""

PROFILE_FOLDERS = {"dev": "debug", "test": "debug", "bench": "release"}
"""Where cargo builds profiles that have no folder of their own. The Cargo Book, "Profiles"."""

SAVED_KINDS = {"lib", "rlib", "proc-macro", "custom-build"}
"""Kinds of targets that others depend on."""

REPLACED = {".rlib", ".rmeta"}
"""Endings of what rustc replaces by a rename."""

ONCE = (".rustc_info.json", "CACHEDIR.TAG")
"""What cargo writes once into a target folder: what rustc said of itself, and that backups may leave the folder out."""


class Dependencies:
    """What cargo made of the dependencies of one project, and the set in the cache that it is saved to."""

    def __init__(
        self, cache: Cache, environment: Environment, rust: Rust, call: RustcCall, project: Project, profile: str, features: Sequence[str]
    ) -> None:
        self.cache = cache
        self.environment = environment
        self.rust = rust
        self.call = call
        self.project = project
        self.features = features
        name = PROFILE_FOLDERS.get(profile, profile)
        self.parts = (Path(name), Path(rust.host, name))
        """The folders of a target folder that a set has: for build scripts and macros, and for the program."""

    def sets(self) -> Path:
        """Return the folder of the sets that this rustc, with this backend, made of oxide's crates as they are now."""
        sources = digest_of_sources(crates_folder(), self.cache)
        key = digest(os.fspath(self.call.rustc), self.rust.commit, self.rust.host, sources)
        return self.cache.root / FOLDER / key[:16] / self.parts[0].name

    def own_set(self) -> Path:
        """Return the set of projects that ask for the same features, profile and flags, and lock the same versions: `ASKED-VERSIONS`."""
        ours = our_crates()
        names = {*ours, *(name for name, _ in closure(crates_folder() / "Cargo.lock", ours))}
        asked = [asked for asked in self.project.dependencies if asked["name"] in names]
        try:
            profiles = read(self.project.lock_file.with_name("Cargo.toml")).get("profile", {})
        except UsageError:
            profiles = {}
        variables = {name: value for name, value in self.environment.variables.items() if name.startswith("CARGO_PROFILE_")}
        parts = json.dumps([asked, profiles, variables, self.call.flags, self.features], sort_keys=True, default=str)
        versions = json.dumps(sorted(closure(self.project.lock_file, ours)))
        return self.sets() / f"{digest(parts)[:16]}-{digest(versions)[:16]}"

    def best_set(self) -> Path | None:
        """Return the set to start with: what other projects ask for, and other versions, share something with it too."""
        own = self.own_set()
        found = [path for path, _ in newest_first(self.sets()) if (path / LIST).is_file()]
        # A project without a lock file has not chosen versions yet.
        alike = (path for path in found if path.name.partition("-")[0] == own.name.partition("-")[0])
        return own if own in found else next(alike, next(iter(found), None))

    def restore(self) -> None:
        """Put a saved set into a target folder that has nothing of this profile yet. What cannot be done costs a compilation."""
        target = self.project.target_folder
        if (target / self.parts[1]).exists():
            return
        with contextlib.suppress(OSError, MachineError):
            if (found := self.best_set()) is None:
                return
            target.mkdir(parents=True, exist_ok=True)
            # By a rename, so that a cargo that builds here at the same time sees all of a folder or nothing.
            with tempfile.TemporaryDirectory(prefix=".oxide-", dir=target) as name:
                new = Path(name)
                if (files := intact(found)) is None:
                    remove(found)
                    return
                for file in files:
                    place(found / file, new / file)
                for part in (*self.parts, *map(Path, ONCE)):
                    if (new / part).exists() and not (target / part).exists():
                        (target / part).parent.mkdir(exist_ok=True)
                        with contextlib.suppress(OSError):
                            (new / part).rename(target / part)
            touch(found)

    def save(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Save what cargo made of the dependencies, where it made any of them anew. What cannot be done costs the next project time."""
        artifacts = [message for message in messages if message["reason"] == "compiler-artifact" and self.is_elsewhere(message)]
        if all(message["fresh"] for message in artifacts):
            return
        with contextlib.suppress(OSError, MachineError):
            own = self.own_set()
            own.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".new-", dir=own.parent) as name:
                new = Path(name, own.name)
                if self.write_set(new, artifacts, messages):
                    remove(own)
                    new.rename(own)
            trim(self.cache)

    def is_elsewhere(self, artifact: Mapping[str, Any]) -> bool:
        """Whether a package that others depend on is one of oxide's crates or from crates.io, at a place that cargo keeps for it."""
        folder = Path(artifact["manifest_path"]).parent
        depended_on = SAVED_KINDS.issuperset(artifact["target"]["kind"]) and not artifact["profile"]["test"]
        return depended_on and (folder.parent == crates_folder() or folder.is_relative_to(self.environment.cargo_home / "registry"))

    def write_set(self, folder: Path, artifacts: Sequence[Mapping[str, Any]], messages: Sequence[Mapping[str, Any]]) -> bool:
        """Write a set and return whether it is one: another cargo may write to the same target folder meanwhile."""
        target = self.project.target_folder
        names = {name: name for name in our_crates()}
        names |= {f"{name}-{version}": name for name, version in closure(self.project.lock_file, our_crates())}
        folders = ((message["package_id"], Path(message["manifest_path"]).parent.name) for message in artifacts)
        packages = {package: names[name] for package, name in folders if name in names}
        files = {target / name for name in ONCE}
        outputs: dict[str, list[Path]] = {}
        for message in messages:
            if message["reason"] == "build-script-executed" and message["package_id"] in packages:
                out = Path(message["out_dir"])
                files |= {out, *files_below(out.parent), *files_below(fingerprint_of(out.parent))}
                outputs.setdefault(message["package_id"], []).append(out)
        for message in artifacts:
            if (name := packages.get(message["package_id"])) is None:
                continue
            made = [Path(file) for file in message["filenames"]]
            if "custom-build" in message["target"]["kind"]:
                unit = made[0].parent
                files |= {*files_below(unit), *files_below(fingerprint_of(unit))}
            elif not beside(made[0], ".mir.json").exists() and all(
                is_movable(file, out) for out in outputs.get(message["package_id"], []) for file in made
            ):
                folder_of_unit = made[0].parent.with_name("build") / f"{name}-{made[0].stem.rpartition('-')[2]}"
                files |= {*made, *files_below(fingerprint_of(folder_of_unit))}
        before = {file: stamp_of(file) for file in files if file.exists() and file.is_relative_to(target)}
        for file in before:
            place(file, folder / file.relative_to(target))
        listed = {os.fspath(file.relative_to(target)): stamp for file, stamp in before.items()}
        write_entry(folder / LIST, json.dumps(listed).encode())
        return before == {file: stamp_of(file) for file in before}


def closure(lock_file: Path, roots: set[str]) -> set[tuple[str, str]]:
    """Return names and versions of the locked packages that `roots` are and depend on; none where there is no lock file."""
    import tomllib

    try:
        packages = tomllib.loads(lock_file.read_text()).get("package", [])
    except (OSError, ValueError):
        return set()
    named: dict[str, list[dict[str, Any]]] = {}
    for package in packages:
        named.setdefault(package["name"], []).append(package)
    found: set[tuple[str, str]] = set()
    waiting = [package for name in roots for package in named.get(name, [])]
    while waiting:
        package = waiting.pop()
        if (key := (package["name"], package["version"])) not in found:
            found.add(key)
            for dependency in package.get("dependencies", []):
                name, *version = dependency.split()[:2]
                waiting += [other for other in named.get(name, []) if version in ([], [other["version"]])]
    return found


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and in those below."""
    return (Path(place, name) for place, _, names in os.walk(folder) for name in names)


def fingerprint_of(unit: Path) -> Path:
    """Return the folder of the fingerprints of a unit: `.fingerprint/NAME-HASH` of `build/NAME-HASH`."""
    return unit.parent.with_name(".fingerprint") / unit.name


def is_movable(library: Path, out: Path) -> bool:
    """Whether a library names the folder of its build script's output only as that of its sources.

    Where it looks for a file there when it runs, another project must not use it.
    """
    prefix = os.fsencode(out)
    content = library.read_bytes()
    if prefix not in content:
        return True
    information = library.with_name(f"{library.stem.removeprefix('lib')}.d")
    sources = set(re.findall(re.escape(prefix) + rb"/[^\s:]+", information.read_bytes())) if information.is_file() else set()
    for source in sources:
        content = content.replace(source, b"")
    return prefix not in content


def stamp_of(path: Path) -> list[int | None]:
    """Return a file's size and time, of a folder neither."""
    status = path.stat()
    return [0, None] if path.is_dir() else [status.st_size, status.st_mtime_ns]


def place(source: Path, destination: Path) -> None:
    """Give a file another name, as a link or as a copy with the same times; make a folder."""
    if source.is_dir():
        destination.mkdir(parents=True, exist_ok=True)
        return
    destination.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix in REPLACED:
        try:
            os.link(source, destination)
        except OSError:  # another file system, or as many links as a file can have
            pass
        else:
            return
    shutil.copy2(source, destination)


def intact(found: Path) -> list[str] | None:
    """Return the files of a set, or None where one was changed: through another of its names, as some tools do."""
    try:
        listed: dict[str, list[int | None]] = json.loads(read_entry(found / LIST))
        return list(listed) if all(stamp_of(found / name) == stamp for name, stamp in listed.items()) else None
    except (OSError, ValueError):
        return None


def trim(cache: Cache, limit: int = MAX_CRATE_BYTES) -> None:
    """Remove the sets that were used longest ago until the rest takes at most `limit` bytes."""
    sets = [found for folder in (cache.root / FOLDER).glob("*/*") for found in newest_first(folder)]
    total = 0
    for path, _ in sorted(sets, key=lambda found: found[1].st_mtime_ns, reverse=True):
        total += size_of(path)
        if total > limit:
            with contextlib.suppress(OSError):
                remove(path)
