// Names that the user chooses: PTX need not be able to spell them, a static may be called as a kernel is, and nothing is taken for what it is not.
// count 1: .entry
// want: .visible .entry scale(
// want: .global .align 4 .b8 seen_by_the_host[
// want: .func  (.param .b32 func_retval0) sinf$(
// never: .global .align 4 .b8 WARP_SZ[
// never: some.thing
// never: ö

use cuda_device::kernel;

mod tables {
    #[unsafe(no_mangle)]
    pub static mut seen_by_the_host: [u32; 3] = [1, 2, 3];
    #[unsafe(no_mangle)]
    pub static mut scale: [u32; 3] = [1, 2, 3];
    #[unsafe(no_mangle)]
    pub static mut WARP_SZ: [u32; 3] = [4, 5, 6];
    #[unsafe(export_name = "some.thing of <a>")]
    pub static mut FIRST: [u32; 3] = [7, 8, 9];
    #[unsafe(export_name = "some.thing_of <a>")]
    pub static mut SECOND: [u32; 3] = [10, 11, 12];
}

mod functions {
    #[unsafe(no_mangle)]
    #[inline(never)]
    pub fn sinf(a: u32) -> u32 {
        a ^ 1
    }

    #[unsafe(export_name = "some.thing")]
    #[inline(never)]
    pub fn first(a: u32) -> u32 {
        a ^ 2
    }

    #[unsafe(export_name = "some-thing")]
    #[inline(never)]
    pub fn second(a: u32) -> u32 {
        a ^ 4
    }

    #[inline(never)]
    pub fn größe(a: u32) -> u32 {
        a ^ 8
    }
}

#[kernel]
pub unsafe fn scale(out: *mut u32, i: usize) {
    use functions::*;
    // SAFETY: `out` is the caller's, and nothing else uses the tables.
    unsafe {
        let tables = [tables::seen_by_the_host, tables::scale, tables::WARP_SZ, tables::FIRST, tables::SECOND];
        *out = größe(second(first(sinf(tables[i][i % 3]))));
        tables::seen_by_the_host[0] = 5;
        tables::scale[0] = 5;
        tables::WARP_SZ[0] = 5;
        tables::FIRST[0] = 5;
        tables::SECOND[0] = 5;
    }
}

fn main() {}
