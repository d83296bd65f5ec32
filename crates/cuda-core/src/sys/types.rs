//! Numbers, handles and the types of functions that the driver calls.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::*;

pub type CUresult = c_uint;

/// An address in device memory.
pub type CUdeviceptr = CUdeviceptr_v2;
pub type CUdeviceptr_v2 = u64;
pub type CUdevice = CUdevice_v1;
pub type CUdevice_v1 = c_int;
pub type CUgraphConditionalHandle = cuuint64_t;
pub type CUkernelNodeAttrID = CUlaunchAttributeID;
pub type CUlogIterator = c_uint;
/// A handle of physical memory or of a multicast object.
pub type CUmemGenericAllocationHandle = CUmemGenericAllocationHandle_v1;
pub type CUmemGenericAllocationHandle_v1 = u64;
pub type CUstreamAttrID = CUlaunchAttributeID;
pub type CUsurfObject = CUsurfObject_v1;
pub type CUsurfObject_v1 = u64;
pub type CUtexObject = CUtexObject_v1;
pub type CUtexObject_v1 = u64;
pub type cuuint32_t = u32;
pub type cuuint64_t = u64;

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
    CUarray = *mut CUarray_st;
    CUasyncCallbackHandle = *mut CUasyncCallbackEntry_st;
    CUcontext = *mut CUctx_st;
    CUdevResourceDesc = *mut CUdevResourceDesc_st;
    CUevent = *mut CUevent_st;
    CUexternalMemory = *mut CUextMemory_st;
    CUexternalSemaphore = *mut CUextSemaphore_st;
    CUfunction = *mut CUfunc_st;
    CUgraph = *mut CUgraph_st;
    CUgraphDeviceNode = *mut CUgraphDeviceUpdatableNode_st;
    CUgraphExec = *mut CUgraphExec_st;
    CUgraphicsResource = *mut CUgraphicsResource_st;
    CUgraphNode = *mut CUgraphNode_st;
    CUgreenCtx = *mut CUgreenCtx_st;
    CUkernel = *mut CUkern_st;
    CUlibrary = *mut CUlib_st;
    CUlinkState = *mut CUlinkState_st;
    CUlogsCallbackHandle = *mut CUlogsCallbackEntry_st;
    CUmemoryPool = *mut CUmemPoolHandle_st;
    CUmipmappedArray = *mut CUmipmappedArray_st;
    CUmodule = *mut CUmod_st;
    CUstream = *mut CUstream_st;
    CUsurfref = *mut CUsurfref_st;
    CUtexref = *mut CUtexref_st;
    CUuserObject = *mut CUuserObject_st;
}

/// What tells a program that it uses more memory of a device than it has been given.
pub type CUasyncCallback =
    Option<unsafe extern "C" fn(info: *mut CUasyncNotificationInfo, userData: *mut c_void, callback: CUasyncCallbackHandle)>;
/// What [`cuLaunchHostFunc`] runs on a thread of the driver's.
pub type CUhostFn = Option<unsafe extern "C" fn(userData: *mut c_void)>;
/// What takes the lines of the driver's log.
pub type CUlogsCallback = Option<unsafe extern "C" fn(data: *mut c_void, logLevel: CUlogLevel, message: *mut c_char, length: usize)>;
/// The bytes of dynamic shared memory that a block of a size needs.
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(blockSize: c_int) -> usize>;
/// What [`cuStreamAddCallback`] runs on a thread of the driver's.
pub type CUstreamCallback = Option<unsafe extern "C" fn(hStream: CUstream, status: CUresult, userData: *mut c_void)>;
