"""`oxide test`: cargo's own runner, with each test program's PTX where it runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from demo import KERNEL

from oxide import driver
from oxide.cli import test as oxide_test
from oxide.cli.main import run
from oxide.errors import MachineError
from oxide.rust import project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from demo import Middle

pytest_plugins = ("sessions",)

LIBRARY = (
    """\
//! ```
//! let mut x = 0;
//! unsafe { demo::store(&mut x) };
//! assert_eq!(x, 42);
//! ```
"""
    + KERNEL
    + """
#[test]
fn unit() {
    println!("unit {}", std::fs::read_to_string("demo.ptx").unwrap().lines().nth(2).unwrap());
}
"""
)

INTEGRATION = """\
#[test]
fn integration() {
    println!("integration {}", std::fs::read_to_string("demo.ptx").unwrap().lines().nth(2).unwrap());
    let mut x = 0;
    unsafe { demo::store(&mut x) };
    assert_eq!(x, 42);
}
#[test]
fn wrong() {
    assert_eq!(std::env::var("PASS").as_deref(), Ok("1"));
}
"""


@pytest.fixture
def library(folder: Path) -> Path:
    (folder / "src" / "main.rs").unlink()
    (folder / "src" / "lib.rs").write_text(LIBRARY)
    (folder / "tests").mkdir()
    (folder / "tests" / "integration.rs").write_text(INTEGRATION)
    return folder


def run_tests(session: driver.Session, folder: Path, *cargo: str, arguments: tuple[str, ...] = (), **chosen: Any) -> int:
    wanted: dict[str, Any] = {"package": None, "whole": False, "runs": True} | chosen
    return oxide_test.run_tests(session, project.find(str(folder), folder), cargo_arguments=cargo, arguments=arguments, **wanted)


def test_each_test_program_finds_the_ptx_that_it_carries(
    session: Callable[..., driver.Session], library: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PASS", "1")
    assert run_tests(session(), library, arguments=("--nocapture",)) == 0
    out, err = capfd.readouterr()
    assert out.count("test result: ok. ") == 3
    # The library with its tests and the library without them are two crates of one name, with a dump each.
    dumps = [line.split("// ")[1] for line in out.splitlines() if line.startswith(("unit", "integration"))]
    assert len(set(dumps)) == 2
    assert "Doc-tests demo" in err


def test_the_exit_status_is_cargos(
    session: Callable[..., driver.Session], library: Path, middle: Middle, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_tests(session(), library) == 101
    assert "1 passed; 1 failed" in capfd.readouterr().out
    assert run_tests(session(), library, arguments=("integration",)) == 0
    out = capfd.readouterr().out
    assert "test integration ... ok" in out
    assert "wrong" not in out
    assert middle.compiled == ["demo", "demo"]


def test_what_cargo_is_told_chooses_the_tests(
    session: Callable[..., driver.Session], library: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_tests(session(), library, "--lib") == 0
    assert "unit ... ok" in capfd.readouterr().out
    assert run_tests(session(), library, "--doc") == 0
    assert "src/lib.rs" in capfd.readouterr().out
    assert not (library / "target" / "oxide" / "doc").exists()


def test_the_tests_are_only_built(session: Callable[..., driver.Session], library: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_tests(session(), library, runs=False) == 0
    assert "running" not in capfd.readouterr().out
    assert not (library / "demo.ptx").exists()


def test_a_warning_is_shown_once(session: Callable[..., driver.Session], library: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (library / "src" / "lib.rs").write_text(LIBRARY + "fn unused() {}")
    assert run_tests(session(), library, "--lib") == 0
    assert capfd.readouterr().err.count("warning: function `unused` is never used") == 1


def test_a_warning_is_not_shown_where_little_is_said(
    session: Callable[..., driver.Session], library: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (library / "src" / "lib.rs").write_text(LIBRARY + "fn unused() {}")
    assert run_tests(session(quiet=True), library, "--no-fail-fast") == 101
    out, err = capfd.readouterr()
    assert "warning" not in err
    assert "error: 1 target failed" in err
    # Of the library, of its file of tests, and of its documentation; and nothing of cargo's.
    assert out.count("test result: ") == 3
    assert "1 passed; 1 failed" in out
    assert '{"reason"' not in out
    monkeypatch.setenv("PASS", "1")
    assert run_tests(session(quiet=True), library, "--lib", arguments=("--nocapture",)) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert "\nunit // " in out


def test_a_test_that_does_not_compile(session: Callable[..., driver.Session], library: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (library / "tests" / "integration.rs").write_text("#[test] fn wrong() { nothing() }")
    with pytest.raises(driver.BuildFailed):
        run_tests(session(), library)
    assert "cannot find function `nothing`" in capfd.readouterr().err


def test_a_whole_workspace_is_tested(session: Callable[..., driver.Session], library: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (library / "plain" / "src").mkdir(parents=True)
    (library / "plain" / "Cargo.toml").write_text('[package]\nname = "plain"\nversion = "0.1.0"\nedition = "2024"\n')
    (library / "plain" / "src" / "lib.rs").write_text("#[test] fn without_kernels() {}")
    with (library / "Cargo.toml").open("a") as manifest:
        manifest.write('members = ["plain"]\n')
    assert run_tests(session(), library, "--workspace", "--lib", whole=True) == 0
    out = capfd.readouterr().out
    assert "test unit ... ok" in out
    assert "test without_kernels ... ok" in out
    assert run_tests(session(), library, "--lib", package="plain") == 0
    assert "unit" not in capfd.readouterr().out


@pytest.mark.parametrize(("more", "tested"), [("", ["one", "two"]), ('default-members = ["two"]\n', ["two"])])
def test_a_workspace_without_a_package_of_its_own_is_tested_as_cargo_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], more: str, tested: list[str]
) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "Cargo.toml").write_text(f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2024"\n')
        (tmp_path / name / "src" / "lib.rs").write_text(f"#[test] fn of_{name}() {{}}")
    (tmp_path / "Cargo.toml").write_text(f'[workspace]\nmembers = ["one", "two"]\nresolver = "3"\n{more}')
    monkeypatch.chdir(tmp_path)
    assert run(["test", "--device", "cpu"]) == 0
    assert re.findall(r"test of_(\w+) ... ok", capfd.readouterr().out) == tested
    assert run(["test", "-p", "one", "--device", "cpu"]) == 0
    assert re.findall(r"test of_(\w+) ... ok", capfd.readouterr().out) == ["one"]
    assert run(["test", "--workspace", "--device", "cpu"]) == 0
    assert re.findall(r"test of_(\w+) ... ok", capfd.readouterr().out) == ["one", "two"]


def test_the_users_own_runner_is_kept(session: Callable[..., driver.Session], library: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (library / ".cargo").mkdir()
    (library / ".cargo" / "config.toml").write_text('[target."cfg(unix)"]\nrunner = ["env", "PASS=1"]\n')
    assert run_tests(session(), library, "--test", "integration") == 0
    assert "2 passed" in capfd.readouterr().out


def test_a_single_file_is_tested_where_the_caller_is(
    session: Callable[..., driver.Session], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(project, "ALWAYS", ())
    (tmp_path / "demo.rs").write_text(KERNEL + 'fn main() {}\n#[test] fn here() { assert!(std::fs::exists("demo.ptx").unwrap()) }')
    assert (
        oxide_test.run_tests(
            session(here=tmp_path),
            project.find("demo.rs", tmp_path),
            package=None,
            whole=False,
            cargo_arguments=(),
            arguments=(),
            runs=True,
        )
        == 0
    )
    assert "test here ... ok" in capfd.readouterr().out
    assert (tmp_path / "demo.ptx").exists()


def test_without_rustdoc_documentation_is_left_out(
    session: Callable[..., driver.Session], library: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("oxide.rust.testing.for_doc_tests", lambda *_: None)
    monkeypatch.setenv("PASS", "1")
    assert run_tests(session(), library) == 0
    err = capfd.readouterr().err
    assert "so documentation is not tested" in err
    assert "Doc-tests" not in err
    with pytest.raises(MachineError, match="doc tests need rustdoc"):
        run_tests(session(), library, "--doc")


def test_documentation_cannot_be_built_alone(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["test", "--doc", "--no-run"]) == 2
    assert capfd.readouterr().err.startswith("error: documentation is compiled as it is run, and --no-run runs none\nhint: ")


def test_nothing_but_errors_is_shown_where_quiet_is_asked(
    session: Callable[..., driver.Session], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "src" / "main.rs").write_text(KERNEL + "fn unused() {}\nfn main() { unsafe { store(&mut 0) } }")
    this = session(quiet=True)
    this.build(project.find(str(folder), folder), emit={"ptx"})
    assert capfd.readouterr().err == ""
    (folder / "src" / "main.rs").write_text("fn main() { nothing() }")
    with pytest.raises(driver.BuildFailed):
        this.build(project.find(str(folder), folder), emit={"ptx"})
    assert "cannot find function `nothing`" in capfd.readouterr().err
