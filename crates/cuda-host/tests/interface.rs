//! The interface that programs are written against, of this crate and of what `#[cuda_module]` writes: each line compiles only while the
//! signature is what it was.

#![expect(clippy::type_complexity, reason = "a signature is as long as it is")]

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cuda_core::{
    CudaContext, CudaModule, CudaStream, DeviceBuffer, DriverError, LaunchConfig, LaunchConfig1D, LaunchContractError, PreparedLaunch,
    embedded::{ArtifactCompileOptions, OwnedArtifactBundle},
    sys::CUdeviceptr,
};
use cuda_host::{
    CudaKernel, EmbeddedModuleError, GenericCudaKernel, HasLength, KernelScalar, KernelSliceArg, KernelSliceArgMut, ReadOnly, RowWidth,
    RowWidthOwned, Scalar, WriteOnly,
    kernel_family::{
        KernelFamily, KernelFamilyBuildError, KernelFamilyId, KernelVariant, NoKernelSelectionCache, SelectionMode, SelectionSource,
    },
    load_all_ptx_bundles_merged, load_embedded_module, load_first_embedded_module, load_kernel_module,
    ltoir::{self, LtoirError},
    tiling, type_id_u128, type_id_u128_of_val,
};

type Loaded<T, E = EmbeddedModuleError> = Result<T, E>;
type Made = Result<Vec<u8>, LtoirError>;

macro_rules! signatures {
    ($($item:path: $type:ty;)*) => {
        const _: () = {
            $(let _: $type = $item;)*
        };
    };
}

mod plain {
    use cuda_device::{ConstantMemory, DisjointSlice, constant, cuda_module, kernel, thread};

    /// What the macro adds is the test.
    #[cuda_module]
    pub mod kernels {
        use super::*;

        #[constant]
        pub static WEIGHTS: ConstantMemory<[f32; 2]> = ConstantMemory::UNINIT;

        #[kernel]
        pub fn scale(factor: f32, input: &[f32], mut out: DisjointSlice<f32>, rows: DisjointSlice<u8, thread::Runtime2DIndex>) {
            let _ = rows;
            if let Some((element, index)) = out.get_mut_indexed() {
                *element = factor * input[index.get()] * WEIGHTS.get()[0];
            }
        }

        pub mod inner {
            use super::*;

            #[kernel]
            pub fn map<F: Fn(f32) -> f32 + Copy>(function: F, mut out: DisjointSlice<f32>) {
                if let Some((element, _)) = out.get_mut_indexed() {
                    *element = function(*element);
                }
            }
        }
    }
}

mod contracted {
    use cuda_device::{DisjointSlice, cuda_module, kernel, launch_bounds, launch_contract};

    /// As above; the loaders are unsafe.
    #[cuda_module]
    pub mod kernels {
        use super::*;

        #[kernel]
        #[launch_contract(domain = 1)]
        #[launch_bounds(64)]
        pub fn copy(input: &[u32], mut out: DisjointSlice<u32>) {
            if let Some((element, index)) = out.get_mut_indexed() {
                *element = input[index.get()];
            }
        }

        #[kernel]
        #[launch_contract(domain = 1, requires = (out.len() > 0))]
        #[launch_bounds(64)]
        pub fn fill<T: Copy>(value: T, mut out: DisjointSlice<T>) {
            if let Some((element, _)) = out.get_mut_indexed() {
                *element = value;
            }
        }
    }
}

use contracted::kernels as checked;
use plain::kernels;

type Module = kernels::LoadedModule;
type Inner = kernels::inner::LoadedModule;
type Checked = checked::LoadedModule;
type Copy_ = PreparedLaunch<checked::__copy_CudaKernel>;
type Fill = PreparedLaunch<checked::__fill_CudaKernel<u8>>;

