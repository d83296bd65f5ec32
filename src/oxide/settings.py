"""What a project says of how it is built, in `oxide.toml` or in its Cargo.toml.

    project_settings(place.manifest, package=None)        # {"arch": "sm_90a", "fmad": False}

| where | table |
| --- | --- |
| `oxide.toml` beside a package's Cargo.toml, or beside a single `.rs` file | `[build]` |
| a package's Cargo.toml | `[package.metadata.oxide]` |
| `oxide.toml` beside a workspace's Cargo.toml | `[build]` |
| a workspace's Cargo.toml | `[workspace.metadata.oxide]` |

What a package says comes before what its workspace says. One package, or one workspace, says a thing in one of its two places: the same key
in both is an error. A path is relative to the file that it stands in.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYS: dict[str, tuple[str, type[Any]]] = {
    "arch": ("arch", str),
    "device": ("device", str),
    "profile": ("profile", str),
    "build-std": ("build_std", bool),
    "fmad": ("fmad", bool),
    "fast-math": ("fast_math", bool),
    "opt-level": ("opt_level", int),
    "llc": ("llc", Path),
    "libdevice": ("libdevice", Path),
    "ptx-dir": ("ptx_dir", Path),
}
"""Each key: the option that it sets, and its type."""

TYPE_NAMES = {str: "text", bool: "true or false", int: "a number", Path: "a path"}


def project_settings(manifest: Path | None, script: Path | None = None, package: str | None = None) -> dict[str, Any]:
    """Return the options that are set for the package at `manifest`, or for its workspace's member `package`, or for a single file.

    Raises `UsageError` for a key or a value that is not known, and for one that is said twice.
    """
    if manifest is None:
        return {} if script is None else from_project_file(script.with_name("oxide.toml"))
    workspace = workspace_of(manifest)
    if package is not None and workspace is not None:
        manifest = member(workspace, package) or manifest
    shared = said_at(workspace, "workspace") if workspace is not None else {}
    own = said_at(manifest, "package") if manifest != workspace or "package" in read(manifest) else {}
    return shared | own


def said_at(manifest: Path, owner: str) -> dict[str, Any]:
    """Return what a package, or a workspace, says in its two places."""
    file = manifest.with_name("oxide.toml")
    in_file = from_project_file(file)
    heading = f"[{owner}.metadata.oxide]"
    table = read(manifest).get(owner, {}).get("metadata", {}).get("oxide", {}) if mentions(manifest, "metadata") else {}
    in_manifest = options_of(table, manifest, heading)
    for name in sorted(in_file.keys() & in_manifest.keys()):
        key = next(key for key, (option, _) in KEYS.items() if option == name)
        raise UsageError(f"'{key}' is said twice: in [build] of {file} and in {heading} of {manifest}", hint="keep one of the two")
    return in_file | in_manifest


def from_project_file(file: Path) -> dict[str, Any]:
    """Return what the `[build]` table of an oxide.toml says; no file says nothing."""
    return options_of(read(file).get("build", {}), file, "[build]") if file.is_file() else {}


def options_of(table: Any, file: Path, heading: str) -> dict[str, Any]:
    """Return the options that a table of `file` sets."""
    if not isinstance(table, dict):
        raise UsageError(f"{file}: got {table!r} for {heading}, expected a table")
    options: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            raise UsageError(f"{file}: unknown key '{key}' in {heading}", hint=did_you_mean(key, KEYS))
        name, kind = KEYS[key]
        if type(value) is not (str if kind is Path else kind):
            raise UsageError(f"{file}: got {value!r} for '{key}', expected {TYPE_NAMES[kind]}")
        options[name] = Path(file.parent, str(value)) if kind is Path else value
    return options


def workspace_of(manifest: Path) -> Path | None:
    """Return the manifest of the workspace that a package is in, found as cargo finds it.

    The Cargo Book, "Workspaces": `package.workspace`, else the first manifest with `[workspace]` on the way up that does not exclude it.
    """
    named = read(manifest).get("package", {}).get("workspace") if mentions(manifest, "workspace") else None
    if isinstance(named, str):
        return (manifest.parent / named / "Cargo.toml").resolve()
    for folder in manifest.parent, *manifest.parent.parents:
        candidate = folder / "Cargo.toml"
        if mentions(candidate, "workspace") and "workspace" in (content := read(candidate)):
            excluded = content["workspace"].get("exclude", [])
            return None if any(manifest.is_relative_to((folder / path).resolve()) for path in excluded) else candidate
    return None


def member(workspace: Path, package: str) -> Path | None:
    """Return the manifest of a workspace's member; None where there is none of that name, which cargo says better."""
    return next((manifest for manifest in members(workspace) if read(manifest).get("package", {}).get("name") == package), None)


def members(workspace: Path) -> Iterator[Path]:
    """Yield the manifests of a workspace: its own and those that `members` names. The Cargo Book, "The members and exclude fields"."""
    yield workspace
    for pattern in read(workspace).get("workspace", {}).get("members", []):
        yield from sorted(manifest.resolve() for manifest in workspace.parent.glob(f"{pattern}/Cargo.toml"))


def mentions(file: Path, word: str) -> bool:
    """Whether a file is there and holds a word; looking costs less than reading TOML."""
    try:
        return word.encode() in file.read_bytes()
    except OSError:
        return False


def read(file: Path) -> Mapping[str, Any]:
    """Return the content of a TOML file. Raises `UsageError` where it is none."""
    import tomllib

    try:
        return tomllib.loads(file.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not TOML: {str(error).lower()}") from None
