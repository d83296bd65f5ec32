//! Linear algebra: nalgebra with simba, euclid, rgb and approx.

use approx::{abs_diff_eq, relative_eq, ulps_eq};
use euclid::default::{Box2D, Point2D, Point3D, Rotation3D, Transform2D, Transform3D, Vector3D};
use meaning::{
    case::{cases, traps},
    outcome::Near,
};
use nalgebra::{
    Isometry3, Matrix2, Matrix2x3, Matrix3, Orthographic3, Perspective3, Point3, Quaternion, Rotation2, Rotation3, SMatrix, Similarity3,
    Translation3, Unit, UnitQuaternion, Vector2, Vector3, Vector4,
};
use rgb::{ComponentMap, RGB8, RGBA};

struct Metres;
struct Screen;

cases! {
    fn matrix_product(a: [f32; 6], b: [f32; 6]) -> ([f32; 4], [f32; 9]) {
        let (a, b) = (Matrix2x3::from_column_slice(&a), Matrix2x3::from_row_slice(&b));
        let (inner, outer) = (a * b.transpose(), a.transpose() * b);
        (core::array::from_fn(|i| inner[i]), core::array::from_fn(|i| outer[i]))
    }

    fn matrix_inverse(a: [f64; 9]) -> (Option<[f64; 9]>, f64, f64) {
        let a = Matrix3::from_column_slice(&a);
        (a.try_inverse().map(|inverse| core::array::from_fn(|i| inverse[i])), a.determinant(), a.trace())
    }

    fn integer_matrix(a: [i16; 4], n: u8) -> [i64; 4] {
        let step = Matrix2::new(a[0] as i64, a[1] as i64, a[2] as i64, a[3] as i64).map(|element| element % 5);
        let power = (0..n % 6).fold(Matrix2::identity(), |power, _| power * step);
        [power.m11, power.m12, power.m21, power.m22]
    }

    fn vector_products(a: [f64; 3], b: [f64; 3]) -> ([f64; 3], f64, f64, Near<f64, 45>) {
        let (a, b) = (Vector3::from(a), Vector3::from(b));
        (a.cross(&b).into(), a.dot(&b), a.norm(), Near(a.angle(&b)))
    }

    fn vector_normalized(a: [f32; 4]) -> ([f32; 4], Option<[f32; 4]>, f32, usize) {
        let a = Vector4::from(a);
        (a.normalize().into(), a.try_normalize(1e-3).map(Into::into), a.lp_norm(1), a.iamax())
    }

    fn rotated_about(axis: [f64; 3], angle: f64, v: [f64; 3]) -> (Near<[f64; 3], 45>, Near<f64, 45>) {
        let turn = Rotation3::from_axis_angle(&Unit::new_normalize(Vector3::from(axis)), angle);
        (Near((turn * Vector3::from(v)).into()), Near(turn.angle()))
    }

    fn rotated_in_plane(angle: f32, v: [f32; 2]) -> (Near<[f32; 2], 17>, Near<f32, 17>) {
        let turn = Rotation2::new(angle);
        (Near((turn * Vector2::from(v)).into()), Near((turn * turn).angle()))
    }

    fn quaternion_rotated(roll: f64, pitch: f64, v: [f64; 3]) -> (Near<[f64; 3], 45>, Near<[f64; 4], 45>, Near<(f64, f64, f64), 45>) {
        let turn = UnitQuaternion::from_euler_angles(roll, pitch, 0.25);
        let moved = turn.transform_vector(&Vector3::from(v));
        // Half a turn to the left is one to the right.
        let (first, second, third) = turn.euler_angles();
        (Near(moved.into()), Near(turn.inverse().into_inner().coords.into()), Near((first.cos(), second, third.cos())))
    }

    fn quaternion_product(a: [f32; 4], b: [f32; 4]) -> ([f32; 4], Option<[f32; 4]>) {
        let (a, b) = (Quaternion::from(a), Quaternion::from(b));
        ((a * b).coords.into(), a.try_inverse().map(|inverse| inverse.coords.into()))
    }

    fn moved_rigidly(at: [f64; 3], by: [f64; 3], angle: f64) -> (Near<[f64; 3], 45>, Near<[f64; 3], 45>, Near<[f64; 3], 45>) {
        let motion = Isometry3::new(Vector3::from(by), Vector3::new(0.0, 0.0, angle));
        let at = Point3::from(at);
        let scaled = Similarity3::from_parts(Translation3::from(by), motion.rotation, 2.5);
        (Near((motion * at).coords.into()), Near(motion.inverse_transform_point(&at).coords.into()), Near(scaled.transform_point(&at).coords.into()))
    }

    fn projected(at: [f32; 3]) -> ([f32; 3], [f32; 3]) {
        let at = Point3::from(at);
        let (near, far) = (Perspective3::new(1.5, 1.0, 0.1, 100.0), Orthographic3::new(-1.0, 1.0, -2.0, 2.0, 0.1, 10.0));
        (near.project_point(&at).coords.into(), far.project_point(&at).coords.into())
    }

    fn solved(a: [f32; 4], b: [f32; 2]) -> Option<[f32; 2]> {
        Matrix2::from_column_slice(&a).lu().solve(&Vector2::from(b)).map(Into::into)
    }

    fn blocks(a: [f32; 16]) -> ([f32; 4], f32, [f32; 4], f32) {
        let mut a = SMatrix::<f32, 4, 4>::from_column_slice(&a);
        a.swap_rows(0, 3);
        a.fixed_view_mut::<2, 2>(1, 1).fill(2.0);
        let row: [f32; 4] = core::array::from_fn(|i| a.row(1)[i]);
        (a.column(2).into(), a.row_sum()[0], row, a.component_mul(&a).max())
    }

    fn euclid_units(a: [f32; 2], by: f32) -> ([f32; 2], f32) {
        let scale = euclid::Scale::<f32, Metres, Screen>::new(by);
        let moved = euclid::Point2D::<f32, Metres>::from(a) * scale;
        (moved.to_array(), euclid::Length::<f32, Screen>::new(moved.x).get())
    }

    fn euclid_transforms(a: [f64; 2], angle: f64) -> (Near<[f64; 2], 45>, Near<Option<[f64; 6]>, 45>, Near<f64, 45>) {
        let moves = Transform2D::rotation(euclid::Angle::radians(angle)).then_translate(euclid::vec2(1.0, -2.0)).then_scale(2.0, 0.5);
        (Near(moves.transform_point(Point2D::from(a)).to_array()), Near(moves.inverse().map(|inverse| inverse.to_array())), Near(moves.determinant()))
    }

    fn euclid_space(v: [f32; 3], angle: f32) -> (Near<[f32; 3], 17>, Near<Option<f32>, 17>, [f32; 3]) {
        let turn = Rotation3D::around_y(euclid::Angle::radians(angle));
        let moves: Transform3D<f32> = turn.to_transform().then_translate(euclid::vec3(1.0, 2.0, 3.0));
        let v = Vector3D::from(v);
        (Near(turn.transform_vector3d(v).to_array()), Near(moves.transform_point3d(Point3D::from(v.to_array())).map(|point| point.z)), v.cross(Vector3D::new(1.0, 0.0, 2.0)).to_array())
    }

    fn euclid_boxes(a: [i32; 4], b: [i16; 2]) -> (Option<i32>, bool, bool) {
        let a = a.map(|side| side / 4);
        let first = Box2D::new(Point2D::new(a[0], a[1]), Point2D::new(a[2], a[3]));
        let second = Box2D::from_points([Point2D::origin(), Point2D::new(b[0] as i32, b[1] as i32)]);
        (first.intersection(&second).map(|both| both.width()), first.intersects(&second), second.is_empty())
    }

    fn colours(a: [u8; 3], b: [u8; 3]) -> ([u8; 3], [u8; 4], u32) {
        let (a, b) = (RGB8::from(a), RGB8::from(b));
        let mixed = RGB8::new(a.r / 2 + b.r / 2, a.g / 2 + b.g / 2, a.b / 2 + b.b / 2);
        let shown: RGBA<u8> = mixed.map(|channel| channel ^ 0x80).with_alpha(7);
        (mixed.into(), shown.into(), a.map(u32::from).r + 1)
    }

    fn nearly_equal(a: f64, b: f64) -> (bool, bool, bool, bool) {
        let vectors = relative_eq!(Vector2::new(a, b), Vector2::new(b, a), epsilon = 1e-3);
        (abs_diff_eq!(a, b), relative_eq!(a, b, max_relative = 0.5), ulps_eq!(a, b, max_ulps = 9), vectors)
    }
}

traps! {
    fn outside(a: [f32; 4], i: usize) -> f32 { Matrix2::from_column_slice(&a)[(i, 1)] } [([1.0, 2.0, 3.0, 4.0], 1), ([1.0; 4], 2)]
}
