"""`oxide new`: what it writes, and that plain cargo and rustfmt take it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from oxide import options
from oxide.cache.files import Cache
from oxide.cli.fmt import find_tool
from oxide.cli.main import run
from oxide.errors import MachineError
from oxide.options import environment
from oxide.rust import project, toolchain
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def target_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all projects of this file build, so that what they depend on is compiled once."""
    return tmp_path_factory.mktemp("target")


@pytest.mark.timeout(600)  # it compiles what crates depend on
@pytest.mark.parametrize("kind", [[], ["--lib"]])
def test_a_new_project_runs_and_passes_its_tests_without_a_network(
    kind: list[str], target_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")
    monkeypatch.setenv("CARGO_TARGET_DIR", str(target_folder))
    assert run(["new", *kind, "first-try"]) == 0
    assert "wrote" in capfd.readouterr().err
    folder = tmp_path / "first-try"
    monkeypatch.chdir(folder)
    if not kind:
        assert run(["run", "--device", "cpu"]) == 0
        assert capfd.readouterr().out == "2 * 999 + 1 = 1999\n"
    assert run(["test", "--device", "cpu"]) == 0
    out = capfd.readouterr().out
    assert "test result: FAILED" not in out
    assert out.count("... ok") == (2 if kind else 1)
    lock = tomllib.loads((folder / "Cargo.lock").read_text())
    assert {"first-try", "cuda-core"} <= {package["name"] for package in lock["package"]}


@pytest.mark.timeout(600)
def test_the_next_project_compiles_none_of_the_crates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")
    for name in ("first", "second"):
        assert run(["new", name]) == 0
        capfd.readouterr()
        assert run(["run", name, "--device", "cpu"]) == 0
        out, err = capfd.readouterr()
        assert out == "2 * 999 + 1 = 1999\n"
    assert [line.split()[1] for line in err.splitlines() if "Compiling" in line] == ["second"]


def test_a_kernel_is_launched_from_python(
    target_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")
    monkeypatch.setenv("CARGO_TARGET_DIR", str(target_folder))
    assert run(["new", "--python", "mixed"]) == 0
    err = capfd.readouterr().err
    assert "`python main.py`, `pytest` and `oxide test`" in err
    assert f"its Python needs oxide, NumPy and pytest: `pip install {finders.REPOSITORY} numpy pytest`" in err
    done = subprocess.run([sys.executable, "main.py"], cwd=tmp_path / "mixed", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2 * 999 + 1 = 1999.0\n"
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    assert subprocess.run(tests, cwd=tmp_path / "mixed", capture_output=True, check=False).returncode == 0


def test_plain_cargo_finds_the_crates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "plain"]) == 0
    environment = options.environment()
    rust = toolchain.find_rust(None, environment, Cache(environment.cache))
    command = [rust.cargo, "metadata", "--offline", "--format-version=1", "--manifest-path", str(tmp_path / "plain" / "Cargo.toml")]
    done = subprocess.run(
        command, cwd=tmp_path / "plain", env={**environment.variables, "RUSTC": rust.rustc}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    assert f'"manifest_path":"{toolchain.crates_folder()}/cuda-core/Cargo.toml"' in done.stdout


def test_what_is_written_is_formatted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "one"]) == run(["new", "--lib", "two"]) == 0
    try:
        rustfmt = find_tool("rustfmt", environment())
    except MachineError as error:
        pytest.skip(error.message)
    subprocess.run([rustfmt, "--check", "--edition", project.EDITION, *map(str, tmp_path.rglob("*.rs"))], check=True)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("9lives", "letters, digits, - and _, and no digit first"),
        ("no.dots", "letters, digits, - and _, and no digit first"),
        ("match", "not a keyword of Rust or cargo"),
        ("proc-macro", "not a keyword of Rust or cargo"),
        ("cuda_core", "none of oxide's own crates"),
        ("_", "not a keyword of Rust or cargo"),
        ("Self", "not a keyword of Rust or cargo"),
        ("a\nb", "letters, digits, - and _, and no digit first"),
    ],
)
def test_a_name_that_cargo_would_not_take(
    name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", name]) == 2
    assert capfd.readouterr().err == f"error: got '{name}' for a package's name, expected {reason}\nhint: choose one with --name\n"
    assert not (tmp_path / name).exists()
    assert run(["new", name, "--name", "fine"]) == 0
    assert 'name = "fine"' in (tmp_path / name / "Cargo.toml").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "got an empty name, expected a folder for the project"),
        ([" "], "got an empty name, expected a folder for the project"),
        (["fine", "--name", ""], "got '' for a package's name, expected letters"),
        (["fine/.."], "got '..' for a package's name, expected letters"),
    ],
)
def test_no_name_is_no_project(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", *arguments]) == 2
    assert capfd.readouterr().err.startswith(f"error: {message}")
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    assert run(["new", "mine"]) == 2
    assert capfd.readouterr().err == "error: mine already exists\nhint: name a folder that is new or empty\n"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["file"]


def test_inside_a_workspace_it_is_one_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["other"]\n')
    monkeypatch.chdir(tmp_path)
    assert run(["new", "inner"]) == 0
    assert tomllib.loads((tmp_path / "inner" / "Cargo.toml").read_text())["workspace"] == {}


def test_set_up_tells_plain_cargo_on_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["new", "cloned"]) == 0
    config = tmp_path / "cloned" / ".cargo" / "config.toml"
    written = config.read_text()
    config.unlink()
    assert run(["setup", "--project", "cloned"]) == 0
    assert config.read_text() == written
    config.write_text("[build]\njobs = 1\n")
    assert run(["setup", "--project", "cloned"]) == 2
    err = capfd.readouterr().err
    assert f"error: {config} already exists\nhint: add to it:\n[patch.crates-io]\ncuda-core = " in err
