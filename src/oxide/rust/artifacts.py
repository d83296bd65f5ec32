"""The files that cargo makes of a crate, and what the backend leaves beside them.

beside(Path("deps/libvecadd-1f3b.rmeta"), ".mir.json")      # deps/vecadd-1f3b.mir.json
"""

from __future__ import annotations

import contextlib
import filecmp
import json
import os
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.cache.files import write_atomically
from oxide.errors import InternalError, ProgramError, UsageError
from oxide.export.artifact import Kind, Record, read_records
from oxide.pipeline import STAGE
from oxide.rust.settings import read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

RENAME_ONE = "depend on one version, or give one another name: `[lib] name` or `[[bin]] name` in Cargo.toml"


def records_of(file: Path) -> list[Record]:
    """Return the records of the crates in one of cargo's artifacts.

    A library keeps its record in an object beside its metadata, a program in itself. Of one that is for C too, cargo reports no metadata.
    Raises `ProgramError` where the file is damaged.
    """
    if file.suffix == ".rmeta":
        file = beside(file, ".oxide.o")
    elif file.suffix in {".rlib", ".a"}:
        file = beside(among_dependencies(file), ".oxide.o")
    elif file.suffix not in {"", ".so"}:
        return []
    try:
        records = read_records(file) if file.exists() else []
    except InternalError as error:
        raise ProgramError(f"{file} is damaged: {error.message}", hint="`oxide clean` and build again") from None
    # One without a dump was put there by the program itself.
    return [record for record in records if Kind.DUMP in record.entries]


def device_libraries(messages: Iterable[Mapping[str, Any]], members: Collection[Path]) -> Iterator[tuple[Path, str, Path]]:
    """Yield manifest, name and dump of each device library that cargo's messages name of the packages with these manifests."""
    for message in messages:
        if message["reason"] == "compiler-artifact" and (manifest := Path(message["manifest_path"])) in members:
            for file in map(Path, message["filenames"]):
                if (dump := device_library(file)) is not None:
                    yield manifest, message["target"]["name"].replace("-", "_"), dump


def device_library(file: Path) -> Path | None:
    """Return the dump of the device library that `file` is of, if it is one: it has no record, since it joins no link."""
    if file.suffix == ".rlib":
        # Where a C library is made too, cargo reports no metadata.
        file = among_dependencies(file)
    elif file.suffix != ".rmeta":
        return None
    dump = beside(file, ".mir.json")
    return None if beside(file, ".oxide.o").exists() or not dump.exists() else dump


def write_outputs(crates: Mapping[str, Mapping[str, bytes]], folder: Path, kinds: Collection[str]) -> list[Path]:
    """Write NAME.KIND for every crate and kind into `folder`, and NAME.TARGET.KIND for further targets; return what was written."""
    written = []
    for crate, outputs in sorted(crates.items()):
        for target, dot, kind, name in sorted((*name.rpartition("."), name) for name in outputs):
            if kind in kinds:
                written.append(folder / f"{crate}{dot}{target}{STAGE[kind].suffix}")
                write_atomically(written[-1], outputs[name])
    return written


def two_of_one_name(crate: str, *dumps: Path) -> str:
    """Return what is said of two crates of one name: each by its version, where its manifest is found, and by where its kernels are."""
    found = sorted(map(described, dumps))
    return f"two crates named `{crate}` hold kernels: {' and '.join(found)}"


def described(dump: Path) -> str:
    """Return the version and the source of the crate that a dump is of."""
    try:
        content = json.loads(dump.read_bytes())
        entry = [*content["kernels"], *content["exports"], *content["generic_kernels"]][0]
        source = Path(content["spans"][entry["span"]]["file"])
    except (OSError, ValueError, LookupError, TypeError):
        return os.fspath(dump)
    for folder in source.parents:
        with contextlib.suppress(UsageError, OSError, LookupError, TypeError):
            package = read(folder / "Cargo.toml")["package"]
            return f"{package['name']} {package['version']} in {source}"
    return os.fspath(source)


def among_dependencies(library: Path) -> Path:
    """Return where rustc wrote a library, `libNAME-HASH.rlib` or, beside a `cdylib`, `libNAME.rlib`, which cargo links to beside `deps`."""
    folder = library.parent / "deps"
    hashed = (
        path
        for path in folder.glob(f"{library.stem}-*{library.suffix}")
        if path.samefile(library) or filecmp.cmp(path, library, shallow=False)
    )
    return library if library.parent.name == "deps" else next(hashed, folder / library.name)


def beside(library: Path, suffix: str) -> Path:
    """Return the file that lies beside `libNAME-HASH.rmeta`, or `.rlib`, as `NAME-HASH` and a suffix."""
    return library.with_name(library.name.removeprefix("lib")).with_suffix(suffix)


def link_to(program: Path, folder: Path) -> Path:
    """Give a program another name of its own, in `folder`, which stays when the first one is written again; return it."""
    folder.mkdir(exist_ok=True)
    own = folder / program.name
    new = own.with_name(f".{own.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        os.link(program, new)
    except OSError:  # a file system without links
        shutil.copy2(program, new)
    # Where both names are one file already, a rename does nothing, and leaves the new name too.
    new.replace(own)
    new.unlink(missing_ok=True)
    return own
