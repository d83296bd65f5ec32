"""`oxide build` of a whole workspace: what of it goes where, and what of it does not compile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from demo import KERNEL, MAIN

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = KERNEL + MAIN.replace("let mut x = 0;", "let mut x: bool = 0;")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of a library with kernels, a program with kernels that uses it, and a program with others."""
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["shapes", "first", "second"]\nresolver = "3"\n')
    uses = "fn main() { unsafe { shapes::store(&mut 0); store(&mut 0) } }"
    add(tmp_path / "shapes", "lib.rs", KERNEL)
    add(tmp_path / "first", "main.rs", KERNEL + uses, 'shapes = { path = "../shapes" }\n')
    add(tmp_path / "second", "main.rs", KERNEL + MAIN)
    return tmp_path


def add(folder: Path, file: str, text: str, dependencies: str = "") -> None:
    """Write a package."""
    (folder / "src").mkdir(parents=True)
    (folder / "src" / file).write_text(text)
    package = f'[package]\nname = "{folder.name}"\nversion = "0.1.0"\nedition = "2024"\n'
    (folder / "Cargo.toml").write_text(f"{package}[dependencies]\n{dependencies}")


def build(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [sys.executable, "-m", "oxide", "build", "--device", "cpu", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def modules(folder: Path) -> list[str]:
    """Return where PTX lies."""
    return sorted(os.fspath(path.relative_to(folder)) for path in folder.rglob("*.ptx"))


def test_each_package_gets_what_it_carries(folder: Path) -> None:
    carried = ["first/first.ptx", "first/shapes.ptx", "second/second.ptx", "shapes/shapes.ptx"]
    for _ in range(2):  # compiled, then found fresh
        done = build(folder, "--workspace")
        assert done.returncode == 0, done.stderr
        assert modules(folder) == carried
        for module in carried:
            (folder / module).unlink()


def test_all_goes_into_one_folder(folder: Path) -> None:
    done = build(folder, ".", "--workspace", "--emit=mir,ptx", "--out-dir", folder / "out")
    assert done.returncode == 0, done.stderr
    stems = ("first", "second", "shapes")
    assert {path.name for path in (folder / "out").iterdir()} == {f"{stem}.{kind}" for stem in stems for kind in ("mir", "ptx")}


def test_without_going_on_nothing_is_written(folder: Path) -> None:
    (folder / "second" / "src" / "main.rs").write_text(BROKEN)
    done = build(folder, "--workspace")
    assert done.returncode == 1
    assert "error[E0308]" in done.stderr
    assert modules(folder) == []


def test_what_compiles_is_written_where_cargo_goes_on(folder: Path) -> None:
    (folder / "shapes" / "src" / "lib.rs").write_text(KERNEL.replace("42", "true"))
    done = build(folder, "--workspace", "--keep-going")
    assert done.returncode == 1
    assert "error[E0308]" in done.stderr
    assert modules(folder) == ["second/second.ptx"]


def test_one_kind_to_a_file_is_not_written_where_something_failed(folder: Path) -> None:
    (folder / "second" / "src" / "main.rs").write_text(BROKEN)
    done = build(folder, "-p", "second", "--keep-going", "-o", "kernels.ptx")
    assert done.returncode == 1
    assert not (folder / "kernels.ptx").exists()


def test_messages_are_cargos(folder: Path) -> None:
    """Each diagnostic names its package, and stderr has only cargo's progress."""
    (folder / "second" / "src" / "main.rs").write_text(BROKEN)
    done = build(folder, "--workspace", "--keep-going", "--message-format=json")
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [message for message in messages if message["reason"] == "compiler-message" and message["message"]["code"]]
    assert {(error["target"]["name"], error["message"]["code"]["code"]) for error in errors} == {("second", "E0308")}
    assert messages[-1] == {"reason": "build-finished", "success": False}
    assert "E0308" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--workspace", "-p", "first"), "got --workspace with --package or --bin, expected one of them"),
        (("--workspace", "--bin", "first"), "got --workspace with --package or --bin, expected one of them"),
        (("-p", "first", "-o", "-", "--message-format=json"), "-o - and --message-format=json both write to stdout"),
    ],
)
def test_what_does_not_go_together(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    done = build(folder, *arguments)
    assert done.returncode == 2
    assert f"error: {message}" in done.stderr
