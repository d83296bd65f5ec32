"""What is to be built: an example, a project's folder, or a single `.rs` file.

place = find("hello_constant", here)
project = describe(place, rust, cache, variables, package=None, here=here)
project.cargo_arguments      # --manifest-path … --target-dir … --package …
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.cache.files import digest, touch, write_entry
from oxide.errors import MachineError, ProgramError, UsageError, did_you_mean
from oxide.rust.metadata import ask_cargo
from oxide.rust.settings import read
from oxide.rust.toolchain import crates_folder, examples_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oxide.cache.files import Cache
    from oxide.rust.toolchain import Rust

CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
EDITION = "2024"

ALWAYS = ("cuda-core", "cuda-device", "cuda-host")
"""What a single file may use without naming: the macros' expansions do."""

HALF = 'half = { version = "2", default-features = false }'
"""What a single file that names `half` depends on: the crate whose numbers a `DeviceBuffer` takes as it takes `f32`s."""


@dataclass(frozen=True)
class Place:
    """Where a program's sources are: a manifest, or one file without."""

    manifest: Path | None
    script: Path | None = None
    library: bool = False
    """Whether a single file is built as a library, which needs no `main`."""

    @property
    def is_virtual(self) -> bool:
        """Whether the manifest is that of a workspace without a package of its own."""
        if self.manifest is None:
            return False
        content = read(self.manifest)
        return "workspace" in content and "package" not in content


@dataclass(frozen=True)
class Project:
    """One Cargo package, and where what is made from it goes.

    `run_folder` is where the program runs and `NAME.ptx` is written: the package's folder, the caller's for a single file.
    """

    manifest: Path
    package: str
    run_folder: Path
    target_folder: Path
    lock_file: Path
    binaries: tuple[str, ...]
    default_binary: str | None
    patches: tuple[str, ...]
    dependencies: tuple[Mapping[str, Any], ...] = ()
    """What the workspace's packages ask for, as `cargo metadata` has it."""
    members: tuple[Path, ...] = ()
    """The manifests of what is meant: the package's, or those of the workspace's packages."""
    whole: bool = False
    """Whether the workspace is meant, of which `package` is the name: what cargo takes of it, or all with its `--workspace`."""

    @property
    def cargo_arguments(self) -> list[str]:
        """Arguments that name this package to cargo."""
        arguments = ["--manifest-path", os.fspath(self.manifest), "--target-dir", os.fspath(self.target_folder)]
        arguments += [] if self.whole else ["--package", self.package]
        for name in self.patches:
            arguments += ["--config", f'patch.crates-io.{name}.path="{crates_folder() / name}"']
        return arguments

    def binary_to_run(self, wanted: str | None) -> str:
        """Return the binary that `run` means."""
        if wanted is not None:
            if wanted not in self.binaries:
                raise UsageError(f"package {self.package} has no binary '{wanted}'", hint=did_you_mean(wanted, self.binaries))
            return wanted
        if self.default_binary:
            return self.default_binary
        if len(self.binaries) == 1:
            return self.binaries[0]
        if not self.binaries:
            raise UsageError(f"package {self.package} has no binary to run", hint="`oxide build` compiles its kernels")
        raise UsageError(f"package {self.package} has {len(self.binaries)} binaries", hint=f"choose with --bin: {', '.join(self.binaries)}")


