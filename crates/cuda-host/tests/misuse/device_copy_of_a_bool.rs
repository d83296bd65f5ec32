// Not all bytes are values of a `bool`.
use cuda_core::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
struct Flagged {
    value: f32,
    flag: bool,
}

fn main() {}
