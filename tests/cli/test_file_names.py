"""Single files of any name are built, whatever cargo and rustc take for the name of a crate."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
use cuda_device::kernel;

#[kernel]
pub unsafe fn writes(out: *mut u32) {
    unsafe { *out = 1 };
}

#[allow(dead_code)]
fn main() {}
"""


@pytest.mark.parametrize(
    "name", ["build", "core", "std", "test", "fn", "Self", "deps", "union", "u32", "a b", "a-b", "1st", "größe", "数", "__", "x.y", "-dash"]
)
def test_a_file_of_any_name_is_built(name: str, tmp_path: Path) -> None:
    """The crate has a name of its own where the file's cannot be one."""
    (tmp_path / f"{name}.rs").write_text(PROGRAM)
    command = [sys.executable, "-m", "oxide", "build", f"./{name}.rs", "--device", "cpu", "--emit=ptx"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (ptx,) = tmp_path.glob("*.ptx")
    assert ".entry writes(" in ptx.read_text()
    loads = f"import oxide; print(oxide.load('./{name}.rs', device='cpu').writes)"
    done = subprocess.run([sys.executable, "-c", loads], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
