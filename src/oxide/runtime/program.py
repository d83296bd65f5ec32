"""A Rust program as PTX, compiled by the driver, or remembered from when its sources were the same.

    program = compile_program(Path("saxpy.rs"), options, environment)
    program.texts                       # {"saxpy": "// oxide 3f9a…"}

What is remembered is keyed by the content of the file or manifest, the options and oxide itself, and holds the digest of each file that
rustc and cargo read; it counts only while all of those are the same, wherever they lie now. A program whose build scripts run, or whose
sources cargo does not list, is not remembered: cargo then decides, each time.
"""

from __future__ import annotations

import functools
import os
import re
import tempfile
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from oxide.cache import Cache, digest, whole_library, write_atomically
from oxide.runtime.errors import CompileError, CompileWarning
from oxide.signature import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.driver import Built
    from oxide.errors import Diagnostic
    from oxide.options import Environment, Options
    from oxide.project import Place

FORMAT = 1
"""Raised whenever what is remembered changes its meaning."""


class GenericParam(msgspec.Struct):
    """A generic parameter; a constant has a type."""

    name: str
    ty: str | None


class Generic(msgspec.Struct):
    """A generic kernel, as the dump has it."""

    name: str
    path: str
    generics: list[GenericParam]
    params: list[tuple[str, str]]

    def text(self) -> str:
        """Return its signature as Rust has it."""
        generics = ", ".join(f"const {param.name}: {param.ty}" if param.ty else param.name for param in self.generics)
        return f"fn {self.name}<{generics}>({', '.join(f'{name}: {short(ty)}' for name, ty in self.params)})"


class Dump(msgspec.Struct):
    """The part of a dump that is read here."""

    generic_kernels: list[Generic]


class Program(msgspec.Struct):
    """What a program became: the PTX of each crate, its generic kernels, and the files that it was made from with their digests."""

    texts: dict[str, str]
    generics: list[Generic]
    files: dict[str, str]
    """By path: relative to the program's folder where they are inside it."""
    warnings: list[str]


class Silent:
    """A driver's talk that nobody reads; what rustc says is kept."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def talk(self, line: str) -> None:
        """Keep a line."""
        self.lines.append(line)

    def say(self, line: str) -> None:
        """Say nothing."""

    def show_diagnostic(self, diagnostic: Diagnostic, places: Sequence[str] = ()) -> None:
        """Say nothing."""

    def phase(self, number: int, text: str) -> None:
        """Say nothing."""

    def busy(self, what: str) -> Silent:
        """Say nothing."""
        return self

    def __enter__(self) -> None:
        """Begin something that takes a while."""

    def __exit__(self, *_: object) -> None:
        """End it."""

    def ended_by_signal(self, program: str, number: int) -> None:
        """Say nothing."""


@functools.cache
def identity() -> str:
    """Return a digest of oxide itself: what it is written in, and the crates that programs are compiled with."""
    from oxide.toolchain import crates_folder

    package = Path(__file__).parents[1]
    aside = {"cli", "runtime", "crates", "__pycache__"}
    ours = [path for path in package.rglob("*") if path.is_file() and aside.isdisjoint(path.relative_to(package).parts)]
    theirs = [
        path
        for crate in crates_folder().glob("cuda-*")
        for path in crate.rglob("*")
        if path.suffix in {".rs", ".toml"} and not {"target", "tests", "examples"} & set(path.relative_to(crate).parts)
    ]
    parts: list[bytes | str] = []
    for root, files in ((package, ours), (crates_folder(), theirs)):
        for path in sorted(files):
            parts += [path.relative_to(root).as_posix(), path.read_bytes()]
    return digest(*parts)


compiling = threading.Lock()
"""One program at a time: what two threads load at once is compiled once."""


def compile_program(
    place: Place, options: Options, environment: Environment, *, package: str | None = None, instances: Instances = ()
) -> Program:
    """Return a program's PTX, compiled where it is not remembered. Raises `CompileError` with rustc's diagnostics."""
    start = place.script or place.manifest
    assert start is not None
    cache = Cache(options.cache)
    asked = msgspec.json.encode(instances).decode()
    flags = environment.get("RUSTFLAGS") or environment.get("CARGO_ENCODED_RUSTFLAGS") or ""
    chosen = (options.compile.fingerprint(), options.profile, str(options.build_std), package or "", asked, flags)
    key = digest(str(FORMAT), identity(), start.read_bytes(), *chosen)
    with compiling:
        program = remembered(cache, key, start.parent)
        if program is None:
            program, images, whole = build(place, options, environment, package, instances)
            for name, image in images.items():
                write_atomically(cache.root / "cpu" / f"{name}.so", image, mode=0o755)
            if whole:
                cache.remember("programs", key, msgspec.json.encode(program).decode())
    for warning in program.warnings:
        warnings.warn(CompileWarning(warning), stacklevel=4)
    return program


Instances = tuple[tuple[str, tuple[str, ...]], ...]
"""Generic kernels by their paths, with generic arguments."""


def remembered(cache: Cache, key: str, folder: Path) -> Program | None:
    """Return the program stored under a key, if its files are as they were and the CPU device finds its images."""
    text = cache.remembered("programs", key)
    if text is None:
        return None
    program = msgspec.json.decode(text, type=Program)
    for name, known in program.files.items():
        if content_of(folder / name) != known:
            return None
    keys = (ptx.partition("\n")[0].removeprefix("// oxide ") for ptx in program.texts.values())
    return program if all(whole_library(cache.root / "cpu" / f"{key}.so") for key in keys) else None


def content_of(path: Path) -> str:
    """Return a file's digest; of one that is not there, a word that says so."""
    try:
        return digest(path.read_bytes())
    except OSError:
        return "absent"


