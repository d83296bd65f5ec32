"""`oxide new`: create a project."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oxide.cli import ui
from oxide.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

EPILOG = """\b
Examples:
  oxide new saxpy && cd saxpy && oxide run && oxide test
  oxide new --lib kernels
  oxide new --python kernels && cd kernels && pip install numpy pytest && python main.py && pytest
"""

CARGO_CONFIG = ".cargo/config.toml"
CARGO_CONFIG_HEAD = "# Written by oxide: where its crates are on this machine, for plain cargo and editors.\n"

KEYWORDS = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let loop macro match
mod move mut override priv pub ref return self static struct super trait true try type typeof unsafe unsized use virtual where while yield
"""
"""Rust reference, "Keywords"."""

TAKEN = frozenset(
    {*KEYWORDS.split(), "Self", "_", "alloc", "core", "proc_macro", "std", "test", "build", "deps", "examples", "incremental"}
)
"""Words that cannot name a crate: keywords, the compiler's own crates, and folders of cargo's."""


@click.command("new", epilog=EPILOG)
@click.argument("path", type=click.Path())
@click.option("--lib", is_flag=True, help="Create a library with a test file.")
@click.option("--python", is_flag=True, help="Create a library, and Python code that launches its kernel.")
@click.option("--name", help="The package's name. [default: the folder's name]")
def command(path: str, lib: bool, python: bool, name: str | None) -> int:
    """Create a project at PATH, for `oxide run`, `oxide test`, and plain `cargo check`.

    Its Cargo.toml names oxide's crates by version. oxide supplies its own copies; .cargo/config.toml contains their
    paths on this machine, for plain cargo and editors.
    """
    from oxide.cache.files import write_atomically
    from oxide.rust.project import ALWAYS
    from oxide.rust.settings import workspace_of
    from oxide.rust.toolchain import crates_folder

    if not path.strip():
        raise UsageError("got an empty name, expected a folder for the project", hint="a variable may be unset; `.` is the current folder")
    folder = Path(path).absolute()
    package = check_name(folder.name if name is None else name, named=name is not None)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{path} already exists", hint="name a folder that is new or empty")
    outer = workspace_of(folder.resolve() / "Cargo.toml")
    for file, text in files(["lib", "python"] if python else ["lib"] if lib else ["bin"], package).items():
        write_atomically(folder / file, text.encode())
    write_cargo_config(folder, ALWAYS)
    if outer is not None:
        manifest = folder / "Cargo.toml"
        manifest.write_text(f"{manifest.read_text()}\n# a workspace of its own, apart from {os.path.relpath(outer, folder)}\n[workspace]\n")
    if (lock := crates_folder() / "Cargo.lock").exists():
        # The versions that set-up fetched, so that the project builds without a network; cargo removes those that it does not need.
        asks = ", ".join(f'"{crate}"' for crate in sorted(ALWAYS))
        own = f'\n[[package]]\nname = "{package}"\nversion = "0.1.0"\ndependencies = [{asks}]\n'
        write_atomically(folder / "Cargo.lock", lock.read_bytes() + own.encode())
    commands = "`oxide run` and `oxide test`"
    if python or lib:
        commands = "`python main.py`, `pytest` and `oxide test`" if python else "`oxide test`"
    ui.say(f"wrote {'library' if python or lib else 'program'} `{package}` in {path}; to try it there: {commands}")
    if python:
        from oxide.tools.finders import REPOSITORY

        # Where oxide is installed, this Python has it.
        checkout = (REPOSITORY / "oxide").exists()
        pip = f"pip install {shlex.quote(os.fspath(REPOSITORY))}" if checkout else f"{shlex.quote(sys.executable)} -m pip install"
        ui.say(f"its Python needs oxide, NumPy and pytest: `{pip} numpy pytest`")
    return 0


def check_name(name: str, *, named: bool) -> str:
    """Return a package's name; raise `UsageError` where cargo, or rustc, would not take it. The Cargo Book, "The name field"."""
    from oxide.rust.project import our_crates

    crate = name.replace("-", "_")
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name) is None:
        reason = "letters, digits, - and _, and no digit first"
    elif crate in TAKEN:
        reason = "not a keyword of Rust or cargo"
    elif crate in {ours.replace("-", "_") for ours in our_crates()}:
        reason = "none of oxide's own crates"
    else:
        return name
    raise UsageError(f"got '{name}' for a package's name, expected {reason}", hint="choose another" if named else "choose one with --name")


def files(kinds: Sequence[str], package: str) -> dict[str, str]:
    """Return what a new project of these kinds together holds: paths and texts."""
    from oxide.rust.project import version_of

    templates = Path(__file__).parents[1] / "rust" / "templates"
    found = ((kind, path) for kind in kinds for path in (templates / kind).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    texts = {path.relative_to(templates / kind).as_posix(): path.read_text() for kind, path in found}
    manifest = (templates / "Cargo.toml").read_text().replace("NAME", package).replace("VERSION", version_of("cuda-core"))
    sources = {path: text.replace("NAME", package.replace("-", "_")) for path, text in texts.items()}
    return {"Cargo.toml": manifest, ".gitignore": (templates / "gitignore").read_text(), **sources}


def write_cargo_config(folder: Path, crates: Collection[str]) -> Path:
    """Write where `crates` of ours are into the cargo configuration of the project in `folder`; return the file.

    Raises `UsageError` where a configuration that is not ours is there.
    """
    from oxide.cache.files import write_atomically
    from oxide.rust.toolchain import crates_folder

    lines = [f"{crate} = {{ path = {json.dumps(os.fspath(crates_folder() / crate))} }}" for crate in sorted(crates)]
    text = "\n".join(["[patch.crates-io]", *lines, ""])
    file = folder / CARGO_CONFIG
    if file.exists() and not file.read_text().startswith(CARGO_CONFIG_HEAD):
        raise UsageError(f"{file} already exists", hint=f"add to it:\n{text}")
    write_atomically(file, f"{CARGO_CONFIG_HEAD}{text}".encode())
    return file
