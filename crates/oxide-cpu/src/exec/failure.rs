//! Why a launch failed.

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An assertion of the kernel does not hold.
    Assert,
    IllegalAddress,
    IllegalInstruction,
    /// A panic, or what has no kind of its own.
    LaunchFailed,
    MisalignedAddress,
    NotSupported,
    OutOfMemory,
}

/// A failure, with its message.
#[derive(Debug)]
pub struct Failure {
    pub cause: Cause,
    pub message: String,
}
