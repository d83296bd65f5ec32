//! Device memory runs out: the error says how much was asked for and is free, and all goes on when something is freed.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, sys};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn count(mut out: DisjointSlice<u32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = index.get() as u32;
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let (free, total) = ctx.memory_info().unwrap();

    let refused = DeviceBuffer::<u8>::zeroed(&stream, total + 1).unwrap_err();
    assert_eq!(refused.0, sys::cudaError_enum_CUDA_ERROR_OUT_OF_MEMORY);
    let text = refused.to_string();
    assert!(text.contains(&format!("{} bytes; ", total + 1)) && text.contains(&format!("of the device's {total} are free")), "{text}");
    let refused = DeviceBuffer::<[u64; 4]>::zeroed(&stream, usize::MAX / 8).unwrap_err();
    assert_eq!(refused.0, sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE, "more bytes than usize counts");

    // Pieces of a sixteenth of what is free, nothing of which is touched, until no more fit.
    let mut pieces = Vec::new();
    let last = loop {
        // SAFETY: the elements are never read; the memory is an allocation of its own.
        match unsafe { cuda_core::memory::malloc_sync(free / 16) } {
            // SAFETY: as above.
            Ok(address) => pieces.push(unsafe { DeviceBuffer::<u8>::from_raw_parts(address, free / 16, ctx.clone()) }),
            Err(error) => break error,
        }
        assert!(pieces.len() <= 32, "more memory than there is");
    };
    assert_eq!(last.0, sys::cudaError_enum_CUDA_ERROR_OUT_OF_MEMORY);
    assert!(pieces.len() >= 8, "{} pieces", pieces.len());
    ctx.check_err().unwrap();

    // The context is whole: one piece is given back, and what takes less fits and works.
    pieces.pop();
    let mut small = DeviceBuffer::<u32>::zeroed(&stream, 1000).unwrap();
    // SAFETY: the kernel checks its indices.
    unsafe { module.count(&stream, LaunchConfig::for_num_elems(1000), &mut small) }.unwrap();
    assert!(small.to_host_vec(&stream).unwrap().into_iter().eq(0..1000));
    let count = pieces.len() + 1;
    drop(pieces);
    let again = DeviceBuffer::<u8>::zeroed(&stream, free / 16).unwrap();
    stream.synchronize().unwrap();
    drop(again);
    println!("SUCCESS: {count} pieces of a sixteenth, then {last}");
}
