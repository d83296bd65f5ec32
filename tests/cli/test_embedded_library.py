"""A library with kernels in it, opened by a process that knows nothing of oxide: its kernels are found in the library's own file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from oxide.cli.main import run
from oxide.export.artifact import read_records
from oxide.rust.toolchain import crates_folder
from oxide.tools.finders import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = """\
[package]
name = "add-one"
version = "0.1.0"
edition = "2024"
[lib]
crate-type = ["cdylib"]
[dependencies]
cuda-core = { path = "CRATES/cuda-core" }
cuda-device = { path = "CRATES/cuda-device" }
cuda-host = { path = "CRATES/cuda-host" }
[workspace]
"""

LIBRARY = """\
use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn add_one(numbers: &[u32], mut sums: DisjointSlice<u32>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(sum) = sums.get_mut(index) {
            *sum = numbers[i] + 1;
        }
    }
}

fn sum(number: u32) -> Result<u32, Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let numbers = DeviceBuffer::from_host(&stream, &[number])?;
    let mut sums = DeviceBuffer::zeroed(&stream, 1)?;
    // SAFETY: the kernel writes one element a thread, and reads the one of the same index.
    unsafe { module.add_one(&stream, LaunchConfig::for_num_elems(1), &numbers, &mut sums) }?;
    let error = module.as_cuda_module().load_function("add_two").unwrap_err();
    eprintln!("{error}");
    Ok(sums.to_host_vec(&stream)?[0])
}

#[unsafe(no_mangle)]
pub extern "C" fn add_one(number: u32) -> u32 {
    sum(number).unwrap()
}
"""


@pytest.mark.timeout(600)
def test_a_library_carries_its_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "Cargo.toml").write_text(MANIFEST.replace("CRATES", os.fspath(crates_folder())))
    (project / "src" / "lib.rs").write_text(LIBRARY)
    # The versions of the examples, and where those are built, so that what both depend on is compiled once.
    shutil.copy(REPOSITORY / "examples" / "Cargo.lock", project)
    target = REPOSITORY / "examples" / "target"
    monkeypatch.setenv("CARGO_TARGET_DIR", os.fspath(target))
    monkeypatch.chdir(tmp_path)
    assert run(["build", os.fspath(project), "--device", "cpu", "--cubin", "--arch", "sm_80,sm_90a", "--out-dir", "out"]) == 0
    [built] = target.glob("oxide/*/release/libadd_one.so")
    library = tmp_path / "elsewhere" / "libadd_one.so"
    library.parent.mkdir()
    built.rename(library)
    shutil.rmtree(project)
    [record] = read_records(library)
    assert [(code.target, list(code.forms)) for code in record.code] == [("sm_80", ["ptx", "cubin"]), ("sm_90a", ["ptx", "cubin"])]
    script = f"import ctypes; print(ctypes.CDLL({os.fspath(library)!r}).add_one(41))"
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "OXIDE_DEVICE": "cpu"}, capture_output=True, text=True, cwd="/", check=False
    )
    assert done.stdout == "42\n", done.stderr
    assert f"`add_two`; package `add-one` in `{library}` has `add_one`" in done.stderr
