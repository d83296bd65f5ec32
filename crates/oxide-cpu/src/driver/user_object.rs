//! Objects of the program that live as long as graphs use them.

use std::ffi::c_void;

use super::current;

/// An object that lives as long as graphs use it (`CUuserObject`).
pub struct UserObject {
    /// Its handle's number.
    pub number: usize,
    pub value: *mut c_void,
    pub destroy: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: the driver API documents that it destroys them on any thread.
unsafe impl Send for UserObject {}
// SAFETY: as above.
unsafe impl Sync for UserObject {}

impl Drop for UserObject {
    fn drop(&mut self) {
        // SAFETY: the caller of `cuUserObjectCreate` guarantees it.
        current::as_host_function(|| unsafe { (self.destroy)(self.value) });
    }
}
