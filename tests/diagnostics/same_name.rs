// A PTX has no modules: two kernels of one name cannot be told apart.

use cuda_device::kernel;

mod other {
    use cuda_device::kernel;

    #[kernel]
    pub fn twice(a: u32) {
        let _ = a;
    }
}

#[kernel]
pub fn twice(a: u32) {
    let _ = a;
}

fn main() {}
// ---- out
// error: two kernels are named `twice` [OX205]
//   --> same_name.rs:15:8
//    |
// 15 | pub fn twice(a: u32) {
//    |        ^^^^^
//    |
//    = help: rename one: names in PTX are global
