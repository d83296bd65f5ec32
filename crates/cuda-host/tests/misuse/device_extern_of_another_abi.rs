// Device functions have the calling convention of C.
use cuda_device::device;

#[device]
unsafe extern "system" {
    fn external(a: u32) -> u32;
}

fn main() {}
