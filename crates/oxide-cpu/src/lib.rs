//! The CPU device: a stand-in for libcuda that runs what oxide compiled for the CPU.
//!
//! It offers the driver API under libcuda's own names (`api`), with one device and that device's primary context. Work is done before a
//! call returns, as with `CUDA_LAUNCH_BLOCKING=1`, so a kernel's error is that of its launch; it then stays, as CUDA's does, until the
//! context ends. It says why on stderr.
//!
//! | | |
//! | --- | --- |
//! | `api` | the entry points |
//! | `state`, `memory`, `device`, `error` | handles, allocations, limits, result codes |
//! | `image`, `records`, `abi` | which code belongs to a PTX, and what it looks like |
//! | `grid`, `scheduler`, `block`, `meeting` | blocks over cores, threads of a block, who waits for whom |
//! | `functions`, `registers`, `mbarriers`, `text`, `numbers` | what images call |
//! | `spots` | which call a thread is at, and what led to it |
//! | `shared`, `mbarrier` | a block's shared memory, and barriers in it |
//! | `check`, `shadow`, `clocks` | what checked accesses are found to do wrong |
//! | `fiber`, `fault` | stacks for threads, and the way out of one that faulted |
//!
//! It is for correctness, not for speed. Threads of a block take turns on one thread of the system; one that looks at what another is to
//! write lets the others run, other blocks too.

mod abi;
mod api;
mod block;
mod check;
mod clocks;
mod device;
mod error;
mod fault;
mod fiber;
mod functions;
mod grid;
mod image;
mod mbarrier;
mod mbarriers;
mod meeting;
mod memory;
mod numbers;
mod records;
mod registers;
mod scheduler;
mod shadow;
mod shared;
mod spots;
mod state;
mod text;
