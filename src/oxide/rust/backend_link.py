"""Link the packed backend against the librustc_driver of one rustc.

    library = linked_backend(rust, cache)     # …/backend/KEY/librustc_codegen_oxide.so

A backend needs the compiler's private crates to compile, but to load it needs only their symbols. The packed object was compiled once, so
its undefined symbols carry the crate disambiguators of that build; the driver's own symbols carry others. Two v0 symbols that demangle
alike once disambiguators are dropped are the same item; where the driver holds several instances of one generic function, the crate that
instantiated it decides. Names do not prove layouts, so the commit must be the one in the manifest, and a tiny kernel is dumped once before
the library is used.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.cache.files import digest, digest_of_sources, is_complete_library, stamp, write_entry
from oxide.errors import InternalError, MachineError, missing_tool
from oxide.rust import toolchain
from oxide.rust.toolchain import NotUsable, crates_folder
from oxide.tools.finders import last_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oxide.cache.files import Cache
    from oxide.options import Environment, Options
    from oxide.rust.toolchain import Rust

PACKAGE = Path(__file__).parent / "_backend"
"""Where the packed object and its manifest lie."""

LIBRARY_NAME = "librustc_codegen_oxide.so"

SOURCES = "rustc-codegen-oxide"
"""The crate that the backend is built from."""

BACKEND_FLAGS = ("-Zmir-enable-passes=-JumpThreading", "-Zalways-encode-mir")
"""Flags that every crate for the target is compiled with: jump threading copies barriers, and kernels reach bodies of other crates."""

DISAMBIGUATOR = re.compile(r"\[[0-9a-f]{8,16}\]")
CRATE = re.compile(r"C(?:s[0-9A-Za-z]*_)?(\d+)_?")
BACK_REFERENCE = re.compile(r"B[0-9A-Za-z]*_")
DYN = re.compile(r"dyn ((?:[\w:]+ \+ )+[\w:]+)")
BASE_62 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

SMOKE_KERNEL = """\
#![crate_type = "lib"]
#[doc(alias = "oxide_kernel")]
pub unsafe fn smoke(out: *mut u32) {
    unsafe { *out = 42 }
}
"""


@dataclass(frozen=True)
class Manifest:
    """The object to link, and what it was built from."""

    rustc_commit: str
    object_sha256: str
    object: Path

    @classmethod
    def read(cls) -> Manifest:
        """Read the manifest of the object that a checkout has built from its present sources, else that of the packed one."""
        return cls.rebuilt() or cls.packed()

    @classmethod
    def packed(cls) -> Manifest:
        """Read the manifest of the packed object."""
        path = PACKAGE / "manifest.json"
        try:
            fields = json.loads(path.read_bytes())
            return cls(fields["rustc_commit"], fields["object_sha256"], PACKAGE / "backend.o.xz")
        except (OSError, ValueError, KeyError) as error:
            raise InternalError(f"cannot read the backend's manifest {path}: {error}", hint="install oxide again") from None

    @classmethod
    def rebuilt(cls) -> Manifest | None:
        """Return the manifest that build-object.sh wrote, or None where there is none, or the sources have changed since."""
        sources = crates_folder() / SOURCES
        try:
            fields = json.loads((sources / "target" / "backend.json").read_bytes())
            current = fields["sources_sha256"] == sources_sha256(sources)
            return cls(fields["rustc_commit"], fields["object_sha256"], sources / "target" / "backend.o") if current else None
        except (OSError, ValueError, KeyError):
            return None


def sources_sha256(folder: Path) -> str:
    """Return a digest of all that the object is compiled from, which its manifest has too."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("src/*.rs"), folder / "build-object.sh"]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def linked_path(rust: Rust, cache: Cache) -> Path:
    """Return where the backend for `rust` lies or will lie.

    The hashes of object and driver are in the path, since cargo looks at the path and not inside.
    """
    return cache.root / "backend" / f"{Manifest.read().object_sha256[:16]}-{driver_digest(rust, cache)}" / LIBRARY_NAME


def driver_digest(rust: Rust, cache: Cache) -> str:
    """Return a digest of the driver's bytes; it is some 100 MB, so the answer is remembered until the file changes."""
    driver = Path(rust.driver)
    key = digest("driver", stamp(driver))
    if (known := cache.remembered("driver", key)) is None:
        with driver.open("rb") as file:
            known = hashlib.file_digest(file, "sha256").hexdigest()[:16]
        cache.remember("driver", key, known)
    return known


def linked_backend(rust: Rust, cache: Cache) -> tuple[Path, bool]:
    """Return the backend linked against `rust`, and whether it had to be linked now.

    Raises `NotUsable` where this rustc cannot take it: another commit, a symbol missing or ambiguous, a failed smoke test.
    """
    if (library := existing(rust, cache)) is not None:
        return library, False
    if (reason := refusal(rust, cache)) is not None:
        raise NotUsable(reason)
    library = linked_path(rust, cache)
    with cache.lock("backend"):
        if not is_complete_library(library):
            try:
                link(rust, library)
            except NotUsable as refused:
                cache.remember("backend-refused", library.parent.name, str(refused))
                raise
    return library, True


def find_or_install(options: Options, environment: Environment, cache: Cache, say: Callable[[str], None]) -> tuple[Rust, Path, bool]:
    """Find a rustc that takes the backend, or install one where the options name none; return it, its backend, and whether that is new.

    Raises `RustMissing` where there is none and none can be installed.
    """
    linked: dict[str, tuple[Path, bool]] = {}

    def accept(rust: Rust) -> None:
        linked[rust.rustc] = linked_backend(rust, cache)

    def find() -> tuple[Rust, Path, bool]:
        rust = toolchain.find_rust(options.rustc, environment, cache, accept)
        return rust, *linked[rust.rustc]

    try:
        return find()
    except toolchain.RustMissing:
        if options.rustc is None:
            for _installed in toolchain.install_rust(environment, say):
                with contextlib.suppress(toolchain.RustMissing):
                    return find()
        raise


def existing(rust: Rust, cache: Cache) -> Path | None:
    """Return the backend for `rust` where it is there: the one built from source, else the linked one."""
    return next((library for library in (source_path(rust, cache), linked_path(rust, cache)) if is_complete_library(library)), None)


def refusal(rust: Rust, cache: Cache) -> str | None:
    """Return why an earlier attempt to link this backend against `rust` failed; trying again would say the same."""
    return cache.remembered("backend-refused", linked_path(rust, cache).parent.name)


def source_path(rust: Rust, cache: Cache) -> Path:
    """Return where `oxide setup --from-source` puts the backend for `rust` that these sources become."""
    sources = digest_of_sources(crates_folder() / SOURCES, cache)[:16]
    return cache.root / "backend" / f"source-{sources}-{driver_digest(rust, cache)}" / LIBRARY_NAME


def link(rust: Rust, library: Path) -> None:
    """Link the object against `rust`'s driver and prove it on a tiny kernel."""
    manifest = Manifest.read()
    if rust.commit != manifest.rustc_commit:
        raise NotUsable(f"got commit {rust.commit[:9]}, the backend is for {manifest.rustc_commit[:9]}")
    with tempfile.TemporaryDirectory(prefix="oxide-link-") as folder:
        unlinked = Path(folder, "backend.o")
        unlinked.write_bytes(read_object(manifest))
        linked = Path(folder, LIBRARY_NAME)
        link_object(unlinked, Path(rust.driver), linked)
        smoke_test(rust, linked)
        write_entry(library, linked.read_bytes(), mode=0o755)


def read_object(manifest: Manifest) -> bytes:
    """Return the object's bytes."""
    import lzma

    file = manifest.object
    try:
        content = file.read_bytes()
        if file.suffix == ".xz":
            content = lzma.decompress(content)
    except (OSError, lzma.LZMAError) as error:
        raise InternalError(f"cannot read the backend's object {file}: {error}", hint="install oxide again") from None
    if hashlib.sha256(content).hexdigest() != manifest.object_sha256:
        raise InternalError(f"{file} is not the object that its manifest names", hint="install oxide again")
    return content


def link_object(unlinked: Path, driver: Path, library: Path) -> None:
    """Rename the object's undefined Rust symbols to the driver's and link it as a shared library."""
    exported = [name for name in symbols(driver, "-D", "--defined-only") if name.startswith("_R")]
    wanted = [name for name in symbols(unlinked, "-u") if name.startswith("_R")]
    renamed, unmatched = match_symbols(wanted, exported)
    if unmatched:
        raise NotUsable(f"the backend does not fit {driver.name}:\n    " + "\n    ".join(unmatched[:8]))
    names = unlinked.with_suffix(".renamed")
    names.write_text("".join(f"{old} {new}\n" for old, new in renamed.items()))
    result = unlinked.with_suffix(".for-driver.o")
    run_tool("objcopy", f"--redefine-syms={names}", unlinked, result)
    run_tool("cc", "-shared", "-o", library, result, "-Wl,--gc-sections", "-s")


def match_symbols(wanted: Sequence[str], exported: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the new name of each wanted symbol that must change, and a line for each that has no one match.

    Of several symbols for one item, the one instantiated by the same crate is meant, with the same local numbers, and from the same crate
    where two of one name exist (two versions of hashbrown): the symbols with one match tell which crate is which.
    """
    same_item: dict[str, list[str]] = defaultdict(list)
    for name, item in zip(exported, items(exported), strict=True):
        same_item[item].append(name)
    known = set(exported)
    candidates: dict[str, list[str]] = {}
    for name, item in zip(wanted, items(wanted), strict=True):
        found = [name] if name in known else same_item[item]
        for distinguish in (instantiating_crate, shape):
            if len(found) > 1:
                found = [other for other in found if distinguish(other) == distinguish(name)]
        candidates[name] = found
    same_crate: dict[str, str] = {}
    for name, found in candidates.items():
        if len(found) == 1:
            same_crate |= dict(zip(crates_in(name), crates_in(found[0]), strict=False))
    renamed: dict[str, str] = {}
    unmatched: list[str] = []
    for name, found in candidates.items():
        if len(found) > 1:
            found = [
                other for other in found if all(same_crate.get(a, b) == b for a, b in zip(crates_in(name), crates_in(other), strict=False))
            ]
        if len(found) != 1:
            unmatched.append(f"{items([name])[0]}: {len(found)} candidates")
        elif found[0] != name:
            renamed[name] = found[0]
    return renamed, unmatched


def crates_in(symbol: str) -> list[str]:
    """Return the crates that a v0 symbol writes out, disambiguators included: `Cs69CMclX6d41_9hashbrown`."""
    return [found[0] + symbol[found.end() : found.end() + int(found[1])] for found in CRATE.finditer(symbol)]


def items(names: Sequence[str]) -> list[str]:
    """Return what each symbol names, without crate disambiguators, and with the auto traits of `dyn` types in one order.

    rustc orders those traits by hashes that depend on the disambiguators.
    """
    if not names:
        return []
    demangled = run_tool("c++filt", "-s", "rust", input="\n".join(names))
    return [DYN.sub(in_one_order, DISAMBIGUATOR.sub("", line)) for line in demangled.splitlines()]


def in_one_order(dyn: re.Match[str]) -> str:
    """Return a `dyn` type with its bounds sorted."""
    return "dyn " + " + ".join(sorted(dyn[1].split(" + ")))


def instantiating_crate(symbol: str) -> str | None:
    """Return the crate that instantiated a v0 symbol: the path after the item, written out or as a back reference.

    Rust reference, "v0 symbol mangling format", `symbol-name` and `backref`.
    """
    body = symbol.split(".")[0].removeprefix("_R")
    if back := re.search(r"B([0-9A-Za-z]*)_$", body):
        start = 0
        for digit in back[1]:
            start = start * 62 + BASE_62.index(digit)
        start += bool(back[1])
    else:
        starts = [found.start() for found in CRATE.finditer(body) if found.end() + int(found[1]) == len(body)]
        if not starts:
            return None
        start = starts[-1]
    found = CRATE.match(body, start)
    return body[found.end() : found.end() + int(found[1])] if found else None


def shape(symbol: str) -> str:
    """Return a v0 symbol without crate disambiguators and back references, whose digits count the disambiguators' letters.

    The disambiguators of two items of one name in one scope stay; demangling drops those.
    """
    return BACK_REFERENCE.sub("B", CRATE.sub(r"C\1", symbol))


def symbols(path: Path, *flags: str) -> Iterable[str]:
    """Return the symbols of a library or an object."""
    return [line.split()[-1] for line in run_tool("nm", *flags, path).splitlines() if line.strip()]


def run_tool(program: str, *arguments: str | Path, input: str | None = None) -> str:  # noqa: A002 - as subprocess names it
    """Run a tool of the system and return what it prints."""
    command = [program, *map(str, arguments)]
    try:
        done = subprocess.run(command, input=input, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise missing_tool(program) from None
    if done.returncode != 0:
        raise MachineError(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}")
    return done.stdout


def smoke_test(rust: Rust, library: Path) -> None:
    """Compile a tiny kernel with the backend and see that its dump appears."""
    with tempfile.TemporaryDirectory(prefix="oxide-smoke-") as folder:
        source = Path(folder, "smoke.rs")
        source.write_text(SMOKE_KERNEL)
        command = [rust.rustc, "--edition=2024", f"--out-dir={folder}", f"-Zcodegen-backend={library}", *BACKEND_FLAGS]
        command += ["-Csymbol-mangling-version=v0", os.fspath(source)]
        variables = {"RUSTC_BOOTSTRAP": "1", "PATH": os.defpath, "HOME": folder}
        done = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120, check=False)
        dumps = list(Path(folder).glob("smoke*.mir.json"))
        if done.returncode != 0 or not any(b"smoke" in dump.read_bytes() for dump in dumps):
            raise NotUsable(f"compiling a tiny kernel with the linked backend failed: {last_line(done.stderr)}")


def needs_rustc_dev(rust: Rust) -> None:
    """Refuse a rustc without the metadata of its own crates."""
    if not rust.has_rustc_dev:
        raise NotUsable(f"no rustc-dev beside it: `rustup component add rustc-dev --toolchain {rust.release}`")


def build_from_source(rust: Rust, crates: Path, cache: Cache, variables: Mapping[str, str]) -> Path:
    """Compile the backend against `rust`'s own rustc-dev and keep it for every later run."""
    target = cache.folder("build", "backend-from-source")
    command = [rust.cargo, "build", "--release", "--locked", "--target-dir", os.fspath(target)]
    environment = {**variables, "RUSTC_BOOTSTRAP": "1", "RUSTC": rust.rustc}
    done = subprocess.run(command, cwd=crates / SOURCES, env=environment, check=False)
    if done.returncode != 0:
        raise MachineError("the backend did not build from source", hint="the lines above show why")
    built = target / "release" / LIBRARY_NAME
    smoke_test(rust, built)
    library = source_path(rust, cache)
    write_entry(library, built.read_bytes(), mode=0o755)
    return library
