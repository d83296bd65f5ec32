"""Functions that are linked in later: a kernel that reaches one is refused on the CPU device, before it runs; others run."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, device, kernel, pure, thread};

#[device]
unsafe extern "C" {
    #[pure]
    fn twice(x: f32) -> f32;
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn outside(mut out: DisjointSlice<f32>) {
        if let Some(out) = out.get_mut(thread::index_1d()) {
            // SAFETY: a function of numbers.
            *out = unsafe { twice(1.0) };
        }
    }

    #[kernel]
    pub fn inside(mut out: DisjointSlice<f32>) {
        if let Some(out) = out.get_mut(thread::index_1d()) {
            *out = 1.0;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let mut out = DeviceBuffer::<f32>::zeroed(&stream, 32)?;
    // SAFETY: each thread writes its own element.
    unsafe { module.inside(&stream, LaunchConfig::for_num_elems(32), &mut out)? };
    assert_eq!(out.to_host_vec(&stream)?, vec![1.0; 32]);
    println!("inside ran");
    // SAFETY: it is refused.
    unsafe { module.outside(&stream, LaunchConfig::for_num_elems(32), &mut out)? };
    println!("outside ran");
    Ok(())
}
"""


def test_a_kernel_that_reaches_one_is_refused_on_the_cpu_device(tmp_path: Path) -> None:
    (tmp_path / "external.rs").write_text(PROGRAM)
    command = [sys.executable, "-m", "oxide", "run", "external.rs", "--device", "cpu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stdout == "inside ran\n"
    why = "kernel `outside` cannot run on the CPU device: the function `twice`, which is linked in later, on a GPU, in `external::twice`"
    assert why in done.stderr
    assert "warning" not in done.stderr
    assert ".extern .func  (.param .b32 func_retval0) twice" in (tmp_path / "external.ptx").read_text()
