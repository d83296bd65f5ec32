//! A kernel's parameter of every shape, between two of other sizes: the device reads the bytes that the host packs, and writes them back.

use std::{
    cmp::Ordering,
    fmt::Debug,
    marker::PhantomData,
    mem::MaybeUninit,
    num::{NonZeroU32, Wrapping},
    time::Duration,
};

use cuda_core::{CudaContext, CudaStream, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    /// Copies the parameter's memory as it is, padding and all.
    ///
    /// # Safety
    ///
    /// `out` is the address of so many bytes as `T` has, `guards` that of two words.
    #[kernel]
    pub unsafe fn write_back<T: Copy>(before: u8, value: T, after: u16, out: *mut MaybeUninit<u8>, guards: *mut u32) {
        // SAFETY: the caller vouches for the addresses.
        unsafe {
            (&raw const value).cast::<MaybeUninit<u8>>().copy_to_nonoverlapping(out, size_of::<T>());
            guards.write(u32::from(before));
            guards.add(1).write(u32::from(after));
        }
    }

    /// # Safety
    ///
    /// `out` is the address of a word.
    #[kernel]
    pub unsafe fn call<F: Fn(u64) -> u64 + Copy>(before: u8, function: F, after: u16, out: *mut u64) {
        // SAFETY: the caller vouches for the address.
        unsafe { out.write(function(u64::from(before) + u64::from(after))) };
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Plain {
    a: u8,
    b: u32,
    c: u16,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Reordered {
    a: u8,
    b: u64,
    c: u16,
    d: bool,
}

#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Packed {
    a: u8,
    b: u64,
    c: u128,
}

#[derive(Clone, Copy)]
#[repr(C, packed(2))]
struct PackedBy2 {
    a: u8,
    b: u32,
    c: u8,
}

macro_rules! by_fields {
    ($($packed:ident)*) => {$(
        impl PartialEq for $packed {
            fn eq(&self, other: &Self) -> bool {
                ({ self.a }, { self.b }, { self.c }) == ({ other.a }, { other.b }, { other.c })
            }
        }

        impl Debug for $packed {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{:?}", ({ self.a }, { self.b }, { self.c }))
            }
        }
    )*};
}

by_fields! { Packed PackedBy2 }

macro_rules! aligned {
    ($($name:ident = $bytes:literal;)*) => {$(
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C, align($bytes))]
        struct $name {
            a: u8,
            b: u16,
        }
    )*};
}

aligned! {
    Aligned16 = 16;
    Aligned32 = 32;
    Aligned64 = 64;
    Aligned128 = 128;
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
struct Index(u32);

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
struct Transparent(Aligned32);

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(i8)]
enum Sign {
    Minus = -5,
    Plus = 5,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Dot,
    Line(u64),
    Square { side: u8, name: char },
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, u16)]
enum Tagged {
    Small(u8),
    Large([u64; 3]),
}

#[derive(Clone, Copy)]
#[repr(C)]
union Either {
    word: u32,
    bytes: [u8; 8],
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
struct AlignedNothing;

struct Device<'a> {
    module: kernels::LoadedModule,
    stream: &'a CudaStream,
    cases: u32,
}

const ONE: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

