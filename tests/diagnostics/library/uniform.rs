// A value is `Uniform` where all threads are known to have it alike, or where the author vouches for it.

use cuda_device::{Uniform, kernel, thread, uniform};

#[kernel]
pub fn of_one_thread() {
    uniform::block_dim_x().wrapping_add(thread::threadIdx_x());
}

#[kernel]
pub fn without_unsafe() {
    Uniform::new_unchecked(thread::threadIdx_x());
}

#[kernel]
pub fn by_hand() {
    let _ = Uniform::<u32>::from(thread::threadIdx_x());
}

#[kernel]
pub fn operator(count: Uniform<u32>) {
    let _ = count + uniform::grid_dim_x();
}

#[kernel]
pub fn as_a_number(count: Uniform<u32>) {
    for _ in 0..count {}
}

fn main() {}
// ---- out
// error[E0308]: mismatched types
//  --> uniform.rs:7:41
//   |
// 7 |     uniform::block_dim_x().wrapping_add(thread::threadIdx_x());
//   |                            ------------ ^^^^^^^^^^^^^^^^^^^^^ expected `Uniform<u32>`, found `u32`
//   |                            |
//   |                            arguments to this method are incorrect
//   |
//   = note: expected struct `Uniform<u32>`
//                found type `u32`
// note: method defined here
//  --> crates/cuda-device/src/uniform.rs
//
// error[E0308]: mismatched types
//   --> uniform.rs:17:34
//    |
// 17 |     let _ = Uniform::<u32>::from(thread::threadIdx_x());
//    |             -------------------- ^^^^^^^^^^^^^^^^^^^^^ expected `Uniform<u32>`, found `u32`
//    |             |
//    |             arguments to this function are incorrect
//    |
//    = note: expected struct `Uniform<u32>`
//                 found type `u32`
// note: associated function defined here
//   --> RUST/library/core/src/convert/mod.rs
//
// error[E0369]: cannot add `Uniform<u32>` to `Uniform<u32>`
//   --> uniform.rs:22:19
//    |
// 22 |     let _ = count + uniform::grid_dim_x();
//    |             ----- ^ --------------------- Uniform<u32>
//    |             |
//    |             Uniform<u32>
//    |
// note: `Uniform<u32>` does not implement `Add`
//   --> crates/cuda-device/src/uniform.rs
//
// error[E0308]: mismatched types
//   --> uniform.rs:27:17
//    |
// 27 |     for _ in 0..count {}
//    |                 ^^^^^ expected integer, found `Uniform<u32>`
//    |
//    = note: expected type `{integer}`
//             found struct `Uniform<u32>`
//
// error[E0133]: call to unsafe function `Uniform::<T>::new_unchecked` is unsafe and requires unsafe block
//   --> uniform.rs:12:5
//    |
// 12 |     Uniform::new_unchecked(thread::threadIdx_x());
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ call to unsafe function
//    |
//    = note: consult the function's documentation for information on how to avoid undefined behavior
//
// Some errors have detailed explanations: E0133, E0308, E0369.
// For more information about an error, try `rustc --explain E0133`.
