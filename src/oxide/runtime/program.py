"""A Rust program as PTX, compiled by the driver, or remembered from when its sources were the same.

    program = compile_program(Path("saxpy.rs"), options, environment)
    program.texts                       # {"saxpy": "// oxide 3f9a…"}

What is remembered is keyed by the content of the file or manifest, the options, cargo's variables, the tools and oxide itself, and holds
the digest of each file that rustc and cargo read and the value of each variable that sources ask for; it counts only while all of those are
the same. A single file may lie elsewhere meanwhile, unless something tells of its place. A program whose build scripts run, or whose
sources rustc does not list, is not remembered: cargo then decides, each time.
"""

from __future__ import annotations

import functools
import os
import re
import tempfile
import threading
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from oxide.cache import keys
from oxide.cache.files import (
    MAX_IMAGE_BYTES,
    MAX_PROGRAM_BYTES,
    Cache,
    digest,
    files_in,
    image_path,
    is_complete_library,
    touch,
    trim_files,
    write_entry,
)
from oxide.ir.signature import Generic, generics_in
from oxide.runtime.errors import CompileError, CompileWarning
from oxide.rust.metadata import CLOCK_TICK, changed_at, configuration, manifests_above

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.driver import Built
    from oxide.options import Environment, Options
    from oxide.runtime.talk import Talk
    from oxide.rust.project import Place

FORMAT = 2
"""Raised whenever what is remembered changes its meaning."""

SET_BY_CARGO = re.compile(r"CARGO(_(PKG|BIN|CFG|FEATURE|MANIFEST|CRATE|PRIMARY|SBOM)_.*|_MAKEFLAGS|_RUSTC_CURRENT_DIR|_TARGET_TMPDIR)?")
"""Variables that cargo does not read but sets for what it starts (the Cargo Book, "Environment Variables")."""

LOCATION_VARIABLES = frozenset({"CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_TARGET_TMPDIR"})
"""Variables for a crate whose values say where it lies."""


class Program(msgspec.Struct):
    """What a program became: the PTX of each crate, its generic kernels, and the files that it was made from with their digests."""

    texts: dict[str, str]
    generics: list[Generic]
    files: dict[str, str]
    """By path: relative to the program's folder where they are inside it."""
    variables: dict[str, str | None]
    """What the environment says of each variable that the sources ask for (`env!`); None where it is not set."""
    folder: str | None
    """The one folder that this is believed in, where the program tells of that or has sources outside of it."""
    warnings: list[str]


@functools.cache
def identity(cache_folder: Path) -> str:
    """Return a digest of oxide itself: what it is written in, and the crates that programs are compiled with.

    It is remembered until a file changes: reading takes longer than looking.
    """
    from oxide.rust.toolchain import crates_folder

    package = Path(__file__).parents[1]
    aside = {"cli", "runtime", "crates", "__pycache__"}
    ours = files_in(package, aside)
    crates = crates_folder().glob("cuda-*")
    theirs = (path for crate in crates for path in files_in(crate, {"target", "tests", "examples"}) if path.suffix in {".rs", ".toml"})
    files = [
        (path.relative_to(root).as_posix(), path) for root, found in ((package, ours), (crates_folder(), theirs)) for path in sorted(found)
    ]
    cache = Cache(cache_folder)
    stats = ((path, path.stat()) for _, path in files)
    key = digest("identity", *(f"{path} {status.st_size} {status.st_mtime_ns}" for path, status in stats))
    if (known := cache.remembered("content", key)) is None:
        known = digest(*(part for name, path in files for part in (name, path.read_bytes())))
        cache.remember("content", key, known)
    return known


compiling = threading.Lock()
"""One program at a time: what two threads load at once is compiled once."""


def compile_program(
    place: Place, options: Options, environment: Environment, talk: Talk, *, package: str | None = None, instances: Instances = ()
) -> Program:
    """Return a program's PTX, compiled where it is not remembered, which `talk` is told of.

    Raises `CompileError` with rustc's diagnostics.
    """
    start = place.script or place.manifest
    assert start is not None
    cache = Cache(options.cache)
    # The code of an external llc lies in libraries that nobody here knows.
    keeps = options.store.use and options.compile.llc is None
    talk = talk.anew()
    try:
        with compiling:
            source = start.read_bytes()
            key = digest(start.name, source, *decisive(place, options, environment, cache, package, instances))
            program = remembered(cache, key, start.parent, environment) if keeps else None
            if program is None:
                with talk.compiling(what(place, instances), target(options)):
                    program, images, whole = build(place, options, environment, package, instances, talk)
                keep_images(cache, images)
                if keeps and whole and start.read_bytes() == source:
                    cache.remember("programs", key, msgspec.json.encode(program).decode())
                    trim_files(cache.root / "programs", MAX_PROGRAM_BYTES)
    finally:
        for warning in talk.warnings:
            warnings.warn(CompileWarning(warning), stacklevel=4)
    for warning in program.warnings:
        warnings.warn(CompileWarning(warning), stacklevel=4)
    return program


