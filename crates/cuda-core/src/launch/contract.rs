//! Launch contracts: what every launch of a kernel keeps to, written down once beside the kernel.
//!
//! ```
//! use cuda_core::{BlockRequirement, DynamicSharedMemoryRequirement, LaunchContractSpec};
//!
//! const SPEC: LaunchContractSpec = LaunchContractSpec::new(
//!     "scale",
//!     BlockRequirement::Exact((256, 1, 1)),
//!     DynamicSharedMemoryRequirement::Exact { bytes: 0, min_alignment: 1 },
//! )
//! .with_min_compute_capability(8, 0);
//! assert_eq!(SPEC.min_compute_capability(), Some((8, 0)));
//! ```

use super::{KernelLaunchConfig, LaunchConfig, LaunchContractError};

/// The block that a kernel is launched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockRequirement {
    /// Exactly so many threads along x, y and z.
    Exact((u32, u32, u32)),
    /// At most so many threads in all.
    MaxThreads(u32),
}

/// The dynamic shared memory that a kernel is launched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DynamicSharedMemoryRequirement {
    /// Exactly so much for each block.
    Exact {
        /// Bytes for each block.
        bytes: u32,
        /// Bytes that its address is a multiple of, a power of two.
        min_alignment: u32,
    },
    /// From the one to the other, both included.
    Range {
        /// The fewest bytes for each block.
        min_bytes: u32,
        /// The most bytes for each block.
        max_bytes: u32,
        /// Bytes that its address is a multiple of, a power of two.
        min_alignment: u32,
    },
}

impl DynamicSharedMemoryRequirement {
    /// The most bytes that a launch may ask for.
    pub(super) const fn max_bytes(self) -> u32 {
        match self {
            Self::Exact { bytes, .. } => bytes,
            Self::Range { max_bytes, .. } => max_bytes,
        }
    }

    fn check(self, kernel: &'static str, actual: u32) -> Result<(), LaunchContractError> {
        let (Self::Exact { min_alignment, .. } | Self::Range { min_alignment, .. }) = self;
        if !min_alignment.is_power_of_two() {
            return Err(LaunchContractError::InvalidSharedMemoryAlignment { kernel, alignment: min_alignment });
        }
        match self {
            Self::Exact { bytes, .. } if bytes != actual => {
                Err(LaunchContractError::DynamicSharedMemoryExactMismatch { kernel, required: bytes, actual })
            }
            Self::Range { min_bytes, max_bytes, .. } if min_bytes > max_bytes => {
                Err(LaunchContractError::InvalidSharedMemoryRange { kernel, min_bytes, max_bytes })
            }
            Self::Range { min_bytes: min, max_bytes: max, .. } if !(min..=max).contains(&actual) => {
                Err(LaunchContractError::DynamicSharedMemoryOutsideRange { kernel, min, max, actual })
            }
            _ => Ok(()),
        }
    }
}

/// How wide the positions of threads along an axis are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoordinateRequirement {
    /// As wide as an address.
    #[default]
    Native,
    /// Of 32 bits: no axis has more positions than such a number can count.
    U32,
}

/// A launch's extents: of the grid in blocks, of a block in threads, of a cluster in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchDimension {
    /// Blocks of the grid.
    Grid,
    /// Threads of a block.
    Block,
    /// Blocks of a cluster.
    Cluster,
}

/// An axis of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchAxis {
    /// The first one.
    X,
    /// The second one.
    Y,
    /// The third one.
    Z,
}

impl LaunchAxis {
    /// The extents of a shape with their axes.
    pub(super) fn of((x, y, z): (u32, u32, u32)) -> [(Self, u32); 3] {
        [(Self::X, x), (Self::Y, y), (Self::Z, z)]
    }
}

/// What every launch of a kernel keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchContractSpec {
    kernel_name: &'static str,
    block: BlockRequirement,
    dynamic_shared_memory: DynamicSharedMemoryRequirement,
    cluster: Option<(u32, u32, u32)>,
    cooperative: bool,
    min_compute_capability: Option<(u32, u32)>,
    coordinates: CoordinateRequirement,
}

impl LaunchContractSpec {
    /// A contract with these requirements.
    pub const fn new(kernel_name: &'static str, block: BlockRequirement, dynamic_shared_memory: DynamicSharedMemoryRequirement) -> Self {
        Self {
            kernel_name,
            block,
            dynamic_shared_memory,
            cluster: None,
            cooperative: false,
            min_compute_capability: None,
            coordinates: CoordinateRequirement::Native,
        }
    }

    /// Blocks are launched in clusters of so many along x, y and z.
    pub const fn with_cluster(self, cluster: (u32, u32, u32)) -> Self {
        Self { cluster: Some(cluster), ..self }
    }

    /// All blocks run at once.
    pub const fn with_cooperative(self) -> Self {
        Self { cooperative: true, ..self }
    }

    /// The device has at least this compute capability.
    pub const fn with_min_compute_capability(self, major: u32, minor: u32) -> Self {
        Self { min_compute_capability: Some((major, minor)), ..self }
    }

