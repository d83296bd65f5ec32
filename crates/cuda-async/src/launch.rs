//! A kernel's launch as an operation.
//!
//! ```ignore
//! let mut launch = AsyncKernelLaunchBuilder::new(function);
//! launch.push_arg(x.device_pointer()).push_scalar_arg(x.len() as u64);
//! let launch = unsafe { launch.finalize_unchecked(LaunchConfig::for_num_elems(n)) };
//! OwnedAsyncKernelLaunch::new(launch, x).await?
//! ```

use std::{ffi::c_void, fmt, marker::PhantomData, mem::MaybeUninit, ptr, sync::Arc};

use cuda_core::{
    CudaFunction, DriverError, LaunchConfig, launch_kernel_cooperative_on_stream, launch_kernel_ex_cooperative_on_stream,
    launch_kernel_ex_on_stream, launch_kernel_on_stream,
};

use crate::{
    device_box::DevicePointer,
    device_operation::{DeviceOperation, ExecutionContext, awaitable},
    error::{DeviceError, kernel_launch_assert},
    reclaim::Kept,
};

/// A kernel whose arguments are being collected. They are copied when they are pushed, and borrow what they point to for `'a`.
#[derive(Debug)]
pub struct AsyncKernelLaunchBuilder<'a> {
    launch: Launch,
    _borrows: PhantomData<(&'a (), *mut ())>,
}

/// A kernel with its arguments, and the shape of its launch.
#[derive(Debug)]
struct Launch {
    function: Arc<CudaFunction>,
    arguments: Arguments,
    config: LaunchConfig,
    cluster: Option<(u32, u32, u32)>,
    cooperative: bool,
    /// Whether the kernel reaches what the arguments point to.
    reached: Result<(), DriverError>,
}

impl<'a> AsyncKernelLaunchBuilder<'a> {
    /// A launch without arguments.
    pub fn new(func: Arc<CudaFunction>) -> Self {
        let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        let launch = Launch { function: func, arguments: Arguments::default(), config, cluster: None, cooperative: false, reached: Ok(()) };
        Self { launch, _borrows: PhantomData }
    }

    /// The next parameter by its bytes. A type without bytes is no parameter.
    pub fn push_scalar_arg<T: Copy + 'a>(&mut self, arg: T) -> &mut Self {
        self.launch.arguments.push(arg);
        self
    }

    /// The next argument.
    pub fn push_arg<T: KernelArgument>(&mut self, arg: T) -> &mut Self {
        arg.push_arg(self);
        self
    }

    /// The next arguments.
    pub fn push_args<T: KernelArguments>(&mut self, args: T) -> &mut Self {
        args.push_args(self);
        self
    }

    /// The blocks of a cluster along x, y and z.
    pub fn set_cluster_dim(&mut self, cluster_dim: (u32, u32, u32)) -> &mut Self {
        self.launch.cluster = Some(cluster_dim);
        self
    }

    /// Whether all blocks run at once, so that they can wait for each other.
    pub fn set_cooperative(&mut self, cooperative: bool) -> &mut Self {
        self.launch.cooperative = cooperative;
        self
    }

    /// Whether the kernel reaches what an argument points to: where it does not, the operation ends in the error, and launches nothing.
    #[doc(hidden)]
    pub fn __reach(&mut self, reached: Result<(), DriverError>) -> &mut Self {
        self.launch.reached = self.launch.reached.and(reached);
        self
    }

    /// Makes fewer arguments than the kernel has parameters an error when the operation is run.
    #[doc(hidden)]
    pub fn __check_argument_count(&mut self) -> &mut Self {
        let checked = self.launch.function.__check_argument_count(self.launch.arguments.starts.len());
        self.__reach(checked)
    }

    /// The launch as an operation.
    ///
    /// # Safety
    ///
    /// The arguments are those of the kernel's parameters in number, order, types and sizes. The kernel is sound for them and for this shape, and
    /// nothing else uses what they point to from the time that the operation runs until its stream has passed it.
    pub unsafe fn finalize_unchecked(mut self, cfg: LaunchConfig) -> AsyncKernelLaunch<'a> {
        self.launch.config = cfg;
        AsyncKernelLaunch { launch: self.launch, _borrows: PhantomData }
    }
}

/// A launch: an operation without a result. What it borrows is borrowed for `'a`.
#[must_use = "an operation does nothing until it is awaited or synchronized"]
#[derive(Debug)]
pub struct AsyncKernelLaunch<'a> {
    launch: Launch,
    _borrows: PhantomData<&'a ()>,
}

// SAFETY: arguments are bytes for the device, whatever they were here; whoever made the launch has vouched for them.
unsafe impl Send for AsyncKernelLaunch<'_> {}

