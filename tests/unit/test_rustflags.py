from __future__ import annotations

import socket
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from oxide.cache.files import Cache
from oxide.errors import ProgramError
from oxide.options import Environment
from oxide.rust import rustflags
from oxide.rust.toolchain import Rust

if TYPE_CHECKING:
    from pathlib import Path

FACTS = {"unix", "target_os=linux", "target_arch=x86_64"}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("cfg(unix)", True),
        ("cfg(windows)", False),
        ('cfg(target_os = "linux")', True),
        ('cfg(all(unix, not(target_os = "macos")))', True),
        ('cfg(any(windows, target_arch="x86_64"))', True),
        ("cfg(all())", True),
        ("cfg(any())", False),
        ("cfg(unix", False),
    ],
)
def test_conditions(condition: str, expected: bool) -> None:
    assert rustflags.holds(condition, FACTS) is expected


def a_rust(rustc: str) -> Rust:
    return Rust(rustc=rustc, cargo="/no/cargo", driver="", sysroot="", release="1.96.0", commit="", host="x86_64-unknown-linux-gnu")


def test_the_environment_comes_before_files(tmp_path: Path) -> None:
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text('[build]\nrustflags = ["--cfg=from_file"]\n')
    rust = a_rust("/no/rustc")
    plain = Environment({"RUSTFLAGS": "--cfg=a  --cfg=b", "CARGO_HOME": "/none"})
    assert rustflags.user_flags(rust, tmp_path, plain) == ["--cfg=a", "--cfg=b"]
    encoded = Environment({"RUSTFLAGS": "x", "CARGO_ENCODED_RUSTFLAGS": "--cfg=c\x1f-C link-arg=a b"})
    assert rustflags.user_flags(rust, tmp_path, encoded) == ["--cfg=c", "-C link-arg=a b"]


def test_the_wrapper_adds_the_backend_only_where_cargo_compiles_for_the_target(tmp_path: Path) -> None:
    says = tmp_path / "a rustc"
    says.write_text('#!/bin/sh\necho "$RUSTC_BOOTSTRAP|$*"\n')
    says.chmod(0o755)
    call = rustflags.for_build(a_rust(str(says)), tmp_path / "backend.so", ["--cfg=mine"], Cache(tmp_path / "cache"))

    def answer(*arguments: str) -> str:
        return subprocess.run([call.rustc, *arguments], capture_output=True, text=True, check=True, env={}).stdout.strip()

    assert call.flags[0] == "--cfg=mine"
    compiled = answer("--crate-name", "k", "-C", "metadata=12", *call.flags)
    assert compiled.startswith("1|--crate-name k")
    assert f"-Zcodegen-backend={tmp_path / 'backend.so'}" in compiled
    probe = answer("--crate-name", "probe", *call.flags)
    assert probe.startswith("|")
    assert "backend.so" not in probe
    build_script = answer("--crate-name", "build_script_build", "-C", "metadata=12")
    assert "backend.so" not in build_script


def test_the_wrapper_tells_a_driver_that_listens_that_it_compiles(tmp_path: Path) -> None:
    call = rustflags.for_build(a_rust("/bin/true"), tmp_path / "backend.so", [], Cache(tmp_path / "cache"))
    folder = tmp_path / "talk"
    told = folder / rustflags.COMPILING

    def compile_with(*arguments: str) -> None:
        subprocess.run([call.rustc, *arguments, *call.flags], check=True, env={"OXIDE_SOCKET": str(folder / "driver.sock")})

    # A driver that has ended is no error.
    compile_with("-C", "metadata=12")
    folder.mkdir()
    compile_with("-C", "metadata=12")
    assert not told.exists()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "driver.sock"))
        compile_with("--print=cfg")
        assert not told.exists()
        compile_with("-C", "metadata=12")
    assert told.exists()


def test_doc_tests_get_the_backend_and_documentation_does_not(tmp_path: Path) -> None:
    rustdoc = tmp_path / "rustdoc"
    assert rustflags.for_doc_tests(a_rust(str(tmp_path / "rustc")), tmp_path / "backend.so", Cache(tmp_path / "cache")) is None
    rustdoc.write_text('#!/bin/sh\necho "$RUSTC_BOOTSTRAP|$*"\n')
    rustdoc.chmod(0o755)
    wrapper = rustflags.for_doc_tests(a_rust(str(tmp_path / "rustc")), tmp_path / "backend.so", Cache(tmp_path / "cache"))
    assert wrapper is not None
    for arguments, starts, backend in ((["--test", "a.rs"], "1|", True), (["a.rs"], "|", False)):
        said = subprocess.run([wrapper, *arguments], capture_output=True, text=True, check=True, env={}).stdout
        assert said.startswith(starts)
        assert ("backend.so" in said) is backend


def test_a_runner_of_the_users_own_is_found_as_cargo_finds_it(tmp_path: Path) -> None:
    rust = a_rust("/no/rustc")
    named = Environment({"CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER": "valgrind --quiet", "CARGO_HOME": "/none"})
    assert rustflags.user_runner(rust, tmp_path, named) == ["valgrind", "--quiet"]
    assert rustflags.user_runner(rust, tmp_path, Environment({"CARGO_HOME": "/none"})) == []


def test_a_configuration_that_cargo_cannot_read_is_told(tmp_path: Path) -> None:
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text("[build\nrustflags = 1\n")
    cargo = tmp_path / "cargo"
    cargo.write_text("#!/bin/sh\necho 'error: could not parse' >&2\nexit 101\n")
    cargo.chmod(0o755)
    rust = replace(a_rust("/no/rustc"), cargo=str(cargo))
    with pytest.raises(ProgramError, match=r"cargo cannot read its configuration.*\nerror: could not parse"):
        rustflags.user_flags(rust, tmp_path, Environment({"CARGO_HOME": "/none"}))
