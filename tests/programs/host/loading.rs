//! What a program carries is loaded in each of its forms, machine code, PTX, and what is left of them; and an error tells what could not be.
//! With `--cubin --arch sm_80,sm_90a` it carries machine code.

use std::sync::Arc;

use cuda_core::{
    CudaContext, CudaModule, DeviceBuffer, EmbeddedModule, EmbeddedModuleError, LaunchConfig,
    embedded::{ArtifactCode, OwnedArtifactBundle, artifact_bundles_from_current_exe},
    sys,
};
use cuda_device::{DisjointSlice, cuda_module, kernel};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn triple(mut out: DisjointSlice<u32>) {
        if let Some((element, index)) = out.get_mut_indexed() {
            *element = 3 * index.get() as u32;
        }
    }
}

const N: usize = 100;

fn works(ctx: &Arc<CudaContext>, module: Arc<CudaModule>) {
    let module = kernels::from_module(module).unwrap();
    let stream = ctx.default_stream();
    let mut out = DeviceBuffer::<u32>::zeroed(&stream, N).unwrap();
    // SAFETY: the kernel checks its indices.
    unsafe { module.triple(&stream, LaunchConfig::for_num_elems(N as u32), &mut out) }.unwrap();
    let expected: Vec<u32> = (0..N as u32).map(|index| 3 * index).collect();
    assert_eq!(out.to_host_vec(&stream).unwrap(), expected);
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let (major, minor) = ctx.compute_capability().unwrap();
    let device = format!("sm_{major}{minor}");
    let on_gpu = !ctx.device_name().unwrap().contains("CPU");
    let [bundle] = artifact_bundles_from_current_exe().unwrap().try_into().unwrap();
    let load = |code: Vec<ArtifactCode>| EmbeddedModule::new(OwnedArtifactBundle { code, ..bundle.clone() }).unwrap().load(&ctx);
    let refused = |code: Vec<ArtifactCode>| match load(code) {
        Err(EmbeddedModuleError::Driver(error)) => (error.0, error.to_string()),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was loaded"),
    };

    works(&ctx, load(bundle.code.clone()).unwrap());
    let texts: Vec<_> = bundle.code.iter().map(|code| ArtifactCode { cubin: None, ..code.clone() }).collect();
    works(&ctx, load(texts.clone()).unwrap());
    let machine_code: Vec<_> = bundle.code.iter().filter(|code| code.cubin.is_some()).cloned().collect();
    let alone: Vec<_> = machine_code.iter().map(|code| ArtifactCode { ptx: None, ..code.clone() }).collect();
    if on_gpu && !alone.is_empty() {
        works(&ctx, load(alone).unwrap());
    } else if !alone.is_empty() {
        let (code, said) = refused(alone);
        assert_eq!(code, sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU, "{said}");
        assert!(said.contains(": a cubin for sm_90 with `triple`; the device is sm_90"), "{said}");
    }

    // Machine code that the driver does not take gives way to PTX.
    let mut spoiled = texts.clone();
    let nonsense = [b"\x7fELF".as_slice(), &[0; 4092]].concat();
    spoiled.push(ArtifactCode { target: device.clone(), cubin: Some(nonsense), ..Default::default() });
    works(&ctx, load(spoiled).unwrap());

    let ptx = String::from_utf8(texts[0].ptx.clone().unwrap()).unwrap();
    let text = |ptx: String| vec![ArtifactCode { target: device.clone(), ptx: Some(ptx.into()), ..Default::default() }];
    let (code, said) = refused(text(ptx.replace("ret;", "return;")));
    assert_eq!(code, sys::cudaError_enum_CUDA_ERROR_INVALID_PTX, "{said}");
    for part in ["package `loading` in `", ": PTX ", " with `triple`; the device is ", "; the driver's log:\n"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let version = ptx.lines().find(|line| line.starts_with(".version")).unwrap();
    let (code, said) = refused(text(ptx.replace(version, ".version 99.9")));
    if on_gpu {
        assert_eq!(code, sys::cudaError_enum_CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "{said}");
        assert!(said.contains("PTX 99.9 for sm_"), "{said}");
        assert!(said.contains("and reads PTX up to "), "{said}");
    }
    let (code, said) = refused(vec![ArtifactCode { target: "sm_999".into(), ..texts[0].clone() }]);
    assert_eq!(code, sys::cudaError_enum_CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert!(said.contains(&format!(" has code for sm_999; the device is {device}; hint: ")), "{said}");

    let module = load(bundle.code.clone()).unwrap();
    let said = module.load_function("tripel").unwrap_err().to_string();
    assert!(said.contains("cuModuleGetFunction: `tripel`; package `loading` in `"), "{said}");
    assert!(said.contains("` has `triple`; hint: "), "{said}");
    println!("SUCCESS: loaded in each of its forms, {} of them machine code, and each failure told", machine_code.len());
}
