"""The record that carries a crate's PTX and CPU image inside a program, as docs/formats.md has it.

record = encode([(Kind.PACKAGE, b"vecadd"), *code_entries([Code("sm_80", {"ptx": ptx}), Code("sm_90a", {"ltoir": ltoir})])])
make_object(record, crate="vecadd", output=folder / "artifact.o")     # joins the host link
read_records(Path("target/release/vecadd"))                           # [Record(entries={…}, code=[…])]
"""

from __future__ import annotations

import os
import struct
import subprocess
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from oxide.dialects.target import target_of
from oxide.errors import InternalError, MachineError, missing_tool

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from oxide.options import CompileOptions

MAGIC = b"OXIDEART"
VERSION = 2
SECTION = ".oxide"

RECORD_HEAD = struct.Struct("<8sIIQ")
ENTRY_HEAD = struct.Struct("<IIQ")


class Kind(IntEnum):
    """What an entry holds."""

    PACKAGE = 1
    CRATE = 2
    PTX = 3
    CPU_IMAGE = 4
    CPU_DEVICE = 5
    DUMP = 6
    TARGET = 7
    """Of the code that follows, up to the next target; an empty one is the CPU device's."""
    CUBIN = 8
    NVVM_IR = 9
    LTOIR = 10
    OPTIONS = 11
    """How NVVM IR and LTO IR are compiled."""


CODE = {Kind.PTX: "ptx", Kind.CUBIN: "cubin", Kind.NVVM_IR: "nvvm-ir", Kind.LTOIR: "ltoir"}
"""The kinds that hold a crate's kernels for a target, and their names."""


@dataclass(frozen=True)
class Code:
    """A crate's kernels for one target, in each form by its name; an empty target is the CPU device's."""

    target: str
    forms: Mapping[str, bytes]


def code_entries(code: Iterable[Code]) -> list[tuple[Kind, bytes]]:
    """Return the entries that hold a crate's kernels."""
    entries: list[tuple[Kind, bytes]] = []
    for one in code:
        entries.append((Kind.TARGET, one.target.encode()))
        entries += [(kind, one.forms[name]) for kind, name in CODE.items() if name in one.forms]
    return entries


def prefixes(further: Iterable[str]) -> list[str]:
    """Return what stands before the kinds of each target's outputs: nothing for the first target, `sm_90a.` for a further one."""
    return ["", *(f"{arch}." for arch in further)]


def code_of(outputs: Mapping[str, bytes], further: Iterable[str], forms: Collection[str]) -> list[Code]:
    """Return what a program carries of a crate: the `forms` for each target, of which the first is the smallest; and the PTX of each for
    the CPU device, where it is not for GPUs.
    """
    own = [(prefix, outputs[f"{prefix}ptx"]) for prefix in prefixes(further)]
    code = [Code(target_of(ptx.decode()), {form: outputs[f"{prefix}{form}"] for form in forms}) for prefix, ptx in own]
    return code if "ptx" in forms else [*code, *(Code("", {"ptx": ptx}) for _, ptx in own)]


def outputs_of(record: Record) -> dict[str, bytes]:
    """Return what a crate became, as its record has it."""
    outputs: dict[str, bytes] = {}
    targets = [code for code in record.code if code.target]
    texts = [code for code in record.code if not code.target] or [Code("", {})] * len(targets)
    for number, (code, text) in enumerate(zip(targets, texts, strict=True)):
        prefix = f"{code.target}." if number else ""
        outputs |= {f"{prefix}{name}": content for name, content in {**code.forms, **text.forms}.items()}
    return outputs


def options_entry(options: CompileOptions) -> list[tuple[Kind, bytes]]:
    """Return the entry that says how NVVM IR and LTO IR are compiled where a program is loaded."""
    # libNVVM and nvJitLink have two levels: LLVM's 1 to 3 are one.
    debug = {"none": [], "lines": ["lines"], "full": ["debug"]}[options.debug_info]
    chosen = {"no-fma": not options.fmad, "O0": options.opt_level == 0, "ftz": options.fast_math}
    words = [*(word for word, is_chosen in chosen.items() if is_chosen), *debug]
    return [(Kind.OPTIONS, " ".join(words).encode())]


@dataclass(frozen=True)
class Record:
    """What one crate left in a program."""

    entries: dict[int, bytes]
    """The first entry of each kind."""
    code: tuple[Code, ...] = ()
    """Its kernels, one for each target that they were compiled for."""

    def text(self, kind: Kind) -> str:
        """Return an entry as text; an absent one is empty."""
        return self.entries.get(kind, b"").decode()


