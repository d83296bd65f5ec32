//! Modules, kernels and launches.

use std::{
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    ptr, slice,
};

use cuda_core::sys::*;

use crate::{call, state::*};

entry_points! {
    call fn cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_char, options: c_uint, keys: *const CUjit_option, values: *const *mut c_void) {
        let mut state = state();
        let device = state.current()?;
        let machine_code = CStr::from_ptr(image).to_bytes().starts_with(b"\x7fELF");
        // What machine code holds begins after its header.
        let image = CStr::from_ptr(if machine_code { image.add(64) } else { image }).to_string_lossy().into_owned();
        if machine_code && image.contains("another GPU") { return Err(cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU) }
        if image.contains(".version 9.9") { return Err(cudaError_enum_CUDA_ERROR_UNSUPPORTED_PTX_VERSION) }
        let kernels: Option<Vec<_>> = image.lines().filter(|line| !line.starts_with(['.', '/'])).map(kernel_of).collect();
        let Some(kernels) = kernels else {
            let keys = slice::from_raw_parts(keys, options as usize);
            let log = keys.iter().position(|&key| key == CUjit_option_enum_CU_JIT_ERROR_LOG_BUFFER).unwrap();
            let message = CString::new(format!("recorder: this is no image: {image}")).unwrap();
            values.add(log).read().cast::<u8>().copy_from(message.as_ptr().cast(), message.as_bytes_with_nul().len());
            return Err(cudaError_enum_CUDA_ERROR_INVALID_PTX);
        };
        let kernels = kernels.into_iter().map(|kernel| state.add(device, kernel)).collect();
        let constant = state.add(device, Data::Memory { bytes: vec![0; CONSTANT].into(), ordered: false });
        *module = handle(state.add(device, Data::Module { kernels, constant }));
        state.record(if machine_code { "load machine code" } else { "load" })
    }
    give_back fn cuModuleUnload(module: CUmodule) {
        let mut state = state();
        let Data::Module { kernels, constant } = &state.give_back(module.addr(), "module")?.data else { unreachable!() };
        for part in kernels.iter().copied().chain([*constant]).collect::<Vec<_>>() {
            state.objects.get_mut(&part).unwrap().alive = false;
        }
        state.record("unload")
    }
    call fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char) {
        let mut state = state();
        let Data::Module { kernels, .. } = &state.get(module.addr(), "module")?.data else { unreachable!() };
        let wanted = CStr::from_ptr(name);
        let kernels = kernels.clone();
        let named = |kernel: &usize| matches!(&state.objects[kernel].data, Data::Kernel { name, .. } if name.as_c_str() == wanted);
        let kernel = kernels.into_iter().find(named).ok_or(cudaError_enum_CUDA_ERROR_NOT_FOUND)?;
        *function = handle(kernel);
        Ok(())
    }
    call fn cuModuleGetGlobal_v2(address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char) {
        if CStr::from_ptr(name) != c"WEIGHTS" { return Err(cudaError_enum_CUDA_ERROR_NOT_FOUND) }
        let mut state = state();
        let Data::Module { constant, .. } = state.get(module.addr(), "module")?.data else { unreachable!() };
        (*address, *bytes) = (constant as u64, CONSTANT);
        Ok(())
    }
    call fn cuModuleGetFunctionCount(count: *mut c_uint, module: CUmodule) {
        let mut state = state();
        let Data::Module { kernels, .. } = &state.get(module.addr(), "module")?.data else { unreachable!() };
        *count = kernels.len() as c_uint;
        Ok(())
    }
    call fn cuModuleEnumerateFunctions(functions: *mut CUfunction, count: c_uint, module: CUmodule) {
        let mut state = state();
        let Data::Module { kernels, .. } = &state.get(module.addr(), "module")?.data else { unreachable!() };
        for (index, &kernel) in kernels.iter().take(count as usize).enumerate() {
            functions.add(index).write(handle(kernel));
        }
        Ok(())
    }
    call fn cuFuncGetName(name: *mut *const c_char, function: CUfunction) { *name = state().kernel(function)?.0.as_ptr(); Ok(()) }
    call fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction) {
        let mut state = state();
        let (_, registers, fixed, most, _) = state.kernel(function)?;
        *value = match attribute {
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => (REGISTERS / registers.next_multiple_of(8)).min(1024) as c_int,
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_NUM_REGS => registers as c_int,
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES => fixed as c_int,
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => *most as c_int,
            // The kernel with memory of its own was compiled for clusters of two.
            CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH if fixed != 0 => 2,
            _ => 0,
        };
        Ok(())
    }
    call fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int) {
        let mut state = state();
        let (_, _, fixed, most, _) = state.kernel(function)?;
        if attribute != CUfunction_attribute_enum_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value as u32 + fixed > SHARED_OPT_IN {
            return Err(cudaError_enum_CUDA_ERROR_INVALID_VALUE);
        }
        *most = value as u32;
        Ok(())
    }
    call fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: CUfunction, threads: c_int, _shared: usize) {
        state().kernel(function)?;
        *blocks = 2048 / threads;
        Ok(())
    }
    call fn cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: CUfunction, _config: *const CUlaunchConfig) {
        state().kernel(function)?;
        *size = 8;
        Ok(())
    }
    call fn cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: CUfunction, config: *const CUlaunchConfig) {
        state().kernel(function)?;
        // A cluster lies on one half of the multiprocessors.
        *clusters = (MULTIPROCESSORS / 2) * (1024 / (*config).blockDimX as c_int);
        Ok(())
    }
    call fn cuLaunchKernel(
        function: CUfunction, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, stream: CUstream, parameters: *mut *mut c_void, _extra: *mut *mut c_void
    ) {
        let config = CUlaunchConfig {
            gridDimX: gx, gridDimY: gy, gridDimZ: gz, blockDimX: bx, blockDimY: by, blockDimZ: bz, sharedMemBytes: shared,
            hStream: stream, attrs: ptr::null_mut(), numAttrs: 0,
        };
        state().launch(function, &config, parameters)
    }
    call fn cuLaunchKernelEx(config: *const CUlaunchConfig, function: CUfunction, parameters: *mut *mut c_void, _extra: *mut *mut c_void) {
        state().launch(function, &*config, parameters)
    }
}

/// One line of an image.
fn kernel_of(line: &str) -> Option<Data> {
    let mut words = line.strip_prefix("kernel ")?.split(' ');
    let name = CString::new(words.next()?).ok()?;
    let mut numbers = words.map_while(|word| word.parse::<u32>().ok());
    let (registers, fixed) = (numbers.next()?, numbers.next()?);
    Some(Data::Kernel { name, registers, fixed, most: SHARED - fixed, parameters: numbers.map(|size| size as usize).collect() })
}
