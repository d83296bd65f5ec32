//! Assembly that crates write for the host and that means the same on the device; feature detection finds nothing there.

use std::arch::{asm, x86_64::__cpuid};

use cuda_core::{CudaContext, DeviceBuffer, DeviceCopy, LaunchConfig};
use cuda_device::{cuda_module, kernel};

#[derive(Clone, Copy, Debug, DeviceCopy, PartialEq)]
struct Found {
    roots: (f32, f64),
    divided: (u64, u64),
    chosen: [u32; 4],
    hidden: u64,
}

fn roots(mut a: f32, mut b: f64) -> (f32, f64) {
    // SAFETY: every x86-64 has SSE2.
    unsafe {
        asm!("sqrtss {x}, {x}", x = inout(xmm_reg) a, options(nostack, nomem, pure));
        asm!("sqrtsd {x}, {x}", x = inout(xmm_reg) b, options(nostack, nomem, pure));
    }
    (a, b)
}

fn divided(high: u64, low: u64, divisor: u64) -> (u64, u64) {
    let (quotient, rest);
    // SAFETY: the quotient fits, since `high` is less than the divisor.
    unsafe { asm!("div {d}", d = in(reg) divisor, inout("rax") low => quotient, inout("rdx") high => rest, options(pure, nomem, nostack)) };
    (quotient, rest)
}

fn chosen(condition: u8, mut a: u32, b: u32) -> [u32; 2] {
    let mut other = a;
    // SAFETY: it changes the operands only.
    unsafe {
        asm!("test {0}, {0}", "cmovnz {1:e}, {2:e}", in(reg_byte) condition, inlateout(reg) a, in(reg) b, options(pure, nomem, nostack));
        asm!("test {0}, {0}", "cmovz {1:e}, {2:e}", in(reg_byte) condition, inlateout(reg) other, in(reg) b, options(pure, nomem, nostack));
    }
    [a, other]
}

fn hidden(mut a: u64) -> u64 {
    // SAFETY: it does nothing.
    unsafe { asm!("/* {0} */", inout(reg) a, options(nomem, nostack, preserves_flags)) };
    a
}

fn find(a: f32, b: u64) -> Found {
    let [first, second] = [chosen(0, 1, 2), chosen(b as u8, 3, 4)];
    Found {
        roots: roots(a, f64::from(a) * 3.0),
        divided: divided(b % 1000, b.rotate_left(7), 1000),
        chosen: [first[0], first[1], second[0], second[1]],
        hidden: hidden(b),
    }
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn finds(a: f32, b: u64, found: *mut Found, features: *mut u32) {
        // SAFETY: one thread, and memory for both.
        unsafe {
            *found = find(a, b);
            *features = __cpuid(1).edx | __cpuid(0).eax;
        }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let found = DeviceBuffer::<Found>::zeroed(&stream, 1).unwrap();
    let features = DeviceBuffer::from_host(&stream, &[7u32]).unwrap();
    let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    for (a, b) in [(2.0, 3), (0.1, u64::MAX), (1e-42, 1 << 40), (f32::INFINITY, 999)] {
        let (found_at, features_at) = (found.cu_deviceptr() as *mut Found, features.cu_deviceptr() as *mut u32);
        // SAFETY: memory for one of each.
        unsafe { module.finds(&stream, one, a, b, found_at, features_at) }.unwrap();
        assert_eq!(found.to_host_vec(&stream).unwrap(), [find(a, b)]);
        assert_eq!(features.to_host_vec(&stream).unwrap(), [0]);
    }
    println!("SUCCESS: 4 inputs");
}
