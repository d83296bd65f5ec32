//! Loops that are unrolled do what they did: each function runs on the host and in a kernel, and both agree.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, SharedArray, cuda_module, device, kernel, thread};

const LEN: usize = 64;

/// How often the loops of a kernel are unrolled.
trait Policy {
    const FACTOR: u32;
    const COUNT: usize;
}

struct Two;
struct Whole;

impl Policy for Two {
    const FACTOR: u32 = 2;
    const COUNT: usize = 7;
}

impl Policy for Whole {
    const FACTOR: u32 = 0;
    const COUNT: usize = 5;
}

#[device]
fn at_most(a: &[u32], n: u32) -> u32 {
    let mut sum = n;
    let mut i = 0;
    #[unroll]
    while i <= 2 {
        sum = sum * 31 + a[i];
        i += 1;
    }
    sum
}

#[device]
fn inclusive(a: &[u32], n: u32) -> u32 {
    let mut sum = 0;
    #[unroll]
    for i in 0..=5u32 {
        sum = sum * 3 + a[i as usize] + n;
    }
    #[unroll(3)]
    for i in 0..=n {
        sum = sum * 5 + a[i as usize];
    }
    sum
}

#[device]
fn steps(a: &[u32], n: u32) -> u32 {
    let mut sum = 0;
    #[unroll]
    for i in (1..20).step_by(3) {
        sum = sum * 7 + a[i];
    }
    let mut i = 0;
    #[unroll(4)]
    while i < n {
        sum = sum * 7 + a[i as usize];
        i += 3;
    }
    #[unroll]
    for i in (0..4).rev() {
        sum = sum * 7 + a[i];
    }
    sum
}

#[device]
fn moving_limit(a: &[u32], n: u32) -> u32 {
    let (mut i, mut limit, mut sum) = (0, n, 0);
    #[unroll(4)]
    while i < limit {
        sum = sum * 13 + a[i as usize];
        if a[i as usize] % 3 == 0 && limit > 2 {
            limit -= 1;
        }
        i += 1;
    }
    sum + limit
}

#[device]
fn continues(a: &[u32], n: u32) -> u32 {
    let mut sum = 0;
    #[unroll]
    for i in 0..9 {
        if a[i] % 2 == n % 2 {
            continue;
        }
        sum = sum * 17 + a[i];
    }
    sum
}

#[device]
fn breaks(a: &[u32], n: u32) -> u32 {
    let mut i = 0;
    let found = {
        #[unroll]
        loop {
            if i == 8 {
                break 1000;
            }
            if a[i] > n {
                break i as u32;
            }
            i += 1;
        }
    };
    let mut j = 0;
    #[unroll(4)]
    while j < n {
        if a[j as usize] == 40 {
            break;
        }
        j += 1;
    }
    found * 100 + j
}

#[device]
fn nested(a: &[u32], n: u32) -> u32 {
    let mut sum = 0;
    #[unroll]
    'rows: for i in 0..4 {
        #[unroll(2)]
        for j in 0..5u32 {
            if j > n {
                continue 'rows;
            }
            sum = sum * 3 + a[i + j as usize];
        }
        // Never comes back: the loop around it is another's.
        #[unroll(8)]
        loop {
            sum += 1;
            if sum > n {
                break;
            }
            break;
        }
    }
    sum
}

#[device]
fn by_policy<P: Policy>(a: &[u32], n: u32) -> u32 {
    let mut sum = n;
    #[unroll(P::FACTOR)]
    for i in 0..P::COUNT {
        sum = sum * 11 + a[i];
    }
    sum
}

#[device]
fn never_runs(a: &[u32], n: u32) -> u32 {
    let mut sum = n;
    #[unroll]
    for i in 5..5usize {
        sum += a[i];
    }
    #[unroll(4)]
    for i in n..0 {
        sum += a[i as usize];
    }
    sum
}

const FUNCTIONS: [fn(&[u32], u32) -> u32; 10] =
    [at_most, inclusive, steps, moving_limit, continues, breaks, nested, by_policy::<Two>, by_policy::<Whole>, never_runs];

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn each(a: &[u32], mut out: DisjointSlice<u32>) {
        let index = thread::index_1d();
        let i = index.get();
        let (which, n) = (i % 10, (i / 10) as u32);
        let result = match which {
            0 => at_most(a, n),
            1 => inclusive(a, n),
            2 => steps(a, n),
            3 => moving_limit(a, n),
            4 => continues(a, n),
            5 => breaks(a, n),
            6 => nested(a, n),
            7 => by_policy::<Two>(a, n),
            8 => by_policy::<Whole>(a, n),
            _ => never_runs(a, n),
        };
        if let Some(slot) = out.get_mut(index) {
            *slot = result;
        }
    }

    /// A sum over a block, with a barrier in each round.
    #[kernel]
    pub fn reduce(a: &[u32], mut out: DisjointSlice<u32>) {
        static mut PARTIAL: SharedArray<u32, 64> = SharedArray::UNINIT;
        let lane = thread::threadIdx_x() as usize;
        let index = thread::index_1d();
        // SAFETY: each thread writes its own element, and barriers stand between writes and reads of others.
        unsafe {
            PARTIAL[lane] = a[index.get()];
            #[unroll]
            for round in 0..6 {
                thread::sync_threads();
                let stride = 32 >> round;
                if lane < stride {
                    PARTIAL[lane] += PARTIAL[lane + stride];
                }
            }
            thread::sync_threads();
            if let Some(slot) = out.get_mut(index) {
                *slot = PARTIAL[0];
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let a: Vec<u32> = (0..LEN as u32).map(|i| i * 37 % 101).collect();
    let input = DeviceBuffer::from_host(&stream, &a)?;
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 10 * LEN / 2)?;
    // SAFETY: every index that the functions take is below 64.
    unsafe { module.each(&stream, LaunchConfig::for_num_elems(out.len() as u32), &input, &mut out)? };
    for (i, got) in out.to_host_vec(&stream)?.into_iter().enumerate() {
        let expected = FUNCTIONS[i % 10](&a, (i / 10) as u32);
        assert_eq!(got, expected, "function {} of {}", i % 10, i / 10);
    }
    let mut sums = DeviceBuffer::<u32>::zeroed(&stream, LEN)?;
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: one block of 64 threads, as many as the buffers have elements.
    unsafe { module.reduce(&stream, config, &input, &mut sums)? };
    let total: u32 = a.iter().sum();
    assert_eq!(sums.to_host_vec(&stream)?, vec![total; LEN]);
    println!("SUCCESS: unrolled loops do what they did");
    Ok(())
}
