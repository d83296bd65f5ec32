"""What decides the code that a program becomes, as keys of the store: content, options and tools, and never a path or a time.

    recipe = Recipe.of(dump, "mir-json", options, cache)
    recipe.keys("ptx")                 # where to look: what checkouts anywhere share, then what is this one's own
    recipe.key_of("ptx", ptx)          # where to store

Two checkouts at different paths have dumps that differ in the hashes that rustc gives their crates and in the absolute paths of files.
Code seldom shows either. So there are two keys: one of the dump without those words, one of the dump as it is. What a dump became is
stored under the first unless one of the words stands in it, as the path of a file does in the CPU device's account of a kernel.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from dataclasses import dataclass, fields
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.cache.files import digest, stamp
from oxide.errors import Diagnostic, Note, codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oxide.cache.files import Cache
    from oxide.options import CompileOptions, Environment

SYMBOL = re.compile(rb'"symbol":"_R[^"]*"')
CRATE_HASH = re.compile(rb"Cs[0-9A-Za-z]{6,}_(?=\d)")
"""A crate's disambiguator in a v0 symbol (RFC 2603, "crate-root"), where it is long enough to be a hash."""
BACK_REFERENCE = re.compile(rb"B[0-9A-Za-z]*_")
"""Its digits count the hashes' letters."""
ABSOLUTE_FILE = re.compile(rb'"file":"(/[^"\\]*)"')
KNOWN_PLACE = re.compile(rb"/library/(?:core|alloc|std)/src/|/cuda-device/src/")
"""What `oxide.ir.location` knows a file by, wherever it lies."""

NOT_COMPILING = frozenset({"cli", "driver.py", "runtime", "rust", "__pycache__"})
"""The folders and files of oxide's own sources that decide no code."""


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what one source becomes."""

    shared: str
    """The digest of the source without local words."""
    exact: str
    local_words: frozenset[bytes]
    """What names only this machine or this checkout."""
    options: str
    tools: tuple[tuple[str, str], ...]
    """The digest of the tools, by kind."""

    @classmethod
    def of(cls, source: bytes, start: str, options: CompileOptions, cache: Cache, environment: Environment) -> Recipe:
        """Return the recipe for a stage's text. With an external llc there is none: its code lies in libraries that nobody here knows."""
        assert options.llc is None
        # What a debugger reads spells words byte by byte, where they are not found.
        shareable = start == "mir-json" and options.debug_info == "none"
        shared, words = without_local_words(source) if shareable else (source, frozenset())
        compiling = digest(compiler_sources(cache), *llvm(cache), *libdevice(cache))
        tools = {
            "ptx": compiling,
            "remarks": compiling,
            "cpu": digest(compiling, *host(cache, environment)),
            "cubin": digest(compiler_sources(cache), *ptxas(cache, environment)),
        }
        return cls(
            digest(start, "shared", shared), digest(start, "exact", source), words, spell_options(options, cache), tuple(tools.items())
        )

    def keys(self, kind: str) -> tuple[str, str]:
        """Return where an artifact of a kind may be stored."""
        tools = dict(self.tools)[kind]
        return digest(kind, self.shared, self.options, tools), digest(kind, self.exact, self.options, tools)

    def key_of(self, kind: str, content: bytes) -> str:
        """Return where an artifact is to be stored: with what all share, unless it shows a local word."""
        shared, exact = self.keys(kind)
        return exact if any(word in content for word in self.local_words) else shared


def without_local_words(dump: bytes) -> tuple[bytes, frozenset[bytes]]:
    """Return a dump without the words that name only this checkout, and those words.

    Functions are numbered, so that a symbol is but a label; its crate, path and name stand beside it, and stay. Of a file's path stays what
    decides how it is shown.
    """
    words: set[bytes] = set()

    def symbol(found: re.Match[bytes]) -> bytes:
        words.update(CRATE_HASH.findall(found[0]))
        return BACK_REFERENCE.sub(b"B_", CRATE_HASH.sub(b"Cs_", found[0]))

    def file(found: re.Match[bytes]) -> bytes:
        place = KNOWN_PLACE.search(found[1])
        words.add(found[1][: place.start()] if place else os.path.dirname(found[1]))  # noqa: PTH120 - bytes
        return b'"file":"/' + (found[1][place.start() :] if place else b"") + b'"'

    text = ABSOLUTE_FILE.sub(file, SYMBOL.sub(symbol, dump))
    return text, frozenset(words - {b"", b"/"})


