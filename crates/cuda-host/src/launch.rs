//! What the launchers of `#[cuda_module]` are made of. No part of the interface.

use std::{
    collections::HashMap,
    ffi::c_void,
    marker::PhantomData,
    sync::{Arc, Mutex, PoisonError},
};

use cuda_core::{
    CudaContext, CudaFunction, CudaModule, CudaStream, DeviceBuffer, DriverError, KernelLaunchContract, LaunchConfig, LaunchContractError,
    PreparedLaunch, launch_kernel_cooperative_on_stream, launch_kernel_ex_cooperative_on_stream, launch_kernel_ex_on_stream,
    launch_kernel_on_stream, sys::CUdeviceptr,
};
use cuda_device::{
    Uniform,
    disjoint::{DisjointSlice, SpaceLayout},
};

use crate::{KernelScalar, KernelSliceArg, KernelSliceArgMut, RowWidth, RowWidthOwned};

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
        let known = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = known().get(name) {
            return Ok(Kernel(function.clone()));
        }
        // The driver may load code now: other kernels need not wait for that.
        let function = self.module.load_function(name)?;
        Ok(Kernel(known().entry(name).or_insert(function).clone()))
    }

    /// The kernel of this name, checked with a shape of launch against its contract and the device.
    ///
    /// # Errors
    ///
    /// The first check that fails, and what the driver reports.
    ///
    /// # Safety
    ///
    /// `C` is the contract of the kernel of this name.
    pub unsafe fn prepare<C: KernelLaunchContract>(
        &self,
        name: &'static str,
        config: C::Config,
    ) -> Result<PreparedLaunch<C>, LaunchContractError> {
        // SAFETY: passed on.
        unsafe { PreparedLaunch::__prepare(self.get(name)?.0, config) }
    }
}

/// Whether the arguments keep a size relation of the kernel's contract.
///
/// # Errors
///
/// `SizeRequirementViolated`, and `SizeRequirementOverflow` for a side without a value.
pub fn require(
    kernel: &'static str,
    relation: &'static str,
    left: Option<u64>,
    holds: fn(&u64, &u64) -> bool,
    right: Option<u64>,
) -> Result<(), LaunchContractError> {
    match (left, right) {
        (Some(left), Some(right)) if holds(&left, &right) => Ok(()),
        (Some(lhs), Some(rhs)) => Err(LaunchContractError::SizeRequirementViolated { kernel, relation, lhs, rhs }),
        _ => Err(LaunchContractError::SizeRequirementOverflow { kernel, relation }),
    }
}

/// Sizes in checked 64-bit arithmetic: `None` is one that has no value.
pub mod size {
    /// An unsigned argument.
    pub fn of<T: TryInto<u64>>(value: T) -> Option<u64> {
        value.try_into().ok()
    }

    macro_rules! operations {
        ($($name:ident = $checked:ident;)*) => {$(
            /// One of the operations of a relation.
            pub fn $name(left: Option<u64>, right: Option<u64>) -> Option<u64> {
                left?.$checked(right?)
            }
        )*};
    }

    operations! {
        add = checked_add;
        sub = checked_sub;
        mul = checked_mul;
    }

    macro_rules! comparisons {
        ($($name:ident = $operator:tt;)*) => {$(
            /// One of the comparisons of a relation.
            pub fn $name(left: &u64, right: &u64) -> bool {
                left $operator right
            }
        )*};
    }

    comparisons! {
        ge = >=;
        gt = >;
        le = <=;
        lt = <;
        eq = ==;
        ne = !=;
    }
}

/// The shape of a launch, with what the kernel's attributes say about it.
pub struct Shape {
    /// The grid, the block and its memory.
    pub config: LaunchConfig,
    /// The blocks of a cluster.
    pub cluster: Option<(u32, u32, u32)>,
    /// Whether all blocks run at once.
    pub cooperative: bool,
}

/// A kernel with its arguments still to come.
pub struct Kernel(pub(crate) CudaFunction);

impl Kernel {
    /// The one that was prepared.
    pub fn of<C: KernelLaunchContract>(prepared: &PreparedLaunch<C>) -> Self {
        Self(prepared.function().clone())
    }

    /// The context that it is loaded in.
    pub fn context(&self) -> &Arc<CudaContext> {
        self.0.context()
    }

