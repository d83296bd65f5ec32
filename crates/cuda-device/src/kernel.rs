//! What the `kernel` attribute leaves beside a kernel.

/// The marker type of a kernel that is not generic.
pub trait CudaKernel {
    /// The name of its entry in the PTX.
    const PTX_NAME: &'static str;
}

/// The marker type of an instance of a generic kernel.
pub trait GenericCudaKernel {
    /// The name of its entry in the PTX.
    fn ptx_name() -> &'static str;
}
