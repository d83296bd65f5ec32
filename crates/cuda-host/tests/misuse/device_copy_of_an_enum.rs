// Not all of its bytes are values of it.
use cuda_core::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
enum Side {
    Left,
    Right,
}

fn main() {}
