//! Many threads that call the driver at once, each with streams of its own and one context for all.

use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use super::{call::Address, contexts::*, copies::*, driver::*, events::*, graphs::*, memory::*, pools::*, streams::*};
use crate::driver::{device::STREAM_NON_BLOCKING, error::Error, handle::Handle, state};

const THREADS: usize = 8;
const STREAMS: usize = 4;
const ROUNDS: u32 = 50;

/// Asserts that calls succeed.
macro_rules! succeed {
    ($($call:expr;)*) => {
        // SAFETY: as the test says.
        $(assert_eq!(unsafe { $call }, 0, stringify!($call));)*
    };
}

/// Tests that use the primary context, one after another.
static ONE: Mutex<()> = Mutex::new(());

fn with_context(test: impl FnOnce(Handle)) {
    let _one = ONE.lock();
    let mut context = ptr::null_mut();
    succeed! {
        cuInit(0);
        cuDevicePrimaryCtxRetain(&raw mut context, 0);
        cuCtxSetCurrent(context);
    }
    test(context);
    succeed! { cuDevicePrimaryCtxRelease_v2(0); }
}

/// A handle that another thread may have.
#[derive(Clone, Copy)]
struct Shared(Handle);

// SAFETY: the driver API's handles are of all threads.
unsafe impl Send for Shared {}

impl Shared {
    fn handle(self) -> Handle {
        self.0
    }
}

unsafe extern "C" fn count(counter: *mut c_void) {
    // SAFETY: the test's, which outlives its streams.
    unsafe { (*counter.cast::<AtomicUsize>()).fetch_add(1, Ordering::Relaxed) };
}

/// What one of many threads does.
fn work(context: Handle, calls: &AtomicUsize, number: u32) {
    let counter = ptr::from_ref(calls).cast_mut().cast();
    let mut streams = [ptr::null_mut(); STREAMS];
    let mut event = ptr::null_mut();
    let mut memory: [Address; STREAMS] = [0; STREAMS];
    succeed! { cuCtxSetCurrent(context); cuEventCreate(&raw mut event, 0); }
    for (stream, address) in streams.iter_mut().zip(&mut memory) {
        succeed! { cuStreamCreate(stream, STREAM_NON_BLOCKING); cuMemAllocAsync(address, 256, *stream); }
    }
    for round in 0..ROUNDS {
        for (place, (&stream, &address)) in streams.iter().zip(&memory).enumerate() {
            let mut there = [0u32; 64];
            let value = number << 16 | round << 4 | place as u32;
            succeed! {
                cuMemsetD32Async(address, value, 64, stream);
                cuLaunchHostFunc(stream, Some(count), counter);
                cuEventRecord(event, stream);
                cuStreamWaitEvent(streams[(place + 1) % STREAMS], event, 0);
                cuMemcpyDtoHAsync_v2(there.as_mut_ptr().cast(), address, 256, stream);
                cuStreamSynchronize(stream);
            }
            assert_eq!(there, [value; 64]);
        }
        let (mut graph, mut executable, mut other) = (ptr::null_mut(), ptr::null_mut(), 0);
        succeed! {
            cuMemAlloc_v2(&raw mut other, 64);
            cuStreamBeginCapture_v2(streams[0], 2);
            cuMemsetD32Async(other, round, 16, streams[0]);
            cuLaunchHostFunc(streams[0], Some(count), counter);
            cuStreamEndCapture(streams[0], &raw mut graph);
            cuGraphInstantiateWithFlags(&raw mut executable, graph, 0);
            cuGraphLaunch(executable, streams[1]);
            cuGraphExecDestroy(executable);
            cuGraphDestroy(graph);
            cuStreamSynchronize(streams[1]);
            cuMemFree_v2(other);
        }
    }
    for (&stream, &address) in streams.iter().zip(&memory) {
        succeed! { cuMemFreeAsync(address, stream); cuStreamDestroy_v2(stream); }
    }
    succeed! { cuEventDestroy_v2(event); }
}

#[test]
fn many_threads_have_many_streams() {
    with_context(|context| {
        let calls = AtomicUsize::new(0);
        let context = Shared(context);
        thread::scope(|scope| {
            for number in 0..THREADS as u32 {
                let calls = &calls;
                scope.spawn(move || work(context.handle(), calls, number));
            }
        });
        succeed! { cuCtxSynchronize(); }
        assert_eq!(calls.into_inner(), THREADS * ROUNDS as usize * (STREAMS + 1));
    });
}

#[test]
fn contexts_come_and_go_beside_each_other() {
    with_context(|_| {
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        let (mut context, mut stream, mut address) = (ptr::null_mut(), ptr::null_mut(), 0);
                        let mut device: c_int = -1;
                        succeed! {
                            cuCtxCreate_v4(&raw mut context, ptr::null(), 0, 0);
                            cuStreamCreate(&raw mut stream, 0);
                            cuMemAlloc_v2(&raw mut address, 4096);
                            cuMemsetD8Async(address, 1, 4096, stream);
                            cuCtxGetDevice(&raw mut device);
                            cuCtxDestroy_v2(context);
                        }
                        assert_eq!(device, 0);
                        // SAFETY: what the context held is gone.
                        assert_eq!(unsafe { cuStreamQuery(stream) }, Error::INVALID_CONTEXT.0);
                    }
                });
            }
        });
    });
}

#[test]
fn default_streams_of_threads_end_with_them() {
    with_context(|context| {
        let streams = || state::internal().streams.len();
        let before = streams();
        let context = Shared(context);
        for _ in 0..4 {
            let ran = thread::spawn(move || {
                let mut id = 0;
                succeed! { cuCtxSetCurrent(context.handle()); cuStreamGetId_ptsz(ptr::null_mut(), &raw mut id); }
                id
            });
            assert!(ran.join().is_ok_and(|id| id > 0));
        }
        assert_eq!(streams(), before);
    });
}