    /// The positions along each axis are counted in 32 bits.
    pub const fn with_u32_coordinates(self) -> Self {
        Self { coordinates: CoordinateRequirement::U32, ..self }
    }

    /// The kernel's name in messages.
    pub const fn kernel_name(&self) -> &'static str {
        self.kernel_name
    }

    /// The block.
    pub const fn block(&self) -> BlockRequirement {
        self.block
    }

    /// The dynamic shared memory.
    pub const fn dynamic_shared_memory(&self) -> DynamicSharedMemoryRequirement {
        self.dynamic_shared_memory
    }

    /// The blocks of a cluster along x, y and z, where there are clusters.
    pub const fn cluster(&self) -> Option<(u32, u32, u32)> {
        self.cluster
    }

    /// Whether all blocks run at once.
    pub const fn cooperative(&self) -> bool {
        self.cooperative
    }

    /// The least compute capability, major and minor, where the contract names one.
    pub const fn min_compute_capability(&self) -> Option<(u32, u32)> {
        self.min_compute_capability
    }

    /// How wide positions are.
    pub const fn coordinates(&self) -> CoordinateRequirement {
        self.coordinates
    }

    /// Whether a launch of this shape satisfies the contract, as far as can be checked without a device.
    pub(super) fn check(&self, config: LaunchConfig) -> Result<(), LaunchContractError> {
        let kernel = self.kernel_name;
        if kernel.is_empty() {
            return Err(LaunchContractError::EmptyKernelName);
        }
        let LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes } = config;
        let shapes = [(LaunchDimension::Grid, Some(grid)), (LaunchDimension::Block, Some(block)), (LaunchDimension::Cluster, self.cluster)];
        for (dimension, shape) in shapes {
            let Some(shape) = shape else { continue };
            if let Some((axis, _)) = LaunchAxis::of(shape).into_iter().find(|(_, extent)| *extent == 0) {
                return Err(LaunchContractError::ZeroDimension { kernel, dimension, axis });
            }
        }
        if self.coordinates == CoordinateRequirement::U32 {
            for ((axis, grid), (_, block)) in LaunchAxis::of(grid).into_iter().zip(LaunchAxis::of(block)) {
                let positions = u64::from(grid) * u64::from(block);
                if positions > u64::from(u32::MAX) {
                    return Err(LaunchContractError::CoordinateRangeExceedsU32 { kernel, axis, grid, block, positions });
                }
            }
        }
        self.check_block(block)?;
        self.dynamic_shared_memory.check(kernel, shared_mem_bytes)?;
        for ((axis, grid), (_, cluster)) in LaunchAxis::of(grid).into_iter().zip(LaunchAxis::of(self.cluster.unwrap_or((1, 1, 1)))) {
            if grid % cluster != 0 {
                return Err(LaunchContractError::ClusterDoesNotDivideGrid { kernel, axis, grid, cluster });
            }
        }
        Ok(())
    }

    fn check_block(&self, actual: (u32, u32, u32)) -> Result<(), LaunchContractError> {
        let kernel = self.kernel_name;
        match self.block {
            BlockRequirement::Exact(required) if required != actual => {
                Err(LaunchContractError::BlockShapeMismatch { kernel, required, actual })
            }
            BlockRequirement::MaxThreads(max) => match self.product(LaunchDimension::Block, actual)? {
                actual if actual > u64::from(max) => Err(LaunchContractError::BlockThreadsExceedContract { kernel, actual, max }),
                _ => Ok(()),
            },
            BlockRequirement::Exact(_) => Ok(()),
        }
    }

    /// How many blocks or threads a shape is.
    pub(super) fn product(&self, dimension: LaunchDimension, (x, y, z): (u32, u32, u32)) -> Result<u64, LaunchContractError> {
        let plane = u64::from(x) * u64::from(y);
        plane.checked_mul(z.into()).ok_or(LaunchContractError::DimensionProductOverflow { kernel: self.kernel_name, dimension })
    }
}

/// A kernel whose launches keep to a contract. `#[launch_contract]` implements it for the kernel's marker type, and for that of each
/// instance of a generic kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no launch contract",
    note = "a kernel has one by `#[launch_contract(…)]` beside `#[kernel]`"
)]
pub trait KernelLaunchContract {
    /// The shape of a launch, of the contract's rank.
    type Config: KernelLaunchConfig;
    /// The contract.
    const SPEC: LaunchContractSpec;
}

#[cfg(test)]
mod tests {
    use super::*;
    use LaunchContractError::*;

    const NONE: DynamicSharedMemoryRequirement = DynamicSharedMemoryRequirement::Exact { bytes: 0, min_alignment: 1 };
    const SPEC: LaunchContractSpec = LaunchContractSpec::new("k", BlockRequirement::Exact((32, 4, 1)), NONE);

    fn shape(grid_dim: (u32, u32, u32), block_dim: (u32, u32, u32), shared_mem_bytes: u32) -> LaunchConfig {
        LaunchConfig { grid_dim, block_dim, shared_mem_bytes }
    }

    fn refusal(spec: LaunchContractSpec, config: LaunchConfig) -> LaunchContractError {
        spec.check(config).unwrap_err()
    }

