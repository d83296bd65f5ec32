from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from oxide.cache import keys
from oxide.cache.files import Cache
from oxide.cache.keys import Recipe, pack_remarks, unpack_remarks, without_local_words
from oxide.errors import Diagnostic, Note, codes
from oxide.ir.location import is_library
from oxide.options import CompileOptions, Environment

if TYPE_CHECKING:
    from pathlib import Path

HERE = ("CsdM7wkdlrthQ_", "Cs5Vu0MiyK1SJ_", "/home/one/oxide/crates/cuda-device/src/thread.rs", "/home/one/lib.rs", "B2_")
THERE = ("CsiYzhrkBrDTL_", "CsaPPi5q96aUA_", "/ci/4711/oxide/crates/cuda-device/src/thread.rs", "/ci/4711/lib.rs", "B1c_")


def dump(words: tuple[str, str, str, str, str], line: int = 7, file: str = "src/main.rs") -> bytes:
    device, own, path, other, back = words
    spans = [{"file": name, "line": line, "column": 1, "local": True, "caller": None} for name in (file, path, other)]
    symbol = f"_RINvNt{device}11cuda_device6thread8index_1dNt{back}4UnitE{own}6vecadd"
    return json.dumps(
        {"spans": spans, "functions": [{"symbol": symbol, "name": "cuda_device::thread::index_1d"}]}, separators=(",", ":")
    ).encode()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """One for all tests: reading LLVM takes its time."""
    return Cache(tmp_path_factory.mktemp("cache"))


def of(source: bytes, cache: Cache, start: str = "mir-json", **options: Any) -> Recipe:
    return Recipe.of(source, start, CompileOptions(**options), cache, Environment({"PATH": "/usr/bin"}))


def test_checkouts_at_two_paths_share_what_shows_neither(cache: Cache) -> None:
    here, there = of(dump(HERE), cache), of(dump(THERE), cache)
    for kind in ("ptx", "cpu", "remarks"):
        key = here.key_of(kind, b".visible .entry vecadd()")
        assert key == here.keys(kind)[0]
        assert there.keys(kind) != here.keys(kind)
        assert there.keys(kind)[0] == key


@pytest.mark.parametrize("word", [HERE[0], HERE[1], "at /home/one/lib.rs:3", "/home/one/oxide/crates"])
def test_what_shows_a_word_of_its_checkout_is_its_own(cache: Cache, word: str) -> None:
    here, there = of(dump(HERE), cache), of(dump(THERE), cache)
    key = here.key_of("cpu", f"\0{word}\0".encode())
    assert key == here.keys("cpu")[1]
    assert key not in there.keys("cpu")


@pytest.mark.parametrize("kind", ["lines", "full"])
def test_what_a_debugger_reads_is_its_checkouts_own(cache: Cache, kind: str) -> None:
    here, there = of(dump(HERE), cache, debug_info=kind), of(dump(THERE), cache, debug_info=kind)
    assert set(here.keys("ptx")).isdisjoint(there.keys("ptx"))


def test_a_line_counts_and_so_does_a_file_of_the_crate(cache: Cache) -> None:
    plain = of(dump(HERE), cache)
    for other in (of(dump(HERE, line=8), cache), of(dump(HERE, file="src/lib.rs"), cache)):
        assert set(plain.keys("ptx")).isdisjoint(other.keys("ptx"))


def test_how_a_file_is_shown_counts_wherever_it_lies() -> None:
    def shared(path: str) -> bytes:
        return without_local_words(f'{{"file":"{path}"}}'.encode())[0]

    assert shared("/a/library/core/src/cell.rs") == shared("/b/library/core/src/cell.rs")
    assert shared("/a/library/core/src/cell.rs") != shared("/a/core/src/cell.rs")
    assert shared("/a/cuda-device/src/x.rs") != shared("/a/cuda-devise/src/x.rs")
    assert shared("/a/cuda-device/src/x.rs") != shared("/a/cuda-device/src/y.rs")
    assert shared("src/x.rs") != shared("/src/x.rs")
    for path in ("/a/library/core/src/x.rs", "/a/cuda-device/src/x.rs", "/a/src/x.rs"):
        assert is_library(shared(path).decode()) == is_library(path), path


def test_options_and_kinds_count(cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"1")
    (tmp_path / "same").write_bytes(b"1")
    (tmp_path / "two").write_bytes(b"2")
    plain = of(dump(HERE), cache)
    options: list[dict[str, Any]] = [
        {"arch": "sm_90"},
        {"ptx_version": "8.6"},
        {"fmad": False},
        {"fast_math": True},
        {"opt_level": 1},
        {"check": ("race",)},
    ]
    options += [{"libdevice": tmp_path / "one"}, {"libdevice": tmp_path / "two"}]
    found = [plain, *(of(dump(HERE), cache, **chosen) for chosen in options)]
    keys = [key for recipe in found for kind in ("ptx", "cpu") for key in recipe.keys(kind)]
    assert len(set(keys)) == len(keys)
    same = of(dump(HERE), cache, libdevice=tmp_path / "same")
    assert same.keys("ptx") == of(dump(HERE), cache, libdevice=tmp_path / "one").keys("ptx"), "a file counts by its content"


def test_the_stage_counts_and_other_stages_are_taken_as_they_are(cache: Cache) -> None:
    text = dump(HERE)
    assert of(text, cache, start="ll").local_words == frozenset()
    assert of(text, cache, start="ll").keys("ptx") != of(text, cache).keys("ptx")
    assert of(text, cache, start="ll").keys("ptx") != of(text, cache, start="llvm").keys("ptx")


@pytest.mark.parametrize(
    ("tool", "affected"),
    [
        ("compiler_sources", {"ptx", "cubin", "cpu"}),
        ("llvm", {"ptx", "cpu"}),
        ("libdevice", {"ptx", "cpu"}),
        ("ptxas", {"cubin"}),
        ("host", {"cpu"}),
    ],
)
def test_tools_count(cache: Cache, monkeypatch: pytest.MonkeyPatch, tool: str, affected: set[str]) -> None:
    before = of(dump(HERE), cache)
    monkeypatch.setattr(keys, tool, lambda *_: "another" if tool == "compiler_sources" else ["another"])
    after = of(dump(HERE), cache)
    assert {kind for kind in ("ptx", "cubin", "cpu") if before.keys(kind) != after.keys(kind)} == affected


def test_a_tool_is_its_content_not_its_place_or_time(cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    one, two = tmp_path / "ptxas", tmp_path / "bin" / "ptxas"
    one.write_bytes(b"1")
    two.write_bytes(b"1")
    assert keys.content_of(one, cache) == keys.content_of(two, cache)
    two.write_bytes(b"2")
    assert keys.content_of(one, cache) != keys.content_of(two, cache)
    assert keys.content_of(tmp_path / "none", cache) == "missing"


def test_what_is_identified_is_there(cache: Cache) -> None:
    """A tool that is looked for in the wrong place would never count."""
    assert len(keys.llvm(cache)) == 2
    assert "missing" not in [*keys.llvm(cache), *keys.libdevice(cache), *keys.host(cache, Environment({"PATH": "/usr/bin:/bin"}))]


def test_remarks_come_back_as_they_were() -> None:
    code = next(iter(codes.CODES.values()))
    remarks = [
        Diagnostic(code, "message", 3, "warning", (Note("called here", 4), Note("nowhere")), ("do so",)),
        Diagnostic(None, "é", level="note"),
    ]
    assert unpack_remarks(pack_remarks(remarks)) == remarks
    assert unpack_remarks(pack_remarks(remarks)) != [replace(remarks[0], span=4), remarks[1]]
