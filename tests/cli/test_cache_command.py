"""The cache as commands use it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oxide import pipeline
from oxide.cache.compiler import Compiler
from oxide.cache.files import Cache, trim_files, trim_folders
from oxide.cache.store import Store
from oxide.cli import cache as cache_command
from oxide.cli import ui
from oxide.cli.main import run
from oxide.driver import Session
from oxide.errors import Diagnostic, MachineError, UsageError
from oxide.options import CompileOptions, Environment, Options, StoreOptions
from oxide.rust import scripts
from oxide.rust.project import find, script_package

if TYPE_CHECKING:
    from collections.abc import Collection

LL = """\
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @store(ptr %p0) {
  store i32 42, ptr %p0
  ret void
}
"""


class Counting:
    """Compilers with one cache, and what they compile and find."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[str] = []
        self.found: list[str] = []

    def compile(self, emit: Collection[str], text: str = LL, store: StoreOptions | None = None, **options: Any) -> dict[str, bytes]:
        chosen = Options(cache=self.folder, store=store or StoreOptions(), compile=CompileOptions(**options))
        one = Compiler(chosen, Environment(dict(os.environ)), Cache(self.folder))
        try:
            self.made, self.found = [], []
            return one.compile(text.encode(), start="ll", emit=emit, name="store", done=self.made.append, found=self.found.extend)
        finally:
            one.close()


@pytest.fixture
def counting(tmp_path: Path) -> Counting:
    return Counting(tmp_path / "cache")


def test_what_was_compiled_before_is_not_compiled_again(counting: Counting) -> None:
    first = counting.compile({"ptx", "cpu"})
    assert (counting.made, counting.found) == (["ptx"], [])
    assert counting.compile({"ptx", "cpu"}) == first
    assert (counting.made, sorted(counting.found)) == ([], ["cpu", "ptx"])
    assert counting.compile({"ptx"}) == {"ptx": first["ptx"]}
    assert counting.made == []
    assert counting.compile({"ptx"}, arch="sm_90") != {"ptx": first["ptx"]}
    assert counting.made == ["ptx"]
    assert counting.compile({"ptx"}, LL.replace("42", "43")) != {"ptx": first["ptx"]}
    assert counting.made == ["ptx"]


def test_without_the_cache_nothing_is_found_or_kept(counting: Counting) -> None:
    never = StoreOptions(use=False)
    first = counting.compile({"ptx"}, store=never)
    assert counting.compile({"ptx"}, store=never) == first
    assert counting.made == ["ptx"]
    assert not (counting.folder / "store").exists()
    assert counting.compile({"ptx"}) == first
    assert counting.made == ["ptx"]


def test_a_damaged_entry_is_compiled_again(counting: Counting) -> None:
    first = counting.compile({"ptx", "cpu"})
    for path, _ in list(Store(counting.folder / "store").files()):
        if path.parent.name == "cpu":
            path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert counting.compile({"ptx", "cpu"}) == first
    assert counting.made == ["ptx"]


def test_a_cubin_is_found_by_its_ptx(counting: Counting) -> None:
    first = counting.compile({"cubin"}, arch="sm_80")
    assert set(first) == {"cubin"}
    assert counting.compile({"ptx", "cubin"}, arch="sm_80")["cubin"] == first["cubin"]
    assert counting.made == []
    assert sorted(counting.found) == ["cubin", "ptx"]


def test_what_is_wrong_is_said_again(counting: Counting) -> None:
    for _ in range(2):
        with pytest.raises(UsageError, match="the ll text cannot be compiled"):
            counting.compile({"ptx"}, LL.replace("i32 42", "i32 nonsense"))


