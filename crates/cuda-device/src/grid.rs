//! The grid as a whole: a barrier of all its threads.

include!("operations/grid.rs");
