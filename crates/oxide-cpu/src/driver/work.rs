//! The work of streams and graphs: kernels, copies, fills, host functions; and graphs that can be launched.

use std::{
    ffi::{c_uint, c_void},
    mem::discriminant,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use super::{
    current,
    error::{Error, Result},
    handle::Handle,
    module::Function,
    transfer::{Address, Condition, Fill, Transfer, Value},
    user_object::UserObject,
};
use crate::exec::launch::Shape;

/// A launch with its parameters.
pub struct KernelWork {
    pub function: Function,
    /// The function's handle.
    pub handle: usize,
    pub device: usize,
    pub shape: Shape,
    /// The kernel's buffer, aligned to 16 bytes, the most that images require.
    pub parameters: Vec<u128>,
    /// The address of each parameter, for programs that query a node of a graph.
    pub pointers: OnceLock<Vec<ParameterPointer>>,
}

impl Clone for KernelWork {
    fn clone(&self) -> Self {
        let Self { function, handle, device, shape, parameters, .. } = self;
        let (function, parameters) = (function.clone(), parameters.clone());
        Self { function, handle: *handle, device: *device, shape: *shape, parameters, pointers: OnceLock::new() }
    }
}

/// Where a parameter is.
#[repr(transparent)]
pub struct ParameterPointer(pub *mut c_void);

// SAFETY: an address, which only programs follow.
unsafe impl Send for ParameterPointer {}
// SAFETY: as above.
unsafe impl Sync for ParameterPointer {}

/// A function of the host with its argument.
#[derive(Clone, Copy)]
pub enum HostFunction {
    Plain(unsafe extern "C" fn(*mut c_void), *mut c_void),
    /// With the stream, and the result code of the work before it.
    Callback(unsafe extern "C" fn(Handle, c_uint, *mut c_void), Handle, *mut c_void),
}

// SAFETY: the driver API documents that it runs them on threads of its own.
unsafe impl Send for HostFunction {}
// SAFETY: as above.
unsafe impl Sync for HostFunction {}

impl HostFunction {
    pub fn call(self, code: c_uint) {
        // SAFETY: the caller that queued it guarantees it.
        current::as_host_function(|| unsafe {
            match self {
                Self::Plain(run, data) => run(data),
                Self::Callback(run, stream, data) => run(stream, code, data),
            }
        });
    }
}

#[derive(Clone)]
pub enum Work {
    Empty,
    Kernel(Box<KernelWork>),
    Copy(Box<Transfer>),
    Fill(Fill),
    Host(HostFunction),
    /// Frees memory that is marked as being freed.
    Free(Address),
    /// Records an event as a node of a graph.
    Record(usize),
    /// Waits for an event as a node of a graph.
    Wait(usize),
    Graph(Arc<Executable>),
    WaitValue(Value, Condition),
    WriteValue(Value),
}

/// A step of a graph that is launched: its node, its work, and the numbers of the steps that it depends on.
#[derive(Clone)]
pub struct Step {
    pub node: usize,
    pub work: Work,
    pub dependencies: Vec<usize>,
}

/// A graph that can be launched (`CUgraphExec`).
pub struct Executable {
    pub context: usize,
    pub flags: u64,
    steps: Mutex<Vec<Step>>,
    /// Kept as long as it may be launched.
    _objects: Vec<Arc<UserObject>>,
}

impl Executable {
    pub fn new(context: usize, flags: u64, steps: Vec<Step>, objects: Vec<Arc<UserObject>>) -> Self {
        Self { context, flags, steps: Mutex::new(steps), _objects: objects }
    }

    /// Its work, in order.
    pub fn steps(&self) -> Vec<Work> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|step| step.work.clone()).collect()
    }

    /// Replaces the work of the steps by that of a graph of the same topology.
    ///
    /// # Errors
    ///
    /// The `CU_GRAPH_EXEC_UPDATE_ERROR_…` of a graph of another shape, and the node that differs.
    pub fn update(&self, new: Vec<Step>) -> std::result::Result<(), (c_uint, usize)> {
        const TOPOLOGY_CHANGED: c_uint = 2;
        const NODE_TYPE_CHANGED: c_uint = 3;
        const FUNCTION_CHANGED: c_uint = 4;
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() != new.len() {
            return Err((TOPOLOGY_CHANGED, 0));
        }
        for (old, new) in steps.iter().zip(&new) {
            if old.dependencies != new.dependencies {
                return Err((TOPOLOGY_CHANGED, new.node));
            }
            if discriminant(&old.work) != discriminant(&new.work) {
                return Err((NODE_TYPE_CHANGED, new.node));
            }
            // A function may change, but not to one of another context.
            if let (Work::Kernel(old), Work::Kernel(new_kernel)) = (&old.work, &new.work)
                && old.function.context != new_kernel.function.context
            {
                return Err((FUNCTION_CHANGED, new.node));
            }
        }
        for (old, new) in steps.iter_mut().zip(new) {
            old.work = new.work;
        }
        Ok(())
    }

    /// Replaces the work of the step of a node.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE` where the graph had no such node, or one of another kind.
    pub fn set(&self, node: usize, work: Work) -> Result<()> {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let step = steps.iter_mut().find(|step| step.node == node && discriminant(&step.work) == discriminant(&work));
        step.ok_or(Error::INVALID_VALUE)?.work = work;
        Ok(())
    }
}
