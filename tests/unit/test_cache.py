from __future__ import annotations

import os
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from oxide.cache.files import Cache, digest, digest_of_tree, is_complete_library, write_atomically, write_entry
from oxide.cache.store import Store
from oxide.errors import MachineError

if TYPE_CHECKING:
    from pathlib import Path


def test_writing_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new" / "file", b"1")
    write_atomically(tmp_path / "new" / "file", b"2")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file"]
    assert (tmp_path / "new" / "file").read_bytes() == b"2"


def test_the_same_content_is_not_written_again(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_atomically(file, b"1")
    os.utime(file, ns=(0, 0))
    write_atomically(file, b"1")
    assert file.stat().st_mtime_ns == 0


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MachineError, match=r"cannot write .*/file/inside: "):
        write_atomically(tmp_path / "file" / "inside", b"")


def test_where_a_part_ends_counts() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab", b"c") == digest(b"ab", "c")


def test_a_tree_is_its_names_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = digest_of_tree(tmp_path)
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "built").write_text("x")
    (tmp_path / ".#a").symlink_to("somebody@somewhere")
    os.mkfifo(tmp_path / "pipe")
    assert digest_of_tree(tmp_path) == before
    (tmp_path / "a").rename(tmp_path / "b")
    assert digest_of_tree(tmp_path) != before


def test_what_is_remembered_comes_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.remembered("kind", "key") is None
    cache.remember("kind", "key", "text")
    assert cache.remembered("kind", "key") == "text"
    Cache(tmp_path / "kind" / "key").remember("kind", "key", "a cache that cannot be written is none")


def put(path: Path, what: str) -> None:
    """Put something that is no file at a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    match what:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(os.path.relpath(path))
        case "folder":
            path.mkdir()
            (path / "inside").touch()
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.symlink_to("nowhere")


@pytest.mark.timeout(30)
@pytest.mark.parametrize("what", ["pipe", "socket", "folder", "device", "link"])
def test_what_is_no_file_is_a_miss_and_replaced(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache = Cache(tmp_path)
    put(tmp_path / "kind" / "key", what)
    assert cache.remembered("kind", "key") is None
    cache.remember("kind", "key", "text")
    assert cache.remembered("kind", "key") == "text"
    put(tmp_path / "locks" / "name", what)
    with cache.lock("name"):
        pass
    put(tmp_path / "locks" / "in-use", what)
    with cache.in_use(), cache.alone() as alone:
        assert not alone
    put(tmp_path / "library", what)
    assert not is_complete_library(tmp_path / "library")
    write_entry(tmp_path / "library", b"content", mode=0o755)
    (tmp_path / "library").chmod(0o644)
    write_entry(tmp_path / "library", b"content", mode=0o755)
    assert (tmp_path / "library").read_bytes() == b"content"
    assert (tmp_path / "library").stat().st_mode & 0o777 == 0o755
    assert sorted(path.name for path in tmp_path.iterdir() if not path.is_dir() and not path.name.startswith(".")) == ["library"]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("what", ["pipe", "socket", "folder", "device", "link"])
@pytest.mark.parametrize("where", ["ptx/1234", "ptx/.1234.new", "lock", "size", "hits", "ptx/5678"])
def test_what_is_no_file_in_a_store_is_replaced_by_what_belongs_there(
    tmp_path: Path, what: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / where, what)
    store = Store(tmp_path, 1000)
    assert store.get("ptx", "1234") is None
    store.put("ptx", "1234", b"content")
    assert store.get("ptx", "1234") == b"content"
    for key in "abcdef":
        store.put("ptx", key, bytes(200))
    assert sum(kind.size for kind in store.usage()) <= 1000, "what it is not is trimmed too"
    assert store.get("ptx", "f") == bytes(200)
    store.clear()
    assert list((tmp_path / "ptx").iterdir()) == []


def test_a_link_stays_one_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"before")
    (tmp_path / "link").symlink_to("file")
    write_atomically(tmp_path / "link", b"after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"after"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(tmp_path / "pipe", b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link", "pipe"]


def test_what_is_remembered_and_damaged_is_forgotten(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for damage in (b"", b"\xff", b"{}"):
        cache.remember("kind", "key", "text")
        (tmp_path / "kind" / "key").write_bytes(damage)
        assert cache.remembered("kind", "key") is None
    cache.remember("kind", "key", "text")
    os.truncate(tmp_path / "kind" / "key", 35)
    assert cache.remembered("kind", "key") is None


def test_a_library_that_ends_early_is_not_whole(tmp_path: Path) -> None:
    library = tmp_path / "library.so"
    assert not is_complete_library(library)
    subprocess.run(["cc", "-shared", "-x", "c", "-o", library, "-"], input=b"int f(void) { return 1; }", check=True)
    assert is_complete_library(library)
    for size in (library.stat().st_size - 1, 1000, 20, 0):
        os.truncate(library, size)
        assert not is_complete_library(library)
