//! The GPU's operations as raw functions: those of `cuda_device`, without what makes them convenient or safe.
//!
//! ```
//! use cuda_intrinsics::{sreg, warp};
//!
//! fn everyone_before() -> u32 {
//!     // SAFETY: all lanes of the warp are here.
//!     unsafe { warp::shuffle_up_sync(!0, sreg::lane_id(), 1) }
//! }
//! # let _ = everyone_before as fn() -> u32;
//! ```
//!
//! What the lanes of a warp, the threads of a block or more of them do together is unsafe here: they all call it, each in the same place.
//! A raw function stands for an instruction: it is called by its name, and neither made a pointer nor passed as a closure. On the host it
//! panics. `cuda_device` says what each does, and which targets have it.

#![no_std]

/// Declares intrinsics: functions that the compiler knows by their path and that panic on the host.
///
/// They are never inlined, so that a call in MIR still names its operation. A family with one signature is
/// `fn(a: f32) -> f32: rcp_rn_f32 sqrt_rn_f32;`.
macro_rules! intrinsics {
    ($(#[doc = $doc:literal] fn $arguments:tt $(-> $output:ty)?: $($name:ident)+;)+) => {$(
        intrinsics! { @family $doc $arguments [$(-> $output)?] $($name)+ }
    )+};
    (@family $doc:literal $arguments:tt $output:tt $($name:ident)+) => {
        $(intrinsics! { @one [#[doc = $doc]] [] $name $arguments $output })+
    };
    (#[doc = $doc:literal] fn $name:ident $arguments:tt $(-> $output:ty)?; $($rest:tt)*) => {
        intrinsics! { @one [#[doc = $doc]] [] $name $arguments [$(-> $output)?] }
        intrinsics! { $($rest)* }
    };
    (#[doc = $doc:literal] unsafe fn $name:ident $arguments:tt $(-> $output:ty)?; $($rest:tt)*) => {
        intrinsics! {
            @one
            [#[doc = $doc]
            #[doc = "\n# Safety\n"]
            #[doc = "What takes more than one thread, all of these call, in one place. Addresses are those that `cuda_device` asks for."]]
            [unsafe] $name $arguments [$(-> $output)?]
        }
        intrinsics! { $($rest)* }
    };
    (@one [$($doc:tt)*] [$($unsafety:tt)?] $name:ident($($argument:ident: $type:ty),*) [$(-> $output:ty)?]) => {
        $($doc)*
        #[inline(never)]
        pub $($unsafety)? fn $name($($argument: $type),*) $(-> $output)? {
            let _ = ($($argument,)*);
            panic!(concat!(module_path!(), "::", stringify!($name), " is an instruction of the GPU: it runs only in a kernel"))
        }
    };
    () => {};
}

#[doc(hidden)]
pub mod abi_v1;

pub use abi_v1::*;
