//! The CUDA driver API: contexts, memory, modules, streams and graphs, over what executes kernels.
//!
//! | | |
//! | --- | --- |
//! | `api` | the entry points, a file a chapter of the driver API reference |
//! | `error`, `device`, `handle`, `current` | result codes, properties of devices, handles, the current context of a thread |
//! | `memory`, `pool`, `virtual_memory`, `peer_access` | allocations, pools, physical memory at reserved addresses, what may be accessed |
//! | `image`, `records`, `module` | finding the image of a PTX, modules and kernels |
//! | `work`, `transfer`, `stream`, `completion`, `graph`, `user_object` | what is queued, in streams and graphs |
//! | `state` | contexts, and everything that programs have handles of |
//! | `execute`, `queue`, `graphs`, `capture` | running work, and queueing it; graphs and how streams become one |

mod api;
mod capture;
mod completion;
mod current;
mod device;
mod error;
mod execute;
mod graph;
mod graphs;
mod handle;
mod image;
mod memory;
mod module;
mod peer_access;
mod pool;
mod queue;
mod records;
mod state;
mod stream;
mod transfer;
mod user_object;
mod virtual_memory;
mod work;
