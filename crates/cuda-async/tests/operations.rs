//! What operations and futures ask of the driver, and when, against one whose streams stand still when a test says so.

use std::{
    env,
    ffi::{CString, c_char, c_uint},
    pin::{Pin, pin},
    sync::{
        Arc, LazyLock, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use cuda_async::{
    DeviceOperation,
    device_box::DeviceBox,
    device_context::{
        FunctionKey, get_cuda_function, get_default_device, init_device_contexts, insert_cuda_function, new_device_context,
        set_default_device, with_cuda_context, with_deallocator_stream, with_default_device_policy,
    },
    device_future::DeviceFuture,
    device_operation::{ExecutionContext, IntoDeviceOperation, Unzippable2, Value, empty, try_value, value, with_context},
    error::DeviceError,
    futures::{executor, future},
    launch::{AsyncKernelLaunchBuilder, OwnedAsyncKernelLaunch},
    reclaim,
    scheduling_policies::{GlobalSchedulingPolicy, SchedulingPolicy, SingleStream, StreamPoolRoundRobin},
    unzip, zip,
};
use cuda_core::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, memory};
use libloading::Library;

/// The driver, by one test at a time.
struct Driver {
    library: &'static Library,
    _turn: MutexGuard<'static, ()>,
}

impl Driver {
    fn new() -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
            // Cargo builds examples before tests, beside them.
            let path = env::current_exe().unwrap().with_file_name("../examples/libqueueing_driver.so");
            // SAFETY: no test has called anything that reads the environment yet: each comes here first.
            unsafe {
                env::set_var("OXIDE_DEVICE", "cpu");
                env::set_var("OXIDE_CPU_DEVICE", &path);
            }
            // SAFETY: the library has no initialisers.
            unsafe { Library::new(path) }.unwrap()
        });
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let driver = Self { library: &LIBRARY, _turn: turn };
        // What an earlier test left, if it failed.
        driver.hold(false);
        driver.fault(0);
        driver.settle();
        reclaim::drain();
        // So that a test sees nothing of how a thread's contexts are built.
        with_default_device_policy(|_| ()).unwrap();
        driver.calls();
        driver
    }

    /// The calls since the last time.
    fn calls(&self) -> Vec<String> {
        let mut calls = Vec::new();
        // SAFETY: the symbol has this type, and both sides are built by one compiler.
        unsafe { self.library.get::<extern "C" fn(&mut Vec<String>)>("queueing_take_calls").unwrap()(&mut calls) };
        calls
    }

    /// The names of the calls since the last time.
    fn names(&self) -> Vec<String> {
        self.calls().iter().map(|call| call.split(' ').next().unwrap().into()).collect()
    }

    fn fail(&self, call: &str, result: c_uint) {
        let call = CString::new(call).unwrap();
        // SAFETY: as above.
        unsafe { self.library.get::<unsafe extern "C" fn(*const c_char, c_uint)>("queueing_fail").unwrap()(call.as_ptr(), result) };
    }

    fn hold(&self, held: bool) {
        // SAFETY: as above.
        unsafe { self.library.get::<extern "C" fn(bool)>("queueing_hold").unwrap()(held) };
    }

    fn fault(&self, result: c_uint) {
        // SAFETY: as above.
        unsafe { self.library.get::<extern "C" fn(c_uint)>("queueing_fault").unwrap()(result) };
    }

    fn settle(&self) {
        // SAFETY: as above.
        unsafe { self.library.get::<extern "C" fn()>("queueing_settle").unwrap()() };
    }

    /// Lets the streams do what is queued, and stand still again.
    fn pass(&self) {
        self.hold(false);
        self.settle();
        self.hold(true);
    }
}

/// Counts how often it was woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn poll<F: Future + Unpin>(future: &mut F, wakes: &Arc<Wakes>) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(&Waker::from(wakes.clone())))
}

fn stream() -> Arc<CudaStream> {
    CudaContext::new(0).unwrap().new_stream().unwrap()
}

/// So many bytes, allocated on the operation's stream.
fn allocate(bytes: usize) -> impl DeviceOperation<Output = DeviceBox<[u8]>> {
    with_context(move |context| {
        let stream = context.get_cuda_stream().cu_stream();
        // SAFETY: the stream is alive; the box is the only owner.
        let memory = unsafe { DeviceBox::from_raw_parts(memory::malloc_async(stream, bytes).unwrap(), bytes, context.get_device_id()) };
        value(memory)
    })
}

