from __future__ import annotations

import hashlib
import json
import lzma
import runpy
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from oxide.cache.files import Cache
from oxide.rust import backend_link
from oxide.rust.backend_link import instantiating_crate, items, match_symbols
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

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
    """Who changes the backend packs it again: crates/rustc-codegen-oxide/README.md tells how."""
    pack = runpy.run_path(str(finders.REPOSITORY / "crates" / "rustc-codegen-oxide" / "pack.py"))
    manifest = json.loads((backend_link.PACKAGE / "manifest.json").read_bytes())
    assert pack["sources_sha256"]() == manifest["sources_sha256"]


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
