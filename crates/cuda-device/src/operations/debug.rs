operations! {
    /// Cycles of this multiprocessor, counted in 32 bits.
    register fn clock() -> u32;
    /// Cycles of this multiprocessor.
    register fn clock64() -> u64;
    /// Nanoseconds since some moment, the same for all multiprocessors.
    register fn globaltimer() -> u64;
    /// Stops under a debugger.
    fn breakpoint();
    /// Counts event `number`, a constant from 0 to 15, for a profiler.
    #[doc(hidden)]
    fn pmevent(number: u32);
}
