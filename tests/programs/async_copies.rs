//! Copies from global to shared memory that a thread waits for later: of every size, shorter than their size, in groups, and told to a barrier.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::async_copy::*;
use cuda_device::{Barrier, SharedArray, barrier::*, cuda_module, kernel, thread};

const THREADS: usize = 64;
/// The words of each thread in an array of 16 bytes for each.
const WORDS: usize = 4;
const SIZES: [usize; 4] = [4, 8, 16, 16];

type Tile = SharedArray<u32, { THREADS * WORDS }, 16>;
/// One tile for each size.
type Tiles = SharedArray<u32, { SIZES.len() * THREADS * WORDS }, 16>;

#[cuda_module]
mod kernels {
    use super::*;

    /// A thread's words of a tile, of several that lie one after another.
    unsafe fn words<const N: usize>(tiles: *mut SharedArray<u32, N, 16>, tile: usize, t: usize) -> *mut u32 {
        unsafe { SharedArray::as_raw_mut_ptr(tiles).add((tile * THREADS + t) * WORDS) }
    }

    unsafe fn write(out: *mut u32, words: *const u32) {
        for word in 0..WORDS {
            unsafe { *out.add(word) = *words.add(word) };
        }
    }

    /// Copies of every size, whole ones and with zeros at the end, over words that are all ones.
    #[kernel]
    pub unsafe fn sizes(input: &[u32], out: *mut u32) {
        static mut WHOLE: Tiles = SharedArray::UNINIT;
        static mut FILLED: Tiles = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        let from = unsafe { input.as_ptr().add(t * WORDS) };
        let bytes = from.cast::<u8>();
        unsafe {
            let (whole, filled) = (|tile| words(&raw mut WHOLE, tile, t), |tile| words(&raw mut FILLED, tile, t));
            for tile in 0..4 {
                for word in 0..WORDS {
                    *whole(tile).add(word) = !0;
                    *filled(tile).add(word) = !0;
                }
            }
            cp_async_ca_4(whole(0), from);
            cp_async_ca_8(whole(1), from);
            cp_async_ca_16(whole(2), from);
            cp_async_cg_16(whole(3), from);
            cp_async_ca_zfill_4(filled(0), bytes, t as u32 % 5);
            cp_async_ca_zfill_8(filled(1), bytes, t as u32 % 9);
            cp_async_ca_zfill_16(filled(2), bytes, t as u32 % 17);
            cp_async_cg_zfill_16(filled(3), bytes, t as u32 % 17);
            cp_async_wait_all();
            thread::sync_threads();
            let other = THREADS - 1 - t;
            for tile in 0..4 {
                let out = out.add((t * 8 + tile) * WORDS);
                write(out, words(&raw mut WHOLE, tile, other));
                write(out.add(4 * WORDS), words(&raw mut FILLED, tile, other));
            }
        }
    }

    /// Three groups, of which the last ones may be under way when the first is read.
    #[kernel]
    pub unsafe fn groups(input: &[u32], out: *mut u32) {
        static mut FIRST: Tile = SharedArray::UNINIT;
        static mut SECOND: Tile = SharedArray::UNINIT;
        static mut THIRD: Tile = SharedArray::UNINIT;
        let t = thread::threadIdx_x() as usize;
        let from = |group: usize| unsafe { input.as_ptr().add((t + group) % THREADS * WORDS) };
        unsafe {
            let (first, second, third) = (words(&raw mut FIRST, 0, t), words(&raw mut SECOND, 0, t), words(&raw mut THIRD, 0, t));
            cp_async_cg_16(first, from(0));
            cp_async_commit_group();
            cp_async_ca_8(second, from(1));
            cp_async_ca_8(second.add(2), from(1).add(2));
            cp_async_commit_group();
            cp_async_ca_16(third, from(2));
            cp_async_commit_group();
            // A thread sees its own copies without a barrier.
            cp_async_wait_group(2);
            write(out.add(3 * t * WORDS), first);
            cp_async_wait_group(1);
            write(out.add((3 * t + 1) * WORDS), second);
            cp_async_wait_group(0);
            write(out.add((3 * t + 2) * WORDS), third);
        }
    }

