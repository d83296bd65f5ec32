from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from oxide.cache.remote import Remote, open_signed, open_store, sign
from oxide.cache.store import Store, pack
from oxide.options import StoreOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

fsspec = pytest.importorskip("fsspec")

SECRET = b"0123456789abcdef"
KEY = "fedcba"


class Said(list[str]):
    """What the remote warned of."""

    def __call__(self, text: str) -> None:
        self.append(text)


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture(params=["memory", "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"memory://{uuid.uuid4().hex}/oxide" if request.param == "memory" else f"file://{tmp_path}/share/oxide"


def remote(url: str, said: Said, secret: bytes = SECRET, *, writes: bool = True, patience: float = 10) -> Remote:
    return Remote(url, secret, writes=writes, patience=patience, warn=said)


def test_what_one_machine_stores_another_finds(url: str, said: Said, tmp_path: Path) -> None:
    here, there = (Store(tmp_path / name, remote=remote(url, said)) for name in ("here", "there"))
    here.put("ptx", KEY, b"content")
    assert there.get("ptx", KEY) == b"content"
    assert there.get("cpu", KEY) is None
    alone = Store(tmp_path / "there")
    assert alone.get("ptx", KEY) == b"content", "it is kept here too"
    assert said == []


def test_a_machine_that_only_reads(url: str, said: Said, tmp_path: Path) -> None:
    Store(tmp_path / "reader", remote=remote(url, said, writes=False)).put("ptx", KEY, b"content")
    assert remote(url, said).get("ptx", KEY) is None
    remote(url, said).put("ptx", KEY, b"content")
    assert remote(url, said, writes=False).get("ptx", KEY) == b"content"
    assert said == []


ENTRY = pack("ptx", KEY, b"content")


@pytest.mark.parametrize(
    "forged",
    [
        pytest.param(ENTRY, id="not signed"),
        pytest.param(sign(ENTRY, b"another secret of 16"), id="signed with another secret"),
        pytest.param(sign(ENTRY, SECRET)[:-1], id="truncated"),
        pytest.param(sign(ENTRY, SECRET).replace(b"content", b"evil!!!"), id="other content under the signature"),
        pytest.param(sign(pack("ptx", KEY, b"evil"), b""), id="signed with nothing"),
        pytest.param(sign(ENTRY, SECRET)[:78] + pack("ptx", KEY, b"evil"), id="other entry under the signature"),
        pytest.param(sign(pack("ptx", "abc", b"content"), SECRET), id="moved from another key"),
        pytest.param(sign(pack("cpu", KEY, b"content"), SECRET), id="moved from another kind"),
        pytest.param(b"", id="empty"),
        pytest.param(b"oxide-signed ", id="a head alone"),
        pytest.param(b"oxide-signed " + b"\xff" * 64 + b"\n" + ENTRY, id="a signature of no letters"),
    ],
)
def test_a_forged_or_damaged_entry_is_refused_and_replaced(url: str, said: Said, forged: bytes, tmp_path: Path) -> None:
    assert open_signed(sign(ENTRY, SECRET), "ptx", KEY, SECRET) == b"content"
    one = remote(url, said)
    one.write("ptx", KEY, forged)
    store = Store(tmp_path / "store", remote=one)
    assert store.get("ptx", KEY) is None
    assert not store.path("ptx", KEY).exists()
    assert store.get("ptx", KEY) is None
    assert said == [f"refused ptx/{KEY} of the remote cache {url}: it is damaged, or signed with another OXIDE_REMOTE_CACHE_KEY"]
    store.put("ptx", KEY, b"content")
    assert remote(url, said).get("ptx", KEY) == b"content"


def failing(error: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_a_remote_that_fails_is_left_alone_with_one_warning(said: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    one = remote("memory://fails", said)
    store = Store(tmp_path, remote=one)
    files, _ = one.open()
    monkeypatch.setattr(type(files), "cat_file", failing(PermissionError("access\ndenied")))
    for _ in range(3):
        assert store.get("ptx", KEY) is None
        store.put("ptx", KEY, b"content")
        store.path("ptx", KEY).unlink()
    assert said == ["going on without the remote cache memory://fails: PermissionError: access denied"]


def test_a_slow_remote_costs_no_more_than_its_patience(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    one = remote("memory://slow", said, patience=0.3)
    files, _ = one.open()
    monkeypatch.setattr(type(files), "cat_file", lambda *_, **__: time.sleep(60))
    start = time.monotonic()
    for key in ("a", "b", "c"):
        assert one.get("ptx", key) is None
        one.put("ptx", key, b"content")
    assert time.monotonic() - start < 2
    assert said == ["going on without the remote cache memory://slow: it took more than 0.3 s"]


def test_many_quick_answers_share_the_patience(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    one = remote("memory://adds-up", said, patience=0.5)
    files, _ = one.open()
    monkeypatch.setattr(type(files), "cat_file", lambda *_, **__: time.sleep(0.1))
    start = time.monotonic()
    for key in range(30):
        one.get("ptx", f"{key:x}")
    assert time.monotonic() - start < 2
    assert len(said) == 1


@pytest.mark.parametrize(("url", "reason"), [("nonsense://x", "nonsense"), ("file:///proc/oxide", "oxide")])
def test_a_remote_that_is_none(url: str, reason: str, said: Said) -> None:
    one = remote(url, said)
    one.put("ptx", KEY, b"content")
    assert one.get("ptx", KEY) is None
    assert len(said) == 1
    assert reason in said[0]


def test_what_is_written_can_be_read(said: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("oxide.cache.remote.MOST_BYTES", 1000)
    one = remote(f"file://{tmp_path}", said)
    around = len(sign(pack("ptx", KEY, bytes(900)), SECRET)) - 900
    for size in range(995 - around, 1005):
        one.put("ptx", f"{size:x}", bytes(size))
        written = (tmp_path / "ptx" / f"{size:x}").exists()
        assert written == (len(sign(pack("ptx", f"{size:x}", bytes(size)), SECRET)) <= 1000)
        assert one.get("ptx", f"{size:x}") == (bytes(size) if written else None)
    assert said == []


def test_without_a_secret_a_remote_is_not_used(said: Said, tmp_path: Path) -> None:
    for key in (None, "short"):
        store = open_store(tmp_path, StoreOptions(remote="memory://x", key=key), said)
        assert store.remote is None
    assert said[1].startswith(
        "going on without the remote cache memory://x: OXIDE_REMOTE_CACHE_KEY has 5 bytes, expected 16 or more; hint: "
    )
    assert open_store(tmp_path, StoreOptions(remote="memory://x", key="long enough to be one"), said).remote is not None
    assert len(said) == 2


def test_a_share_shows_no_half_written_file(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = remote(f"file://{tmp_path}", said)
    files, _ = one.open()
    monkeypatch.setattr(type(files), "mv", failing(OSError("the machine goes down")))
    one.put("ptx", KEY, b"content")
    assert list((tmp_path / "ptx").iterdir()) == []
