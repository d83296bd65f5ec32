// There is nothing to say.
use cuda_device::device;

#[device(inline)]
fn helper() {}

fn main() {}
