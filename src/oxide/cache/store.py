"""Compiled artifacts by content: what a program became, found again by what it was made from.

    store = Store(cache.root / "store", limit=2 << 30)
    store.put("ptx", key, ptx)
    store.get("ptx", key)           # the same bytes; None where they are not there, or damaged

An entry is one file, `KIND/KEY`: a line that says what it is, then the content. It appears by a rename, is believed only after its hash was
looked at, and goes when it is the one that was used longest ago and the store is full:

    oxide-entry 1 ptx 3f9a… 9b1c… 1849
    // oxide 77d0…

Any number of processes use one store. Reading takes no lock, nor does removing what is damaged; whoever else writes or removes holds one,
which the system frees when the process ends, however it ends. A store that cannot be used only costs time.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from oxide.cache.files import LEFT_AFTER_TRIMMING, NotAFile, open_entry, read_entry, remove, touch
from oxide.errors import UsageError
from oxide.options import StoreOptions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

KINDS = ("ptx", "cubin", "cpu", "remarks")
"""What is stored: stages of the pipeline, the image for the CPU device, and what was said of the program while it was compiled."""

LOCK_TIMEOUT = 2.0
"""Seconds that a process waits for the lock before it goes on without."""

TEMPORARY = ".new"
"""The ending of a file that is being written; only the holder of the lock has one."""

VERSION = 1
HEAD = re.compile(rb"oxide-entry (\d+) (\w+) ([0-9a-f]+) ([0-9a-f]{64}) (\d+)\n")
LONGEST_HEAD = 256


def pack(kind: str, key: str, content: bytes) -> bytes:
    """Return the entry that holds `content`."""
    return head(kind, key, hashlib.sha256(content).hexdigest(), len(content)) + content


def head(kind: str, key: str, sha256: str, size: int) -> bytes:
    """Return an entry's first line: all that there is to say of its content."""
    return f"oxide-entry {VERSION} {kind} {key} {sha256} {size}\n".encode()


def unpack(entry: bytes, kind: str, key: str) -> bytes | None:
    """Return the content of an entry; None where it is not whole, or another than the one asked for."""
    found = HEAD.match(entry, 0, LONGEST_HEAD)
    if found is None:
        return None
    content = entry[found.end() :]
    return content if found[0] == head(kind, key, hashlib.sha256(content).hexdigest(), len(content)) else None


class Remote(Protocol):
    """A store that many machines share; `oxide.cache.remote` is one."""

    def get(self, kind: str, key: str) -> bytes | None:
        """Return the content of an entry that can be trusted, or None."""

    def put(self, kind: str, key: str, content: bytes) -> None:
        """Offer an entry to the other machines."""


@dataclass(frozen=True)
class Usage:
    """How much of one kind is there."""

    kind: str
    entries: int
    size: int
    """Bytes."""


class Busy(Exception):
    """Others hold the lock for longer than is worth waiting."""


