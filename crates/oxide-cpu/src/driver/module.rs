//! Modules and their kernels.

use std::{ffi::CStr, ptr, sync::Arc};

use super::{device, image::ModuleImage};
use crate::exec::abi::Kernel;

/// Images that were loaded together; one linked from several texts has several.
pub struct Module {
    pub images: Vec<ModuleImage>,
}

/// A kernel of a module; the module stays loaded while it runs.
#[derive(Clone)]
pub struct Function {
    pub context: usize,
    pub module: Arc<Module>,
    /// The module's handle.
    pub owner: usize,
    /// Which image of the module, and which kernel of the image.
    pub index: (usize, usize),
    pub settings: Settings,
}

/// The settings of a kernel that the host may change.
#[derive(Clone, Copy, Default)]
pub struct Settings {
    /// Most bytes of dynamic shared memory of a launch.
    pub max_dynamic_shared: Option<u32>,
    /// Whether clusters may have more blocks than every GPU allows.
    pub large_clusters: bool,
    /// The shape of clusters, 0 for the kernel's own.
    pub cluster_dim: [u32; 3],
}

impl Function {
    /// Copies constants that the host has set in images before the kernel's: linked, they are one.
    pub fn share_constants(&self) {
        let before = &self.module.images[..self.index.0];
        for global in self.image().globals() {
            // SAFETY: the image's names are strings.
            let name = unsafe { CStr::from_ptr(global.name) };
            let Some(first) = before.iter().find_map(|image| image.global(name)).filter(|first| first.size == global.size) else {
                continue;
            };
            let [from, to] = [first.address, global.address].map(|address| ptr::with_exposed_provenance_mut::<u8>(address as usize));
            // SAFETY: two variables of this size, which kernels only read.
            unsafe { ptr::copy_nonoverlapping(from.cast_const(), to, global.size as usize) };
        }
    }

    pub fn image(&self) -> &ModuleImage {
        &self.module.images[self.index.0]
    }

    pub fn kernel(&self) -> &Kernel {
        &self.image().kernels()[self.index.1]
    }

    pub fn name(&self) -> &CStr {
        // SAFETY: the image's names are strings.
        unsafe { CStr::from_ptr(self.kernel().name) }
    }

    /// Most threads of a block.
    pub fn max_threads(&self) -> u32 {
        match self.kernel().max_threads {
            0 => device::MAX_THREADS,
            most => most,
        }
    }

    /// Most bytes of dynamic shared memory of a launch.
    pub fn max_dynamic_shared(&self) -> u32 {
        self.settings.max_dynamic_shared.unwrap_or(device::SHARED.saturating_sub(self.kernel().shared))
    }

    /// Most blocks of a cluster.
    pub fn max_cluster(&self) -> u32 {
        if self.settings.large_clusters { device::MAX_CLUSTER } else { device::CLUSTER }
    }
}
