operations! {
    /// The lesser of two: the other one where one is NaN.
    fn(a: u16, b: u16) -> u16: min_bf16;
    /// The lesser of two: NaN where one is NaN.
    fn(a: u16, b: u16) -> u16: min_nan_bf16;
    /// The greater of two: the other one where one is NaN.
    fn(a: u16, b: u16) -> u16: max_bf16;
    /// The greater of two: NaN where one is NaN.
    fn(a: u16, b: u16) -> u16: max_nan_bf16;
    /// The lesser magnitude of two, negative where just one of the two is: the other one where one is NaN.
    fn(a: u16, b: u16) -> u16: min_xorsign_abs_bf16;
    /// The lesser magnitude of two, negative where just one of the two is: NaN where one is NaN.
    fn(a: u16, b: u16) -> u16: min_nan_xorsign_abs_bf16;
    /// The greater magnitude of two, negative where just one of the two is: the other one where one is NaN.
    fn(a: u16, b: u16) -> u16: max_xorsign_abs_bf16;
    /// The greater magnitude of two, negative where just one of the two is: NaN where one is NaN.
    fn(a: u16, b: u16) -> u16: max_nan_xorsign_abs_bf16;
}