    #[test]
    fn what_a_contract_says() {
        let spec = SPEC.with_cluster((2, 1, 1)).with_cooperative().with_min_compute_capability(9, 0).with_u32_coordinates();
        assert_eq!((spec.kernel_name(), spec.block(), spec.dynamic_shared_memory()), ("k", BlockRequirement::Exact((32, 4, 1)), NONE));
        assert_eq!((spec.cluster(), spec.cooperative()), (Some((2, 1, 1)), true));
        assert_eq!((spec.min_compute_capability(), spec.coordinates()), (Some((9, 0)), CoordinateRequirement::U32));
        assert_eq!((SPEC.cluster(), SPEC.cooperative()), (None, false));
        assert_eq!((SPEC.min_compute_capability(), SPEC.coordinates()), (None, CoordinateRequirement::default()));
        spec.check(shape((4, 1, 1), (32, 4, 1), 0)).unwrap();
    }

    #[test]
    fn the_first_failure_is_the_error() {
        let kernel = "k";
        let unnamed = LaunchContractSpec::new("", BlockRequirement::MaxThreads(0), NONE);
        assert!(matches!(refusal(unnamed, shape((0, 1, 1), (0, 1, 1), 1)), EmptyKernelName));
        let error = refusal(SPEC, shape((1, 0, 1), (32, 0, 1), 1));
        assert!(matches!(error, ZeroDimension { dimension: LaunchDimension::Grid, axis: LaunchAxis::Y, .. }), "{error}");
        let error = refusal(SPEC.with_cluster((1, 1, 0)), shape((1, 1, 1), (32, 4, 1), 1));
        assert!(matches!(error, ZeroDimension { dimension: LaunchDimension::Cluster, axis: LaunchAxis::Z, .. }), "{error}");
        let wide = shape((1 << 27, 1, 1), (32, 3, 1), 1);
        let error = refusal(SPEC.with_u32_coordinates(), wide);
        assert!(matches!(error, CoordinateRangeExceedsU32 { axis: LaunchAxis::X, positions: 0x1_0000_0000, .. }), "{error}");
        assert_eq!(
            error.to_string(),
            "k: 134217728 blocks of 32 threads along x are 4294967296 positions, more than the contract's 32-bit coordinates count"
        );
        SPEC.with_u32_coordinates().check(shape(((1 << 27) - 1, 1, 1), (32, 4, 1), 0)).unwrap();
        let error = refusal(SPEC, wide);
        assert!(matches!(error, BlockShapeMismatch { required: (32, 4, 1), actual: (32, 3, 1), .. }), "{error}");
        let error = refusal(SPEC.with_cluster((2, 1, 1)), shape((3, 1, 1), (32, 4, 1), 1));
        assert!(matches!(error, DynamicSharedMemoryExactMismatch { required: 0, actual: 1, .. }), "{error}");
        let error = refusal(SPEC.with_cluster((2, 1, 1)), shape((3, 1, 1), (32, 4, 1), 0));
        assert!(matches!(error, ClusterDoesNotDivideGrid { axis: LaunchAxis::X, grid: 3, cluster: 2, .. }), "{error}");
        assert!(error.to_string().starts_with(kernel));
    }

    #[test]
    fn blocks_of_at_most_so_many_threads() {
        let spec = LaunchContractSpec::new("k", BlockRequirement::MaxThreads(64), NONE);
        spec.check(shape((1, 1, 1), (8, 4, 2), 0)).unwrap();
        let error = refusal(spec, shape((1, 1, 1), (8, 4, 3), 0));
        assert!(matches!(error, BlockThreadsExceedContract { actual: 96, max: 64, .. }), "{error}");
        let error = refusal(spec, shape((1, 1, 1), (u32::MAX, u32::MAX, u32::MAX), 0));
        assert!(matches!(error, DimensionProductOverflow { dimension: LaunchDimension::Block, .. }), "{error}");
    }

    #[test]
    fn dynamic_shared_memory() {
        let with = |memory| LaunchContractSpec::new("k", BlockRequirement::MaxThreads(64), memory);
        let range = |min_bytes, max_bytes, min_alignment| DynamicSharedMemoryRequirement::Range { min_bytes, max_bytes, min_alignment };
        let launch = |bytes| shape((1, 1, 1), (1, 1, 1), bytes);
        for bytes in [16, 24, 32] {
            with(range(16, 32, 8)).check(launch(bytes)).unwrap();
        }
        for bytes in [15, 33] {
            let error = refusal(with(range(16, 32, 8)), launch(bytes));
            assert!(matches!(error, DynamicSharedMemoryOutsideRange { min: 16, max: 32, .. }), "{error}");
        }
        let error = refusal(with(range(2, 1, 8)), launch(1));
        assert!(matches!(error, InvalidSharedMemoryRange { min_bytes: 2, max_bytes: 1, .. }), "{error}");
        for alignment in [0, 24] {
            let error = refusal(with(range(2, 1, alignment)), launch(1));
            assert!(matches!(error, InvalidSharedMemoryAlignment { .. }), "{error}");
        }
    }
}
