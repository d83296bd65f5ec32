//! The attributes that mark kernels and write their launchers.
//!
//! Programs reach them through `cuda_device`, `cuda_host` and `cuda_core`.

mod assembly;
mod body;
mod constant;
mod contract;
mod cuda_launch;
mod device_copy;
mod external;
mod fragment;
mod instances;
mod kernel;
mod launch;
mod launcher;
mod module;
mod printing;
mod relation;
mod signature;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;
use proc_macro2::Span;
use quote::quote;
use syn::{DeriveInput, Error, ItemFn, ItemMod, parse_macro_input};

/// The tokens without the invisible groups of what a `macro_rules!` has brought.
fn opened(tokens: TokenStream) -> TokenStream {
    fragment::open(tokens.into()).into()
}

/// Marks a function as a kernel: an entry of the device code, under the function's own name.
///
/// The function stays an ordinary one on the host, where device operations in it panic. In its body the index functions of
/// `cuda_device::thread` are written without their first argument, the scope of the launch.
///
/// ```ignore
/// #[kernel]
/// pub fn double(input: &[f32], mut output: DisjointSlice<f32>) {
///     let index = thread::index_1d();
///     let i = index.get();
///     if let Some(element) = output.get_mut(index) {
///         *element = 2.0 * input[i];
///     }
/// }
/// ```
///
/// `#[kernel(launch_context = name)]` names the scope for the body, and `#[kernel(f32, f64)]` gives a kernel with one type parameter the
/// entries `double_f32` and `double_f64`. `#[kernel(unchecked_indexing)]` takes elements, `a[i]`, without a check of the index where the
/// body opts out itself: an index that is out of bounds is undefined behaviour then, which `--check memory` finds on the CPU device.
/// Ranges, methods and what the body calls keep their checks. Of a generic kernel that is said of its entries: the function that its name
/// calls checks, and takes the scope of its caller as its last argument.
///
/// On a loop in the body, `#[unroll]` makes as many copies as the loop has rounds, `#[unroll(4)]` makes four, each with what it takes to
/// leave the loop early.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (opened(arguments), opened(item));
    match syn::parse::<ItemFn>(item.clone()) {
        Ok(function) => kernel::expand(&arguments.into(), function).into(),
        Err(error) => not_a_function("kernel", &error, item),
    }
}

/// Marks a function that kernels call and that computes thread indices itself.
///
/// Other functions need no mark: whatever a kernel reaches is compiled for the device.
///
/// On `extern "C" { … }` it declares functions that are linked in later, under these names, and makes `pub unsafe fn` of them. They take and
/// return numbers and pointers. `#[convergent]`, `#[pure]` and `#[readonly]` inside are attributes of one.
#[proc_macro_attribute]
pub fn device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (arguments, item) = (opened(arguments), opened(item));
    if let Ok(block) = syn::parse::<syn::ItemForeignMod>(item.clone()) {
        return external::expand(&arguments.into(), block).unwrap_or_else(Error::into_compile_error).into();
    }
    match syn::parse::<ItemFn>(item.clone()) {
        Ok(function) => kernel::expand_device(&arguments.into(), function).into(),
        Err(error) => not_a_function("device", &error, item),
    }
}

/// rustc has parsed the item: it is another one.
fn not_a_function(attribute: &str, error: &Error, item: TokenStream) -> TokenStream {
    with_item(&Error::new(error.span(), format!("`#[{attribute}]` is for a function with a body: {error}")), item)
}