impl Device<'_> {
    /// The parameter as the device has it.
    fn write_back<T: Copy>(&mut self, value: T) -> T {
        let size = size_of::<T>();
        let out = DeviceBuffer::<u8>::zeroed(self.stream, size + 1).unwrap();
        let guards = DeviceBuffer::<u32>::zeroed(self.stream, 2).unwrap();
        let address = out.cu_deviceptr() as *mut MaybeUninit<u8>;
        // SAFETY: the addresses of buffers of these sizes.
        unsafe { self.module.write_back(self.stream, ONE, 0xa5, value, 0x5aa5, address, guards.cu_deviceptr() as *mut u32) }.unwrap();
        assert_eq!(guards.to_host_vec(self.stream).unwrap(), [0xa5, 0x5aa5], "what stands around a {}", std::any::type_name::<T>());
        let bytes = out.to_host_vec(self.stream).unwrap();
        assert_eq!(bytes[size], 0);
        self.cases += 1;
        // SAFETY: those are the bytes of a value, which is compared below.
        unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
    }

    fn check<T: Copy + PartialEq + Debug>(&mut self, value: T) {
        assert_eq!(self.write_back(value), value, "{}", std::any::type_name::<T>());
    }

    /// The result of a closure on the device and here.
    fn call<F: Fn(u64) -> u64 + Copy>(&mut self, function: F) {
        let out = DeviceBuffer::<u64>::zeroed(self.stream, 1).unwrap();
        // SAFETY: the address of a word.
        unsafe { self.module.call(self.stream, ONE, 3, function, 1000, out.cu_deviceptr() as *mut u64) }.unwrap();
        assert_eq!(out.to_host_vec(self.stream).unwrap(), [function(1003)], "{}", std::any::type_name::<F>());
        self.cases += 1;
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let mut device = Device { module: kernels::load(&ctx).unwrap(), stream: &stream, cases: 0 };

    // Scalars.
    for flag in [false, true] {
        device.check(flag);
    }
    device.check('ß');
    device.check(char::MAX);
    device.check(u8::MAX);
    device.check(-7i8);
    device.check(-30_000i16);
    device.check(0x1234_5678u32);
    device.check(i64::MIN);
    device.check(usize::MAX - 1);
    device.check(u128::MAX - 0xff00_0000_0000_0000_0000);
    device.check(-1i128 << 77);
    device.check(-2.5f32);
    device.check(1e300f64);
    device.check(0x1000 as *const u32);
    device.check(std::ptr::null_mut::<u8>());
    device.check(NonZeroU32::new(9).unwrap());
    device.check(Wrapping(5u16));

    // Structs of every representation.
    device.check(Plain { a: 1, b: 2, c: 3 });
    device.check(Reordered { a: 1, b: u64::MAX - 2, c: 3, d: true });
    device.check(Packed { a: 1, b: u64::MAX - 1, c: u128::MAX - 2 });
    device.check(PackedBy2 { a: 1, b: 2, c: 3 });
    device.check(Aligned16 { a: 1, b: 2 });
    device.check(Aligned32 { a: 3, b: 4 });
    device.check(Aligned64 { a: 5, b: 6 });
    device.check(Aligned128 { a: 7, b: 8 });
    device.check(Index(77));
    device.check(Transparent(Aligned32 { a: 9, b: 10 }));
    device.check(Duration::from_nanos(1_234_567_890_123));

    // Tuples and arrays, also of each other.
    device.check((1u8, 2u64));
    device.check((1u64, 2u8, 'c', true));
    device.check((u128::MAX, 1u8));
    device.check(((1u8, 2u16), [3u32; 3], (4u64,)));
    device.check([1u8, 2, 3]);
    device.check([u128::MAX, 1]);
    device.check([(1u8, 2u32), (3, 4), (5, 6)]);
    device.check([[1u16; 3]; 5]);
    device.check([Aligned16 { a: 1, b: 2 }; 3]);
    device.check([Packed { a: 1, b: 2, c: 3 }; 3]);

    // Enums: bare, with payloads, in niches.
    device.check(Sign::Minus);
    device.check(Sign::Plus);
    device.check(Ordering::Less);
    device.check(Shape::Dot);
    device.check(Shape::Line(u64::MAX));
    device.check(Shape::Square { side: 4, name: 'q' });
    device.check(Tagged::Small(8));
    device.check(Tagged::Large([1, 2, u64::MAX]));
    device.check(None::<u32>);
    device.check(Some(4u32));
    device.check(Some(Some(true)));
    device.check(Some(None::<bool>));
    device.check(NonZeroU32::new(0));
    device.check(Some(Shape::Square { side: 1, name: 'x' }));
    device.check(Ok::<u8, u64>(5));
    device.check(Err::<u8, u64>(6));
    let either = device.write_back(Either { bytes: [1, 2, 3, 4, 5, 6, 7, 8] });
    // SAFETY: all bytes were written.
    assert_eq!(unsafe { (either.bytes, either.word.to_le_bytes()) }, ([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4]));

    // Without bytes.
    device.check(());
    device.check([0u64; 0]);
    device.check(PhantomData::<String>);
    device.check(AlignedNothing);
    device.check(((), [(); 5]));

    // Beyond 4 KiB, up to what the parameter space holds beside the others.
    device.check::<[u64; 600]>(std::array::from_fn(|i| i as u64 * 0x0101_0101_0101));
    device.check::<[u8; 32_000]>(std::array::from_fn(|i| (i % 251) as u8));

    // Closures with captures of mixed sizes.
    let (byte, half, word, wide, huge) = (1u8, 2u16, 3u32, 4u64, 5u128);
    let (shape, array, aligned) = (Shape::Line(6), [7u8; 5], Aligned64 { a: 8, b: 9 });
    device.call(|x| x + 1);
    device.call(move |x| x * u64::from(byte));
    device.call(move |x| x + u64::from(byte) * wide + u64::from(half));
    device.call(move |x| x ^ huge as u64 ^ u64::from(byte) ^ u64::from(word));
    device.call(move |x| match shape {
        Shape::Line(length) => x + length + u64::from(array[4]),
        _ => 0,
    });
    device.call(move |x| x + u64::from(aligned.b) + u64::from(byte));
    let inner = move |x: u64| x * wide + u64::from(half);
    device.call(move |x| inner(x) + u64::from(word));
    device.call(move |x| if byte == 1 { inner(inner(x)) } else { huge as u64 });

    let ptx = std::fs::read_to_string("parameter_bytes.ptx").unwrap();
    assert!(ptx.contains(".align 128 .b8 write_back_TID") && ptx.contains("[32000]"));
    println!("SUCCESS: {} parameters", device.cases);
}
