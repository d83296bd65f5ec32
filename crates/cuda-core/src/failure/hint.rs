//! What to do about an error, by its code.

use crate::sys;

/// Whether a code is a kernel's fault, which ends its context, and with libcuda all of the process's work on GPUs.
pub(super) fn is_fault(code: sys::CUresult) -> bool {
    matches!(
        code,
        sys::cudaError_enum_CUDA_ERROR_ILLEGAL_ADDRESS
            | sys::cudaError_enum_CUDA_ERROR_LAUNCH_TIMEOUT
            | sys::cudaError_enum_CUDA_ERROR_ASSERT
            | sys::cudaError_enum_CUDA_ERROR_HARDWARE_STACK_ERROR
            | sys::cudaError_enum_CUDA_ERROR_ILLEGAL_INSTRUCTION
            | sys::cudaError_enum_CUDA_ERROR_MISALIGNED_ADDRESS
            | sys::cudaError_enum_CUDA_ERROR_INVALID_ADDRESS_SPACE
            | sys::cudaError_enum_CUDA_ERROR_INVALID_PC
            | sys::cudaError_enum_CUDA_ERROR_LAUNCH_FAILED
    )
}

/// What to do about an error, by its code, and by where it happened.
pub(crate) fn hint(code: sys::CUresult, is_cpu_device: bool) -> Option<&'static str> {
    Some(match code {
        sys::cudaError_enum_CUDA_ERROR_OUT_OF_MEMORY => "free buffers that are done with, or ask for less",
        sys::cudaError_enum_CUDA_ERROR_DEVICE_UNAVAILABLE => "another process has the device to itself: `nvidia-smi` shows which",
        sys::cudaError_enum_CUDA_ERROR_INVALID_DEVICE => "devices are counted from 0: `nvidia-smi -L` lists them",
        sys::cudaError_enum_CUDA_ERROR_INVALID_IMAGE => {
            "an image is PTX, a cubin or a fat binary, made for this device's architecture or an older one"
        }
        sys::cudaError_enum_CUDA_ERROR_INVALID_CONTEXT => "both belong to one context",
        sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU => {
            "build for this device's architecture, or keep the PTX, which the driver compiles for it"
        }
        sys::cudaError_enum_CUDA_ERROR_PEER_ACCESS_UNSUPPORTED => "copy through the host: these devices do not reach each other's memory",
        sys::cudaError_enum_CUDA_ERROR_PEER_ACCESS_NOT_ENABLED => {
            "enable it with `peer::enable_peer_access`, or copy to a buffer of the device that uses it"
        }
        sys::cudaError_enum_CUDA_ERROR_INVALID_PTX => "the driver's log has the line; build with oxide's own PTX, or for an older target",
        sys::cudaError_enum_CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            "install libnvidia-ptxjitcompiler, which comes with the driver, or load a cubin"
        }
        sys::cudaError_enum_CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "update the NVIDIA driver, or build for an older target, whose PTX it reads"
        }
        sys::cudaError_enum_CUDA_ERROR_INVALID_SOURCE => "the file is not PTX, a cubin or a fat binary",
        sys::cudaError_enum_CUDA_ERROR_FILE_NOT_FOUND => "a relative path starts at the working directory of the process",
        sys::cudaError_enum_CUDA_ERROR_INVALID_HANDLE => "what it belongs to was dropped, or it is of another context",
        sys::cudaError_enum_CUDA_ERROR_NOT_FOUND => "names are exact, and a generic kernel has one for each instance that the program uses",
        sys::cudaError_enum_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
            "launch smaller blocks, or bound the kernel's registers with `#[launch_bounds]`"
        }
        sys::cudaError_enum_CUDA_ERROR_LAUNCH_TIMEOUT => "a display's device stops kernels that take seconds: split the work",
        sys::cudaError_enum_CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE => {
            "launch as many blocks as run at once, and let each do several blocks' work"
        }
        sys::cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
        | sys::cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
        | sys::cudaError_enum_CUDA_ERROR_STREAM_CAPTURE_IMPLICIT => "a captured stream takes no call that waits or allocates at once",
        // The CPU device has named the thread and the line; what an access without a bounds check reached, only its checks tell.
        code if is_fault(code) && is_cpu_device => {
            "a line above has the thread, its access and the line; `--check all` finds accesses out of bounds and races too"
        }
        code if is_fault(code) => {
            "`oxide run --check all` names the access and the thread on the CPU device, `oxide sanitize` on the GPU; the context is lost, and \
             on a GPU this process makes no other: begin a new process"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_a_fault_depends_on_the_device() {
        let code = sys::cudaError_enum_CUDA_ERROR_LAUNCH_FAILED;
        assert!(hint(code, false).unwrap().starts_with("`oxide run --check all` names the access"));
        assert!(hint(code, true).unwrap().starts_with("a line above has"));
        assert_eq!(hint(sys::cudaError_enum_CUDA_SUCCESS, false), None);
    }
}