/// The error, and the item as it was, so that nothing else is reported.
fn with_item(error: &Error, item: TokenStream) -> TokenStream {
    let error = error.to_compile_error();
    let item = proc_macro2::TokenStream::from(item);
    quote!(#error #item).into()
}

/// Adds to a module of kernels `LoadedModule`: the module as loaded on a device, with a method that launches each kernel.
#[proc_macro_attribute]
pub fn cuda_module(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = opened(item);
    match syn::parse::<ItemMod>(item.clone()) {
        Ok(module) => module::expand(&arguments.into(), module).into(),
        Err(error) => with_item(&Error::new(error.span(), format!("`#[cuda_module]` is for a module: {error}")), item),
    }
}

/// Implements `cuda_core::DeviceCopy` for a struct or union whose fields all are `DeviceCopy`; type parameters get the bound.
#[proc_macro_derive(DeviceCopy)]
pub fn derive_device_copy(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    device_copy::expand(input).unwrap_or_else(Error::into_compile_error).into()
}

/// The attributes that `#[kernel]` reads.
macro_rules! launch_attributes {
    ($($(#[$about:meta])* $attribute:ident)*) => {$(
        $(#[$about])*
        #[proc_macro_attribute]
        pub fn $attribute(arguments: TokenStream, item: TokenStream) -> TokenStream {
            launch::expand(stringify!($attribute), &opened(arguments).into(), opened(item).into()).into()
        }
    )*};
}

launch_attributes! {
    /// `#[launch_bounds(max)]` or `(max, min_blocks)`, on a kernel: a block has at most `max` threads, and registers are to suffice for
    /// `min_blocks` blocks at once on a multiprocessor (PTX ISA, `.maxntid` and `.minnctapersm`).
    ///
    /// Both are constant expressions of type `u32`, which may be of the kernel's own parameters.
    launch_bounds
    /// `#[cluster_launch(x)]`, `(x, y)` or `(x, y, z)`, on a kernel: blocks are launched in clusters of this shape (PTX ISA,
    /// `.reqnctapercluster`).
    cluster_launch
    /// `#[cooperative_launch]`, on a kernel: all blocks run at once, so that they can wait for each other.
    cooperative_launch
    /// `#[launch_contract(domain = 1, block = (256, 1, 1), …)]`, on a kernel: what all of its launches keep to.
    ///
    /// | key | |
    /// | --- | --- |
    /// | `domain = 1`, `2`, `3` | the axes that a launch has; all other extents are 1 |
    /// | `coordinates = u32` | fewer than 2³² positions along each axis |
    /// | `block = (x, y, z)` | exactly this block (PTX ISA, `.reqntid`); or else `#[launch_bounds]` is needed |
    /// | `dynamic_shared = bytes`, `dynamic_shared_range = (min, max)` | dynamic shared memory; none where neither is there |
    /// | `dynamic_shared_alignment = bytes` | a power of two |
    /// | `min_compute_capability = (major, minor)` | of the device |
    /// | `requires = (a.len() >= n, …)` | comparisons of lengths, unsigned parameters, numbers, `+`, `-` and `*` |
    launch_contract
}

/// `#[constant] static NAME: ConstantMemory<T> = ConstantMemory::UNINIT;` directly in a `#[cuda_module]`: memory that kernels read and the
/// host sets, by `set_name` and `set_name_blocking` of `LoadedModule`.
#[proc_macro_attribute]
pub fn constant(arguments: TokenStream, item: TokenStream) -> TokenStream {
    constant::expand(&arguments.into(), opened(item).into()).into()
}

/// `gpu_printf!("format", arguments…)`: prints from a kernel, as C's `printf` does; its value is the number of arguments, or less than 0
/// where the device's buffer is full.
///
/// The format is Rust's where both agree: `{}`, `{:x}`, `{:#x}`, `{:08.3}`, `{:e}`; flags `-`, `+` and space, `*` for a width or precision
/// that is an argument, and C's letters `c s d i u f g G a A p` are C's. A placeholder has flags, width, precision and letter in this order,
/// each of which may be left out: `{:+12.4E}`.
#[proc_macro]
pub fn gpu_printf(input: TokenStream) -> TokenStream {
    let input = opened(input);
    let input = parse_macro_input!(input as printing::Printf);
    printing::printf(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// `gpu_assert!(condition)` or `gpu_assert!(condition, "message")`: ends the launch where the condition does not hold, and reports to the
/// message with file and line.
#[proc_macro]
pub fn gpu_assert(input: TokenStream) -> TokenStream {
    let input = opened(input);
    printing::assertion(&parse_macro_input!(input as printing::Assertion)).into()
}

/// Inline PTX: `ptx_asm!("template", out("=r") place, inout("+r") place, in("r") value, clobber("memory"), options(register_only))`.
///
/// `%0` and so on are the operands, outputs first; `%%` is a percent sign. The letters are registers of 16 (`h`), 32 (`r`), 64 (`l`) and
/// 128 bits (`q`), `f32` (`f`) and `f64` (`d`), and for inputs a constant (`n`) or a
/// constant byte string (`C`), whose text, up to a NUL if it has one, stands in the place of the operand. It may not be moved, copied or dropped, and all threads of
/// a warp may meet in it; with `register_only` it is a function of its inputs, with `may_diverge` too one that threads run on their own.
#[proc_macro]
pub fn ptx_asm(input: TokenStream) -> TokenStream {
    let input = opened(input);
    let input = parse_macro_input!(input as assembly::Assembly);
    assembly::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

/// `cuda_launch! { kernel: path, stream: stream, module: module, config: config, args: […] }`: queues a kernel of a module that was loaded
/// by hand; a `Result<(), DriverError>`. It stands in `unsafe`, since no types are checked. Fewer arguments than parameters are
/// `CUDA_ERROR_INVALID_VALUE` where the driver knows the parameters, from CUDA 12.4 on.
///
/// `kernel` is a path, of a generic kernel with its arguments: `scale::<f32>`; a closure among the arguments determines the type of `_`.
/// `cluster_dim: (x, y, z)` and `cooperative: true` may be there too; the order is free. Arguments are `slice(buffer)`,
/// `slice_mut(buffer)`, at most one closure, and values, each one parameter.
///
/// # Panics
///
/// Where the module has no such kernel.
#[proc_macro]
pub fn cuda_launch(input: TokenStream) -> TokenStream {
    let input = opened(input);
    parse_macro_input!(input as cuda_launch::Invocation).launch().unwrap_or_else(Error::into_compile_error).into()
}

/// `cuda_launch_async! { kernel: path, module: module, config: config, args: […] }`: [`cuda_launch!`] as an operation, an
/// `AsyncKernelLaunch` that borrows its buffers. It needs `cuda-host` with feature `async`.
///
/// # Panics
///
/// Where the module has no such kernel.
#[proc_macro]
pub fn cuda_launch_async(input: TokenStream) -> TokenStream {
    let input = opened(input);
    parse_macro_input!(input as cuda_launch::Invocation).operation().unwrap_or_else(Error::into_compile_error).into()
}

/// What `#[device] extern "C"` reads inside.
macro_rules! facts {
    ($($(#[$about:meta])* $attribute:ident)*) => {$(
        $(#[$about])*
        #[proc_macro_attribute]
        pub fn $attribute(_arguments: TokenStream, item: TokenStream) -> TokenStream {
            let message = concat!("`#[", stringify!($attribute), "]` stands on a function in `#[device] extern \"C\" { … }`");
            with_item(&Error::new(Span::call_site(), message), item)
        }
    )*};
}

facts! {
    /// On a function in `#[device] extern "C"`: threads may meet in it, so calls are neither moved nor copied. It goes without saying unless
    /// something else is said.
    convergent
    /// On a function in `#[device] extern "C"`: it returns, always, and its result depends on its arguments alone. It neither reads nor writes
    /// memory.
    pure
    /// On a function in `#[device] extern "C"`: it returns, always, and writes no memory.
    readonly
}
