// An index is used up by the access that it is for: a second one of it would lend an element twice.

use cuda_device::{DisjointSlice, kernel, launch_contract, thread, view::LinearTiles};

#[kernel]
pub fn used_twice(mut a: DisjointSlice<u32>, mut b: DisjointSlice<u32>) {
    let index = thread::index_1d();
    a.get_mut(index);
    b.get_mut(index);
}

#[kernel]
pub fn cloned(mut a: DisjointSlice<u32>) {
    let index = thread::index_1d();
    a.get_mut(index.clone());
}

#[kernel]
pub fn copied(mut a: DisjointSlice<u32>) {
    let index = &thread::index_1d();
    a.get_mut(*index);
}

#[kernel]
pub fn in_a_loop(mut a: DisjointSlice<u32>) {
    let index = thread::index_1d();
    for _ in 0..2 {
        a.get_mut(index);
    }
}

#[kernel(launch_context = launch)]
#[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
pub fn tile_twice(mut a: DisjointSlice<f32, LinearTiles<4>>, mut b: DisjointSlice<f32, LinearTiles<4>>) {
    let index = thread::index_1d_u32(launch);
    a.tile_thread32(index);
    b.tile_thread32(index);
}

fn main() {}
// ---- out
// error[E0599]: no method named `clone` found for struct `ThreadIndex<'kernel, Space>` in the current scope
//   --> witness_used_twice.rs:15:21
//    |
// 15 |     a.get_mut(index.clone());
//    |                     ^^^^^ method not found in `ThreadIndex<'_>`
//
// error[E0382]: use of moved value: `index`
//  --> witness_used_twice.rs:9:15
//   |
// 7 |     let index = thread::index_1d();
//   |         ----- move occurs because `index` has type `ThreadIndex<'_>`, which does not implement the `Copy` trait
// 8 |     a.get_mut(index);
//   |               ----- value moved here
// 9 |     b.get_mut(index);
//   |               ^^^^^ value used here after move
//
// error[E0507]: cannot move out of `*index` which is behind a shared reference
//   --> witness_used_twice.rs:21:15
//    |
// 21 |     a.get_mut(*index);
//    |               ^^^^^^ move occurs because `*index` has type `ThreadIndex<'_>`, which does not implement the `Copy` trait
//
// error[E0382]: use of moved value: `index`
//   --> witness_used_twice.rs:28:19
//    |
// 26 |     let index = thread::index_1d();
//    |         ----- move occurs because `index` has type `ThreadIndex<'_>`, which does not implement the `Copy` trait
// 27 |     for _ in 0..2 {
//    |     ------------- inside of this loop
// 28 |         a.get_mut(index);
//    |                   ^^^^^ value moved here, in previous iteration of loop
//
// error[E0382]: use of moved value: `index`
//   --> witness_used_twice.rs:37:21
//    |
// 35 |     let index = thread::index_1d_u32(launch);
//    |         ----- move occurs because `index` has type `ThreadIndex32<'_>`, which does not implement the `Copy` trait
// 36 |     a.tile_thread32(index);
//    |                     ----- value moved here
// 37 |     b.tile_thread32(index);
//    |                     ^^^^^ value used here after move
//
// Some errors have detailed explanations: E0382, E0507, E0599.
// For more information about an error, try `rustc --explain E0382`.