def find(target: str, here: Path) -> Place:
    """Return the place that `target` names: a `.rs` file, a folder or manifest, else an example; `.` is as cargo has it, the folder or the
    nearest one above with a manifest. Raises `UsageError`.
    """
    if not target:
        raise UsageError(
            "got an empty name, expected a project, a .rs file or an example", hint="a variable may be unset; `.` is the folder you are in"
        )
    path = here / target
    if path.suffix == ".rs":
        if not path.is_file():
            raise UsageError(
                f"no file {target}", hint=did_you_mean(path.name, (other.name for other in path.parent.glob("*.rs") if other.is_file()))
            )
        return Place(manifest=None, script=path.resolve())
    if path.name == "Cargo.toml" and path.is_file():
        return Place(manifest=path.resolve())
    if (path / "Cargo.toml").is_file():
        return Place(manifest=(path / "Cargo.toml").resolve())
    examples = example_names()
    folder = examples_folder()
    if folder is not None and target in examples:
        return Place(manifest=folder / target / "Cargo.toml")
    if target == "." and (above := next((folder for folder in here.resolve().parents if (folder / "Cargo.toml").is_file()), None)):
        return Place(manifest=above / "Cargo.toml")
    if path.is_dir():
        raise UsageError(f"folder {target} has no Cargo.toml", hint="name a project's folder, a .rs file or an example")
    raise UsageError(f"'{target}' is not a project, a .rs file or an example", hint=did_you_mean(target, examples))


NO_CODE = re.compile(r"""\br(#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\[^\n]+?|[^\\\n])'|//[^\n]*|/\*.*?\*/""", re.DOTALL)
"""Texts, characters and comments."""

MAIN = re.compile(r"\bfn\s+(?:r#)?main\b|\bmain\s*[;},]|\bas\s+main\b|\binclude!")
"""What defines `main`, brings it in, or may do either."""


def find_kernels(target: str, here: Path) -> Place:
    """Return the place that `target` names, of which only the kernels are wanted: a file without `main` is a library."""
    place = find(target, here)
    if place.script is None:
        return place
    code = NO_CODE.sub(" ", place.script.read_text(errors="replace"))
    return replace(place, library=MAIN.search(code) is None)


def example_names() -> list[str]:
    """Return the names of the examples."""
    folder = examples_folder()
    return sorted(manifest.parent.name for manifest in folder.glob("*/Cargo.toml")) if folder else []


def describe(
    place: Place, rust: Rust, cache: Cache, variables: Mapping[str, str], package: str | None, here: Path, *, whole: bool = False
) -> Project:
    """Ask cargo about the project at `place`. For a single file a package is generated in the cache first.

    The project is one package, or the `whole` workspace.
    """
    manifest = place.manifest or script_package(place, cache)
    metadata = ask_cargo(rust, manifest, variables, cache)
    root = Path(metadata["workspace_root"])
    dependencies = tuple(dependency for member in metadata["packages"] for dependency in member["dependencies"])
    if whole:
        return Project(
            manifest=root / "Cargo.toml",
            package=root.name,
            run_folder=root,
            target_folder=target_folder(place, metadata, rust, cache),
            lock_file=root / "Cargo.lock",
            binaries=(),
            default_binary=None,
            patches=tuple(crates_to_patch(metadata, root / "Cargo.lock")),
            dependencies=dependencies,
            members=tuple(Path(member["manifest_path"]) for member in metadata["packages"]),
            whole=True,
        )
    chosen = choose_package(metadata, manifest, package)
    binaries = tuple(target["name"] for target in chosen["targets"] if "bin" in target["kind"])
    lock_file = root / "Cargo.lock"
    return Project(
        manifest=Path(chosen["manifest_path"]),
        package=chosen["name"],
        run_folder=here if place.script else Path(chosen["manifest_path"]).parent,
        target_folder=target_folder(place, metadata, rust, cache),
        lock_file=lock_file,
        binaries=binaries,
        default_binary=chosen.get("default_run"),
        patches=tuple(crates_to_patch(metadata, lock_file)),
        dependencies=dependencies,
        members=(Path(chosen["manifest_path"]),),
    )


def target_folder(place: Place, metadata: Mapping[str, Any], rust: Rust, cache: Cache) -> Path:
    """Return where oxide builds: inside the workspace's target folder, single files in one that they share in the cache."""
    if place.script:
        return cache.root / "target" / digest(rust.commit, rust.driver)[:16]
    return Path(metadata["target_directory"], "oxide")


