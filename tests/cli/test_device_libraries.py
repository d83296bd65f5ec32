"""A crate without kernels exports its `#[device]` functions: PTX without entries, which a linker puts together with a kernel's."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from oxide.options import environment
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = """\
[package]
name = "{name}"
version = "0.1.0"
edition = "2024"

[dependencies]
cuda-device = "*"
{dependencies}
[workspace]
"""

LIBRARY = """\
use cuda_device::{device, thread};

#[device]
pub fn twice(x: f32) -> f32 {
    2.0 * x
}

#[device]
pub unsafe fn add_to(sum: *mut u32, n: u8, negate: bool) -> bool {
    thread::sync_threads();
    unsafe { *sum += u32::from(n) + twice(1.5) as u32 };
    !negate
}

#[device]
fn lower(x: i8) -> i8 {
    x.wrapping_sub(thread::index_1d().get() as i8)
}

#[device]
#[unsafe(export_name = "a_name_of_its_own")]
extern "C" fn named() {}

#[device]
pub fn generic<T: Copy>(x: &[T]) -> T {
    x[0]
}

pub fn unmarked(x: &[f32]) -> f32 {
    generic(x)
}
"""

USER = """\
use cuda_device::{device, kernel};

#[device]
unsafe extern "C" {
    fn twice(x: f32) -> f32;
    fn add_to(sum: *mut u32, n: u8, negate: bool) -> bool;
    fn lower(x: i8) -> i8;
    fn a_name_of_its_own();
}

#[kernel]
pub unsafe fn calls(out: *mut f32, sum: *mut u32) {
    unsafe {
        a_name_of_its_own();
        *out = twice(*out) + if add_to(sum, 3, false) { f32::from(lower(-3)) } else { 0.0 };
    }
}

fn main() {}
"""

MISUSE = """\
use cuda_device::device;

#[device]
pub fn sum(a: &[f32], n: (u32, u64)) -> f32 {
    a[n.0 as usize]
}

#[device]
pub fn pair() -> (u32, u64) {
    (1, 2)
}

#[device]
pub fn WARP_SZ() {}

mod one {
    #[cuda_device::device]
    fn same() {}
}

mod two {
    #[cuda_device::device]
    fn same() {}
}

#[device]
pub fn heap(n: u32) -> u32 {
    vec![n][0]
}
"""

HELPERS = """\
use cuda_device::device;

#[device]
pub fn last(a: &[f32]) -> f32 {
    a[a.len() - 1]
}
"""

CALLS_HELPERS = """\
use cuda_device::kernel;

#[kernel]
pub unsafe fn takes_last(a: &[f32], out: *mut f32) {
    unsafe { *out = helpers::last(a) };
}

