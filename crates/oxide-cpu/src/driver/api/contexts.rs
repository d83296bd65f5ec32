//! Contexts: primary ones and those that programs create, which of them is current, their limits and flags.

use std::ffi::{c_int, c_uint, c_void};

use super::call::{entry_points, passed, store, store_if};
use crate::driver::{
    current, device,
    error::{Error, Result},
    handle::{Handle, handle},
    queue,
    state::{self, State, device, primary},
};

/// `CU_LIMIT_STACK_SIZE`, `…_PRINTF_FIFO_SIZE`, `…_MALLOC_HEAP_SIZE`, and their defaults. The threads' stacks are larger than any limit of a GPU.
const LIMITS: [(c_uint, usize); 3] = [(0, 1024), (1, 1 << 20), (2, 8 << 20)];

/// The flags of contexts: scheduling, mapped host memory, resizing of local memory, dumps, synchronous memory operations.
const FLAGS: c_uint = 0xff;

/// The version of the API that contexts are made with.
const API_VERSION: c_uint = 13_000;

/// `CUctxCreateParams`, none of whose features the device has.
#[repr(C)]
pub struct Parameters {
    affinity: *const c_void,
    affinity_count: c_int,
    graphics: *const c_void,
}

/// Waits until a context has nothing to do, and ends it.
fn end(mut state: impl std::ops::DerefMut<Target = State>, context: usize) {
    let unfinished = state.unfinished(|_, stream| stream.context == context);
    if !unfinished.is_empty() {
        drop(state);
        queue::wait(&unfinished);
        let graphs = state::internal().end_context(context);
        drop(graphs);
        return;
    }
    let graphs = state.end_context(context);
    drop(state);
    drop(graphs);
}

fn create(flags: c_uint, device: usize) -> Result<usize> {
    if flags & !FLAGS != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let mut state = state::driver()?;
    let context = state.handle();
    state.add_context(context, device, flags);
    drop(state);
    current::push_context(context);
    Ok(context)
}

/// A context by its handle, null for the current one.
fn one(context: Handle) -> Result<usize> {
    if !context.is_null() {
        return state::driver()?.check_context(context);
    }
    match current::context() {
        0 => Err(Error::INVALID_CONTEXT),
        current => Ok(current),
    }
}

fn synchronize(context: usize) -> Result<()> {
    let mut state = state::driver()?;
    state.check_no_capture()?;
    let unfinished = state.unfinished(|_, stream| stream.context == context);
    drop(state);
    queue::wait(&unfinished);
    state::failure(context).map_or(Ok(()), Err)
}

