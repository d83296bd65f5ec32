//! The CUDA driver API, declared by hand under the names that bindgen gives it from `cuda.h`.
//!
//! Every function here is looked up in the library that [`crate::driver`] opened. Where that library is missing a function returns
//! [`cudaError_enum_CUDA_ERROR_NO_DEVICE`], and where the library is too old to have it
//! [`cudaError_enum_CUDA_ERROR_NOT_SUPPORTED`].
//!
//! Meanings, units and errors are those of the
//! [CUDA driver API reference](https://docs.nvidia.com/cuda/cuda-driver-api/index.html).

#![allow(non_upper_case_globals, non_camel_case_types, non_snake_case, missing_docs)]
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::driver;

/// An address in device memory.
pub type CUdeviceptr = u64;
pub type CUdevice = c_int;
pub type CUresult = c_uint;

/// Handles are pointers to types that only the driver knows.
macro_rules! handles {
    ($($handle:ident = *mut $target:ident;)*) => {$(
        #[repr(C)]
        #[derive(Debug)]
        pub struct $target {
            _private: [u8; 0],
        }
        pub type $handle = *mut $target;
    )*};
}

handles! {
    CUcontext = *mut CUctx_st;
    CUevent = *mut CUevent_st;
    CUfunction = *mut CUfunc_st;
    CUlinkState = *mut CUlinkState_st;
    CUmodule = *mut CUmod_st;
    CUstream = *mut CUstream_st;
}

pub type CUctx_flags = c_uint;
pub const CUctx_flags_enum_CU_CTX_SCHED_AUTO: CUctx_flags = 0;
pub const CUctx_flags_enum_CU_CTX_SCHED_SPIN: CUctx_flags = 1;
pub const CUctx_flags_enum_CU_CTX_SCHED_YIELD: CUctx_flags = 2;
pub const CUctx_flags_enum_CU_CTX_SCHED_BLOCKING_SYNC: CUctx_flags = 4;

pub type CUdevice_attribute = c_uint;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUdevice_attribute = 1;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: CUdevice_attribute = 8;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_WARP_SIZE: CUdevice_attribute = 10;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: CUdevice_attribute = 16;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: CUdevice_attribute = 39;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: CUdevice_attribute = 75;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: CUdevice_attribute = 76;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: CUdevice_attribute = 95;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: CUdevice_attribute = 97;
pub const CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: CUdevice_attribute = 120;

pub type CUevent_flags = c_uint;
pub const CUevent_flags_enum_CU_EVENT_DEFAULT: CUevent_flags = 0;
pub const CUevent_flags_enum_CU_EVENT_BLOCKING_SYNC: CUevent_flags = 1;
pub const CUevent_flags_enum_CU_EVENT_DISABLE_TIMING: CUevent_flags = 2;
pub const CUevent_flags_enum_CU_EVENT_INTERPROCESS: CUevent_flags = 4;

pub type CUfunction_attribute = c_uint;
pub const CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: CUfunction_attribute = 0;
pub const CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: CUfunction_attribute = 1;
pub const CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: CUfunction_attribute = 2;
pub const CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: CUfunction_attribute = 3;
pub const CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_NUM_REGS: CUfunction_attribute = 4;
pub const CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: CUfunction_attribute = 8;

pub type CUjit_option = c_uint;
pub const CUjit_option_enum_CU_JIT_INFO_LOG_BUFFER: CUjit_option = 3;
pub const CUjit_option_enum_CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: CUjit_option = 4;
pub const CUjit_option_enum_CU_JIT_ERROR_LOG_BUFFER: CUjit_option = 5;
pub const CUjit_option_enum_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: CUjit_option = 6;

pub type CUlaunchAttributeID = c_uint;
pub const CUlaunchAttributeID_enum_CU_LAUNCH_ATTRIBUTE_COOPERATIVE: CUlaunchAttributeID = 2;
pub const CUlaunchAttributeID_enum_CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: CUlaunchAttributeID = 4;

pub type CUlaunchAttribute = CUlaunchAttribute_st;
pub type CUlaunchAttributeValue = CUlaunchAttributeValue_union;
pub type CUlaunchConfig = CUlaunchConfig_st;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlaunchAttribute_st {
    pub id: CUlaunchAttributeID,
    pub pad: [c_char; 4],
    pub value: CUlaunchAttributeValue,
}