impl DeviceOperation for AsyncKernelLaunch<'_> {
    type Output = ();

    unsafe fn execute(self, context: &ExecutionContext) -> Result<(), DeviceError> {
        let Launch { function, mut arguments, config, cluster, cooperative, reached } = self.launch;
        reached?;
        let stream = context.get_cuda_stream();
        let (of_function, of_stream) = (function.context().ordinal(), context.get_device_id());
        kernel_launch_assert(
            of_function == of_stream,
            &format!("got a stream of device {of_stream}, expected one of device {of_function}, on which the kernel is loaded"),
        )?;
        let LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: shared } = config;
        let mut params = arguments.addresses();
        // SAFETY: whoever made the launch has vouched for the arguments and the shape; the caller keeps what they point to.
        unsafe {
            match (cluster, cooperative) {
                (None, false) => launch_kernel_on_stream(&function, grid, block, shared, stream, &mut params),
                (None, true) => launch_kernel_cooperative_on_stream(&function, grid, block, shared, stream, &mut params),
                (Some(cluster), false) => launch_kernel_ex_on_stream(&function, grid, block, shared, cluster, stream, &mut params),
                (Some(cluster), true) => {
                    launch_kernel_ex_cooperative_on_stream(&function, grid, block, shared, cluster, stream, &mut params)
                }
            }
        }
        .map_err(DeviceError::from)
    }
}

/// A launch that owns what the kernel uses, and returns it.
#[must_use = "an operation does nothing until it is awaited or synchronized"]
#[derive(Debug)]
pub struct OwnedAsyncKernelLaunch<R: Send> {
    launch: AsyncKernelLaunch<'static>,
    resources: R,
}

impl<R: Send> OwnedAsyncKernelLaunch<R> {
    /// A launch whose arguments point into `resources`.
    pub fn new(launch: AsyncKernelLaunch<'static>, resources: R) -> Self {
        Self { launch, resources }
    }
}

impl<R: Send + 'static> DeviceOperation for OwnedAsyncKernelLaunch<R> {
    type Output = R;

    unsafe fn execute(self, context: &ExecutionContext) -> Result<R, DeviceError> {
        // Work before this launch may use them, also where the launch itself fails.
        let resources = Kept::new(self.resources, context.get_cuda_stream());
        // SAFETY: passed on, and the resources are the result.
        unsafe { self.launch.execute(context) }?;
        Ok(resources.hand_on())
    }
}

awaitable! {
    ['a] AsyncKernelLaunch<'a> => ();
    [R: Send + 'static] OwnedAsyncKernelLaunch<R> => R;
}

/// The bytes of all arguments, one after another.
#[derive(Default)]
struct Arguments {
    /// As wide as the most that a type of Rust's own is aligned to. The driver copies bytes, and needs no alignment.
    units: Vec<MaybeUninit<u128>>,
    /// The unit that each argument starts at.
    starts: Vec<usize>,
}

impl Arguments {
    fn push<T: Copy>(&mut self, argument: T) {
        let bytes = size_of::<T>();
        if bytes == 0 {
            return;
        }
        let start = self.units.len();
        self.starts.push(start);
        self.units.resize(start + bytes.div_ceil(size_of::<u128>()), MaybeUninit::uninit());
        // SAFETY: so many bytes are there; padding may be copied as it is.
        unsafe { ptr::copy_nonoverlapping((&raw const argument).cast::<u8>(), self.units.as_mut_ptr().add(start).cast(), bytes) };
    }

    /// Where each argument is, for the driver.
    fn addresses(&mut self) -> Vec<*mut c_void> {
        let units = self.units.as_mut_ptr();
        // SAFETY: each argument starts inside.
        self.starts.iter().map(|&start| unsafe { units.add(start) }.cast()).collect()
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} arguments", self.starts.len())
    }
}

/// A value that can be an argument of a kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument for a kernel",
    note = "pass `device_pointer()` of a `DeviceBox`, a number, a `Box` of a `Copy` type, or its bytes with `push_scalar_arg`"
)]
pub trait KernelArgument {
    /// Adds the parameters that the value stands for.
    fn push_arg(self, launcher: &mut AsyncKernelLaunchBuilder<'_>);
}

macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl KernelArgument for $number {
            fn push_arg(self, launcher: &mut AsyncKernelLaunchBuilder<'_>) {
                launcher.push_scalar_arg(self);
            }
        }
    )*};
}

numbers! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool }

/// The address.
impl<T> KernelArgument for DevicePointer<T> {
    fn push_arg(self, launcher: &mut AsyncKernelLaunchBuilder<'_>) {
        launcher.push_scalar_arg(self.dptr);
    }
}

/// The value in the box.
impl<T: Copy + 'static> KernelArgument for Box<T> {
    fn push_arg(self, launcher: &mut AsyncKernelLaunchBuilder<'_>) {
        launcher.push_scalar_arg(*self);
    }
}

/// Several arguments, as a tuple of up to 32.
pub trait KernelArguments {
    /// Adds the parameters of all of them, in order.
    fn push_args(self, launcher: &mut AsyncKernelLaunchBuilder<'_>);
}

impl KernelArguments for () {
    fn push_args(self, _launcher: &mut AsyncKernelLaunchBuilder<'_>) {}
}

/// Implements it for the tuple of all parts, and of all but the first, and so on.
macro_rules! tuples {
    () => {};
    ($first:ident $($rest:ident)*) => {
        impl<$first: KernelArgument, $($rest: KernelArgument),*> KernelArguments for ($first, $($rest,)*) {
            #[allow(non_snake_case)]
            fn push_args(self, launcher: &mut AsyncKernelLaunchBuilder<'_>) {
                let ($first, $($rest,)*) = self;
                $first.push_arg(launcher);
                $($rest.push_arg(launcher);)*
            }
        }
        tuples! { $($rest)* }
    };
}

tuples! { A B C D E F G H I J K L M N O P Q R S T U V W X Y Z A1 B1 C1 D1 E1 F1 }
