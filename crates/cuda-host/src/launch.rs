//! What the launchers of `#[cuda_module]` are made of. No part of the interface.

use std::{
    collections::HashMap,
    ffi::c_void,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_core::{CudaFunction, CudaModule, CudaStream, DeviceBuffer, DriverError, LaunchConfig, launch_kernel_on_stream, sys::CUdeviceptr};
use cuda_device::disjoint::{DisjointSlice, SpaceLayout};

/// A loaded module with the kernels looked up so far, shared by its clones.
#[derive(Clone, Debug)]
pub struct Kernels {
    module: Arc<CudaModule>,
    functions: Arc<Mutex<HashMap<&'static str, CudaFunction>>>,
}

impl Kernels {
    /// Looks up `names` at once.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_NOT_FOUND` where one is missing, and what else the driver reports.
    pub fn new(module: Arc<CudaModule>, names: &[&'static str]) -> Result<Self, DriverError> {
        let kernels = Self { module, functions: Arc::default() };
        for name in names {
            kernels.get(name)?;
        }
        Ok(kernels)
    }

    /// The loaded module.
    pub fn module(&self) -> &Arc<CudaModule> {
        &self.module
    }

    /// The kernel of this name.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_NOT_FOUND` where it is missing, and what else the driver reports.
    pub fn get(&self, name: &'static str) -> Result<Kernel, DriverError> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(name) {
            return Ok(Kernel(function.clone()));
        }
        let function = self.module.load_function(name)?;
        functions.insert(name, function.clone());
        Ok(Kernel(function))
    }
}

/// A kernel with its arguments still to come.
pub struct Kernel(CudaFunction);

impl Kernel {
    /// Queues the kernel.
    ///
    /// # Errors
    ///
    /// What the driver reports about the launch.
    ///
    /// # Safety
    ///
    /// As for [`launch_kernel_on_stream`], `arguments` being those of the kernel's parameters in order.
    pub unsafe fn launch(&self, stream: &CudaStream, config: LaunchConfig, arguments: &mut [&mut dyn Argument]) -> Result<(), DriverError> {
        let mut words = Vec::with_capacity(2 * arguments.len());
        for argument in arguments {
            argument.push(&mut words);
        }
        let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = config;
        // SAFETY: passed on; the words live in `arguments`.
        unsafe { launch_kernel_on_stream(&self.0, grid_dim, block_dim, shared_mem_bytes, stream, &mut words) }
    }
}

/// A value that the driver copies for a kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    note = "a kernel parameter is `Copy`: derive it, or take a slice and pass a `DeviceBuffer`"
)]
pub trait KernelScalar: Copy {}

impl<T: Copy> KernelScalar for T {}

/// An argument, as the parameters in the PTX that it stands for.
pub trait Argument {
    /// Adds the address of each.
    fn push(&mut self, words: &mut Vec<*mut c_void>);
}

/// One parameter, or none for a type without bytes.
pub struct Value<T>(T);

impl<T> Argument for Value<T> {
    fn push(&mut self, words: &mut Vec<*mut c_void>) {
        if size_of::<T>() != 0 {
            words.push((&raw mut self.0).cast());
        }
    }
}

/// Two parameters.
pub struct Slice {
    address: CUdeviceptr,
    length: u64,
}

impl Argument for Slice {
    fn push(&mut self, words: &mut Vec<*mut c_void>) {
        words.extend([(&raw mut self.address).cast(), (&raw mut self.length).cast()]);
    }
}

/// A parameter by value.
pub fn value<T: KernelScalar>(value: T) -> Value<T> {
    Value(value)
}

/// A parameter `&[T]`.
pub fn slice<T>(buffer: &DeviceBuffer<T>) -> Slice {
    Slice { address: buffer.cu_deviceptr(), length: buffer.len() as u64 }
}

/// A parameter `&mut [T]`.
pub fn slice_mut<T>(buffer: &mut DeviceBuffer<T>) -> Slice {
    slice(buffer)
}

/// A parameter `DisjointSlice<T, …>`. That the type is named so is what the macro saw; that it is the real one is what this checks.
pub fn disjoint_slice<T, Parameter: DisjointParameter<Element = T>>(buffer: &mut DeviceBuffer<T>) -> Slice {
    slice(buffer)
}

/// A disjoint slice whose parameters are an address and a length.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `cuda_device::DisjointSlice`, after which the launcher takes a buffer")]
pub trait DisjointParameter {
    /// The slice's elements.
    type Element;
}

impl<T, Space: SpaceLayout<Data = ()>> DisjointParameter for DisjointSlice<'_, T, Space> {
    type Element = T;
}
