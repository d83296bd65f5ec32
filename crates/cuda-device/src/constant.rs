//! Constant memory: what the host fills and kernels only read, cached for reads of one address by a whole warp.

use core::{cell::UnsafeCell, mem::MaybeUninit};

/// A value in constant memory, 64 KiB for a module in all.
///
/// ```ignore
/// #[cuda_module]
/// mod kernels {
///     #[constant]
///     static WEIGHTS: ConstantMemory<[f32; 16]> = ConstantMemory::UNINIT;
/// }
/// module.set_weights(&stream, &[0.5; 16])?;
/// ```
///
/// The host sets it before the launches that read it; until then it is zero on the device. On the host it is only a name.
///
/// Each loaded module has its own. Kernels of one package that read a constant of another see what is set there where both are parts of
/// one module: `cuda_host::load_all_ptx_bundles_merged(ctx)`, then `from_module` of each.
#[repr(transparent)]
pub struct ConstantMemory<T: ConstantMemoryValue> {
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: kernels only read it, and the host does not use its own copy.
unsafe impl<T: ConstantMemoryValue> Sync for ConstantMemory<T> {}

impl<T: ConstantMemoryValue> ConstantMemory<T> {
    /// The initial value of the static: none.
    #[expect(clippy::declare_interior_mutable_const, reason = "a static is made of it, nothing else")]
    pub const UNINIT: Self = Self { value: UnsafeCell::new(MaybeUninit::uninit()) };

    /// The value.
    #[inline]
    pub fn get(&self) -> T {
        *self.get_ref()
    }

    /// The value, where it is.
    #[inline]
    pub fn get_ref(&self) -> &T {
        // SAFETY: in a kernel, the only place where it is read, the memory holds what the host has set, or zeros.
        unsafe { (*self.value.get()).assume_init_ref() }
    }
}

/// Types whose values can be set byte for byte.
///
/// # Safety
///
/// All bytes of the type, those of a zeroed value included, make a value, and a value means the same on the device.
#[diagnostic::on_unimplemented(
    message = "the host cannot set constant memory to a `{Self}` byte for byte",
    label = "not made of any bytes",
    note = "numbers, addresses, and arrays and tuples of them are; for a type of your own whose fields are, write `unsafe impl ConstantMemoryValue`"
)]
pub unsafe trait ConstantMemoryValue: Copy {}

macro_rules! values {
    ($($value:ty)*) => {$(
        // SAFETY: numbers and addresses are made of any bytes.
        #[diagnostic::do_not_recommend]
        unsafe impl ConstantMemoryValue for $value {}
    )*};
    (@tuples $($element:ident)*) => { values!(@tuple [] $($element)*); };
    (@tuple [$($done:ident)*]) => {};
    (@tuple [$($done:ident)*] $next:ident $($rest:ident)*) => {
        // SAFETY: its elements are such values, and both halves have one layout.
        #[diagnostic::do_not_recommend]
        unsafe impl<$($done: ConstantMemoryValue,)* $next: ConstantMemoryValue> ConstantMemoryValue for ($($done,)* $next,) {}
        values!(@tuple [$($done)* $next] $($rest)*);
    };
}

values! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }
values! { @tuples A B C D E F G H }

#[cfg(oxide_f16)]
values! { f16 }

// SAFETY: it has no bytes.
unsafe impl ConstantMemoryValue for () {}
// SAFETY: an array is its elements, one after another.
unsafe impl<T: ConstantMemoryValue, const N: usize> ConstantMemoryValue for [T; N] {}
// SAFETY: an address is made of any bytes.
unsafe impl<T> ConstantMemoryValue for *const T {}
// SAFETY: as above.
unsafe impl<T> ConstantMemoryValue for *mut T {}