def what(place: Place, instances: Instances) -> str:
    """Return what a person calls a program, or an instance of one of its kernels."""
    name = place.script.name if place.script is not None else (place.manifest or Path()).parent.name
    made = ", ".join(f"{path.rpartition('::')[2]}<{', '.join(args)}>" for path, args in instances)
    return f"{made} of {name}" if made else name


def target(options: Options) -> str:
    """Return what a person calls that which a program is compiled for."""
    return options.compile.arch or ("the CPU device" if options.device == "cpu" else "the smallest target")


def decisive(
    place: Place, options: Options, environment: Environment, cache: Cache, package: str | None, instances: Instances
) -> list[str]:
    """Return what decides the code of a program besides its sources."""
    chosen = [options.profile, str(options.build_std), str(options.rustc), package or "", msgspec.json.encode(instances).decode()]
    # What a manifest names lies somewhere around it.
    where = os.fspath(place.manifest or "")
    tools = [*keys.llvm(cache), *keys.libdevice(cache)]
    return [
        str(FORMAT),
        identity(cache.root),
        where,
        keys.spell_options(options.compile, cache),
        *chosen,
        *tools,
        *read_by_cargo(environment),
    ]


def read_by_cargo(environment: Environment) -> list[str]:
    """Return the variables that cargo reads, with their values."""
    return sorted(
        f"{name}={value}"
        for name, value in environment.variables.items()
        if (name.startswith("CARGO") and not SET_BY_CARGO.fullmatch(name)) or re.fullmatch(r"RUST\w*FLAGS", name)
    )


def keep_images(cache: Cache, images: Images) -> None:
    """Put images where the CPU device looks for them, as the last that go when there are too many."""
    for path, image in images:
        write_entry(path, image, mode=0o755)
        touch(path)
    trim_files(cache.root / "cpu", MAX_IMAGE_BYTES)


Images = list[tuple[Path, bytes]]
"""Images for the CPU device, each with where that looks for it."""

Instances = tuple[tuple[str, tuple[str, ...]], ...]
"""Generic kernels by their paths, with generic arguments."""


def remembered(cache: Cache, key: str, folder: Path, environment: Environment) -> Program | None:
    """Return the program stored under a key, if all that it was made from is as it was and the CPU device finds its images."""
    text = cache.remembered("programs", key)
    if text is None:
        return None
    program = msgspec.json.decode(text, type=Program)
    if program.folder not in (None, os.fspath(folder)):
        return None
    if any(environment.variables.get(name) != known for name, known in program.variables.items()):
        return None
    if any(content_of(folder / name) != known for name, known in program.files.items()):
        return None
    images = [image_path(cache, ptx.encode()) for ptx in program.texts.values()]
    if not all(map(is_complete_library, images)):
        return None
    for image in images:
        touch(image)
    return program


def name_in(folder: Path, path: Path) -> str | None:
    """Return a path relative to a folder that it is inside of, else None."""
    return os.fspath(path.relative_to(folder)) if path.is_relative_to(folder) and ".." not in path.parts else None


def content_of(path: Path) -> str:
    """Return a file's digest, or that of the names in a folder; of what is not there, a word that says so."""
    try:
        return digest(*sorted(inside.name for inside in path.iterdir())) if path.is_dir() else digest(path.read_bytes())
    except OSError:
        return "absent"


def build(
    place: Place, options: Options, environment: Environment, package: str | None, instances: Instances, talk: Talk
) -> tuple[Program, Images, bool]:
    """Compile a program: what it became, its images for the CPU device, and whether all that it was made from is known."""
    from oxide.driver import BuildFailed, Session
    from oxide.pipeline import CPU_IMAGE
    from oxide.rust.metadata import UnreadableManifest

    before = time.time_ns() - CLOCK_TICK
    with Session(replace(options, quiet=True), environment, Path.cwd(), talk) as session, tempfile.TemporaryFile() as errors:
        try:
            built = session.build(place, emit={"ptx", "mir-json", CPU_IMAGE}, package=package, instances=instances, errors=errors)
        except BuildFailed:
            errors.seek(0)
            raise CompileError("\n".join([*talk.lines, errors.read().decode(errors="replace").strip()]).strip()) from None
        except UnreadableManifest as error:
            raise CompileError(error.message) from None
    texts, generics, images = {}, [], []
    for crate, outputs in built.outputs.items():
        texts[crate] = outputs["ptx"].decode()
        images.append((image_path(session.cache, outputs["ptx"]), outputs[CPU_IMAGE]))
        generics += generics_in(outputs["mir-json"])
    start = place.script or place.manifest
    assert start is not None
    made_from = MadeFrom.of(built, place, environment)
    folder = start.parent
    files = {name_in(folder, path) or os.fspath(path): content_of(path) for path in made_from.paths}
    variables = {name: environment.variables.get(name) for name in made_from.variables}
    elsewhere = any(name_in(folder, path) is None for path in made_from.sources)
    only_here = os.fspath(folder) if elsewhere or LOCATION_VARIABLES & made_from.variables else None
    # What changed meanwhile may not be what rustc saw; cargo writes its lock file itself, and the start was looked at before.
    unchanged = all(changed_at(path) < before for path in made_from.paths - {built.project.lock_file, start})
    return Program(texts, generics, files, variables, only_here, warnings_of(built)), images, made_from.whole and unchanged


