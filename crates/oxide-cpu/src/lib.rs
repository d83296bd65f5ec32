//! The CPU device: a stand-in for libcuda that runs what oxide compiled for the CPU.
//!
//! It offers the driver API under libcuda's own names (`api`), for one device or several. Work is done before the call returns that queues
//! it, as with `CUDA_LAUNCH_BLOCKING=1`, unless its stream waits for a host function; so a kernel's error is that of its launch. It then
//! stays, as CUDA's does, until the context ends. It says why on stderr.
//!
//! | | |
//! | --- | --- |
//! | `api` | the entry points, a file a chapter of the driver API reference |
//! | `state`, `device`, `error` | handles and contexts, devices and limits, result codes |
//! | `memory`, `pool`, `virtual_memory` | allocations, pools, physical memory at reserved addresses |
//! | `queue`, `work`, `capture`, `graph` | streams, what they do, how that becomes a graph, and graphs |
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
mod capture;
mod check;
mod clocks;
mod device;
mod error;
mod fault;
mod fiber;
mod functions;
mod graph;
mod grid;
mod image;
mod mbarrier;
mod mbarriers;
mod meeting;
mod memory;
mod numbers;
mod pool;
mod queue;
mod records;
mod registers;
mod scheduler;
mod shadow;
mod shared;
mod spots;
mod state;
mod text;
mod virtual_memory;
mod work;
