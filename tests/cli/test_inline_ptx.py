"""What ptxas refuses of a program's inline PTX is an error at its line in the program, [OX310]."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from oxide.export.inline_ptx import inline_ptx_errors, is_operation
from oxide.options import environment
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
use cuda_device::{kernel, ptx_asm, thread};

fn twice(x: u32) -> u32 {
    let y: u32;
    unsafe { ptx_asm!("add.u32 %0, %1, %1;", out("=r") y, in("r") x, options(register_only)) };
    y
}

fn faulty(x: u32) -> u32 {
    let y: u32;
    unsafe { ptx_asm!("TEXT", out("=r") y, in("r") x) };
    y
}

#[kernel]
pub unsafe fn adds(out: *mut u32) {
    let i = thread::threadIdx_x();
    unsafe { *out.add(i as usize) = twice(i) + faulty(i) + faulty(i + 1) };
}

fn main() {}
"""


def oxide(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "oxide", *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(autouse=True)
def _ptxas() -> None:
    if finders.find_ptxas(environment()) is None:
        pytest.skip("ptxas is not installed")


@pytest.mark.parametrize(
    ("text", "message", "help_text"),
    [
        ("frobnicate.u32 %0, %1;", "Not a name of any known instruction: 'frobnicate'", "the PTX ISA lists"),
        ("mov.u32 %0, %1;\\nadd.f64 %0, %0, %0;", "Arguments mismatch for instruction 'add'", "the PTX ISA lists"),
        ("mov.u32 %0, %1", "Parsing error near", "the PTX ISA lists"),
        (".reg .b32 %tmp; mov.u32 %tmp, %1; mov.u32 %0, %tmp;", "Duplicate definition of variable '%tmp'", "write `{` and `}` around"),
        ("redux.sync.add.u32 %0, %1, 0xffffffff;", "requires", "choose a later target or version"),
    ],
)
def test_the_error_is_at_the_rust_line(text: str, message: str, help_text: str, tmp_path: Path) -> None:
    (tmp_path / "adds.rs").write_text(PROGRAM.replace("TEXT", text))
    done = oxide("build", "adds.rs", "--device", "cpu", "--emit=cubin", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    said = re.search(r"error: ptxas refuses this inline PTX: (.*) \[OX310\]\n +--> (.*)\n", done.stderr)
    assert said is not None, done.stderr
    assert message in said[1]
    assert said[2].endswith("adds.rs:11:14")
    assert f"help: {help_text}" in done.stderr
    assert "bug in oxide" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["adds.rs"]
    # The same from a build that has nothing left to compile.
    assert oxide("build", "adds.rs", "--device", "cpu", "--emit=ptx", folder=tmp_path).returncode == 0
    assert ".loc" not in (tmp_path / "adds.ptx").read_text()
    done = oxide("inspect", "adds.rs", "--device", "cpu", folder=tmp_path)
    assert done.returncode == 1
    assert "adds.rs:11:14\n" in done.stderr
    assert "bug in oxide" not in done.stderr


def test_what_oxide_writes_is_its_own() -> None:
    """Only inline PTX that is no operation's is the program's."""
    assert is_operation("cp.async.wait_group 3;")
    assert not is_operation("add.u32 %r1, %r3, %r3;")
    lines = ["{", "// begin inline asm", "cp.async.wait_group 3;", "// end inline asm", "ret", "}"]
    for line in (3, 5):
        assert inline_ptx_errors("\n".join(lines), f"ptxas module.ptx, line {line}; error   : Parsing error") is None
