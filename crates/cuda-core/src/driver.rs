//! Which driver this process runs on: libcuda, or the CPU device that stands in for it.
//!
//! | `OXIDE_DEVICE` | |
//! | --- | --- |
//! | `cuda` | libcuda |
//! | `cpu` | the CPU device: `OXIDE_CPU_DEVICE`, or else the path that the program carries |
//! | unset | libcuda where it loads and has a device, else the CPU device, with one line on stderr |
//!
//! The choice is made once, at the first call into [`crate::sys`]. Nothing else in the host crates reads these variables.

use std::{env, error::Error, ffi::OsStr, path::PathBuf, sync::OnceLock};

use libloading::Library;

use crate::{embedded, sys};

/// An opened driver library.
pub(crate) struct Driver {
    pub(crate) functions: sys::Functions,
    is_cpu_device: bool,
    /// Never unloaded: `functions` point into it.
    _library: Library,
}

/// The driver of this process, or what is missing.
pub(crate) fn driver() -> Result<&'static Driver, &'static str> {
    static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
    DRIVER.get_or_init(choose).as_ref().map_err(String::as_str)
}

/// Whether this process runs on the CPU device.
pub(crate) fn is_cpu_device() -> bool {
    driver().is_ok_and(|driver| driver.is_cpu_device)
}

fn choose() -> Result<Driver, String> {
    let device = env::var("OXIDE_DEVICE").unwrap_or_default();
    match device.as_str() {
        "cuda" => open_cuda(),
        "cpu" => open_cpu_device(),
        "" => choose_by_default(),
        other => Err(format!("OXIDE_DEVICE is `{other}`: expected `cuda` or `cpu`")),
    }
}

fn choose_by_default() -> Result<Driver, String> {
    let (cuda, missing) = match open_cuda() {
        Ok(cuda) if cuda.has_device() => return Ok(cuda),
        Ok(cuda) => (Ok(cuda), "GPU"),
        Err(reason) => (Err(reason), "driver"),
    };
    match open_cpu_device() {
        Ok(cpu) => {
            eprintln!("oxide: no NVIDIA {missing} found, running on the CPU device");
            Ok(cpu)
        }
        // A driver without a device says best itself why it has none.
        Err(no_cpu_device) => cuda.map_err(|no_cuda| format!("{no_cuda}; {no_cpu_device}")),
    }
}

fn open_cuda() -> Result<Driver, String> {
    Driver::open("libcuda.so.1".as_ref(), false).map_err(|reason| format!("no NVIDIA driver: {reason}"))
}

fn open_cpu_device() -> Result<Driver, String> {
    let path = env::var_os("OXIDE_CPU_DEVICE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let Some(path) = path.or_else(embedded::cpu_device_path) else {
        return Err("no CPU device: `oxide run` and `oxide build` make programs that carry one, and OXIDE_CPU_DEVICE is not set".into());
    };
    Driver::open(path.as_os_str(), true).map_err(|reason| format!("no CPU device: {reason}"))
}

impl Driver {
    fn open(path: &OsStr, is_cpu_device: bool) -> Result<Self, String> {
        // SAFETY: the initialisers of a driver library may run at any time before its first use.
        let library = unsafe { Library::new(path) }.map_err(|error| match error.source() {
            // The loader's own words name the file.
            Some(source) => source.to_string(),
            None => error.to_string(),
        })?;
        // SAFETY: the library was asked for as a driver.
        let functions = unsafe { sys::Functions::of(&library) };
        Ok(Self { functions, is_cpu_device, _library: library })
    }

    fn has_device(&self) -> bool {
        let (Some(init), Some(count_devices)) = (self.functions.cuInit, self.functions.cuDeviceGetCount) else {
            return false;
        };
        let mut count = 0;
        // SAFETY: both are called as declared, cuInit first.
        unsafe { init(0) == sys::cudaError_enum_CUDA_SUCCESS && count_devices(&mut count) == sys::cudaError_enum_CUDA_SUCCESS && count > 0 }
    }
}
