//! The shape of a launch: as three numbers an axis, or with its rank in the type.

/// The shape of a launch: blocks in the grid, threads in a block, and bytes of dynamic shared memory for each block.
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    /// Blocks along x, y and z.
    pub grid_dim: (u32, u32, u32),
    /// Threads of a block along x, y and z.
    pub block_dim: (u32, u32, u32),
    /// Bytes of dynamic shared memory for each block.
    pub shared_mem_bytes: u32,
}

impl LaunchConfig {
    /// One thread an element, in blocks of 256; the last block may have threads without an element.
    ///
    /// No elements give an empty grid, which the driver rejects.
    pub fn for_num_elems(n: u32) -> Self {
        const BLOCK: u32 = 256;
        Self { grid_dim: (n.div_ceil(BLOCK), 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The shape of a launch whose rank is its type: the launches that a contract of that rank allows.
pub trait KernelLaunchConfig: sealed::Sealed + Copy {
    /// The shape, with 1 for the axes that the rank lacks.
    #[doc(hidden)]
    fn __raw(self) -> LaunchConfig;
}

macro_rules! ranks {
    ($($(#[$about:meta])* $name:ident = ($grid:ident: $grid_type:ty, $block:ident: $block_type:ty) as ($raw_grid:expr, $raw_block:expr);)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(LaunchConfig);

        impl $name {
            /// So many blocks, so many threads in each, and so many bytes of dynamic shared memory for each block.
            pub const fn new($grid: $grid_type, $block: $block_type, shared_mem_bytes: u32) -> Self {
                Self(LaunchConfig { grid_dim: $raw_grid, block_dim: $raw_block, shared_mem_bytes })
            }
        }

        impl sealed::Sealed for $name {}

        impl KernelLaunchConfig for $name {
            fn __raw(self) -> LaunchConfig {
                self.0
            }
        }
    )*};
}

ranks! {
    /// A launch along x.
    LaunchConfig1D = (grid_x: u32, block_x: u32) as ((grid_x, 1, 1), (block_x, 1, 1));
    /// A launch along x and y.
    LaunchConfig2D = (grid: (u32, u32), block: (u32, u32)) as ((grid.0, grid.1, 1), (block.0, block.1, 1));
    /// A launch along x, y and z.
    LaunchConfig3D = (grid: (u32, u32, u32), block: (u32, u32, u32)) as (grid, block);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_an_element() {
        for (n, blocks) in [(0, 0), (1, 1), (256, 1), (257, 2), (u32::MAX, 1 << 24)] {
            let config = LaunchConfig::for_num_elems(n);
            assert_eq!((config.grid_dim, config.block_dim, config.shared_mem_bytes), ((blocks, 1, 1), (256, 1, 1), 0));
        }
    }

    #[test]
    fn missing_axes_are_1() {
        let raw = |config: LaunchConfig| (config.grid_dim, config.block_dim, config.shared_mem_bytes);
        assert_eq!(raw(LaunchConfig1D::new(2, 3, 4).__raw()), ((2, 1, 1), (3, 1, 1), 4));
        assert_eq!(raw(LaunchConfig2D::new((2, 3), (4, 5), 6).__raw()), ((2, 3, 1), (4, 5, 1), 6));
        assert_eq!(raw(LaunchConfig3D::new((2, 3, 4), (5, 6, 7), 8).__raw()), ((2, 3, 4), (5, 6, 7), 8));
    }
}
