operations! {
    /// The upper half of the address of the driver's workspace for this launch.
    register fn envreg1() -> u32;
    /// The lower half of the address of the driver's workspace for this launch.
    register fn envreg2() -> u32;
    /// Waits for all threads of the grid and orders their memory accesses.
    ///
    /// Every thread of the launch calls it, and the launch is cooperative: without `#[cooperative_launch]` blocks that have not started
    /// are waited for.
    convergent fn sync();
}
