//! Vectors, matrices and rotations of glam.

use glam::{
    BVec3, DMat3, DQuat, DVec2, DVec3, I16Vec3, I64Vec2, IVec2, IVec3, IVec4, U8Vec4, USizeVec2, UVec3, UVec4, Vec2, Vec3, Vec3Swizzles,
};
use meaning::{
    case::{cases, traps},
    outcome::Near,
};

cases! {
    fn vec2_arithmetic(a: [f32; 2], b: [f32; 2], s: f32) -> [[f32; 2]; 5] {
        let (a, b) = (Vec2::from(a), Vec2::from(b));
        [(a + b * s).into(), (a / b - s).into(), a.perp().into(), a.midpoint(b).into(), a.rotate(b).into()]
    }

    fn vec3_products(a: [f32; 3], b: [f32; 3]) -> ([f32; 3], f32, f32, f32) {
        let (a, b) = (Vec3::from_array(a), Vec3::from_array(b));
        (a.cross(b).into(), a.dot(b), a.length(), a.distance_squared(b))
    }

    fn vec3_directions(a: [f32; 3], b: [f32; 3]) -> ([f32; 3], [f32; 3], Option<f32>, bool) {
        let (a, b) = (Vec3::from(a), Vec3::from(b));
        (a.normalize_or_zero().into(), a.reflect(b).into(), a.try_normalize().map(|unit| unit.x), a.is_normalized())
    }

    fn vec3_by_component(a: [f32; 3], b: [f32; 3]) -> [[f32; 3]; 6] {
        let (a, b) = (Vec3::from(a), Vec3::from(b));
        [a.min(b).into(), a.max(b).into(), a.abs().into(), a.floor().into(), a.fract().into(), a.zyx().into()]
    }

    fn vec3_masks(a: [f32; 3], b: [f32; 3]) -> ([f32; 3], bool, bool, u32) {
        let (a, b) = (Vec3::from(a), Vec3::from(b));
        let mask: BVec3 = a.cmplt(b) | a.cmpeq(Vec3::ZERO);
        (Vec3::select(mask, a, b).into(), mask.any(), mask.all(), mask.bitmask())
    }

    fn vec3_indexed(a: [f32; 3], which: u8) -> ([f32; 3], f32, f32) {
        let mut a = Vec3::from(a);
        a[which as usize % 3] *= 2.0;
        (a.to_array(), a[2], a.element_sum())
    }

    fn dvec3_frame(a: [f64; 3]) -> ([f64; 3], [f64; 3], f64) {
        let a = DVec3::from(a);
        let (first, second) = a.normalize_or(DVec3::Z).any_orthonormal_pair();
        (first.into(), second.into(), first.dot(second))
    }

    fn dvec2_angles(a: [f64; 2], b: [f64; 2]) -> (Near<f64, 45>, Near<f64, 45>, Near<[f64; 2], 45>, f64) {
        let (a, b) = (DVec2::from(a), DVec2::from(b));
        (Near(a.angle_to(b)), Near(a.to_angle()), Near(DVec2::from_angle(a.x).into()), a.perp_dot(b))
    }

    fn vec3_interpolated(a: [f32; 3], b: [f32; 3], t: f32) -> [[f32; 3]; 4] {
        let (a, b) = (Vec3::from(a), Vec3::from(b));
        [a.lerp(b, t).into(), a.move_towards(b, t).into(), a.clamp(Vec3::NEG_ONE, Vec3::ONE).into(), a.clamp_length_max(2.0).into()]
    }

    fn ivec_arithmetic(a: [i32; 3], b: [i32; 3]) -> ([i32; 3], [i32; 3], i32, [i32; 2]) {
        let (a, b) = (IVec3::from(a), IVec3::from(b));
        (a.wrapping_mul(b).into(), a.saturating_sub(b).into(), a.min_element(), (a.xy() ^ (b.yz() >> 3i32)).into())
    }

    fn ivec_checked(a: [i32; 2], b: [i32; 2]) -> (Option<[i32; 2]>, [i32; 2], u32) {
        let (a, b) = (IVec2::from(a), IVec2::from(b));
        (a.checked_add(b).map(Into::into), (a & b | 1).signum().into(), a.x.abs_diff(b.x))
    }

    fn unsigned_vectors(a: [u32; 4], b: [u32; 4]) -> ([u32; 4], [u8; 4], u32, [u64; 2]) {
        let (a, b) = (UVec4::from(a), UVec4::from(b));
        let cells = USizeVec2::new(a.x as usize, b.y as usize) / USizeVec2::new(3, 7);
        (a.max(b).into(), U8Vec4::new(a.x as u8, a.y as u8, 3, 4).wrapping_add(U8Vec4::MAX).into(), a.dot(b), [cells.x as u64, cells.y as u64])
    }

    fn other_widths(a: [i16; 3], b: [i64; 2]) -> ([i16; 3], [i64; 2], [i32; 4]) {
        let short = I16Vec3::from(a);
        (short.wrapping_add(short.yzx()).into(), (I64Vec2::from(b) / 3).into(), IVec4::from((short.as_ivec3(), 9)).into())
    }

    fn grid_cell(a: [f32; 2]) -> ([i32; 2], [u32; 2], [u32; 3]) {
        let a = Vec2::from(a);
        (a.as_ivec2().into(), a.abs().as_uvec2().into(), UVec3::new(1, 2, 3).into())
    }

    fn dmat3_inverse(a: [f64; 9], v: [f64; 3]) -> ([f64; 9], f64, [f64; 3]) {
        let a = DMat3::from_cols_array(&a);
        let product = a * a.transpose();
        (a.inverse().to_cols_array(), a.determinant(), (product * DVec3::from(v)).into())
    }

    fn dquat_rotation(axis: [f64; 3], angle: f64, v: [f64; 3]) -> (Near<[f64; 3], 45>, Near<[f64; 4], 45>, Near<f64, 45>) {
        let turn = DQuat::from_axis_angle(DVec3::from(axis).normalize_or(DVec3::X), angle);
        let half = DQuat::IDENTITY.slerp(turn, 0.5);
        (Near((turn * DVec3::from(v)).into()), Near(half.into()), Near(half.angle_between(turn)))
    }

    fn hashed(a: [i32; 3]) -> (u64, bool) {
        use core::hash::{Hash, Hasher};
        let mut state = fnv::FnvHasher::default();
        IVec3::from(a).hash(&mut state);
        (state.finish(), IVec3::from(a) == IVec3::splat(a[0]))
    }

    fn summed(values: [f32; 6]) -> ([f32; 2], [f32; 2]) {
        let points = || values.chunks_exact(2).map(Vec2::from_slice);
        (points().sum::<Vec2>().into(), points().fold(Vec2::MAX, Vec2::min).into())
    }
}

traps! {}
