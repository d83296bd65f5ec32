// What allocates is one error a function, at the line that asks for memory.

use cuda_device::kernel;
use std::collections::HashMap;
use std::rc::Rc;
#[kernel]
pub unsafe fn a(out: *mut u32, n: usize) {
    let v: Vec<u32> = (0..n as u32).collect();
    unsafe { *out = v[0] }
}
#[kernel]
pub unsafe fn b(out: *mut u32, n: u32) {
    let mut s = String::new();
    s.push('a');
    let t = format!("{n}");
    unsafe { *out = (s.len() + t.len()) as u32 }
}
#[kernel]
pub unsafe fn c(out: *mut u32, n: u32) {
    let mut m = HashMap::new();
    m.insert(n, n);
    unsafe { *out = m[&n] }
}
#[kernel]
pub unsafe fn d(out: *mut u32, n: u32) {
    let m = Rc::new(n);
    unsafe { *out = *m }
}
#[kernel]
pub unsafe fn e(out: *mut u32, n: u32) {
    let m: Box<dyn Fn(u32) -> u32> = Box::new(move |x| x + n);
    unsafe { *out = m(n) }
}
#[kernel]
pub unsafe fn g(out: *mut u32, n: u32) {
    let mut m = Vec::new();
    for i in 0..n {
        m.push(i);
    }
    unsafe { *out = m.iter().sum() }
}
#[kernel]
pub unsafe fn h(out: *mut u32, n: u32) {
    let mut m = std::collections::BTreeMap::new();
    m.insert(n, n);
    unsafe { *out = m[&n] }
}
fn main() {}
// ---- out
// error: heap allocation is not available in kernels: `std::iter::Iterator::collect` allocates [OX101]
//  --> heap_collections.rs:8:37
//   |
// 8 |     let v: Vec<u32> = (0..n as u32).collect();
//   |                                     ^^^^^^^^^
//   |
//   = note: inside the library, through `<std::vec::Vec<u32> as std::vec::spec_from_iter_nested::SpecFromIterNested<u32, std::ops::Range<u32>>>::from_iter`, `alloc::raw_vec::RawVecInner::with_capacity_in`, `alloc::raw_vec::RawVecInner::try_allocate_in`, `<std::alloc::Global as std::alloc::Allocator>::allocate_zeroed`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//   = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::string::String::push` allocates [OX101]
//   --> heap_collections.rs:14:5
//    |
// 14 |     s.push('a');
//    |     ^^^^^^^^^^^
//    |
//    = note: inside the library, through `std::string::String::push`, `std::vec::Vec::<u8>::reserve`, `alloc::raw_vec::RawVecInner::<A>::reserve::do_reserve_and_handle::<std::alloc::Global>`, `alloc::raw_vec::RawVecInner::grow_amortized`, `alloc::raw_vec::RawVecInner::finish_grow`, `<std::alloc::Global as std::alloc::Allocator>::allocate`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::collections::HashMap::new` allocates [OX101]
//   --> heap_collections.rs:20:17
//    |
// 20 |     let mut m = HashMap::new();
//    |                 ^^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `<{closure@std::hash::RandomState::new::KEYS::{constant#0}::{closure#1}} as std::ops::FnOnce<(std::option::Option<&mut std::option::Option<std::cell::Cell<(u64, u64)>>>,)>>::call_once`, `std::hash::RandomState::new::KEYS::{constant#0}::{closure#1}`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::rc::Rc::new` allocates [OX101]
//   --> heap_collections.rs:26:13
//    |
// 26 |     let m = Rc::new(n);
//    |             ^^^^^^^^^^
//    |
//    = note: inside the library, through `std::boxed::Box::<std::rc::RcInner<u32>>::new`, `std::boxed::box_new_uninit`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::boxed::Box::new` allocates [OX101]
//   --> heap_collections.rs:31:38
//    |
// 31 |     let m: Box<dyn Fn(u32) -> u32> = Box::new(move |x| x + n);
//    |                                      ^^^^^^^^^^^^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `std::boxed::Box::<{closure@heap_collections.rs:31:47: 31:55}>::new`, `std::boxed::box_new_uninit`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::vec::Vec::push` allocates [OX101]
//   --> heap_collections.rs:38:11
//    |
// 38 |         m.push(i);
//    |           ^^^^^^^
//    |
//    = note: inside the library, through `std::vec::Vec::<u32>::push_mut`, `alloc::raw_vec::RawVec::<u32>::grow_one`, `alloc::raw_vec::RawVecInner::grow_amortized`, `alloc::raw_vec::RawVecInner::finish_grow`, `<std::alloc::Global as std::alloc::Allocator>::allocate`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
//
// error: heap allocation is not available in kernels: `std::collections::BTreeMap::insert` allocates [OX101]
//   --> heap_collections.rs:45:5
//    |
// 45 |     m.insert(n, n);
//    |     ^^^^^^^^^^^^^^
//    |
//    = note: inside the library, through `std::collections::BTreeMap::<u32, u32>::insert`, `std::collections::btree_map::VacantEntry::<'_, u32, u32>::insert_entry`, `alloc::collections::btree::node::NodeRef::<alloc::collections::btree::node::marker::Owned, u32, u32, alloc::collections::btree::node::marker::Leaf>::new_leaf::<std::alloc::Global>`, `std::boxed::Box::<alloc::collections::btree::node::LeafNode<u32, u32>>::new_uninit_in`, `std::boxed::Box::<alloc::collections::btree::node::LeafNode<u32, u32>>::try_new_uninit_in`, `<std::alloc::Global as std::alloc::Allocator>::allocate`, `std::alloc::Global::alloc_impl_runtime`, `alloc::alloc::__rust_no_alloc_shim_is_unstable_v2`
//    = help: use an array, a slice parameter or shared memory
