//! Eight threads with four streams each allocate, launch, copy, wait for each other's events and free, all at once, for as many seconds as
//! the first argument says, or one.

use std::{
    env,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use cuda_core::{CudaContext, CudaEvent, DeviceBuffer, LaunchConfig, PinnedHostBuffer};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn mix(mut out: DisjointSlice<u32>, key: u32) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = (*element ^ key).rotate_left(7).wrapping_add(index.get() as u32);
        }
    }
}

const THREADS: usize = 8;
const STREAMS: usize = 4;

fn mixed(element: u32, index: usize, key: u32) -> u32 {
    (element ^ key).rotate_left(7).wrapping_add(index as u32)
}

fn main() {
    let seconds = env::args().nth(1).map_or(1.0, |text| text.parse::<f64>().expect("seconds"));
    let ctx = CudaContext::new(0).unwrap();
    let module = kernels::load(&ctx).unwrap();
    let (before, _) = ctx.memory_info().unwrap();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let rounds = AtomicU64::new(0);
    // The event that some thread recorded last, for any other to wait for.
    let shared: Mutex<Option<CudaEvent>> = Mutex::new(None);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (ctx, module, rounds, shared) = (&ctx, &module, &rounds, &shared);
            scope.spawn(move || {
                let streams: Vec<_> = (0..STREAMS).map(|_| ctx.new_stream().unwrap()).collect();
                let mut round = 0;
                while round == 0 || Instant::now() < end {
                    for (number, stream) in streams.iter().enumerate() {
                        // Lengths from nothing to some thousand, different in each thread.
                        let len = (round * 37 + thread * 101 + number * 13) % 3000;
                        let key = (round * THREADS + thread) as u32;
                        let source: Vec<u32> = (0..len).map(|index| (index * 7 + number) as u32).collect();
                        let mut buffer = DeviceBuffer::from_host(stream, &source).unwrap();
                        if let Some(event) = &*shared.lock().unwrap() {
                            stream.wait(event).unwrap();
                        }
                        if len > 0 {
                            // SAFETY: the kernel checks its indices.
                            unsafe { module.mix(stream, LaunchConfig::for_num_elems(len as u32), &mut buffer, key) }.unwrap();
                        }
                        *shared.lock().unwrap() = Some(stream.record_event(None).unwrap());
                        let mut result = PinnedHostBuffer::<u32>::zeroed(ctx, len).unwrap();
                        buffer.copy_to_pinned_host(stream, &mut result).unwrap();
                        for (index, &element) in result.iter().enumerate() {
                            assert_eq!(element, mixed(source[index], index, key), "thread {thread}, round {round}, stream {number}");
                        }
                        rounds.fetch_add(1, Ordering::Relaxed);
                    }
                    round += 1;
                }
            });
        }
    });
    drop(shared);
    ctx.synchronize().unwrap();
    ctx.check_err().unwrap();
    let (after, total) = ctx.memory_info().unwrap();
    // The driver keeps a little for streams; what buffers took would be far more.
    assert!(before.saturating_sub(after) < total / 50, "{before} bytes were free before, {after} are now");
    println!("SUCCESS: {} rounds of {THREADS} threads with {STREAMS} streams each", rounds.into_inner());
}
