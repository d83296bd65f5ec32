//! Kernels of every shape, and what the macros leave beside them. Warnings are errors: what a user's crate would show.

#![deny(warnings)]

use cuda_core::{CudaStream, DeviceBuffer, DeviceCopy, DriverError, LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchContractError};
use cuda_device::{cuda_module, kernel};
use cuda_host::{CudaKernel, GenericCudaKernel, RowWidth, type_id_u128_of_val};

#[derive(Clone, Copy, DeviceCopy)]
struct Pair<T> {
    first: T,
    second: [u8; 3],
}

#[derive(Clone, Copy, DeviceCopy)]
union Word {
    number: u32,
    float: f32,
}

#[cuda_module]
mod kernels {
    use cuda_device::{
        ConstantMemory, DisjointSlice, Uniform, cluster_launch, constant, cooperative_launch, device, kernel, launch_bounds,
        launch_contract, thread,
    };

    /// Its setter is named without the `r#`.
    #[constant]
    #[expect(dead_code, non_upper_case_globals)]
    pub static r#where: ConstantMemory<u32> = ConstantMemory::UNINIT;

    /// Takes one argument of each kind, under names that the launcher uses itself.
    #[kernel]
    pub fn kinds(stream: &[f32], config: &mut [u8], mut kernel: DisjointSlice<f32>, launch: (bool, char), mut scope: u32, unit: ()) {
        scope += u32::from(launch.0) + config.len() as u32;
        let () = unit;
        if let Some((element, index)) = kernel.get_mut_indexed() {
            *element = stream[index.get()] + scope as f32;
        }
    }

    #[kernel]
    pub fn scale<'a, T: Copy + std::ops::Mul<Output = T> + 'a, const N: usize>(factor: [T; N], mut out: DisjointSlice<'a, T>) {
        let i = thread::index_1d();
        let factor = factor[i.get() % N];
        if let Some(element) = out.get_mut(i) {
            *element = *element * factor;
        }
    }

    #[cfg(any())]
    #[kernel]
    pub fn absent() {}

    const SIDE: u32 = 16;

    /// The attributes stand before, between and after.
    #[launch_contract(
        domain = 2,
        coordinates = u32,
        block = (SIDE, SIDE, 1),
        dynamic_shared_range = (0, 4 * SIDE),
        dynamic_shared_alignment = 64,
        min_compute_capability = (9, 0),
        requires = (rows.len() >= height * 2, height > 0),
    )]
    #[kernel(launch_context = launch)]
    #[cluster_launch(2, 1)]
    #[cooperative_launch]
    pub fn contracted(mut rows: DisjointSlice<u8, thread::Runtime2DIndex>, height: Uniform<u32>) {
        let coordinates = thread::coord_2d_u32(launch);
        if coordinates.row() < height.get()
            && let Some(index) = thread::index_2d_runtime(&rows)
            && let Some(element) = rows.get_mut(index)
        {
            *element = 1;
        }
    }

    pub trait Sized {
        const THREADS: u32;
        const CLUSTER: u32 = 2;
    }

    impl Sized for f32 {
        const THREADS: u32 = 64;
    }

    impl Sized for u8 {
        const THREADS: u32 = 256;
    }

    /// Contracts of instances, of which each is checked by its own.
    #[kernel]
    #[launch_contract(domain = 1, block = (T::THREADS, 1, 1), dynamic_shared = 4 * N, requires = (out.len() + 1 > least * n, n != 0))]
    #[launch_bounds(T::THREADS, 2)]
    pub fn of_instances<'a, T: Sized + Copy, F: Fn(T) -> T + Copy, const N: u32>(f: F, mut out: DisjointSlice<'a, T>, least: u8, n: usize) {
        let _ = (least, n);
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = f(*element);
        }
    }

    #[kernel(f32, u8)]
    #[launch_contract(domain = 1, block = (T::THREADS, 1, 1))]
    #[cluster_launch(T::CLUSTER)]
    pub unsafe fn in_clusters<T: Sized + Copy>(out: DisjointSlice<T>) {
        let _ = out;
    }

    #[kernel(f32, u8)]
    #[launch_bounds(T::THREADS, 2)]
    #[cluster_launch(T::CLUSTER)]
    pub fn of_types<T: Sized + Copy>(mut warps: DisjointSlice<T, thread::WarpIndex>, value: [T; 2]) {
        let [first, _] = value;
        if let Some(warp) = thread::warp_index()
            && let Some(element) = warps.get_mut(warp)
        {
            *element = first;
        }
    }

    /// What `borrowing` takes by value.
    #[derive(Clone, Copy)]
    pub struct Borrow<'a>(pub &'a u32);

    /// Its launchers without a contract take what is there for long enough, says their caller; those with one what borrows nothing.
    #[kernel]
    #[launch_contract(domain = 1, block = (64, 1, 1))]
    pub fn borrowing<'a>(named: Borrow<'a>, left_out: (Borrow<'_>, &u32), function: Option<fn(&u32) -> &u32>) {
        let _ = (named.0, left_out.0.0, left_out.1, function);
    }

    #[device]
    fn row_sum<const WIDTH: usize>(values: &[u32]) -> Option<u32> {
        let index = thread::index_2d::<WIDTH>()?;
        values.get(index.get()).copied()
    }

    pub mod inner {
        use super::*;

        #[kernel]
        pub unsafe fn nested(values: &[u32], sum: *mut u32) {
            // SAFETY: the caller vouches for the address.
            unsafe { *sum = row_sum::<8>(values).unwrap_or(0) }
        }
    }
}

