//! Result codes of the CUDA driver API, with their names and descriptions.

use std::ffi::{CStr, c_uint};

/// A result code other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub c_uint);

pub type Result<T> = std::result::Result<T, Error>;

macro_rules! codes {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        impl Error {
            $(pub const $name: Self = Self($code);)*
        }

        /// The name and the description of a code.
        pub fn describe(code: c_uint) -> Option<(&'static CStr, &'static CStr)> {
            let texts = match code {
                0 => ("CUDA_SUCCESS\0", "no error\0"),
                $($code => (concat!("CUDA_ERROR_", stringify!($name), "\0"), concat!($text, "\0")),)*
                _ => return None,
            };
            let text = |text: &'static str| CStr::from_bytes_with_nul(text.as_bytes()).ok();
            Some((text(texts.0)?, text(texts.1)?))
        }
    };
}

codes! {
    INVALID_VALUE = 1, "invalid argument";
    OUT_OF_MEMORY = 2, "out of memory";
    NOT_INITIALIZED = 3, "initialization error";
    INVALID_DEVICE = 101, "invalid device ordinal";
    INVALID_IMAGE = 200, "device kernel image is invalid";
    INVALID_CONTEXT = 201, "invalid device context";
    NO_BINARY_FOR_GPU = 209, "no kernel image is available for execution on the device";
    UNSUPPORTED_LIMIT = 215, "limit is not supported on this architecture";
    INVALID_PTX = 218, "a PTX JIT compilation failed";
    FILE_NOT_FOUND = 301, "file not found";
    SHARED_OBJECT_INIT_FAILED = 303, "shared object initialization failed";
    OPERATING_SYSTEM = 304, "OS call failed or operation not supported on this OS";
    INVALID_HANDLE = 400, "invalid resource handle";
    NOT_FOUND = 500, "named symbol not found";
    ILLEGAL_ADDRESS = 700, "an illegal memory access was encountered";
    ASSERT = 710, "device-side assert triggered";
    ILLEGAL_INSTRUCTION = 715, "an illegal instruction was encountered";
    MISALIGNED_ADDRESS = 716, "misaligned address";
    LAUNCH_FAILED = 719, "unspecified launch failure";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720, "too many blocks in cooperative launch";
    NOT_SUPPORTED = 801, "operation not supported";
    INVALID_CLUSTER_SIZE = 912, "a kernel launch with cluster dimensions that the device cannot run";
}
