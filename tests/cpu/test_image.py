"""What an image is, without running it."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from oxide.errors import InternalError, MachineError
from oxide.export import cpu, llvm_text

if TYPE_CHECKING:
    from pathlib import Path

STORE = "define ptx_kernel void @k(ptr %p0) {\n  store i32 42, ptr %p0\n  ret void\n}\n"


def translated(body: str) -> str:
    return cpu.translate(str(llvm_text.parse(body)), {})


def test_the_same_text_gives_the_same_bytes() -> None:
    assert cpu.image(STORE) == cpu.image(STORE)


def test_one_symbol_is_exported(tmp_path: Path) -> None:
    (tmp_path / "image.so").write_bytes(cpu.image(STORE))
    symbols = subprocess.run(["nm", "-D", "--defined-only", tmp_path / "image.so"], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"\S+$", symbols, re.MULTILINE) == ["oxide.image"]


def test_a_kernel_meets_where_it_can_reach_a_barrier() -> None:
    text = translated("""
define ptx_kernel void @direct() {
  call void @helper()
  ret void
}
define ptx_kernel void @indirect(ptr %p0) {
  call void %p0()
  ret void
}
define ptx_kernel void @alone() {
  call void @other()
  ret void
}
define internal void @helper() {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
define internal void @other() {
  call void @llvm.trap()
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.trap()
""")
    meets = dict(re.findall(r"ptr @oxide\.parameters\.(\w+), ptr null, i32 \d+, i32 \d+, i32 (\d)", text))
    assert meets == {"direct": "1", "indirect": "1", "alone": "0"}


def test_parameters_lie_as_their_alignment_asks() -> None:
    text = translated("define ptx_kernel void @k(i8 %p0, ptr byval([24 x i8]) align 8 %p1, i16 %p2, double %p3) {\n  ret void\n}\n")
    rows = re.search(r"@oxide\.parameters\.k = internal constant \[4 x .*?\] \[(.*)\]", text)
    assert rows is not None
    assert re.findall(r"i32 (\d+), i32 (\d+)", rows[1]) == [("0", "1"), ("8", "24"), ("32", "2"), ("40", "8")]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("declare float @__nv_mystery(float)\n", "__nv_mystery is called and not defined"),
        ("define ptx_kernel void @k(<4 x float> %p0) {\n  ret void\n}\n", "cannot be given"),
        (
            "@tile = internal addrspace(3) global [8 x i8] undef\n@at = global ptr addrspace(3) @tile\n",
            "the address of the shared variable tile",
        ),
        ("define nonsense", "LLVM refused the module"),
    ],
)
def test_what_has_no_meaning_is_named(body: str, message: str) -> None:
    with pytest.raises(InternalError, match=re.escape(message)):
        cpu.image(body)


def test_a_missing_linker_is_the_machines_fault() -> None:
    with pytest.raises(MachineError, match="no-such-cc is not installed"):
        cpu.image(STORE, linker="no-such-cc")
