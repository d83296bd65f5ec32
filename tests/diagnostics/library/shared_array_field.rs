// Shared memory is a static: as a field it would have no memory, in a static or not.

use cuda_device::{SharedArray, kernel, thread};

struct Tiles {
    rows: SharedArray<f32, 64>,
}

static mut TILES: Tiles = Tiles { rows: SharedArray::UNINIT };

#[kernel]
pub unsafe fn fills() {
    let tiles = unsafe { &mut *&raw mut TILES };
    tiles.rows[thread::threadIdx_x() as usize] = 1.0;
}

#[kernel]
pub unsafe fn fills_a_local() {
    let mut tiles = Tiles { rows: SharedArray::UNINIT };
    tiles.rows[thread::threadIdx_x() as usize] = 1.0;
}

fn main() {}
// ---- out
// error: a `SharedArray` must be a static [OX301]
//  --> shared_array_field.rs:9:1
//   |
// 9 | static mut TILES: Tiles = Tiles { rows: SharedArray::UNINIT };
//   | ^^^^^^^^^^^^^^^^^^^^^^^
//   |
//   = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
//
// error: a `SharedArray` must be a static [OX301]
//   --> shared_array_field.rs:19:9
//    |
// 19 |     let mut tiles = Tiles { rows: SharedArray::UNINIT };
//    |         ^^^^^^^^^
//    |
//    = help: write `static mut TILE: SharedArray<T, N> = SharedArray::UNINIT;`
