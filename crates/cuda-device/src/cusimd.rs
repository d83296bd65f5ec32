//! Registers that travel together: what shuffles of several words, tensor memory loads and the like return.

use core::ops::Index;

mod sealed {
    pub trait Element: Copy {}
}

/// What a [`CuSimd`] may hold.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what registers hold",
    note = "they hold `f32`, `f64` and integers of 16, 32 and 64 bits"
)]
pub trait SimdElement: sealed::Element {}

macro_rules! elements {
    ($($element:ident)*) => {$(
        impl sealed::Element for $element {}
        impl SimdElement for $element {}
    )*};
}

elements!(f32 f64 u32 i32 u64 i64 u16 i16);

/// `N` values of `T`, without the alignment of a [`crate::vector`].
///
/// A lane that is not there does not compile:
///
/// ```compile_fail,E0080
/// # use cuda_device::Float2;
/// Float2::new([1.0, 2.0]).get::<2>();
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CuSimd<T: SimdElement, const N: usize>([T; N]);

impl<T: SimdElement, const N: usize> CuSimd<T, N> {
    /// These values.
    #[inline]
    pub const fn new(values: [T; N]) -> Self {
        Self(values)
    }

    /// The value of lane `I`, which the compiler checks.
    #[inline]
    pub const fn get<const I: usize>(&self) -> T {
        const { crate::check(I < N, "there is no such lane") }
        self.0[I]
    }

    /// The value of lane `i`; panics where there is none.
    #[inline]
    pub const fn at(&self, i: usize) -> T {
        self.0[i]
    }

    /// All values.
    #[inline]
    pub const fn to_array(self) -> [T; N] {
        self.0
    }

    /// The number of lanes.
    #[inline]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether there are no lanes.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }
}

impl<T: SimdElement, const N: usize> Index<usize> for CuSimd<T, N> {
    type Output = T;

    #[inline]
    fn index(&self, i: usize) -> &T {
        &self.0[i]
    }
}

impl<T: SimdElement + Default, const N: usize> Default for CuSimd<T, N> {
    #[inline]
    fn default() -> Self {
        Self([T::default(); N])
    }
}

macro_rules! lanes {
    ($lanes:literal: $($name:ident = $lane:literal),*) => {
        impl<T: SimdElement> CuSimd<T, $lanes> {
            $(
                #[doc = concat!("Lane ", stringify!($lane), ".")]
                #[inline]
                pub const fn $name(&self) -> T {
                    self.0[$lane]
                }
            )*
        }
    };
}

lanes!(2: x = 0, y = 1);
lanes!(4: x = 0, y = 1, z = 2, w = 3);

impl<T: SimdElement> CuSimd<T, 2> {
    /// Both lanes.
    #[inline]
    pub const fn xy(&self) -> (T, T) {
        let [x, y] = self.0;
        (x, y)
    }
}

impl<T: SimdElement> CuSimd<T, 4> {
    /// All lanes.
    #[inline]
    pub const fn xyzw(&self) -> (T, T, T, T) {
        let [x, y, z, w] = self.0;
        (x, y, z, w)
    }

    /// Lanes 0 and 1.
    #[inline]
    pub const fn lo(&self) -> CuSimd<T, 2> {
        CuSimd([self.0[0], self.0[1]])
    }

    /// Lanes 2 and 3.
    #[inline]
    pub const fn hi(&self) -> CuSimd<T, 2> {
        CuSimd([self.0[2], self.0[3]])
    }
}

macro_rules! aliases {
    ($($alias:ident = $element:ident $lanes:literal;)*) => {$(
        #[doc = concat!(stringify!($lanes), " values of `", stringify!($element), "`.")]
        pub type $alias = CuSimd<$element, $lanes>;
    )*};
}

aliases! {
    Float2 = f32 2;
    Float4 = f32 4;
    Double2 = f64 2;
    Int2 = i32 2;
    Int4 = i32 4;
    Uint2 = u32 2;
    Uint4 = u32 4;
    TmemRegs4 = f32 4;
    TmemRegs8 = f32 8;
    TmemRegs16 = f32 16;
    TmemRegs32 = f32 32;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_by_every_name() {
        let four = Int4::new([1, 2, 3, 4]);
        assert_eq!((four.x(), four.y(), four.z(), four.w()), four.xyzw());
        assert_eq!((four.lo().xy(), four.hi().xy()), ((1, 2), (3, 4)));
        assert_eq!((four.get::<3>(), four.at(2), four[1], four.len(), four.is_empty()), (4, 3, 2, 4, false));
        assert_eq!(CuSimd::new(four.to_array()), four);
        assert_eq!(TmemRegs32::default().to_array(), [0.0; 32]);
    }
}
