//! Names an instance, and so has it.

use cuda_host::kernel::instance_name;
use kernels::{Negated, apply};

pub fn negated() -> &'static str {
    instance_name("apply", &apply::<Negated>)
}
