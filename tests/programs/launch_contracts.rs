//! Launch contracts: what they refuse before a launch, in which order, and launches that are safe once they are prepared.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, LaunchConfig1D, LaunchConfig2D, LaunchConfig3D, LaunchContractError};
use cuda_device::{
    DisjointSlice, DynamicSharedArray, Uniform, cluster_launch,
    cooperative_groups::{ThreadGroup, this_grid},
    cooperative_launch, cuda_module, kernel, launch_bounds, launch_contract, thread,
};
use cuda_host::RowWidth;

const LARGE: u32 = 100 << 10;

#[cuda_module]
mod kernels {
    use super::*;

    pub trait Tuned {
        const THREADS: u32;
    }

    impl Tuned for u32 {
        const THREADS: u32 = 64;
    }

    impl Tuned for u64 {
        const THREADS: u32 = 32;
    }

    #[kernel]
    #[launch_contract(
        domain = 1,
        block = (64, 1, 1),
        requires = (input.len() >= 2 * out.len() - skipped, (out.len()) != 3),
    )]
    pub fn pairs(input: &[u32], mut out: DisjointSlice<u32>, skipped: Uniform<u8>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            let i = 2 * index.get();
            *element = input[i] + input.get(i + 1).copied().unwrap_or(u32::from(skipped.get()));
        }
    }

    #[kernel]
    #[launch_contract(domain = 1, block = (T::THREADS, 1, 1))]
    pub fn map<T: Tuned + Copy, F: Fn(T) -> T + Copy>(function: F, mut out: DisjointSlice<T>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = function(*element);
        }
    }

    /// A block of its own shape within bounds that allow more, and memory beyond what a launch may have without being allowed to.
    #[kernel]
    #[launch_bounds(128, 1)]
    #[launch_contract(domain = 2, block = (8, 4, 1), dynamic_shared_range = (4, LARGE), dynamic_shared_alignment = 128)]
    pub fn reversed(mut rows: DisjointSlice<u32, thread::Runtime2DIndex>, words: u32) {
        let shared = DynamicSharedArray::<u32>::get();
        let place = thread::threadIdx_y() * thread::blockDim_x() + thread::threadIdx_x();
        // SAFETY: each thread writes words of its own, and the contract's launches have so many.
        unsafe { shared.add((place % words) as usize).write(place) };
        thread::sync_threads();
        if let Some(index) = thread::index_2d_runtime(&rows)
            && let Some(element) = rows.get_mut(index)
        {
            // SAFETY: as above.
            *element = unsafe { shared.add(((31 - place) % words) as usize).read() } + (shared as usize % 128) as u32;
        }
    }

    #[kernel]
    #[launch_contract(domain = 3, coordinates = u32, block = (2, 2, 2), min_compute_capability = (99, 0))]
    pub fn of_the_future() {}

    #[kernel]
    #[cooperative_launch]
    #[launch_contract(domain = 1)]
    #[launch_bounds(256)]
    pub fn together(mut out: DisjointSlice<u32>) {
        let grid = this_grid();
        grid.sync();
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = grid.size();
        }
    }

    #[kernel(u32)]
    #[cluster_launch(T::THREADS / 32)]
    #[launch_contract(domain = 1, block = (T::THREADS, 1, 1))]
    pub fn clustered<T: Tuned>(mut out: DisjointSlice<T>)
    where
        T: From<u32>,
    {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = cuda_device::cluster::cluster_size().into();
        }
    }

    /// # Safety
    ///
    /// `out` is the address of a word.
    #[kernel]
    #[launch_contract(domain = 1, block = (1, 1, 1))]
    pub unsafe fn to_an_address(out: *mut u32) {
        // SAFETY: the caller vouches for it.
        unsafe { out.write(7) };
    }

    /// Named instances whose memory, of each its own type, is aligned as the contract says.
    #[kernel(u32, u64, launch_context = context)]
    #[launch_contract(domain = 1, coordinates = u32, block = (32, 1, 1), dynamic_shared = 256, dynamic_shared_alignment = 64)]
    pub fn turned<T: Copy>(mut values: DisjointSlice<T>) {
        let index = thread::index_1d_u32(context);
        let i = index.get() as usize;
        let shared = DynamicSharedArray::<T, 8>::get();
        // SAFETY: the contract's launches have a block of 32 threads, and memory for a value of each.
        unsafe { shared.add(i).write(*values.get_unchecked_mut(i)) };
        thread::sync_threads();
        // SAFETY: as above; an address that is not aligned gives no value.
        unsafe { *values.get_unchecked_mut(i) = shared.add((31 - i) | shared as usize % 64 * 999).read() };
    }

    pub mod inner {
        use super::*;

        #[kernel]
        #[launch_contract(domain = 1, block = (32, 1, 1), dynamic_shared = 16)]
        pub fn size_of_shared(mut out: DisjointSlice<u32>) {
            if let Some((element, _)) = out.get_mut_indexed() {
                *element = cuda_device::shared::dynamic_smem_size();
            }
        }
    }
}

