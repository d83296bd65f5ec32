//! The operations: each is a word.

crate::row::rows! {
    f16(f16, f16) -> f16:
        min_f16 min_xorsign_abs_f16 min_nan_f16 min_nan_xorsign_abs_f16 min_ftz_f16 min_ftz_xorsign_abs_f16 min_ftz_nan_f16
        min_ftz_nan_xorsign_abs_f16 max_f16 max_xorsign_abs_f16 max_nan_f16 max_nan_xorsign_abs_f16 max_ftz_f16 max_ftz_xorsign_abs_f16
        max_ftz_nan_f16 max_ftz_nan_xorsign_abs_f16;
    bf16(bf16, bf16) -> bf16:
        min_bf16 min_xorsign_abs_bf16 min_nan_bf16 min_nan_xorsign_abs_bf16 max_bf16 max_xorsign_abs_bf16 max_nan_bf16
        max_nan_xorsign_abs_bf16;
    f16x2(f16x2, f16x2) -> f16x2:
        add_f16x2 sub_f16x2 mul_f16x2 min_f16x2 min_xorsign_abs_f16x2 min_nan_f16x2 min_nan_xorsign_abs_f16x2 min_ftz_f16x2
        min_ftz_xorsign_abs_f16x2 min_ftz_nan_f16x2 min_ftz_nan_xorsign_abs_f16x2 max_f16x2 max_xorsign_abs_f16x2 max_nan_f16x2
        max_nan_xorsign_abs_f16x2 max_ftz_f16x2 max_ftz_xorsign_abs_f16x2 max_ftz_nan_f16x2 max_ftz_nan_xorsign_abs_f16x2;
    f16x2(f16x2, f16x2, f16x2) -> f16x2:
        fma_f16x2 fma_ftz_f16x2 fma_sat_f16x2 fma_ftz_sat_f16x2 fma_relu_f16x2 fma_ftz_relu_f16x2;
    f16x2(f16x2) -> f16x2: neg_f16x2 abs_f16x2;
    bf16x2(bf16x2, bf16x2) -> bf16x2:
        add_bf16x2 sub_bf16x2 mul_bf16x2 min_bf16x2 min_xorsign_abs_bf16x2 min_nan_bf16x2 min_nan_xorsign_abs_bf16x2 max_bf16x2
        max_xorsign_abs_bf16x2 max_nan_bf16x2 max_nan_xorsign_abs_bf16x2;
    bf16x2(bf16x2, bf16x2, bf16x2) -> bf16x2: fma_bf16x2 fma_relu_bf16x2;
    bf16x2(bf16x2) -> bf16x2: neg_bf16x2 abs_bf16x2;
    float(single, single) -> single:
        add_rn_f32 add_rn_sat_f32 mul_rn_f32 div_rn_f32 add_rn_ftz_f32 add_rn_ftz_sat_f32 mul_rn_ftz_f32 div_rn_ftz_f32 add_rz_f32
        add_rz_sat_f32 mul_rz_f32 div_rz_f32 add_rz_ftz_f32 add_rz_ftz_sat_f32 mul_rz_ftz_f32 div_rz_ftz_f32 add_rm_f32 add_rm_sat_f32
        mul_rm_f32 div_rm_f32 add_rm_ftz_f32 add_rm_ftz_sat_f32 mul_rm_ftz_f32 div_rm_ftz_f32 add_rp_f32 add_rp_sat_f32 mul_rp_f32
        div_rp_f32 add_rp_ftz_f32 add_rp_ftz_sat_f32 mul_rp_ftz_f32 div_rp_ftz_f32 min_xorsign_abs_f32 min_nan_xorsign_abs_f32
        min_ftz_xorsign_abs_f32 min_ftz_nan_xorsign_abs_f32 max_xorsign_abs_f32 max_nan_xorsign_abs_f32 max_ftz_xorsign_abs_f32
        max_ftz_nan_xorsign_abs_f32;
    float(single, single, single) -> single:
        fma_rn_f32 fma_rn_sat_f32 fma_rn_ftz_f32 fma_rn_ftz_sat_f32 fma_rz_f32 fma_rz_sat_f32 fma_rz_ftz_f32 fma_rz_ftz_sat_f32 fma_rm_f32
        fma_rm_sat_f32 fma_rm_ftz_f32 fma_rm_ftz_sat_f32 fma_rp_f32 fma_rp_sat_f32 fma_rp_ftz_f32 fma_rp_ftz_sat_f32;
    float(single) -> single:
        rcp_rn_f32 sqrt_rn_f32 rcp_rn_ftz_f32 sqrt_rn_ftz_f32 rcp_rz_f32 sqrt_rz_f32 rcp_rz_ftz_f32 sqrt_rz_ftz_f32 rcp_rm_f32 sqrt_rm_f32
        rcp_rm_ftz_f32 sqrt_rm_ftz_f32 rcp_rp_f32 sqrt_rp_f32 rcp_rp_ftz_f32 sqrt_rp_ftz_f32 sin_approx_f32 sin_approx_ftz_f32
        cos_approx_f32 cos_approx_ftz_f32 ex2_approx_f32 ex2_approx_ftz_f32 lg2_approx_f32 lg2_approx_ftz_f32 rsqrt_approx_f32
        rsqrt_approx_ftz_f32 sqrt_approx_f32 sqrt_approx_ftz_f32 rcp_approx_ftz_f32 tanh_approx_f32;
    float(double, double) -> double:
        add_rn_f64 add_rz_f64 add_rm_f64 add_rp_f64 mul_rn_f64 mul_rz_f64 mul_rm_f64 mul_rp_f64 div_rn_f64 div_rz_f64 div_rm_f64
        div_rp_f64;
    float(double, double, double) -> double: fma_rn_f64 fma_rz_f64 fma_rm_f64 fma_rp_f64;
    float(double) -> double:
        rcp_rn_f64 rcp_rz_f64 rcp_rm_f64 rcp_rp_f64 sqrt_rn_f64 sqrt_rz_f64 sqrt_rm_f64 sqrt_rp_f64 rsqrt_approx_f64 rcp_approx_ftz_f64;
    prmt(unsigned, unsigned, unsigned) -> unsigned: prmt prmt_f4e prmt_b4e;
    prmt(unsigned, unsigned) -> unsigned: prmt_rc8 prmt_ecl prmt_ecr prmt_rc16;
    dotprod(unsigned, unsigned, signed) -> signed: dp4a_s32 dp2a_s32;
    dotprod(unsigned, unsigned, unsigned) -> unsigned: dp4a_u32 dp2a_u32;
}
