// The dynamic shared memory of named instances of a generic kernel, aligned as its contract says or better; with a contract alone there is none.
// want: .extern .shared .align 32 .b8 __dynamic_smem_put_u32[];
// want: .extern .shared .align 32 .b8 __dynamic_smem_put_f64[];
// want: .extern .shared .align 64 .b8 __dynamic_smem_wide_u8[];
// never: __dynamic_smem__R
// never: __dynamic_smem_none
// count 3: .reqntid 32, 1, 1

use cuda_device::{DynamicSharedArray, kernel, launch_bounds, launch_contract, thread};

#[launch_bounds(32)]
#[launch_contract(domain = 1, coordinates = u32, block = (32, 1, 1), dynamic_shared = 256, dynamic_shared_alignment = 32)]
#[kernel(u32, f64, launch_context = context)]
pub fn put<T: Copy>(value: T) {
    let _index = thread::index_1d_u32(context);
    let shared = DynamicSharedArray::<T, 8>::get();
    unsafe { core::ptr::write_volatile(shared, value) };
}

#[launch_contract(domain = 1, block = (32, 1, 1), dynamic_shared = 256, dynamic_shared_alignment = 32)]
#[kernel(u8)]
pub fn wide<T: Copy>(value: T) {
    unsafe { DynamicSharedArray::<T, 64>::get().write_volatile(value) };
    helper();
}

#[inline(never)]
fn helper() {
    unsafe { DynamicSharedArray::<u8>::get_raw().add(1).write_volatile(7) };
}

#[launch_bounds(16)]
#[launch_contract(domain = 1, dynamic_shared = 256, dynamic_shared_alignment = 32)]
#[kernel(u8)]
pub fn none<T: Copy>(_value: T) {}

fn main() {}
