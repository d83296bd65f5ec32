//! Graphs: two streams are captured once, with a kernel in each, and launched many times; an update changes what a kernel is given.

use cuda_core::{CudaContext, DeviceBuffer, DriverError, LaunchConfig, sys};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn add(mut out: DisjointSlice<u32>, value: u32) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element += value;
        }
    }
}

fn main() {
    const N: usize = 1000;
    let ctx = CudaContext::new(0).unwrap();
    let module = kernels::load(&ctx).unwrap();
    let config = LaunchConfig::for_num_elems(N as u32);
    let (stream, side) = (ctx.new_stream().unwrap(), ctx.new_stream().unwrap());
    let mut left = DeviceBuffer::<u32>::zeroed(&stream, N).unwrap();
    let mut right = DeviceBuffer::<u32>::zeroed(&stream, N).unwrap();
    let mut copy = DeviceBuffer::<u32>::zeroed(&stream, N).unwrap();
    stream.synchronize().unwrap();

    let mut capture = |value: u32| {
        stream.capture(|stream| {
            // `side` is captured too, since it waits for `stream`, and ends in it again.
            side.join(stream)?;
            // SAFETY: the kernel checks its indices; the buffers outlive the graph.
            unsafe {
                module.add(stream, config, &mut left, value)?;
                module.add(&side, config, &mut right, 10 * value)?;
            }
            stream.join(&side)?;
            copy.copy_from_device_async(&right, stream)
        })
    };
    let (graph, other) = (capture(1).unwrap(), capture(100).unwrap());
    assert_eq!(graph.node_count().unwrap(), 3, "two kernels and a copy");
    // SAFETY: the module is loaded to the end.
    let mut exec = unsafe { graph.instantiate() }.unwrap();
    drop(graph);
    assert_eq!(left.to_host_vec(&stream).unwrap(), [0; N], "capturing runs nothing");
    for _ in 0..50 {
        // SAFETY: the buffers are alive, and only this stream uses them.
        unsafe { exec.launch(&stream) }.unwrap();
    }
    assert_eq!((left.to_host_vec(&stream).unwrap(), copy.to_host_vec(&stream).unwrap()), (vec![50; N], vec![500; N]));
    // SAFETY: as above.
    unsafe { exec.update(&other) }.unwrap();
    // SAFETY: as above.
    unsafe { exec.launch(&stream) }.unwrap();
    assert_eq!((left.to_host_vec(&stream).unwrap(), copy.to_host_vec(&stream).unwrap()), (vec![150; N], vec![1500; N]));

    // What waits is refused while a stream is captured; the stream is whole again afterwards.
    let refused = stream.capture(|stream| stream.synchronize()).unwrap_err();
    assert_eq!(refused.0, sys::cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "{refused}");
    let given_up = stream.capture(|_| Err(DriverError(sys::cudaError_enum_CUDA_ERROR_NOT_FOUND))).unwrap_err();
    assert_eq!(given_up.0, sys::cudaError_enum_CUDA_ERROR_NOT_FOUND);
    left.zero_async(&stream).unwrap();
    assert_eq!(left.to_host_vec(&stream).unwrap(), [0; N]);
    println!("SUCCESS: a graph of two streams launched 50 times, then updated");
}
