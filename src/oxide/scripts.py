"""What single `.rs` files leave in the cache, kept below a limit.

    trim(cache)

A file has a package of its own, `scripts/KEY`, touched each time that it is built. What cargo makes of them all lies in folders that they
share, `target/TOOLCHAIN`, for the sake of what they depend on.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.cache import LEFT_AFTER_TRIMMING, SCRIPT_BYTES_KEPT, newest_first, remove, size_of
from oxide.errors import UsageError
from oxide.settings import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.cache import Cache

A_HASH = "[0-9a-f]" * 16
"""What cargo writes after a name and a hyphen, as a pattern of `glob`."""


def trim(cache: Cache, limit: int = SCRIPT_BYTES_KEPT) -> None:
    """Remove packages and builds of the files that were built longest ago where all take more than `limit` bytes.

    If that is not enough, what they depend on goes too. Nothing is removed while an oxide works with the cache.
    """
    packages, builds = cache.root / "scripts", cache.root / "target"
    with cache.alone() as alone:
        if not alone or (size := size_of(packages) + size_of(builds)) <= limit:
            return
        for package, _ in reversed(newest_first(packages)):
            for path in {*built_of(package, builds), package}:
                size -= size_of(path)
                with contextlib.suppress(OSError):
                    remove(path)
            if size <= limit * LEFT_AFTER_TRIMMING:
                return
        with contextlib.suppress(OSError):
            remove(builds)


def built_of(package: Path, builds: Path) -> Iterator[Path]:
    """Yield what cargo made of a file's package, and of others of its name."""
    try:
        name = str(read(package / "Cargo.toml")["package"]["name"])
    except (UsageError, KeyError):
        return
    for profile in (*builds.glob("*/*"), *builds.glob("*/*/*")):
        for word in {name, name.replace("-", "_"), f"lib{name.replace('-', '_')}"}:
            for folder in ("deps", ".fingerprint", "build", "incremental"):
                yield from profile.glob(f"{folder}/{word}-{A_HASH}*")
            yield from filter(Path.is_file, (profile / word, profile / f"{word}.d", profile / f"{word}.rlib"))