class Store:
    """The entries in one folder, at most `limit` bytes of them, in front of a `remote` that may be slower."""

    def __init__(self, root: Path, limit: int = StoreOptions.size, remote: Remote | None = None) -> None:
        self.root = root
        self.limit = limit
        self.remote = remote

    def get(self, kind: str, key: str) -> bytes | None:
        """Return what is stored, or None."""
        return self.find(kind, [key])

    def find(self, kind: str, keys: Sequence[str]) -> bytes | None:
        """Return what is stored under the first of `keys` that has something, or None. What comes from the remote is kept here."""
        content = next((content for key in keys if (content := self.get_local(kind, key)) is not None), None)
        if content is None and self.remote is not None:
            for key in keys:
                if (content := self.remote.get(kind, key)) is not None:
                    self.put_local(kind, key, content)
                    break
        self.count("hits" if content is not None else "misses")
        return content

    def put(self, kind: str, key: str, content: bytes) -> None:
        """Store `content`, here and in the remote."""
        self.put_local(kind, key, content)
        if self.remote is not None:
            self.remote.put(kind, key, content)

    def get_local(self, kind: str, key: str) -> bytes | None:
        """Return what is stored here and mark it as used; a damaged entry is removed."""
        path = self.path(kind, key)
        try:
            entry = read_entry(path)
        except NotAFile:
            entry = b""
        except OSError:
            return None
        content = unpack(entry, kind, key)
        if content is not None:
            touch(path)
        else:
            with contextlib.suppress(OSError):
                remove(path)
        return content

    def put_local(self, kind: str, key: str, content: bytes) -> None:
        """Store `content` here if there is or can be made room for it."""
        entry = pack(kind, key, content)
        if len(entry) > self.limit:
            return
        path = self.path(kind, key)
        temporary = path.with_name(f".{key}{TEMPORARY}")
        with contextlib.suppress(OSError, Busy):
            path.parent.mkdir(parents=True, exist_ok=True)
            with self.lock():
                self.make_room(len(entry))
                remove(temporary)
                temporary.write_bytes(entry)
                temporary.replace(path)

    def path(self, kind: str, key: str) -> Path:
        """Return where an entry lies."""
        return self.root / kind / key

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the store against others who write or remove; raise `Busy` where that takes too long."""
        deadline = time.monotonic() + LOCK_TIMEOUT
        with os.fdopen(open_entry(self.root / "lock", os.O_RDWR | os.O_CREAT), "r+b", buffering=0) as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise Busy from None
                    time.sleep(0.005)
            yield

    def make_room(self, size: int) -> None:
        """Count `size` bytes as stored before they are, and remove what was used longest ago where that is too many."""
        total = self.counted() + size
        if total > self.limit:
            # Entries that were stored twice or found damaged were counted too often.
            total = sum(status.st_size for _, status in self.files()) + size
        if total > self.limit:
            total = self.trim(max(0, int(self.limit * LEFT_AFTER_TRIMMING) - size)) + size
        self.set_counted(total)

    def counted(self) -> int:
        """Return how many bytes are stored at most: what a process died over and what was replaced is counted too."""
        try:
            return int(read_entry(self.root / "size"))
        except (OSError, ValueError):
            return sum(status.st_size for _, status in self.files())

    def set_counted(self, total: int) -> None:
        """Remember how many bytes are stored, in one write that is there or not."""
        file = open_entry(self.root / "size", os.O_WRONLY | os.O_CREAT)
        try:
            os.pwrite(file, f"{total:020}".encode(), 0)
        finally:
            os.close(file)

    def trim(self, goal: int) -> int:
        """Remove what dead processes left, then the entries used longest ago, until at most `goal` bytes are left; return how many are."""
        entries = sorted(self.files(), key=lambda entry: (not entry[0].name.endswith(TEMPORARY), entry[1].st_mtime_ns))
        total = sum(status.st_size for _, status in entries)
        for path, status in entries:
            if total > goal or path.name.endswith(TEMPORARY):
                with contextlib.suppress(OSError):
                    remove(path)
                    total -= status.st_size
        return total

    def files(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Yield each file of an entry, what dead processes left included."""
        for kind in KINDS:
            with contextlib.suppress(FileNotFoundError), os.scandir(self.root / kind) as listed:
                for entry in listed:
                    with contextlib.suppress(FileNotFoundError):
                        yield self.root / kind / entry.name, entry.stat(follow_symlinks=False)

    def usage(self) -> list[Usage]:
        """Return how much of each kind there is."""
        found = [(path.parent.name, status.st_size) for path, status in self.files() if not path.name.endswith(TEMPORARY)]
        return [Usage(kind, sum(of == kind for of, _ in found), sum(size for of, size in found if of == kind)) for kind in KINDS]

    def clear(self, kinds: Collection[str] = KINDS) -> None:
        """Remove the entries of these kinds. Whoever has read one keeps it. Raises `Busy`, and `OSError` where something stays."""
        if not self.root.is_dir():
            return
        with self.lock():
            for path, _ in list(self.files()):
                if path.parent.name in kinds:
                    remove(path)
            self.set_counted(sum(status.st_size for _, status in self.files()))
            if set(kinds) >= set(KINDS):
                for name in ("hits", "misses"):
                    (self.root / name).unlink(missing_ok=True)

    def count(self, what: str) -> None:
        """Count a hit or a miss: one byte more in a file, which no process can leave half done."""
        with contextlib.suppress(OSError):
            file = open_entry(self.root / what, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                os.write(file, b".")
            finally:
                os.close(file)

    def counts(self) -> tuple[int, int]:
        """Return how many hits and misses there were since the store was cleared."""
        sizes = []
        for name in ("hits", "misses"):
            try:
                sizes.append((self.root / name).stat().st_size)
            except OSError:
                sizes.append(0)
        return sizes[0], sizes[1]


UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Return the bytes that a text such as `500 MiB`, `2G` or `0` says, by powers of 1024. Raises `UsageError`."""
    found = SIZE.fullmatch(text)
    if found is None:
        raise UsageError(f"got '{text}' for the size of the cache, expected a number and a unit", hint="for example 2 GiB")
    return int(float(found[1]) * UNITS[found[2].lower()])


def show_size(size: int) -> str:
    """Return a number of bytes for people: `1.5 MiB`."""
    amount = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"
