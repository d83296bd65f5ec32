from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from oxide.errors import InternalError
from oxide.export import artifact
from oxide.export.artifact import Code, Kind
from oxide.options import CompileOptions


def test_records_come_back_with_zero_bytes_between() -> None:
    first = artifact.encode([(Kind.CRATE, b"one"), (Kind.PTX, b"// ptx")])
    second = artifact.encode([(Kind.CRATE, b"two")])
    records = artifact.decode(first + bytes(24) + second + bytes(5))
    assert [record.text(Kind.CRATE) for record in records] == ["one", "two"]
    assert records[0].entries[Kind.PTX] == b"// ptx"
    assert records[1].text(Kind.PTX) == ""


def test_code_for_several_targets_comes_back() -> None:
    code = [
        Code("sm_80", {"ptx": b"// first", "cubin": b"\x7fELF"}),
        Code("sm_90a", {"ptx": b"// second"}),
        Code("sm_100a", {"nvvm-ir": b"define", "ltoir": b"\xedCN\x7f"}),
        Code("", {"ptx": b"// for the CPU device"}),
    ]
    [record] = artifact.decode(artifact.encode([(Kind.CRATE, b"one"), *artifact.code_entries(code), (Kind.CPU_IMAGE, b"image")]))
    assert list(record.code) == code
    assert record.entries[Kind.PTX] == b"// first"
    assert record.text(Kind.TARGET) == "sm_80"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (CompileOptions(), b""),
        (CompileOptions(fmad=False, debug_info="lines"), b"no-fma lines"),
        (CompileOptions(fast_math=True, debug_info="full"), b"ftz debug"),
        (CompileOptions(opt_level=0), b"O0"),
        (CompileOptions(opt_level=1), b""),
    ],
)
def test_how_code_is_finished(options: CompileOptions, words: bytes) -> None:
    assert artifact.options_entry(options) == [(Kind.OPTIONS, words)]


def test_entries_are_aligned() -> None:
    assert len(artifact.encode([(Kind.CRATE, b"abc"), (Kind.PTX, b"123456789")])) % 8 == 0


@pytest.mark.parametrize("cut", [30, 41, 50])
def test_a_record_that_ends_early_is_refused(cut: int) -> None:
    with pytest.raises(InternalError):
        artifact.decode(artifact.encode([(Kind.CRATE, b"one"), (Kind.PTX, b"x" * 20)])[:cut])


def test_another_version_is_named() -> None:
    record = bytearray(artifact.encode([(Kind.CRATE, b"one")]))
    record[8] = 9
    with pytest.raises(InternalError, match=r"version 9 .* expected .* version 2"):
        artifact.decode(bytes(record))


def test_the_linker_keeps_the_section_of_an_object(tmp_path: Path) -> None:
    record = artifact.encode([(Kind.CRATE, b"kept"), (Kind.CPU_IMAGE, bytes(range(256)))])
    artifact.make_object(record, crate="kept", output=tmp_path / "kept.o")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }")
    command = ["cc", "-ffunction-sections", "-Wl,--gc-sections", "-s", "-o", "program", "main.c", "kept.o"]
    subprocess.run(command, cwd=tmp_path, check=True)
    [found] = artifact.read_records(tmp_path / "program")
    assert found.entries == {Kind.CRATE: b"kept", Kind.CPU_IMAGE: bytes(range(256))}
    symbols = subprocess.run(["nm", tmp_path / "kept.o"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["oxide_artifact_kept"]


def test_a_file_that_is_no_program_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no ELF")
    assert artifact.read_records(tmp_path / "text") == []
    assert artifact.read_records(Path("/bin/sh")) == []


def test_a_program_that_ends_early(tmp_path: Path) -> None:
    artifact.make_object(artifact.encode([(Kind.CRATE, b"demo")]), crate="demo", output=tmp_path / "artifact.o")
    program = tmp_path / "artifact.o"
    assert artifact.read_records(program)
    for size in (program.stat().st_size - 64, 100, 63, 40):
        os.truncate(program, size)
        with pytest.raises(InternalError, match="ends early"):
            artifact.read_records(program)
    os.truncate(program, 0)
    assert artifact.read_records(program) == []
