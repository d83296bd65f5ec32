//! The CPU device: a stand-in for libcuda that runs what oxide compiled for the CPU.
//!
//! It exports the driver API under libcuda's own names, for one device or several. Work is done before the call returns that queues it, as
//! with `CUDA_LAUNCH_BLOCKING=1`, unless its stream waits for a host function; so a kernel's error is that of its launch. The error stays, as
//! CUDA's does, until the context ends, and its message is on stderr.
//!
//! `exec` runs kernels and knows nothing of the driver API; `driver` is that API.
//!
//! It is for correctness, not for speed. Threads of a block take turns on one thread of the system; one that polls memory lets the others
//! run, other blocks too.

mod driver;
mod exec;
