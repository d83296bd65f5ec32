"""What `oxide.load` remembers of a program, and what makes it ask cargo again, seen with plain cargo in place of the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from oxide import driver, options
from oxide.cache.files import Cache
from oxide.options import CompileOptions, Environment, Options, StoreOptions
from oxide.pipeline import CPU_IMAGE
from oxide.runtime import program
from oxide.runtime.errors import CompileWarning
from oxide.runtime.talk import Talk
from oxide.rust import metadata, toolchain
from oxide.rust.project import Place

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2024"\n'
ASKS = 'fn main() {{ println!("{{:?}} {{:?}}", option_env!("CHOSEN"), option_env!("CARGO_CHOSEN")); {} }}\n'


class Compiled:
    """A package and a single file, what they were compiled with, and how often."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.times = 0
        self.rust = toolchain.find_rust(None, options.environment(), Cache(options.environment().cache))
        self.while_cargo_runs: Callable[[], None] = lambda: None
        self.warnings: list[str] = []
        app, part, single = root / "app", root / "part", root / "single"
        for folder in (app / "src", part / "src", single):
            folder.mkdir(parents=True)
        (app / "Cargo.toml").write_text(PACKAGE.format("my-app") + '[dependencies]\npart = { path = "../part" }\n[workspace]\n')
        (app / "src" / "main.rs").write_text(ASKS.format("part::part()"))
        (part / "Cargo.toml").write_text(PACKAGE.format("part") + "[features]\nmore = []\n")
        (part / "src" / "lib.rs").write_text("pub fn part() {}\n")
        (single / "single.rs").write_text(ASKS.format(""))
        (root / "package").mkdir()

    def session(self, chosen: Options, environment: Environment, _here: Path, ui: Any) -> Any:
        """Stand in for a `Session`: compile with plain cargo."""

        def build(place: Place, **_: Any) -> Any:
            self.times += 1
            manifest = place.manifest or self.package_of(place.script)
            target = ["--target-dir", os.fspath(self.root / "target"), "--manifest-path", os.fspath(manifest)]
            command = [self.rust.cargo, "build", "--release", "--message-format=json", "--quiet", *target]
            variables = {**os.environ, **environment.variables, "RUSTC": self.rust.rustc}
            done = subprocess.run(command, cwd=manifest.parent, env=variables, capture_output=True, check=True)
            self.while_cargo_runs()
            for text in self.warnings:
                ui.warning(text)
            outputs = {"ptx": b"// oxide 12\n", "mir-json": b'{"generic_kernels":[]}', CPU_IMAGE: b"image"}
            project = SimpleNamespace(manifest=manifest, lock_file=manifest.with_name("Cargo.lock"))
            messages = [json.loads(line) for line in done.stdout.splitlines()]
            return SimpleNamespace(outputs={"app": outputs}, messages=messages, project=project)

        class Session(SimpleNamespace):
            def __enter__(self) -> Session:
                return self

            def __exit__(self, *_: object) -> None:
                pass

        return Session(build=build, cache=Cache(chosen.cache))

    def package_of(self, script: Path | None) -> Path:
        """Write the package of a single file."""
        assert script is not None
        manifest = self.root / "package" / "Cargo.toml"
        manifest.write_text(PACKAGE.format("single") + f'[[bin]]\nname = "single"\npath = "{script}"\n[workspace]\n')
        return manifest

    def __call__(self, place: Place | None = None, chosen: Options | None = None, **variables: str) -> int:
        """Compile the package, and return how often something was compiled up to now."""
        time.sleep(3 * metadata.CLOCK_TICK / 1e9)  # what changed just now is not remembered
        place = place or Place(self.root / "app" / "Cargo.toml")
        environment = Environment({"CARGO_HOME": os.fspath(self.root / "home"), **variables})
        chosen = chosen or Options(cache=self.root / "cache")
        program.compile_program(place, chosen, environment, Talk(chosen))
        return self.times


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiled:
    made = Compiled(tmp_path)
    monkeypatch.setattr(driver, "Session", made.session)
    monkeypatch.setattr(program, "is_complete_library", Path.exists)
    made()
    assert made() == 1, "it is remembered"
    return made


@pytest.mark.parametrize(
    "variables",
    [
        {"CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS": "true"},
        {"CARGO_BUILD_RUSTFLAGS": "--cfg=one"},
        {"CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS": "--cfg=two"},
        {"CARGO_ENCODED_RUSTFLAGS": "--cfg=three"},
        {"RUSTFLAGS": "--cfg=four"},
        {"CHOSEN": "by the sources"},
        {"CARGO_CHOSEN": "by the sources"},
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_a_variable_counts(compiled: Compiled, variables: dict[str, Any]) -> None:
    assert compiled(**variables) == 2
    assert compiled(**variables) == 2


def test_what_cargo_sets_for_children_does_not_count(compiled: Compiled) -> None:
    assert compiled(CARGO="/bin/cargo", CARGO_PKG_NAME="around", CARGO_MANIFEST_DIR="/", CARGO_MAKEFLAGS="-j2", UNASKED="1") == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("app/src/main.rs", ASKS.format("")),
        ("part/src/lib.rs", "pub fn part() { part() }"),
        ("part/Cargo.toml", PACKAGE.format("part") + '[features]\ndefault = ["more"]\nmore = []\n'),
        ("app/src/lib.rs", ""),
        ("app/src/bin/second.rs", "fn main() {}"),
        ("app/src/bin/third/main.rs", "fn main() {}"),
        ("app/build.rs", "fn main() {}"),
        ("app/.cargo/config.toml", "[profile.release]\nopt-level = 1\n"),
        (".cargo/config", "[profile.release]\nopt-level = 1\n"),
        ("home/config", "[profile.release]\nopt-level = 1\n"),
        ("home/config.toml", "[profile.release]\nopt-level = 1\n"),
    ],
)
def test_a_file_counts(compiled: Compiled, file: str, text: str) -> None:
    (compiled.root / file).parent.mkdir(parents=True, exist_ok=True)
    (compiled.root / file).write_text(text)
    assert compiled() == 2


