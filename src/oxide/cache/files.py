"""The cache folder: files that appear whole or not at all, locks, digests, and what removes old entries.

library = cache.root / "backend" / key / "librustc_codegen_oxide.so"
with cache.lock("backend"):
write_atomically(library, image)
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
import struct
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

from oxide.errors import MachineError, reason_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

OUTPUT_HINT = "choose a folder that can be written with --out-dir or -o"
CACHE_HINT = "set OXIDE_CACHE to a folder that can be written"

MAX_IMAGE_BYTES = 256 << 20
"""Bytes of images that are kept for PTX that lies elsewhere, those used longest ago go, as of all below."""
MAX_PROGRAM_BYTES = 64 << 20
"""Bytes of programs that `oxide.load` remembers."""
MAX_METADATA_BYTES = 16 << 20
"""Bytes of what cargo says of projects."""
MAX_SCRIPT_BYTES = 2 << 30
"""Bytes of packages and builds of single files."""
MAX_CRATE_BYTES = 1 << 30
"""Bytes of what cargo made of the crates that programs depend on."""
MAX_CELLS = 1000
"""Cells of notebooks."""
MAX_BUG_REPORTS = 16
"""Failures of ours, each with what repeats it."""

LEFT_AFTER_TRIMMING = 0.75
"""The part of a limit that trimming leaves where it takes a while, so that it is not done each time."""


def write_atomically(path: Path, content: bytes, *, mode: int = 0o644, hint: str = OUTPUT_HINT) -> None:
    """Write `content` to `path` through a temporary file beside it and a rename, so that a reader sees the old file or the new one.

    A file that already holds `content` is left alone. A place that cannot be written raises `MachineError` and keeps what was there.
    A link stays one, and what is no file, such as a pipe or /dev/null, is written to as it is.
    """
    path = Path(os.path.realpath(path))
    with contextlib.suppress(OSError):
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            return
    if os.path.exists(path) and not path.is_file() and not path.is_dir():  # noqa: PTH110 - Path.exists raises where a folder is closed
        write_through(path, content)
        return
    replace_file(path, content, mode, hint)


def replace_file(path: Path, content: bytes, mode: int, hint: str) -> None:
    """Write `content` to `path` through a temporary file beside it and a rename; raise `MachineError` where that cannot be done."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content)
        temporary.chmod(mode)
        temporary.replace(path)
    except OSError as error:
        raise cannot_write(path, error, hint) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_entry(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Write a file of the cache whole, in the place of whatever is there: a pipe would wait for who reads.

    A file that already holds `content` is left alone. A place that cannot be written raises `MachineError`.
    """
    with contextlib.suppress(OSError):
        there = path.lstat()
        if (there.st_mode, there.st_size) == (stat.S_IFREG | mode, len(content)) and read_entry(path) == content:
            return
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            remove(path)
    replace_file(path, content, mode, CACHE_HINT)


def touch(path: Path) -> None:
    """Say that an entry is used, where the cache can be written: those used longest ago go first."""
    with contextlib.suppress(OSError):
        os.utime(path)


def read_entry(path: Path) -> bytes:
    """Return the content of a file of the cache; raise `OSError` where there is none, `NotAFile` where something else is."""
    with os.fdopen(open_entry(path, os.O_RDONLY), "rb") as file:
        return file.read()


class NotAFile(OSError):
    """A folder, a pipe, a socket or a device lies where the cache has a file."""


def open_entry(path: Path, flags: int) -> int:
    """Return the descriptor of a file of the cache, with `O_CREAT` made in the place of whatever is there.

    Raises `NotAFile` without: opening a pipe waits for who is at its other end, and a device may do anything.
    """
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(path.stat().st_mode):
            if not flags & os.O_CREAT:
                raise NotAFile(errno.EINVAL, "not a file", os.fspath(path))
            remove(path)
    file = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotAFile(errno.EINVAL, "not a file", os.fspath(path))
    return file


def remove(path: Path) -> None:
    """Remove what is at `path`, a folder with all that is in it; nothing is fine, and what cannot be removed raises `OSError`."""
    try:
        if stat.S_ISDIR(path.lstat().st_mode):
            import shutil

            shutil.rmtree(path)
        else:
            path.unlink()
    except FileNotFoundError:
        pass


def write_through(path: Path, content: bytes) -> None:
    """Write `content` to a pipe or a device; raise `MachineError` where it takes no more."""
    try:
        with path.open("wb", buffering=0) as file:
            rest = memoryview(content)
            while rest:
                rest = rest[file.write(rest) :]
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write(path, error, OUTPUT_HINT) from None


def cannot_write(path: Path, error: OSError, hint: str) -> MachineError:
    """Return the error for a file that could not be written."""
    return MachineError(f"cannot write {path}: {reason_of(error)}", hint=hint)


def digest(*parts: bytes | str) -> str:
    """Return 32 hexadecimal digits that identify `parts`; where one ends and the next begins counts."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()[:32]


def digest_of_tree(folder: Path, *, skip: frozenset[str] = frozenset({"target", "__pycache__"})) -> str:
    """Return a digest of every file under `folder`, names and contents, without folders named in `skip`."""
    files = sorted(files_in(folder, skip))
    return digest(*(part for path in files for part in (path.relative_to(folder).as_posix(), path.read_bytes())))


def files_in(folder: Path, skip: Collection[str]) -> Iterator[Path]:
    """Yield the files under `folder`, without folders named in `skip`, and without links to nowhere, as editors leave them."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in skip]
        yield from filter(Path.is_file, (Path(place, name) for name in names))


def digest_of_sources(folder: Path, cache: Cache) -> str:
    """Return `digest_of_tree`, remembered until a file changes: reading sources takes longer than looking at them."""
    files = sorted(files_in(folder, {"target"}))
    stats = ((file, file.stat()) for file in files)
    key = digest("sources", *(f"{file} {status.st_size} {status.st_mtime_ns}" for file, status in stats))
    if (known := cache.remembered("content", key)) is None:
        known = digest_of_tree(folder)
        cache.remember("content", key, known)
    return known


def stamp(path: Path) -> str:
    """Return what changes when the file at `path` does, without reading it: real path, size and time of change."""
    real = path.resolve()
    status = real.stat()
    return f"{real} {status.st_size} {status.st_mtime_ns}"


def is_complete_library(path: Path) -> bool:
    """Whether `path` is an ELF file that does not end early.

    The linker puts the section headers last; the ELF header says where (ELF-64 Object File Format, "ELF Header").
    """
    try:
        with os.fdopen(open_entry(path, os.O_RDONLY), "rb") as file:
            head = file.read(64)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return False
    if len(head) < 64 or head[:4] != b"\x7fELF":
        return False
    headers_at, entry_size, entries = struct.unpack("<40xQ10xHH2x", head)
    return bool(headers_at) and headers_at + entry_size * entries <= size


def trim_folders(folder: Path, count: int) -> None:
    """Remove what changed longest ago in `folder` until `count` folders are left. What cannot be removed stays."""
    for path, _ in newest_first(folder)[count:]:
        with contextlib.suppress(OSError):
            remove(path)


def trim_files(folder: Path, limit: int) -> None:
    """Remove the files in `folder` that changed longest ago until they are at most `limit` bytes. What cannot be removed stays."""
    total = 0
    for path, status in newest_first(folder):
        total += status.st_size
        if total > limit:
            with contextlib.suppress(OSError):
                remove(path)


def newest_first(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """Return what is in a folder, what changed last first; what goes away meanwhile is left out."""
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as listed:
        for entry in listed:
            with contextlib.suppress(OSError):
                found.append((folder / entry.name, entry.stat(follow_symlinks=False)))
    return sorted(found, key=lambda pair: pair[1].st_mtime_ns, reverse=True)


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all that is in a folder; what is not there has none."""
    try:
        status = path.lstat()
    except OSError:
        return 0
    return sum(sizes_in(path)) if stat.S_ISDIR(status.st_mode) else status.st_size


def sizes_in(folder: Path) -> Iterator[int]:
    """Yield the size of each file below `folder`; what goes away meanwhile counts for nothing."""
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                yield Path(place, name).lstat().st_size


class Cache:
    """The cache folder: `OXIDE_CACHE`, or oxide's part of the user's cache."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextlib.contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold `name` against other processes; the system frees it when the process ends, however it ends."""
        with self.lock_file(name) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def lock_file(self, name: str) -> IO[bytes]:
        """Return the file that is locked for `name`."""
        path = self.folder("locks") / name
        try:
            return os.fdopen(open_entry(path, os.O_RDWR | os.O_CREAT), "r+b", buffering=0)
        except OSError as error:
            raise MachineError(f"cannot lock {path}: {reason_of(error)}", hint=CACHE_HINT) from None

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep what this process works with from being cleared; several processes can at once."""
        try:
            file = self.lock_file("in-use")
        except MachineError:
            # A folder that cannot be written is not cleared either.
            yield
            return
        with file:
            fcntl.flock(file, fcntl.LOCK_SH)
            yield

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether nobody works with the cache; nobody begins to while this is held."""
        with self.lock_file("in-use") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True

    def folder(self, *parts: str) -> Path:
        """Return a folder of the cache, made if it is not there."""
        folder = self.root.joinpath(*parts)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MachineError(f"cannot make the cache folder {folder}: {reason_of(error)}", hint=CACHE_HINT) from None
        return folder

    def remembered(self, kind: str, key: str) -> str | None:
        """Return the text stored as `kind` under `key`, or None where there is none or it is damaged."""
        path = self.root / kind / key
        try:
            check, _, text = read_entry(path).decode().partition("\n")
        except (OSError, UnicodeDecodeError):
            return None
        touch(path)
        return text if check == digest(text) else None

    def remember(self, kind: str, key: str, text: str) -> None:
        """Store `text` as `kind` under `key`. A cache that cannot be written only costs time."""
        with contextlib.suppress(MachineError):
            write_entry(self.root / kind / key, f"{digest(text)}\n{text}".encode())


KEY_LINE = b"// oxide "
"""What the first line of a PTX of oxide's begins with."""


def image_path(cache: Cache, ptx: bytes) -> Path:
    """Return where in the cache the CPU device looks for what it runs in place of a PTX, as docs/formats.md has it."""
    key = ptx.partition(b"\n")[0].removeprefix(KEY_LINE).decode(errors="replace")
    return cache.root / "cpu" / f"{key}.so"
