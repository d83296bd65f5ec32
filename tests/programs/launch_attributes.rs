//! What attributes say about launches: bounds, contracts, entries for types, and all blocks at once.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig, LaunchConfig2D};
use cuda_device::{
    DisjointSlice, Uniform,
    config::{Policy, PolicyId},
    cooperative_groups::{ThreadGroup, this_grid},
    cooperative_launch, cuda_module, kernel, launch_bounds, launch_contract, thread,
};

enum Wide {}

impl Policy for Wide {
    const ID: PolicyId = PolicyId::new(1, 2);
}

trait Threads: Policy {
    const THREADS: u32;
}

impl Threads for Wide {
    const THREADS: u32 = 192;
}

#[cuda_module]
mod kernels {
    use super::*;

    const SIDE: u32 = 8;

    #[launch_bounds(256, 2)]
    #[kernel]
    pub fn bounded(mut out: DisjointSlice<u32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = index.get() as u32;
        }
    }

    #[kernel]
    #[launch_bounds(P::THREADS, N)]
    pub fn tuned<P: Threads, const N: u32>(mut out: DisjointSlice<u64>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = P::ID.value() + u64::from(N);
        }
    }

    /// The attribute before `kernel` and the one after it are read alike; no extent along z is checked at run time.
    #[launch_contract(domain = 2, block = (SIDE, SIDE / 2, 1), requires = (out.len() > columns))]
    #[kernel(launch_context = launch)]
    pub fn plane(mut out: DisjointSlice<u32, thread::Index2D<20>>, columns: Uniform<u32>) {
        let _named = launch;
        if let Some(index) = thread::index_2d::<20>() {
            let column = index.get() as u32 % 20;
            if let Some(element) = out.get_mut(index) {
                *element = columns.get().wrapping_sub(column);
            }
        }
    }

    #[kernel(u8, f64)]
    pub fn filled<T: Copy>(value: [T; 2], mut out: DisjointSlice<T>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = value[index.get() % 2];
        }
    }

    /// Every block sees what every other has written before.
    #[kernel]
    #[cooperative_launch]
    pub fn together(values: &mut [u32], mut sums: DisjointSlice<u32>) {
        let grid = this_grid();
        let i = grid.thread_rank();
        values[i as usize] = i;
        grid.sync();
        if let Some((sum, _)) = sums.get_mut_indexed() {
            *sum = values[(grid.size() - 1 - i) as usize] + i;
        }
        grid.sync();
        values[i as usize] = grid.size();
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    // SAFETY: the program carries what was compiled from this file.
    let module = unsafe { kernels::load(&ctx) }.unwrap();
    let line = LaunchConfig { grid_dim: (4, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, 256).unwrap();
    // SAFETY, here and below: the launches are as the attributes say, and the kernels check their indices.
    unsafe { module.bounded(&stream, line, &mut out) }.unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), (0..256).collect::<Vec<_>>());

    let mut wide = DeviceBuffer::<u64>::zeroed(&stream, 256).unwrap();
    // SAFETY: as above.
    unsafe { module.tuned::<Wide, 3>(&stream, line, &mut wide) }.unwrap();
    assert_eq!(wide.to_host_vec(&stream).unwrap(), [5; 256]);

    let mut plane = DeviceBuffer::<u32>::zeroed(&stream, 150).unwrap();
    let prepared = module.prepare_plane(LaunchConfig2D::new((3, 2), (8, 4), 0)).unwrap();
    module.plane(&stream, &prepared, &mut plane, 100).unwrap();
    assert_eq!(plane.to_host_vec(&stream).unwrap(), (0..150).map(|i| 100 - i % 20).collect::<Vec<_>>());

    let (mut bytes, mut floats) = (DeviceBuffer::<u8>::zeroed(&stream, 99).unwrap(), DeviceBuffer::<f64>::zeroed(&stream, 9).unwrap());
    // SAFETY: as above.
    unsafe {
        module.filled_u8(&stream, line, [1, 2], &mut bytes).unwrap();
        module.filled_f64(&stream, line, [0.5, 0.25], &mut floats).unwrap();
        module.filled::<f64>(&stream, line, [0.5, 0.25], &mut floats).unwrap();
    }
    assert!(bytes.to_host_vec(&stream).unwrap().iter().enumerate().all(|(i, byte)| *byte == 1 + (i % 2) as u8));
    assert!(floats.to_host_vec(&stream).unwrap().iter().enumerate().all(|(i, float)| *float == if i % 2 == 0 { 0.5 } else { 0.25 }));

    if ctx.supports_cooperative_launch().unwrap_or(false) {
        let (mut values, mut sums) =
            (DeviceBuffer::<u32>::zeroed(&stream, 256).unwrap(), DeviceBuffer::<u32>::zeroed(&stream, 256).unwrap());
        // SAFETY: as above.
        unsafe { module.together(&stream, line, &mut values, &mut sums) }.unwrap();
        assert_eq!(sums.to_host_vec(&stream).unwrap(), [255; 256]);
        assert_eq!(values.to_host_vec(&stream).unwrap(), [256; 256]);
    }

    let ptx = std::fs::read_to_string("launch_attributes.ptx").unwrap();
    for (kernel, directives) in [
        ("bounded", &[".maxntid 256, 1, 1", ".minnctapersm 2"][..]),
        ("tuned_TID", &[".maxntid 192, 1, 1", ".minnctapersm 3"]),
        ("plane", &[".reqntid 8, 4, 1"]),
    ] {
        let head = &ptx[ptx.find(&format!(".entry {kernel}")).unwrap()..];
        let head = &head[..head.find("\n{").unwrap()];
        assert!(directives.iter().all(|directive| head.contains(directive)), "{head}");
        assert!(!(head.contains("reqntid") && head.contains("maxntid")), "{head}");
    }
    println!("SUCCESS: bounds, a contract, entries for two types, all blocks at once");
}
