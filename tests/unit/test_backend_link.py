from __future__ import annotations

import hashlib
import json
import lzma
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from oxide.cache.files import Cache
from oxide.errors import InternalError
from oxide.rust import backend_link
from oxide.rust.backend_link import Manifest, instantiating_crate, items, match_symbols
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path


DROP_SLOW = (
    "_RNvMsn_NtCs{alloc}_5alloc4syncINtB5_3ArcDNtNtCs{tracing}_12tracing_core10subscriber10Subscriber"
    "NtNtCs{core}_4core6marker4{first}NtB1D_4{second}EL_E9drop_slowBL_"
)


def test_the_crate_that_instantiated() -> None:
    assert instantiating_crate("_RNvMsn_NtCs9jvVb34GBdE_5alloc4syncINtB5_3ArcShE9drop_slowCs5V5qpGw5PJr_10rustc_span") == "rustc_span"
    assert (
        instantiating_crate("_RNvMsn_NtCs9jvVb34GBdE_5alloc4syncINtB5_3ArcNtCs5V5qpGw5PJr_10rustc_span10SourceFileE9drop_slowBI_")
        == "rustc_span"
    )
    assert instantiating_crate("main") is None


def test_disambiguators_do_not_count() -> None:
    ours, theirs = "_RNvNtCsh279RMZ592_12rustc_middle2ty5query", "_RNvNtCs9PBR29CKfKk_12rustc_middle2ty5query"
    assert match_symbols([ours], [theirs]) == ({ours: theirs}, [])
    assert match_symbols([theirs], [theirs]) == ({}, [])


def test_numbers_of_local_items_count() -> None:
    def named(crate: str, local: str) -> str:
        return f"_RNvNvNtCs{crate}_13rustc_type_ir4fold10shift_vars{local}10___CALLSITE"

    ours, theirs = [named("cNCCmAQpXuy", local) for local in ("", "s_")], [named("j4DsxTtYroT", local) for local in ("", "s_")]
    assert match_symbols(ours, theirs) == (dict(zip(ours, theirs, strict=True)), [])


def test_auto_traits_have_no_order() -> None:
    ours = DROP_SLOW.format(alloc="9jvVb34GBdE", tracing="cJC84uRBakZ", core="coScM8QT1vH", first="Sync", second="Send")
    theirs = DROP_SLOW.format(alloc="gW8esjfipvk", tracing="5nRix9F6zhp", core="27Vx93FoQ6z", first="Send", second="Sync")
    assert items([ours]) == items([theirs])
    assert match_symbols([ours], [theirs]) == ({ours: theirs}, [])


def test_two_versions_of_a_crate_are_told_apart_by_other_symbols() -> None:
    def alloc_err(crate: str) -> str:
        return f"_RNvMNtCs{crate}_9hashbrown3rawNtB2_11Fallibility9alloc_err"

    def only_once(crate: str) -> str:
        return f"_RNvNtCs{crate}_9hashbrown3raw4once"

    ours, theirs, other = "69CMclX6d41", "2Ebf2NpER5L", "2tQUZL12zLE"
    exported = [alloc_err(theirs), alloc_err(other)]
    _, unmatched = match_symbols([alloc_err(ours)], exported)
    assert unmatched == ["<hashbrown::raw::Fallibility>::alloc_err: 2 candidates"]
    renamed, unmatched = match_symbols([alloc_err(ours), only_once(ours)], [*exported, only_once(theirs)])
    assert unmatched == []
    assert renamed[alloc_err(ours)] == alloc_err(theirs)


def test_a_missing_symbol_is_named() -> None:
    _, unmatched = match_symbols(["_RNvCsh279RMZ592_4itoa3fmt"], [])
    assert unmatched == ["itoa::fmt: 0 candidates"]


def test_the_packed_object_is_the_one_in_the_manifest() -> None:
    manifest = json.loads((backend_link.PACKAGE / "manifest.json").read_bytes())
    content = lzma.decompress((backend_link.PACKAGE / "backend.o.xz").read_bytes())
    assert hashlib.sha256(content).hexdigest() == manifest["object_sha256"]


def test_the_packed_object_is_of_these_sources() -> None:
    """Who changes the backend packs it again: crates/rustc-codegen-oxide/README.md describes how."""
    manifest = json.loads((backend_link.PACKAGE / "manifest.json").read_bytes())
    assert backend_link.sources_sha256(finders.REPOSITORY / "crates" / "rustc-codegen-oxide") == manifest["sources_sha256"]


def test_a_rebuilt_object_is_taken_while_it_is_of_the_present_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / backend_link.SOURCES
    (folder / "src").mkdir(parents=True)
    (folder / "target").mkdir()
    (folder / "build-object.sh").write_text("rustc")
    (folder / "src" / "lib.rs").write_text("fn one() {}")
    monkeypatch.setattr(backend_link, "crates_folder", lambda: tmp_path)
    packed = Manifest.packed()
    assert Manifest.read() == packed
    fields = {
        "rustc_commit": packed.rustc_commit,
        "object_sha256": hashlib.sha256(b"object").hexdigest(),
        "sources_sha256": backend_link.sources_sha256(folder),
    }
    (folder / "target" / "backend.o").write_bytes(b"object")
    (folder / "target" / "backend.json").write_text(json.dumps(fields))
    assert Manifest.read().object == folder / "target" / "backend.o"
    assert backend_link.read_object(Manifest.read()) == b"object"
    (folder / "target" / "backend.o").write_bytes(b"damaged")
    with pytest.raises(InternalError, match=r"backend\.o is not the object that its manifest names"):
        backend_link.read_object(Manifest.read())
    (folder / "src" / "lib.rs").write_text("fn another() {}")
    assert Manifest.read() == packed, "the sources have changed since"


def test_a_backend_built_from_other_sources_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rustc").write_text("a compiler")
    (tmp_path / backend_link.SOURCES).mkdir()
    source = tmp_path / backend_link.SOURCES / "lib.rs"
    source.write_text("fn one() {}")
    monkeypatch.setattr(backend_link, "crates_folder", lambda: tmp_path)
    rust: Any = SimpleNamespace(driver=tmp_path / "rustc")
    before = backend_link.source_path(rust, Cache(tmp_path / "cache"))
    assert backend_link.source_path(rust, Cache(tmp_path / "cache")) == before
    source.write_text("fn another() {}")
    assert backend_link.source_path(rust, Cache(tmp_path / "cache")) != before
