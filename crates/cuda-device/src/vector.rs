//! Short vectors that are read and written as one.
//!
//! Each is aligned to its size, so that a thread moves it with one instruction (`ld.global.v4.f32`; PTX ISA, "Vectors"). A slice of
//! numbers is seen as vectors where its address and length allow:
//!
//! ```
//! use cuda_device::vector::{F32x4, as_vectors};
//!
//! fn sum(values: &[f32]) -> f32 {
//!     match as_vectors::<F32x4>(values) {
//!         Some(vectors) => vectors.iter().flat_map(F32x4::as_slice).sum(),
//!         None => values.iter().sum(),
//!     }
//! }
//! # assert_eq!(sum(&[1.0; 8]), 8.0);
//! ```

use core::slice;

/// A vector type of this module.
///
/// # Safety
///
/// The type holds `LANES` elements, nothing else, and any bits are a value where they are values of the elements.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vector",
    note = "vectors are `F32x2`, `F32x4`, `F64x2`, `U32x2`, `U32x4`, `U16x4` and `U16x8`"
)]
pub unsafe trait Vector: Copy {
    /// What a lane holds.
    type Elem: Copy;
    /// The number of lanes.
    const LANES: usize;
}

macro_rules! vectors {
    ($($name:ident = [$element:ident; $lanes:literal] aligned $align:literal;)*) => {$(
        #[doc = concat!(stringify!($lanes), " lanes of `", stringify!($element), "`, aligned to ", stringify!($align), " bytes.")]
        #[repr(C, align($align))]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name(pub [$element; $lanes]);

        // SAFETY: the alignment is the size of the lanes, so there is no padding.
        unsafe impl Vector for $name {
            type Elem = $element;
            const LANES: usize = $lanes;
        }

        impl $name {
            /// A vector of these lanes.
            #[inline]
            pub const fn new(lanes: [$element; $lanes]) -> Self {
                Self(lanes)
            }

            /// A vector that holds `value` in every lane.
            #[inline]
            pub const fn splat(value: $element) -> Self {
                Self([value; $lanes])
            }

            /// The lanes.
            #[inline]
            pub const fn to_array(self) -> [$element; $lanes] {
                self.0
            }

            /// The lanes.
            #[inline]
            pub const fn as_slice(&self) -> &[$element] {
                &self.0
            }

            /// The lanes.
            #[inline]
            pub const fn as_mut_slice(&mut self) -> &mut [$element] {
                &mut self.0
            }
        }

        const _: () = assert!(size_of::<$name>() == $align && size_of::<[$element; $lanes]>() == $align);
    )*};
}

vectors! {
    F32x2 = [f32; 2] aligned 8;
    F32x4 = [f32; 4] aligned 16;
    F64x2 = [f64; 2] aligned 16;
    U32x2 = [u32; 2] aligned 8;
    U32x4 = [u32; 4] aligned 16;
    U16x4 = [u16; 4] aligned 8;
    U16x8 = [u16; 8] aligned 16;
}

/// Whether [`as_vectors`] returns a slice: the address is aligned for `V`, and the length is a multiple of its lanes.
#[inline]
pub fn is_viewable<V: Vector>(elements: &[V::Elem]) -> bool {
    elements.as_ptr().cast::<V>().is_aligned() && elements.len().is_multiple_of(V::LANES)
}

/// The same memory as vectors, or `None` where [`is_viewable`] is false.
#[inline]
pub fn as_vectors<V: Vector>(elements: &[V::Elem]) -> Option<&[V]> {
    if !is_viewable::<V>(elements) {
        return None;
    }
    // SAFETY: aligned, of this many elements, and any elements are a vector.
    Some(unsafe { slice::from_raw_parts(elements.as_ptr().cast(), elements.len() / V::LANES) })
}

/// The same memory as vectors to write, or `None` where [`is_viewable`] is false.
#[inline]
pub fn as_vectors_mut<V: Vector>(elements: &mut [V::Elem]) -> Option<&mut [V]> {
    if !is_viewable::<V>(elements) {
        return None;
    }
    // SAFETY: as above, and any vector is elements.
    Some(unsafe { slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), elements.len() / V::LANES) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_needs_alignment_and_whole_vectors() {
        let mut memory = [U32x4::splat(7); 3];
        memory[1].as_mut_slice()[2] = 9;
        // SAFETY: three vectors are twelve numbers.
        let elements = unsafe { slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<u32>(), 12) };
        assert_eq!(as_vectors::<U32x4>(elements), Some(&[U32x4::splat(7), U32x4([7, 7, 9, 7]), U32x4::splat(7)][..]));
        assert_eq!(as_vectors::<U32x4>(&elements[4..]).unwrap().len(), 2);
        assert_eq!(as_vectors::<U32x4>(&elements[..0]), Some(&[][..]));
        assert!(!is_viewable::<U32x4>(&elements[..11]));
        assert!(!is_viewable::<U32x4>(&elements[1..5]));
        assert!(!is_viewable::<U32x4>(&elements[2..6]));
        assert!(is_viewable::<U32x2>(&elements[2..6]));
        as_vectors_mut::<U32x2>(&mut elements[2..6]).unwrap()[1] = U32x2::new([1, 2]);
        assert!(as_vectors_mut::<U32x2>(&mut elements[3..5]).is_none());
        assert_eq!(memory[1].to_array(), [1, 2, 9, 7]);
    }
}
