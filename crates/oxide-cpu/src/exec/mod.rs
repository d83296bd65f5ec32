//! Execution of loaded images: blocks over cores, threads of a block on fibers, what they wait for, and checks of their accesses.
//!
//! It knows nothing of the driver API: a [`launch::Launch`] has all that a kernel needs, device memory as [`memory::Memory`].
//!
//! | | |
//! | --- | --- |
//! | `abi`, `image` | the binary interface of images, and loading them |
//! | `functions` | what images call |
//! | `launch`, `block`, `thread` | a launch, its blocks and threads |
//! | `grid`, `scheduler`, `group`, `progress` | blocks over cores, threads of blocks over fibers, timeouts |
//! | `wait`, `warp`, `barrier`, `mbarrier` | what threads wait for, and when they may continue |
//! | `memory`, `shared_memory`, `limits` | device memory as a trait, shared memory, sizes |
//! | `check` | checks of accesses: bounds, initialisation, races |
//! | `call_sites`, `report`, `failure` | the call site of a thread, messages, and why a launch failed |
//! | `fiber`, `fault` | stacks for threads, and leaving those that faulted |

pub mod abi;
mod barrier;
mod block;
pub mod call_sites;
mod check;
pub mod failure;
mod fault;
mod fiber;
pub mod functions;
pub mod grid;
mod group;
pub mod image;
pub mod launch;
pub mod limits;
mod mbarrier;
pub mod memory;
mod progress;
mod report;
mod scheduler;
mod shared_memory;
mod thread;
mod wait;
mod warp;