    /// The kernel of a module that was loaded by hand.
    ///
    /// # Panics
    ///
    /// Where there is none of this name.
    pub fn of_module(module: &Arc<CudaModule>, name: &str) -> Self {
        match module.load_function(name) {
            Ok(function) => Self(function),
            Err(error) => panic!("the module has no kernel `{name}`: {error}"),
        }
    }

    /// Queues the kernel.
    ///
    /// # Errors
    ///
    /// What the driver reports about the launch.
    ///
    /// # Safety
    ///
    /// As for [`launch_kernel_on_stream`], `arguments` being those of the kernel's parameters in order.
    pub unsafe fn launch(&self, stream: &CudaStream, shape: Shape, arguments: &mut [&mut dyn Argument]) -> Result<(), DriverError> {
        let mut words = words_of(arguments)?;
        // SAFETY: passed on; the words live in `arguments`.
        unsafe { self.launch_words(stream, shape, &mut words) }
    }

    /// [`Kernel::launch`] with arguments that no type has checked: too few are an error.
    ///
    /// # Errors
    ///
    /// As for [`Kernel::launch`], and `CUDA_ERROR_INVALID_VALUE` for fewer arguments than parameters.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::launch`].
    pub unsafe fn launch_unchecked(
        &self,
        stream: &CudaStream,
        shape: Shape,
        arguments: &mut [&mut dyn Argument],
    ) -> Result<(), DriverError> {
        let mut words = words_of(arguments)?;
        self.0.__check_argument_count(words.len())?;
        // SAFETY: passed on; the words live in `arguments`.
        unsafe { self.launch_words(stream, shape, &mut words) }
    }

    unsafe fn launch_words(&self, stream: &CudaStream, shape: Shape, words: &mut [*mut c_void]) -> Result<(), DriverError> {
        let kernel = &self.0;
        let LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: shared } = shape.config;
        // SAFETY: passed on.
        unsafe {
            match (shape.cluster, shape.cooperative) {
                (None, false) => launch_kernel_on_stream(kernel, grid, block, shared, stream, words),
                (None, true) => launch_kernel_cooperative_on_stream(kernel, grid, block, shared, stream, words),
                (Some(cluster), false) => launch_kernel_ex_on_stream(kernel, grid, block, shared, cluster, stream, words),
                (Some(cluster), true) => launch_kernel_ex_cooperative_on_stream(kernel, grid, block, shared, cluster, stream, words),
            }
        }
    }
}

/// The addresses of the parameters in PTX.
fn words_of(arguments: &mut [&mut dyn Argument]) -> Result<Vec<*mut c_void>, DriverError> {
    let mut words = Vec::with_capacity(2 * arguments.len());
    for argument in arguments {
        argument.reached()?;
        argument.push(&mut words);
    }
    Ok(words)
}

/// An argument, as the parameters in the PTX that it stands for.
pub trait Argument {
    /// Adds the address of each.
    fn push(&mut self, words: &mut Vec<*mut c_void>);

    /// Whether the kernel reaches what it points to, where that has not been asked before.
    fn reached(&self) -> Result<(), DriverError> {
        Ok(())
    }
}

/// One parameter, or none for a type without bytes.
pub struct Value<T>(pub(crate) T);

impl<T> Argument for Value<T> {
    fn push(&mut self, words: &mut Vec<*mut c_void>) {
        if size_of::<T>() != 0 {
            words.push((&raw mut self.0).cast());
        }
    }
}

/// Two parameters.
pub struct Slice {
    pub(crate) address: CUdeviceptr,
    pub(crate) length: u64,
}

impl Argument for Slice {
    fn push(&mut self, words: &mut Vec<*mut c_void>) {
        words.extend([(&raw mut self.address).cast(), (&raw mut self.length).cast()]);
    }
}

/// Three parameters.
pub struct Rows {
    pub(crate) slice: Slice,
    pub(crate) width: u32,
}

impl Rows {
    pub(crate) fn new(slice: Slice, width: u32) -> Self {
        Self { slice, width }
    }
}

impl Argument for Rows {
    fn push(&mut self, words: &mut Vec<*mut c_void>) {
        self.slice.push(words);
        words.push((&raw mut self.width).cast());
    }
}

