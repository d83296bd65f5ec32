"""LTO IR by libNVVM, and what is said where it cannot be made."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from oxide.cli import ui
from oxide.cli.main import run
from oxide.driver import Session
from oxide.errors import MachineError, UsageError
from oxide.export.artifact import Kind, read_records
from oxide.export.ltoir import as_nvvm_ir, compile_program, to_ltoir
from oxide.options import CompileOptions, environment
from oxide.rust.project import find
from oxide.rust.resolve import resolve_options
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path

LL = """\
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @__nv_sinf(float)

define ptx_kernel void @fill(ptr %out) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, ptr %out, i32 %thread
  %number = uitofp i32 %thread to float
  %sine = call float @__nv_sinf(float %number)
  store float %sine, ptr %at, align 4, !note !7
  ret void
}

!7 = !{!"one"}
"""

LTO_MAGIC = b"\xedCN\x7f"


@pytest.fixture
def library() -> Path:
    found = finders.find_libnvvm()
    if found is None:
        pytest.skip("libNVVM is not installed")
    return found


@pytest.mark.parametrize("arch", ["sm_100", "sm_100a", "sm_120"])
def test_a_module_becomes_lto_ir(library: Path, arch: str) -> None:
    assert to_ltoir(LL, arch, CompileOptions(), library).startswith(LTO_MAGIC)


def test_libdevice_is_linked_where_it_is_called(library: Path) -> None:
    found = finders.find_libdevice()
    assert found is not None
    ptx = compile_program(library, as_nvvm_ir(LL, library), ["-arch=compute_100"], found.read_bytes()).decode()
    assert ".entry fill(" in ptx
    assert "extern" not in ptx


def test_kernels_are_kept_and_the_layout_is_nvvm_irs(library: Path) -> None:
    text = as_nvvm_ir(LL + "define weak_odr ptx_kernel void @k_TID_0() { ret void }\ndefine void @helper() { ret void }\n", library)
    assert '@llvm.used = appending global [2 x ptr] [ptr @fill, ptr @k_TID_0], section "llvm.metadata"' in text
    assert text.startswith('target datalayout = "e-p:64:64:64-i1')
    assert "llvm.used" not in as_nvvm_ir("define void @helper() { ret void }\n", library)


BARRIERS = """\
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
define ptx_kernel void @wait() convergent {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  ret void
}
"""


def test_barriers_are_known_by_their_earlier_names(library: Path) -> None:
    ptx = compile_program(library, as_nvvm_ir(LL.split("declare")[0] + BARRIERS, library), ["-arch=compute_100"], None).decode()
    assert "extern" not in ptx
    assert re.findall(r"\bbar(?:rier)?\.sync\s+(.*);", ptx) in (["0", "1, 64"], ["%r1", "1, 64"])


def test_an_intrinsic_that_libnvvm_does_not_know(library: Path) -> None:
    text = LL.replace("@llvm.nvvm.read.ptx.sreg.tid.x", "@llvm.nvvm.of.the.future")
    with pytest.raises(MachineError, match=r"libNVVM (does not know llvm\.nvvm\.of\.the\.future|refused the module)"):
        to_ltoir(text, "sm_100", CompileOptions(), library)


def test_a_target_whose_dialect_is_an_old_one(library: Path) -> None:
    with pytest.raises(UsageError, match="libNVVM reads only the IR of LLVM 7 for sm_90, which oxide does not write") as caught:
        to_ltoir(LL, "sm_90", CompileOptions(), library)
    assert caught.value.hint == "--arch sm_100 or later; for sm_90 use PTX or a cubin"


def test_what_libnvvm_refuses_is_told_in_its_words(library: Path) -> None:
    with pytest.raises(MachineError, match=r"libNVVM refused the module: .*expected"):
        to_ltoir(LL.replace("ret void", "return"), "sm_100", CompileOptions(), library)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("form", "start"), [("nvvm-ir", b"source_filename = "), ("ltoir", LTO_MAGIC)])
def test_a_program_carries_what_is_finished_when_it_is_loaded(
    library: Path, form: str, start: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """On the CPU device it runs by the PTX that it has for that."""
    place = find(os.fspath(finders.REPOSITORY / "tests/programs/host/finished_at_run_time.rs"), tmp_path)
    chosen = resolve_options(environment(), code=form, device="cpu")
    with Session(chosen, environment(), tmp_path, ui) as session:
        built = session.build(place, emit={"ptx"}, runs=True)
        assert built.executable is not None
        [own] = [record for record in read_records(built.executable) if Kind.DUMP in record.entries]
        assert [(code.target, list(code.forms)) for code in own.code] == [("sm_100", [form]), ("", ["ptx"])]
        assert own.code[0].forms[form].startswith(start)
        assert session.run(built, []) == 0
    assert "SUCCESS" in capfd.readouterr().out


@pytest.mark.parametrize("arguments", [["--arch", "sm_90"], ["--arch", "sm_100,sm_90a"]])
def test_a_program_cannot_carry_what_libnvvm_does_not_read(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "vecadd", "--code", "nvvm-ir", *arguments]) == 2
    assert "libNVVM reads only the IR of LLVM 7 for sm_90" in capfd.readouterr().err


def test_nvvm_ir_gets_its_libdevice_where_it_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "libdevice.bc"
    file.write_bytes(b"")
    assert run(["build", "vecadd", "--code", "nvvm-ir", "--libdevice", os.fspath(file)]) == 2
    assert capfd.readouterr().err == (
        "error: NVVM IR gets its libdevice where the program is loaded\n"
        "hint: omit --libdevice, and set OXIDE_LIBDEVICE where the program runs\n"
    )
    with pytest.raises(UsageError):
        resolve_options(environment(), {"libdevice": file}, code="nvvm-ir")
    assert resolve_options(environment(), code="ltoir", libdevice=file).compile.libdevice == file
    monkeypatch.setenv("OXIDE_LIBDEVICE", os.fspath(file))
    assert resolve_options(environment(), code="nvvm-ir").compile.libdevice == file


def test_a_form_of_code_that_is_none(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "vecadd", "--code", "lto-ir"]) == 2
    assert "unknown form of code 'lto-ir'" in capfd.readouterr().err


def test_without_libnvvm(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(finders, "find_libnvvm", lambda: None)
    assert run(["emit-ltoir", "vecadd"]) == 3
    err = capfd.readouterr().err
    assert err.startswith("error: libNVVM is not installed\nhint: ")
    assert "nvidia-nvvm" in err