#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub union CUlaunchAttributeValue_union {
    pub pad: [c_char; 64],
    pub clusterDim: CUlaunchAttributeValue_union__bindgen_ty_1,
    pub cooperative: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchAttributeValue_union__bindgen_ty_1 {
    pub x: c_uint,
    pub y: c_uint,
    pub z: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUlaunchConfig_st {
    pub gridDimX: c_uint,
    pub gridDimY: c_uint,
    pub gridDimZ: c_uint,
    pub blockDimX: c_uint,
    pub blockDimY: c_uint,
    pub blockDimZ: c_uint,
    pub sharedMemBytes: c_uint,
    pub hStream: CUstream,
    pub attrs: *mut CUlaunchAttribute,
    pub numAttrs: c_uint,
}

const _: () = assert!(size_of::<CUlaunchAttribute>() == 72 && size_of::<CUlaunchConfig>() == 56, "as in cuda.h on 64 bits");

pub type CUlimit = c_uint;
pub const CUlimit_enum_CU_LIMIT_STACK_SIZE: CUlimit = 0;

pub type CUjitInputType = c_uint;
pub const CUjitInputType_enum_CU_JIT_INPUT_CUBIN: CUjitInputType = 0;
pub const CUjitInputType_enum_CU_JIT_INPUT_PTX: CUjitInputType = 1;

pub type CUstream_flags = c_uint;
pub const CUstream_flags_enum_CU_STREAM_DEFAULT: CUstream_flags = 0;
pub const CUstream_flags_enum_CU_STREAM_NON_BLOCKING: CUstream_flags = 1;

pub const cudaError_enum_CUDA_SUCCESS: CUresult = 0;
pub const cudaError_enum_CUDA_ERROR_INVALID_VALUE: CUresult = 1;
pub const cudaError_enum_CUDA_ERROR_OUT_OF_MEMORY: CUresult = 2;
pub const cudaError_enum_CUDA_ERROR_NOT_INITIALIZED: CUresult = 3;
pub const cudaError_enum_CUDA_ERROR_DEINITIALIZED: CUresult = 4;
pub const cudaError_enum_CUDA_ERROR_STUB_LIBRARY: CUresult = 34;
pub const cudaError_enum_CUDA_ERROR_DEVICE_UNAVAILABLE: CUresult = 46;
pub const cudaError_enum_CUDA_ERROR_NO_DEVICE: CUresult = 100;
pub const cudaError_enum_CUDA_ERROR_INVALID_DEVICE: CUresult = 101;
pub const cudaError_enum_CUDA_ERROR_INVALID_IMAGE: CUresult = 200;
pub const cudaError_enum_CUDA_ERROR_INVALID_CONTEXT: CUresult = 201;
pub const cudaError_enum_CUDA_ERROR_MAP_FAILED: CUresult = 205;
pub const cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU: CUresult = 209;
pub const cudaError_enum_CUDA_ERROR_ECC_UNCORRECTABLE: CUresult = 214;
pub const cudaError_enum_CUDA_ERROR_UNSUPPORTED_LIMIT: CUresult = 215;
pub const cudaError_enum_CUDA_ERROR_PEER_ACCESS_UNSUPPORTED: CUresult = 217;
pub const cudaError_enum_CUDA_ERROR_INVALID_PTX: CUresult = 218;
pub const cudaError_enum_CUDA_ERROR_JIT_COMPILER_NOT_FOUND: CUresult = 221;
pub const cudaError_enum_CUDA_ERROR_UNSUPPORTED_PTX_VERSION: CUresult = 222;
pub const cudaError_enum_CUDA_ERROR_INVALID_SOURCE: CUresult = 300;
pub const cudaError_enum_CUDA_ERROR_FILE_NOT_FOUND: CUresult = 301;
pub const cudaError_enum_CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND: CUresult = 302;
pub const cudaError_enum_CUDA_ERROR_SHARED_OBJECT_INIT_FAILED: CUresult = 303;
pub const cudaError_enum_CUDA_ERROR_OPERATING_SYSTEM: CUresult = 304;
pub const cudaError_enum_CUDA_ERROR_INVALID_HANDLE: CUresult = 400;
pub const cudaError_enum_CUDA_ERROR_ILLEGAL_STATE: CUresult = 401;
pub const cudaError_enum_CUDA_ERROR_NOT_FOUND: CUresult = 500;
pub const cudaError_enum_CUDA_ERROR_NOT_READY: CUresult = 600;
pub const cudaError_enum_CUDA_ERROR_ILLEGAL_ADDRESS: CUresult = 700;
pub const cudaError_enum_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: CUresult = 701;
pub const cudaError_enum_CUDA_ERROR_LAUNCH_TIMEOUT: CUresult = 702;
pub const cudaError_enum_CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED: CUresult = 704;
pub const cudaError_enum_CUDA_ERROR_PEER_ACCESS_NOT_ENABLED: CUresult = 705;
pub const cudaError_enum_CUDA_ERROR_CONTEXT_IS_DESTROYED: CUresult = 709;
pub const cudaError_enum_CUDA_ERROR_ASSERT: CUresult = 710;
pub const cudaError_enum_CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED: CUresult = 712;
pub const cudaError_enum_CUDA_ERROR_HARDWARE_STACK_ERROR: CUresult = 714;
pub const cudaError_enum_CUDA_ERROR_ILLEGAL_INSTRUCTION: CUresult = 715;
pub const cudaError_enum_CUDA_ERROR_MISALIGNED_ADDRESS: CUresult = 716;
pub const cudaError_enum_CUDA_ERROR_INVALID_ADDRESS_SPACE: CUresult = 717;
pub const cudaError_enum_CUDA_ERROR_INVALID_PC: CUresult = 718;
pub const cudaError_enum_CUDA_ERROR_LAUNCH_FAILED: CUresult = 719;
pub const cudaError_enum_CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: CUresult = 720;
pub const cudaError_enum_CUDA_ERROR_NOT_PERMITTED: CUresult = 800;
pub const cudaError_enum_CUDA_ERROR_NOT_SUPPORTED: CUresult = 801;
pub const cudaError_enum_CUDA_ERROR_INVALID_CLUSTER_SIZE: CUresult = 912;
pub const cudaError_enum_CUDA_ERROR_UNKNOWN: CUresult = 999;

/// The driver's functions: one list, from which come the table of what the opened library has and a function for each entry.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?);)*) => {
        /// What one driver library has; `None` where it is too old for an entry.
        pub(crate) struct Functions {
            $(pub(crate) $name: Option<unsafe extern "C" fn($($type),*) -> CUresult>,)*
        }

        impl Functions {
            /// Looks every function up.
            ///
            /// # Safety
            ///
            /// `library` is a CUDA driver, so that its symbols have the types declared here.
            pub(crate) unsafe fn of(library: &libloading::Library) -> Self {
                Self {
                    // SAFETY: the caller vouches for the library, and bindgen's declaration for the type.
                    $($name: unsafe { library.get(concat!(stringify!($name), "\0")) }.ok().map(|symbol| *symbol),)*
                }
            }
        }

        $(pub unsafe fn $name($($argument: $type),*) -> CUresult {
            let Ok(driver) = driver::driver() else { return cudaError_enum_CUDA_ERROR_NO_DEVICE };
            let Some(function) = driver.functions.$name else { return cudaError_enum_CUDA_ERROR_NOT_SUPPORTED };
            // SAFETY: the caller keeps the contract of the function of this name.
            unsafe { function($($argument),*) }
        })*
    };
}

