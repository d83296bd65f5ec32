//! Atomic variables for the threads of a block, of the device, or of the whole system.
//!
//! ```text
//! let counter = unsafe { DeviceAtomicU32::from_ptr(pointer) };
//! let ticket = counter.fetch_add(1, AtomicOrdering::Relaxed);
//! ```
//!
//! Orderings mean what they mean in `core::sync::atomic`, among the threads of the scope (PTX ISA, "Memory Consistency Model"). The types
//! of `core::sync::atomic` work in kernels too, for the whole system.
//!
//! Additions of `f32` in global memory take subnormal operands and results for zeros of their sign; in shared memory they keep them, and
//! those of `f64` do everywhere (PTX ISA, "atom").

use core::cell::UnsafeCell;

/// How an atomic access orders other accesses of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOrdering {
    /// Not at all.
    Relaxed,
    /// What comes after it in the program is not done before it.
    Acquire,
    /// What comes before it in the program is done before it.
    Release,
    /// Both.
    AcqRel,
    /// Both, and all accesses of this kind have one order.
    SeqCst,
}

/// Scopes by the numbers that the operations take.
const BLOCK: u8 = 0;
const DEVICE: u8 = 1;
const SYSTEM: u8 = 2;

/// Orderings by the numbers that the operations take, those of the compiler's `AtomicOrdering`.
const RELAXED: u8 = 0;
const RELEASE: u8 = 1;
const ACQUIRE: u8 = 2;
const ACQ_REL: u8 = 3;
const SEQ_CST: u8 = 4;

/// Updates by the numbers that the operations take.
const EXCHANGE: u8 = 0;
const ADD: u8 = 1;
const SUB: u8 = 2;
const AND: u8 = 3;
const OR: u8 = 4;
const XOR: u8 = 5;
const MIN: u8 = 6;
const MAX: u8 = 7;

/// The operations themselves, which the compiler replaces: everything but addresses and values is generic.
mod operation {
    const HOST: &str = "atomics of `cuda_device` are device operations: they run only in a kernel";

    #[inline(never)]
    pub unsafe fn load<T: Copy, const SCOPE: u8, const ORDER: u8>(_address: *const T) -> T {
        panic!("{}", HOST)
    }

    #[inline(never)]
    pub unsafe fn store<T: Copy, const SCOPE: u8, const ORDER: u8>(_address: *mut T, _value: T) {
        panic!("{}", HOST)
    }

    #[inline(never)]
    pub unsafe fn update<T: Copy, const OPERATION: u8, const SCOPE: u8, const ORDER: u8>(_address: *mut T, _operand: T) -> T {
        panic!("{}", HOST)
    }

    #[inline(never)]
    pub unsafe fn compare_exchange<T: Copy, const SCOPE: u8, const SUCCESS: u8, const FAILURE: u8>(
        _address: *mut T,
        _current: T,
        _new: T,
    ) -> T {
        panic!("{}", HOST)
    }
}

#[inline]
unsafe fn load<T: Copy, const SCOPE: u8>(address: *const T, order: AtomicOrdering) -> T {
    // SAFETY: passed on.
    unsafe {
        match order {
            AtomicOrdering::Relaxed => operation::load::<T, SCOPE, RELAXED>(address),
            AtomicOrdering::Acquire => operation::load::<T, SCOPE, ACQUIRE>(address),
            AtomicOrdering::SeqCst => operation::load::<T, SCOPE, SEQ_CST>(address),
            AtomicOrdering::Release | AtomicOrdering::AcqRel => panic!("a load cannot have release ordering"),
        }
    }
}

#[inline]
unsafe fn store<T: Copy, const SCOPE: u8>(address: *mut T, value: T, order: AtomicOrdering) {
    // SAFETY: passed on.
    unsafe {
        match order {
            AtomicOrdering::Relaxed => operation::store::<T, SCOPE, RELAXED>(address, value),
            AtomicOrdering::Release => operation::store::<T, SCOPE, RELEASE>(address, value),
            AtomicOrdering::SeqCst => operation::store::<T, SCOPE, SEQ_CST>(address, value),
            AtomicOrdering::Acquire | AtomicOrdering::AcqRel => panic!("a store cannot have acquire ordering"),
        }
    }
}

