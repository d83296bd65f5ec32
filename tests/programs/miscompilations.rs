//! What code generation once got wrong, as it was found: a guard that was dropped, a product with another sign, a NaN's sign that was lost,
//! a load in front of an acquire, and a value that was read once.

use core::sync::atomic::{AtomicU32, Ordering};
use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, atomic::*, cuda_module, kernel, thread};

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Message {
    a: u32,
    b: u32,
    c: u32,
    d: u32,
}

// SAFETY: plain numbers.
unsafe impl cuda_core::DeviceCopy for Message {}

static TABLE: [u32; 4] = [3, 5, 7, 11];

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn shift(x: u64, s: u64, o: &mut [u64]) {
        o[0] = if s < 64 { x << s } else { 0 };
        o[1] = if s > 63 { 1 } else { x >> s };
    }

    #[kernel]
    pub fn widen(x: i32, o: &mut [i64]) {
        if x == 0 || x == -1 {
            o[0] = (x << 31) as i64;
        }
    }

    #[kernel]
    pub fn signs(x: &[f32], y: &[f64], o: &mut [f32], p: &mut [f64]) {
        (o[0], o[1], o[2]) = (-x[0], x[1].abs(), x[0].copysign(x[1]));
        (p[0], p[1], p[2]) = (-y[0], y[1].abs(), y[0].copysign(y[1]));
    }

    /// Block 1 writes, block 0 waits and reads: the second word behind the flag.
    #[kernel]
    pub fn receive(message: *mut Message, flag: &[AtomicU32], o: *mut u32) {
        // SAFETY: one writes before the flag, the other reads behind it.
        unsafe {
            if thread::blockIdx_x() == 1 {
                (*message).b = 9;
                flag[0].store(1, Ordering::Release);
            } else {
                let a = (*message).a;
                while flag[0].load(Ordering::Acquire) == 0 {}
                *o = a + (*message).b;
            }
        }
    }

    /// Block 1 counts up through a slice of plain numbers, block 0 waits for it.
    #[kernel]
    pub fn wait(flags: &[u32], o: *mut u32) {
        // SAFETY: addresses of the slice, and of a number that one block writes.
        unsafe {
            if thread::blockIdx_x() == 1 {
                DeviceAtomicU32::from_ptr(flags.as_ptr().cast_mut()).fetch_add(41, AtomicOrdering::Release);
            } else {
                while core::ptr::read_volatile(&flags[0]) == 0 {}
                *o = core::ptr::read_volatile(&flags[0]) + flags[1];
            }
        }
    }

    #[kernel]
    pub fn look_up(i: usize, mut o: DisjointSlice<u32>) {
        // SAFETY: an element of the table, which nobody writes.
        let at = unsafe { AtomicU32::from_ptr((&raw const TABLE[i]).cast_mut()) };
        if let Some(o) = o.get_mut(thread::index_1d()) {
            *o = at.load(Ordering::Acquire);
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let one = LaunchConfig::for_num_elems(1);
    let two = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the buffers have the elements that the kernels use, and live until the results have been read.
    unsafe {
        let mut o = DeviceBuffer::<u64>::zeroed(&stream, 2).unwrap();
        for (x, s, expected) in [(3, 1 << 32, [0, 1]), (3, 64, [0, 1]), (3, 63, [1 << 63, 0]), (u64::MAX, (1 << 40) + 2, [0, 1]), (6, 1, [12, 3])] {
            module.shift(&stream, one, x, s, &mut o).unwrap();
            assert_eq!(o.to_host_vec(&stream).unwrap(), expected);
        }

        let mut o = DeviceBuffer::<i64>::zeroed(&stream, 1).unwrap();
        module.widen(&stream, one, -1, &mut o).unwrap();
        assert_eq!(o.to_host_vec(&stream).unwrap(), [-2147483648]);

        let x = DeviceBuffer::from_host(&stream, &[0x7fc12345, 0xff812345].map(f32::from_bits)).unwrap();
        let y = DeviceBuffer::from_host(&stream, &[0x7ff8_0000_1234_5678, 0xfff0_1234_0000_5678].map(f64::from_bits)).unwrap();
        let (mut o, mut p) = (DeviceBuffer::<f32>::zeroed(&stream, 3).unwrap(), DeviceBuffer::<f64>::zeroed(&stream, 3).unwrap());
        module.signs(&stream, one, &x, &y, &mut o, &mut p).unwrap();
        let bits: Vec<_> = o.to_host_vec(&stream).unwrap().into_iter().map(f32::to_bits).collect();
        assert_eq!(bits, [0xffc12345, 0x7f812345, 0xffc12345]);
        let bits: Vec<_> = p.to_host_vec(&stream).unwrap().into_iter().map(f64::to_bits).collect();
        assert_eq!(bits, [0xfff8_0000_1234_5678, 0x7ff0_1234_0000_5678, 0xfff8_0000_1234_5678]);

        let result = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        for _ in 0..200 {
            let message = DeviceBuffer::from_host(&stream, &[Message { a: 4, b: 0, c: 0, d: 0 }]).unwrap();
            let flag = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap().cast_elem::<AtomicU32>();
            module.receive(&stream, two, message.cu_deviceptr() as *mut Message, &flag, result.cu_deviceptr() as *mut u32).unwrap();
            assert_eq!(result.to_host_vec(&stream).unwrap(), [13]);
        }

        let flags = DeviceBuffer::from_host(&stream, &[0u32, 1]).unwrap();
        module.wait(&stream, two, &flags, result.cu_deviceptr() as *mut u32).unwrap();
        assert_eq!(result.to_host_vec(&stream).unwrap(), [42]);

        let mut o = DeviceBuffer::<u32>::zeroed(&stream, 1).unwrap();
        module.look_up(&stream, one, 2, &mut o).unwrap();
        assert_eq!(o.to_host_vec(&stream).unwrap(), [7]);
    }
    println!("SUCCESS");
}
