"""What cargo says of a workspace is remembered until it would say something else."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from oxide import options
from oxide.cache.files import Cache
from oxide.errors import ProgramError
from oxide.rust import metadata, toolchain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PACKAGE = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2024"\n'
LIBRARY = '[lib]\npath = "/dev/null"\n'


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[list[str], int]]:
    """Ask for the names of all targets, and tell how often cargo was asked up to now."""
    environment = options.environment()
    rust = toolchain.find_rust(None, environment, Cache(environment.cache))
    own = tmp_path / "own"
    (own / "src").mkdir(parents=True)
    (own / "Cargo.toml").write_text(PACKAGE.format("own") + '[workspace]\nmembers = ["more/*"]\n')
    (own / "src" / "main.rs").touch()
    (own / "more" / "zero").mkdir(parents=True)
    (own / "more" / "zero" / "Cargo.toml").write_text(PACKAGE.format("zero") + LIBRARY)
    calls: list[object] = []
    run = subprocess.run

    def counted(*arguments: Any, **named: Any) -> Any:
        calls.append(arguments)
        return run(*arguments, **named)

    monkeypatch.setattr(subprocess, "run", counted)

    def names() -> tuple[list[str], int]:
        time.sleep(3 * metadata.CLOCK_TICK / 1e9)  # what changed just now is not remembered
        found = metadata.ask_cargo(rust, own / "Cargo.toml", environment.variables, Cache(tmp_path / "cache"))
        return sorted(target["name"] for package in found["packages"] for target in package["targets"]), len(calls)

    return names


def test_what_is_remembered_of_projects_is_bounded(
    ask: Callable[[], tuple[list[str], int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "MAX_METADATA_BYTES", 50_000)
    kept = tmp_path / "cache" / "metadata"
    kept.mkdir(parents=True)
    for number in range(3):
        (kept / str(number)).write_bytes(bytes(20_000))
        os.utime(kept / str(number), ns=(number, number))
    ask()
    assert not (kept / "0").exists()
    assert (kept / "2").exists()
    assert ask()[1] == 1


def test_it_is_asked_once(ask: Callable[[], tuple[list[str], int]]) -> None:
    assert [ask(), ask(), ask()] == [(["own", "zero"], 1)] * 3


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("own/src/bin/second.rs", "", ["own", "second", "zero"]),
        ("own/src/bin/folder/main.rs", "", ["folder", "own", "zero"]),
        ("own/src/lib.rs", "", ["own", "own", "zero"]),
        ("own/Cargo.toml", PACKAGE.format("own") + '[[bin]]\nname = "other"\npath = "src/main.rs"\n[workspace]\n', ["other"]),
        ("own/more/one/Cargo.toml", PACKAGE.format("one") + LIBRARY, ["one", "own", "zero"]),
    ],
)
def test_what_changes_the_answer_is_noticed(
    ask: Callable[[], tuple[list[str], int]], tmp_path: Path, file: str, text: str, expected: list[str]
) -> None:
    assert ask() == (["own", "zero"], 1)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text)
    os.utime(tmp_path / file, ns=(1, 1))
    assert ask() == (expected, 2)
    assert ask() == (expected, 2)


def test_a_configuration_that_appears_is_noticed(ask: Callable[[], tuple[list[str], int]], tmp_path: Path) -> None:
    assert ask()[1] == 1
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text('[build]\ntarget-dir = "elsewhere"\n')
    assert ask()[1] == 2


@pytest.mark.parametrize("file", ["Cargo.toml", "src/lib.rs", "more/zero/Cargo.toml"])
def test_what_changes_while_cargo_reads_is_noticed(
    ask: Callable[[], tuple[list[str], int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    run = subprocess.run
    changed = tmp_path / "own" / file

    def changing(*arguments: Any, **named: Any) -> Any:
        done = run(*arguments, **named)
        changed.write_text(changed.read_text().replace('name = "', 'name = "new') if changed.exists() else "")
        os.utime(changed, ns=(1, 1))
        return done

    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", changing)
        assert ask()[0] == ["own", "zero"]
    assert ask()[0] != ["own", "zero"]


def test_a_failure_is_not_remembered(ask: Callable[[], tuple[list[str], int]], tmp_path: Path) -> None:
    manifest = tmp_path / "own" / "Cargo.toml"
    good = manifest.read_text()
    manifest.write_text("[package")
    with pytest.raises(ProgramError, match="cargo cannot read"):
        ask()
    manifest.write_text(good)
    assert ask()[0] == ["own", "zero"]
