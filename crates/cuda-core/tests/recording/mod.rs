//! The recording driver of `examples/recording_driver`, by one test at a time.

// Each test program uses a part of it.
#![allow(dead_code)]

use std::{
    env,
    ffi::CStr,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use cuda_core::sys;
use libloading::Library;

/// A module of two kernels: registers, bytes of shared memory of its own, and the sizes of the parameters.
pub const IMAGE: &str = "kernel add 32 0 4\nkernel scale 80 1024 8 4 1";

pub struct Recording {
    library: &'static Library,
    _turn: MutexGuard<'static, ()>,
}

/// What a test has left behind.
#[derive(Debug, Default)]
pub struct End {
    /// The call that was told to fail and did.
    pub failed: Option<&'static str>,
    /// What was done that must not be.
    pub violations: Vec<String>,
    /// What was not given back.
    pub leaks: Vec<String>,
}

impl Recording {
    pub fn begin() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
            // Cargo builds examples before tests, beside them.
            let path = env::current_exe().unwrap().with_file_name("../examples/librecording_driver.so");
            // SAFETY: no test has called anything that reads the environment yet: each comes here first.
            unsafe {
                env::set_var("OXIDE_DEVICE", "cpu");
                env::set_var("OXIDE_CPU_DEVICE", &path);
            }
            // SAFETY: the library has no initialisers.
            unsafe { Library::new(path) }.unwrap()
        });
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let recording = Self { library: &LIBRARY, _turn: turn };
        recording.fail_at(0);
        recording
    }

    /// Begins again; the call of this number, counted from 1, fails.
    pub fn fail_at(&self, call: usize) {
        // SAFETY: the symbol has this type.
        unsafe { self.library.get::<extern "C" fn(usize)>("recording_begin").unwrap()(call) };
    }

    /// The calls since the last time.
    pub fn calls(&self) -> Vec<String> {
        let mut calls = Vec::new();
        // SAFETY: the symbol has this type, and both sides are built by one compiler.
        unsafe { self.library.get::<extern "C" fn(&mut Vec<String>)>("recording_calls").unwrap()(&mut calls) };
        calls
    }

    /// What a call returns until all are well again.
    pub fn break_call(&self, name: &CStr, code: sys::CUresult) {
        self.set_broken(Some(name), code);
    }

    pub fn mend(&self) {
        self.set_broken(None, 0);
    }

    fn set_broken(&self, name: Option<&CStr>, code: sys::CUresult) {
        // SAFETY: the symbol has this type, and both sides are built by one compiler.
        unsafe { self.library.get::<extern "C" fn(Option<&CStr>, sys::CUresult)>("recording_break").unwrap()(name, code) };
    }

    pub fn end(&self) -> End {
        let End { mut failed, mut violations, mut leaks } = End::default();
        type Report = extern "C" fn(&mut Option<&'static str>, &mut Vec<String>, &mut Vec<String>);
        // SAFETY: the symbol has this type, and both sides are built by one compiler.
        unsafe { self.library.get::<Report>("recording_end").unwrap()(&mut failed, &mut violations, &mut leaks) };
        End { failed, violations, leaks }
    }
}