#[kernel]
fn outside() {}

#[test]
fn names() {
    assert_eq!(__outside_CudaKernel::PTX_NAME, "outside");
    assert_eq!(kernels::inner::__nested_CudaKernel::PTX_NAME, "nested");
    let identity = type_id_u128_of_val(&kernels::scale::<f32, 2>);
    assert_eq!(kernels::scale_ptx_name::<f32, 2>(), format!("scale_TID_{identity:032x}"));
    assert_eq!(kernels::__scale_CudaKernel::<f32, 2>::ptx_name(), kernels::scale_ptx_name::<f32, 2>());
    assert_ne!(kernels::scale_ptx_name::<f32, 2>(), kernels::scale_ptx_name::<f32, 3>());
    assert_eq!(kernels::__of_types_u8_CudaKernel::PTX_NAME, "of_types_u8");
    assert!(kernels::of_types_ptx_name::<u8>().starts_with("of_types_TID_"));
}

#[test]
fn copies() {
    fn device_copy<T: DeviceCopy>(_: T) {}
    let pair = Pair { first: 1, second: [2; 3] };
    device_copy((pair, Word { float: 1.0 }));
    assert_eq!((pair.first, pair.second), (1, [2; 3]));
    // SAFETY: both fields are any four bytes.
    assert_eq!(unsafe { Word { number: 0 }.float }, 0.0);
}