/// An operation that cannot be queued.
struct Refused;

impl DeviceOperation for Refused {
    type Output = ();

    unsafe fn execute(self, _context: &ExecutionContext) -> Result<(), DeviceError> {
        Err(DeviceError::Launch("refused".into()))
    }
}

impl IntoFuture for Refused {
    type Output = Result<(), DeviceError>;
    type IntoFuture = DeviceFuture<(), Self>;

    fn into_future(self) -> Self::IntoFuture {
        with_default_device_policy(|policy| policy.schedule(self)).flatten().unwrap_or_else(DeviceFuture::failed)
    }
}

/// Counts its drops.
struct Guarded(Arc<AtomicUsize>);

impl Drop for Guarded {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn function(device: usize) -> Arc<CudaFunction> {
    let module = CudaContext::new(device).unwrap().load_module_from_ptx_src("").unwrap();
    Arc::new(module.load_function("kernel").unwrap())
}

#[test]
fn nothing_runs_before_the_first_poll() {
    let driver = Driver::new();
    let ran = Arc::new(AtomicUsize::new(0));
    let count = ran.clone();
    let operation = allocate(8).and_then(move |memory| {
        count.fetch_add(1, Ordering::SeqCst);
        value(memory)
    });
    let future = with_default_device_policy(|policy| operation.schedule(policy)).unwrap().unwrap();
    assert_eq!((driver.calls(), ran.load(Ordering::SeqCst)), (vec![], 0));
    drop(future);
    assert_eq!((driver.calls(), ran.load(Ordering::SeqCst), reclaim::pending()), (vec![], 0, 0));
}

#[test]
fn a_poll_queues_and_the_callback_wakes() {
    let driver = Driver::new();
    driver.hold(true);
    let wakes = Arc::new(Wakes::default());
    let mut future = allocate(8).into_future();
    assert!(poll(&mut future, &wakes).is_pending());
    // Nothing here waits.
    assert_eq!(driver.names(), ["allocate", "callback"]);
    assert!(poll(&mut future, &wakes).is_pending());
    assert_eq!((driver.names(), wakes.0.load(Ordering::SeqCst)), (vec![], 0));
    driver.pass();
    assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
    let Poll::Ready(Ok(memory)) = poll(&mut future, &wakes) else { panic!("no memory") };
    assert_eq!((memory.len(), driver.names()), (8, vec![]));
    drop(memory);
    assert_eq!(driver.names(), ["free"]);
}

/// What is scheduled here may be polled by a thread that has no context yet.
#[test]
fn a_poll_on_another_thread() {
    let _driver = Driver::new();
    let future = allocate(8).into_future();
    on_a_new_thread(|| assert_eq!(executor::block_on(future).unwrap().len(), 8));
}

#[test]
#[should_panic(expected = "polled after it had completed")]
fn a_poll_after_the_last() {
    let _driver = Driver::new();
    let mut future = Refused.into_future();
    let wakes = Arc::default();
    assert!(poll(&mut future, &wakes).is_ready());
    let _ = poll(&mut future, &wakes);
}

#[test]
fn errors_are_ready_at_once() {
    let driver = Driver::new();
    driver.hold(true);
    let wakes = Arc::default();
    assert_eq!(poll(&mut Refused.into_future(), &wakes), Poll::Ready(Err(DeviceError::Launch("refused".into()))));
    // What is freed next waits for what may have been queued before the failure.
    assert_eq!((driver.names(), reclaim::pending()), (vec!["mark".into()], 1));
    let error = DeviceError::Internal("why".into());
    assert_eq!(poll(&mut DeviceFuture::<(), Refused>::failed(error.clone()), &wakes), Poll::Ready(Err(error)));
    let failing = value(1).and_then(|_| try_value(Err::<(), _>(DriverError(2))));
    assert_eq!(poll(&mut failing.into_future(), &wakes), Poll::Ready(Err(DeviceError::Driver(DriverError(2)))));
    assert!(matches!(poll(&mut DeviceFuture::<(), Refused>::default(), &wakes), Poll::Ready(Err(DeviceError::Scheduling(_)))));
    driver.fail("callback", 719);
    assert_eq!(poll(&mut value(1).into_future(), &wakes), Poll::Ready(Err(DeviceError::Driver(DriverError(719)))));
    driver.pass();
}

#[test]
fn a_device_that_fails_wakes_too() {
    let driver = Driver::new();
    driver.hold(true);
    let (wakes, drops) = (Arc::<Wakes>::default(), Arc::default());
    let mut future = value(Guarded(Arc::clone(&drops))).into_future();
    assert!(poll(&mut future, &wakes).is_pending());
    driver.fault(700);
    driver.pass();
    assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
    assert!(matches!(poll(&mut future, &wakes), Poll::Ready(Err(DeviceError::Driver(DriverError(700))))));
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn a_driver_without_callbacks_has_host_functions() {
    let driver = Driver::new();
    driver.fail("callback", 801);
    assert_eq!(executor::block_on(value(3).into_future()), Ok(3));
    assert_eq!(driver.names(), ["callback", "host"]);
}

#[test]
fn what_is_dropped_in_flight_lives_until_its_stream_has_passed() {
    let driver = Driver::new();
    driver.hold(true);
    let (wakes, drops) = (Arc::default(), Arc::default());
    let mut future = value(Guarded(Arc::clone(&drops))).into_future();
    assert!(poll(&mut future, &wakes).is_pending());
    driver.calls();
    drop(future);
    assert_eq!((driver.names(), reclaim::pending(), reclaim::sweep()), (vec!["mark".into()], 1, 0));
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    driver.pass();
    assert_eq!((reclaim::sweep(), reclaim::pending(), drops.load(Ordering::SeqCst)), (1, 0, 1));
    // One that the stream has passed by then is dropped at once.
    let mut future = value(Guarded(Arc::clone(&drops))).into_future();
    assert!(poll(&mut future, &wakes).is_pending());
    driver.pass();
    drop(future);
    assert_eq!((reclaim::pending(), drops.load(Ordering::SeqCst)), (0, 2));
}

#[test]
fn draining_waits() {
    let driver = Driver::new();
    driver.hold(true);
    let (wakes, drops) = (Arc::default(), Arc::default());
    for _ in 0..2 {
        let mut future = value(Guarded(Arc::clone(&drops))).into_future();
        assert!(poll(&mut future, &wakes).is_pending());
    }
    assert_eq!(reclaim::pending(), 2);
    std::thread::scope(|scope| {
        let drained = scope.spawn(reclaim::drain);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        driver.hold(false);
        assert_eq!(drained.join().unwrap(), 2);
    });
    assert_eq!((drops.load(Ordering::SeqCst), reclaim::pending(), reclaim::drain()), (2, 0, 0));
}

#[test]
fn without_an_event_the_stream_is_waited_for() {
    let driver = Driver::new();
    let (wakes, drops) = (Arc::default(), Arc::<AtomicUsize>::default());
    let in_flight = || {
        driver.hold(true);
        let mut future = value(Guarded(drops.clone())).into_future();
        assert!(poll(&mut future, &wakes).is_pending());
        driver.calls();
        future
    };
    // The first attempt may report an older error.
    let future = in_flight();
    driver.fail("mark", 2);
    drop(future);
    assert_eq!((driver.names(), reclaim::pending()), (vec!["mark".into(), "mark".into()], 1));
    driver.pass();
    assert_eq!((reclaim::drain(), drops.load(Ordering::SeqCst)), (1, 1));
    // No event at all.
    let future = in_flight();
    for _ in 0..2 {
        driver.fail("mark", 2);
    }
    std::thread::scope(|scope| {
        let dropped = scope.spawn(|| drop(future));
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(drops.load(Ordering::SeqCst), 1);
        driver.hold(false);
        dropped.join().unwrap();
    });
    assert_eq!((driver.names(), drops.load(Ordering::SeqCst)), (vec!["mark".into(), "mark".into(), "synchronize".into()], 2));
    // Nor can the stream be waited for: it is leaked.
    let future = in_flight();
    for call in ["mark", "mark", "synchronize"] {
        driver.fail(call, 2);
    }
    drop(future);
    driver.pass();
    assert_eq!((reclaim::drain(), drops.load(Ordering::SeqCst)), (0, 2));
}

/// Positions of calls that begin so, of which there is one each.
fn positions<const N: usize>(calls: &[String], beginnings: [&str; N]) -> [usize; N] {
    beginnings.map(|beginning| {
        let found: Vec<_> = calls.iter().enumerate().filter(|(_, call)| call.starts_with(beginning)).map(|(at, _)| at).collect();
        assert_eq!(found.len(), 1, "{beginning:?} in {calls:#?}");
        found[0]
    })
}

/// A kernel that is queued already may use what an operation drops while it goes on queueing: memory is freed after it.
#[test]
fn memory_dropped_while_queueing_is_freed_after_the_stream() {
    let driver = Driver::new();
    let stream = stream();
    let handle = format!("{:#x}", stream.cu_stream().addr());
    driver.calls();
    let dropping = allocate(1).and_then(|scratch| {
        drop(scratch);
        value(())
    });
    dropping.sync_on(&stream).unwrap();
    let calls = driver.calls();
    let at = calls.iter().position(|call| call.starts_with("free")).unwrap();
    let deallocator = calls[at].rsplit(' ').next().unwrap();
    let [mark, wait] = [&calls[at - 2], &calls[at - 1]];
    let event = mark.strip_prefix(&format!("mark {handle} ")).expect(mark);
    assert_eq!(*wait, format!("wait {deallocator} {event}"));
}

/// Host memory that a copy reads, say, which no stream waits for when it is freed.
#[test]
fn what_an_operation_gave_is_kept_where_a_later_one_fails() {
    let driver = Driver::new();
    let (stream, drops) = (stream(), Arc::<AtomicUsize>::default());
    let guarded = || value(Guarded(drops.clone()));
    let launch = || {
        let mut launch = AsyncKernelLaunchBuilder::new(function(0));
        launch.push_args((0u64, 0u8));
        // SAFETY: the kernel takes an address, which nothing is done with, and a byte.
        OwnedAsyncKernelLaunch::new(unsafe { launch.finalize_unchecked(LaunchConfig::for_num_elems(1)) }, Guarded(drops.clone()))
    };
    driver.hold(true);
    // SAFETY: nothing uses the results.
    unsafe {
        assert!(zip!(guarded(), Refused).async_on(&stream).is_err());
        assert!(zip!(guarded(), guarded(), Refused).async_on(&stream).is_err());
        driver.fail("launch", 1);
        assert!(launch().async_on(&stream).is_err());
    }
    assert_eq!((reclaim::pending(), reclaim::sweep(), drops.load(Ordering::SeqCst)), (4, 0, 0));
    driver.hold(false);
    driver.pass();
    assert_eq!((reclaim::drain(), drops.load(Ordering::SeqCst)), (4, 4));
}

/// A launch that borrowed the memory may have been dropped in flight.
#[test]
fn memory_is_freed_after_what_was_dropped_in_flight() {
    let driver = Driver::new();
    driver.hold(true);
    let memory = {
        let mut future = allocate(4).into_future();
        let wakes = Arc::default();
        assert!(poll(&mut future, &wakes).is_pending());
        driver.pass();
        let Poll::Ready(Ok(memory)) = poll(&mut future, &wakes) else { panic!("no memory") };
        memory
    };
    let mut user = value(()).into_future();
    assert!(poll(&mut user, &Arc::default()).is_pending());
    drop(user);
    driver.calls();
    drop(memory);
    let calls = driver.calls();
    let [wait, free] = positions(&calls, ["wait", "free"]);
    assert!(wait < free && calls[wait].split(' ').nth(1) == calls[free].split(' ').nth(2), "{calls:?}");
    driver.pass();
    assert_eq!(reclaim::drain(), 1);
}

#[test]
fn a_stream_is_waited_for_also_where_queueing_failed() {
    let driver = Driver::new();
    let stream = stream();
    driver.calls();
    assert_eq!(Refused.sync_on(&stream), Err(DeviceError::Launch("refused".into())));
    assert_eq!(driver.names(), ["synchronize"]);
    driver.fail("synchronize", 700);
    assert_eq!(Refused.sync_on(&stream), Err(DeviceError::Launch("refused".into())));
    // The mark behind what may have been queued.
    assert_eq!(reclaim::drain(), 1);
    // A result whose stream could not be waited for may still be in use.
    driver.hold(true);
    let drops = Arc::<AtomicUsize>::default();
    driver.fail("synchronize", 2);
    assert!(matches!(value(Guarded(drops.clone())).sync_on(&stream), Err(DeviceError::Driver(DriverError(2)))));
    assert_eq!((drops.load(Ordering::SeqCst), reclaim::pending()), (0, 1));
    driver.pass();
    assert_eq!((reclaim::sweep(), drops.load(Ordering::SeqCst)), (1, 1));
}

#[test]
fn a_tree_runs_on_one_stream_in_the_order_it_is_written() {
    let driver = Driver::new();
    let stream = stream();
    driver.calls();
    let order = Arc::new(Mutex::new(Vec::new()));
    let note = |number: u32| {
        let order = order.clone();
        empty(move || {
            order.lock().unwrap().push(number);
            value(number)
        })
    };
    let (second, third, last) = (note(2), note(3), note(5));
    let tree = zip!(note(1), second, third)
        .and_then_with_context(|context, numbers| {
            order.lock().unwrap().push(4);
            (numbers, context.get_cuda_stream().cu_stream().addr(), context.get_device_id()).device_operation()
        })
        .apply(|(numbers, stream, device)| zip!(value((numbers, stream, device)), last))
        .arc();
    let result = tree.sync_on(&stream).unwrap();
    assert_eq!(*result, (((1, 2, 3), stream.cu_stream().addr(), 0), 5));
    assert_eq!(*order.lock().unwrap(), [1, 2, 3, 4, 5]);
    assert_eq!(driver.names(), ["synchronize"]);
    assert_eq!(zip!(value(1)).sync_on(&stream), Ok(1));
    // SAFETY: a number is nothing that a stream uses.
    assert_eq!(unsafe { value(2).async_on(&stream) }, Ok(2));
    assert_eq!(driver.names(), ["synchronize"]);
}

#[test]
fn halves_share_one_run() {
    let driver = Driver::new();
    let (one, other) = (stream(), stream());
    driver.calls();
    let runs = Arc::new(AtomicUsize::new(0));
    let pair = || {
        let runs = runs.clone();
        empty(move || value((runs.fetch_add(1, Ordering::SeqCst), "second")))
    };
    let (first, second) = unzip!(pair());
    assert_eq!((second.sync_on(&one), first.sync_on(&one)), (Ok("second"), Ok(0)));
    assert_eq!((runs.load(Ordering::SeqCst), driver.names()), (1, vec!["synchronize".into(), "synchronize".into()]));
    // On another stream the second half comes after the first one's.
    let (first, second) = pair().unzip();
    assert_eq!(first.sync_on(&one), Ok(1));
    driver.calls();
    assert_eq!(second.sync_on(&other), Ok("second"));
    assert_eq!(driver.names(), ["mark", "wait", "synchronize"]);
    // Both halves of one that fails, fail.
    let (first, second) = unzip!(Refused.and_then(|()| value((1, 2))));
    assert_eq!(
        (first.sync_on(&one), second.sync_on(&one)),
        (Err(DeviceError::Launch("refused".into())), Err(DeviceError::Launch("refused".into())))
    );
}

#[test]
fn a_half_that_nobody_takes_lives_until_its_stream_has_passed() {
    let driver = Driver::new();
    let drops = Arc::<AtomicUsize>::default();
    let (first, second) = unzip!(value(((), Guarded(drops.clone()))));
    driver.hold(true);
    let mut first = first.into_future();
    assert!(poll(&mut first, &Arc::default()).is_pending());
    drop(second);
    assert_eq!((drops.load(Ordering::SeqCst), reclaim::pending()), (0, 1));
    driver.pass();
    assert_eq!((reclaim::drain(), drops.load(Ordering::SeqCst)), (1, 1));
    drop(first);
}

#[test]
fn streams_are_chosen_in_turn() {
    let driver = Driver::new();
    let ctx = CudaContext::new(0).unwrap();
    // SAFETY: no memory is used.
    let mut pool = unsafe { StreamPoolRoundRobin::new(0, 2) };
    let where_it_runs = || with_context(|context| value(context.get_cuda_stream().cu_stream().addr()));
    assert!(matches!(where_it_runs().schedule(&pool), Err(DeviceError::Context { device_id: 0, .. })));
    assert!(matches!(pool.sync(where_it_runs()), Err(DeviceError::Context { device_id: 0, .. })));
    pool.init(&ctx).unwrap();
    let shared = Arc::new(GlobalSchedulingPolicy::RoundRobin(pool));
    let policy = shared.as_scheduling_policy();
    let streams: Vec<_> = (0..4).map(|_| policy.sync(where_it_runs()).unwrap()).collect();
    assert!(streams[0] != streams[1] && streams[..2] == streams[2..], "{streams:?}");
    // The stream is fixed when the future is made.
    let (first, second) = (where_it_runs().schedule(&shared).unwrap(), where_it_runs().schedule(&shared).unwrap());
    assert_eq!(executor::block_on(future::join(second, first)), (Ok(streams[1]), Ok(streams[0])));
    assert!(matches!(Arc::clone(&shared).init(&ctx), Err(DeviceError::Scheduling(_))));
    // SAFETY: as above.
    let mut single = unsafe { SingleStream::new() };
    single.init(&ctx).unwrap();
    let stream = single.stream.clone().unwrap().cu_stream().addr();
    assert_eq!((single.sync(where_it_runs()), single.sync(where_it_runs())), (Ok(stream), Ok(stream)));
    assert_eq!(executor::block_on(where_it_runs().schedule(&single).unwrap()), Ok(stream));
    for (streams, device) in [(0, 0), (1, 1)] {
        // SAFETY: as above.
        let mut pool = unsafe { StreamPoolRoundRobin::new(device, streams) };
        assert!(matches!(pool.init(&ctx), Err(DeviceError::Context { device_id, .. }) if device_id == device));
    }
    drop(driver);
}

#[test]
#[should_panic(expected = "before its `init`")]
fn a_single_stream_before_init() {
    let _driver = Driver::new();
    // SAFETY: no memory is used.
    let _ = unsafe { SingleStream::new() }.sync(value(1));
}

/// On a thread of its own, whose contexts nobody has built.
fn on_a_new_thread(test: impl FnOnce() + Send) {
    std::thread::scope(|scope| scope.spawn(test).join().unwrap());
}

#[test]
fn a_thread_builds_its_contexts_once() {
    let driver = Driver::new();
    on_a_new_thread(|| {
        // All of this is inside each other.
        let devices = with_default_device_policy(|policy| {
            let memory = policy.sync(allocate(1)).unwrap();
            with_cuda_context(0, |ctx| {
                drop(memory);
                // SAFETY: nothing is freed here.
                unsafe { with_deallocator_stream(0, |stream| (ctx.ordinal(), stream.context().ordinal())) }.unwrap()
            })
            .unwrap()
        });
        assert_eq!(devices, Ok((0, 0)));
        assert_eq!(allocate(1).and_then(|memory| value(memory.len())).sync(), Ok(1));
        let retained = driver.calls().iter().filter(|call| *call == "retain 0").count();
        assert_eq!(retained, 1);
        assert!(matches!(init_device_contexts(0, 1), Err(DeviceError::Context { device_id: 0, .. })));
    });
}

#[test]
fn a_thread_says_which_devices_it_uses() {
    let driver = Driver::new();
    on_a_new_thread(|| {
        assert!(matches!(init_device_contexts(2, 2), Err(DeviceError::Context { device_id: 2, .. })));
        assert_eq!(init_device_contexts(0, 3), Err(DeviceError::Driver(DriverError(101))));
        assert_eq!(get_default_device(), 0);
        init_device_contexts(1, 2).unwrap();
        assert_eq!(get_default_device(), 1);
        driver.calls();
        let device = || with_context(|context| value(context.get_device_id()));
        assert_eq!(device().sync(), Ok(1));
        set_default_device(0);
        assert_eq!(device().sync(), Ok(0));
        assert_eq!(driver.calls().iter().filter(|call| call.starts_with("retain")).count(), 0);
        assert!(matches!(init_device_contexts(0, 1), Err(DeviceError::Context { .. })));
        // A failure to schedule is the future's.
        set_default_device(7);
        assert_eq!(executor::block_on(device().into_future()), Err(DeviceError::Driver(DriverError(101))));
    });
    on_a_new_thread(|| assert_eq!(get_default_device(), 0));
}

#[test]
fn kernels_are_kept_by_key() {
    #[derive(Hash)]
    struct Key(u32);
    impl FunctionKey for Key {
        fn get_hash_string(&self) -> String {
            format!("key {}", self.0)
        }
    }
    let _driver = Driver::new();
    let function = function(0);
    let module = function.context().load_module_from_ptx_src("").unwrap();
    insert_cuda_function(0, &Key(1), (module, function.clone())).unwrap();
    assert!(Arc::ptr_eq(&get_cuda_function(0, &Key(1)).unwrap(), &function));
    assert!(matches!(get_cuda_function(0, &Key(2)), Err(DeviceError::KernelCache(text)) if text.contains("key 2")));
    assert!(matches!(get_cuda_function(1, &Key(1)), Err(DeviceError::KernelCache(_))));
    // SAFETY: no memory is used.
    let pool = unsafe { StreamPoolRoundRobin::new(1, 1) };
    let context = new_device_context(1, GlobalSchedulingPolicy::RoundRobin(pool)).unwrap();
    assert_eq!((context.device_id(), context.context().ordinal()), (1, 1));
}

#[test]
fn a_launch_passes_bytes_and_gives_back_what_it_owns() {
    let driver = Driver::new();
    let stream = stream();
    let memory = allocate(16).sync_on(&stream).unwrap();
    let config = LaunchConfig { grid_dim: (3, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    driver.calls();
    let launch = |memory: &DeviceBox<[u8]>| {
        let mut launch = AsyncKernelLaunchBuilder::new(function(0));
        // What has no bytes is no parameter.
        launch.push_scalar_arg(()).push_args((memory.device_pointer(), Box::new(7u8)));
        // SAFETY: the driver's kernel takes an address and a byte, and uses neither.
        unsafe { launch.finalize_unchecked(config) }
    };
    let owned = OwnedAsyncKernelLaunch::new(launch(&memory), memory);
    let memory = owned.and_then(|memory| launch(&memory).and_then(|()| value(memory))).sync_on(&stream).unwrap();
    let line = format!("launch 3 {:#x} 7 {:#x}", memory.cu_deviceptr(), stream.cu_stream().addr());
    assert_eq!(driver.calls().iter().filter(|call| call.starts_with("launch")).collect::<Vec<_>>(), [&line, &line]);
    // On a stream of another device.
    let elsewhere = CudaContext::new(1).unwrap().new_stream().unwrap();
    driver.calls();
    assert!(matches!(launch(&memory).sync_on(&elsewhere), Err(DeviceError::Launch(text)) if text.contains("device 1")));
    assert!(driver.names().iter().all(|call| call != "launch"));
}

/// Operations made here, awaited by tasks on other threads.
#[test]
fn tokio_tasks_on_many_threads() {
    let _driver = Driver::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build().unwrap();
    let total: usize = runtime.block_on(async {
        let tasks: Vec<_> = (0..100).map(|number| tokio::spawn(async move { allocate(number).await.unwrap().len() })).collect();
        let mut total = 0;
        for task in tasks {
            total += task.await.unwrap();
        }
        total
    });
    assert_eq!(total, 4950);
}

/// A result for which the time is over is not waited for, and the thread is not blocked meanwhile.
#[test]
fn a_timeout_on_one_thread() {
    let driver = Driver::new();
    driver.hold(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let late = tokio::time::timeout(Duration::from_millis(20), allocate(1).into_future()).await;
        assert!(late.is_err());
        assert_eq!(reclaim::pending(), 1);
        let (release, result) = tokio::join!(
            async {
                tokio::time::sleep(Duration::from_millis(10)).await;
                driver.hold(false);
            },
            allocate(2).and_then(|memory: DeviceBox<[u8]>| value(memory.len())).into_future(),
        );
        assert_eq!((release, result), ((), Ok(2)));
    });
    driver.settle();
    reclaim::drain();
    assert_eq!(reclaim::pending(), 0);
}

#[test]
fn many_at_once_on_one_thread() {
    let _driver = Driver::new();
    let futures = (0..50).map(|number| value(number).into_future());
    let sum = executor::block_on(async { future::try_join_all(futures).await.map(|numbers| numbers.into_iter().sum::<i32>()) });
    assert_eq!(sum, Ok(1225));
    let mut pool = executor::LocalPool::new();
    assert_eq!(pool.run_until(async { pin!(value(1).into_future()).await }), Ok(1));
    let _: Value<i32> = 1.device_operation();
}