/// What a launcher makes a slice of.
pub trait Memory {
    /// Makes it ready for kernels in a context.
    ///
    /// # Errors
    ///
    /// As [`KernelSliceArg::use_from`].
    fn reach(&self, context: &CudaContext) -> Result<(), DriverError>;
}

impl<B: KernelSliceArg + ?Sized> Memory for B {
    fn reach(&self, context: &CudaContext) -> Result<(), DriverError> {
        self.use_from(context)
    }
}

impl<T> Memory for RowWidth<'_, T> {
    fn reach(&self, context: &CudaContext) -> Result<(), DriverError> {
        self.buffer().use_from(context)
    }
}

impl<B: KernelSliceArg> Memory for RowWidthOwned<B> {
    fn reach(&self, context: &CudaContext) -> Result<(), DriverError> {
        self.buffer().use_from(context)
    }
}

/// Makes all of a launch's buffers ready for kernels in a context.
///
/// # Errors
///
/// Of the first that is out of its reach, as [`KernelSliceArg::use_from`].
pub fn reach(context: &CudaContext, buffers: &[&dyn Memory]) -> Result<(), DriverError> {
    buffers.iter().try_for_each(|buffer| buffer.reach(context))
}

/// What a safe launcher takes by value: it borrows nothing, since the kernel may run after what was borrowed has gone.
pub fn kept<T: 'static>(value: T) -> T {
    value
}

/// A parameter by value.
pub fn value<T: KernelScalar>(value: T) -> Value<T> {
    Value(value)
}

/// An address and a length. A buffer without elements has no address, yet a reference is never null.
pub(crate) fn slice_of<Buffer: KernelSliceArg + ?Sized>(buffer: &Buffer) -> Slice {
    let address = match buffer.cu_deviceptr() {
        0 => align_of::<Buffer::Elem>() as CUdeviceptr,
        address => address,
    };
    Slice { address, length: buffer.len() as u64 }
}

/// A value of `cuda_launch!`: one parameter, also where it has no bytes.
pub struct Word<T>(pub(crate) T);

impl<T> Argument for Word<T> {
    fn push(&mut self, words: &mut Vec<*mut c_void>) {
        words.push((&raw mut self.0).cast());
    }
}

/// A value of `cuda_launch!`.
pub fn word<T: KernelScalar>(value: T) -> Word<T> {
    Word(value)
}

/// A buffer of `cuda_launch!`, borrowed as long as the launch.
pub struct Borrowed<'a> {
    pub(crate) slice: Slice,
    pub(crate) reached: Result<(), DriverError>,
    _buffer: PhantomData<&'a ()>,
}

impl Borrowed<'_> {
    fn new(buffer: &(impl KernelSliceArg + ?Sized), context: &CudaContext) -> Self {
        Self { slice: slice_of(buffer), reached: buffer.use_from(context), _buffer: PhantomData }
    }
}

impl Argument for Borrowed<'_> {
    fn push(&mut self, words: &mut Vec<*mut c_void>) {
        self.slice.push(words);
    }

    fn reached(&self) -> Result<(), DriverError> {
        self.reached
    }
}

/// `slice(buffer)` and `slice_mut(buffer)`, for kernels in a context.
pub trait SliceArgument: KernelSliceArg {
    /// An address and a length, read.
    fn shared_slice(&self, context: &CudaContext) -> Borrowed<'_> {
        Borrowed::new(self, context)
    }

    /// An address and a length, written.
    fn exclusive_slice(&mut self, context: &CudaContext) -> Borrowed<'_>
    where
        Self: KernelSliceArgMut,
    {
        Borrowed::new(self, context)
    }
}

impl<B: KernelSliceArg + ?Sized> SliceArgument for B {}

/// A parameter `&[T]`.
pub fn slice<T>(buffer: &DeviceBuffer<T>) -> Slice {
    slice_of(buffer)
}

/// A parameter `&mut [T]`.
pub fn slice_mut<T>(buffer: &mut DeviceBuffer<T>) -> Slice {
    slice_of(buffer)
}

