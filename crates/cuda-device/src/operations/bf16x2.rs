operations! {
    /// The sums, differences and products.
    fn(a: u32, b: u32) -> u32: add_bf16x2 sub_bf16x2 mul_bf16x2;
    /// `a * b + c`, rounded once.
    fn(a: u32, b: u32, c: u32) -> u32: fma_bf16x2 fma_relu_bf16x2;
    /// Both with the other sign, and without.
    fn(a: u32) -> u32: neg_bf16x2 abs_bf16x2;
    /// The lesser of two pairs: the other one where one is NaN.
    fn(a: u32, b: u32) -> u32: min_bf16x2;
    /// The lesser of two pairs: NaN where one is NaN.
    fn(a: u32, b: u32) -> u32: min_nan_bf16x2;
    /// The greater of two pairs: the other one where one is NaN.
    fn(a: u32, b: u32) -> u32: max_bf16x2;
    /// The greater of two pairs: NaN where one is NaN.
    fn(a: u32, b: u32) -> u32: max_nan_bf16x2;
    /// The lesser magnitude of two pairs, negative where just one of the two is: the other one where one is NaN.
    fn(a: u32, b: u32) -> u32: min_xorsign_abs_bf16x2;
    /// The lesser magnitude of two pairs, negative where just one of the two is: NaN where one is NaN.
    fn(a: u32, b: u32) -> u32: min_nan_xorsign_abs_bf16x2;
    /// The greater magnitude of two pairs, negative where just one of the two is: the other one where one is NaN.
    fn(a: u32, b: u32) -> u32: max_xorsign_abs_bf16x2;
    /// The greater magnitude of two pairs, negative where just one of the two is: NaN where one is NaN.
    fn(a: u32, b: u32) -> u32: max_nan_xorsign_abs_bf16x2;
}
