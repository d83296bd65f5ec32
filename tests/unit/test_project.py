from __future__ import annotations

import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest

from oxide import options
from oxide.cache.files import Cache
from oxide.errors import UsageError
from oxide.rust import project, toolchain
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path


def test_a_target_is_a_file_a_folder_or_an_example(tmp_path: Path) -> None:
    (tmp_path / "one.rs").touch()
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "Cargo.toml").touch()
    assert project.find("one.rs", tmp_path).script == tmp_path / "one.rs"
    assert project.find("two", tmp_path).manifest == tmp_path / "two" / "Cargo.toml"
    assert project.find("two/Cargo.toml", tmp_path).manifest == tmp_path / "two" / "Cargo.toml"
    (tmp_path / "two" / "src").mkdir()
    assert project.find(".", tmp_path / "two" / "src").manifest == tmp_path / "two" / "Cargo.toml"
    example = project.find("hello_constant", tmp_path).manifest
    assert example is not None
    assert example.parent.name == "hello_constant"


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("on.rs", "no file on.rs", "did you mean 'one.rs'?"),
        ("hello_constnt", "'hello_constnt' is not a project", "did you mean 'hello_constant'?"),
        ("empty", "folder empty has no Cargo.toml", "name a project's folder"),
        ("", "got an empty name", "a variable may be unset"),
    ],
)
def test_a_wrong_target_is_explained(tmp_path: Path, target: str, message: str, hint: str) -> None:
    (tmp_path / "one.rs").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=message) as caught:
        project.find(target, tmp_path)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("text", "library"),
    [
        ("pub fn kernel() {}", True),
        ("fn main() {}", False),
        ("mod program;\npub use program::main;", False),
        ("pub use program::{start as main};", False),
        ('include!("program.rs");', False),
        ("/// fn main() {}\n/* fn main() {} */ pub fn kernel() {}", True),
        ('const TEXT: &str = "\\"fn main() {}";', True),
        ("fn main_kernel() {} fn remain() {}", True),
        ("const QUOTE: char = '\"';\nfn main() {}", False),
        ("const QUOTE: u8 = b'\\''; const TEXT: &str = r#\"\"\\\"#; fn main() {}", False),
        ("fn first<'a, 'b>(x: &'a u8, _: &'b u8) -> &'a u8 { x } fn main() {}", False),
        ('const TEXT: &str = r##"fn main() "# {}"##;', True),
        ("fn r#main() {}", False),
    ],
)
def test_a_file_without_main_is_a_library_where_kernels_are_wanted(tmp_path: Path, text: str, library: bool) -> None:
    (tmp_path / "one.rs").write_text(text)
    assert project.find_kernels("one.rs", tmp_path).library is library
    assert project.find("one.rs", tmp_path).library is False


def metadata(*dependencies: tuple[str, str | None]) -> dict[str, object]:
    return {"packages": [{"dependencies": [{"name": name, "source": source} for name, source in dependencies]}]}


def test_only_what_crates_io_is_asked_for_is_patched(tmp_path: Path) -> None:
    lock = tmp_path / "Cargo.lock"
    asked = metadata(("cuda-core", project.CRATES_IO), ("cuda-host", None), ("serde", project.CRATES_IO))
    assert project.crates_to_patch(asked, lock) == ["cuda-core"]
    lock.write_text(
        f"""
[[package]]
name = "other"
version = "1.0.0"
source = "{project.CRATES_IO}"
dependencies = ["cuda-device 0.1.0", "serde"]

[[package]]
name = "mine"
version = "1.0.0"
dependencies = ["cuda-host"]
"""
    )
    assert project.crates_to_patch(metadata(), lock) == ["cuda-device"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("saxpy.rs", "saxpy"),
        ("9 é.rs", "script_9__"),
        ("-x.rs", "script_-x"),
        ("cuda_core.rs", "script_cuda_core"),
        ("quote.rs", "script_quote"),
        ("proc_macro2.rs", "script_proc_macro2"),
    ],
)
def test_a_single_file_has_a_package_name_of_its_own(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / file).write_text("fn main() {}")
    manifest = project.script_package(project.find(f"./{file}", tmp_path), Cache(tmp_path / "cache"))
    assert tomllib.loads(manifest.read_text())["package"]["name"] == name


def test_a_single_file_that_names_cuda_async_has_launchers_for_it(tmp_path: Path) -> None:
    """`k_async` and what it gives come with a feature of `cuda-host`, which other files do without."""
    for text, features in [("use cuda_async::DeviceOperation;", ["async"]), ("use cuda_core::CudaContext;", None)]:
        (tmp_path / "work.rs").write_text(text)
        manifest = project.script_package(project.find("./work.rs", tmp_path), Cache(tmp_path / "cache"))
        dependencies = tomllib.loads(manifest.read_text())["dependencies"]
        assert ("cuda-async" in dependencies) == (features is not None)
        assert dependencies["cuda-host"].get("features") == features


def test_a_library_has_a_name_of_rust(tmp_path: Path) -> None:
    (tmp_path / "my-kernels.rs").write_text("pub fn kernel() {}")
    place = project.find_kernels("my-kernels.rs", tmp_path)
    manifest = tomllib.loads(project.script_package(place, Cache(tmp_path / "cache")).read_text())
    assert manifest["package"]["name"] == "my-kernels"
    assert manifest["lib"]["name"] == "my_kernels"


@pytest.mark.parametrize(
    ("text", "has"),
    [
        ("use half::f16;", True),
        ("extern crate half;", True),
        ("use half as h;", True),
        ("fn halve() {}", False),
        ("mod half;", False),
    ],
)
def test_a_single_file_that_names_half_depends_on_it(tmp_path: Path, text: str, has: bool) -> None:
    (tmp_path / "work.rs").write_text(text)
    manifest = project.script_package(project.find("./work.rs", tmp_path), Cache(tmp_path / "cache"))
    assert ("half" in tomllib.loads(manifest.read_text())["dependencies"]) == has


LOCKS = [lock for pattern in ("*/Cargo.lock", "tests/*/Cargo.lock") for lock in sorted(finders.REPOSITORY.glob(pattern))]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.parent.name)
def test_a_lock_file_names_all_that_is_needed(lock: Path) -> None:
    # Set-up fetches what it names, and later builds use no network.
    environment = options.environment()
    rust = toolchain.find_rust(None, environment, Cache(environment.cache))
    command = [rust.cargo, "metadata", "--locked", "--offline", "--format-version=1"]
    variables = {**environment.variables, "RUSTC": rust.rustc}
    done = subprocess.run(command, cwd=lock.parent, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
