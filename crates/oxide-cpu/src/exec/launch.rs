//! A launch: a kernel with its dimensions and parameters, and the names of its threads and call sites in messages.
//!
//! ```text
//! launch.thread_name(ThreadId { block: 1, thread: 7 })    →    thread (7, 0, 0) of block (1, 0, 0)
//! ```

use std::ffi::CStr;

use rustc_demangle::demangle;

use super::{
    abi::{Image, Kernel},
    call_sites::Chains,
    memory::Memory,
};

/// The dimensions of a launch.
#[derive(Clone, Copy)]
pub struct Shape {
    /// The number of launches before this one.
    pub number: u64,
    pub grid_dim: [u32; 3],
    pub block_dim: [u32; 3],
    /// Blocks of a cluster.
    pub cluster_dim: [u32; 3],
    /// Whether all blocks are resident together, so that they may wait for one another.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory of a block.
    pub dynamic_shared: u32,
    /// Bytes of shared variables of a block.
    pub shared: u32,
}

impl Shape {
    pub fn threads(&self) -> usize {
        self.block_dim.iter().map(|&count| count as usize).product()
    }

    pub fn blocks(&self) -> u64 {
        self.grid_dim.iter().map(|&count| u64::from(count)).product()
    }

    /// Blocks of a cluster.
    pub fn in_cluster(&self) -> u64 {
        self.cluster_dim.iter().map(|&count| u64::from(count)).product()
    }

    /// Blocks that are resident together.
    pub fn group(&self) -> u64 {
        if self.cooperative { self.blocks() } else { self.in_cluster() }
    }

    /// Clusters along each axis.
    pub fn clusters(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis| self.grid_dim[axis] / self.cluster_dim[axis])
    }
}

/// A thread: the number of its block in the grid, and its own in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId {
    pub block: u32,
    pub thread: u32,
}

/// A kernel with its dimensions and parameters.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub image: &'a Image,
    pub kernel: &'a Kernel,
    pub shape: Shape,
    pub parameters: &'a [u128],
    /// The call sites with a call stack; their numbers follow those of the image's calls.
    pub chains: &'a Chains,
    /// The memory that it may access.
    pub memory: &'a dyn Memory,
}

// SAFETY: what an image's table points to is never written.
unsafe impl Sync for Launch<'_> {}

impl Launch<'_> {
    pub fn kernel_name(&self) -> String {
        // SAFETY: the image's names are strings.
        demangled(unsafe { CStr::from_ptr(self.kernel.name) })
    }

    /// The name of a thread in messages.
    pub fn thread_name(&self, ThreadId { block, thread }: ThreadId) -> String {
        format!("thread {} of block {}", triple(position(thread.into(), self.shape.block_dim)), self.block_name(block))
    }

    /// The position of a block, by its number.
    pub fn block_name(&self, block: u32) -> String {
        triple(position(block.into(), self.shape.grid_dim))
    }

    /// The function of a call site and, where the image records them, the call's purpose and source location; then its callers.
    pub fn site(&self, site: u32) -> String {
        if let Some(number) = site.checked_sub(self.image.site_count) {
            let Some(chain) = self.chains.get(number) else { return format!("`{}`", self.kernel_name()) };
            let calls: Vec<String> = chain.iter().rev().map(|site| self.site(*site)).collect();
            return calls.join(", called in ");
        }
        // SAFETY: the image numbers its own calls, and its names are strings.
        let text = unsafe { CStr::from_ptr(*self.image.sites.add(site as usize)) }.to_string_lossy();
        let (function, note) = text.split_once('\n').unwrap_or((&text, ""));
        let function = demangle(function);
        if note.is_empty() { format!("`{function:#}`") } else { format!("`{function:#}`: {note}") }
    }
}

/// The position of a thread or block, by its number.
pub fn position(number: u64, dim: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(dim[0]), u64::from(dim[1])];
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

pub fn triple([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// The name of a function or variable as its author wrote it.
pub fn demangled(symbol: &CStr) -> String {
    format!("{:#}", demangle(&symbol.to_string_lossy()))
}

/// The message for a kernel that is not launched: the unsupported operation, its function and, after newlines, its source location.
pub fn refusal(kernel: &CStr, reason: &CStr) -> String {
    let reason = reason.to_string_lossy();
    let mut parts = reason.split('\n');
    let (what, function) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let location = parts.next().map_or_else(String::new, |location| format!(": {location}"));
    format!("kernel `{}` cannot run on the CPU device: {what} in `{:#}`{location}", demangled(kernel), demangle(function))
}
