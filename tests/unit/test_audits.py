"""The audits fail where they should."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from audits import answer_of_ptxas, unmarked

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
define ptx_kernel void @kernel(ptr byval([8 x i8]) align 8 %p0) #0 inlinehint "nvvm.maxntid"="256" {
b0:
  %v0 = call i32 @llvm.nvvm.activemask() #0, !oxide.note !0
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) #0
  %v1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v2 = call i32 @helper(i32 %v1) #0
  %v3 = tail call i32 %v9(i32 %v1) #0
  call void asm sideeffect "bar.sync 0; // )", ""() #0
  ret void
}
define internal i32 @helper(i32 %p0) #0 {
b0:
  ret i32 %p0
}
declare float @__nv_sinf(float) #0
declare i32 @llvm.nvvm.activemask() #0
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
attributes #0 = { convergent nounwind }
"""

MARKED = [line for line in GOOD.splitlines() if " #0" in line and not line.startswith("attributes")]


def test_what_is_marked_passes() -> None:
    assert unmarked(GOOD) == []


@pytest.mark.parametrize("line", MARKED)
def test_each_line_without_its_mark_is_found(line: str) -> None:
    (found,) = unmarked(GOOD.replace(line, line.replace(" #0", "")))
    assert found == re.sub('"[^"]*"', "", line.replace(" #0", ""))
    assert len(unmarked(GOOD.replace(line, line.replace(" #0", " #1")) + "attributes #1 = { nounwind }\n")) == 1


def test_marks_that_mean_nothing_are_found() -> None:
    assert len(unmarked(GOOD.replace("convergent ", ""))) == len(MARKED)


def test_what_ptxas_refuses_is_told(tmp_path: Path) -> None:
    file = tmp_path / "bad.ptx"
    file.write_text(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry kernel() { nonsense; }\n")
    told = answer_of_ptxas(file)
    assert "nonsense" in told or "yntax" in told
