// A managed barrier is initialised, used and ended in this order.

use cuda_device::{Barrier, GeneralBarrier, ManagedBarrier, Ready, TmaBarrier0, TmaBarrier1, Uninit, kernel};

static mut BARRIER: Barrier = Barrier::UNINIT;

fn first(_: &TmaBarrier0<Ready>) {}

#[kernel]
pub unsafe fn used_before_init() {
    let barrier = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER);
    let _ = barrier.arrive();
}

#[kernel]
pub unsafe fn initialised_twice() {
    let barrier = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER);
    unsafe { barrier.init(1) };
    unsafe { barrier.init(1) };
}

#[kernel]
pub unsafe fn used_after_inval() {
    let barrier = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER);
    let barrier = unsafe { barrier.init(1) };
    let token = barrier.arrive();
    let ended = unsafe { barrier.inval() };
    ended.wait(token);
}

#[kernel]
pub unsafe fn kept_beyond_inval() {
    let barrier = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER);
    let barrier = unsafe { barrier.init(1) };
    let token = barrier.arrive();
    unsafe { barrier.inval() };
    barrier.wait(token);
}

#[kernel]
pub unsafe fn waited_for_a_number() {
    let barrier = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER);
    let barrier = unsafe { barrier.init(1) };
    barrier.wait(0_u64);
}

#[kernel]
pub unsafe fn of_another_number() {
    let barrier = unsafe { TmaBarrier1::<Uninit>::from_static(&raw mut BARRIER).init(1) };
    first(&barrier);
}

#[kernel]
pub fn without_unsafe() {
    ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER).init(1);
}

fn main() {}
// ---- out
// error[E0599]: no method named `arrive` found for struct `ManagedBarrier<Uninit, GeneralBarrier>` in the current scope
//   --> barriers.rs:12:21
//    |
// 12 |     let _ = barrier.arrive();
//    |                     ^^^^^^ method not found in `ManagedBarrier<Uninit, GeneralBarrier>`
//    |
//    = note: the method was found for `ManagedBarrier<cuda_device::Ready, Kind, ID>`
//
// error[E0599]: no method named `wait` found for struct `ManagedBarrier<Invalidated, GeneralBarrier>` in the current scope
//   --> barriers.rs:28:11
//    |
// 28 |     ended.wait(token);
//    |           ^^^^ method not found in `ManagedBarrier<Invalidated, GeneralBarrier>`
//    |
//    = note: the method was found for `ManagedBarrier<cuda_device::Ready, Kind, ID>`
//
// error[E0277]: the trait bound `u64: Borrow<BarrierToken>` is not satisfied
//   --> barriers.rs:44:18
//    |
// 44 |     barrier.wait(0_u64);
//    |             ---- ^^^^^ the trait `Borrow<BarrierToken>` is not implemented for `u64`
//    |             |
//    |             required by a bound introduced by this call
//    |
// note: required by a bound in `ManagedBarrier::<cuda_device::Ready, Kind, ID>::wait`
//   --> crates/cuda-device/src/barrier.rs
//
// error[E0308]: mismatched types
//   --> barriers.rs:50:11
//    |
// 50 |     first(&barrier);
//    |     ----- ^^^^^^^^ expected `0`, found `1`
//    |     |
//    |     arguments to this function are incorrect
//    |
//    = note: expected reference `&ManagedBarrier<_, _, 0>`
//               found reference `&ManagedBarrier<_, _, 1>`
// note: function defined here
//   --> barriers.rs:7:4
//    |
//  7 | fn first(_: &TmaBarrier0<Ready>) {}
//    |    ^^^^^ ----------------------
//
// error[E0382]: use of moved value: `barrier`
//   --> barriers.rs:19:14
//    |
// 17 |     let barrier = ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER);
//    |         ------- move occurs because `barrier` has type `ManagedBarrier<Uninit, GeneralBarrier>`, which does not implement the `Copy` trait
// 18 |     unsafe { barrier.init(1) };
//    |                      ------- `barrier` moved due to this method call
// 19 |     unsafe { barrier.init(1) };
//    |              ^^^^^^^ value used here after move
//    |
// note: `ManagedBarrier::<Uninit, Kind, ID>::init` takes ownership of the receiver `self`, which moves `barrier`
//   --> crates/cuda-device/src/barrier.rs
//
// error[E0382]: borrow of moved value: `barrier`
//   --> barriers.rs:37:5
//    |
// 34 |     let barrier = unsafe { barrier.init(1) };
//    |         ------- move occurs because `barrier` has type `ManagedBarrier<cuda_device::Ready, GeneralBarrier>`, which does not implement the `Copy` trait
// 35 |     let token = barrier.arrive();
// 36 |     unsafe { barrier.inval() };
//    |                      ------- `barrier` moved due to this method call
// 37 |     barrier.wait(token);
//    |     ^^^^^^^ value borrowed here after move
//    |
// note: `ManagedBarrier::<cuda_device::Ready, Kind, ID>::inval` takes ownership of the receiver `self`, which moves `barrier`
//   --> crates/cuda-device/src/barrier.rs
//
// error[E0133]: call to unsafe function `ManagedBarrier::<Uninit, Kind, ID>::init` is unsafe and requires unsafe block
//   --> barriers.rs:55:5
//    |
// 55 |     ManagedBarrier::<Uninit, GeneralBarrier>::from_static(&raw mut BARRIER).init(1);
//    |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ call to unsafe function
//    |
//    = note: consult the function's documentation for information on how to avoid undefined behavior
//
// Some errors have detailed explanations: E0133, E0277, E0308, E0382, E0599.
// For more information about an error, try `rustc --explain E0133`.
