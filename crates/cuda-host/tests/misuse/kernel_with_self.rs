// A kernel belongs to no type.
use cuda_device::kernel;

struct S;

impl S {
    #[kernel]
    fn fill(&self) {}
}

fn main() {}
