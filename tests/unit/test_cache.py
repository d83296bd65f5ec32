from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from oxide.cache import Cache, digest, digest_of_tree, whole_library, write_atomically
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
    assert digest_of_tree(tmp_path) == before
    (tmp_path / "a").rename(tmp_path / "b")
    assert digest_of_tree(tmp_path) != before


def test_what_is_remembered_comes_back(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    assert cache.remembered("kind", "key") is None
    cache.remember("kind", "key", "text")
    assert cache.remembered("kind", "key") == "text"
    Cache(tmp_path / "kind" / "key").remember("kind", "key", "a cache that cannot be written is none")


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
    assert not whole_library(library)
    subprocess.run(["cc", "-shared", "-x", "c", "-o", library, "-"], input=b"int f(void) { return 1; }", check=True)
    assert whole_library(library)
    for size in (library.stat().st_size - 1, 1000, 20, 0):
        os.truncate(library, size)
        assert not whole_library(library)
