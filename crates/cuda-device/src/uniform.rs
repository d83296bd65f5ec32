//! Values that all threads of a launch have alike.
//!
//! What is computed of them is alike too, so that a barrier under a condition of them alone is reached by all threads or by none. A kernel
//! parameter may be one; its launch takes the value.
//!
//! ```
//! use cuda_device::{Uniform, kernel, thread, uniform};
//!
//! #[kernel]
//! pub fn passes(count: Uniform<u32>, out: *mut u32) {
//!     let threads = uniform::grid_dim_x().wrapping_mul(uniform::block_dim_x());
//!     let all = count.max(threads);
//!     for _ in 0..all.get() {
//!         thread::sync_threads();
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! A value that threads may have each their own is none:
//!
//! ```compile_fail,E0308
//! # use cuda_device::{thread, uniform};
//! # fn kernel() {
//! uniform::block_dim_x().wrapping_add(thread::threadIdx_x());
//! # }
//! ```

use crate::thread;

/// A value that all threads of the launch have alike, laid out as `T` is.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform<T>(T);

impl<T> Uniform<T> {
    /// Claims that a value is alike.
    ///
    /// # Safety
    ///
    /// Every thread of the launch that gets here has the same value.
    #[inline]
    pub const unsafe fn new_unchecked(value: T) -> Self {
        Self(value)
    }
}

impl<T: Copy> Uniform<T> {
    /// The value.
    #[inline]
    pub const fn get(self) -> T {
        self.0
    }
}

impl Uniform<u32> {
    /// The sum, modulo 2³².
    #[inline]
    pub const fn wrapping_add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// The difference, modulo 2³².
    #[inline]
    pub const fn wrapping_sub(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    /// The product, modulo 2³².
    #[inline]
    pub const fn wrapping_mul(self, other: Self) -> Self {
        Self(self.0.wrapping_mul(other.0))
    }

    /// The sum, at most `u32::MAX`.
    #[inline]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, at least 0.
    #[inline]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The smaller of both.
    #[inline]
    pub const fn min(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }

    /// The larger of both.
    #[inline]
    pub const fn max(self, other: Self) -> Self {
        if other.0 > self.0 { other } else { self }
    }

    /// The product with a constant, modulo 2³².
    #[inline]
    pub const fn wrapping_mul_const<const C: u32>(self) -> Self {
        Self(self.0.wrapping_mul(C))
    }

    /// The sum with a constant, modulo 2³².
    #[inline]
    pub const fn wrapping_add_const<const C: u32>(self) -> Self {
        Self(self.0.wrapping_add(C))
    }
}

macro_rules! sources {
    ($($name:ident = $register:ident: $about:literal;)*) => {$(
        #[doc = $about]
        #[inline]
        pub fn $name() -> Uniform<u32> {
            Uniform(thread::$register())
        }
    )*};
}

sources! {
    block_dim_x = blockDim_x: "The threads of a block along x.";
    block_dim_y = blockDim_y: "The threads of a block along y.";
    block_dim_z = blockDim_z: "The threads of a block along z.";
    grid_dim_x = gridDim_x: "The blocks of the grid along x.";
    grid_dim_y = gridDim_y: "The blocks of the grid along y.";
    grid_dim_z = gridDim_z: "The blocks of the grid along z.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_u32() {
        for (a, b) in [(0, 0), (3, 5), (5, 3), (u32::MAX, 2), (1 << 31, 1 << 31)] {
            let (x, y) = (Uniform(a), Uniform(b));
            assert_eq!(x.wrapping_add(y).get(), a.wrapping_add(b));
            assert_eq!(x.wrapping_sub(y).get(), a.wrapping_sub(b));
            assert_eq!(x.wrapping_mul(y).get(), a.wrapping_mul(b));
            assert_eq!(x.saturating_add(y).get(), a.saturating_add(b));
            assert_eq!(x.saturating_sub(y).get(), a.saturating_sub(b));
            assert_eq!((x.min(y).get(), x.max(y).get()), (a.min(b), a.max(b)));
            assert_eq!(x.wrapping_mul_const::<7>().wrapping_add_const::<9>().get(), a.wrapping_mul(7).wrapping_add(9));
        }
    }
}
