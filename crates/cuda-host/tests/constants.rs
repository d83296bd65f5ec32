//! What setting a constant asks of the driver.

#[path = "../../cuda-core/tests/recording/mod.rs"]
mod recording;

use cuda_core::{CudaContext, DriverError, sys};
use cuda_host::constant;
use recording::{IMAGE, Recording};

#[test]
fn a_constant_is_set_in_streams_of_its_context() -> Result<(), DriverError> {
    let recording = Recording::begin();
    let (ctx, other) = (CudaContext::new(0)?, CudaContext::new(1)?);
    let module = ctx.load_module_from_ptx_src(IMAGE)?;
    recording.calls();
    constant::set(&module, Some(&ctx.default_stream()), "WEIGHTS", &1u64)?;
    assert_eq!(recording.calls(), ["to device 8", "host function"]);
    constant::set(&module, None, "WEIGHTS", &2u64)?;
    assert_eq!(recording.calls(), ["to device 8"]);
    let error = constant::set(&module, Some(&other.default_stream()), "WEIGHTS", &3u64).unwrap_err();
    assert_eq!(error, DriverError(sys::cudaError_enum_CUDA_ERROR_INVALID_CONTEXT));
    assert!(error.to_string().contains("hint: both belong to one context"), "{error}");
    assert_eq!(recording.calls(), [""; 0]);
    Ok(())
}
