//! What the driver was asked when it reported an error: an error is only its code, and this tells the rest.
//!
//! Each thread remembers its last failed call. [`crate::DriverError`] prints it where the codes are the same, with what the caller of
//! that call knew. Nothing is written down for a call that succeeds but the last launch, at which a fault of a kernel may point.

use std::{cell::RefCell, fmt, fmt::Write, sync::Arc};

use crate::{DriverError, LaunchConfig, driver, image, sys};

/// A failed call.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    code: sys::CUresult,
    /// `None` where the driver was not asked at all.
    call: Option<&'static str>,
    /// Whether it is reported by a later call, since nobody could take the error then.
    earlier: bool,
    /// What was asked, and why it may have failed.
    about: Option<String>,
}

thread_local! {
    static LAST: RefCell<Option<Failure>> = const { RefCell::new(None) };
    static LAUNCHED: RefCell<Option<Launch>> = const { RefCell::new(None) };
}

/// Remembers a failed call of the driver. Not being ready is no failure.
pub(crate) fn record(call: &'static str, code: sys::CUresult) {
    if matches!(code, sys::cudaError_enum_CUDA_SUCCESS | sys::cudaError_enum_CUDA_ERROR_NOT_READY) {
        return;
    }
    // A kernel's fault is reported by whichever call comes next.
    let about = is_fault(code).then(last_launch).flatten().map(|launch| format!("the last kernel launched by this thread is {launch}"));
    restore(Some(Failure { code, call: Some(call), earlier: false, about }));
}

/// Remembers a call that the opened driver does not have.
pub(crate) fn record_absent(call: &'static str) {
    let about = Some(if driver::is_cpu_device() { "the CPU device does not have it" } else { "this driver does not have it" }.into());
    restore(Some(Failure { code: sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED, call: Some(call), earlier: false, about }));
}

/// An error of our own, in the driver's code for it.
pub(crate) fn refuse(code: sys::CUresult, about: impl Into<String>) -> DriverError {
    restore(Some(Failure { code, call: None, earlier: false, about: Some(about.into()) }));
    DriverError(code)
}

/// Says what a call that has just failed was about. What `about` itself asks the driver is forgotten.
pub(crate) fn explain(error: DriverError, about: impl FnOnce() -> Option<String>) -> DriverError {
    let about = undisturbed(about);
    restore(last(error).map(|failure| Failure { about: about.or(failure.about), ..failure }));
    error
}

/// Runs what must not change which call failed last.
pub(crate) fn undisturbed<T>(run: impl FnOnce() -> T) -> T {
    let before = LAST.try_with(|last| last.borrow().clone()).ok().flatten();
    let value = run();
    restore(before);
    value
}

/// The failure behind an error of this thread.
pub(crate) fn last(error: DriverError) -> Option<Failure> {
    LAST.try_with(|last| last.borrow().clone()).ok().flatten().filter(|failure| failure.code == error.0)
}

/// Makes a failure of earlier, and maybe of another thread, the last one of this thread.
pub(crate) fn resume(failure: Option<Failure>) {
    restore(failure.map(|failure| Failure { earlier: true, ..failure }));
}

fn restore(failure: Option<Failure>) {
    // A thread that ends has no place for it any more.
    let _ = LAST.try_with(|last| last.replace(failure));
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let earlier = if self.earlier { "an earlier " } else { "" };
        match (self.call, &self.about) {
            (Some(call), Some(about)) => write!(f, "{earlier}{call}: {about}"),
            (Some(call), None) => write!(f, "{earlier}{call}"),
            (None, about) => f.write_str(about.as_deref().unwrap_or_default()),
        }
    }
}

/// A kernel and the shape that it is launched with.
#[derive(Clone)]
pub(crate) struct Launch {
    /// `None` where only the handle is known.
    pub(crate) kernel: Option<Arc<str>>,
    pub(crate) function: sys::CUfunction,
    pub(crate) config: LaunchConfig,
    pub(crate) cluster: Option<(u32, u32, u32)>,
    pub(crate) cooperative: bool,
}

/// Remembers a launch that the driver has taken.
pub(crate) fn launched(launch: Launch) {
    let _ = LAUNCHED.try_with(|launched| launched.replace(Some(launch)));
}

fn last_launch() -> Option<Launch> {
    LAUNCHED.try_with(|launched| launched.borrow().clone()).ok().flatten()
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = self.config;
        match &self.kernel {
            Some(kernel) => write!(f, "`{kernel}`")?,
            None => write!(f, "a kernel")?,
        }
        write!(f, " with grid {grid_dim:?}, block {block_dim:?}, {shared_mem_bytes} bytes of dynamic shared memory")?;
        self.cluster.iter().try_for_each(|cluster| write!(f, ", clusters of {cluster:?}"))?;
        f.write_str(if self.cooperative { ", cooperative" } else { "" })
    }
}