fn refusal<T>(result: Result<T, LaunchContractError>) -> LaunchContractError {
    result.err().expect("refused")
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    // SAFETY: the program carries what was compiled from this file.
    let module = unsafe { kernels::load(&ctx) }.unwrap();
    let zeros = |len| DeviceBuffer::<u32>::zeroed(&stream, len).unwrap();
    let read = |buffer: &DeviceBuffer<u32>| buffer.to_host_vec(&stream).unwrap();

    // Sizes are compared at each launch, by the arguments' own values.
    let prepared = module.prepare_pairs(LaunchConfig1D::new(2, 64, 0)).unwrap();
    let input = DeviceBuffer::from_host(&stream, &(0..199).collect::<Vec<u32>>()).unwrap();
    let mut out = zeros(100);
    let error = refusal(module.pairs(&stream, &prepared, &input, &mut out, 0));
    assert!(matches!(error, LaunchContractError::SizeRequirementViolated { kernel: "pairs", lhs: 199, rhs: 200, .. }), "{error}");
    assert_eq!(error.to_string(), "pairs: size requirement `input.len() >= 2 * out.len() - skipped` violated: 199 against 200");
    let error = refusal(module.pairs(&stream, &prepared, &input, &mut zeros(1), 3));
    assert!(matches!(error, LaunchContractError::SizeRequirementOverflow { .. }), "{error}");
    let error = refusal(module.pairs(&stream, &prepared, &input, &mut zeros(3), 0));
    assert!(matches!(error, LaunchContractError::SizeRequirementViolated { relation: "(out.len()) != 3", .. }), "{error}");
    for _ in 0..2 {
        module.pairs(&stream, &prepared.clone(), &input, &mut out, 1).unwrap();
    }
    assert_eq!(read(&out), (0..100).map(|i| 4 * i + 1 - u32::from(i == 99) * 198).collect::<Vec<_>>());
    let error = refusal(module.prepare_pairs(LaunchConfig1D::new(2, 32, 0)));
    assert!(matches!(error, LaunchContractError::BlockShapeMismatch { required: (64, 1, 1), actual: (32, 1, 1), .. }), "{error}");
    let error = refusal(module.prepare_pairs(LaunchConfig1D::new(2, 64, 4)));
    assert!(matches!(error, LaunchContractError::DynamicSharedMemoryExactMismatch { required: 0, actual: 4, .. }), "{error}");
    let error = refusal(module.prepare_pairs(LaunchConfig1D::new(0, 64, 0)));
    assert!(matches!(error, LaunchContractError::ZeroDimension { .. }), "{error}");
    let line = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the kernel checks its indices.
    unsafe { module.pairs_unchecked(&stream, line, &input, &mut zeros(3), 1) }.unwrap();

    // Instances by types and by values, each with its own block.
    let mut wide = DeviceBuffer::from_host(&stream, &[1u64; 50]).unwrap();
    let error = refusal(module.prepare_map::<u64, fn(u64) -> u64>(LaunchConfig1D::new(2, 64, 0)));
    assert!(matches!(error, LaunchContractError::BlockShapeMismatch { kernel: "map", required: (32, 1, 1), .. }), "{error}");
    let (factor, term) = (3u64, 4u8);
    let function = move |a: u64| a * factor + u64::from(term);
    let prepared = module.prepare_map_for(&0, &function, LaunchConfig1D::new(2, 32, 0)).unwrap();
    module.map(&stream, &prepared, function, &mut wide).unwrap();
    assert_eq!(wide.to_host_vec(&stream).unwrap(), [7; 50]);

    // Memory that the function must be allowed first.
    let shape = |bytes| LaunchConfig2D::new((2, 2), (8, 4), bytes);
    let prepared = module.prepare_reversed(shape(LARGE)).unwrap();
    assert_eq!(prepared.function().max_dynamic_shared_memory_bytes().unwrap(), LARGE);
    let mut rows = zeros(128);
    module.reversed(&stream, &prepared, RowWidth::new(&mut rows, 16), LARGE / 4).unwrap();
    let expected: Vec<u32> = (0..128).map(|i| 31 - (i / 16 % 4 * 8 + i % 8)).collect();
    assert_eq!(read(&rows), expected);
    let error = refusal(module.prepare_reversed(shape(2)));
    assert!(matches!(error, LaunchContractError::DynamicSharedMemoryOutsideRange { min: 4, max: LARGE, .. }), "{error}");

    let error = refusal(module.prepare_of_the_future(LaunchConfig3D::new((1, 1, 1 << 31), (2, 2, 2), 0)));
    assert!(matches!(error, LaunchContractError::CoordinateRangeExceedsU32 { positions: 0x1_0000_0000, .. }), "{error}");
    let error = refusal(module.prepare_of_the_future(LaunchConfig3D::new((1, 1, 1 << 30), (2, 2, 2), 0)));
    assert!(matches!(error, LaunchContractError::DeviceDimensionExceeded { actual: 0x4000_0000, .. }), "{error}");
    let error = refusal(module.prepare_of_the_future(LaunchConfig3D::new((1, 1, 1), (2, 2, 2), 0)));
    let (major, minor) = ctx.compute_capability().unwrap();
    let actual = (major as u32, minor as u32);
    assert!(matches!(error, LaunchContractError::ComputeCapabilityTooLow { required: (99, 0), actual: found, .. } if found == actual));

    if ctx.supports_cooperative_launch().unwrap() {
        let error = refusal(module.prepare_together(LaunchConfig1D::new(1 << 20, 256, 0)));
        assert!(matches!(error, LaunchContractError::CooperativeGridTooLarge { blocks: 0x10_0000, .. }), "{error}");
        assert!(error.to_string().contains("cooperative grid") && error.to_string().contains("resident"));
        let error = refusal(module.prepare_together(LaunchConfig1D::new(1, 257, 0)));
        assert!(matches!(error, LaunchContractError::BlockThreadsExceedContract { actual: 257, max: 256, .. }), "{error}");
        let mut out = zeros(40);
        module.together(&stream, &module.prepare_together(LaunchConfig1D::new(2, 20, 0)).unwrap(), &mut out).unwrap();
        assert_eq!(read(&out), [40; 40]);
    }

    if ctx.supports_cluster_launch().unwrap() {
        let error = refusal(module.prepare_clustered_u32(LaunchConfig1D::new(3, 64, 0)));
        assert!(matches!(error, LaunchContractError::ClusterDoesNotDivideGrid { grid: 3, cluster: 2, .. }), "{error}");
        let prepared = module.prepare_clustered_u32(LaunchConfig1D::new(2, 64, 0)).unwrap();
        let mut out = zeros(128);
        module.clustered_u32(&stream, &prepared, &mut out).unwrap();
        assert_eq!(read(&out), [2; 128]);
    }

    let out = zeros(1);
    let prepared = module.prepare_to_an_address(LaunchConfig1D::new(1, 1, 0)).unwrap();
    // SAFETY: the address of a buffer of one word.
    unsafe { module.to_an_address(&stream, &prepared, out.cu_deviceptr() as *mut u32) }.unwrap();
    assert_eq!(read(&out), [7]);

    let mut values = DeviceBuffer::from_host(&stream, &(0..32).collect::<Vec<u64>>()).unwrap();
    let prepared = module.prepare_turned_u64(LaunchConfig1D::new(1, 32, 256)).unwrap();
    module.turned_u64(&stream, &prepared, &mut values).unwrap();
    assert_eq!(values.to_host_vec(&stream).unwrap(), (0..32).rev().collect::<Vec<_>>());
    let mut values = DeviceBuffer::from_host(&stream, &(0..32).collect::<Vec<u32>>()).unwrap();
    let prepared = module.prepare_turned_u32(LaunchConfig1D::new(1, 32, 256)).unwrap();
    module.turned_u32(&stream, &prepared, &mut values).unwrap();
    assert_eq!(values.to_host_vec(&stream).unwrap(), (0..32).rev().collect::<Vec<_>>());

    let inner = kernels::inner::LoadedModule::from_parent(&module).unwrap();
    let mut out = zeros(3);
    inner.size_of_shared(&stream, &inner.prepare_size_of_shared(LaunchConfig1D::new(1, 32, 16)).unwrap(), &mut out).unwrap();
    assert_eq!(read(&out), [16; 3]);

    let ptx = std::fs::read_to_string("launch_contracts.ptx").unwrap();
    let head = |kernel: &str| {
        let head = &ptx[ptx.find(&format!(".entry {kernel}")).unwrap()..];
        &head[..head.find("\n{").unwrap()]
    };
    for (kernel, directive) in
        [("pairs", ".reqntid 64"), ("map_TID", ".reqntid 32"), ("reversed", ".reqntid 8, 4"), ("together", ".maxntid 256, 1, 1")]
    {
        assert!(head(kernel).contains(directive), "{}", head(kernel));
        assert!(!(head(kernel).contains("reqntid") && head(kernel).contains("maxntid")), "{}", head(kernel));
    }
    assert!(head("reversed").contains(".minnctapersm 1"), "{}", head("reversed"));
    assert!(head("clustered_u32").contains(".reqnctapercluster 2"), "{}", head("clustered_u32"));
    assert!(ptx.contains(".align 128 .b8 __dynamic_smem_reversed[]"));
    assert!(ptx.contains(".align 64 .b8 __dynamic_smem_turned_u32[]") && ptx.contains(".align 64 .b8 __dynamic_smem_turned_u64[]"));
    println!("SUCCESS: contracts of shapes, sizes, memory, instances, clusters and whole grids");
}
