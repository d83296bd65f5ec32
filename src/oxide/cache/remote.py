"""A store that many machines share, on whatever fsspec reaches: `s3://`, `gs://`, `file://`.

    remote = Remote("s3://builds/oxide", secret=b"…", writes=True, patience=10.0, warn=ui.warning)
    remote.put("ptx", key, ptx)
    remote.get("ptx", key)         # the same bytes; None where they are not there, or not to be trusted

Whoever can write to the place could put any code under any key, and a hash that lies beside it proves nothing. So an entry is signed:
its first line is the HMAC (RFC 2104, SHA-256), under a secret that the machines share, of the line after it, which names kind, key, size
and hash of the content. An entry that is forged, damaged, or moved here from another key is refused, and replaced once the artifact is
compiled.

No failure of the remote fails a build: at the first one, or once it has cost `patience` seconds in all, it is left alone, with one warning.
What lets this machine into the place is fsspec's to know: environment, configuration files, roles.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import threading
import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from oxide.cache.store import LONGEST_HEAD, Store, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oxide.options import StoreOptions

LEAST_SECRET = 16
"""Bytes below which a secret could be guessed (RFC 2104, "Keys", asks for the hash's length; half of it is still 128 bits)."""

MOST_BYTES = 1 << 29
"""The bytes of an entry with its signature, at most: a longer file is not read to its end."""

APPEARS_WHOLE = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oss", "memory"})
"""Protocols of stores whose objects appear whole or not at all; elsewhere a file is written beside its place and renamed."""

SIGNED = b"oxide-signed "
SIGNATURE_END = len(SIGNED) + 64


def sign(entry: bytes, secret: bytes) -> bytes:
    """Return an entry with its signature before it."""
    return SIGNED + signature(entry, secret) + b"\n" + entry


def signature(entry: bytes, secret: bytes) -> bytes:
    """Return the HMAC of an entry's first line, which has the hash of the rest."""
    line, _, _ = entry[:LONGEST_HEAD].partition(b"\n")
    return hmac.new(secret, line, sha256).hexdigest().encode()


def open_signed(signed: bytes, kind: str, key: str, secret: bytes) -> bytes | None:
    """Return the content of a signed entry; None where it is not what someone with the secret stored as `kind` under `key`."""
    entry = signed[SIGNATURE_END + 1 :]
    claimed = signed[len(SIGNED) : SIGNATURE_END]
    if not signed.startswith(SIGNED) or not hmac.compare_digest(claimed, signature(entry, secret)):
        return None
    return unpack(entry, kind, key)


class Remote:
    """The entries under one URL."""

    def __init__(self, url: str, secret: bytes, *, writes: bool, patience: float, warn: Callable[[str], None]) -> None:
        self.url = url
        self.secret = secret
        self.writes = writes
        self.patience = patience
        self.left = patience
        """Seconds that it may still cost."""
        self.warn = warn
        self.files: tuple[Any, str] | None = None
        self.refused = 0

    def get(self, kind: str, key: str) -> bytes | None:
        """Return the content of an entry that was signed with our secret, or None."""
        signed = self.attempt(lambda: self.read(kind, key))
        if signed is None:
            return None
        content = open_signed(signed, kind, key, self.secret)
        if content is None:
            if not self.refused:
                self.warn(
                    f"refused {kind}/{key} of the remote cache {self.url}: it is damaged, or signed with another OXIDE_REMOTE_CACHE_KEY"
                )
            self.refused += 1
        return content

    def put(self, kind: str, key: str, content: bytes) -> None:
        """Store an entry for all machines, unless this one only reads."""
        signed = sign(pack(kind, key, content), self.secret) if self.writes else b""
        if self.writes and len(signed) <= MOST_BYTES:
            self.attempt(lambda: self.write(kind, key, signed))

    def attempt(self, work: Callable[[], bytes | None]) -> bytes | None:
        """Do `work`, for no longer than there is patience for. A failure is the last thing that is heard of the remote."""
        if self.left <= 0:
            return None
        results: list[bytes | Exception | None] = []

        def run() -> None:
            try:
                results.append(work())
            except Exception as error:
                results.append(error)

        start = time.monotonic()
        # One that hangs must not keep the process from ending.
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(self.left)
        self.left -= time.monotonic() - start
        if not results:
            self.give_up(f"it took more than {self.patience:g} s")
            return None
        (result,) = results
        if isinstance(result, Exception):
            self.give_up(describe(result))
            return None
        return result

    def give_up(self, reason: str) -> None:
        """Leave the remote alone from now on, and say why."""
        self.left = 0
        self.warn(f"going on without the remote cache {self.url}: {reason}")

    def open(self) -> tuple[Any, str]:
        """Return fsspec's file system and the folder in it."""
        if self.files is None:
            import fsspec

            self.files = fsspec.core.url_to_fs(self.url)
        return self.files

    def read(self, kind: str, key: str) -> bytes | None:
        """Return a file's bytes, or None where it is not there."""
        files, root = self.open()
        try:
            content: bytes = files.cat_file(f"{root}/{kind}/{key}", 0, MOST_BYTES)
        except FileNotFoundError:
            return None
        return content

    def write(self, kind: str, key: str, content: bytes) -> None:
        """Write a file so that it appears whole."""
        files, root = self.open()
        path = f"{root}/{kind}/{key}"
        protocols = {files.protocol} if isinstance(files.protocol, str) else set(files.protocol)
        if protocols & APPEARS_WHOLE:
            files.pipe_file(path, content)
            return
        files.makedirs(f"{root}/{kind}", exist_ok=True)
        temporary = f"{root}/{kind}/.{key}.{secrets.token_hex(8)}"
        try:
            files.pipe_file(temporary, content)
            files.mv(temporary, path)
        except BaseException:
            with contextlib.suppress(Exception):
                files.rm_file(temporary)
            raise


def describe(error: Exception) -> str:
    """Return why the remote failed, in one line."""
    if isinstance(error, ModuleNotFoundError) and error.name == "fsspec":
        return "fsspec is not installed; hint: pip install 'oxide[remote]'"
    text = " ".join(str(error).split()) or "no reason given"
    return f"{type(error).__name__}: {text}"


def open_store(cache: Path, options: StoreOptions, warn: Callable[[str], None]) -> Store:
    """Return the store in the folder `cache`, with the remote that the options name; `warn` is called with what is wrong with that."""
    return Store(cache / "store", options.size, open_remote(options, warn) if options.remote else None)


def open_remote(options: StoreOptions, warn: Callable[[str], None]) -> Remote | None:
    """Return the remote, or None where there is no secret that its entries could be trusted by."""
    assert options.remote is not None
    secret = (options.key or "").encode()
    if len(secret) < LEAST_SECRET:
        need = f"OXIDE_REMOTE_CACHE_KEY has {len(secret)} bytes, expected {LEAST_SECRET} or more"
        warn(f"going on without the remote cache {options.remote}: {need}; hint: `openssl rand -hex 32` makes one for all machines")
        return None
    return Remote(options.remote, secret, writes=options.mode == "read-write", patience=options.timeout, warn=warn)
