//! Special registers (PTX ISA, "Special Registers") that images do not read from the thread themselves.

use std::{
    arch::x86_64::_rdtsc,
    time::{SystemTime, UNIX_EPOCH},
};

use super::call::{Functions, block, functions};
use crate::exec::{
    limits::{self, WARP},
    thread::Thread,
};

/// Defines the functions of registers, each of a thread and its block.
macro_rules! registers {
    ($($name:ident -> $type:ty = |$thread:ident, $block:ident| $value:expr;)*) => {
        $(unsafe extern "C" fn $name(thread: *mut Thread, _site: u32) -> $type {
            // SAFETY: images pass their current thread.
            let ($thread, $block) = unsafe { (&*thread, block(thread)) };
            $value
        })*

        pub static FUNCTIONS: Functions = functions![$($name),*];
    };
}

registers! {
    register_lanemask_lt -> u32 = |thread, _block| (1 << thread.lane) - 1;
    register_lanemask_le -> u32 = |thread, _block| (2u32 << thread.lane).wrapping_sub(1);
    register_lanemask_eq -> u32 = |thread, _block| 1 << thread.lane;
    register_lanemask_ge -> u32 = |thread, _block| u32::MAX << thread.lane;
    register_lanemask_gt -> u32 = |thread, _block| u32::MAX << thread.lane << 1;
    register_warpid -> u32 = |thread, _block| thread.number / WARP as u32;
    register_nwarpid -> u32 = |_thread, _block| limits::MAX_WARPS;
    register_smid -> u32 = |_thread, block| block.worker;
    register_nsmid -> u32 = |_thread, _block| *limits::CORES;
    register_gridid -> u64 = |_thread, block| block.shape.number;
    register_clock -> u32 = |_thread, _block| clock() as u32;
    register_clock64 -> u64 = |_thread, _block| clock();
    register_globaltimer -> u64 = |_thread, _block| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_nanos() as u64)
    };
    register_dynamic_smem_size -> u32 = |_thread, block| block.shape.dynamic_shared;
    register_total_smem_size -> u32 = |_thread, block| block.shape.shared + block.shape.dynamic_shared;
    // On a GPU the driver sets these for the grid's barrier, which is a function of the device here.
    register_envreg1 -> u32 = |_thread, _block| 0;
    register_envreg2 -> u32 = |_thread, _block| 0;
    register_cluster_ctaid_x -> u32 = |_thread, block| within(block.position[0], block.shape.cluster_dim[0]);
    register_cluster_ctaid_y -> u32 = |_thread, block| within(block.position[1], block.shape.cluster_dim[1]);
    register_cluster_ctaid_z -> u32 = |_thread, block| within(block.position[2], block.shape.cluster_dim[2]);
    register_cluster_nctaid_x -> u32 = |_thread, block| block.shape.cluster_dim[0];
    register_cluster_nctaid_y -> u32 = |_thread, block| block.shape.cluster_dim[1];
    register_cluster_nctaid_z -> u32 = |_thread, block| block.shape.cluster_dim[2];
    register_clusterid_x -> u32 = |_thread, block| block.cluster[0];
    register_clusterid_y -> u32 = |_thread, block| block.cluster[1];
    register_clusterid_z -> u32 = |_thread, block| block.cluster[2];
    register_nclusterid_x -> u32 = |_thread, block| block.shape.clusters()[0];
    register_nclusterid_y -> u32 = |_thread, block| block.shape.clusters()[1];
    register_nclusterid_z -> u32 = |_thread, block| block.shape.clusters()[2];
    register_cluster_ctarank -> u32 = |_thread, block| block.rank;
    register_cluster_nctarank -> u32 = |_thread, block| block.shape.in_cluster() as u32;
}

fn clock() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { _rdtsc() }
}

fn within(block: u32, cluster: u32) -> u32 {
    block % cluster
}
