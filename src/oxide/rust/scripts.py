"""What single `.rs` files leave in the cache, kept below a limit.

    trim(cache)

A file has a package of its own, `scripts/KEY`, touched each time that it is built. What cargo makes of them all lies in folders that they
share, `target/TOOLCHAIN`, for the sake of what they depend on.
"""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from stat import S_ISREG
from typing import TYPE_CHECKING

from oxide.cache.files import LEFT_AFTER_TRIMMING, MAX_SCRIPT_BYTES, newest_first, remove, size_of
from oxide.errors import UsageError
from oxide.rust.settings import read

if TYPE_CHECKING:
    from pathlib import Path

    from oxide.cache.files import Cache

MADE = re.compile(r"(.+?)(?:-[0-9a-f]{16}.*|\.d|\.rlib)?")
"""A name of what cargo makes: the package's, of a library with `lib` before it, then a hash or an ending."""


def trim(cache: Cache, limit: int = MAX_SCRIPT_BYTES) -> None:
    """Remove packages and builds of the files that were built longest ago where all take more than `limit` bytes.

    If that is not enough, what they depend on goes too. Nothing is removed while an oxide works with the cache.
    """
    packages, builds = cache.root / "scripts", cache.root / "target"
    with cache.alone() as alone:
        if not alone or (size := size_of(packages) + size_of(builds)) <= limit:
            return
        made = made_in(builds)
        for package, _ in reversed(newest_first(packages)):
            for path in (*made.pop(name_of(package), ()), package):
                size -= size_of(path)
                with contextlib.suppress(OSError):
                    remove(path)
            if size <= limit * LEFT_AFTER_TRIMMING:
                return
        with contextlib.suppress(OSError):
            remove(builds)


def name_of(package: Path) -> str:
    """Return the name of a file's crate, empty where it has none."""
    try:
        return str(read(package / "Cargo.toml")["package"]["name"]).replace("-", "_")
    except (UsageError, KeyError):
        return ""


def made_in(builds: Path) -> dict[str, list[Path]]:
    """Return what cargo made, by the names of crates: of all of that name, and a library's by its own name and with `lib`."""
    made: dict[str, list[Path]] = defaultdict(list)
    for profile in (*builds.glob("*/*"), *builds.glob("*/*/*")):
        found = [path for path, status in newest_first(profile) if S_ISREG(status.st_mode)]
        for folder in ("deps", ".fingerprint", "build", "incremental"):
            found += [path for path, _ in newest_first(profile / folder)]
        for path in found:
            if (name := MADE.fullmatch(path.name)) is not None:
                word = name[1].replace("-", "_")
                for crate in {word, word.removeprefix("lib")}:
                    made[crate].append(path)
    return made