#[test]
fn contracts() {
    use cuda_core::{
        BlockRequirement, DynamicSharedMemoryRequirement, KernelLaunchContract, LaunchContractSpec, launch::CoordinateRequirement,
    };
    use kernels::{__contracted_CudaKernel, __in_clusters_u8_CudaKernel, __of_instances_CudaKernel};

    type Negation = fn(f32) -> f32;

    const CONTRACTED: LaunchContractSpec = __contracted_CudaKernel::SPEC;
    assert_eq!((CONTRACTED.kernel_name(), CONTRACTED.block()), ("contracted", BlockRequirement::Exact((16, 16, 1))));
    let memory = DynamicSharedMemoryRequirement::Range { min_bytes: 0, max_bytes: 64, min_alignment: 64 };
    assert_eq!((CONTRACTED.dynamic_shared_memory(), CONTRACTED.coordinates()), (memory, CoordinateRequirement::U32));
    assert_eq!((CONTRACTED.cluster(), CONTRACTED.cooperative()), (Some((2, 1, 1)), true));
    assert_eq!(CONTRACTED.min_compute_capability(), Some((9, 0)));
    let instance = <__of_instances_CudaKernel<'_, f32, Negation, 8>>::SPEC;
    assert_eq!((instance.kernel_name(), instance.block()), ("of_instances", BlockRequirement::Exact((64, 1, 1))));
    assert_eq!(instance.dynamic_shared_memory(), DynamicSharedMemoryRequirement::Exact { bytes: 32, min_alignment: 16 });
    assert_eq!((instance.min_compute_capability(), instance.coordinates()), (None, CoordinateRequirement::Native));
    let entry = __in_clusters_u8_CudaKernel::SPEC;
    assert_eq!((entry.kernel_name(), entry.block()), ("in_clusters_u8", BlockRequirement::Exact((256, 1, 1))));
    assert_eq!((entry.cluster(), entry.min_compute_capability()), (Some((2, 1, 1)), Some((9, 0))));
    assert_eq!(entry.dynamic_shared_memory(), DynamicSharedMemoryRequirement::Exact { bytes: 0, min_alignment: 1 });
}

/// Never called: the launchers' types are the test.
#[expect(dead_code)]
fn launch(
    module: &kernels::LoadedModule,
    stream: &CudaStream,
    input: &DeviceBuffer<f32>,
    bytes: &mut DeviceBuffer<u8>,
    output: &mut DeviceBuffer<f32>,
    words: &DeviceBuffer<u32>,
) -> Result<(), DriverError> {
    let config = LaunchConfig::for_num_elems(1);
    // SAFETY: this is never called.
    unsafe {
        module.kinds(stream, config, input, bytes, output, (true, 'x'), 1, ())?;
        module.scale(stream, config, [1.0, 2.0], output)?;
        module.set_where(stream, &1)?;
        module.contracted_unchecked(stream, config, RowWidth::new(bytes, 32), 7)?;
        module.of_instances_unchecked::<_, _, 3>(stream, config, |a| -a, output, 1, 2)?;
        module.of_types_u8(stream, config, bytes, [1, 2])?;
        let number = &config.shared_mem_bytes;
        module.borrowing_unchecked(stream, config, kernels::Borrow(number), (kernels::Borrow(number), number), None)?;
        module.of_types::<f32>(stream, config, output, [1.0, 2.0])?;
        kernels::inner::LoadedModule::from_parent(module)?.nested(stream, config, words, std::ptr::null_mut())
    }
}

/// Never called: which launches are safe, and what they take, is the test.
#[expect(dead_code)]
fn launch_prepared(
    module: &kernels::LoadedModule,
    stream: &CudaStream,
    bytes: &mut DeviceBuffer<u8>,
    output: &mut DeviceBuffer<f32>,
) -> Result<(), LaunchContractError> {
    let prepared = module.prepare_contracted(LaunchConfig2D::new((2, 2), (16, 16), 0))?;
    for height in 0..3 {
        module.contracted(stream, &prepared, RowWidth::new(bytes, 32), height)?;
    }
    static NUMBER: u32 = 1;
    let prepared = module.prepare_borrowing(LaunchConfig1D::new(1, 64, 0))?;
    module.borrowing(stream, &prepared, kernels::Borrow(&NUMBER), (kernels::Borrow(&NUMBER), &NUMBER), None)?;
    let negate = |a: f32| -a;
    let prepared = module.prepare_of_instances_for::<_, _, 3>(&0.0, &negate, LaunchConfig1D::new(1, 64, 12))?;
    module.of_instances(stream, &prepared, negate, output, 1, 2)?;
    let prepared = module.prepare_in_clusters_f32(LaunchConfig1D::new(1, 64, 0))?;
    // SAFETY: this is never called.
    unsafe { module.in_clusters_f32(stream, &prepared, output) }
}
