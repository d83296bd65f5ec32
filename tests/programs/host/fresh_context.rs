//! A kernel traps: its context is lost, and every call says so with the kernel's name. The process may make no other context, with libcuda;
//! on the CPU device it does. The device itself is well: a fresh context of another process works, again and again.

use std::{env, process::Command, sync::Arc};

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

/// What the child process does, which is lost with its context.
fn fault() {
    let ctx = CudaContext::new(0).unwrap();
    assert_eq!(share(&ctx, 7).unwrap(), expected(), "the context is whole");
    let fault = share(&ctx, 0).unwrap_err();
    let text = fault.to_string();
    assert!(matches!(fault.0, 700..=719), "{text}");
    assert!(text.contains("`share` with grid (1, 1, 1), block (256, 1, 1)"), "{text}");
    // What `share` has dropped could not be given back, either.
    while ctx.check_err().is_err() {}
    assert_eq!(share(&ctx, 7).unwrap_err(), fault, "each later call says the same");
    // Nothing else holds the context.
    ctx.reset().unwrap();
    match CudaContext::new(0) {
        Ok(fresh) => assert_eq!(share(&fresh, 7).unwrap(), expected(), "a context that is made is whole"),
        Err(error) => assert_eq!(error, fault),
    }
}

fn expected() -> Vec<u32> {
    (0..N as u32).map(|index| index / 7).collect()
}

fn main() {
    if env::args().nth(1).as_deref() == Some("fault") {
        return fault();
    }
    for round in 0..3 {
        let child = Command::new(env::current_exe().unwrap()).arg("fault").status().unwrap();
        assert!(child.success(), "round {round}: {child}");
        let ctx = CudaContext::new(0).unwrap();
        assert_eq!(share(&ctx, 7).unwrap(), expected(), "round {round}: a fresh context is whole");
    }
    println!("SUCCESS: three processes lost to a trap, and a whole context after each");
}
