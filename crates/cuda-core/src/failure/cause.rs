//! Why a call failed, with the values that it was given and the limits of the device.

use std::{io, sync::Arc};

use thiserror::Error;

use super::launch::{Launch, RefusedLaunch};
use crate::{embedded::Unavailable, error, image, module::Unloadable, sys};

/// A cause; printed only where an error is.
#[derive(Debug, Error)]
pub(crate) enum Cause {
    #[error("the CPU device does not have this function")]
    NotInCpuDevice,
    #[error("this driver does not have this function")]
    NotInDriver,

    #[error("{0}")]
    Launch(RefusedLaunch),
    #[error("the last kernel launched by this thread is {0}")]
    LastLaunch(Launch),
    #[error("`{kernel}` takes a reference to host memory, which this device cannot read: add `move` to the closure, or pass a buffer")]
    HostReference { kernel: Arc<str> },
    #[error("`{kernel}` has {expected} parameters in PTX, got {got}; a slice is two, an address and a length")]
    ArgumentCount { kernel: Arc<str>, expected: usize, got: usize },

    /// The device's free and total bytes, where the driver reports them.
    #[error("{bytes} bytes{}", .memory.map(|(free, total)| format!("; {free} of the device's {total} are free")).unwrap_or_default())]
    Allocation { bytes: usize, memory: Option<(usize, usize)> },
    #[error("{bytes} bytes of device {device}")]
    PhysicalAllocation { bytes: usize, device: sys::CUdevice },
    #[error("{bytes} bytes of pinned host memory")]
    PinnedAllocation { bytes: usize },
    #[error("{len} elements of {size} bytes are more bytes than usize counts")]
    SizeOverflow { len: usize, size: usize },
    #[error("elements aligned to {alignment} bytes; an allocation is aligned to {allocation}")]
    Alignment { alignment: usize, allocation: usize },
    #[error("a buffer can be freed only in a stream of its own context")]
    StreamOfOtherContext,
    #[error("a buffer can be used by devices 0 to 63 and its own, got {ordinal}")]
    UserOrdinal { ordinal: usize },

    #[error("device {ordinal}{}", .count.map(|count| format!(" of {count}")).unwrap_or_default())]
    Device { ordinal: usize, count: Option<i32> },
    #[error("device {ordinal}'s context has {owners} other owners")]
    ContextInUse { ordinal: usize, owners: usize },
    #[error("device {ordinal} has another `CudaContext`")]
    OtherContext { ordinal: usize },
    #[error("device {device} cannot access the memory at {address:#x} of another device")]
    NoPeerAccess { device: usize, address: sys::CUdeviceptr },
    #[error("both events must be created with `Some(sys::CUevent_flags_enum_CU_EVENT_DEFAULT)`, not with `None`")]
    EventWithoutTiming,
    #[error("a host function runs once, a graph many times")]
    CapturedHostFunction,

    #[error("a NUL in {0:?}")]
    NulInName(String),
    #[error("`{name}`{}", listed_in(.kernels, .origin))]
    NoSuchKernel { name: String, origin: String, kernels: Vec<String> },
    #[error("`{name}` of {origin}")]
    Global { name: String, origin: String },
    #[error("cannot read {origin}: {source}")]
    UnreadableFile { origin: String, source: io::Error },
    #[error("{origin}: the image is truncated at {bytes} bytes")]
    TruncatedImage { origin: String, bytes: usize },
    #[error("{0}")]
    Unloadable(Unloadable),
    #[error("{0}")]
    Unavailable(Unavailable),
}

impl Cause {
    /// An allocation of device memory, with the memory that is free now.
    pub(crate) fn allocation(bytes: usize) -> Self {
        let mut total = 0;
        // SAFETY: the driver stores two sizes.
        let free = unsafe { error::output(|free| sys::checked::cuMemGetInfo_v2(free, &mut total)) };
        Self::Allocation { bytes, memory: free.ok().map(|free| (free, total)) }
    }

    /// A kernel that a module does not have, and those that it has, the nearest names first.
    pub(crate) fn no_such_kernel(name: &str, origin: &str, mut kernels: Vec<String>) -> Self {
        kernels.sort_by_cached_key(|other| (strsim::damerau_levenshtein(name, other), other.clone()));
        Self::NoSuchKernel { name: name.into(), origin: origin.into(), kernels }
    }
}

fn listed_in(kernels: &[String], origin: &str) -> String {
    if kernels.is_empty() { format!(" in {origin}") } else { format!("; {origin} has {}", image::listed(kernels)) }
}