functions! {
    fn cuCtxGetCurrent(context: *mut CUcontext);
    fn cuCtxGetLimit(value: *mut usize, limit: CUlimit);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxSetLimit(limit: CUlimit, value: usize);
    fn cuCtxSynchronize();
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuEventCreate(event: *mut CUevent, flags: c_uint);
    fn cuEventDestroy_v2(event: CUevent);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
    fn cuEventQuery(event: CUevent);
    fn cuEventRecord(event: CUevent, stream: CUstream);
    fn cuEventSynchronize(event: CUevent);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    fn cuGetErrorName(error: CUresult, text: *mut *const c_char);
    fn cuGetErrorString(error: CUresult, text: *mut *const c_char);
    fn cuInit(flags: c_uint);
    fn cuLaunchKernel(
        function: CUfunction,
        gridDimX: c_uint,
        gridDimY: c_uint,
        gridDimZ: c_uint,
        blockDimX: c_uint,
        blockDimY: c_uint,
        blockDimZ: c_uint,
        sharedMemBytes: c_uint,
        stream: CUstream,
        kernelParams: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
    fn cuLaunchKernelEx(
        config: *const CUlaunchConfig,
        function: CUfunction,
        kernelParams: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
    fn cuLinkAddData_v2(
        state: CUlinkState,
        kind: CUjitInputType,
        data: *mut c_void,
        size: usize,
        name: *const c_char,
        numOptions: c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    );
    fn cuLinkComplete(state: CUlinkState, cubin: *mut *mut c_void, size: *mut usize);
    fn cuLinkCreate_v2(
        numOptions: c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
        state: *mut CUlinkState,
    );
    fn cuLinkDestroy(state: CUlinkState);
    fn cuMemAllocAsync(address: *mut CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize);
    fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);
    fn cuMemFreeHost(address: *mut c_void);
    fn cuMemFree_v2(address: CUdeviceptr);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemcpyDtoDAsync_v2(destination: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoHAsync_v2(destination: *mut c_void, source: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemcpyHtoDAsync_v2(destination: CUdeviceptr, source: *const c_void, bytes: usize, stream: CUstream);
    fn cuMemcpyHtoD_v2(destination: CUdeviceptr, source: *const c_void, bytes: usize);
    fn cuMemsetD8Async(address: CUdeviceptr, value: u8, bytes: usize, stream: CUstream);
    fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    fn cuModuleGetGlobal_v2(address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char);
    fn cuModuleLoad(module: *mut CUmodule, path: *const c_char);
    fn cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        numOptions: c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    );
    fn cuModuleUnload(module: CUmodule);
    fn cuStreamCreate(stream: *mut CUstream, flags: c_uint);
    fn cuStreamDestroy_v2(stream: CUstream);
    fn cuStreamSynchronize(stream: CUstream);
    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
}
