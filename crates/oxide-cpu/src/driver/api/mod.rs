//! The driver API's entry points, with the meanings and errors of the CUDA driver API reference; a file a chapter of it.
//!
//! ```text
//! fn cuStreamQuery / cuStreamQuery_ptsz(stream: Handle) since 2000 { … }
//! ```
//!
//! An entry point is defined once, `fn NAME(…) since VERSION { … }`. The version is that of the API that introduced it, as 1000 × major plus
//! 10 × minor: programs that ask for a function by name get the newest that their version knows. `fn NAME / TWIN` defines a twin too, whose
//! default stream is that of the calling thread.

#![allow(non_snake_case)]

mod call;
mod contexts;
mod copies;
mod devices;
mod driver;
mod events;
mod graphs;
mod launches;
mod memory;
mod modules;
mod pools;
mod proc_address;
mod refused;
mod streams;
mod virtual_memory;

#[cfg(test)]
mod stress;