def warnings_of(built: Built) -> list[str]:
    """Return what oxide warns of in a program that compiles; rustc's lints, which have a code, are for who builds it by hand."""
    shown = (message["message"] for message in built.messages if message["reason"] == "compiler-message")
    return [message["rendered"].rstrip() for message in shown if message["code"] is None and message["spans"]]


DEPENDENCY = re.compile(r"(?:[^\s\\]|\\.)+")


@dataclass(frozen=True)
class MadeFrom:
    """What a program was made from: files and variables, and whether those are all."""

    sources: frozenset[Path]
    """What rustc read. Sources of a registry and of oxide never change under their versions."""
    settings: frozenset[Path]
    """What cargo looks at, there or not."""
    variables: frozenset[str]
    whole: bool

    @property
    def paths(self) -> frozenset[Path]:
        """All files and folders."""
        return self.sources | self.settings

    @classmethod
    def of(cls, built: Built, place: Place, environment: Environment) -> MadeFrom:
        """Return what a build was made from; rustc lists the sources of each crate beside it."""
        sources: set[Path] = set()
        variables: set[str] = set()
        manifests = {built.project.manifest}
        whole = True
        for message in built.messages:
            if not message.get("package_id", "").startswith("path+file:") or is_ours(Path(message.get("manifest_path", "/"))):
                continue
            if message["reason"] == "build-script-executed":
                whole = False
            elif message["reason"] == "compiler-artifact":
                manifests.add(Path(message["manifest_path"]))
                listed = [found for file in map(Path, message["filenames"]) for found in listings(file)]
                whole = whole and bool(listed)
                for found in listed:
                    files, asked = read_listing(found, built.project.lock_file.parent)
                    sources |= files
                    variables |= asked
        settings = set(configuration(built.project.manifest.parent, environment.cargo_home))
        if place.manifest is not None:
            settings.add(built.project.lock_file)
            for manifest in manifests | {place.manifest}:
                settings |= set(looked_for(manifest.parent))
        return cls(frozenset(path for path in sources if not is_ours(path)), frozenset(settings), frozenset(variables), whole)


def looked_for(folder: Path) -> Iterator[Path]:
    """Yield what cargo looks for of the package in `folder`. The Cargo Book, "Package Layout"."""
    yield from manifests_above(folder)
    yield folder / "build.rs"
    yield from (folder / "src" / name for name in ("lib.rs", "main.rs"))
    programs = folder / "src" / "bin"
    yield programs
    yield from (inside / "main.rs" for inside in programs.glob("*") if inside.is_dir())


def is_ours(path: Path) -> bool:
    """Return whether a file belongs to the crates that oxide brings, which its identity has."""
    from oxide.rust.toolchain import crates_folder

    return path.resolve().is_relative_to(crates_folder().resolve())


def listings(file: Path) -> list[Path]:
    """Return rustc's lists of the files that one of cargo's artifacts was made from.

    They lie in the folder `deps`, where the artifact has its first name. Cargo's own lists lack the variables.
    """
    if file.parent.name == "deps":
        found = [file.with_name(f"{file.stem.removeprefix('lib')}.d")]
        return [path for path in found if path.is_file()]
    crate = file.stem.removeprefix("lib").replace("-", "_")
    folder = file.parent / "deps"
    found = [*folder.glob(f"{crate}.d"), *folder.glob(f"{crate}-*.d")]
    # Where a file system has no links, the lists of all that ever had this name are read.
    return [path for path in found if any(map(file.samefile, made_with(path, file.suffix)))] or found


def made_with(listing: Path, suffix: str) -> list[Path]:
    """Return the artifacts beside one of rustc's lists: a program, or a library."""
    names = (f"{listing.stem}{suffix}", f"lib{listing.stem}{suffix}")
    return [path for path in (listing.with_name(name) for name in names) if path.is_file()]


def read_listing(path: Path, folder: Path) -> tuple[set[Path], set[str]]:
    """Return the files in a list, relative ones to `folder`, and the names of variables."""
    files: set[Path] = set()
    variables: set[str] = set()
    for line in path.read_text(errors="surrogateescape").splitlines():
        if line.startswith("# env-dep:"):
            variables.add(line.removeprefix("# env-dep:").partition("=")[0])
        elif not line.startswith("#"):
            _, _, names = line.partition(": ")
            files |= {folder / re.sub(r"\\(.)", r"\1", name) for name in DEPENDENCY.findall(names)}
    return files, variables