#[inline]
unsafe fn update<T: Copy, const OPERATION: u8, const SCOPE: u8>(address: *mut T, operand: T, order: AtomicOrdering) -> T {
    // SAFETY: passed on.
    unsafe {
        match order {
            AtomicOrdering::Relaxed => operation::update::<T, OPERATION, SCOPE, RELAXED>(address, operand),
            AtomicOrdering::Acquire => operation::update::<T, OPERATION, SCOPE, ACQUIRE>(address, operand),
            AtomicOrdering::Release => operation::update::<T, OPERATION, SCOPE, RELEASE>(address, operand),
            AtomicOrdering::AcqRel => operation::update::<T, OPERATION, SCOPE, ACQ_REL>(address, operand),
            AtomicOrdering::SeqCst => operation::update::<T, OPERATION, SCOPE, SEQ_CST>(address, operand),
        }
    }
}

/// What was there. The failure's ordering is made part of the success's, as LLVM does where hardware has one for both.
#[inline]
unsafe fn compare_exchange<T: Copy, const SCOPE: u8>(
    address: *mut T,
    current: T,
    new: T,
    success: AtomicOrdering,
    failure: AtomicOrdering,
) -> T {
    use AtomicOrdering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    // SAFETY: passed on.
    unsafe {
        match (success, failure) {
            (_, Release | AcqRel) => panic!("a failure ordering cannot release"),
            (SeqCst, _) | (_, SeqCst) => operation::compare_exchange::<T, SCOPE, SEQ_CST, SEQ_CST>(address, current, new),
            (Relaxed, Relaxed) => operation::compare_exchange::<T, SCOPE, RELAXED, RELAXED>(address, current, new),
            (Release, Relaxed) => operation::compare_exchange::<T, SCOPE, RELEASE, RELAXED>(address, current, new),
            (AcqRel, Relaxed | Acquire) | (Release, Acquire) => {
                operation::compare_exchange::<T, SCOPE, ACQ_REL, ACQUIRE>(address, current, new)
            }
            (Acquire, Relaxed | Acquire) | (Relaxed, Acquire) => {
                operation::compare_exchange::<T, SCOPE, ACQUIRE, ACQUIRE>(address, current, new)
            }
        }
    }
}

