operations! {
    /// The sums, differences and products.
    fn(a: u32, b: u32) -> u32: add_f16x2 sub_f16x2 mul_f16x2;
    /// `a * b + c`, rounded once.
    fn(a: u32, b: u32, c: u32) -> u32:
        fma_f16x2 fma_ftz_f16x2 fma_sat_f16x2 fma_ftz_sat_f16x2 fma_relu_f16x2 fma_ftz_relu_f16x2;
    /// Both with the other sign, and without.
    fn(a: u32) -> u32: neg_f16x2 abs_f16x2;
    /// The lesser of two pairs: the other one where one is NaN.
    fn(a: u32, b: u32) -> u32: min_f16x2 min_ftz_f16x2;
    /// The lesser of two pairs: NaN where one is NaN.
    fn(a: u32, b: u32) -> u32: min_nan_f16x2 min_ftz_nan_f16x2;
    /// The greater of two pairs: the other one where one is NaN.
    fn(a: u32, b: u32) -> u32: max_f16x2 max_ftz_f16x2;
    /// The greater of two pairs: NaN where one is NaN.
    fn(a: u32, b: u32) -> u32: max_nan_f16x2 max_ftz_nan_f16x2;
    /// The lesser magnitude of two pairs, negative where just one of the two is: the other one where one is NaN.
    fn(a: u32, b: u32) -> u32: min_xorsign_abs_f16x2 min_ftz_xorsign_abs_f16x2;
    /// The lesser magnitude of two pairs, negative where just one of the two is: NaN where one is NaN.
    fn(a: u32, b: u32) -> u32: min_nan_xorsign_abs_f16x2 min_ftz_nan_xorsign_abs_f16x2;
    /// The greater magnitude of two pairs, negative where just one of the two is: the other one where one is NaN.
    fn(a: u32, b: u32) -> u32: max_xorsign_abs_f16x2 max_ftz_xorsign_abs_f16x2;
    /// The greater magnitude of two pairs, negative where just one of the two is: NaN where one is NaN.
    fn(a: u32, b: u32) -> u32: max_nan_xorsign_abs_f16x2 max_ftz_nan_xorsign_abs_f16x2;
}