    /// Every thread waits at a barrier that the copies of all threads arrive at, in one of the forms.
    #[kernel]
    pub unsafe fn arrivals<const FORM: u32>(input: &[u32], out: *mut u32) {
        static mut TILE: Tile = SharedArray::UNINIT;
        static mut ARRIVED: Barrier = Barrier::UNINIT;
        let (t, arrived) = (thread::threadIdx_x() as usize, &raw mut ARRIVED);
        unsafe {
            let (own, other) = (words(&raw mut TILE, 0, t), words(&raw mut TILE, 0, (t + 33) % THREADS));
            if t == 0 {
                mbarrier_init(arrived, THREADS as u32);
            }
            thread::sync_threads();
            cp_async_cg_16(own, input.as_ptr().add(t * WORDS));
            match FORM {
                0 => cp_async_mbarrier_arrive(arrived),
                1 => cp_async_mbarrier_arrive_shared(arrived),
                2 => cp_async_mbarrier_arrive_noinc(arrived),
                _ => cp_async_mbarrier_arrive_noinc_shared(arrived),
            }
            if FORM < 2 {
                // The barrier expects the copy's arrival besides this one.
                mbarrier_arrive_no_complete(arrived);
            }
            while !mbarrier_try_wait_parity(arrived, 0) {}
            write(out.add(t * WORDS), other);
        }
    }
}

fn main() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.default_stream();
    let module = kernels::load(&context).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (THREADS as u32, 1, 1), shared_mem_bytes: 0 };
    let words: Vec<u32> = (0..(THREADS * WORDS) as u32).map(|i| i.wrapping_mul(2_654_435_761) | 0x0101_0101).collect();
    let input = DeviceBuffer::from_host(&stream, &words).unwrap();
    let of_thread = |t: usize| &words[t * WORDS..(t + 1) * WORDS];

    let out = DeviceBuffer::<u32>::zeroed(&stream, THREADS * WORDS * 8).unwrap();
    unsafe { module.sizes(&stream, config, &input, out.cu_deviceptr() as *mut u32) }.unwrap();
    for (t, found) in out.to_host_vec(&stream).unwrap().chunks(8 * WORDS).enumerate() {
        let other = THREADS - 1 - t;
        let source: Vec<u8> = of_thread(other).iter().flat_map(|word| word.to_le_bytes()).collect();
        for (tile, size) in SIZES.into_iter().enumerate() {
            let copied = |bytes: usize| {
                let mut copied = [0xff; 16];
                copied[..size].fill(0);
                copied[..bytes].copy_from_slice(&source[..bytes]);
                copied.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect::<Vec<_>>()
            };
            assert_eq!(found[tile * WORDS..][..WORDS], copied(size), "{size} bytes of thread {other}");
            assert_eq!(found[(4 + tile) * WORDS..][..WORDS], copied(other % (size + 1)), "{size} bytes or fewer of thread {other}");
        }
    }

    unsafe { module.groups(&stream, config, &input, out.cu_deviceptr() as *mut u32) }.unwrap();
    for (i, found) in out.to_host_vec(&stream).unwrap()[..3 * THREADS * WORDS].chunks(WORDS).enumerate() {
        assert_eq!(found, of_thread((i / 3 + i % 3) % THREADS), "group {} of thread {}", i % 3, i / 3);
    }

    macro_rules! check_arrivals {
        ($($form:literal)*) => {$(
            let out = DeviceBuffer::<u32>::zeroed(&stream, THREADS * WORDS).unwrap();
            unsafe { module.arrivals::<$form>(&stream, config, &input, out.cu_deviceptr() as *mut u32) }.unwrap();
            for (t, found) in out.to_host_vec(&stream).unwrap().chunks(WORDS).enumerate() {
                assert_eq!(found, of_thread((t + 33) % THREADS), "form {}, thread {t}", $form);
            }
        )*};
    }
    check_arrivals!(0 1 2 3);
    println!("SUCCESS: copies of {SIZES:?} bytes, groups, and 4 forms of arrival");
}
