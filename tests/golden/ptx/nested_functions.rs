// A function inside a kernel is none, and one of the user's own that is called like a library's is the user's.
// count 1: .entry
// want: 1109917696

use cuda_device::kernel;

mod libm {
    #[unsafe(no_mangle)]
    pub extern "C" fn expf(_: f32) -> f32 {
        42.0
    }
}

#[kernel]
pub unsafe fn outer(out: *mut f32, a: f32) {
    fn pick<T: Copy>(from: T) -> T {
        from
    }
    unsafe { *out = pick(libm::expf(a)) }
}

fn main() {}
