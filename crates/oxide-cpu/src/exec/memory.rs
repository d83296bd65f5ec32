//! Device memory, as far as execution needs to know of it; the driver allocates it.

/// An allocation, or a variable of a module.
#[derive(Clone, Copy)]
pub struct Allocation {
    pub start: u64,
    pub bytes: usize,
    /// Whether it is device memory, for which it is recorded which bytes were written.
    pub records_writes: bool,
}

/// The memory that a launch may access.
pub trait Memory: Sync {
    /// The allocation that holds an address, where the launch may access it.
    fn find(&self, address: u64) -> Option<Allocation>;

    /// The location of an address outside what `find` finds, for a message.
    fn describe(&self, address: u64) -> String;

    /// Takes the record of an allocation's written bytes: a bit for each byte, or `None` where all count as written.
    fn take_written(&self, start: u64) -> Option<Vec<u64>>;

    /// Puts that record back.
    fn put_written(&self, start: u64, bits: Vec<u64>);
}
