// Launches are safe where what was loaded was compiled from this source.
use std::sync::Arc;

use cuda_core::CudaContext;
use cuda_device::{cuda_module, kernel, launch_contract};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn fill() {}
}

fn load(ctx: &Arc<CudaContext>) {
    let _ = kernels::load(ctx);
    let _ = kernels::load_named(ctx, "other");
}

fn main() {}
