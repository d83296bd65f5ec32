//! A kernel traps: its context is lost, every call says so with the kernel's name, and a new context works once the old one is gone.

use std::sync::Arc;

use cuda_core::{CudaContext, DeviceBuffer, DriverError, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn share(mut out: DisjointSlice<u32>, divisor: u32) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = index.get() as u32 / divisor;
        }
    }
}

const N: usize = 100;

fn share(ctx: &Arc<CudaContext>, divisor: u32) -> Result<Vec<u32>, DriverError> {
    let stream = ctx.new_stream()?;
    let module = kernels::load(ctx).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, N)?;
    // SAFETY: the kernel checks its indices.
    unsafe { module.share(&stream, LaunchConfig::for_num_elems(N as u32), &mut out, divisor) }?;
    out.to_host_vec(&stream)
}

fn main() {
    let expected: Vec<u32> = (0..N as u32).map(|index| index / 7).collect();
    for round in 0..3 {
        let ctx = CudaContext::new(0).unwrap();
        assert_eq!(share(&ctx, 7).unwrap(), expected, "round {round}: the context is whole");
        let fault = share(&ctx, 0).unwrap_err();
        let text = fault.to_string();
        assert!(matches!(fault.0, 700..=719), "{text}");
        assert!(text.contains("`share` with grid (1, 1, 1), block (256, 1, 1)"), "{text}");
        // Nothing else holds the context: with its last owner it ends. `reset` ends it also where another library holds it.
        match round {
            0 => drop(ctx),
            _ => ctx.reset().unwrap(),
        }
    }
    println!("SUCCESS: three contexts lost to a trap, and a whole one after each");
}
