// A kernel is a function with a body.
use cuda_device::kernel;

trait Kernels {
    #[kernel]
    fn fill();
}

fn main() {}