def require_writable(folder: Path) -> None:
    """Raise `MachineError` where cargo could not build in `folder`, which need not be there yet."""
    there = next(place for place in (folder, *folder.parents) if os.path.exists(place))  # noqa: PTH110 - Path.exists raises
    if not os.access(there, os.W_OK | os.X_OK):
        raise MachineError(f"cannot build in {folder}: {there} cannot be written", hint="set CARGO_TARGET_DIR to a folder that can be")


def folder_to_clean(place: Place, rust: Rust, cache: Cache, variables: Mapping[str, str]) -> Path:
    """Return where oxide builds what is at `place`, which may be a workspace of many packages."""
    return target_folder(place, ask_cargo(rust, place.manifest or script_package(place, cache), variables, cache), rust, cache)


def choose_package(metadata: Mapping[str, Any], manifest: Path, wanted: str | None) -> dict[str, Any]:
    """Return the package that is meant: the one named, the manifest's own, or the workspace's only one."""
    packages: list[dict[str, Any]] = metadata["packages"]
    names = sorted(package["name"] for package in packages)
    if wanted is not None:
        matching = [package for package in packages if package["name"] == wanted]
        if not matching:
            raise UsageError(f"the workspace has no package '{wanted}'", hint=did_you_mean(wanted, names))
        return matching[0]
    own = [package for package in packages if Path(package["manifest_path"]) == manifest]
    if not own and len(packages) != 1:
        raise UsageError(
            f"{manifest} is a workspace of {len(packages)} packages",
            hint=f"choose with --package, or package= in Python: {', '.join(names)}",
        )
    return (own or packages)[0]


def crates_to_patch(metadata: Mapping[str, Any], lock_file: Path) -> list[str]:
    """Return which of our crates the workspace takes from crates.io, where other owners hold those names.

    Only those are patched, since cargo complains about a patch that nothing uses.
    """
    ours = our_crates()
    asked = {
        dependency["name"]
        for package in metadata["packages"]
        for dependency in package["dependencies"]
        if dependency["source"] == CRATES_IO
    }
    return sorted(ours & (asked | asked_by_locked(lock_file, ours)))


def asked_by_locked(lock_file: Path, ours: Iterable[str]) -> set[str]:
    """Return which of `ours` the locked packages from crates.io depend on; those can only ask crates.io."""
    try:
        text = lock_file.read_text()
    except OSError:
        return set()
    if not any(f'"{name}"' in text for name in ours):
        return set()
    import tomllib

    packages = tomllib.loads(text).get("package", [])
    return {
        dependency.split()[0]
        for package in packages
        if package.get("source", "").startswith("registry+")
        for dependency in package.get("dependencies", [])
    }


def our_crates() -> set[str]:
    """Return the names of the crates that programs depend on."""
    return {manifest.parent.name for manifest in crates_folder().glob("*/Cargo.toml")} - {"oxide-cpu", "rustc-codegen-oxide"}


def check_patches_used(project: Project) -> None:
    """Raise `ProgramError` where cargo left one of our patches unused: the version asked for is none of ours."""
    if not project.patches:
        return
    try:
        _, _, unused = project.lock_file.read_text().partition("[[patch.unused]]")
    except OSError:
        return
    for name in project.patches:
        if f'name = "{name}"' in unused:
            raise ProgramError(
                f"package {project.package} asks crates.io for a version of {name} that oxide does not have",
                hint=f'depend on {name} = "{version_of(name)}"',
            )


def unresolved(project: Project) -> ProgramError:
    """Return the error for a package whose dependencies cargo could not resolve, which may name a version that oxide does not have."""
    versions = ", ".join(f"{name} {version_of(name)}" for name in project.patches)
    return ProgramError(
        f"package {project.package} did not get as far as compiling", hint=f"in the place of crates.io's oxide has {versions}"
    )