def record(
    package: str, crate: str, dump: Path, code: Iterable[Code], finished: CompileOptions | None, image: bytes | None, device: Path | None
) -> bytes:
    """Return the record of a crate: its code, the options by which that is `finished` where a program is loaded, its image for the CPU
    device, where that device is, and the dump that all was made from.
    """
    return encode(
        [
            (Kind.PACKAGE, package.encode()),
            (Kind.CRATE, crate.encode()),
            *code_entries(code),
            *(options_entry(finished) if finished is not None else []),
            *([(Kind.CPU_IMAGE, image)] if image is not None else []),
            *([(Kind.CPU_DEVICE, os.fsencode(device))] if device is not None else []),
            (Kind.DUMP, os.fsencode(dump)),
        ]
    )


def encode(entries: Iterable[tuple[Kind, bytes]]) -> bytes:
    """Return the record that holds `entries`."""
    listed = list(entries)
    body = b"".join(ENTRY_HEAD.pack(kind, 0, len(content)) + content + bytes(-len(content) % 8) for kind, content in listed)
    return RECORD_HEAD.pack(MAGIC, VERSION, len(listed), RECORD_HEAD.size + len(body)) + body


def decode(section: bytes) -> list[Record]:
    """Return the records of a section's bytes. Raises `InternalError` for bytes that are not records."""
    records: list[Record] = []
    at = 0
    while at + RECORD_HEAD.size <= len(section):
        if section[at] == 0:
            at += 1
            continue
        magic, version, count, length = RECORD_HEAD.unpack_from(section, at)
        if magic != MAGIC or version != VERSION or at + length > len(section):
            raise InternalError(f"got {magic!r} version {version} at {at} of section {SECTION}, expected {MAGIC!r} version {VERSION}")
        records.append(record_of(list(decode_entries(section, at + RECORD_HEAD.size, at + length, count))))
        at += length
    return records


def record_of(entries: list[tuple[int, bytes]]) -> Record:
    """Return the record that these entries make."""
    code: list[Code] = []
    for kind, content in entries:
        if kind == Kind.TARGET:
            code.append(Code(content.decode(), {}))
        elif kind in CODE and code:
            code[-1] = Code(code[-1].target, {**code[-1].forms, CODE[Kind(kind)]: content})
    return Record(dict(reversed(entries)), tuple(code))


def decode_entries(section: bytes, at: int, end: int, count: int) -> Iterable[tuple[int, bytes]]:
    """Yield kind and bytes of `count` entries that lie between `at` and `end`."""
    for _ in range(count):
        if at + ENTRY_HEAD.size > end:
            raise InternalError(f"got a record of section {SECTION} that ends inside its entries")
        kind, _zero, length = ENTRY_HEAD.unpack_from(section, at)
        at += ENTRY_HEAD.size
        if at + length > end:
            raise InternalError(f"got a record of section {SECTION} that ends inside entry {kind}")
        yield kind, section[at : at + length]
        at += length + -length % 8


def make_object(record: bytes, *, crate: str, output: Path) -> None:
    """Write an object file that holds `record` in the retained section, under the one global symbol `oxide_artifact_CRATE`.

    The section's flag R keeps it where the linker collects garbage. The assembler is the C compiler's, which rustc links with anyway.
    """
    content = output.with_suffix(".record")
    content.write_bytes(record)
    symbol = f"oxide_artifact_{crate}"
    assembly = f"""\
    .section {SECTION},"aR",@progbits
    .balign 16
    .globl {symbol}
    .type {symbol}, @object
{symbol}:
    .incbin "{content}"
    .size {symbol}, . - {symbol}
    .section .note.GNU-stack,"",@progbits
"""
    command = ["cc", "-c", "-x", "assembler", "-o", str(output), "-"]
    try:
        done = subprocess.run(command, input=assembly, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise missing_tool("cc") from None
    if done.returncode != 0:
        raise MachineError(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}", hint="binutils 2.36 or later is needed")


def read_records(program: Path) -> list[Record]:
    """Return the records that an executable or a shared library carries; none where it has no section of ours.

    Raises `InternalError` for a file that ends early or whose records are none.
    """
    try:
        return read_section(program)
    except (struct.error, IndexError):
        raise InternalError("the file ends early") from None


def read_section(program: Path) -> list[Record]:
    """Find the section and read its records."""
    with program.open("rb") as file:
        head = file.read(64)
        if head[:6] != b"\x7fELF\x02\x01":
            return []
        sections_at, entry_size, count, names_index = struct.unpack_from("<40xQ10xHHH", head)
        file.seek(sections_at)
        table = file.read(entry_size * count)
        sections = [struct.unpack_from("<IIQQQQ", table, entry_size * index) for index in range(count)]
        if not sections:
            return []
        file.seek(sections[names_index][4])
        names = file.read(sections[names_index][5])
        wanted = SECTION.encode() + b"\0"
        records: list[Record] = []
        for name, _kind, _flags, _address, offset, size in sections:
            if names[name : name + len(wanted)] == wanted:
                file.seek(offset)
                records += decode(file.read(size))
        return records