entry_points! {
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, number: c_int) since 7000 {
        let mut state = state::driver()?;
        let device = device(number)?;
        store(context, handle(primary(device)))?;
        match state.contexts.get_mut(&primary(device)) {
            Some(context) => context.uses += 1,
            None => {
                let flags = state.primary_flags(device);
                state.add_context(primary(device), device, flags);
            }
        }
        Ok(())
    }
    fn cuDevicePrimaryCtxRelease_v2(number: c_int) since 11000 {
        let mut state = state::driver()?;
        let number = primary(device(number)?);
        let context = state.contexts.get_mut(&number).ok_or(Error::INVALID_CONTEXT)?;
        context.uses -= 1;
        if context.uses == 0 {
            end(state, number);
        }
        Ok(())
    }
    // Those who hold it have a new one.
    fn cuDevicePrimaryCtxReset_v2(number: c_int) since 11000 {
        let state = state::driver()?;
        let device = device(number)?;
        let Some(context) = state.contexts.get(&primary(device)) else { return Ok(()) };
        let (uses, flags) = (context.uses, context.flags);
        end(state, primary(device));
        let mut state = state::driver()?;
        state.add_context(primary(device), device, flags);
        state.contexts.entry(primary(device)).and_modify(|context| context.uses = uses);
        Ok(())
    }
    fn cuDevicePrimaryCtxSetFlags_v2(number: c_int, flags: c_uint) since 11000 {
        let mut state = state::driver()?;
        let device = device(number)?;
        if flags & !FLAGS != 0 {
            return Err(Error::INVALID_VALUE);
        }
        state.set_primary_flags(device, flags);
        Ok(())
    }
    fn cuDevicePrimaryCtxGetState(number: c_int, flags: *mut c_uint, active: *mut c_int) since 7000 {
        let state = state::driver()?;
        let device = device(number)?;
        store(flags, state.primary_flags(device))?;
        store(active, state.contexts.contains_key(&primary(device)).into())
    }

    fn cuCtxCreate_v2(context: *mut Handle, flags: c_uint, number: c_int) since 3020 {
        if context.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        drop(state::driver()?);
        store(context, handle(create(flags, device(number)?)?))
    }
    fn cuCtxCreate_v4(context: *mut Handle, parameters: *const Parameters, flags: c_uint, number: c_int) since 12050 {
        if let Some(parameters) = parameters.as_ref()
            && (parameters.affinity_count != 0 || !parameters.affinity.is_null() || !parameters.graphics.is_null())
        {
            return Err(Error::NOT_SUPPORTED);
        }
        passed(cuCtxCreate_v2(context, flags, number))
    }
    fn cuCtxDestroy_v2(context: Handle) since 4000 {
        let state = state::driver()?;
        let number = state.check_context(context)?;
        if (0..device::count()).any(|device| primary(device) == number) {
            return Err(Error::INVALID_CONTEXT);
        }
        if current::context() == number {
            current::pop_context()?;
        }
        end(state, number);
        Ok(())
    }
    fn cuCtxGetCurrent(context: *mut Handle) since 4000 { drop(state::driver()?); store(context, handle(current::context())) }
    fn cuCtxSetCurrent(context: Handle) since 4000 {
        let number = if context.is_null() { 0 } else { state::driver()?.check_context(context)? };
        drop(state::driver()?);
        current::set_context(number);
        Ok(())
    }
    fn cuCtxPushCurrent_v2(context: Handle) since 4000 {
        let number = state::driver()?.check_context(context)?;
        current::push_context(number);
        Ok(())
    }
    fn cuCtxPopCurrent_v2(context: *mut Handle) since 4000 {
        drop(state::driver()?);
        store_if(context, handle(current::pop_context()?));
        Ok(())
    }
    fn cuCtxGetDevice(number: *mut c_int) since 2000 { let device = state::current_or_failed()?.device; store(number, device as c_int) }
    fn cuCtxGetDevice_v2(number: *mut c_int, context: Handle) since 13000 {
        let context = one(context)?;
        let device = state::driver()?.contexts.get(&context).ok_or(Error::CONTEXT_IS_DESTROYED)?.device;
        store(number, device as c_int)
    }
    fn cuCtxGetId(context: Handle, id: *mut u64) since 12000 { let context = one(context)?; store(id, context as u64) }
    fn cuCtxGetApiVersion(context: Handle, version: *mut c_uint) since 3020 { one(context)?; store(version, API_VERSION) }
    fn cuCtxGetFlags(flags: *mut c_uint) since 7000 { let mut state = state::context()?; store(flags, state.context()?.flags) }
    fn cuCtxSetFlags(flags: c_uint) since 12010 {
        let mut state = state::context()?;
        if flags & !FLAGS != 0 {
            return Err(Error::INVALID_VALUE);
        }
        state.context()?.flags = flags;
        Ok(())
    }
    fn cuCtxGetLimit(value: *mut usize, limit: c_uint) since 3010 {
        let mut state = state::context()?;
        let (_, usual) = LIMITS.iter().find(|(number, _)| *number == limit).ok_or(Error::UNSUPPORTED_LIMIT)?;
        store(value, state.context()?.limits.get(&limit).copied().unwrap_or(*usual))
    }
    fn cuCtxSetLimit(limit: c_uint, value: usize) since 3010 {
        let mut state = state::context()?;
        if !LIMITS.iter().any(|(number, _)| *number == limit) {
            return Err(Error::UNSUPPORTED_LIMIT);
        }
        state.context()?.limits.insert(limit, value);
        Ok(())
    }
    fn cuCtxGetCacheConfig(config: *mut c_uint) since 3020 { let mut state = state::context()?; store(config, state.context()?.cache_config) }
    fn cuCtxSetCacheConfig(config: c_uint) since 3020 {
        let mut state = state::context()?;
        if config > 3 {
            return Err(Error::INVALID_VALUE);
        }
        state.context()?.cache_config = config;
        Ok(())
    }
    fn cuCtxResetPersistingL2Cache() since 11000 { state::context().map(drop) }
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) since 5050 {
        drop(state::context()?);
        store_if(least, device::LEAST_PRIORITY);
        store_if(greatest, device::GREATEST_PRIORITY);
        Ok(())
    }
    fn cuCtxSynchronize() since 2000 { let context = state::context()?.number; synchronize(context) }
    fn cuCtxSynchronize_v2(context: Handle) since 13000 { synchronize(one(context)?) }
}
