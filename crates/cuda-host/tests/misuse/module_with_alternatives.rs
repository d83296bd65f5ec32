// Which of them is there, the macro cannot know.
use cuda_device::{cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[cfg(debug_assertions)]
    #[kernel]
    fn fill() {}

    #[cfg(not(debug_assertions))]
    #[kernel]
    fn fill() {}
}

fn main() {}
