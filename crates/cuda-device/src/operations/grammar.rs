/// Declares a list of operations, functions that the compiler knows by their paths, each by the including crate's `declare!`.
///
/// ```text
/// operations! {
///     /// Documentation, of both crates.
///     fn prmt(a: u32, b: u32, selector: u32) -> u32;
///     /// Unsafe in `cuda_intrinsics` only: the lanes of a warp, or more threads, take part together.
///     convergent fn sync_threads();
///     /// A special register: in `cuda_intrinsics` in the module `sreg`, by the name after `as` if there is one.
///     register fn threadIdx_x() -> u32 as thread_idx_x;
///     /// Hidden in the documentation of `cuda_device`, where other functions call it.
///     #[doc(hidden)]
///     unsafe fn arrive_expect_tx(bar: *const Barrier, bytes: u32) -> u64;
///     /// Several with one signature and one documentation.
///     fn(a: f32) -> f32: rcp_rn_f32 sqrt_rn_f32;
/// }
/// ```
///
/// A declaration is `declare! { [documentation] [hidden] [kind] name [as] arguments [-> output] }`.
macro_rules! operations {
    () => {};
    ($(#[doc = $doc:literal])* $(#[doc($hidden:ident)])? fn $($rest:tt)*) => {
        operations! { @fn [$(#[doc = $doc])*] [$(#[doc($hidden)])?] [] $($rest)* }
    };
    ($(#[doc = $doc:literal])* $(#[doc($hidden:ident)])? unsafe fn $($rest:tt)*) => {
        operations! { @fn [$(#[doc = $doc])*] [$(#[doc($hidden)])?] [unsafe] $($rest)* }
    };
    ($(#[doc = $doc:literal])* $(#[doc($hidden:ident)])? convergent fn $($rest:tt)*) => {
        operations! { @fn [$(#[doc = $doc])*] [$(#[doc($hidden)])?] [convergent] $($rest)* }
    };
    ($(#[doc = $doc:literal])* $(#[doc($hidden:ident)])? register fn $($rest:tt)*) => {
        operations! { @fn [$(#[doc = $doc])*] [$(#[doc($hidden)])?] [register] $($rest)* }
    };
    (@fn $doc:tt $hidden:tt $kind:tt $name:ident $arguments:tt $(-> $output:ty)?; $($rest:tt)*) => {
        declare! { $doc $hidden $kind $name [] $arguments [$(-> $output)?] }
        operations! { $($rest)* }
    };
    (@fn $doc:tt $hidden:tt $kind:tt $name:ident $arguments:tt -> $output:ty as $raw:ident; $($rest:tt)*) => {
        declare! { $doc $hidden $kind $name [$raw] $arguments [-> $output] }
        operations! { $($rest)* }
    };
    (@fn $doc:tt $hidden:tt $kind:tt $arguments:tt $(-> $output:ty)?: $($name:ident)+; $($rest:tt)*) => {
        operations! { @family $doc $hidden $kind $arguments [$(-> $output)?] $($name)+ }
        operations! { $($rest)* }
    };
    (@family $doc:tt $hidden:tt $kind:tt $arguments:tt $output:tt $($name:ident)+) => {
        $(declare! { $doc $hidden $kind $name [] $arguments $output })+
    };
}
