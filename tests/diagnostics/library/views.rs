// A view proves where its elements lie: by its length, its space, and by being the only one.

use cuda_device::{
    DisjointSlice, kernel, launch_contract, thread,
    view::{LinearTiles, LocalIndex32, RowMajorTiles, StaticView32, StaticViewMut32},
};

fn index_of_another_length(view: StaticView32<u32, 4>) {
    view.at(LocalIndex32::<8>::constant::<2>()).read();
}

fn index_of_no_length(view: StaticView32<u32, 4>) {
    view.at(2).read();
}

fn two_at_once(mut view: StaticViewMut32<u32, 4>) {
    let (first, second) = (view.at_const::<0>(), view.at_const::<0>());
    first.write(second.read());
}

#[kernel(launch_context = launch)]
#[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
pub fn tile_of_elements(mut elements: DisjointSlice<f32>) {
    elements.tile_thread32(thread::index_1d_u32(launch));
}

#[kernel(launch_context = launch)]
#[launch_contract(domain = 1, coordinates = u32, block = (128, 1, 1))]
pub fn element_of_tiles(mut tiles: DisjointSlice<f32, LinearTiles<4>>) {
    tiles.get_mut(thread::index_1d());
}

#[kernel(launch_context = launch)]
#[launch_contract(domain = 2, coordinates = u32, block = (16, 16, 1))]
pub fn index_of_another_rank(mut tiles: DisjointSlice<f32, RowMajorTiles<2, 2, 64>>) {
    tiles.tile_2d32(thread::coord_2d_u32(launch));
    tiles.tile_2d32(thread::index_1d());
}

fn main() {}
// ---- out
// error[E0308]: mismatched types
//  --> views.rs:9:13
//   |
// 9 |     view.at(LocalIndex32::<8>::constant::<2>()).read();
//   |          -- ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected `4`, found `8`
//   |          |
//   |          arguments to this method are incorrect
//   |
//   = note: expected struct `LocalIndex32<4>`
//              found struct `LocalIndex32<8>`
// note: method defined here
//  --> crates/cuda-device/src/view/runs.rs
//
// error[E0308]: mismatched types
//   --> views.rs:13:13
//    |
// 13 |     view.at(2).read();
//    |          -- ^ expected `LocalIndex32<4>`, found integer
//    |          |
//    |          arguments to this method are incorrect
//    |
//    = note: expected struct `LocalIndex32<4>`
//                 found type `{integer}`
// note: method defined here
//   --> crates/cuda-device/src/view/runs.rs
//
// error[E0599]: no method named `tile_thread32` found for struct `DisjointSlice<'_, f32>` in the current scope
//   --> views.rs:24:14
//    |
// 24 |     elements.tile_thread32(thread::index_1d_u32(launch));
//    |              ^^^^^^^^^^^^^ method not found in `DisjointSlice<'_, f32>`
//    |
//    = note: the method was found for `DisjointSlice<'_, T, LinearTiles<N>>`
//
// error[E0599]: the method `get_mut` exists for struct `DisjointSlice<'_, f32, LinearTiles<4>>`, but its trait bounds were not satisfied
//   --> views.rs:30:11
//    |
// 30 |     tiles.get_mut(thread::index_1d());
//    |           ^^^^^^^ method cannot be called on `DisjointSlice<'_, f32, LinearTiles<4>>` due to unsatisfied trait bounds
//    |
//   ::: crates/cuda-device/src/view.rs
//    = note: the following trait bounds were not satisfied:
//            `LinearTiles<4>: FlatIndexSpace`
//
// error[E0308]: mismatched types
//   --> views.rs:37:21
//    |
// 37 |     tiles.tile_2d32(thread::index_1d());
//    |           --------- ^^^^^^^^^^^^^^^^^^ expected `ThreadCoord2D32<'_>`, found `ThreadIndex<'_>`
//    |           |
//    |           arguments to this method are incorrect
//    |
//    = note: expected struct `ThreadCoord2D32<'_>`
//               found struct `ThreadIndex<'_>`
// note: method defined here
//   --> crates/cuda-device/src/view/tiles.rs
//
// error[E0499]: cannot borrow `view` as mutable more than once at a time
//   --> views.rs:17:50
//    |
// 17 |     let (first, second) = (view.at_const::<0>(), view.at_const::<0>());
//    |                           -----------------------^^^^-----------------
//    |                           ||                     |
//    |                           ||                     second mutable borrow occurs here
//    |                           |first mutable borrow occurs here
//    |                           first borrow later used here
//    |
// help: try adding a local storing this...
//   --> views.rs:17:50
//    |
// 17 |     let (first, second) = (view.at_const::<0>(), view.at_const::<0>());
//    |                                                  ^^^^^^^^^^^^^^^^^^^^
// help: ...and then using that local here
//   --> views.rs:17:27
//    |
// 17 |     let (first, second) = (view.at_const::<0>(), view.at_const::<0>());
//    |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//
// Some errors have detailed explanations: E0308, E0499, E0599.
// For more information about an error, try `rustc --explain E0308`.
