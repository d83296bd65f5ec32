"""A crate of kernels that depends on `cuda-device` alone compiles also in a program that has `cuda-host`, whose features count for both."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = """\
use cuda_device::{DisjointSlice, kernel, launch_contract, thread};

#[kernel]
#[launch_contract(domain = 1, block = (64, 1, 1))]
pub fn contracted(mut out: DisjointSlice<u32>) {
    if let Some(out) = out.get_mut(thread::index_1d()) {
        *out = 1;
    }
}

#[kernel]
pub unsafe fn generic<T: Copy>(from: *const T, out: *mut T) {
    unsafe { *out = *from };
}
"""

PROGRAM = """\
#[cuda_device::kernel]
pub unsafe fn copied<T: Copy>(from: *const T, out: *mut T) {
    unsafe { kernels::generic(from, out) };
}

fn main() {
    println!("{}", copied_ptx_name::<u64>());
}
"""


def test_a_crate_of_kernels_needs_no_host(tmp_path: Path) -> None:
    host = 'cuda-core = "*"\ncuda-host = "*"\nkernels = { path = "../kernels" }\n'
    for name, file, text, dependencies in (("kernels", "lib.rs", KERNELS, ""), ("program", "main.rs", PROGRAM, host)):
        (tmp_path / name / "src").mkdir(parents=True)
        head = f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\ncuda-device = "*"\n{dependencies}'
        (tmp_path / name / "Cargo.toml").write_text(f"{head}\n[workspace]\n")
        (tmp_path / name / "src" / file).write_text(text)
    command = [sys.executable, "-m", "oxide", "run", str(tmp_path / "program"), "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ptx = {path.name: path.read_text() for path in (tmp_path / "program").glob("*.ptx")}
    assert ".visible .entry contracted(" in ptx["kernels.ptx"]
    assert f".visible .entry {done.stdout.strip()}(" in ptx["program.ptx"]


@pytest.mark.parametrize("kinds", ['"lib", "staticlib"', '"staticlib"', '"cdylib", "staticlib", "rlib"'])
def test_a_crate_of_kernels_that_is_a_library_for_c_too(kinds: str, tmp_path: Path) -> None:
    """A build that has nothing to compile gives what the first gave."""
    (tmp_path / "src").mkdir()
    head = '[package]\nname = "both"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n[dependencies]\ncuda-device = "*"\n'
    (tmp_path / "Cargo.toml").write_text(f"{head}[lib]\ncrate-type = [{kinds}]\n")
    (tmp_path / "src" / "lib.rs").write_text(KERNELS)
    command = [sys.executable, "-m", "oxide", "build", str(tmp_path), "--device", "cpu"]
    texts = []
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        texts.append((tmp_path / "both.ptx").read_text())
        (tmp_path / "both.ptx").unlink()
    assert texts[0] == texts[1]
    assert ".visible .entry contracted(" in texts[0]


def test_two_versions_of_one_crate_are_both_named(tmp_path: Path) -> None:
    head = '[package]\nname = "{}"\nversion = "0.{}.0"\nedition = "2024"\n[workspace]\n[dependencies]\ncuda-device = "*"\n'
    for version in (1, 2):
        (tmp_path / f"v{version}" / "src").mkdir(parents=True)
        (tmp_path / f"v{version}" / "Cargo.toml").write_text(head.format("kern", version))
        (tmp_path / f"v{version}" / "src" / "lib.rs").write_text(KERNELS)
    (tmp_path / "program" / "src").mkdir(parents=True)
    (tmp_path / "program" / "src" / "main.rs").write_text("use {one as _, two as _};\nfn main() {}\n")
    both = "".join(f'{name} = {{ package = "kern", path = "../v{number}" }}\n' for number, name in ((1, "one"), (2, "two")))
    (tmp_path / "program" / "Cargo.toml").write_text(head.format("program", 1) + both)
    command = [sys.executable, "-m", "oxide", "build", str(tmp_path / "program"), "--device", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    said = (
        f"two crates named `kern` hold kernels: kern 0.1.0 in {tmp_path}/v1/src/lib.rs and kern 0.2.0 in {tmp_path}/v2/src/lib.rs [OX207]"
    )
    assert said in done.stderr, done.stderr
