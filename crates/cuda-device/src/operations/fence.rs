operations! {
    /// Orders for the threads of the block (`membar.cta`).
    fn threadfence_block();
    /// Orders for the threads of the device (`membar.gl`).
    fn threadfence();
    /// Orders for all threads of all devices and of the host (`membar.sys`).
    fn threadfence_system();
}
