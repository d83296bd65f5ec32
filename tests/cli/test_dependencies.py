"""What programs depend on is compiled once a machine, and nothing else is ever taken from another project.

Small crates stand for oxide's own: a library with a build script, a macro, and one that depends on both.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from demo import KERNEL

from oxide import driver, options
from oxide.cache.files import Cache
from oxide.options import StoreOptions
from oxide.rust import dependencies, project

if TYPE_CHECKING:
    from collections.abc import Callable

pytest_plugins = ("sessions",)

SOURCES = {
    "crates/cuda-core/Cargo.toml": """
        [package]
        name = "cuda-core"
        version = "0.1.0"
        edition = "2024"
        [features]
        twice = []
        [dependencies]
        cuda-macros.path = "../cuda-macros"
        from-registry.path = "REGISTRY/from-registry-1.0.0"
        """,
    "crates/cuda-core/src/lib.rs": """
        cuda_macros::two! {}
        pub fn answer() -> u32 { from_registry::ONE * 40 + two() * if cfg!(feature = "twice") { 2 } else { 1 } }
        """,
    "crates/cuda-macros/Cargo.toml": """
        [package]
        name = "cuda-macros"
        version = "0.1.0"
        edition = "2024"
        [lib]
        proc-macro = true
        """,
    "crates/cuda-macros/src/lib.rs": """
        #[proc_macro]
        pub fn two(_: proc_macro::TokenStream) -> proc_macro::TokenStream { "fn two() -> u32 { 2 }".parse().unwrap() }
        """,
    "home/registry/src/index/from-registry-1.0.0/Cargo.toml": """
        [package]
        name = "from-registry"
        version = "1.0.0"
        edition = "2024"
        """,
    "home/registry/src/index/from-registry-1.0.0/build.rs": """
        fn main() {
            let out = std::env::var("OUT_DIR").unwrap();
            std::fs::write(format!("{out}/one.rs"), "pub const ONE: u32 = 1;").unwrap();
            println!("cargo::rerun-if-changed=build.rs");
        }
        """,
    "home/registry/src/index/from-registry-1.0.0/src/lib.rs": 'include!(concat!(env!("OUT_DIR"), "/one.rs"));',
}

DEPENDENCIES = {"from-registry", "cuda-macros", "cuda-core"}


class World:
    """Crates, a cache and projects in one folder."""

    def __init__(self, root: Path, session: Callable[..., driver.Session], capfd: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.session = session
        self.capfd = capfd

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("REGISTRY", str(self.root / "home" / "registry" / "src" / "index")))

    def project(self, name: str, said: str = "answer", asks: str = "") -> Path:
        self.write(
            f"{name}/Cargo.toml",
            f'[package]\nname = "{Path(name).name}"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n'
            f'[dependencies]\ncuda-core = {{ path = "{self.root}/crates/cuda-core"{asks} }}\n',
        )
        self.write(f"{name}/src/main.rs", KERNEL + f'fn main() {{ println!("{said} {{}}", cuda_core::answer()); }}\n')
        return self.root / name

    def run(self, folder: Path, **chosen: Any) -> tuple[str, set[str]]:
        """Run a project; return what it prints and which crates cargo compiled."""
        self.capfd.readouterr()
        this = self.session(**chosen)
        built = this.build(project.find(str(folder), folder), emit={"ptx"}, runs=True)
        assert this.run(built, []) == 0
        out, err = self.capfd.readouterr()
        return out.strip(), set(re.findall(r"Compiling (\S+) v", err))

    def sets(self) -> list[Path]:
        return sorted((self.root / "cache" / "crates").glob("*/*/*"))


@pytest.fixture
def world(
    tmp_path: Path, session: Callable[..., driver.Session], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> World:
    made = World(tmp_path, session, capfd)
    for path, text in SOURCES.items():
        made.write(path, text)
    for module in (project, dependencies):
        monkeypatch.setattr(module, "crates_folder", lambda: tmp_path / "crates")
    (tmp_path / "cache").mkdir()
    for made_before in ("backend", "device"):
        (tmp_path / "cache" / made_before).symlink_to(options.environment().cache / made_before)
    monkeypatch.setenv("OXIDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "home"))
    return made


def test_the_next_project_compiles_only_itself(world: World) -> None:
    assert world.run(world.project("first")) == ("answer 42", {"first", *DEPENDENCIES})
    assert world.run(world.project("second", said="also")) == ("also 42", {"second"})
    target = world.root / "second" / "target" / "oxide"
    assert (target / "CACHEDIR.TAG").is_file()
    assert not list(target.glob(".oxide-*")), "no folder of ours stays"
    assert world.run(world.root / "second") == ("also 42", set())


def test_another_profile_has_sets_of_its_own(world: World) -> None:
    world.run(world.project("first"))
    assert world.run(world.root / "first", profile="dev")[1] == {"first", *DEPENDENCIES}
    second = world.project("second")
    assert world.run(second)[1] == {"second"}
    assert world.run(second, profile="dev")[1] == {"second"}, "a target folder that has another profile gets this one's"


def test_after_clean_only_the_project_is_compiled(world: World) -> None:
    first = world.project("first")
    world.run(first)
    shutil.rmtree(first / "target")
    assert world.run(first) == ("answer 42", {"first"})
    rust = world.session().prepare()[0]
    clean: list[str | Path] = [rust.cargo, "clean", "--target-dir", first / "target" / "oxide"]
    subprocess.run(clean, cwd=first, env={**os.environ, "RUSTC": rust.rustc}, check=True, capture_output=True)
    assert not (first / "target" / "oxide").exists()
    assert world.run(first) == ("answer 42", {"first"})


def test_a_changed_crate_is_compiled_again(world: World) -> None:
    world.run(world.project("first"))
    library = world.root / "crates" / "cuda-core" / "src" / "lib.rs"
    before = library.stat()
    library.write_text(library.read_text().replace("* 40", "* 50 / 1"))
    os.utime(library, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert world.run(world.project("second"))[0] == "answer 52", "also where its time says that it is old"


def test_what_cargo_finds_stale_is_compiled_and_saved_again(world: World) -> None:
    first = world.project("first")
    world.run(first)
    (kept,) = world.sets()
    libraries = {file: file.read_bytes() for file in kept.rglob("*") if file.suffix in {".rlib", ".rmeta", ".so"}}
    assert len(libraries) == 5, "two libraries and a macro"
    copy = world.root / "copy"
    shutil.copytree(kept, copy)
    (world.root / "crates" / "cuda-macros" / "src" / "lib.rs").touch()
    assert world.run(world.project("second"))[1] == {"second", "cuda-macros", "cuda-core"}
    assert {file.relative_to(copy) for file in copy.rglob("*")} == {file.relative_to(kept) for file in kept.rglob("*")}
    assert world.run(world.project("third"))[1] == {"third"}


def test_a_build_does_not_write_to_a_set(world: World) -> None:
    world.run(world.project("first"))
    (kept,) = world.sets()
    before = {file: file.read_bytes() for file in kept.rglob("*") if file.is_file()}
    second = world.project("second")
    world.run(second)
    # Nothing is saved without the cache, and all is compiled again over what the set was linked to.
    (world.root / "crates" / "cuda-macros" / "src" / "lib.rs").touch()
    assert world.run(second, store=StoreOptions(use=False))[1] == {"second", "cuda-macros", "cuda-core"}
    assert {file: file.read_bytes() for file in kept.rglob("*") if file.is_file()} == before


def test_a_set_that_something_wrote_to_is_not_used(world: World) -> None:
    first = world.project("first")
    world.run(first)
    library = next((first / "target").rglob("libcuda_core-*.rlib"))
    with library.open("ab") as file:
        file.write(b"stripped in place")
    assert world.run(world.project("second")) == ("answer 42", {"second", *DEPENDENCIES})


def test_other_features_take_what_is_the_same(world: World) -> None:
    world.run(world.project("first"))
    assert world.run(world.project("second", asks=', features = ["twice"]')) == ("answer 44", {"second", "cuda-core"})
    assert world.run(world.project("third", asks=', features = ["twice"]')) == ("answer 44", {"third"})
    assert world.run(world.project("fourth")) == ("answer 42", {"fourth"})


def test_an_older_program_at_a_deleted_ones_place_is_built(world: World) -> None:
    for said, time in (("new", None), ("old", 1_000_000_000)):
        folder = world.project("same", said=said)
        for file in (*folder.rglob("*.rs"), folder / "Cargo.toml"):
            if time is not None:
                os.utime(file, (time, time))
        assert world.run(folder)[0] == f"{said} 42"
        shutil.rmtree(folder)


def test_a_library_that_looks_into_its_projects_folder_stays_there(world: World) -> None:
    world.write(
        "home/registry/src/index/from-registry-1.0.0/src/lib.rs",
        'include!(concat!(env!("OUT_DIR"), "/one.rs"));\npub fn folder() -> &\'static str { env!("OUT_DIR") }\n',
    )
    library = world.root / "crates" / "cuda-core" / "src" / "lib.rs"
    library.write_text(library.read_text() + "pub use from_registry::folder;\n")
    for name in ("first", "second"):
        folder = world.project(name)
        main = folder / "src" / "main.rs"
        main.write_text(main.read_text().replace("cuda_core::answer()", "cuda_core::folder()"))
        assert str(folder) in world.run(folder)[0]


def test_two_first_builds_at_once(world: World) -> None:
    folders = [world.project(name) for name in ("left", "right")]
    this = [world.session() for _ in folders]
    built: list[driver.Built] = []

    def build(number: int) -> None:
        built.append(this[number].build(project.find(str(folders[number]), folders[number]), emit={"ptx"}, runs=True))

    threads = [threading.Thread(target=build, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 2
    assert world.run(world.project("next")) == ("answer 42", {"next"})
    assert len(world.sets()) == 1


def test_sets_used_longest_ago_go(world: World) -> None:
    world.run(world.project("first"))
    world.run(world.project("second", asks=', features = ["twice"]'))
    old, new = sorted(world.sets(), key=lambda path: path.stat().st_mtime_ns)
    os.utime(old, (1, 1))
    dependencies.trim(Cache(world.root / "cache"), limit=sum(file.stat().st_size for file in new.rglob("*") if file.is_file()) + 1)
    assert world.sets() == [new]


def test_without_the_cache_nothing_is_saved_or_taken(world: World) -> None:
    world.run(world.project("first"), store=StoreOptions(use=False))
    assert world.sets() == []
    world.run(world.root / "first", profile="dev")
    assert world.run(world.project("second"), profile="dev", store=StoreOptions(use=False))[1] == {"second", *DEPENDENCIES}
