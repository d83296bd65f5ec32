// Loops are unrolled as asked, and no others: five reads, four of a range with its end, three before a break, four of a factor and one for what is left, one.
// count 17: ld.volatile.global.b32
// never: oxide.loop

use cuda_device::kernel;

#[kernel]
pub unsafe fn whole(a: *const u32, out: *mut u32) {
    let mut sum = 0;
    #[unroll]
    for i in 0..5usize {
        sum += unsafe { a.add(i).read_volatile() };
    }
    unsafe { *out = sum }
}

#[kernel]
pub unsafe fn inclusive(a: *const u32, out: *mut u32) {
    let mut sum = 0;
    #[unroll]
    for i in 0..=3usize {
        sum += unsafe { a.add(i).read_volatile() };
    }
    unsafe { *out = sum }
}

#[kernel]
pub unsafe fn broken_off(a: *const u32, out: *mut u32) {
    let mut i = 0;
    #[unroll]
    while i <= 2 {
        if unsafe { a.add(i).read_volatile() } == 7 {
            break;
        }
        i += 1;
    }
    unsafe { *out = i as u32 }
}

#[kernel]
pub unsafe fn in_part(a: *const u32, n: u32, out: *mut u32) {
    let mut sum = 0;
    #[unroll(4)]
    for i in 0..n {
        sum += unsafe { a.add(i as usize).read_volatile() };
    }
    unsafe { *out = sum }
}

fn main() {}