/// A parameter `DisjointSlice<T, …>`. That the type is named so is what the macro saw; that it is the real one is what this checks.
pub fn disjoint_slice<T, Parameter: DisjointParameter<Element = T>>(buffer: &mut DeviceBuffer<T>) -> Slice {
    slice_of(buffer)
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

/// A parameter `DisjointSlice<T, …>` of a space whose rows are as wide as the launch sets.
pub fn disjoint_rows<T, Parameter: DisjointRowsParameter<Element = T>>(rows: RowWidth<'_, T>) -> Rows {
    let width = rows.width();
    Rows::new(slice_of(rows.buffer()), width)
}

/// A disjoint slice whose parameters are an address, a length and a width.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `cuda_device::DisjointSlice`, after which the launcher takes a `RowWidth`")]
pub trait DisjointRowsParameter {
    /// The slice's elements.
    type Element;
}

impl<T, Space: SpaceLayout<Data = u32>> DisjointRowsParameter for DisjointSlice<'_, T, Space> {
    type Element = T;
}

/// A parameter `Uniform<T>`.
pub fn uniform<T: KernelScalar, Parameter: UniformParameter<Value = T>>(value: T) -> Value<T> {
    Value(value)
}

/// A uniform value, whose parameter is the value.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `cuda_device::Uniform`, after which the launcher takes a value")]
pub trait UniformParameter {
    /// The type of the value.
    type Value;
}

impl<T> UniformParameter for Uniform<T> {
    type Value = T;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes at each address that the driver gets; sizes are those of the kernel's parameters.
    fn words(arguments: &mut [&mut dyn Argument], sizes: &[usize]) -> Vec<Vec<u8>> {
        let mut words = Vec::new();
        arguments.iter_mut().for_each(|argument| argument.push(&mut words));
        assert_eq!(words.len(), sizes.len());
        let bytes = |(word, size): (&*mut c_void, &usize)| {
            // SAFETY: each points to an argument of this size, without padding.
            unsafe { std::slice::from_raw_parts(word.cast::<u8>(), *size) }.to_vec()
        };
        words.iter().zip(sizes).map(bytes).collect()
    }

    #[test]
    fn a_value_is_its_bytes_and_nothing_is_no_parameter() {
        #[derive(Clone, Copy)]
        #[repr(C, packed)]
        struct Packed(u8, u64);

        let (mut packed, mut nothing, mut array) = (value(Packed(1, 2)), value(()), value([0x0102u16, 0x0304]));
        let found = words(&mut [&mut packed, &mut nothing, &mut array], &[9, 4]);
        assert_eq!(found, [vec![1, 2, 0, 0, 0, 0, 0, 0, 0], vec![2, 1, 4, 3]]);
        let mut nothing = word(());
        assert_eq!(words(&mut [&mut nothing], &[0]), [[0u8; 0]]);
    }

    #[test]
    fn slices_and_rows_are_numbers() {
        let mut slice = Slice { address: 0x1122_3344_5566, length: 7 };
        let mut rows = Rows::new(Slice { address: 8, length: 9 }, 10);
        let found = words(&mut [&mut slice, &mut rows], &[8, 8, 8, 8, 4]);
        let expected = [0x1122_3344_5566u64.to_le_bytes(), 7u64.to_le_bytes(), 8u64.to_le_bytes(), 9u64.to_le_bytes()];
        assert_eq!(found[..4], expected);
        assert_eq!(found[4], 10u32.to_le_bytes());
    }

    #[test]
    fn sizes_are_checked() {
        let relation = |left, right| require("k", "a >= b", left, size::ge, right);
        relation(Some(2), size::of(2u8)).unwrap();
        assert!(matches!(
            relation(Some(1), Some(2)),
            Err(LaunchContractError::SizeRequirementViolated { kernel: "k", lhs: 1, rhs: 2, .. })
        ));
        for overflow in [size::sub(Some(1), Some(2)), size::add(Some(u64::MAX), Some(1)), size::mul(Some(1 << 32), size::of(1usize << 32))]
        {
            assert!(matches!(relation(Some(1), overflow), Err(LaunchContractError::SizeRequirementOverflow { relation: "a >= b", .. })));
            assert!(relation(overflow, Some(0)).is_err());
        }
        assert_eq!(size::add(size::mul(Some(3), Some(4)), size::sub(Some(5), Some(4))), Some(13));
    }
}
