//! What glam keeps in the host's vector registers: Vec3A, Vec4, Quat and their matrices.

use glam::{Affine3A, EulerRot, Mat2, Mat3, Mat3A, Mat4, Quat, Vec2, Vec3, Vec3A, Vec4, Vec4Swizzles};
use meaning::{
    case::{cases, traps},
    outcome::Near,
};

cases! {
    fn vec4_arithmetic(a: [f32; 4], b: [f32; 4], s: f32) -> [[f32; 4]; 5] {
        let (a, b) = (Vec4::from(a), Vec4::from(b));
        [(a + b * s).into(), (a / b - s).into(), a.min(b).into(), a.abs().into(), (-a).wzyx().into()]
    }

    fn vec4_products(a: [f32; 4], b: [f32; 4]) -> (f32, f32, [f32; 4], f32, f32) {
        let (a, b) = (Vec4::from(a), Vec4::from(b));
        (a.dot(b), a.length(), a.normalize_or_zero().into(), a.element_product(), a.max_element())
    }

    fn vec4_masks(a: [f32; 4], b: [f32; 4]) -> ([f32; 4], u32, bool, [f32; 2]) {
        let (a, b) = (Vec4::from(a), Vec4::from(b));
        let mask = a.cmpge(b) & a.cmpne(Vec4::ONE);
        (Vec4::select(mask, a, b).into(), mask.bitmask(), mask.any(), a.zw().into())
    }

    fn vec4_rounded(a: [f32; 4]) -> [[f32; 4]; 4] {
        let a = Vec4::from(a);
        [a.floor().into(), a.ceil().into(), a.round().into(), a.trunc().into()]
    }

    fn vec3a_products(a: [f32; 3], b: [f32; 3]) -> ([f32; 3], f32, [f32; 3], f32) {
        let (a, b) = (Vec3A::from(a), Vec3A::from(b));
        (a.cross(b).into(), a.dot(b), a.project_onto(b).into(), a.distance(b))
    }

    fn mat4_product(a: [f32; 16], b: [f32; 16], v: [f32; 4]) -> ([f32; 16], [f32; 4]) {
        let (a, b) = (Mat4::from_cols_array(&a), Mat4::from_cols_array(&b));
        ((a * b).to_cols_array(), (a.transpose() * Vec4::from(v)).into())
    }

    fn mat4_inverse(a: [f32; 16]) -> ([f32; 16], f32) {
        let a = Mat4::from_cols_array(&a);
        (a.inverse().to_cols_array(), a.determinant())
    }

    fn mat4_camera(eye: [f32; 3], at: [f32; 3]) -> ([f32; 16], [f32; 3]) {
        let view = Mat4::from_scale_rotation_translation(Vec3::splat(2.0), Quat::from_rotation_y(0.5), Vec3::from(eye));
        let all = Mat4::from_cols(Vec4::X, Vec4::Y, Vec4::new(0.5, 0.0, -1.0, -1.0), Vec4::NEG_Z) * view;
        (all.to_cols_array(), all.project_point3(Vec3::from(at)).into())
    }

    fn mat2_and_mat3(a: [f32; 4], b: [f32; 9], v: [f32; 3]) -> ([f32; 4], [f32; 9], [f32; 3]) {
        let (a, b) = (Mat2::from_cols_array(&a), Mat3::from_cols_array(&b));
        let turned = a.inverse() * Mat2::from_angle(0.5);
        (turned.to_cols_array(), (b * b.transpose()).to_cols_array(), (Mat3A::from(b) * Vec3A::from(v)).into())
    }

    fn quat_rotation(axis: [f32; 3], angle: f32, v: [f32; 3]) -> (Near<[f32; 3], 17>, Near<[f32; 4], 17>) {
        let turn = Quat::from_axis_angle(Vec3::from(axis).normalize_or(Vec3::X), angle);
        (Near((turn * Vec3::from(v)).into()), Near((turn * turn.conjugate()).into()))
    }

    fn quat_blended(a: [f32; 4], b: [f32; 4], t: f32) -> ([f32; 4], [f32; 4], f32) {
        let (a, b) = (Vec4::from(a).try_normalize(), Vec4::from(b).try_normalize());
        let (a, b) = (a.map_or(Quat::IDENTITY, Quat::from_vec4), b.map_or(Quat::IDENTITY, Quat::from_vec4));
        (a.slerp(b, t).into(), a.lerp(b, t).into(), a.dot(b))
    }

    fn quat_and_matrix(x: f32, y: f32, v: [f32; 3]) -> (Near<[f32; 3], 17>, Near<[f32; 4], 17>, Near<(f32, f32, f32), 17>) {
        let turn = Quat::from_euler(EulerRot::XYZ, x, y, 0.75);
        let back = Quat::from_mat3(&Mat3::from_quat(turn));
        (Near(turn.mul_vec3a(Vec3A::from(v)).into()), Near(back.into()), Near(turn.to_euler(EulerRot::ZYX)))
    }

    fn affine(by: [f32; 3], angle: f32, v: [f32; 3]) -> (Near<[f32; 3], 17>, Near<[f32; 12], 17>) {
        let moves = Affine3A::from_scale_rotation_translation(Vec3::new(1.0, 2.0, 0.5), Quat::from_rotation_z(angle), Vec3::from(by));
        (Near(moves.transform_point3(Vec3::from(v)).into()), Near(moves.inverse().to_cols_array()))
    }

    fn lanes_indexed(a: [f32; 4], which: u8) -> (f32, [f32; 4], [f32; 2]) {
        let mut a = Vec4::from(a);
        a[which as usize % 4] += 1.0;
        let read = a[(which as usize + 1) % 4];
        a.y = read;
        (read, a.to_array(), Vec2::new(a.x, a.w).into())
    }
}

traps! {}
