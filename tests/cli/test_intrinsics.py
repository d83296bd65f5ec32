"""Crate cuda_intrinsics of another version than the compiler's, built by the real rustc and compiled by the real middle."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ("sessions",)

LIBRARY = """
pub mod {version} {{ pub mod {module} {{ #[inline(never)] pub fn {name}() -> u32 {{ panic!() }} }} }}
pub use {version}::*;
"""
PROGRAM = """
#[doc(alias = "oxide_kernel")]
pub unsafe fn store(out: *mut u32) {{
    unsafe {{ *out = cuda_intrinsics::{module}::{name}() }}
}}

fn main() {{}}
"""


@pytest.mark.parametrize(
    ("version", "module", "name", "knows"),
    [
        ("abi_v1", "sreg", "lane_id", None),
        ("abi_v1", "sreg", "lane_of_another", "no such intrinsic"),
        ("abi_v2", "sreg", "lane_id", "no version `abi_v2`, but `abi_v1`"),
    ],
)
def test_a_crate_of_another_version_is_refused(folder: Path, version: str, module: str, name: str, knows: str | None) -> None:
    library = folder / "raw"
    (library / "src").mkdir(parents=True)
    (library / "Cargo.toml").write_text('[package]\nname = "cuda-intrinsics"\nversion = "9.0.0"\nedition = "2024"\n')
    (library / "src" / "lib.rs").write_text(LIBRARY.format(version=version, module=module, name=name))
    (folder / "src" / "main.rs").write_text(PROGRAM.format(module=module, name=name))
    with (folder / "Cargo.toml").open("a") as manifest:
        manifest.write('members = ["raw"]\n[dependencies]\ncuda-intrinsics = { path = "raw" }\n')
    command = [sys.executable, "-m", "oxide", "build", "--device", "cpu", "--emit=nvvm", "-o", "-"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if knows is None:
        assert (done.returncode, '"nvvm.read.ptx.sreg.laneid"' in done.stdout) == (0, True), done.stderr
        return
    assert done.returncode == 1
    path = f"cuda_intrinsics::{version}::{module}::{name}"
    assert f"ABI mismatch between `cuda-intrinsics` and the compiler: of `{path}` the compiler knows {knows} [OX115]" in done.stderr
    assert "--> src/main.rs:4:" in done.stderr
