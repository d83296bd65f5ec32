//! Kernel parameters of every shape: what the host packs is what the device reads.

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{cuda_module, kernel};

#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Index(u32);

#[derive(Clone, Copy)]
#[repr(C, packed)]
pub struct Packed {
    small: u8,
    large: u64,
}

#[derive(Clone, Copy)]
#[repr(C, packed(2))]
pub struct PackedBy2(u8, u32, u8);

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Aligned {
    value: u32,
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Wide([u16; 40]);

#[derive(Clone, Copy)]
pub struct Reordered {
    a: u8,
    b: u64,
    c: u16,
}

#[derive(Clone, Copy)]
pub enum Shape {
    Dot,
    Line(u64),
}

#[derive(Clone, Copy)]
pub struct Nothing;

// SAFETY: plain values without addresses.
unsafe impl DeviceCopy for Index {}
// SAFETY: as above.
unsafe impl DeviceCopy for Packed {}
// SAFETY: as above.
unsafe impl DeviceCopy for PackedBy2 {}
// SAFETY: as above.
unsafe impl DeviceCopy for Aligned {}
// SAFETY: as above.
unsafe impl DeviceCopy for Wide {}
// SAFETY: as above.
unsafe impl DeviceCopy for Reordered {}
// SAFETY: as above.
unsafe impl DeviceCopy for Shape {}
// SAFETY: as above.
unsafe impl DeviceCopy for Nothing {}

#[cuda_module]
mod kernels {
    use super::*;

    /// # Safety
    ///
    /// `out` is the address of as many words as there are parameters after it.
    #[kernel]
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn takes(
        flag: bool,
        byte: i8,
        letter: char,
        half: u16,
        out: *mut u64,
        double: f64,
        index: Index,
        packed: Packed,
        nothing: Nothing,
        by_two: PackedBy2,
        aligned: Aligned,
        big: u128,
        unit: (),
        wide: Wide,
        pair: (u8, u64),
        shape: Shape,
        words: [u32; 5],
        reordered: Reordered,
        last: u8,
        option: Option<u32>,
    ) {
        let (Nothing, ()) = (nothing, unit);
        let shape = match shape {
            Shape::Dot => 1,
            Shape::Line(length) => length,
        };
        let found = [
            flag as u64,
            byte as u64,
            letter as u64,
            half as u64,
            double.to_bits(),
            index.0 as u64,
            packed.small as u64,
            packed.large,
            by_two.1 as u64,
            by_two.2 as u64,
            aligned.value as u64,
            (big >> 64) as u64,
            big as u64,
            wide.0[39] as u64,
            pair.0 as u64,
            pair.1,
            shape,
            words[4] as u64,
            reordered.a as u64,
            reordered.b,
            reordered.c as u64,
            last as u64,
            option.map_or(7, |value| value as u64),
        ];
        for (i, word) in found.into_iter().enumerate() {
            // SAFETY: the caller vouches for so many words.
            unsafe { out.add(i).write(word) };
        }
    }
}

const EXPECTED: [u64; 23] = [
    1,
    -5i64 as u64,
    'ß' as u64,
    60_000,
    0x4002_0000_0000_0000,
    7,
    8,
    u64::MAX - 1,
    9,
    10,
    11,
    12,
    13,
    40,
    14,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
];

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let out = DeviceBuffer::<u64>::zeroed(&stream, EXPECTED.len()).unwrap();
    // SAFETY: the buffer has a word for each.
    unsafe {
        module.takes(
            &stream,
            LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 },
            true,
            -5,
            'ß',
            60_000,
            out.cu_deviceptr() as *mut u64,
            2.25,
            Index(7),
            Packed { small: 8, large: u64::MAX - 1 },
            Nothing,
            PackedBy2(0, 9, 10),
            Aligned { value: 11 },
            12 << 64 | 13,
            (),
            Wide([40; 40]),
            (14, 15),
            Shape::Line(16),
            [0, 0, 0, 0, 17],
            Reordered { a: 18, b: 19, c: 20 },
            21,
            Some(22),
        )
    }
    .unwrap();
    let found = out.to_host_vec(&stream).unwrap();
    let wrong = (0..EXPECTED.len()).find(|&i| found[i] != EXPECTED[i]);
    if let Some(i) = wrong {
        println!("FAILURE: word {i} is {:#x}, expected {:#x}", found[i], EXPECTED[i]);
        std::process::exit(1);
    }
    println!("SUCCESS: {} words", EXPECTED.len());
}
