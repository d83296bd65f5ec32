//! What kernels are written with: thread positions, disjoint output slices, shared memory, barriers and warp operations.
//!
//! ```
//! use cuda_device::{DisjointSlice, kernel, thread};
//!
//! #[kernel]
//! pub fn double(input: &[f32], mut output: DisjointSlice<f32>) {
//!     let index = thread::index_1d();
//!     let i = index.get();
//!     if let Some(element) = output.get_mut(index) {
//!         *element = 2.0 * input[i];
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! A device operation is a function that the compiler replaces in kernels. On the host it panics. Everything else is ordinary Rust.

#![no_std]
#![cfg_attr(oxide_f16, feature(f16))]

include!("operations/grammar.rs");

/// Declares an operation: a function that panics on the host. It is never inlined, so that a call in MIR still names its operation.
macro_rules! declare {
    ([$($doc:tt)*] [$($hidden:tt)*] [unsafe] $($rest:tt)*) => {
        declare! { @function [$($doc)* $($hidden)*] [unsafe] $($rest)* }
    };
    ([$($doc:tt)*] [$($hidden:tt)*] [$($kind:ident)?] $($rest:tt)*) => {
        declare! { @function [$($doc)* $($hidden)*] [] $($rest)* }
    };
    (
        @function [$($attribute:tt)*] [$($unsafety:tt)?] $name:ident [$($raw:ident)?]
        ($($argument:ident: $type:ty),*) [$(-> $output:ty)?]
    ) => {
        $($attribute)*
        #[allow(non_snake_case, reason = "special registers have the names of CUDA C++")]
        #[inline(never)]
        pub $($unsafety)? fn $name($($argument: $type),*) $(-> $output)? {
            let _ = ($($argument,)*);
            panic!(concat!(module_path!(), "::", stringify!($name), " is a device operation: it runs only in a kernel"))
        }
    };
}

/// Refuses, while the program is compiled, what does not hold. rustc shows the caller's line instead of the insides of `assert!`.
#[track_caller]
const fn check(holds: bool, otherwise: &'static str) {
    if !holds {
        panic!("{}", otherwise)
    }
}

pub mod access;
pub mod async_copy;
pub mod atomic;
pub mod barrier;
pub mod bf16;
pub mod bf16x2;
pub mod cache;
pub mod cluster;
pub mod config;
pub mod constant;
pub mod cooperative_groups;
pub mod cusimd;
pub mod debug;
pub mod disjoint;
pub mod dotprod;
pub mod external;
pub mod f16;
pub mod f16x2;
pub mod fence;
pub mod float;
pub mod grid;
pub mod kernel;
pub mod mma_frag;
pub mod prmt;
pub mod ptx;
pub mod shared;
pub mod swizzle;
pub mod thread;
pub mod uniform;
pub mod vector;
pub mod view;
pub mod warp;

pub use barrier::{
    Barrier, BarrierToken, GeneralBarrier, Invalidated, ManagedBarrier, MmaBarrier, MmaBarrierHandle, Ready, TmaBarrier, TmaBarrier0,
    TmaBarrier1, TmaBarrierHandle, Uninit,
};
pub use constant::{ConstantMemory, ConstantMemoryValue};
pub use cuda_macros::{
    cluster_launch, constant, convergent, cooperative_launch, cuda_module, device, gpu_assert, gpu_printf, kernel, launch_bounds,
    launch_contract, ptx_asm, pure, readonly,
};
pub use cusimd::{CuSimd, Float2, Float4, TmemRegs4, TmemRegs32};
pub use disjoint::{DisjointSlice, SpaceLayout};
pub use fence::*;
pub use shared::{DynamicSharedArray, SharedArray};
pub use thread::*;
pub use uniform::Uniform;
pub use view::*;
