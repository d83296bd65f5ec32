//! Clocks, and what stops a kernel or tells tools of it.

device_operations! {
    /// Cycles of this multiprocessor, counted in 32 bits.
    fn clock() -> u32;
    /// Cycles of this multiprocessor.
    fn clock64() -> u64;
    /// Nanoseconds since some moment, the same for all multiprocessors.
    fn globaltimer() -> u64;
    /// Stops under a debugger.
    fn breakpoint();
    /// Counts event `number`, a constant from 0 to 15, for a profiler.
    #[doc(hidden)]
    fn pmevent(number: u32);
    /// Ends the launch with an error.
    fn trap() -> !;
}

/// Counts event `N`, 0 to 15, for a profiler.
#[inline]
pub fn prof_trigger<const N: u32>() {
    const { assert!(N < 16, "events are numbered 0 to 15") };
    pmevent(N);
}
