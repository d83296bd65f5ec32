//! The library as another crate uses it.

use cuda_core::CudaContext;

#[test]
fn every_element_is_scaled_and_added() {
    let ctx = CudaContext::new(0).unwrap();
    let x: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let sums = NAME::saxpy(&ctx, 2.0, &x, &[1.0; 1000]).unwrap();
    assert!((0..1000u16).all(|i| sums[usize::from(i)] == f32::from(2 * i + 1)));
}