impl Launch {
    /// The launch, and, where the error is about its shape, each limit of the device or the kernel that it goes beyond. Asks the driver
    /// about the function, which after other errors may be gone.
    pub(crate) fn explain(mut self, error: DriverError) -> String {
        if !matches!(
            error.0,
            sys::cudaError_enum_CUDA_ERROR_INVALID_VALUE
                | sys::cudaError_enum_CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                | sys::cudaError_enum_CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
                | sys::cudaError_enum_CUDA_ERROR_INVALID_CLUSTER_SIZE
                | sys::cudaError_enum_CUDA_ERROR_NOT_SUPPORTED
        ) {
            return self.to_string();
        }
        if self.kernel.is_none() {
            self.kernel = function_name(self.function).map(Arc::from);
        }
        let mut text = self.to_string();
        for reason in self.reasons() {
            // Writing to a string succeeds.
            let _ = write!(text, "; {reason}");
        }
        text
    }

    fn reasons(&self) -> Vec<String> {
        let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = self.config;
        let mut reasons = Vec::new();
        let mut exceeds = |what: &str, got: u64, limit: Option<u64>, whose: &str| {
            if let Some(limit) = limit.filter(|&limit| got > limit) {
                reasons.push(format!("got {got} {what}, {whose} {limit}"));
            }
        };
        let device = device_attribute;
        let kernel = |attribute| function_attribute(self.function, attribute);

        let threads = product(block_dim);
        let threads_of_device = device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        exceeds("threads in a block", threads, threads_of_device, "the device allows");
        let axes = [
            (block_dim.0, "threads along x", sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
            (block_dim.1, "threads along y", sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
            (block_dim.2, "threads along z", sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
            (grid_dim.0, "blocks along x", sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
            (grid_dim.1, "blocks along y", sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
            (grid_dim.2, "blocks along z", sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        ];
        for (got, what, attribute) in axes {
            exceeds(what, got.into(), device(attribute), "the device allows");
        }
        let threads_of_kernel = kernel(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        if threads_of_kernel < threads_of_device {
            exceeds("threads in a block", threads, threads_of_kernel, "the kernel allows");
        }
        if let Some(registers) = kernel(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_NUM_REGS) {
            // A warp's registers are allotted together, in units of 8 a thread.
            let needed = registers.next_multiple_of(8).saturating_mul(threads.div_ceil(32).saturating_mul(32));
            let limit = device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
            exceeds(&format!("registers ({registers} a thread × {threads} threads)"), needed, limit, "a block has at most");
        }
        let fixed = kernel(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES).unwrap_or_default();
        let dynamic = kernel(sys::CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
        if let Some(most) = device(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) {
            let most = most.saturating_sub(fixed);
            let raised = u64::from(shared_mem_bytes) <= most;
            let whose = if raised {
                format!("which CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES raises up to {most}; the kernel allows")
            } else {
                format!("the device has {most} beside {fixed} of the kernel's own; the kernel allows")
            };
            exceeds("bytes of dynamic shared memory", shared_mem_bytes.into(), dynamic, &whose);
        }
        if let Some(cluster) = self.cluster {
            let blocks = product(cluster);
            exceeds("blocks in a cluster", blocks, Some(8), "a kernel without CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED allows");
            let divides = |grid: u32, cluster: u32| cluster != 0 && grid.is_multiple_of(cluster);
            if !(divides(grid_dim.0, cluster.0) && divides(grid_dim.1, cluster.1) && divides(grid_dim.2, cluster.2)) {
                reasons.push(format!("clusters of {cluster:?} do not divide grid {grid_dim:?}"));
            }
        }
        if threads == 0 || product(grid_dim) == 0 {
            reasons.push("a grid and a block are at least 1 along each axis: launch nothing where there is nothing to do".into());
        } else if self.cooperative
            && let Some(resident) = self.resident_blocks()
            && product(grid_dim) > resident
        {
            reasons.push(format!("got {} blocks, the device runs {resident} of this kernel at once", product(grid_dim)));
        }
        reasons
    }

    /// Blocks of this shape that the device runs at once.
    fn resident_blocks(&self) -> Option<u64> {
        let threads = i32::try_from(product(self.config.block_dim)).ok()?;
        let shared = self.config.shared_mem_bytes as usize;
        let mut blocks = 0;
        // SAFETY: the caller of the launch vouches for the function, and the driver stores an int.
        let code = unsafe { sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.function, threads, shared) };
        let multiprocessors = device_attribute(sys::CUdevice_attribute_enum_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        (code == sys::cudaError_enum_CUDA_SUCCESS).then(|| u64::try_from(blocks).map(|blocks| blocks * multiprocessors).ok())?
    }
}

/// An allocation of device memory, and how much there is.
pub(crate) fn allocation(bytes: usize) -> Option<String> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: the driver stores two sizes.
    let code = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
    let known = code == sys::cudaError_enum_CUDA_SUCCESS;
    Some(if known { format!("{bytes} bytes; {free} of the device's {total} are free") } else { format!("{bytes} bytes") })
}

/// A name that a module does not have, and the kernels that it has, those with the nearest names first. `known` are those that were
/// read from its code, where the driver is too old to list them, and `origin` where that is from.
pub(crate) fn missing(name: &str, module: sys::CUmodule, known: &[String], origin: &str) -> String {
    let mut names = kernels(module);
    if names.is_empty() {
        names = known.to_vec();
    }
    if names.is_empty() {
        return format!("`{name}` in {origin}");
    }
    names.sort_by_cached_key(|other| (strsim::damerau_levenshtein(name, other), other.clone()));
    format!("`{name}`; {origin} has {}", image::listed(&names))
}

/// The names of a module's kernels; none where the driver is too old to tell.
fn kernels(module: sys::CUmodule) -> Vec<String> {
    let mut count = 0;
    // SAFETY: the module is loaded, and the driver stores a number.
    if unsafe { sys::cuModuleGetFunctionCount(&mut count, module) } != sys::cudaError_enum_CUDA_SUCCESS {
        return Vec::new();
    }
    let mut functions = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: there is room for as many functions.
    if unsafe { sys::cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, module) } != sys::cudaError_enum_CUDA_SUCCESS {
        return Vec::new();
    }
    functions.into_iter().filter_map(function_name).collect()
}

fn function_name(function: sys::CUfunction) -> Option<String> {
    let mut name = std::ptr::null();
    // SAFETY: the function is alive, and the driver stores the address of a text, which lives as long.
    let code = unsafe { sys::cuFuncGetName(&mut name, function) };
    if code != sys::cudaError_enum_CUDA_SUCCESS || name.is_null() {
        return None;
    }
    // SAFETY: as above.
    Some(unsafe { std::ffi::CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

/// An attribute of the current context's device.
fn device_attribute(attribute: sys::CUdevice_attribute) -> Option<u64> {
    let (mut device, mut value) = (0, 0);
    // SAFETY: the driver stores a device, and then an int.
    let code = unsafe {
        match sys::cuCtxGetDevice(&mut device) {
            sys::cudaError_enum_CUDA_SUCCESS => sys::cuDeviceGetAttribute(&mut value, attribute, device),
            code => code,
        }
    };
    (code == sys::cudaError_enum_CUDA_SUCCESS).then(|| u64::try_from(value).ok())?
}

fn function_attribute(function: sys::CUfunction, attribute: sys::CUfunction_attribute) -> Option<u64> {
    let mut value = 0;
    // SAFETY: the caller of the launch vouches for the function, and the driver stores an int.
    let code = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, function) };
    (code == sys::cudaError_enum_CUDA_SUCCESS).then(|| u64::try_from(value).ok())?
}

fn product((x, y, z): (u32, u32, u32)) -> u64 {
    u64::from(x).saturating_mul(y.into()).saturating_mul(z.into())
}

/// Whether a code is a kernel's fault, which ends its context, and with libcuda all of the process's work on GPUs.
fn is_fault(code: sys::CUresult) -> bool {
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
        sys::cudaError_enum_CUDA_ERROR_INVALID_PTX => {
            "the driver's log says which line; build with oxide's own PTX, or for an older target"
        }
        sys::cudaError_enum_CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            "install libnvidia-ptxjitcompiler, which comes with the driver, or load a cubin"
        }
        sys::cudaError_enum_CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "update the NVIDIA driver, or build for an older target, whose PTX it reads"
        }
        sys::cudaError_enum_CUDA_ERROR_INVALID_SOURCE => "the file is no PTX, cubin or fat binary",
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
            "a line above says which thread did what, and where; `--check all` finds accesses out of bounds and races too"
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
    fn a_fault_is_looked_for_where_it_was_not_told() {
        let code = sys::cudaError_enum_CUDA_ERROR_LAUNCH_FAILED;
        assert!(hint(code, false).unwrap().starts_with("`oxide run --check all` names the access"));
        assert!(hint(code, true).unwrap().starts_with("a line above says"));
        assert_eq!(hint(sys::cudaError_enum_CUDA_SUCCESS, false), None);
    }
}
