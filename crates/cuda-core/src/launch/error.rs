//! Why a launch was refused before it reached the driver.

use std::fmt;

use thiserror::Error;

use super::{LaunchAxis, LaunchDimension};
use crate::DriverError;

type Shape = (u32, u32, u32);

/// What of a launch does not keep to its kernel's contract, or is beyond the device. Numbers of blocks, threads and bytes; shapes are
/// along x, y and z.
#[derive(Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each field is named in its variant's message")]
pub enum LaunchContractError {
    /// The contract names no kernel.
    #[error("a launch contract without a kernel's name")]
    EmptyKernelName,
    /// An extent is 0.
    #[error("{kernel}: the {dimension} has an extent of 0 along {axis}")]
    ZeroDimension { kernel: &'static str, dimension: LaunchDimension, axis: LaunchAxis },
    /// The extents are more than 2⁶⁴ in all.
    #[error("{kernel}: the extents of the {dimension} multiply to more than 2^64")]
    DimensionProductOverflow { kernel: &'static str, dimension: LaunchDimension },
    /// An axis has more positions than 32 bits count.
    #[error(
        "{kernel}: {grid} blocks of {block} threads along {axis} are {positions} positions, more than the contract's 32-bit coordinates \
         count"
    )]
    CoordinateRangeExceedsU32 { kernel: &'static str, axis: LaunchAxis, grid: u32, block: u32, positions: u64 },
    /// The contract's alignment is none.
    #[error("{kernel}: dynamic shared memory aligned to {alignment} bytes, not a power of two")]
    InvalidSharedMemoryAlignment { kernel: &'static str, alignment: u32 },
    /// The contract's range is empty.
    #[error("{kernel}: the contract's dynamic shared memory is from {min_bytes} to {max_bytes} bytes, an empty range")]
    InvalidSharedMemoryRange { kernel: &'static str, min_bytes: u32, max_bytes: u32 },
    /// The block is another one.
    #[error("{kernel}: a block of {}, where the contract requires {}", Extents(*actual), Extents(*required))]
    BlockShapeMismatch { kernel: &'static str, required: Shape, actual: Shape },
    /// The block is too large for the contract.
    #[error("{kernel}: a block of {actual} threads, where the contract allows {max}")]
    BlockThreadsExceedContract { kernel: &'static str, actual: u64, max: u32 },
    /// There is another amount of dynamic shared memory.
    #[error("{kernel}: {actual} bytes of dynamic shared memory, where the contract requires {required}")]
    DynamicSharedMemoryExactMismatch { kernel: &'static str, required: u32, actual: u32 },
    /// There is too little or too much dynamic shared memory.
    #[error("{kernel}: {actual} bytes of dynamic shared memory, where the contract allows {min} to {max}")]
    DynamicSharedMemoryOutsideRange { kernel: &'static str, min: u32, max: u32, actual: u32 },
    /// Some cluster would lack blocks.
    #[error("{kernel}: the grid has {grid} blocks along {axis}, not a multiple of the cluster's {cluster}")]
    ClusterDoesNotDivideGrid { kernel: &'static str, axis: LaunchAxis, grid: u32, cluster: u32 },
    /// The device has no such extent.
    #[error("{kernel}: the {dimension} has an extent of {actual} along {axis}, where the device allows {max}")]
    DeviceDimensionExceeded { kernel: &'static str, dimension: LaunchDimension, axis: LaunchAxis, actual: u32, max: u32 },
    /// The block is too large for the device.
    #[error("{kernel}: a block of {actual} threads, where the device allows {max}")]
    DeviceThreadsPerBlockExceeded { kernel: &'static str, actual: u64, max: u32 },
    /// The block is too large for the kernel as compiled.
    #[error(
        "{kernel}: a block of {actual} threads, where the kernel as compiled allows {max}; hint: `#[launch_bounds]` sets how \
         many threads must have room"
    )]
    FunctionThreadsPerBlockExceeded { kernel: &'static str, actual: u64, max: u32 },
    /// No number of 32 bits counts the shared memory.
    #[error("{kernel}: {static_bytes} bytes of static and {dynamic_bytes} of dynamic shared memory are more than 2^32")]
    SharedMemoryTotalOverflow { kernel: &'static str, static_bytes: u32, dynamic_bytes: u32 },
    /// The block's shared memory is too large for the device, which allows `max` by itself or, with `opt_in`, at most.
    #[error("{kernel}: {total} bytes of shared memory for each block, where the device allows {max}{}", if *opt_in { " at most" } else { "" })]
    DeviceSharedMemoryExceeded { kernel: &'static str, total: u64, max: u32, opt_in: bool },
    /// The device is too old.
    #[error("{kernel}: the device has compute capability {}.{}, where the contract requires {}.{}", actual.0, actual.1, required.0, required.1)]
    ComputeCapabilityTooLow { kernel: &'static str, required: (u32, u32), actual: (u32, u32) },
    /// The device cannot run all blocks at once.
    #[error("{kernel}: the device supports no cooperative launch")]
    CooperativeLaunchUnsupported { kernel: &'static str },
    /// The device knows no clusters.
    #[error("{kernel}: the device supports no cluster launch")]
    ClusterLaunchUnsupported { kernel: &'static str },
    /// The cluster is too large for this kernel on this device.
    #[error("{kernel}: a cluster of {blocks} blocks, where the device allows {max} for this kernel")]
    ClusterSizeExceeded { kernel: &'static str, blocks: u64, max: u32 },
    /// The loaded kernel was compiled for another cluster.
    #[error("{kernel}: a cluster of {} by the contract, where the loaded kernel requires {}", Extents(*declared), Extents(*required))]
    FunctionClusterShapeMismatch { kernel: &'static str, declared: Shape, required: Shape },
    /// The loaded kernel was compiled for no cluster.
    #[error("{kernel}: a cluster of {} by the contract, where the loaded kernel requires none", Extents(*declared))]
    RequiredClusterDimensionsMissing { kernel: &'static str, declared: Shape },
    /// The driver refuses the cluster.
    #[error("{kernel}: the device supports no cluster of {} for this launch", Extents(*cluster))]
    ClusterShapeUnsupported { kernel: &'static str, cluster: Shape },
    /// There is no room for a single cluster.
    #[error("{kernel}: no cluster of {} with this block and this shared memory can be resident on the device", Extents(*cluster))]
    ClusterHasNoResidency { kernel: &'static str, cluster: Shape },
    /// There is no room for all blocks at once.
    #[error("{kernel}: a cooperative grid of {blocks} blocks, where {resident_capacity} can be resident at once")]
    CooperativeGridTooLarge { kernel: &'static str, blocks: u64, resident_capacity: u64 },
    /// The stream is of another device.
    #[error("{kernel}: loaded on device {function_device}, launched in a stream of device {stream_device}")]
    ContextMismatch { kernel: &'static str, function_device: usize, stream_device: usize },
    /// The arguments do not keep to a `requires` of the contract.
    #[error("{kernel}: size requirement `{relation}` violated: {lhs} against {rhs}")]
    SizeRequirementViolated { kernel: &'static str, relation: &'static str, lhs: u64, rhs: u64 },
    /// A side of a `requires` has no value of 64 bits.
    #[error("{kernel}: size requirement `{relation}` cannot be computed in 64 bits without overflow")]
    SizeRequirementOverflow { kernel: &'static str, relation: &'static str },
    /// The driver's error.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// The text, which `main` shows of an error that it returns.
impl fmt::Debug for LaunchContractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for LaunchDimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Grid => "grid",
            Self::Block => "block",
            Self::Cluster => "cluster",
        })
    }
}

impl fmt::Display for LaunchAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        })
    }
}

/// A shape as `32×4×1`.
struct Extents(Shape);

impl fmt::Display for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y, z) = self.0;
        write!(f, "{x}×{y}×{z}")
    }
}
