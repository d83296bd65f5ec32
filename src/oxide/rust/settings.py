"""What a project says of how it is built, in `oxide.toml` or in its Cargo.toml.

    project_settings(place.manifest, package=None)        # {"arch": "sm_90a", "fmad": False}

| where | table |
| --- | --- |
| `oxide.toml` beside a package's Cargo.toml, or beside a single `.rs` file | `[build]` |
| a package's Cargo.toml | `[package.metadata.oxide]` |
| `oxide.toml` beside a workspace's Cargo.toml | `[build]` |
| a workspace's Cargo.toml | `[workspace.metadata.oxide]` |

How its artifacts are kept stands in a table of its own: `[cache]` of oxide.toml, or `[package.metadata.oxide.cache]`.

What a package says comes before what its workspace says. One package, or one workspace, says a thing in one of its two places: the same key
in both is an error. A path is relative to the file that it stands in.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.errors import UsageError, did_you_mean, reason_of
from oxide.options import Environment
from oxide.rust.resolve import resolve_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEYS: dict[str, tuple[str, type[Any]]] = {
    "arch": ("arch", str),
    "ptx-version": ("ptx_version", str),
    "code": ("code", str),
    "cubin": ("cubin", bool),
    "device": ("device", str),
    "profile": ("profile", str),
    "build-std": ("build_std", bool),
    "fmad": ("fmad", bool),
    "fast-math": ("fast_math", bool),
    "debug-info": ("debug_info", str),
    "opt-level": ("opt_level", int),
    "llc": ("llc", Path),
    "libdevice": ("libdevice", Path),
    "ptx-dir": ("ptx_dir", Path),
    "install": ("install", bool),
}
"""Each key: the option that it sets, and its type."""

CACHE_KEYS: dict[str, tuple[str, type[Any]]] = {
    "size": ("cache_size", str),
    "remote": ("remote_cache", str),
    "mode": ("remote_cache_mode", str),
    "timeout": ("remote_cache_timeout", float),
}
"""Those of the cache. The secret is no setting: it would lie beside the sources."""

TABLES = ("build", "cache", "example")
"""Those of an oxide.toml; `example` is what the tests are to see of an example."""

TYPE_NAMES = {str: "text", bool: "true or false", int: "a number", float: "a number", Path: "a path"}


def project_settings(manifest: Path | None, script: Path | None = None, package: str | None = None) -> dict[str, Any]:
    """Return the options that are set for the package at `manifest`, or for its workspace's member `package`, or for a single file.

    Raises `UsageError` for a key or a value that is not known, and for one that is said twice.
    """
    if manifest is None:
        return {} if script is None else from_project_file(script.with_name("oxide.toml"))
    workspace = workspace_of(manifest)
    if package is not None and workspace is not None:
        manifest = member(workspace, package) or manifest
    shared = settings_at(workspace, "workspace") if workspace is not None else {}
    own = settings_at(manifest, "package") if manifest != workspace or "package" in read(manifest) else {}
    return shared | own


def settings_at(manifest: Path, owner: str) -> dict[str, Any]:
    """Return what a package, or a workspace, says in its two places."""
    file = manifest.with_name("oxide.toml")
    in_file = from_project_file(file)
    heading = f"[{owner}.metadata.oxide]"
    table = read(manifest).get(owner, {}).get("metadata", {}).get("oxide", {}) if mentions(manifest, "metadata") else {}
    build, cache = (without(table, "cache"), table.get("cache", {})) if isinstance(table, dict) else (table, {})
    in_manifest = options_of(build, manifest, heading, KEYS)
    in_manifest |= options_of(cache, manifest, f"[{owner}.metadata.oxide.cache]", CACHE_KEYS)
    for name in sorted(in_file.keys() & in_manifest.keys()):
        key, keys = next((key, keys) for keys in (KEYS, CACHE_KEYS) for key, (option, _) in keys.items() if option == name)
        table_in_file = "[build]" if keys is KEYS else "[cache]"
        raise UsageError(
            f"duplicate setting '{key}': in {table_in_file} of {file} and in {heading} of {manifest}", hint="keep one of the two"
        )
    return in_file | in_manifest


def from_project_file(file: Path) -> dict[str, Any]:
    """Return what the tables of an oxide.toml say; no file says nothing."""
    content = read(file) if os.path.lexists(file) else {}
    for key in content:
        if key in KEYS:
            raise UsageError(f"{place_of(file, '', key)}: '{key}' is outside a table", hint="put it below a line `[build]`")
        if key not in TABLES:
            message = f"{place_of(file, key)}: unknown table '{key}', expected [build] or [cache]"
            raise UsageError(message, hint=did_you_mean(key, TABLES[:2]))
    build, cache = content.get("build", {}), content.get("cache", {})
    return options_of(build, file, "[build]", KEYS) | options_of(cache, file, "[cache]", CACHE_KEYS)


def without(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a table without one of its keys."""
    return {key: value for key, value in table.items() if key != name}


def options_of(table: Any, file: Path, heading: str, keys: Mapping[str, tuple[str, type[Any]]]) -> dict[str, Any]:
    """Return the options that a table of `file` sets. Raises `UsageError`, which names the line."""
    if not isinstance(table, dict):
        raise UsageError(f"{place_of(file, '', heading.strip('[]'))}: got {table!r} for {heading}, expected a table")
    options: dict[str, Any] = {}
    for key, value in table.items():
        if key not in keys:
            raise UsageError(f"{place_of(file, heading, key)}: unknown key '{key}' in {heading}", hint=did_you_mean(key, keys))
        name, kind = keys[key]
        if type(value) is not (str if kind is Path else kind) and not (kind is float and type(value) is int):
            raise UsageError(f"{place_of(file, heading, key)}: got {value!r} for '{key}', expected {TYPE_NAMES[kind]}")
        options[name] = Path(file.parent, str(value)) if kind is Path else value
        check({name: options[name]}, file, heading, key)
    return options


def check(option: Mapping[str, Any], file: Path, heading: str, key: str) -> None:
    """Raise `UsageError` for a value that an option does not have; it names the line.

    Values that exclude each other are for who merges them: a command line may say something else.
    """
    try:
        resolve_options(Environment({"HOME": "/"}), option)
    except UsageError as error:
        raise UsageError(f"{place_of(file, heading, key)}: {error.message}", hint=error.hint) from None


def place_of(file: Path, heading: str, key: str | None = None) -> str:
    """Return where a table, or a key of it, stands: the file and its line, without one where the table is spelled in another way.

    The file is TOML already, so that its lines tell, but for lines of a text of several that look like a table.
    """
    wanted = heading.strip("[]")
    table = ""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if (found := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line)) is not None:
            table = re.sub(r'[\s"]', "", found[1])
            if key is None and wanted in (table, table.partition(".")[0]):
                return f"{file}:{number}"
        elif key is not None and table == wanted and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""", line):
            return f"{file}:{number}"
    return os.fspath(file)


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
        if not file.is_file() and not file.is_dir() and file.exists():
            raise UsageError(f"{file} is no file")  # a pipe would wait for who writes
        return tomllib.loads(file.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        found = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error))
        place, message = (f"{file}:{found[2]}:{found[3]}", found[1]) if found else (file, str(error))
        raise UsageError(f"{place} is not TOML: {message.lower()}") from None
    except OSError as error:
        raise UsageError(f"cannot read {file}: {reason_of(error)}") from None
