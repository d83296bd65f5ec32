"""`--lineinfo` and `-g`: the PTX names the user's lines, and nothing changes without them."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from audits import answer_of_ptxas
from oxide.options import environment
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
use cuda_device::{DisjointSlice, kernel, thread};

fn helper(a: &[f32], i: usize) -> f32 {
    a[i] * 2.0 // line 4
}

#[inline(never)]
fn far(a: &[f32], i: usize) -> f32 {
    let x = a[i + 1]; // line 9
    x.max(1.0) // line 10
}

#[kernel]
pub fn lines(a: &[f32], mut out: DisjointSlice<f32>) {
    let index = thread::index_1d(); // line 15
    let i = index.get();
    let mut sum = far(a, i); // line 17
    #[unroll]
    for j in 0..3 {
        sum += helper(a, j); // line 20
    }
    if let Some(o) = out.get_mut(index) { // line 22
        *o = sum; // line 23
    }
}

fn main() {}
"""


def build(folder: Path, *options: str) -> Path:
    """Compile the program and return its PTX."""
    (folder / "lines.rs").write_text(PROGRAM)
    command = [sys.executable, "-m", "oxide", "build", "lines.rs", "--device", "cpu", "--emit=ptx,ll", "--arch", "sm_80", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "lines.ptx"


def lines_of(ptx: str) -> dict[str, set[tuple[str, int]]]:
    """Return the file and line of each instruction, by its first word."""
    files = {int(number): path.rpartition("/")[2] for number, path in re.findall(r'^\s*\.file\s+(\d+) "([^"]+)"', ptx, re.MULTILINE)}
    found: dict[str, set[tuple[str, int]]] = {}
    place = ("", 0)
    for line in ptx.splitlines():
        if directive := re.match(r"\s+\.loc\s+(\d+) (\d+)", line):
            place = files[int(directive[1])], int(directive[2])
        elif instruction := re.match(r"\s+(?:@!?%p\d+ )?([a-z][\w.]*)", line):
            found.setdefault(instruction[1], set()).add(place)
    return found


@pytest.mark.parametrize("option", ["--lineinfo", "-g"])
def test_instructions_name_the_lines_they_are_from(option: str, tmp_path: Path) -> None:
    path = build(tmp_path, option)
    ptx = path.read_text()
    found = lines_of(ptx)
    assert ("lines.rs", 17) in found["call.uni"]
    assert ("lines.rs", 10) in found["max.f32"]
    assert {("lines.rs", 23)} == found["st.global.b32"]
    assert ("lines.rs", 4) in found["trap"]
    assert ("lines.rs", 9) in found["trap"]
    assert (".target sm_80, debug" in ptx) is (option == "-g")
    assert (".debug_info" in ptx) is (option == "-g")
    if option == "--lineinfo":
        # Functions of libraries are the line that calls them.
        assert {file for places in found.values() for file, _ in places} <= {"lines.rs", ""}
        assert ("lines.rs", 15) in found["mov.u32"]
    assert not answer_of_ptxas(path)


def test_a_debugger_is_told_what_rustc_has_inlined(tmp_path: Path) -> None:
    path = build(tmp_path, "-g")
    ll = (tmp_path / "lines.ll").read_text()
    inside = re.search(r"!DILocation\(line: 4, column: 5, scope: !(\d+), inlinedAt: !(\d+)\)", ll)
    assert inside, ll
    assert f'!{inside[1]} = distinct !DISubprogram(name: "lines::helper"' in ll
    assert re.search(rf"!{inside[2]} = distinct !DILocation\(line: 20, column: 16, scope: !\d+\)", ll)
    sections = bytes(int(byte) for byte in re.findall(r"^\.b8 (\d+)", path.read_text(), re.MULTILINE))
    assert b"lines::helper\0" in sections
    assert not answer_of_ptxas(path)


@pytest.mark.parametrize("option", ["--lineinfo", "-g"])
def test_the_cubin_names_them_too(option: str, tmp_path: Path) -> None:
    if finders.find_ptxas(environment()) is None:
        pytest.skip("ptxas is not installed")
    build(tmp_path, option, "--emit=cubin")
    cubin = (tmp_path / "lines.cubin").read_bytes()
    assert b".debug_line" in cubin
    assert (b".debug_info" in cubin) is (option == "-g")


def test_without_them_the_ptx_is_the_same_but_for_what_names_lines(tmp_path: Path) -> None:
    (plain := tmp_path / "plain").mkdir()
    (named := tmp_path / "named").mkdir()
    before, after = build(plain).read_text(), build(named, "--lineinfo").read_text()
    assert ".loc" not in before
    assert ".file" not in before
    assert "!dbg" not in (plain / "lines.ll").read_text()
    told = re.compile(r"^\s*(\.loc\s.*|\.file\s.*|\.section\s.*|\$L__(tmp|func_begin|func_end)\d+:|// oxide [0-9a-f]+)?$")
    rest = [[line for line in text.splitlines() if not told.match(line)] for text in (before, after)]
    assert rest[0] == rest[1]
