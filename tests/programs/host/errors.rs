//! What goes wrong is told: a shape that no device runs, shared memory that must be asked for, names, memory, and blocks that do not run at
//! once; then all works, since none of these ends a context.

use cuda_core::{CudaContext, DeviceBuffer, DriverError, IntoResult, LaunchConfig, launch_kernel_on_stream, sys};
use cuda_device::{DisjointSlice, DynamicSharedArray, cooperative_launch, cuda_module, kernel, thread};

/// Values that a thread of `hold` has at once.
const HELD: usize = 160;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn fill(mut out: DisjointSlice<u32>, value: u32) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = value;
        }
    }

    /// # Safety
    ///
    /// One block, whose dynamic shared memory holds a u32 for each thread.
    #[kernel]
    pub unsafe fn through_shared(mut out: DisjointSlice<u32>) {
        let tile = DynamicSharedArray::<u32>::get();
        let t = thread::threadIdx_x() as usize;
        // SAFETY: each thread has an element of its own.
        unsafe { *tile.add(t) = t as u32 + 1 };
        thread::sync_threads();
        if let Some((element, _)) = out.get_mut_indexed() {
            // SAFETY: written before the barrier.
            *element = unsafe { *tile.add(t ^ 1) };
        }
    }

    /// Takes a register for each value, since all of them are read before the barrier and used in reverse after it.
    ///
    /// # Safety
    ///
    /// `values` points to `HELD` of them.
    #[kernel]
    pub unsafe fn hold(values: *const u32, mut out: DisjointSlice<u32>) {
        let mut held = [0; HELD];
        #[unroll]
        for i in 0..HELD {
            // SAFETY: the caller's.
            held[i] = unsafe { values.add(i).read_volatile() };
        }
        thread::sync_threads();
        let mut folded = 0u32;
        #[unroll]
        for i in 0..HELD {
            folded = folded.wrapping_mul(31).wrapping_add(held[HELD - 1 - i]);
        }
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = folded;
        }
    }

    #[cooperative_launch]
    #[kernel]
    pub fn together(mut out: DisjointSlice<u32>) {
        if let Some((element, _)) = out.get_mut_indexed() {
            *element = 1;
        }
    }
}

fn config(grid: u32, block: u32, shared: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (grid, 1, 1), block_dim: (block, 1, 1), shared_mem_bytes: shared }
}

/// The error's text has each of these words.
fn told(result: Result<(), DriverError>, code: sys::CUresult, words: &[&str]) {
    let error = result.unwrap_err();
    let text = error.to_string();
    assert_eq!(error.0, code, "{text}");
    assert!(words.iter().all(|word| text.contains(word)), "{text}: expected {words:?}");
}

fn main() {
    const N: usize = 512;
    let invalid = sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE;
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, N).unwrap();

    // SAFETY, here and below: nothing of these launches runs but what the kernels check.
    let result = unsafe { module.fill(&stream, config(1, 2048, 0), &mut out, 7) };
    told(
        result,
        invalid,
        &["cuLaunchKernel: `fill` with grid (1, 1, 1), block (2048, 1, 1)", "got 2048 threads in a block, the device allows 1024"],
    );
    // SAFETY: as above.
    let result = unsafe { module.fill(&stream, config(0, 32, 0), &mut out, 7) };
    told(result, invalid, &["a grid and a block are at least 1 along each axis"]);

    // SAFETY: as above.
    let result = unsafe { module.through_shared(&stream, config(1, 64, 100 << 10), &mut out) };
    let most = ctx.max_opt_in_shared_memory_per_block().unwrap();
    if most >= 100 << 10 {
        told(
            result,
            invalid,
            &["got 102400 bytes of dynamic shared memory", "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES raises up to"],
        );
        let kernel = module.as_cuda_module().load_function("through_shared").unwrap();
        let attribute = sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function is alive.
        assert_eq!(unsafe { sys::cuFuncSetAttribute(kernel.cu_function(), attribute, 100 << 10) }, sys::cudaError_enum_CUDA_SUCCESS);
        // SAFETY: one block with an element for each thread.
        unsafe { module.through_shared(&stream, config(1, 64, 100 << 10), &mut out) }.unwrap();
        assert_eq!(out.to_host_vec(&stream).unwrap()[..4], [2, 1, 4, 3]);
    }

    told(module.as_cuda_module().load_function("fil").map(drop), sys::cudaError_enum_CUDA_ERROR_NOT_FOUND, &["`fil`; ", " has `fill`, "]);
    told(
        module.as_cuda_module().get_global("NOTHING").map(drop),
        sys::cudaError_enum_CUDA_ERROR_NOT_FOUND,
        &["cuModuleGetGlobal_v2: `NOTHING`"],
    );
    told(CudaContext::new(99).map(drop), sys::cudaError_enum_CUDA_ERROR_INVALID_DEVICE, &["cuDeviceGet: device 99 of "]);

    // SAFETY: there is room for the answer.
    let result = unsafe { sys::cuLogsCurrent(&mut 0, 0) }.result();
    if ctx.device_name().unwrap().contains("CPU") {
        told(result, sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED, &["cuLogsCurrent: the CPU device does not have this function"]);
    }

    let too_large = 1 << 20;
    // SAFETY: as above.
    let result = unsafe { module.together(&stream, config(too_large, 256, 0), &mut out) };
    let words = ["cuLaunchKernelEx: `together`", "cooperative; got 1048576 blocks, the device runs "];
    told(result, sys::cudaError_enum_CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, &words);

    // A kernel with so many registers that a block of the largest size has no room; the CPU device has none to run out of.
    let values = DeviceBuffer::from_host(&stream, &[1u32; HELD]).unwrap();
    let registers = module.as_cuda_module().load_function("hold").unwrap().num_registers().unwrap();
    // SAFETY: the buffer has as many values as the kernel reads.
    let result = unsafe { module.hold(&stream, config(1, 1024, 0), values.cu_deviceptr() as *const u32, &mut out) };
    if registers > 64 {
        let got = format!("({registers} a thread × 1024 threads)");
        told(result, sys::cudaError_enum_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, &["cuLaunchKernel: `hold`", &got, "launch_bounds"]);
    } else {
        result.unwrap();
    }
    // SAFETY: as above.
    unsafe { module.hold(&stream, config(1, 64, 0), values.cu_deviceptr() as *const u32, &mut out) }.unwrap();
    let folded = (0..HELD).fold(0u32, |folded, _| folded.wrapping_mul(31).wrapping_add(1));
    assert_eq!(out.to_host_vec(&stream).unwrap()[..64], [folded; 64]);

    // A kernel whose registers are few runs in the largest block; this one tells what it takes.
    let kernel = module.as_cuda_module().load_function("fill").unwrap();
    let (registers, threads) = (kernel.num_registers().unwrap(), kernel.max_threads_per_block().unwrap());
    let (mut address, mut len, mut value) = (out.cu_deviceptr(), N as u64, 9u32);
    let mut words = [(&raw mut address).cast(), (&raw mut len).cast(), (&raw mut value).cast()];
    // SAFETY: the parameters are those of the kernel.
    unsafe { launch_kernel_on_stream(&kernel, (1, 1, 1), (threads, 1, 1), 0, &stream, &mut words) }.unwrap();
    assert_eq!(out.to_host_vec(&stream).unwrap(), [9; N], "no error has ended the context");
    ctx.check_err().unwrap();
    println!("SUCCESS: each error told; then {threads} threads with {registers} registers each");
}