def test_tools_and_files_that_options_name_count_by_their_content(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    bitcode = compiled.root / "libdevice.10.bc"
    chosen = Options(cache=compiled.root / "cache", compile=CompileOptions(libdevice=bitcode))
    for content, times in (("one", 2), ("another", 3)):
        bitcode.write_text(content)
        assert [compiled(None, chosen), compiled(None, chosen)] == [times, times]
    monkeypatch.setattr("oxide.cache.keys.llvm", lambda _: ["another LLVM"])
    assert [compiled(), compiled()] == [4, 4]
    monkeypatch.setattr("oxide.cache.keys.libdevice", lambda _: ["another library"])
    assert [compiled(), compiled()] == [5, 5]


@pytest.mark.parametrize("given", [{"store": StoreOptions(use=False)}, {"compile": CompileOptions(llc=Path("/bin/true"))}])
def test_where_nothing_is_kept_nothing_is_remembered(compiled: Compiled, given: dict[str, Any]) -> None:
    chosen = Options(cache=compiled.root / "cache", **given)
    assert [compiled(None, chosen), compiled(None, chosen)] == [2, 3]


def test_what_changes_while_cargo_runs_is_not_remembered(compiled: Compiled) -> None:
    source = compiled.root / "part" / "src" / "lib.rs"
    source.write_text("pub fn part() { }\n")
    compiled.while_cargo_runs = lambda: (source.write_text("pub fn part() {  }\n"), None)[1]
    assert compiled() == 2
    compiled.while_cargo_runs = lambda: None
    assert [compiled(), compiled()] == [3, 3]


def test_a_single_file_is_known_elsewhere_unless_it_tells_of_its_place(compiled: Compiled) -> None:
    def copies(text: str) -> list[int]:
        places = []
        for name in ("one", "two"):
            (compiled.root / name).mkdir(exist_ok=True)
            (compiled.root / name / "single.rs").write_text(text)
            places.append(Place(None, compiled.root / name / "single.rs"))
        return [compiled(places[0]), compiled(places[1])]

    (compiled.root / "outside.rs").write_text("1")
    assert copies(ASKS.format("")) == [2, 2]
    assert copies(ASKS.format('println!(env!("CARGO_MANIFEST_DIR"))')) == [3, 4]
    assert copies(ASKS.format('println!("{}", include!("../outside.rs"))')) == [5, 6]


def test_a_copy_of_a_package_beside_other_crates_is_another(compiled: Compiled) -> None:
    for name in ("app", "part"):
        (compiled.root / "copy" / name / "src").mkdir(parents=True)
        for file in (compiled.root / name).rglob("*.*"):
            (compiled.root / "copy" / file.relative_to(compiled.root)).write_bytes(file.read_bytes())
    (compiled.root / "copy" / "part" / "src" / "lib.rs").write_text("pub fn part() { part() }")
    assert compiled(Place(compiled.root / "copy" / "app" / "Cargo.toml")) == 2


def test_programs_and_images_are_kept_below_a_limit(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = compiled.root / "cache"
    for folder in ("programs", "cpu"):
        (cache / folder / "old").write_bytes(bytes(100_000))
        os.utime(cache / folder / "old", ns=(1, 1))
    os.utime(cache / "cpu" / "12.so", ns=(0, 0))
    monkeypatch.setattr(program, "MAX_PROGRAM_BYTES", 50_000)
    monkeypatch.setattr(program, "MAX_IMAGE_BYTES", 50_000)
    assert compiled(CHOSEN="again") == 2
    assert not (cache / "programs" / "old").exists()
    assert not (cache / "cpu" / "old").exists()
    assert (cache / "cpu" / "12.so").exists(), "just written"


def test_what_the_driver_warns_of_is_a_warning_once(compiled: Compiled) -> None:
    compiled.warnings = ["going on without the remote cache"]
    with pytest.warns(CompileWarning, match="going on without the remote cache"):
        compiled(CHOSEN="again")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(CHOSEN="again")


def test_oxide_itself_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crate = tmp_path / "crates" / "cuda-own"
    (crate / "src").mkdir(parents=True)
    (crate / "tests").mkdir()
    (crate / "src" / "lib.rs").write_text("pub fn one() {}")
    monkeypatch.setattr(toolchain, "crates_folder", lambda: tmp_path / "crates")

    def identity() -> str:
        program.identity.cache_clear()
        return program.identity(tmp_path / "cache")

    first = identity()
    assert len(first) == 32
    (crate / "tests" / "all.rs").touch()
    (crate / "src" / ".#lib.rs").symlink_to("somebody@somewhere")
    assert identity() == first
    for path in (tmp_path / "cache" / "content").iterdir():
        path.unlink()
    assert identity() == first, "what is remembered is what it is"
    (crate / "src" / "lib.rs").write_text("pub fn two() {}")
    os.utime(crate / "src" / "lib.rs", ns=(1, 1))
    assert identity() != first
    program.identity.cache_clear()
