//! A row: the kernel of an operation, and what runs it.

use std::{error::Error, sync::Arc};

use cuda_core::{CudaContext, CudaModule, CudaStream, DeviceBuffer, DriverError, LaunchConfig};

use crate::kinds::Kind;

/// An operation and its kernel, which has the function's name.
pub struct Row {
    /// The function's path in `cuda_device`.
    pub path: &'static str,
    pub entry: &'static str,
    pub operands: &'static [Kind],
    pub result: Kind,
}

impl Row {
    /// The names of the operands' kinds.
    pub fn shape(&self) -> String {
        self.operands.iter().map(|kind| kind.name).collect::<Vec<_>>().join(" ")
    }
}

/// Makes, of each function of `cuda_device`, a kernel that calls it, and the table of them all.
macro_rules! rows {
    ($($module:ident $operands:tt -> $result:ident: $($name:ident)+;)+) => {
        $($($crate::row::kernel! { $module $name $operands -> $result })+)+

        /// The operations.
        pub const ROWS: &[$crate::row::Row] = &[$($(
            $crate::row::Row {
                path: concat!(stringify!($module), "::", stringify!($name)),
                entry: stringify!($name),
                operands: $name::OPERANDS,
                result: <$crate::kinds::$result as $crate::kinds::Operand>::KIND,
            },
        )+)+];
    };
}

macro_rules! kernel {
    ($module:ident $name:ident ($($operand:ident),+) -> $result:ident) => {
        mod $name {
            use $crate::kinds::{Kind, Operand, $result};

            pub const OPERANDS: &[Kind] = &[$(<$crate::kinds::$operand as Operand>::KIND),+];

            /// # Safety
            ///
            /// The addresses are of the operands and results of `count` cases.
            #[cuda_device::kernel]
            pub unsafe fn $name(operands: *const u64, results: *mut u64, count: usize) {
                let index = cuda_device::index_2d_col();
                if index < count {
                    // SAFETY: in bounds, and no other thread has this index.
                    unsafe {
                        let mut place = operands.add(index * OPERANDS.len());
                        let value = cuda_device::$module::$name($({
                            let word = place.read();
                            place = place.add(1);
                            $crate::kinds::$operand::value(word)
                        }),+);
                        let _ = place;
                        results.add(index).write($result::word(value));
                    }
                }
            }
        }
    };
}

pub(crate) use {kernel, rows};

/// The device with the program's kernels.
pub struct Device {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
}

impl Device {
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let context = CudaContext::new(0)?;
        let module = cuda_host::load_all_ptx_bundles_merged(&context)?;
        Ok(Self { stream: context.default_stream(), module })
    }

    /// Runs a row's kernel over cases, whose operands follow each other.
    pub fn run(&self, row: &Row, inputs: &[u64]) -> Result<Vec<u64>, DriverError> {
        let count = inputs.len() / row.operands.len();
        let taken = DeviceBuffer::from_host(&self.stream, inputs)?;
        let given = DeviceBuffer::<u64>::zeroed(&self.stream, count)?;
        let function = self.module.load_function(row.entry)?;
        let (mut first, mut second, mut third) = (taken.cu_deviceptr(), given.cu_deviceptr(), count);
        let LaunchConfig { grid_dim, block_dim, .. } = LaunchConfig::for_num_elems(count as u32);
        let mut parameters = [(&raw mut first).cast(), (&raw mut second).cast(), (&raw mut third).cast()];
        // SAFETY: the kernel takes two addresses and a count, and both buffers are as long as it says.
        unsafe { cuda_core::launch_kernel_on_stream(&function, grid_dim, block_dim, 0, &self.stream, &mut parameters) }?;
        given.to_host_vec(&self.stream)
    }
}
