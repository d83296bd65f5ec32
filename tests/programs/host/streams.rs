//! Streams run their work in order and wait for each other by events; host functions and pinned memory take part.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, PinnedHostBuffer, sys};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    /// Many steps of a generator, so that the launch takes a while.
    #[kernel]
    pub fn step(mut numbers: DisjointSlice<u32>, rounds: u32) {
        if let Some((number, _)) = numbers.get_mut_indexed() {
            for _ in 0..rounds {
                *number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            }
        }
    }
}

fn step(number: u32, rounds: u32) -> u32 {
    (0..rounds).fold(number, |number, _| number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}

fn main() {
    const N: usize = 1 << 12;
    const ROUNDS: u32 = 200;
    let ctx = CudaContext::new(0).unwrap();
    let module = kernels::load(&ctx).unwrap();
    let config = LaunchConfig::for_num_elems(N as u32);
    let numbers: Vec<u32> = (0..N as u32).collect();

    // What the default stream did is there for the first other stream.
    let mut buffer = DeviceBuffer::<u32>::zeroed(&ctx.default_stream(), N).unwrap();
    let stream = ctx.new_stream().unwrap();
    assert_eq!(buffer.to_host_vec(&stream).unwrap(), [0; N]);

    // Pinned memory is copied to and fro in the order of the stream; the events around that measure it.
    let source = PinnedHostBuffer::from_slice(&ctx, &numbers).unwrap();
    let mut result = PinnedHostBuffer::<u32>::zeroed(&ctx, N).unwrap();
    let timing = Some(sys::CUevent_flags_enum_CU_EVENT_DEFAULT);
    let start = stream.record_event(timing).unwrap();
    // SAFETY: buffer and pinned memory are kept until the stream is waited for, and the kernel checks its indices.
    unsafe {
        buffer.copy_from_pinned_host_async(&stream, &source).unwrap();
        module.step(&stream, config, &mut buffer, ROUNDS).unwrap();
        buffer.copy_to_pinned_host_async(&stream, &mut result).unwrap();
    }
    let end = stream.record_event(timing).unwrap();
    stream.synchronize().unwrap();
    assert!(end.query().unwrap());
    assert!(start.elapsed_ms(&end).unwrap() >= 0.0);
    assert!(result.iter().zip(&numbers).all(|(result, &number)| *result == step(number, ROUNDS)));
    let untimed = stream.record_event(None).unwrap();
    assert!(untimed.elapsed_ms(&end).is_err(), "an event without timing");

    // Four streams begin after one point and are joined again; each works on a buffer of its own.
    let forked: Vec<_> = (0..4).map(|_| stream.fork().unwrap()).collect();
    let mut buffers: Vec<_> = forked.iter().map(|forked| DeviceBuffer::from_host(forked, &numbers).unwrap()).collect();
    for (index, (forked, buffer)) in forked.iter().zip(&mut buffers).enumerate() {
        // SAFETY: the kernel checks its indices.
        unsafe { module.step(forked, config, buffer, ROUNDS + index as u32) }.unwrap();
        stream.join(forked).unwrap();
    }
    // Read in `stream`, which waits for all of them.
    for (index, buffer) in buffers.iter().enumerate() {
        let expected: Vec<_> = numbers.iter().map(|&number| step(number, ROUNDS + index as u32)).collect();
        assert_eq!(buffer.to_host_vec(&stream).unwrap(), expected);
    }

    // An event orders two streams without the host: the second reads what the first has written.
    let (first, second) = (ctx.new_stream().unwrap(), ctx.new_stream().unwrap());
    let (mut from, mut to) = (DeviceBuffer::from_host(&first, &numbers).unwrap(), DeviceBuffer::<u32>::zeroed(&second, N).unwrap());
    for round in 1..=20 {
        // SAFETY: the kernel checks its indices.
        unsafe { module.step(&first, config, &mut from, ROUNDS) }.unwrap();
        second.wait(&first.record_event(None).unwrap()).unwrap();
        to.copy_from_device_async(&from, &second).unwrap();
        first.join(&second).unwrap();
        let expected = step(numbers[N - 1], round * ROUNDS);
        assert_eq!(to.to_host_vec(&second).unwrap()[N - 1], expected, "round {round}");
    }

    // Host functions run when what is queued before has run, in order; a panic in one ends there.
    let seen = Arc::new(Mutex::new(Vec::new()));
    let count = Arc::new(AtomicU32::new(0));
    for number in 0..8 {
        // SAFETY: the kernel checks its indices.
        unsafe { module.step(&first, config, &mut from, 1) }.unwrap();
        let seen = seen.clone();
        first.launch_host_function(move || seen.lock().unwrap().push(number)).unwrap();
        let count = count.clone();
        let add = move || {
            count.fetch_add(number, Ordering::Relaxed);
        };
        first.launch_host_function(add).unwrap();
    }
    first.synchronize().unwrap();
    assert_eq!((seen.lock().unwrap().as_slice(), count.load(Ordering::Relaxed)), (&[0, 1, 2, 3, 4, 5, 6, 7][..], 28));
    assert_eq!((Arc::strong_count(&seen), Arc::strong_count(&count)), (1, 1), "what a function owns is dropped");
    println!("SUCCESS: streams in order, forked and joined, with events, pinned memory and host functions");
}