fn main() {}
"""


def make(folder: Path, name: str, file: str, text: str, dependencies: str = "") -> Path:
    """Write a package of one file and return where."""
    made = folder / name
    (made / "src").mkdir(parents=True)
    (made / "Cargo.toml").write_text(MANIFEST.format(name=name, dependencies=dependencies))
    (made / "src" / file).write_text(text)
    return made


def oxide(command: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "oxide", command, str(folder), "--device", "cpu", *options], capture_output=True, text=True, check=False
    )


def test_its_functions_are_linked_with_who_declares_them(tmp_path: Path) -> None:
    library = make(tmp_path, "dev-lib", "lib.rs", LIBRARY)
    user = make(tmp_path, "user", "main.rs", USER)
    for folder in (library, user):
        done = oxide("build", folder, "--emit=ptx,cubin", "--arch=sm_80")
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr
    ptx = (library / "dev_lib.ptx").read_text()
    assert ".entry" not in ptx
    heads = re.findall(r"^\.(.*?) ([\w$]+)\(", ptx, re.MULTILINE)
    returned = "visible .func  (.param .b32 func_retval0)"
    assert heads == [("visible .func", "a_name_of_its_own"), (returned, "add_to"), (returned, "lower"), (returned, "twice")]
    assert re.search(r"add_to\(\s*\.param \.b64 \w+,\s*\.param \.b32 \w+,\s*\.param \.b32 \w+\s*\)", ptx)
    # An integer is returned with the bits above it: here its sign.
    assert "cvt.s32.s16" in ptx or "cvt.s32.s8" in ptx or "bfe.s32" in ptx

    # The same from cargo's cache and the dump.
    (library / "dev_lib.ptx").unlink()
    assert oxide("build", library, "--emit=ptx", "--arch=sm_80").returncode == 0
    assert (library / "dev_lib.ptx").read_text() == ptx
    (dump,) = (library / "target").rglob("dev_lib-*.mir.json")
    compiled = subprocess.run(
        [sys.executable, "-m", "oxide", "compile", "--from", str(dump), "--to=ptx", "--arch=sm_80", "-o", "-"],
        capture_output=True,
        check=True,
    )
    assert compiled.stdout.decode() == ptx

    done = oxide("run", library)
    assert done.returncode != 0
    assert "package dev-lib has no binary" in done.stderr

    ptxas = finders.find_ptxas(environment())
    if ptxas is None or not (nvlink := ptxas.with_name("nvlink")).exists():
        pytest.skip("no nvlink is installed")
    parts = [str(library / "dev_lib.cubin"), str(user / "user.cubin")]
    linked = subprocess.run([nvlink, "-arch=sm_80", *parts, "-o", tmp_path / "linked.cubin"], capture_output=True, text=True, check=False)
    assert linked.returncode == 0, linked.stdout + linked.stderr
    alone = subprocess.run([nvlink, "-arch=sm_80", parts[1], "-o", tmp_path / "alone.cubin"], capture_output=True, text=True, check=False)
    assert "Undefined reference to 'twice'" in alone.stdout + alone.stderr


def test_what_other_code_cannot_call_is_refused(tmp_path: Path) -> None:
    done = oxide("build", make(tmp_path, "misuse", "lib.rs", MISUSE))
    assert done.returncode == 1
    takes = "error: a function of a device library takes and returns numbers and pointers, got a"
    for said, place in [
        (f"{takes} `&[f32]` [OX309]", "4:12"),
        (f"{takes} `(u32, u64)` [OX309]", "9:8"),
        ("error: a function of a device library cannot have the name `WARP_SZ` [OX309]", "14:8"),
        ("error: two functions of this device library are named `same` [OX205]", "23:8"),
        ("error: heap allocation is not available in kernels: `std::boxed::Box::new_uninit` allocates [OX101]", "28:5"),
    ]:
        assert f"{said}\n  --> src/lib.rs:{place}\n" in done.stderr, done.stderr
    assert not (tmp_path / "misuse" / "misuse.ptx").exists()


def test_a_crate_of_helpers_is_no_library_to_a_program_with_kernels(tmp_path: Path) -> None:
    make(tmp_path, "helpers", "lib.rs", HELPERS)
    program = make(tmp_path, "program", "main.rs", CALLS_HELPERS, 'helpers = { path = "../helpers" }\n')
    for _ in range(2):
        done = oxide("build", program)
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr
        assert [path.name for path in program.glob("*.ptx")] == ["program.ptx"]


AS_C_LIBRARY = '[lib]\ncrate-type = ["cdylib"]\n'
TWICE = "#[cuda_device::device]\npub fn twice(x: f32) -> f32 {\n    2.0 * x\n}\n"


@pytest.mark.parametrize(("file", "more"), [("main.rs", ""), ("lib.rs", AS_C_LIBRARY)])
def test_what_is_no_rust_library_exports_nothing(file: str, more: str, tmp_path: Path) -> None:
    folder = make(tmp_path, "other", file, TWICE + ("fn main() {}\n" if file == "main.rs" else ""), more)
    done = oxide("build", folder)
    assert done.returncode == 1
    assert "error: package other has no kernels\nhint: mark a function #[kernel]; or, in a library (`lib` or `rlib`), " in done.stderr
    assert not list(folder.glob("*.ptx"))


def test_a_rust_library_may_be_one_for_c_too(tmp_path: Path) -> None:
    folder = make(tmp_path, "other", "lib.rs", TWICE, AS_C_LIBRARY.replace('["', '["lib", "'))
    for _ in range(2):
        done = oxide("build", folder)
        assert done.returncode == 0, done.stderr
        assert re.search(r"\.visible \.func .* twice\(", (folder / "other.ptx").read_text())
        (folder / "other.ptx").unlink()
