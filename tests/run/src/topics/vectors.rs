//! Vectors: `std::simd`, SSE2 by its own names, and what `core` does with it.

use std::{
    arch::x86_64::*,
    mem::transmute,
    simd::{Mask, Select, Simd, cmp::*, f32x4, i16x8, i32x4, num::*, u8x16, u32x4},
};

use meaning::{cases, traps};

cases! {
    fn vector_integers(a: [i32; 4], b: [i32; 4]) -> [[i32; 4]; 9] {
        let (a, b) = (i32x4::from_array(a), i32x4::from_array(b));
        let shift = b & i32x4::splat(31);
        [a + b, a - b, a * b, a & b, a | b, a ^ b, a << shift, a >> shift, -a].map(Simd::to_array)
    }

    fn vector_division(a: [u32; 4], b: [u32; 4]) -> [[u32; 4]; 2] {
        let (a, b) = (u32x4::from_array(a), u32x4::from_array(b) | u32x4::splat(1));
        [(a / b).to_array(), (a % b).to_array()]
    }

    fn vector_saturation(a: [i16; 8], b: [i16; 8]) -> [[i16; 8]; 4] {
        let (a, b) = (i16x8::from_array(a), i16x8::from_array(b));
        [a.saturating_add(b), a.saturating_sub(b), a.simd_min(b), a.simd_max(b)].map(Simd::to_array)
    }

    fn vector_bits(a: [u32; 4]) -> [[u32; 4]; 5] {
        let a = u32x4::from_array(a);
        [a.swap_bytes(), a.reverse_bits(), a.leading_zeros(), a.trailing_zeros(), a.count_ones()].map(Simd::to_array)
    }

    fn vector_bytes(a: [u8; 16]) -> [[u8; 16]; 3] {
        let a = u8x16::from_array(a);
        [a.swap_bytes(), a.reverse_bits(), a.count_ones()].map(Simd::to_array)
    }

    fn vector_floats(a: [f32; 4], b: [f32; 4]) -> [[f32; 4]; 5] {
        let (a, b) = (f32x4::from_array(a), f32x4::from_array(b));
        [a + b, a - b, a * b, a / b, -a].map(Simd::to_array)
    }

    fn vector_float_functions(a: [f32; 4]) -> [[f32; 4]; 1] {
        use std::simd::num::SimdFloat;
        [f32x4::from_array(a).abs()].map(Simd::to_array)
    }

    fn vector_comparison(a: [f32; 4], b: [f32; 4]) -> ([u64; 6], [bool; 2]) {
        let (a, b) = (f32x4::from_array(a), f32x4::from_array(b));
        let masks = [a.simd_eq(b), a.simd_ne(b), a.simd_lt(b), a.simd_le(b), a.simd_gt(b), a.simd_ge(b)];
        (masks.map(Mask::to_bitmask), [masks[2].any(), masks[5].all()])
    }

    fn vector_choice(a: [i32; 4], b: [i32; 4], mask: u8) -> ([[i32; 4]; 2], [bool; 4]) {
        let (a, b) = (i32x4::from_array(a), i32x4::from_array(b));
        let mask = Mask::<i32, 4>::from_bitmask(u64::from(mask));
        ([mask.select(a, b), a.simd_lt(b).select(b, a)].map(Simd::to_array), mask.to_array())
    }

    fn vector_sums(a: [i32; 4], b: [u32; 4]) -> ([i32; 4], [u32; 3]) {
        let (a, b) = (i32x4::from_array(a), u32x4::from_array(b));
        ([a.reduce_sum(), a.reduce_product(), a.reduce_min(), a.reduce_max()], [b.reduce_and(), b.reduce_or(), b.reduce_xor()])
    }

    fn vector_casts(a: [f32; 4], b: [i32; 4]) -> ([i32; 4], [u8; 4], [f32; 4], [i64; 4]) {
        let (a, b) = (f32x4::from_array(a), i32x4::from_array(b));
        (a.cast::<i32>().to_array(), a.cast::<u8>().to_array(), b.cast::<f32>().to_array(), b.cast::<i64>().to_array())
    }

    fn vector_shuffles(a: [u8; 16], index: u8) -> ([u8; 16], [u8; 16], [u8; 16], u8) {
        let a = u8x16::from_array(a);
        let (low, high) = a.interleave(a.reverse());
        (a.rotate_elements_left::<3>().to_array(), low.to_array(), high.to_array(), a[usize::from(index) % 16])
    }

    fn sse_floats(a: [f32; 4], b: [f32; 4]) -> [[f32; 4]; 8] {
        // SAFETY: every x86-64 has SSE2, and both are four floats.
        unsafe {
            let (a, b): (__m128, __m128) = (transmute(a), transmute(b));
            let found = [
                _mm_add_ps(a, b), _mm_mul_ps(a, b), _mm_min_ps(a, b), _mm_max_ps(a, b), _mm_sqrt_ps(a), _mm_shuffle_ps::<0b_00_11_01_10>(a, b),
                _mm_unpacklo_ps(a, b), _mm_movehl_ps(a, b),
            ];
            transmute(found)
        }
    }

    fn sse_comparisons(a: [f32; 4], b: [f32; 4]) -> ([i32; 8], [i32; 4]) {
        // SAFETY: as above.
        unsafe {
            let (a, b): (__m128, __m128) = (transmute(a), transmute(b));
            let masks = [
                _mm_cmpeq_ps(a, b), _mm_cmplt_ps(a, b), _mm_cmple_ps(a, b), _mm_cmpunord_ps(a, b), _mm_cmpneq_ps(a, b), _mm_cmpnlt_ps(a, b),
                _mm_cmpnle_ps(a, b), _mm_cmpord_ps(a, b),
            ];
            let chosen = _mm_or_ps(_mm_and_ps(masks[1], a), _mm_andnot_ps(masks[1], b));
            (masks.map(|mask| _mm_movemask_ps(mask)), transmute::<__m128, [u32; 4]>(chosen).map(|bits| bits as i32 & 0x7f80_0000))
        }
    }

    fn sse_rounding(a: [f32; 4]) -> ([i32; 4], i32) {
        // SAFETY: as above.
        unsafe {
            let a: __m128 = transmute(a);
            (transmute::<__m128i, [i32; 4]>(_mm_cvtps_epi32(a)), _mm_movemask_epi8(_mm_castps_si128(a)))
        }
    }

    fn sse_integers(a: [i32; 4], b: [i32; 4]) -> [[i32; 4]; 6] {
        // SAFETY: as above, of integers.
        unsafe {
            let (a, b): (__m128i, __m128i) = (transmute(a), transmute(b));
            let found = [
                _mm_add_epi32(a, b), _mm_sub_epi16(a, b), _mm_cmpgt_epi32(a, b), _mm_shuffle_epi32::<0b_01_00_11_10>(a), _mm_slli_epi32::<3>(a),
                _mm_unpackhi_epi64(a, b),
            ];
            transmute(found)
        }
    }

    fn ascii(a: [u8; 40], start: u8) -> (bool, bool) {
        let text = &a[usize::from(start) % 20..];
        (text.is_ascii(), a.map(|byte| byte & 0x7f)[usize::from(start) % 20..].is_ascii())
    }
}

traps! {
    fn past_a_vector(a: [i32; 4], index: usize) -> i32 {
        i32x4::from_array(a)[index]
    } [([1, 2, 3, 4], 3), ([1, 2, 3, 4], 4)]
}