def test_a_warning_is_said_again_where_the_code_is_found(counting: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = pipeline.compile

    def warn(source: bytes, **named: Any) -> dict[str, bytes]:
        named["report"](Diagnostic(None, "careful", 3, "warning"))
        return plain(source, **named)

    monkeypatch.setattr(pipeline, "compile", warn)
    for expected in (["ptx"], []):
        said: list[Diagnostic] = []
        made: list[str] = []
        one = Compiler(Options(cache=counting.folder), Environment(dict(os.environ)), Cache(counting.folder))
        one.compile(LL.encode(), start="ll", emit={"ptx"}, name="store", report=said.append, done=made.append)
        one.close()
        assert [remark.message for remark in said] == ["careful"]
        assert made == expected


def test_a_second_machine_finds_what_the_first_compiled(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    remote = StoreOptions(remote=f"file://{tmp_path}/share", key="a secret that is long enough")
    first, second, stranger = (Counting(tmp_path / name) for name in ("first", "second", "stranger"))
    code = first.compile({"ptx", "cpu"}, store=remote)
    assert second.compile({"ptx", "cpu"}, store=remote) == code
    assert second.made == []
    other = StoreOptions(remote=remote.remote, key="another secret, long enough too", mode="read-only")
    assert stranger.compile({"ptx", "cpu"}, store=other) == code
    assert stranger.made == ["ptx"], "what it cannot trust it compiles itself"


def test_showing_and_clearing(counting: Counting, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OXIDE_CACHE", str(counting.folder))
    monkeypatch.setenv("OXIDE_CACHE_SIZE", "3 MiB")
    for _ in range(2):
        counting.compile({"ptx", "cpu"})
    (counting.folder / "bugs" / "one").mkdir(parents=True)
    (counting.folder / "bugs" / "one" / "traceback.txt").write_bytes(bytes(2048))
    (counting.folder / "not-ours").write_text("stays")
    assert run(["cache", "show"]) == 0
    shown = capfd.readouterr().out
    assert f"folder   {counting.folder}\n" in shown
    assert "limit    3.0 MiB of compiled artifacts" in shown
    assert "remote   none" in shown
    assert "hits     3 of 3" in shown
    assert "ptx             1" in shown
    assert "cubin           0" in shown
    assert "bugs            1     2.0 KiB     16 bugs\n" in shown
    assert re.search(r"^scripts +0 +0 B +2\.0 GiB$", shown, re.MULTILINE)
    assert re.search(r"^cells +0 +0 B  1000 cells$", shown, re.MULTILINE)
    assert run(["cache", "clear", "ptx", "bugs"]) == 0
    assert "removed " in capfd.readouterr().err
    store = Store(counting.folder / "store")
    assert {kind.kind: kind.entries for kind in store.usage()} == {"ptx": 0, "cubin": 0, "cpu": 1, "remarks": 1}
    assert not (counting.folder / "bugs").exists()
    assert run(["cache", "clear", "nothing"]) == 2
    assert "the cache has no kind 'nothing'" in capfd.readouterr().err
    assert run(["cache", "clear"]) == 0
    assert all(kind.entries == 0 for kind in store.usage())
    assert (counting.folder / "not-ours").read_text() == "stays"


def test_a_projects_own_cache_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "one"\n')
    (tmp_path / "oxide.toml").write_text('[cache]\nsize = "5 MiB"\nremote = "s3://builds"\nmode = "read-only"\n')
    assert run(["cache", "show"]) == 0
    shown = capfd.readouterr().out
    assert "limit    5.0 MiB of" in shown
    assert "remote   s3://builds, read-only\n" in shown


def test_what_a_running_oxide_works_with_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OXIDE_CACHE", str(tmp_path))
    library = tmp_path / "device" / "key" / "liboxide_cpu.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(b"library")
    with Cache(tmp_path).in_use(), Cache(tmp_path).in_use():
        assert run(["cache", "clear"]) == 0
        assert (
            "not removed, since another oxide is running: images, scripts, crates, programs, cells, bugs, backend, device, packages, facts"
            in capfd.readouterr().err
        )
        assert library.exists()
    assert run(["cache", "clear", "device"]) == 0
    assert not library.exists()


def built(cache: Path, name: str, size: int, when: int) -> None:
    """Leave what a single file of a name leaves."""
    package, profile = cache / "scripts" / f"key-of-{name}", cache / "target" / "toolchain" / "x86_64-unknown-linux-gnu" / "release"
    package.mkdir(parents=True)
    (package / "Cargo.toml").write_text(f'[package]\nname = "{name}"\n')
    crate = name.replace("-", "_")
    for file in (
        f"deps/{crate}-0123456789abcdef.d",
        f"deps/lib{crate}-0123456789abcdef.rlib",
        f".fingerprint/{name}-0123456789abcdef/dep",
        name,
    ):
        (profile / file).parent.mkdir(parents=True, exist_ok=True)
        (profile / file).write_bytes(bytes(size // 4))
    os.utime(package, ns=(when, when))


def test_builds_of_single_files_are_kept_below_a_limit(tmp_path: Path) -> None:
    for when, name in enumerate(("two-words", "first", "proc", "last")):
        built(tmp_path, name, 100_000, when)
    shared = tmp_path / "target" / "toolchain" / "x86_64-unknown-linux-gnu" / "release" / ".fingerprint" / "proc-macro2-0123456789abcdef"
    shared.mkdir()
    (shared / "dep").write_bytes(bytes(50_000))
    cache = Cache(tmp_path)

    def left() -> set[str]:
        return {path.parent.name.removeprefix("key-of-") for path in tmp_path.glob("scripts/*/Cargo.toml")}

    scripts.trim(cache, 460_000)
    assert left() == {"two-words", "first", "proc", "last"}
    with cache.in_use():
        scripts.trim(cache, 400_000)
    assert left() == {"two-words", "first", "proc", "last"}, "another oxide runs"
    scripts.trim(cache, 400_000)
    assert left() == {"proc", "last"}
    files = [path for path in (tmp_path / "target").rglob("*") if path.is_file()]
    assert not [path for path in files if "first" in str(path) or "two" in str(path)]
    assert len(files) == 9
    scripts.trim(cache, 240_000)
    assert left() == {"last"}
    assert (shared / "dep").exists()
    scripts.trim(cache, 40_000)
    assert not (tmp_path / "target").exists(), "what they depend on takes more"


def test_a_file_that_was_not_built_before_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[Path] = []
    monkeypatch.setattr(scripts, "trim", lambda cache: trimmed.append(cache.root))
    monkeypatch.setattr("oxide.driver.describe", lambda place, _, cache, *__, **___: script_package(place, cache))
    (tmp_path / "one.rs").write_text("fn main() {}")
    for _ in range(2):
        with Session(Options(cache=tmp_path / "cache"), Environment({}), tmp_path, ui) as session:
            monkeypatch.setattr(session, "prepare", lambda: (None, None))
            with pytest.raises(AttributeError):  # all after the package has been described
                session.plan(find("one.rs", tmp_path))
            before = list(trimmed)
        assert trimmed == [tmp_path / "cache"], "only once, for a file that is new"
    assert before == trimmed


def test_a_cache_that_cannot_be_written_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxide.driver.describe", lambda place, _, cache, *__, **___: script_package(place, cache))
    (tmp_path / "one.rs").write_text("fn main() {}")
    monkeypatch.setattr(Session, "prepare", lambda _: (None, None))

    def plan() -> None:
        with Session(Options(cache=tmp_path / "one.rs"), Environment({}), tmp_path, ui) as session:
            session.plan(find("one.rs", tmp_path))

    with pytest.raises(MachineError, match=r"cannot write .*/one.rs/scripts/"):
        plan()


FOLDER = re.compile(r"(?:\bfolder\(|\bremember(?:ed)?\(|\.root / )\"([a-z-]+)\"")


def test_every_folder_of_the_cache_can_be_cleared() -> None:
    sources = Path(cache_command.__file__).parents[1].rglob("*.py")
    used = {name for source in sources for name in FOLDER.findall(source.read_text())}
    known = {folder for folders in cache_command.PARTS.values() for folder in folders}
    assert {"scripts", "programs", "gpu"} <= used
    assert used - known <= {"locks", "store", "size", "lock"}, "locks stay; the rest is the store's"


def test_what_grows_without_end_is_trimmed(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / "folders" / str(number)).mkdir(parents=True)
        (tmp_path / "folders" / str(number) / "file").write_bytes(b"")
        os.utime(tmp_path / "folders" / str(number), ns=(number, number))
        (tmp_path / f"file{number}").write_bytes(bytes(100))
        os.utime(tmp_path / f"file{number}", ns=(number, number))
    trim_folders(tmp_path / "folders", 2)
    assert sorted(path.name for path in (tmp_path / "folders").iterdir()) == ["3", "4"]
    trim_folders(tmp_path / "none", 2)
    (tmp_path / "folders").rename(tmp_path.with_name("elsewhere"))
    trim_files(tmp_path, 250)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file3", "file4"]
