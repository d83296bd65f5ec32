//! Launches as operations, awaited by an executor of `cuda_async::futures`: borrowed and owned buffers, many at once, halves of one.

use cuda_async::{
    DeviceOperation,
    device_box::DeviceBox,
    device_operation::{try_value, value, with_context},
    futures::{executor::block_on, future::try_join_all},
    reclaim, unzip, zip,
};
use cuda_core::{DeviceBuffer, LaunchConfig, memory};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

const N: usize = 1000;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn fill(start: u32, mut out: DisjointSlice<u32>) {
        let index = thread::index_1d();
        let i = index.get() as u32;
        if let Some(element) = out.get_mut(index) {
            *element = start + i;
        }
    }

    #[kernel]
    pub fn add(a: &[u32], b: &[u32], mut sums: DisjointSlice<u32>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(element) = sums.get_mut(index) {
            *element = a[i] + b[i];
        }
    }
}

type Numbers = DeviceBox<[u32]>;

fn allocate() -> impl DeviceOperation<Output = Numbers> {
    with_context(|context| {
        let stream = context.get_cuda_stream().cu_stream();
        // SAFETY: the stream is alive, and the box the only owner of the memory.
        let made = unsafe {
            memory::malloc_async(stream, N * size_of::<u32>()).map(|address| Numbers::from_raw_parts(address, N, context.get_device_id()))
        };
        try_value(made)
    })
}

/// Two ranges of numbers, added; the sums, and the buffers that they come from.
fn sums(module: &kernels::LoadedModule, start: u32) -> impl DeviceOperation<Output = (Numbers, Numbers, Numbers)> {
    let config = LaunchConfig::for_num_elems(N as u32);
    let fill = move |start: u32| {
        // SAFETY: the shape is one-dimensional, and the buffer the launch's own.
        allocate().and_then(move |numbers| try_value(unsafe { module.fill_async_owned(config, start, numbers) })).and_then(|launch| launch)
    };
    zip!(fill(start), fill(2 * start), allocate())
        // SAFETY: as above.
        .and_then(move |(a, b, sums)| try_value(unsafe { module.add_async_owned(config, a, b, sums) }))
        .and_then(|launch| launch)
}

fn download(numbers: Numbers) -> impl DeviceOperation<Output = Vec<u32>> {
    with_context(move |context| {
        let mut host = vec![0u32; N];
        let stream = context.get_cuda_stream();
        // SAFETY: both hold so many bytes, and the copy is waited for.
        let copied =
            unsafe { memory::memcpy_dtoh_async(host.as_mut_ptr(), numbers.cu_deviceptr(), N * size_of::<u32>(), stream.cu_stream()) };
        try_value(copied.and_then(|()| stream.synchronize()).map(|()| host))
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let module = kernels::load_async(0)?;

    // Many at once, each on a stream of the pool.
    let starts = 0..20u32;
    let all = starts.clone().map(|start| sums(&module, start).and_then(|(_, _, sums)| download(sums)).into_future());
    let all = block_on(try_join_all(all))?;
    for (start, numbers) in starts.zip(&all) {
        assert!(numbers.iter().zip(0..).all(|(&number, i)| number == 3 * start + 2 * i), "{start}");
    }

    // Borrowed buffers, of either kind, in one chain.
    let stream = module.as_cuda_module().context().new_stream()?;
    let mut filled = DeviceBuffer::<u32>::zeroed(&stream, N)?;
    let (a, mut b) = (allocate().sync_on(&stream)?, allocate().sync_on(&stream)?);
    let config = LaunchConfig::for_num_elems(N as u32);
    // SAFETY: the shape is one-dimensional, and nothing else uses the buffers.
    let (first, second) = unsafe { (module.fill_async(config, 5, &mut filled)?, module.fill_async(config, 7, &mut b)?) };
    zip!(first, second).sync_on(&stream)?;
    let mut out = a;
    // SAFETY: as above.
    block_on(unsafe { module.add_async(config, &filled, &b, &mut out) }?.into_future())?;
    let numbers = download(out).sync()?;
    assert!(numbers.iter().zip(0..).all(|(&number, i)| number == 12 + 2 * i));

    // Halves of one operation; what is begun and given up is freed later.
    let (kept, left) = unzip!(sums(&module, 1).and_then(|(a, b, sums)| value((sums, (a, b)))));
    let kept = kept.and_then(download).sync_on(&stream)?;
    assert_eq!(kept[N - 1], 3 + 2 * (N as u32 - 1));
    drop(left);
    reclaim::drain();
    assert_eq!(reclaim::pending(), 0);

    println!("SUCCESS: {} operations", all.len() + 4);
    Ok(())
}
