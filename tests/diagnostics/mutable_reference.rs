// Every thread would hold the same `&mut`; behind an alias the macro does not see it.

use cuda_device::kernel;

type Cell<'a> = &'a mut u32;

#[kernel]
pub fn shares(cell: Cell) {
    *cell += 1;
}

fn main() {}
// ---- out
// error: a kernel parameter of type `&mut u32` would be shared by every thread [OX201]
//  --> mutable_reference.rs:8:15
//   |
// 8 | pub fn shares(cell: Cell) {
//   |               ^^^^
//   |
//   = help: pass a slice, a `DisjointSlice` or a raw pointer