def version_of(crate: str) -> str:
    """Return the version of one of our crates."""
    import tomllib

    manifest = tomllib.loads((crates_folder() / crate / "Cargo.toml").read_text())
    version = manifest["package"]["version"]
    if isinstance(version, str):
        return version
    workspace = tomllib.loads((crates_folder() / "Cargo.toml").read_text())
    return str(workspace["workspace"]["package"]["version"])


def script_folder(place: Place, cache: Cache) -> Path:
    """Return where the package lies that builds a single file: by the file's path, and the versions that set-up fetched."""
    assert place.script is not None
    return cache.root / "scripts" / digest(os.fspath(place.script), locked_versions(), "library" if place.library else "program")


def locked_versions() -> bytes:
    """Return the versions that set-up fetched: what a file needs of them is then there without a network."""
    lock = crates_folder() / "Cargo.lock"
    return lock.read_bytes() if lock.exists() else b""


RESERVED = """
    abstract alloc as async auto aux await become bool box break build char con const continue core crate default deps do dyn else enum
    example examples extern f16 f32 f64 f128 false final fn for gen i8 i16 i32 i64 i128 if impl in incremental isize let loop macro
    macro-rules match mod move mut nul override priv prn proc-macro pub raw ref return safe self static std str struct super test trait
    true try type typeof u8 u16 u32 u64 u128 union unsafe unsized use usize virtual where while yield
"""
"""Names that cargo or rustc takes for no crate: keywords, primitive types, rustc's own crates, folders of a build, devices of Windows."""


def script_package(place: Place, cache: Cache) -> Path:
    """Write the package that builds a single file and return its manifest."""
    script = place.script
    if script is None:
        raise ValueError("a place has a manifest or a script")
    manifest = script_manifest(script, library=place.library)
    versions = locked_versions()
    folder = script_folder(place, cache)
    write_entry(folder / "Cargo.toml", f"{manifest}\n[workspace]\n".encode())
    if versions and not (folder / "Cargo.lock").is_file():
        write_entry(folder / "Cargo.lock", versions)
    touch(folder)
    return folder / "Cargo.toml"


def script_manifest(script: Path, *, library: bool) -> str:
    """Return the manifest of the package that builds a single file: a program or a library, with the crates that its text names."""
    crates = crates_folder()
    if not crates.is_dir():
        raise MachineError(f"the crates are not at {crates}", hint="install oxide again")
    name = re.sub(r"[^A-Za-z0-9_-]", "_", script.stem)
    # cargo asks which is meant where a dependency has the file's name.
    taken = {*our_crates(), *re.findall(r'^name = "(.*)"$', locked_versions().decode(), re.MULTILINE)}
    if not name[:1].isalpha() or name.lower().replace("_", "-") in {*RESERVED.split(), *(other.replace("_", "-") for other in taken)}:
        name = f"script_{name}"
    text = script.read_text(errors="replace")
    used = set(re.findall(r"\bcuda_[a-z]+\b", text))
    dependencies = sorted(crate for crate in our_crates() if crate in ALWAYS or crate.replace("-", "_") in used)
    lines = [
        "[package]",
        f'name = "{name}"',
        'version = "0.0.0"',
        f'edition = "{EDITION}"',
        "",
        "[lib]" if library else "[[bin]]",
        # cargo takes no hyphen in the name of a library, which Rust could not name.
        f'name = "{name.replace("-", "_") if library else name}"',
    ]
    lines += [f"path = {json.dumps(os.fspath(script))}", "", "[dependencies]"]
    features = {"cuda-host": ', features = ["async"]'} if "cuda-async" in dependencies else {}
    lines += [f"{crate} = {{ path = {json.dumps(os.fspath(crates / crate))}{features.get(crate, '')} }}" for crate in dependencies]
    if re.search(r"\bhalf\b", text) and not re.search(r"\bmod\s+half\b", text):
        lines.append(HALF)
    return "\n".join(lines) + "\n"
