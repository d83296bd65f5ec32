//! Handles, structures and the types of functions that the driver calls.

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ushort, c_void};

use super::*;

/// An address in device memory.
pub type CUdeviceptr = u64;
pub type CUdevice = c_int;
/// A handle of physical memory or of a multicast object.
pub type CUmemGenericAllocationHandle = u64;
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
    CUgraph = *mut CUgraph_st;
    CUgraphExec = *mut CUgraphExec_st;
    CUgraphNode = *mut CUgraphNode_st;
    CUkernel = *mut CUkern_st;
    CUlibrary = *mut CUlib_st;
    CUlinkState = *mut CUlinkState_st;
    CUmemoryPool = *mut CUmemPoolHandle_st;
    CUmodule = *mut CUmod_st;
    CUstream = *mut CUstream_st;
}

/// What [`cuLaunchHostFunc`] runs on a thread of the driver's.
pub type CUhostFn = Option<unsafe extern "C" fn(userData: *mut c_void)>;
/// The bytes of dynamic shared memory that a block of a size needs.
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(blockSize: c_int) -> usize>;
/// What [`cuStreamAddCallback`] runs on a thread of the driver's.
pub type CUstreamCallback = Option<unsafe extern "C" fn(hStream: CUstream, status: CUresult, userData: *mut c_void)>;

pub type CUDA_GRAPH_INSTANTIATE_PARAMS = CUDA_GRAPH_INSTANTIATE_PARAMS_st;
pub type CUDA_HOST_NODE_PARAMS = CUDA_HOST_NODE_PARAMS_st;
pub type CUDA_KERNEL_NODE_PARAMS = CUDA_KERNEL_NODE_PARAMS_v2_st;
pub type CUgraphEdgeData = CUgraphEdgeData_st;
pub type CUgraphExecUpdateResultInfo = CUgraphExecUpdateResultInfo_st;
pub type CUlaunchAttribute = CUlaunchAttribute_st;
pub type CUlaunchAttributeValue = CUlaunchAttributeValue_union;
pub type CUlaunchConfig = CUlaunchConfig_st;
pub type CUmemAccessDesc = CUmemAccessDesc_st;
pub type CUmemAllocationProp = CUmemAllocationProp_st;
pub type CUmemLocation = CUmemLocation_st;
pub type CUmemPoolProps = CUmemPoolProps_st;
pub type CUmulticastObjectProp = CUmulticastObjectProp_st;
pub type CUtensorMap = CUtensorMap_st;
pub type CUuuid = CUuuid_st;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
    pub flags: u64,
    pub hUploadStream: CUstream,
    pub hErrNode_out: CUgraphNode,
    pub result_out: CUgraphInstantiateResult,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_HOST_NODE_PARAMS_st {
    pub fn_: CUhostFn,
    pub userData: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUDA_KERNEL_NODE_PARAMS_v2_st {
    pub func: CUfunction,
    pub gridDimX: c_uint,
    pub gridDimY: c_uint,
    pub gridDimZ: c_uint,
    pub blockDimX: c_uint,
    pub blockDimY: c_uint,
    pub blockDimZ: c_uint,
    pub sharedMemBytes: c_uint,
    pub kernelParams: *mut *mut c_void,
    pub extra: *mut *mut c_void,
    pub kern: CUkernel,
    pub ctx: CUcontext,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUgraphEdgeData_st {
    pub from_port: c_uchar,
    pub to_port: c_uchar,
    pub type_: c_uchar,
    pub reserved: [c_uchar; 5],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUgraphExecUpdateResultInfo_st {
    pub result: CUgraphExecUpdateResult,
    pub errorNode: CUgraphNode,
    pub errorFromNode: CUgraphNode,
}

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
    pub cooperative: c_int,
    pub clusterDim: CUlaunchAttributeValue_union__bindgen_ty_1,
    pub clusterSchedulingPolicyPreference: CUclusterSchedulingPolicy,
    pub programmaticStreamSerializationAllowed: c_int,
    pub priority: c_int,
    pub sharedMemCarveout: c_uint,
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

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAccessDesc_st {
    pub location: CUmemLocation,
    pub flags: CUmemAccess_flags,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAllocationProp_st {
    pub type_: CUmemAllocationType,
    pub requestedHandleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32HandleMetaData: *mut c_void,
    pub allocFlags: CUmemAllocationProp_st__bindgen_ty_1,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemAllocationProp_st__bindgen_ty_1 {
    pub compressionType: c_uchar,
    pub gpuDirectRDMACapable: c_uchar,
    pub usage: c_ushort,
    pub reserved: [c_uchar; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation_st {
    pub type_: CUmemLocationType,
    pub id: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemPoolProps_st {
    pub allocType: CUmemAllocationType,
    pub handleTypes: CUmemAllocationHandleType,
    pub location: CUmemLocation,
    pub win32SecurityAttributes: *mut c_void,
    pub maxSize: usize,
    pub usage: c_ushort,
    pub reserved: [c_uchar; 54],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmulticastObjectProp_st {
    pub numDevices: c_uint,
    pub size: usize,
    pub handleTypes: u64,
    pub flags: u64,
}

/// What describes a tensor to the hardware that copies its tiles. Aligned as in CUDA 13; older headers ask for 64 bytes.
#[repr(C, align(128))]
#[derive(Clone, Copy, Debug)]
pub struct CUtensorMap_st {
    pub opaque: [u64; 16],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUuuid_st {
    pub bytes: [c_char; 16],
}

const _: () = {
    assert!(size_of::<CUDA_GRAPH_INSTANTIATE_PARAMS>() == 32 && size_of::<CUDA_KERNEL_NODE_PARAMS>() == 72, "as in cuda.h on 64 bits");
    assert!(size_of::<CUgraphExecUpdateResultInfo>() == 24 && size_of::<CUlaunchAttribute>() == 72, "as in cuda.h on 64 bits");
    assert!(size_of::<CUlaunchConfig>() == 56 && size_of::<CUmemAllocationProp>() == 32, "as in cuda.h on 64 bits");
    assert!(size_of::<CUmemAccessDesc>() == 12 && size_of::<CUmemPoolProps>() == 88, "as in cuda.h on 64 bits");
    assert!(size_of::<CUmulticastObjectProp>() == 32 && size_of::<CUtensorMap>() == 128, "as in cuda.h on 64 bits");
};
