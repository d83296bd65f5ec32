use cuda_device::device;

#[device]
unsafe extern "C" {
    #[readonly]
    fn sum(numbers: *const f32, count: u32) -> f32;
}

fn main() {}
