// A helper has no launch of its own.
use cuda_device::thread;

fn index() -> usize {
    thread::index_1d().get()
}

fn main() {}
