// The macro sees only what stands here.
use cuda_device::cuda_module;

#[rustfmt::skip]
#[cuda_module]
mod kernels;

fn main() {}