macro_rules! atomics {
    ($($name:ident: $value:ty, $scope:ident, $who:literal, $kind:ident;)*) => {$(
        #[doc = concat!("An atomic `", stringify!($value), "` for the threads of ", $who, ".")]
        #[repr(transparent)]
        pub struct $name {
            value: UnsafeCell<$value>,
        }

        // SAFETY: every access is atomic.
        unsafe impl Sync for $name {}

        // SAFETY: every access is atomic, and numbers are made of any bytes.
        unsafe impl crate::shared::SharedAtomic for $name {}

        impl $name {
            /// A variable with this value.
            #[inline]
            pub const fn new(val: $value) -> Self {
                Self { value: UnsafeCell::new(val) }
            }

            /// The variable at an address.
            ///
            /// # Safety
            ///
            /// It is aligned and valid for `'a`, and accessed only atomically meanwhile.
            #[inline]
            pub const unsafe fn from_ptr<'a>(ptr: *mut $value) -> &'a Self {
                // SAFETY: the layout is that of the value, and the caller vouches for the address.
                unsafe { &*ptr.cast::<Self>() }
            }

            /// The value.
            ///
            /// # Panics
            ///
            /// For `Release` and `AcqRel`.
            #[inline]
            pub fn load(&self, order: AtomicOrdering) -> $value {
                // SAFETY: the variable's own address.
                unsafe { load::<$value, $scope>(self.value.get(), order) }
            }

            /// Sets the value.
            ///
            /// # Panics
            ///
            /// For `Acquire` and `AcqRel`.
            #[inline]
            pub fn store(&self, val: $value, order: AtomicOrdering) {
                // SAFETY: the variable's own address.
                unsafe { store::<$value, $scope>(self.value.get(), val, order) }
            }

            atomics!(@update $value, $scope: swap EXCHANGE "Sets the value");
            atomics!(@update $value, $scope: fetch_add ADD "Adds, wrapping around as integers");
            atomics!(@$kind $value, $scope);
        }
    )*};
    (@update $value:ty, $scope:ident: $method:ident $operation:ident $does:literal) => {
        #[doc = concat!($does, "; returns what was there.")]
        #[inline]
        pub fn $method(&self, val: $value, order: AtomicOrdering) -> $value {
            // SAFETY: the variable's own address.
            unsafe { update::<$value, $operation, $scope>(self.value.get(), val, order) }
        }
    };
    (@float $value:ty, $scope:ident) => {
        /// Subtracts; returns what was there.
        #[inline]
        pub fn fetch_sub(&self, val: $value, order: AtomicOrdering) -> $value {
            self.fetch_add(-val, order)
        }
    };
    (@integer $value:ty, $scope:ident) => {
        atomics!(@update $value, $scope: fetch_sub SUB "Subtracts, wrapping around");
        atomics!(@update $value, $scope: fetch_and AND "Keeps the bits that are set in `val` too");
        atomics!(@update $value, $scope: fetch_or OR "Sets the bits that are set in `val`");
        atomics!(@update $value, $scope: fetch_xor XOR "Changes the bits that are set in `val`");
        atomics!(@update $value, $scope: fetch_min MIN "Keeps the smaller of value and `val`");
        atomics!(@update $value, $scope: fetch_max MAX "Keeps the greater of value and `val`");

        /// Sets the value to `new` if it is `current`; returns what was there, `Ok` if it was set.
        ///
        /// # Panics
        ///
        /// Where `failure` is `Release` or `AcqRel`.
        #[inline]
        pub fn compare_exchange(
            &self,
            current: $value,
            new: $value,
            success: AtomicOrdering,
            failure: AtomicOrdering,
        ) -> Result<$value, $value> {
            // SAFETY: the variable's own address.
            let old = unsafe { compare_exchange::<$value, $scope>(self.value.get(), current, new, success, failure) };
            if old == current { Ok(old) } else { Err(old) }
        }

        /// Sets the value to the result of `update` for it, trying again until no other thread has changed it in between; returns the
        /// previous value, `Err` where `update` returns `None`.
        ///
        /// # Errors
        ///
        /// What was there when `update` gave `None`.
        #[inline]
        pub fn fetch_update(
            &self,
            set_order: AtomicOrdering,
            fetch_order: AtomicOrdering,
            mut update: impl FnMut($value) -> Option<$value>,
        ) -> Result<$value, $value> {
            let mut old = self.load(fetch_order);
            while let Some(new) = update(old) {
                match self.compare_exchange(old, new, set_order, fetch_order) {
                    Ok(old) => return Ok(old),
                    Err(found) => old = found,
                }
            }
            Err(old)
        }
    };
}

atomics! {
    BlockAtomicU32: u32, BLOCK, "the block", integer;
    BlockAtomicI32: i32, BLOCK, "the block", integer;
    BlockAtomicU64: u64, BLOCK, "the block", integer;
    BlockAtomicI64: i64, BLOCK, "the block", integer;
    BlockAtomicF32: f32, BLOCK, "the block", float;
    BlockAtomicF64: f64, BLOCK, "the block", float;
    DeviceAtomicU32: u32, DEVICE, "the device", integer;
    DeviceAtomicI32: i32, DEVICE, "the device", integer;
    DeviceAtomicU64: u64, DEVICE, "the device", integer;
    DeviceAtomicI64: i64, DEVICE, "the device", integer;
    DeviceAtomicF32: f32, DEVICE, "the device", float;
    DeviceAtomicF64: f64, DEVICE, "the device", float;
    SystemAtomicU32: u32, SYSTEM, "the whole system", integer;
    SystemAtomicI32: i32, SYSTEM, "the whole system", integer;
    SystemAtomicU64: u64, SYSTEM, "the whole system", integer;
    SystemAtomicI64: i64, SYSTEM, "the whole system", integer;
    SystemAtomicF32: f32, SYSTEM, "the whole system", float;
    SystemAtomicF64: f64, SYSTEM, "the whole system", float;
}

#[cfg(oxide_f16)]
atomics! {
    BlockAtomicF16: f16, BLOCK, "the block", float;
    DeviceAtomicF16: f16, DEVICE, "the device", float;
    SystemAtomicF16: f16, SYSTEM, "the whole system", float;
}

include!("operations/atomic.rs");
