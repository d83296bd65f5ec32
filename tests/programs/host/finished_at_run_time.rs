//! Kernels that are finished when they are loaded: libNVVM makes PTX of NVVM IR, and nvJitLink machine code of PTX and of LTO IR. One package
//! is this program, in the form that it was built in: `--code nvvm-ir` and `--code ltoir` are for sm_100 and later. The other it carries as
//! NVVM IR of LLVM 7, which libNVVM reads for every target. A GPU takes a CUDA toolkit beside it, which `CUDA_HOME` names.

use std::{hint::black_box, sync::Arc};

use cuda_core::{CudaContext, CudaModule, DeviceBuffer, LaunchConfig, launch_kernel_on_stream};
use cuda_device::{DisjointSlice, cuda_module, kernel};
use cuda_host::{EmbeddedModuleError, load_all_ptx_bundles_merged, load_embedded_module};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn triple(mut out: DisjointSlice<u32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = 3 * index.get() as u32;
        }
    }
}

const NVVM_IR: &str = r#"target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @twice(float* %p) {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr float, float* %p, i32 %thread
  %x = load float, float* %at
  %y = fadd float %x, %x
  store float %y, float* %at
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (float*)* @twice, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
"#;

/// The package's name, a target, and what is for that, each with its kind: `docs/formats.md` of the compiler.
const ENTRIES: [(u32, &str); 3] = [(1, "by-hand"), (7, "sm_75"), (9, NVVM_IR)];

const SIZE: usize = 24 + 3 * 16 + 8 + 8 + NVVM_IR.len().next_multiple_of(8);

#[used]
#[unsafe(link_section = ".oxide")]
static RECORD: [u8; SIZE] = {
    let mut record = [0; SIZE];
    put(&mut record, 0, b"OXIDEART");
    put(&mut record, 8, &2u32.to_le_bytes());
    put(&mut record, 12, &(ENTRIES.len() as u32).to_le_bytes());
    put(&mut record, 16, &(SIZE as u64).to_le_bytes());
    let (mut at, mut entry) = (24, 0);
    while entry < ENTRIES.len() {
        let (kind, text) = ENTRIES[entry];
        put(&mut record, at, &kind.to_le_bytes());
        put(&mut record, at + 8, &(text.len() as u64).to_le_bytes());
        put(&mut record, at + 16, text.as_bytes());
        at += 16 + text.len().next_multiple_of(8);
        entry += 1;
    }
    record
};

const fn put(record: &mut [u8; SIZE], at: usize, bytes: &[u8]) {
    let mut byte = 0;
    while byte < bytes.len() {
        record[at + byte] = bytes[byte];
        byte += 1;
    }
}

const N: usize = 100;

fn triples(ctx: &Arc<CudaContext>, module: &kernels::LoadedModule) {
    let stream = ctx.default_stream();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, N).unwrap();
    // SAFETY: the kernel checks its indices.
    unsafe { module.triple(&stream, LaunchConfig::for_num_elems(N as u32), &mut out) }.unwrap();
    let expected: Vec<u32> = (0..N as u32).map(|index| 3 * index).collect();
    assert_eq!(out.to_host_vec(&stream).unwrap(), expected);
}

fn doubles(ctx: &Arc<CudaContext>, module: &Arc<CudaModule>) {
    let stream = ctx.default_stream();
    let numbers: Vec<f32> = (0..N as u16).map(f32::from).collect();
    let buffer = DeviceBuffer::from_host(&stream, &numbers).unwrap();
    let kernel = module.load_function("twice").unwrap();
    let mut address = buffer.cu_deviceptr();
    let block = (N as u32, 1, 1);
    // SAFETY: each thread has an element; the parameter is its address.
    unsafe { launch_kernel_on_stream(&kernel, (1, 1, 1), block, 0, &stream, &mut [(&raw mut address).cast()]) }.unwrap();
    let expected: Vec<f32> = numbers.iter().map(|number| 2.0 * number).collect();
    assert_eq!(buffer.to_host_vec(&stream).unwrap(), expected);
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let on_gpu = !ctx.device_name().unwrap().contains("CPU");
    black_box(&RECORD);
    triples(&ctx, &kernels::load(&ctx).unwrap());
    if !on_gpu {
        // The CPU device has no image of it, whatever the libraries make of it.
        for load in [|ctx: &_| load_embedded_module(ctx, "by-hand"), load_all_ptx_bundles_merged] {
            let error = load(&ctx).unwrap_err();
            assert!(matches!(error, EmbeddedModuleError::Ltoir(_) | EmbeddedModuleError::Driver(_)), "{error}");
        }
        println!("SUCCESS: this program's kernels run, and code for GPUs is refused");
        return;
    }
    doubles(&ctx, &load_embedded_module(&ctx, "by-hand").unwrap());
    let all = load_all_ptx_bundles_merged(&ctx).unwrap();
    doubles(&ctx, &all);
    triples(&ctx, &kernels::from_module(all).unwrap());
    println!("SUCCESS: finished alone and linked with this program's kernels");
}
