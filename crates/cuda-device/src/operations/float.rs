operations! {
    /// `a + b`.
    fn(a: f32, b: f32) -> f32:
        add_rn_f32 add_rn_sat_f32 add_rn_ftz_f32 add_rn_ftz_sat_f32 add_rz_f32 add_rz_sat_f32 add_rz_ftz_f32 add_rz_ftz_sat_f32
        add_rm_f32 add_rm_sat_f32 add_rm_ftz_f32 add_rm_ftz_sat_f32 add_rp_f32 add_rp_sat_f32 add_rp_ftz_f32 add_rp_ftz_sat_f32;
    /// `a * b + c`, rounded once.
    fn(a: f32, b: f32, c: f32) -> f32:
        fma_rn_f32 fma_rn_sat_f32 fma_rn_ftz_f32 fma_rn_ftz_sat_f32 fma_rz_f32 fma_rz_sat_f32 fma_rz_ftz_f32 fma_rz_ftz_sat_f32
        fma_rm_f32 fma_rm_sat_f32 fma_rm_ftz_f32 fma_rm_ftz_sat_f32 fma_rp_f32 fma_rp_sat_f32 fma_rp_ftz_f32 fma_rp_ftz_sat_f32;
    /// `a * b`.
    fn(a: f32, b: f32) -> f32:
        mul_rn_f32 mul_rn_ftz_f32 mul_rz_f32 mul_rz_ftz_f32 mul_rm_f32 mul_rm_ftz_f32 mul_rp_f32 mul_rp_ftz_f32;
    /// `a / b`.
    fn(a: f32, b: f32) -> f32:
        div_rn_f32 div_rn_ftz_f32 div_rz_f32 div_rz_ftz_f32 div_rm_f32 div_rm_ftz_f32 div_rp_f32 div_rp_ftz_f32;
    /// `1 / a`.
    fn(a: f32) -> f32:
        rcp_rn_f32 rcp_rn_ftz_f32 rcp_rz_f32 rcp_rz_ftz_f32 rcp_rm_f32 rcp_rm_ftz_f32 rcp_rp_f32 rcp_rp_ftz_f32;
    /// The square root.
    fn(a: f32) -> f32:
        sqrt_rn_f32 sqrt_rn_ftz_f32 sqrt_rz_f32 sqrt_rz_ftz_f32 sqrt_rm_f32 sqrt_rm_ftz_f32 sqrt_rp_f32 sqrt_rp_ftz_f32;
    /// `a + b`, `a * b` and `a / b`.
    fn(a: f64, b: f64) -> f64:
        add_rn_f64 add_rz_f64 add_rm_f64 add_rp_f64 mul_rn_f64 mul_rz_f64 mul_rm_f64 mul_rp_f64 div_rn_f64 div_rz_f64 div_rm_f64
        div_rp_f64;
    /// `a * b + c`, rounded once.
    fn(a: f64, b: f64, c: f64) -> f64: fma_rn_f64 fma_rz_f64 fma_rm_f64 fma_rp_f64;
    /// `1 / a`, and the square root.
    fn(a: f64) -> f64: rcp_rn_f64 rcp_rz_f64 rcp_rm_f64 rcp_rp_f64 sqrt_rn_f64 sqrt_rz_f64 sqrt_rm_f64 sqrt_rp_f64;
    /// About the sine, and the cosine.
    fn(a: f32) -> f32: sin_approx_f32 sin_approx_ftz_f32 cos_approx_f32 cos_approx_ftz_f32;
    /// About the power of 2, and the logarithm to base 2.
    fn(a: f32) -> f32: ex2_approx_f32 ex2_approx_ftz_f32 lg2_approx_f32 lg2_approx_ftz_f32;
    /// About one by the square root, and the square root.
    fn(a: f32) -> f32: rsqrt_approx_f32 rsqrt_approx_ftz_f32 sqrt_approx_f32 sqrt_approx_ftz_f32;
    /// About `1 / a`.
    fn(a: f32) -> f32: rcp_approx_ftz_f32;
    /// About the hyperbolic tangent.
    fn(a: f32) -> f32: tanh_approx_f32;
    /// About one by the square root.
    fn(a: f64) -> f64: rsqrt_approx_f64;
    /// Roughly `1 / a`, in the upper 32 bits; the lower ones are 0.
    fn(a: f64) -> f64: rcp_approx_ftz_f64;
    /// The lesser magnitude of two, negative where just one of the two is: the other one where one is NaN.
    fn(a: f32, b: f32) -> f32: min_xorsign_abs_f32 min_ftz_xorsign_abs_f32;
    /// The lesser magnitude of two, negative where just one of the two is: NaN where one is NaN.
    fn(a: f32, b: f32) -> f32: min_nan_xorsign_abs_f32 min_ftz_nan_xorsign_abs_f32;
    /// The greater magnitude of two, negative where just one of the two is: the other one where one is NaN.
    fn(a: f32, b: f32) -> f32: max_xorsign_abs_f32 max_ftz_xorsign_abs_f32;
    /// The greater magnitude of two, negative where just one of the two is: NaN where one is NaN.
    fn(a: f32, b: f32) -> f32: max_nan_xorsign_abs_f32 max_ftz_nan_xorsign_abs_f32;
}
