//! What a helper chooses by what the host's processor has: no feature is found on the device, and its portable code runs there.

use std::arch::x86_64::{_mm256_extract_epi32, _mm256_sad_epu8, _mm256_set1_epi32, _mm256_setzero_si256};

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

/// The sum of a number's bytes, twice, by an instruction of AVX2.
#[target_feature(enable = "avx2")]
fn wide(x: u32) -> u32 {
    let x = _mm256_set1_epi32(x as i32);
    _mm256_extract_epi32::<0>(_mm256_sad_epu8(x, _mm256_setzero_si256())) as u32
}

fn plain(x: u32) -> u32 {
    2 * x.to_le_bytes().into_iter().map(u32::from).sum::<u32>()
}

fn at_once(x: u32) -> u32 {
    // SAFETY: the processor has it.
    if is_x86_feature_detected!("avx2") { unsafe { wide(x) } } else { plain(x) }
}

fn by_a_variable(x: u32) -> u32 {
    let both = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1");
    let neither = !is_x86_feature_detected!("avx2") && !is_x86_feature_detected!("bmi1");
    // SAFETY: the processor has it.
    if both && !neither { unsafe { wide(x) } } else { plain(x) }
}

fn in_a_loop(x: u32) -> u32 {
    let mut sum = 0;
    for shift in 0..4 {
        let wanted = shift == 2 || is_x86_feature_detected!("avx512f");
        // SAFETY: the processor has it.
        sum += if is_x86_feature_detected!("avx2") { unsafe { wide(x << shift) } } else { plain(x << shift) };
        sum += u32::from(wanted && shift != 2);
    }
    sum
}

fn found() -> [u32; 5] {
    [
        is_x86_feature_detected!("avx2"),
        is_x86_feature_detected!("avx") || is_x86_feature_detected!("fma"),
        is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"),
        is_x86_feature_detected!("sha"),
        is_x86_feature_detected!("sse2"), // always there, as kernels run it
    ]
    .map(u32::from)
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn sums(numbers: &[u32], mut sums: DisjointSlice<[u32; 3]>) {
        let index = thread::index_1d();
        let i = index.get();
        if let Some(sum) = sums.get_mut(index) {
            let x = numbers[i];
            *sum = [at_once(x), by_a_variable(x), in_a_loop(x)];
        }
    }

    #[kernel]
    pub fn finds(mut found: DisjointSlice<[u32; 5]>) {
        if let Some(found) = found.get_mut(thread::index_1d()) {
            *found = super::found();
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let numbers: Vec<u32> = (0..64).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect();
    let device = DeviceBuffer::from_host(&stream, &numbers).unwrap();
    let mut sums = DeviceBuffer::<[u32; 3]>::zeroed(&stream, 64).unwrap();
    // SAFETY: the lengths are those of the launch.
    unsafe { module.sums(&stream, LaunchConfig::for_num_elems(64), &device, &mut sums) }.unwrap();
    for (&x, sums) in numbers.iter().zip(sums.to_host_vec(&stream).unwrap()) {
        assert_eq!(sums[..2], [plain(x); 2]);
        assert_eq!(sums[..2], [at_once(x), by_a_variable(x)]);
        assert_eq!(sums[2], (0..4).map(|shift| plain(x << shift)).sum());
    }
    let mut found = DeviceBuffer::<[u32; 5]>::zeroed(&stream, 1).unwrap();
    // SAFETY: the lengths are those of the launch.
    unsafe { module.finds(&stream, LaunchConfig::for_num_elems(1), &mut found) }.unwrap();
    assert_eq!(found.to_host_vec(&stream).unwrap(), [[0, 0, 0, 0, 1]]);
    println!("SUCCESS: 64 numbers");
}
