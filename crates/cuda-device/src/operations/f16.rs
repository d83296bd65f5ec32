operations! {
    /// The lesser of two: the other one where one is NaN.
    fn(a: u16, b: u16) -> u16: min_f16 min_ftz_f16;
    /// The lesser of two: NaN where one is NaN.
    fn(a: u16, b: u16) -> u16: min_nan_f16 min_ftz_nan_f16;
    /// The greater of two: the other one where one is NaN.
    fn(a: u16, b: u16) -> u16: max_f16 max_ftz_f16;
    /// The greater of two: NaN where one is NaN.
    fn(a: u16, b: u16) -> u16: max_nan_f16 max_ftz_nan_f16;
    /// The lesser magnitude of two, negative where just one of the two is: the other one where one is NaN.
    fn(a: u16, b: u16) -> u16: min_xorsign_abs_f16 min_ftz_xorsign_abs_f16;
    /// The lesser magnitude of two, negative where just one of the two is: NaN where one is NaN.
    fn(a: u16, b: u16) -> u16: min_nan_xorsign_abs_f16 min_ftz_nan_xorsign_abs_f16;
    /// The greater magnitude of two, negative where just one of the two is: the other one where one is NaN.
    fn(a: u16, b: u16) -> u16: max_xorsign_abs_f16 max_ftz_xorsign_abs_f16;
    /// The greater magnitude of two, negative where just one of the two is: NaN where one is NaN.
    fn(a: u16, b: u16) -> u16: max_nan_xorsign_abs_f16 max_ftz_nan_xorsign_abs_f16;
}
