//! Keeps some of many numbers, side by side: a warp votes which of its lanes have one to keep, and takes
//! places for all of them at once.

use std::{error::Error, process::ExitCode};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{
    DisjointSlice,
    atomic::{AtomicOrdering::Relaxed, DeviceAtomicU32},
    cuda_module, kernel, thread, warp,
};

#[cuda_module]
mod kernels {
    use super::*;

    /// Writes the numbers for which `keep` holds to the head of `kept`, in any order, and adds how many
    /// they are to the one element of `count`, which is 0 at first.
    ///
    /// Launched in one dimension, with blocks of whole warps.
    #[kernel]
    pub fn compact<F: Fn(u32) -> bool + Copy>(
        keep: F,
        numbers: &[u32],
        mut kept: DisjointSlice<u32>,
        count: &[DeviceAtomicU32],
    ) {
        // Threads without a number stay, since all lanes take part in the votes.
        let number = numbers
            .get(thread::index_1d().get())
            .copied()
            .filter(|&number| keep(number));

        let keepers = warp::ballot(number.is_some());
        let mut first = 0;
        if warp::lane_id() == 0 {
            first = count[0].fetch_add(keepers.count_ones(), Relaxed);
        }
        let first = warp::shuffle(first, 0);

        if let Some(number) = number {
            let place = (first + (keepers & warp::lanemask_lt()).count_ones()) as usize;
            assert!(place < kept.len());
            // SAFETY: in bounds, and no other thread has taken this place.
            unsafe { *kept.get_unchecked_mut(place) = number };
        }
    }
}

const N: u32 = 10_000;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let numbers: Vec<u32> = (0..N).map(|i| i * 7919 % N).collect();
    let remainder = 3;
    let keep = move |number: u32| number % 4 == remainder;

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let input = DeviceBuffer::from_host(&stream, &numbers)?;
    let mut kept = DeviceBuffer::<u32>::zeroed(&stream, numbers.len())?;
    let count = DeviceBuffer::<u32>::zeroed(&stream, 1)?.cast_elem::<DeviceAtomicU32>();
    // SAFETY: one-dimensional, with blocks of whole warps and room for all numbers.
    unsafe {
        module.compact(
            &stream,
            LaunchConfig::for_num_elems(N),
            keep,
            &input,
            &mut kept,
            &count,
        )
    }?;

    let count = count.cast_elem::<u32>().to_host_vec(&stream)?[0];
    let mut kept = kept.to_host_vec(&stream)?;
    kept.truncate(count as usize);
    kept.sort_unstable();
    let expected: Vec<u32> = (0..N).filter(|&number| keep(number)).collect();
    if kept != expected {
        eprintln!(
            "FAILURE: kept {count} numbers, which are not the {} expected",
            expected.len()
        );
        return Ok(ExitCode::FAILURE);
    }
    println!("SUCCESS: {count} of {N} numbers");
    Ok(ExitCode::SUCCESS)
}
