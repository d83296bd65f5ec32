//! Functions that other PTX defines are linked in by the driver; the CPU device tells which are missing, when the kernel is launched.

use std::{ffi::c_void, ptr, slice, sync::Arc};

use cuda_core::{CudaContext, CudaModule, DeviceBuffer, DriverError, IntoResult, LaunchConfig, embedded, sys};
use cuda_device::{DisjointSlice, cuda_module, device, kernel, pure, readonly, thread};

/// What `oxide build` writes for a device library of these two functions.
const LIBRARY: &str = "
.version 6.3
.target sm_75
.address_size 64

.visible .func (.param .b32 func_retval0) total(.param .b64 total_param_0, .param .b32 total_param_1)
{
    .reg .pred %p<3>;
    .reg .b32 %r<5>;
    .reg .b64 %rd<3>;

    ld.param.b32 %r1, [total_param_1];
    ld.param.b64 %rd1, [total_param_0];
    mov.b32 %r2, 0f00000000;
    setp.eq.b32 %p1, %r1, 0;
    @%p1 bra DONE;
NEXT:
    ld.b32 %r3, [%rd1];
    add.f32 %r2, %r2, %r3;
    add.s64 %rd1, %rd1, 4;
    sub.s32 %r1, %r1, 1;
    setp.ne.b32 %p2, %r1, 0;
    @%p2 bra NEXT;
DONE:
    st.param.b32 [func_retval0], %r2;
    ret;
}

.visible .func (.param .b32 func_retval0) twice(.param .b32 twice_param_0)
{
    .reg .b32 %r<3>;

    ld.param.b32 %r1, [twice_param_0];
    add.f32 %r2, %r1, %r1;
    st.param.b32 [func_retval0], %r2;
    ret;
}
\0";

#[device]
unsafe extern "C" {
    #[pure]
    fn twice(x: f32) -> f32;
    #[readonly]
    fn total(x: *const f32, n: u32) -> f32;
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn twice_the_sums(x: &[f32], mut sums: DisjointSlice<f32>) {
        let index = thread::index_1d();
        let n = x.len().min(index.get() + 1);
        if let Some(sum) = sums.get_mut(index) {
            // SAFETY: the slice has that many elements.
            *sum = unsafe { twice(total(x.as_ptr(), n as u32)) };
        }
    }
}

const N: usize = 100;

/// Links PTX texts, each ended by a zero, and loads what comes out.
fn linked(ctx: &Arc<CudaContext>, texts: &[&[u8]]) -> Result<Arc<CudaModule>, DriverError> {
    let mut link = ptr::null_mut();
    let (mut image, mut size) = (ptr::null_mut::<c_void>(), 0);
    // SAFETY: the texts outlive the link, and the image is used before the link is destroyed.
    unsafe {
        sys::cuLinkCreate_v2(0, ptr::null_mut(), ptr::null_mut(), &mut link).result()?;
        for text in texts {
            let kind = sys::CUjitInputType_enum_CU_JIT_INPUT_PTX;
            let (text, length) = (text.as_ptr().cast_mut().cast(), text.len());
            sys::cuLinkAddData_v2(link, kind, text, length, c"text".as_ptr(), 0, ptr::null_mut(), ptr::null_mut()).result()?;
        }
        sys::cuLinkComplete(link, &mut image, &mut size).result()?;
        let module = ctx.load_module_from_image(slice::from_raw_parts(image.cast(), size));
        sys::cuLinkDestroy(link).result()?;
        module
    }
}

fn sums(ctx: &Arc<CudaContext>, module: Arc<CudaModule>) -> Result<Vec<f32>, DriverError> {
    let module = kernels::from_module(module)?;
    let stream = ctx.default_stream();
    let x = DeviceBuffer::from_host(&stream, &[1.0f32; N])?;
    let mut sums = DeviceBuffer::<f32>::zeroed(&stream, N)?;
    // SAFETY: each thread writes its own element.
    unsafe { module.twice_the_sums(&stream, LaunchConfig::for_num_elems(N as u32), &x, &mut sums)? };
    sums.to_host_vec(&stream)
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let [bundle] = embedded::artifact_bundles_from_current_exe().unwrap().try_into().unwrap();
    let ptx = [bundle.payload(embedded::ArtifactPayloadKind::Ptx).unwrap(), b"\0"].concat();
    let alone = kernels::load(&ctx);
    if ctx.device_name().unwrap().contains("CPU") {
        let error = sums(&ctx, alone.unwrap().as_cuda_module().clone()).unwrap_err();
        assert_eq!(error.0, sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED);
    } else {
        let said = alone.unwrap_err().to_string();
        assert!(said.contains("twice"), "the log names what is missing: {said}");
        let expected: Vec<f32> = (1..=N).map(|n| 2.0 * n as f32).collect();
        assert_eq!(sums(&ctx, linked(&ctx, &[&ptx, LIBRARY.as_bytes()]).unwrap()).unwrap(), expected);
    }
    println!("SUCCESS");
}