signatures! {
    kernels::load: fn(&Arc<CudaContext>) -> Loaded<Module>;
    kernels::load_named: fn(&Arc<CudaContext>, &str) -> Loaded<Module>;
    kernels::from_module: fn(Arc<CudaModule>) -> Loaded<Module, DriverError>;
    Module::as_cuda_module: fn(&Module) -> &Arc<CudaModule>;
    Module::set_weights: fn(&Module, &CudaStream, &[f32; 2]) -> Result<(), DriverError>;
    Module::set_weights_blocking: fn(&Module, &[f32; 2]) -> Result<(), DriverError>;
    Module::scale:
        unsafe fn(&Module, &CudaStream, LaunchConfig, f32, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>, RowWidth<'_, u8>) -> Result<(), DriverError>;
    Inner::from_parent: fn(&Module) -> Loaded<Inner, DriverError>;
    Inner::map::<fn(f32) -> f32>:
        unsafe fn(&Inner, &CudaStream, LaunchConfig, fn(f32) -> f32, &mut DeviceBuffer<f32>) -> Result<(), DriverError>;
    kernels::inner::map_ptx_name::<fn(f32) -> f32>: fn() -> &'static str;
    checked::load: unsafe fn(&Arc<CudaContext>) -> Loaded<Checked>;
    checked::load_named: unsafe fn(&Arc<CudaContext>, &str) -> Loaded<Checked>;
    checked::from_module: unsafe fn(Arc<CudaModule>) -> Loaded<Checked, DriverError>;
    Checked::prepare_copy: fn(&Checked, LaunchConfig1D) -> Result<Copy_, LaunchContractError>;
    Checked::copy: fn(&Checked, &CudaStream, &Copy_, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<(), LaunchContractError>;
    Checked::copy_unchecked:
        unsafe fn(&Checked, &CudaStream, LaunchConfig, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<(), DriverError>;
    Checked::prepare_fill::<u8>: fn(&Checked, LaunchConfig1D) -> Result<Fill, LaunchContractError>;
    Checked::prepare_fill_for::<u8>: fn(&Checked, &u8, LaunchConfig1D) -> Result<Fill, LaunchContractError>;
    Checked::fill::<u8>: fn(&Checked, &CudaStream, &Fill, u8, &mut DeviceBuffer<u8>) -> Result<(), LaunchContractError>;
    load_embedded_module: fn(&Arc<CudaContext>, &str) -> Loaded<Arc<CudaModule>>;
    load_first_embedded_module: fn(&Arc<CudaContext>) -> Loaded<Arc<CudaModule>>;
    load_all_ptx_bundles_merged: fn(&Arc<CudaContext>) -> Loaded<Arc<CudaModule>>;
    load_kernel_module: fn(&Arc<CudaContext>, &str) -> Loaded<Arc<CudaModule>, LtoirError>;
    cuda_host::embedded::artifact_bundles_from_current_exe: fn() -> Loaded<Vec<OwnedArtifactBundle>, cuda_core::EmbeddedModuleError>;
    ltoir::build_cubin_from_ll: fn(&Path, &str) -> Result<PathBuf, LtoirError>;
    ltoir::build_cubin_from_nvvm_ir: fn(&[u8], &str, &str) -> Made;
    ltoir::build_cubin_from_nvvm_ir_with_options: fn(&[u8], &str, &str, bool) -> Made;
    ltoir::build_cubin_from_nvvm_ir_with_compile_options: fn(&[u8], &str, &str, ArtifactCompileOptions) -> Made;
    ltoir::build_ptx_from_nvvm_ir: fn(&[u8], &str, &str) -> Made;
    ltoir::build_ptx_from_nvvm_ir_with_options: fn(&[u8], &str, &str, bool) -> Made;
    ltoir::build_ptx_from_nvvm_ir_with_compile_options: fn(&[u8], &str, &str, ArtifactCompileOptions) -> Made;
    ltoir::link_ltoir_to_cubin: fn(&[u8], &str, &str) -> Made;
    ltoir::link_ltoir_to_cubin_with_options: fn(&[u8], &str, &str, bool) -> Made;
    ltoir::link_ltoir_to_cubin_with_compile_options: fn(&[u8], &str, &str, ArtifactCompileOptions) -> Made;
    ltoir::link_ltoir_to_ptx: fn(&[u8], &str, &str) -> Made;
    ltoir::link_ltoir_to_ptx_with_options: fn(&[u8], &str, &str, bool) -> Made;
    ltoir::link_ltoir_to_ptx_with_compile_options: fn(&[u8], &str, &str, ArtifactCompileOptions) -> Made;
    ltoir::find_libdevice: fn() -> Result<PathBuf, LtoirError>;
    ltoir::target_arch: fn() -> Result<String, LtoirError>;
    type_id_u128::<str>: fn() -> u128;
    type_id_u128_of_val::<str>: fn(&str) -> u128;
    tiling::TILE_SIZE: usize;
    tiling::to_k_major_f16: fn(&[half::f16], &mut [half::f16], usize, usize);
    tiling::to_mn_major_f16: fn(&[half::f16], &mut [half::f16], usize, usize);
    tiling::k_major_index: fn(usize, usize, usize, usize) -> usize;
    tiling::mn_major_index: fn(usize, usize, usize, usize) -> usize;
    tiling::print_layout_indices: fn(usize, usize);
    RowWidth::<'static, u8>::new: fn(&'static mut DeviceBuffer<u8>, u32) -> RowWidth<'static, u8>;
    RowWidth::<u8>::width: fn(&RowWidth<'static, u8>) -> u32;
    RowWidth::<u8>::len: fn(&RowWidth<'static, u8>) -> usize;
    RowWidth::<u8>::is_empty: fn(&RowWidth<'static, u8>) -> bool;
    RowWidthOwned::<u8>::new: fn(u8, u32) -> RowWidthOwned<u8>;
    RowWidthOwned::<u8>::width: fn(&RowWidthOwned<u8>) -> u32;
    RowWidthOwned::<u8>::buffer: fn(&RowWidthOwned<u8>) -> &u8;
    RowWidthOwned::<u8>::into_buffer: fn(RowWidthOwned<u8>) -> u8;
    KernelSliceArg::cu_deviceptr: fn(&DeviceBuffer<u8>) -> CUdeviceptr;
    KernelSliceArg::len: fn(&DeviceBuffer<u8>) -> usize;
    KernelSliceArg::is_empty: fn(&DeviceBuffer<u8>) -> bool;
    HasLength::len: fn(&DeviceBuffer<u8>) -> usize;
    HasLength::is_empty: fn(&DeviceBuffer<u8>) -> bool;
    KernelVariant::<u8, i8, ()>::new: fn(u8, i8, ()) -> KernelVariant<u8, i8, ()>;
    KernelVariant::<u8, i8, ()>::id: fn(&KernelVariant<u8, i8, ()>) -> &u8;
    KernelVariant::<u8, i8, ()>::entry: fn(&KernelVariant<u8, i8, ()>) -> &i8;
    KernelVariant::<u8, i8, ()>::metadata: fn(&KernelVariant<u8, i8, ()>) -> &();
    KernelVariant::<u8, i8, ()>::into_parts: fn(KernelVariant<u8, i8, ()>) -> (u8, i8, ());
    KernelFamily::<u8, i8, (), 2>::id: fn(&KernelFamily<u8, i8, (), 2>) -> KernelFamilyId;
    KernelFamily::<u8, i8, (), 2>::variants: fn(&KernelFamily<u8, i8, (), 2>) -> &[KernelVariant<u8, i8, ()>; 2];
    KernelFamily::<u8, i8, (), 2>::get: for<'a> fn(&'a KernelFamily<u8, i8, (), 2>, &u8) -> Option<&'a KernelVariant<u8, i8, ()>>;
    KernelFamily::<u8, i8, (), 1>::try_new:
        fn(&'static str, u32, [KernelVariant<u8, i8, ()>; 1]) -> Result<KernelFamily<u8, i8, (), 1>, KernelFamilyBuildError>;
}

#[test]
fn what_types_are() {
    fn handle<T: Clone + std::fmt::Debug + Send + Sync>() {}
    handle::<(Module, Inner, Checked)>();
    fn read<T: KernelSliceArg<Elem = u8> + HasLength>() {}
    read::<DeviceBuffer<u8>>();
    read::<Arc<DeviceBuffer<u8>>>();
    fn written<T: KernelSliceArgMut<Elem = u8>>() {}
    written::<DeviceBuffer<u8>>();
    fn scalar<T: KernelScalar>() {}
    scalar::<(u8, [f32; 3], *const (), fn())>();
    fn entry<T: CudaKernel>() -> &'static str {
        T::PTX_NAME
    }
    fn instance<T: GenericCudaKernel>() -> &'static str {
        T::ptx_name()
    }
    let map = instance::<kernels::inner::__map_CudaKernel<fn(f32) -> f32>>();
    assert_eq!((entry::<kernels::__scale_CudaKernel>(), map), ("scale", kernels::inner::map_ptx_name::<fn(f32) -> f32>()));
    let digits = map.strip_prefix("map_TID_").unwrap();
    assert!(digits.len() == 32 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')), "{map}");
    fn told<T: std::error::Error + 'static>() {}
    told::<EmbeddedModuleError>();
    told::<LtoirError>();
    told::<KernelFamilyBuildError>();
    let mut number = 2;
    let (Scalar(one), ReadOnly(two), WriteOnly(three)) = (Scalar(1), ReadOnly(&2), WriteOnly(&mut number));
    assert_eq!((one, *two, *three, tiling::TILE_SIZE), (1, 2, 2, 8));
    let _ = ([SelectionMode::Auto, SelectionMode::Force(1)], NoKernelSelectionCache);
    let _ = [SelectionSource::Override, SelectionSource::Cache, SelectionSource::Selector];
}

/// Every variant.
#[expect(dead_code, reason = "never called: the variants are the test")]
fn errors(core: cuda_core::EmbeddedModuleError, ltoir: LtoirError, driver: DriverError) -> [EmbeddedModuleError; 6] {
    let name = || "package".to_owned();
    [
        EmbeddedModuleError::Core(core),
        EmbeddedModuleError::ModuleNotFound { name: name() },
        EmbeddedModuleError::NoModules,
        EmbeddedModuleError::UnsupportedPayload { name: name() },
        EmbeddedModuleError::Ltoir(ltoir),
        EmbeddedModuleError::Driver(driver),
    ]
}

#[cfg(feature = "async")]
mod operations {
    use cuda_host::{
        PreparedAsyncKernelLaunch, PreparedOwnedAsyncKernelLaunch, cuda_async,
        cuda_async::{
            device_box::DeviceBox,
            error::DeviceError,
            launch::{AsyncKernelLaunch, OwnedAsyncKernelLaunch},
        },
        load_kernel_module_async,
    };

    use super::*;

    type Copies = checked::__copy_CudaKernel;
    type Buffer = DeviceBuffer<u32>;

    signatures! {
        kernels::load_async: fn(usize) -> Result<Module, DeviceError>;
        kernels::load_async_named: fn(usize, &str) -> Result<Module, DeviceError>;
        checked::load_async: unsafe fn(usize) -> Result<Checked, DeviceError>;
        checked::load_async_named: unsafe fn(usize, &str) -> Result<Checked, DeviceError>;
        load_kernel_module_async: fn(&str, usize) -> Result<Arc<CudaModule>, DeviceError>;
        Checked::copy_async_owned::<Buffer, Buffer>:
            fn(&Checked, &Copy_, Buffer, Buffer) -> PreparedOwnedAsyncKernelLaunch<(Buffer, Buffer), Copies>;
        Checked::copy_async_owned_unchecked::<Buffer, Buffer>:
            unsafe fn(&Checked, LaunchConfig, Buffer, Buffer) -> Result<OwnedAsyncKernelLaunch<(Buffer, Buffer)>, DriverError>;
        Checked::fill_async_owned::<u8, DeviceBuffer<u8>>:
            fn(&Checked, &Fill, u8, DeviceBuffer<u8>)
                -> Result<PreparedOwnedAsyncKernelLaunch<DeviceBuffer<u8>, checked::__fill_CudaKernel<u8>>, LaunchContractError>;
    }

    /// Never called: launchers that borrow take `impl Trait`, so that they have no type of their own.
    #[expect(dead_code)]
    fn borrowed<'a>(
        module: &Checked,
        prepared: &Copy_,
        input: &'a Buffer,
        out: &'a mut DeviceBox<[u32]>,
    ) -> PreparedAsyncKernelLaunch<'a, Copies> {
        module.copy_async(prepared, input, out)
    }

    /// As above.
    #[expect(dead_code)]
    fn borrowed_unchecked<'a>(module: &Checked, input: &'a Buffer, out: &'a mut Buffer) -> Result<AsyncKernelLaunch<'a>, DriverError> {
        // SAFETY: this is never called.
        unsafe { module.copy_async_unchecked(LaunchConfig::for_num_elems(1), input, out) }
    }

    #[test]
    fn boxes_are_buffers() {
        fn written<T: KernelSliceArgMut<Elem = u8>>() {}
        written::<DeviceBox<[u8]>>();
        let _: fn() -> usize = cuda_async::reclaim::pending;
    }
}
