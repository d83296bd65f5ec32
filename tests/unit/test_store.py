from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from oxide.cache.store import KINDS, Busy, Store, pack, parse_size, show_size, unpack
from oxide.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

KEY = "0123456789abcdef"


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.get("ptx", KEY) is None
    store.put("ptx", KEY, b"content")
    assert Store(tmp_path / "store").get("ptx", KEY) == b"content"
    assert store.get("cpu", KEY) is None
    assert store.counts() == (1, 1), "before there is a store nothing is counted"


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: b"",
        lambda entry: entry[:-1],
        lambda entry: entry + b"x",
        lambda entry: entry.replace(b"content", b"c0ntent"),
        lambda entry: entry.replace(b"entry 1 ", b"entry 2 "),
        lambda entry: pack("ptx", "another", b"content"),
        lambda entry: pack("cubin", KEY, b"content"),
        lambda entry: b"content",
    ],
)
def test_a_damaged_entry_is_none_and_goes_away(tmp_path: Path, damage: object) -> None:
    store = Store(tmp_path)
    store.put("ptx", KEY, b"content")
    path = store.path("ptx", KEY)
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    assert store.get("ptx", KEY) is None
    assert not path.exists()
    store.put("ptx", KEY, b"content")
    assert store.get("ptx", KEY) == b"content"


def test_every_byte_of_an_entry_counts() -> None:
    entry = pack("ptx", KEY, b"content")
    assert unpack(entry, "ptx", KEY) == b"content"
    for at in range(len(entry)):
        assert unpack(entry[:at] + bytes([entry[at] ^ 1]) + entry[at + 1 :], "ptx", KEY) is None, at
        assert unpack(entry[:at], "ptx", KEY) is None, at


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=10_000)
    for number in range(8):
        store.put("ptx", f"{number:x}", bytes(1000))
        os.utime(store.path("ptx", f"{number:x}"), ns=(number, number))
    assert store.get("ptx", "0") == bytes(1000), "used now, so kept"
    store.put("ptx", "8", bytes(1000))
    store.put("ptx", "9", bytes(1000))
    left = {path.name for path in (tmp_path / "ptx").iterdir()}
    assert left >= {"0", "8", "9", "7"}
    assert left.isdisjoint({"1", "2"})


def test_what_is_stored_again_takes_no_more_room(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=10_000)
    for number in range(4):
        store.put("ptx", f"{number:x}", bytes(1000))
    for _ in range(20):
        store.put("ptx", "f", bytes(1000))
    assert sorted(path.name for path in (tmp_path / "ptx").iterdir()) == ["0", "1", "2", "3", "f"]


def test_the_limit_holds(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=20_000)
    for number in range(200):
        store.put(KINDS[number % 3], f"{number:x}", random.randbytes(number * 10))
        assert sum(kind.size for kind in store.usage()) <= 20_000
    store.put("ptx", "abc", bytes(30_000))
    assert store.get("ptx", "abc") is None, "larger than all of it"
    assert store.get("ptx", f"{198:x}") is not None
    Store(tmp_path, limit=0).put("ptx", "def", b"")
    assert store.get("ptx", "def") is None


def test_what_a_dead_process_left_counts_and_goes(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=5000)
    store.put("ptx", "a", bytes(1000))
    (tmp_path / "ptx" / ".b.new").write_bytes(bytes(3000))
    (tmp_path / "size").write_bytes(b"")
    store.put("ptx", "c", bytes(1500))
    assert sorted(path.name for path in (tmp_path / "ptx").iterdir()) == ["a", "c"]


def test_clearing_a_kind_leaves_the_others(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.clear()
    store.put("ptx", KEY, b"1")
    store.put("cpu", KEY, b"2")
    store.clear(["ptx"])
    assert (store.get("ptx", KEY), store.get("cpu", KEY)) == (None, b"2")
    store.clear()
    assert store.get("cpu", KEY) is None
    assert store.counts() == (0, 1)


def test_a_store_that_is_held_or_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxide.cache.store.LOCK_TIMEOUT", 0.05)
    store = Store(tmp_path / "store")
    store.put("ptx", "a", b"1")
    with store.lock():
        store.put("ptx", "b", b"2")
        assert store.get("ptx", "a") == b"1", "reading takes no lock"
        with pytest.raises(Busy):
            store.clear()
    assert store.get("ptx", "b") is None
    (tmp_path / "file").write_bytes(b"in the way")
    broken = Store(tmp_path / "file")
    broken.put("ptx", "a", b"1")
    assert broken.get("ptx", "a") is None


WORK = """
import hashlib, random, sys
from pathlib import Path
from oxide.cache.store import Store

def content(kind, key):  # what belongs there, and nothing else
    return hashlib.sha512(f"{kind} {key}".encode()).digest() * (1 + int(key, 16) * 40)

store = Store(Path(sys.argv[1]), limit=int(sys.argv[2]))
found = 0
while True:
    kind, key = random.choice(["ptx", "cpu", "cubin"]), f"{random.randrange(24):x}"
    stored = store.get(kind, key)
    if stored is None:
        store.put(kind, key, content(kind, key))
    elif stored == content(kind, key):
        found += 1
    else:
        sys.exit(f"{kind} {key} is broken")
    if random.random() < 0.001:
        try:
            store.clear([random.choice(["ptx", "cpu"])])
        except Exception:
            pass
    if found % 100 == 1:
        print("found", flush=True)
"""


def test_eight_processes_that_are_killed_never_serve_a_broken_entry(tmp_path: Path) -> None:
    root, limit = tmp_path / "store", 1_500_000
    said = (tmp_path / "said").open("w+")
    errors = (tmp_path / "errors").open("w+")

    def begin() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", WORK, os.fspath(root), str(limit)], stdout=said, stderr=errors)

    running = [begin() for _ in range(8)]
    killed = 0
    try:
        end = time.monotonic() + 10
        while time.monotonic() < end:
            time.sleep(0.02)
            victim = random.randrange(8)
            status = running[victim].poll()
            assert status is None, (tmp_path / "errors").read_text()
            running[victim].send_signal(signal.SIGKILL)
            running[victim].wait()
            running[victim] = begin()
            killed += 1
            if killed % 8 == 0:
                time.sleep(0.5)  # or none would live to do anything
    finally:
        for process in running:
            process.kill()
            process.wait()
    assert (tmp_path / "errors").read_text() == ""
    assert (tmp_path / "said").read_text().count("found") > 8
    assert killed > 20
    store = Store(root, limit)
    entries = [path for path, _ in store.files() if not path.name.startswith(".")]
    assert entries
    for path in entries:
        assert unpack(path.read_bytes(), path.parent.name, path.name) is not None, "a rename shows only what is whole"
    assert sum(status.st_size for _, status in store.files()) <= limit
    store.put("ptx", "a", b"1")
    assert store.get("ptx", "a") == b"1"


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("100", 100), ("1.5 k", 1536), ("2 GiB", 2 << 30), ("2gb", 2 << 30), ("3M", 3 << 20), ("1 T", 1 << 40)]
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1", "2 GiB more", "1 XB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match=f"got '{text}' for the size of the cache, expected a number and a unit"):
        parse_size(text)


def test_sizes_for_people() -> None:
    assert [show_size(size) for size in (0, 1023, 1536, 2 << 30, 3 << 40)] == ["0 B", "1023 B", "1.5 KiB", "2.0 GiB", "3.0 TiB"]
