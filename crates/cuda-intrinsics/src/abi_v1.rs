//! The first version of the intrinsics' paths. What a path means never changes in it; new ones may come.
//!
//! Each module declares the operations that `cuda_device` has in its module of that name, from the same list.

include!("../../cuda-device/src/operations/grammar.rs");

/// Declares an intrinsic, or makes a special register available in the module of `cuda_device` too.
macro_rules! declare {
    ($doc:tt $hidden:tt [register] $name:ident [] $($rest:tt)*) => {
        pub use super::sreg::$name;
    };
    ($doc:tt $hidden:tt [register] $name:ident [$raw:ident] $($rest:tt)*) => {
        pub use super::sreg::$raw;
    };
    ([$($doc:tt)*] $hidden:tt [] $name:ident [] $($rest:tt)*) => {
        function! { [$($doc)*] [] $name $($rest)* }
    };
    ([$($doc:tt)*] $hidden:tt [unsafe] $name:ident [] $($rest:tt)*) => {
        function! { [$($doc)*] [unsafe] $name $($rest)* }
    };
    ([$($doc:tt)*] $hidden:tt [convergent] $name:ident [] $($rest:tt)*) => {
        function! {
            [$($doc)*
            #[doc = "\n# Safety\n"]
            #[doc = "All threads that take part call it, in one place."]]
            [unsafe] $name $($rest)*
        }
    };
}

/// Declares a function that panics on the host. It is never inlined, so that a call in MIR still names its operation.
macro_rules! function {
    ([$($doc:tt)*] [$($unsafety:tt)?] $name:ident ($($argument:ident: $type:ty),*) [$(-> $output:ty)?]) => {
        $($doc)*
        #[inline(never)]
        pub $($unsafety)? fn $name($($argument: $type),*) $(-> $output)? {
            let _ = ($($argument,)*);
            panic!(concat!(module_path!(), "::", stringify!($name), " is an instruction of the GPU: it runs only in a kernel"))
        }
    };
}

macro_rules! modules {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub mod $name {
            #[allow(unused_imports, reason = "where operations take one")]
            use super::Barrier;

            include!(concat!("../../cuda-device/src/operations/", stringify!($name), ".rs"));
        }
    )*};
}

/// An mbarrier, 64 bits in shared memory.
pub type Barrier = u64;

/// Special registers.
pub mod sreg {
    /// Declares a special register, and nothing for other operations.
    macro_rules! declare {
        ([$($doc:tt)*] $hidden:tt [register] $name:ident [] $($rest:tt)*) => {
            function! { [$($doc)*] [] $name $($rest)* }
        };
        ([$($doc:tt)*] $hidden:tt [register] $name:ident [$raw:ident] $($rest:tt)*) => {
            function! { [$($doc)*] [] $raw $($rest)* }
        };
        ($($other:tt)*) => {};
    }

    include!("../../cuda-device/src/operations/cluster.rs");
    include!("../../cuda-device/src/operations/debug.rs");
    include!("../../cuda-device/src/operations/grid.rs");
    include!("../../cuda-device/src/operations/shared.rs");
    include!("../../cuda-device/src/operations/thread.rs");
    include!("../../cuda-device/src/operations/warp.rs");
}

modules! {
    /// What the threads of a block do together.
    thread;
    /// What the lanes of a warp do together.
    warp;
    /// Barriers of a block, by number and in shared memory.
    barrier;
    /// What the blocks of a cluster do together.
    cluster;
    /// What all blocks of a grid do together.
    grid;
    /// Fences.
    fence;
    /// Copies from global into shared memory that run beside the threads.
    async_copy;
    /// Addresses in shared memory.
    shared;
    /// Atomic additions of packed halves in global memory.
    atomic;
    /// Arithmetic whose rounding is chosen, and approximations.
    float;
    /// Numbers of half precision, as their bits.
    f16;
    /// Pairs of half precision, the first in the low half.
    f16x2;
    /// Numbers of bfloat16, as their bits.
    bf16;
    /// Pairs of bfloat16, the first in the low half.
    bf16x2;
    /// Dot products of packed integers.
    dotprod;
    /// Bytes of two words in another order.
    prmt;
    /// Breakpoints and counters for tools.
    debug;
}