def build(
    place: Place, options: Options, environment: Environment, package: str | None, instances: Instances
) -> tuple[Program, dict[str, bytes], bool]:
    """Compile a program: what it became, its CPU images by their keys, and whether all that it was made from is known."""
    from oxide.driver import BuildFailed, Session
    from oxide.pipeline import CPU_IMAGE

    ui = Silent()
    with Session(options, environment, Path.cwd(), ui) as session, tempfile.TemporaryFile() as errors:
        try:
            built = session.build(place, emit={"ptx", "mir-json", CPU_IMAGE}, package=package, instances=instances, errors=errors)
        except BuildFailed:
            errors.seek(0)
            raise CompileError("\n".join([*ui.lines, errors.read().decode(errors="replace").strip()]).strip()) from None
    texts, generics, images = {}, [], {}
    for crate, outputs in built.outputs.items():
        text = outputs["ptx"].decode()
        texts[crate] = text
        images[text.partition("\n")[0].removeprefix("// oxide ")] = outputs[CPU_IMAGE]
        generics += msgspec.json.decode(outputs["mir-json"], type=Dump).generic_kernels
    start = place.script or place.manifest
    assert start is not None
    files, whole = files_of(built, place, start.parent, environment)
    return Program(texts, generics, files, warnings_of(built)), images, whole


def warnings_of(built: Built) -> list[str]:
    """Return what oxide warns of in a program that compiles; rustc's lints, which have a code, are for who builds it by hand."""
    shown = (message["message"] for message in built.messages if message["reason"] == "compiler-message")
    return [message["rendered"].rstrip() for message in shown if message["code"] is None and message["spans"]]


DEPENDENCY = re.compile(r"(?:[^\s\\]|\\.)+")
KNOWN_VARIABLES = ("OXIDE_", "CARGO")
"""What the names of variables begin with whose values follow from what the key has."""


def files_of(built: Built, place: Place, folder: Path, environment: Environment) -> tuple[dict[str, str], bool]:
    """Return the files that a program was made from with their digests, and whether those are all.

    rustc lists the sources of each crate beside it; those of a registry and of oxide never change under their versions.
    """
    paths: set[Path] = set()
    whole = True
    for message in built.messages:
        if not message.get("package_id", "").startswith("path+file:") or is_ours(Path(message.get("manifest_path", "/"))):
            continue
        if message["reason"] == "build-script-executed":
            whole = False
        elif message["reason"] == "compiler-artifact":
            listed = [found for file in map(Path, message["filenames"]) if (found := listing(file)) is not None]
            whole = whole and bool(listed)
            for found in listed:
                sources, complete = read_listing(found, built.project.lock_file.parent)
                paths |= sources
                whole = whole and complete
    paths = {path for path in paths if not is_ours(path)}
    if place.manifest is not None:
        manifests = {place.manifest, built.project.manifest}
        parents = {parent for manifest in manifests for parent in manifest.parents}
        paths |= {built.project.lock_file, *(manifest.with_name("build.rs") for manifest in manifests)}
        paths |= {parent / name for parent in parents for name in ("Cargo.toml", "oxide.toml", ".cargo/config.toml", ".cargo/config")}
    paths |= {environment.cargo_home / "config.toml"}
    return {os.path.relpath(path, folder) if path.is_relative_to(folder) else str(path): content_of(path) for path in sorted(paths)}, whole


def is_ours(path: Path) -> bool:
    """Return whether a file belongs to the crates that oxide brings, which its identity has."""
    from oxide.toolchain import crates_folder

    return path.resolve().is_relative_to(crates_folder().resolve())


def listing(file: Path) -> Path | None:
    """Return rustc's list of the files that one of its outputs was made from."""
    names = (file.with_suffix(".d"), file.with_name(file.name.removeprefix("lib")).with_suffix(".d"))
    return next((name for name in names if name.is_file() and name != file), None)


def read_listing(path: Path, folder: Path) -> tuple[set[Path], bool]:
    """Return the files in a list, relative ones to `folder`, and whether nothing else of the machine counts: variables, say."""
    files: set[Path] = set()
    complete = True
    for line in path.read_text(errors="surrogateescape").splitlines():
        if line.startswith("# env-dep:"):
            complete = complete and line.removeprefix("# env-dep:").startswith(KNOWN_VARIABLES)
        elif not line.startswith("#"):
            _, _, names = line.partition(": ")
            files |= {folder / re.sub(r"\\(.)", r"\1", name) for name in DEPENDENCY.findall(names)}
    return files, complete