def spell_options(options: CompileOptions, cache: Cache) -> str:
    """Spell all options that decide code."""
    return " ".join(f"{field.name}={spell_option(getattr(options, field.name), cache)}" for field in fields(options))


def spell_option(value: object, cache: Cache) -> str:
    """Spell an option's value; a file counts by its content."""
    return content_of(value, cache) if isinstance(value, Path) else str(value)


def content_of(path: Path, cache: Cache) -> str:
    """Return a digest of a file's bytes, remembered until the file changes; a missing one has none."""
    try:
        key = digest("content", stamp(path))
        if (known := cache.remembered("content", key)) is None:
            with path.open("rb") as file:
                known = hashlib.file_digest(file, "sha256").hexdigest()
            cache.remember("content", key, known)
    except OSError:
        return "missing"
    return known


@once
def compiler_sources(cache: Cache) -> str:
    """Return a digest of oxide's own sources, as far as they decide code."""
    package = Path(__file__).parents[1]
    files = sorted(path for path in package.rglob("*.py") if NOT_COMPILING.isdisjoint(path.relative_to(package).parts))
    # Reading them takes longer than looking at them.
    key = digest("sources", *map(stamp, files))
    if (known := cache.remembered("content", key)) is None:
        known = digest(*(part for path in files for part in (path.relative_to(package).as_posix(), path.read_bytes())))
        cache.remember("content", key, known)
    return known


def llvm(cache: Cache) -> Sequence[str]:
    """Return what llvmlite is, LLVM included."""
    import importlib.util

    found = importlib.util.find_spec("llvmlite")
    folders = [Path(place) for place in (found.submodule_search_locations if found else None) or ()]
    return [
        content_of(path, cache) for folder in folders for path in [folder / "_version.py", *sorted((folder / "binding").glob("*llvmlite*"))]
    ]


def libdevice(cache: Cache) -> Sequence[str]:
    """Return what the library of mathematical functions is."""
    from oxide.tools.finders import find_libdevice

    found = find_libdevice()
    return ["none" if found is None else content_of(found, cache)]


def libnvvm(cache: Cache) -> Sequence[str]:
    """Return what makes LTO IR."""
    from oxide.tools.finders import find_libnvvm

    found = find_libnvvm()
    return ["none" if found is None else content_of(found, cache)]


def ptxas(cache: Cache, environment: Environment) -> Sequence[str]:
    """Return what assembles PTX."""
    from oxide.tools.finders import find_ptxas

    found = find_ptxas(environment)
    return ["none" if found is None else content_of(found, cache)]


def host(cache: Cache, environment: Environment) -> Sequence[str]:
    """Return what images for the CPU device are linked with, and the C library that they need."""
    from oxide.tools.finders import which

    linkers = [which(name, environment) for name in ("cc", "ld")]
    return [platform.machine(), *platform.libc_ver(), *("none" if path is None else content_of(path, cache) for path in linkers)]


def pack_remarks(remarks: Iterable[Diagnostic]) -> bytes:
    """Return what was said of a program, as it is stored."""
    return json.dumps(
        [
            {
                "code": remark.code and remark.code.name,
                "message": remark.message,
                "span": remark.span,
                "level": remark.level,
                "notes": [[note.message, note.span] for note in remark.notes],
                "help": list(remark.help),
            }
            for remark in remarks
        ]
    ).encode()


def unpack_remarks(text: bytes) -> list[Diagnostic]:
    """Return what was said of a program when it was compiled."""
    return [
        Diagnostic(
            code=remark["code"] and codes.CODES[remark["code"]],
            message=remark["message"],
            span=remark["span"],
            level=remark["level"],
            notes=tuple(Note(message, span) for message, span in remark["notes"]),
            help=tuple(remark["help"]),
        )
        for remark in json.loads(text)
    ]
