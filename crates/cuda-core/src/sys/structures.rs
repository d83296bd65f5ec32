//! The structures and unions of `cuda.h` (13.0), laid out as C does, in alphabetical order.
//!
//! What bindgen calls `X_st`, after its tag, is followed by the names that C gives it. A part without a name is called after what it is in.

use std::{
    ffi::{c_char, c_int, c_uchar, c_uint, c_ushort, c_void},
    fmt,
};

use super::*;

macro_rules! structures {
    ($($(#[$meta:meta])* $kind:ident $name:ident $(as $($alias:ident),+)? { $($fields:tt)* })*) => {$(
        structure! { $(#[$meta])* $kind $name { $($fields)* } }
        $($(pub type $alias = $name;)+)?
    )*};
}

macro_rules! structure {
    ($(#[$meta:meta])* struct $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            $(pub $field: $type,)*
        }
    };
    ($(#[$meta:meta])* union $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub union $name {
            $(pub $field: $type,)*
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

structures! {
    struct CUaccessPolicyWindow_st as CUaccessPolicyWindow, CUaccessPolicyWindow_v1 {
        base_ptr: *mut c_void, num_bytes: usize, hitRatio: f32, hitProp: CUaccessProperty, missProp: CUaccessProperty,
    }
    struct CUarrayMapInfo_st as CUarrayMapInfo, CUarrayMapInfo_v1 {
        resourceType: CUresourcetype, resource: CUarrayMapInfo_st__bindgen_ty_1, subresourceType: CUarraySparseSubresourceType,
        subresource: CUarrayMapInfo_st__bindgen_ty_2, memOperationType: CUmemOperationType, memHandleType: CUmemHandleType,
        memHandle: CUarrayMapInfo_st__bindgen_ty_3, offset: u64, deviceBitMask: c_uint, flags: c_uint, reserved: [c_uint; 2],
    }
    union CUarrayMapInfo_st__bindgen_ty_1 { mipmap: CUmipmappedArray, array: CUarray }
    union CUarrayMapInfo_st__bindgen_ty_2 {
        sparseLevel: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1, miptail: CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2,
    }
    struct CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_1 {
        level: c_uint, layer: c_uint, offsetX: c_uint, offsetY: c_uint, offsetZ: c_uint, extentWidth: c_uint, extentHeight: c_uint,
        extentDepth: c_uint,
    }
    struct CUarrayMapInfo_st__bindgen_ty_2__bindgen_ty_2 { layer: c_uint, offset: u64, size: u64 }
    union CUarrayMapInfo_st__bindgen_ty_3 { memHandle: CUmemGenericAllocationHandle }
    struct CUasyncNotificationInfo_st as CUasyncNotificationInfo {
        type_: CUasyncNotificationType, info: CUasyncNotificationInfo_st__bindgen_ty_1,
    }
    union CUasyncNotificationInfo_st__bindgen_ty_1 { overBudget: CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1 }
    struct CUasyncNotificationInfo_st__bindgen_ty_1__bindgen_ty_1 { bytesOverBudget: u64 }
    struct CUcheckpointCheckpointArgs_st as CUcheckpointCheckpointArgs { reserved: [u64; 8] }
    struct CUcheckpointGpuPair_st as CUcheckpointGpuPair { oldUuid: CUuuid, newUuid: CUuuid }
    struct CUcheckpointLockArgs_st as CUcheckpointLockArgs { timeoutMs: c_uint, reserved0: c_uint, reserved1: [u64; 7] }
    struct CUcheckpointRestoreArgs_st as CUcheckpointRestoreArgs {
        gpuPairs: *mut CUcheckpointGpuPair, gpuPairsCount: c_uint, reserved: [c_char; 44], reserved1: u64,
    }
    struct CUcheckpointUnlockArgs_st as CUcheckpointUnlockArgs { reserved: [u64; 8] }
    struct CUctxCigParam_st as CUctxCigParam { sharedDataType: CUcigDataType, sharedData: *mut c_void }
    struct CUctxCreateParams_st as CUctxCreateParams {
        execAffinityParams: *mut CUexecAffinityParam, numExecAffinityParams: c_int, cigParams: *mut CUctxCigParam,
    }
    struct CUDA_ARRAY3D_DESCRIPTOR_st as CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR_v2 {
        Width: usize, Height: usize, Depth: usize, Format: CUarray_format, NumChannels: c_uint, Flags: c_uint,
    }
    struct CUDA_ARRAY_DESCRIPTOR_st as CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY_DESCRIPTOR_v2 {
        Width: usize, Height: usize, Format: CUarray_format, NumChannels: c_uint,
    }
    struct CUDA_ARRAY_MEMORY_REQUIREMENTS_st as CUDA_ARRAY_MEMORY_REQUIREMENTS, CUDA_ARRAY_MEMORY_REQUIREMENTS_v1 {
        size: usize, alignment: usize, reserved: [c_uint; 4],
    }
    struct CUDA_ARRAY_SPARSE_PROPERTIES_st as CUDA_ARRAY_SPARSE_PROPERTIES, CUDA_ARRAY_SPARSE_PROPERTIES_v1 {
        tileExtent: CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1, miptailFirstLevel: c_uint, miptailSize: u64, flags: c_uint,
        reserved: [c_uint; 4],
    }
    struct CUDA_ARRAY_SPARSE_PROPERTIES_st__bindgen_ty_1 { width: c_uint, height: c_uint, depth: c_uint }
    struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st as CUDA_BATCH_MEM_OP_NODE_PARAMS, CUDA_BATCH_MEM_OP_NODE_PARAMS_v1 {
        ctx: CUcontext, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint,
    }
    struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st as CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 {
        ctx: CUcontext, count: c_uint, paramArray: *mut CUstreamBatchMemOpParams, flags: c_uint,
    }
    struct CUDA_CHILD_GRAPH_NODE_PARAMS_st as CUDA_CHILD_GRAPH_NODE_PARAMS { graph: CUgraph, ownership: CUgraphChildGraphNodeOwnership }
    struct CUDA_CONDITIONAL_NODE_PARAMS {
        handle: CUgraphConditionalHandle, type_: CUgraphConditionalNodeType, size: c_uint, phGraph_out: *mut CUgraph, ctx: CUcontext,
    }
    struct CUDA_EVENT_RECORD_NODE_PARAMS_st as CUDA_EVENT_RECORD_NODE_PARAMS { event: CUevent }
    struct CUDA_EVENT_WAIT_NODE_PARAMS_st as CUDA_EVENT_WAIT_NODE_PARAMS { event: CUevent }
    struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st as CUDA_EXT_SEM_SIGNAL_NODE_PARAMS, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v1 {
        extSemArray: *mut CUexternalSemaphore, paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, numExtSems: c_uint,
    }
    struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_st as CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 {
        extSemArray: *mut CUexternalSemaphore, paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, numExtSems: c_uint,
    }
    struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_st as CUDA_EXT_SEM_WAIT_NODE_PARAMS, CUDA_EXT_SEM_WAIT_NODE_PARAMS_v1 {
        extSemArray: *mut CUexternalSemaphore, paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, numExtSems: c_uint,
    }
    struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_st as CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 {
        extSemArray: *mut CUexternalSemaphore, paramsArray: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, numExtSems: c_uint,
    }
    struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st as CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1 {
        offset: u64, size: u64, flags: c_uint, reserved: [c_uint; 16],
    }
    struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st as CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1 {
        type_: CUexternalMemoryHandleType, handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1, size: u64, flags: c_uint,
        reserved: [c_uint; 16],
    }
    union CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1 {
        fd: c_int, win32: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1, nvSciBufObject: *const c_void,
    }
    struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1 { handle: *mut c_void, name: *const c_void }
    struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st as CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_v1 {
        offset: u64, arrayDesc: CUDA_ARRAY3D_DESCRIPTOR, numLevels: c_uint, reserved: [c_uint; 16],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st as CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_v1 {
        type_: CUexternalSemaphoreHandleType, handle: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1, flags: c_uint,
        reserved: [c_uint; 16],
    }
    union CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1 {
        fd: c_int, win32: CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1, nvSciSyncObj: *const c_void,
    }
    struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st__bindgen_ty_1__bindgen_ty_1 { handle: *mut c_void, name: *const c_void }
    struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st as CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_v1 {
        params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1, flags: c_uint, reserved: [c_uint; 16],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1 {
        fence: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1,
        nvSciSync: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2,
        keyedMutex: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3, reserved: [c_uint; 12],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_1 { value: u64 }
    union CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_2 { fence: *mut c_void, reserved: u64 }
    struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st__bindgen_ty_1__bindgen_ty_3 { key: u64 }
    struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st as CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1 {
        params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1, flags: c_uint, reserved: [c_uint; 16],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1 {
        fence: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1,
        nvSciSync: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2,
        keyedMutex: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3, reserved: [c_uint; 10],
    }
    struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_1 { value: u64 }
    union CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_2 { fence: *mut c_void, reserved: u64 }
    struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st__bindgen_ty_1__bindgen_ty_3 { key: u64, timeoutMs: c_uint }
    struct CUDA_GRAPH_INSTANTIATE_PARAMS_st as CUDA_GRAPH_INSTANTIATE_PARAMS {
        flags: u64, hUploadStream: CUstream, hErrNode_out: CUgraphNode, result_out: CUgraphInstantiateResult,
    }
    struct CUDA_HOST_NODE_PARAMS_st as CUDA_HOST_NODE_PARAMS, CUDA_HOST_NODE_PARAMS_v1 { fn_: CUhostFn, userData: *mut c_void }
    struct CUDA_HOST_NODE_PARAMS_v2_st as CUDA_HOST_NODE_PARAMS_v2 { fn_: CUhostFn, userData: *mut c_void }
    struct CUDA_KERNEL_NODE_PARAMS_st as CUDA_KERNEL_NODE_PARAMS_v1 {
        func: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint,
        sharedMemBytes: c_uint, kernelParams: *mut *mut c_void, extra: *mut *mut c_void,
    }
    struct CUDA_KERNEL_NODE_PARAMS_v2_st as CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v2 {
        func: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint,
        sharedMemBytes: c_uint, kernelParams: *mut *mut c_void, extra: *mut *mut c_void, kern: CUkernel, ctx: CUcontext,
    }
    struct CUDA_KERNEL_NODE_PARAMS_v3_st as CUDA_KERNEL_NODE_PARAMS_v3 {
        func: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint,
        sharedMemBytes: c_uint, kernelParams: *mut *mut c_void, extra: *mut *mut c_void, kern: CUkernel, ctx: CUcontext,
    }
    struct CUDA_LAUNCH_PARAMS_st as CUDA_LAUNCH_PARAMS, CUDA_LAUNCH_PARAMS_v1 {
        function: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint,
        sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void,
    }
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st as CUDA_MEM_ALLOC_NODE_PARAMS, CUDA_MEM_ALLOC_NODE_PARAMS_v1 {
        poolProps: CUmemPoolProps, accessDescs: *const CUmemAccessDesc, accessDescCount: usize, bytesize: usize, dptr: CUdeviceptr,
    }
    struct CUDA_MEM_ALLOC_NODE_PARAMS_v2_st as CUDA_MEM_ALLOC_NODE_PARAMS_v2 {
        poolProps: CUmemPoolProps, accessDescs: *const CUmemAccessDesc, accessDescCount: usize, bytesize: usize, dptr: CUdeviceptr,
    }
    struct CUDA_MEM_FREE_NODE_PARAMS_st as CUDA_MEM_FREE_NODE_PARAMS { dptr: CUdeviceptr }
    struct CUDA_MEMCPY2D_st as CUDA_MEMCPY2D, CUDA_MEMCPY2D_v2 {
        srcXInBytes: usize, srcY: usize, srcMemoryType: CUmemorytype, srcHost: *const c_void, srcDevice: CUdeviceptr, srcArray: CUarray,
        srcPitch: usize, dstXInBytes: usize, dstY: usize, dstMemoryType: CUmemorytype, dstHost: *mut c_void, dstDevice: CUdeviceptr,
        dstArray: CUarray, dstPitch: usize, WidthInBytes: usize, Height: usize,
    }
    struct CUDA_MEMCPY3D_BATCH_OP_st as CUDA_MEMCPY3D_BATCH_OP, CUDA_MEMCPY3D_BATCH_OP_v1 {
        src: CUmemcpy3DOperand, dst: CUmemcpy3DOperand, extent: CUextent3D, srcAccessOrder: CUmemcpySrcAccessOrder, flags: c_uint,
    }
    struct CUDA_MEMCPY3D_PEER_st as CUDA_MEMCPY3D_PEER, CUDA_MEMCPY3D_PEER_v1 {
        srcXInBytes: usize, srcY: usize, srcZ: usize, srcLOD: usize, srcMemoryType: CUmemorytype, srcHost: *const c_void,
        srcDevice: CUdeviceptr, srcArray: CUarray, srcContext: CUcontext, srcPitch: usize, srcHeight: usize, dstXInBytes: usize,
        dstY: usize, dstZ: usize, dstLOD: usize, dstMemoryType: CUmemorytype, dstHost: *mut c_void, dstDevice: CUdeviceptr,
        dstArray: CUarray, dstContext: CUcontext, dstPitch: usize, dstHeight: usize, WidthInBytes: usize, Height: usize, Depth: usize,
    }
    struct CUDA_MEMCPY3D_st as CUDA_MEMCPY3D, CUDA_MEMCPY3D_v2 {
        srcXInBytes: usize, srcY: usize, srcZ: usize, srcLOD: usize, srcMemoryType: CUmemorytype, srcHost: *const c_void,
        srcDevice: CUdeviceptr, srcArray: CUarray, reserved0: *mut c_void, srcPitch: usize, srcHeight: usize, dstXInBytes: usize,
        dstY: usize, dstZ: usize, dstLOD: usize, dstMemoryType: CUmemorytype, dstHost: *mut c_void, dstDevice: CUdeviceptr,
        dstArray: CUarray, reserved1: *mut c_void, dstPitch: usize, dstHeight: usize, WidthInBytes: usize, Height: usize, Depth: usize,
    }
    struct CUDA_MEMCPY_NODE_PARAMS_st as CUDA_MEMCPY_NODE_PARAMS {
        flags: c_int, reserved: c_int, copyCtx: CUcontext, copyParams: CUDA_MEMCPY3D,
    }
    struct CUDA_MEMSET_NODE_PARAMS_st as CUDA_MEMSET_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS_v1 {
        dst: CUdeviceptr, pitch: usize, value: c_uint, elementSize: c_uint, width: usize, height: usize,
    }
    struct CUDA_MEMSET_NODE_PARAMS_v2_st as CUDA_MEMSET_NODE_PARAMS_v2 {
        dst: CUdeviceptr, pitch: usize, value: c_uint, elementSize: c_uint, width: usize, height: usize, ctx: CUcontext,
    }
    struct CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_st as CUDA_POINTER_ATTRIBUTE_P2P_TOKENS, CUDA_POINTER_ATTRIBUTE_P2P_TOKENS_v1 {
        p2pToken: u64, vaSpaceToken: c_uint,
    }
    struct CUDA_RESOURCE_DESC_st as CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_v1 {
        resType: CUresourcetype, res: CUDA_RESOURCE_DESC_st__bindgen_ty_1, flags: c_uint,
    }
    union CUDA_RESOURCE_DESC_st__bindgen_ty_1 {
        array: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1, mipmap: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2,
        linear: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, pitch2D: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4,
        reserved: CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
    }
    struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: CUarray }
    struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 { hMipmappedArray: CUmipmappedArray }
    struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
        devPtr: CUdeviceptr, format: CUarray_format, numChannels: c_uint, sizeInBytes: usize,
    }
    struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
        devPtr: CUdeviceptr, format: CUarray_format, numChannels: c_uint, width: usize, height: usize, pitchInBytes: usize,
    }
    struct CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 { reserved: [c_int; 32] }
    struct CUDA_RESOURCE_VIEW_DESC_st as CUDA_RESOURCE_VIEW_DESC, CUDA_RESOURCE_VIEW_DESC_v1 {
        format: CUresourceViewFormat, width: usize, height: usize, depth: usize, firstMipmapLevel: c_uint, lastMipmapLevel: c_uint,
        firstLayer: c_uint, lastLayer: c_uint, reserved: [c_uint; 16],
    }
    struct CUDA_TEXTURE_DESC_st as CUDA_TEXTURE_DESC, CUDA_TEXTURE_DESC_v1 {
        addressMode: [CUaddress_mode; 3], filterMode: CUfilter_mode, flags: c_uint, maxAnisotropy: c_uint, mipmapFilterMode: CUfilter_mode,
        mipmapLevelBias: f32, minMipmapLevelClamp: f32, maxMipmapLevelClamp: f32, borderColor: [f32; 4], reserved: [c_int; 12],
    }
    struct CUdevprop_st as CUdevprop, CUdevprop_v1 {
        maxThreadsPerBlock: c_int, maxThreadsDim: [c_int; 3], maxGridSize: [c_int; 3], sharedMemPerBlock: c_int, totalConstantMemory: c_int,
        SIMDWidth: c_int, memPitch: c_int, regsPerBlock: c_int, clockRate: c_int, textureAlign: c_int,
    }
    struct CUdevResource_st as CUdevResource, CUdevResource_v1 {
        type_: CUdevResourceType, _internal_padding: [c_uchar; 92], __bindgen_anon_1: CUdevResource_st__bindgen_ty_1,
    }
    union CUdevResource_st__bindgen_ty_1 { sm: CUdevSmResource, _oversize: [c_uchar; 48] }
    struct CUdevSmResource_st as CUdevSmResource { smCount: c_uint, minSmPartitionSize: c_uint, smCoscheduledAlignment: c_uint }
    struct CUexecAffinityParam_st as CUexecAffinityParam, CUexecAffinityParam_v1 {
        type_: CUexecAffinityType, param: CUexecAffinityParam_st__bindgen_ty_1,
    }
    union CUexecAffinityParam_st__bindgen_ty_1 { smCount: CUexecAffinitySmCount }
    struct CUexecAffinitySmCount_st as CUexecAffinitySmCount, CUexecAffinitySmCount_v1 { val: c_uint }
    struct CUextent3D_st as CUextent3D, CUextent3D_v1 { width: usize, height: usize, depth: usize }
    struct CUgraphEdgeData_st as CUgraphEdgeData { from_port: c_uchar, to_port: c_uchar, type_: c_uchar, reserved: [c_uchar; 5] }
    struct CUgraphExecUpdateResultInfo_st as CUgraphExecUpdateResultInfo, CUgraphExecUpdateResultInfo_v1 {
        result: CUgraphExecUpdateResult, errorNode: CUgraphNode, errorFromNode: CUgraphNode,
    }
    struct CUgraphNodeParams_st as CUgraphNodeParams {
        type_: CUgraphNodeType, reserved0: [c_int; 3], __bindgen_anon_1: CUgraphNodeParams_st__bindgen_ty_1, reserved2: i64,
    }
    union CUgraphNodeParams_st__bindgen_ty_1 {
        reserved1: [i64; 29], kernel: CUDA_KERNEL_NODE_PARAMS_v3, memcpy: CUDA_MEMCPY_NODE_PARAMS, memset: CUDA_MEMSET_NODE_PARAMS_v2,
        host: CUDA_HOST_NODE_PARAMS_v2, graph: CUDA_CHILD_GRAPH_NODE_PARAMS, eventWait: CUDA_EVENT_WAIT_NODE_PARAMS,
        eventRecord: CUDA_EVENT_RECORD_NODE_PARAMS, extSemSignal: CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2,
        extSemWait: CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2, alloc: CUDA_MEM_ALLOC_NODE_PARAMS_v2, free: CUDA_MEM_FREE_NODE_PARAMS,
        memOp: CUDA_BATCH_MEM_OP_NODE_PARAMS_v2, conditional: CUDA_CONDITIONAL_NODE_PARAMS,
    }
    struct CUipcEventHandle_st as CUipcEventHandle, CUipcEventHandle_v1 { reserved: [c_char; 64] }
    struct CUipcMemHandle_st as CUipcMemHandle, CUipcMemHandle_v1 { reserved: [c_char; 64] }
    struct CUlaunchAttribute_st as CUlaunchAttribute { id: CUlaunchAttributeID, pad: [c_char; 4], value: CUlaunchAttributeValue }
    union CUlaunchAttributeValue_union as CUstreamAttrValue, CUstreamAttrValue_v1, CUkernelNodeAttrValue, CUlaunchAttributeValue, CUkernelNodeAttrValue_v1 {
        pad: [c_char; 64], accessPolicyWindow: CUaccessPolicyWindow, cooperative: c_int, syncPolicy: CUsynchronizationPolicy,
        clusterDim: CUlaunchAttributeValue_union__bindgen_ty_1, clusterSchedulingPolicyPreference: CUclusterSchedulingPolicy,
        programmaticStreamSerializationAllowed: c_int, programmaticEvent: CUlaunchAttributeValue_union__bindgen_ty_2,
        launchCompletionEvent: CUlaunchAttributeValue_union__bindgen_ty_3, priority: c_int, memSyncDomainMap: CUlaunchMemSyncDomainMap,
        memSyncDomain: CUlaunchMemSyncDomain, preferredClusterDim: CUlaunchAttributeValue_union__bindgen_ty_4,
        deviceUpdatableKernelNode: CUlaunchAttributeValue_union__bindgen_ty_5, sharedMemCarveout: c_uint,
        nvlinkUtilCentricScheduling: c_uint,
    }
    struct CUlaunchAttributeValue_union__bindgen_ty_1 { x: c_uint, y: c_uint, z: c_uint }
    struct CUlaunchAttributeValue_union__bindgen_ty_2 { event: CUevent, flags: c_int, triggerAtBlockStart: c_int }
    struct CUlaunchAttributeValue_union__bindgen_ty_3 { event: CUevent, flags: c_int }
    struct CUlaunchAttributeValue_union__bindgen_ty_4 { x: c_uint, y: c_uint, z: c_uint }
    struct CUlaunchAttributeValue_union__bindgen_ty_5 { deviceUpdatable: c_int, devNode: CUgraphDeviceNode }
    struct CUlaunchConfig_st as CUlaunchConfig {
        gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint,
        sharedMemBytes: c_uint, hStream: CUstream, attrs: *mut CUlaunchAttribute, numAttrs: c_uint,
    }
    struct CUlaunchMemSyncDomainMap_st as CUlaunchMemSyncDomainMap { default_: c_uchar, remote: c_uchar }
    struct CUlibraryHostUniversalFunctionAndDataTable_st as CUlibraryHostUniversalFunctionAndDataTable {
        functionTable: *mut c_void, functionWindowSize: usize, dataTable: *mut c_void, dataWindowSize: usize,
    }
    struct CUmemAccessDesc_st as CUmemAccessDesc, CUmemAccessDesc_v1 { location: CUmemLocation, flags: CUmemAccess_flags }
    struct CUmemAllocationProp_st as CUmemAllocationProp, CUmemAllocationProp_v1 {
        type_: CUmemAllocationType, requestedHandleTypes: CUmemAllocationHandleType, location: CUmemLocation,
        win32HandleMetaData: *mut c_void, allocFlags: CUmemAllocationProp_st__bindgen_ty_1,
    }
    struct CUmemAllocationProp_st__bindgen_ty_1 {
        compressionType: c_uchar, gpuDirectRDMACapable: c_uchar, usage: c_ushort, reserved: [c_uchar; 4],
    }
    struct CUmemcpy3DOperand_st as CUmemcpy3DOperand, CUmemcpy3DOperand_v1 {
        type_: CUmemcpy3DOperandType, op: CUmemcpy3DOperand_st__bindgen_ty_1,
    }
    union CUmemcpy3DOperand_st__bindgen_ty_1 {
        ptr: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1, array: CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2,
    }
    struct CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_1 {
        ptr: CUdeviceptr, rowLength: usize, layerHeight: usize, locHint: CUmemLocation,
    }
    struct CUmemcpy3DOperand_st__bindgen_ty_1__bindgen_ty_2 { array: CUarray, offset: CUoffset3D }
    struct CUmemcpyAttributes_st as CUmemcpyAttributes, CUmemcpyAttributes_v1 {
        srcAccessOrder: CUmemcpySrcAccessOrder, srcLocHint: CUmemLocation, dstLocHint: CUmemLocation, flags: c_uint,
    }
    struct CUmemDecompressParams_st as CUmemDecompressParams {
        srcNumBytes: usize, dstNumBytes: usize, dstActBytes: *mut u32, src: *const c_void, dst: *mut c_void, algo: CUmemDecompressAlgorithm,
        padding: [c_uchar; 20],
    }
    struct CUmemFabricHandle_st as CUmemFabricHandle, CUmemFabricHandle_v1 { data: [c_uchar; 64] }
    struct CUmemLocation_st as CUmemLocation, CUmemLocation_v1 { type_: CUmemLocationType, id: c_int }
    struct CUmemPoolProps_st as CUmemPoolProps, CUmemPoolProps_v1 {
        allocType: CUmemAllocationType, handleTypes: CUmemAllocationHandleType, location: CUmemLocation,
        win32SecurityAttributes: *mut c_void, maxSize: usize, usage: c_ushort, reserved: [c_uchar; 54],
    }
    struct CUmemPoolPtrExportData_st as CUmemPoolPtrExportData, CUmemPoolPtrExportData_v1 { reserved: [c_uchar; 64] }
    struct CUmulticastObjectProp_st as CUmulticastObjectProp, CUmulticastObjectProp_v1 {
        numDevices: c_uint, size: usize, handleTypes: u64, flags: u64,
    }
    struct CUoffset3D_st as CUoffset3D, CUoffset3D_v1 { x: usize, y: usize, z: usize }
    union CUstreamBatchMemOpParams_union as CUstreamBatchMemOpParams, CUstreamBatchMemOpParams_v1 {
        operation: CUstreamBatchMemOpType, waitValue: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st,
        writeValue: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st,
        flushRemoteWrites: CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st,
        memoryBarrier: CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st, pad: [u64; 6],
    }
    struct CUstreamBatchMemOpParams_union_CUstreamMemOpFlushRemoteWritesParams_st { operation: CUstreamBatchMemOpType, flags: c_uint }
    struct CUstreamBatchMemOpParams_union_CUstreamMemOpMemoryBarrierParams_st { operation: CUstreamBatchMemOpType, flags: c_uint }
    struct CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st {
        operation: CUstreamBatchMemOpType, address: CUdeviceptr,
        __bindgen_anon_1: CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1, flags: c_uint, alias: CUdeviceptr,
    }
    union CUstreamBatchMemOpParams_union_CUstreamMemOpWaitValueParams_st__bindgen_ty_1 { value: u32, value64: u64 }
    struct CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st {
        operation: CUstreamBatchMemOpType, address: CUdeviceptr,
        __bindgen_anon_1: CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1, flags: c_uint, alias: CUdeviceptr,
    }
    union CUstreamBatchMemOpParams_union_CUstreamMemOpWriteValueParams_st__bindgen_ty_1 { value: u32, value64: u64 }
    /// What describes a tensor to the hardware that copies its tiles. Aligned as in CUDA 13; older headers ask for 64 bytes.
    #[repr(align(128))]
    struct CUtensorMap_st as CUtensorMap { opaque: [u64; 16] }
    struct CUuuid_st as CUuuid { bytes: [c_char; 16] }
}
