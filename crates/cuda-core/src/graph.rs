//! Graphs: work of a stream, captured once and launched many times with one call.
//!
//! ```no_run
//! use cuda_core::{CudaContext, DeviceBuffer, DriverError};
//!
//! # fn main() -> Result<(), DriverError> {
//! let ctx = CudaContext::new(0)?;
//! let stream = ctx.new_stream()?;
//! let mut buffer = DeviceBuffer::from_host(&stream, &[1, 2, 3])?;
//! let graph = stream.capture(|stream| buffer.zero_async(stream))?;
//! // SAFETY: the buffer is alive, and nothing else uses it meanwhile.
//! unsafe { graph.instantiate()?.launch(&stream) }?;
//! assert_eq!(buffer.to_host_vec(&stream)?, [0, 0, 0]);
//! # Ok(())
//! # }
//! ```

use std::{ptr, sync::Arc};

use crate::{CudaContext, CudaStream, DriverError, IntoResult, error, failure::Failure, sys};

/// Captured work: kernels, copies and fills with their addresses and values, and what waits for what.
#[derive(Debug)]
pub struct CudaGraph {
    graph: sys::CUgraph,
    context: Arc<CudaContext>,
}

// SAFETY: any thread may use a graph, one at a time.
unsafe impl Send for CudaGraph {}

impl CudaStream {
    /// Keeps what `queue` puts into this stream, and into streams that wait for it and are waited for again, instead of running it.
    ///
    /// The legacy default stream cannot be captured. While `queue` runs, calls on this thread that would wait or allocate at once
    /// fail, and the capture with them.
    ///
    /// # Errors
    ///
    /// What `queue` returns, the sticky error, or what the driver reports.
    pub fn capture<E: From<DriverError>>(&self, queue: impl FnOnce(&Self) -> Result<(), E>) -> Result<CudaGraph, E> {
        let capture = Capture::begin(self)?;
        let queued = queue(self);
        let graph = capture.end();
        queued?;
        Ok(graph.map_err(DriverError::from)?)
    }
}

/// A stream that is being captured; what was captured is thrown away unless [`Capture::end`] takes it.
struct Capture<'stream> {
    stream: &'stream CudaStream,
}

impl<'stream> Capture<'stream> {
    fn begin(stream: &'stream CudaStream) -> Result<Self, DriverError> {
        stream.context().bind_to_thread()?;
        // SAFETY: the stream is alive; other threads may go on with what they do.
        unsafe { sys::cuStreamBeginCapture_v2(stream.cu_stream(), sys::CUstreamCaptureMode_enum_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) }
            .result()?;
        Ok(Self { stream })
    }

    fn end(self) -> Result<CudaGraph, Failure> {
        let stream = std::mem::ManuallyDrop::new(self).stream;
        let context = stream.context();
        context.make_current()?;
        // SAFETY: the capture was begun on this thread, and the driver stores a graph, which the owner destroys.
        let graph = unsafe { error::output(|graph| sys::checked::cuStreamEndCapture(stream.cu_stream(), graph)) }?;
        Ok(CudaGraph { graph, context: context.clone() })
    }
}

impl Drop for Capture<'_> {
    /// `queue` has panicked.
    fn drop(&mut self) {
        drop(Capture { stream: self.stream }.end());
    }
}

impl CudaGraph {
    /// The driver's handle, valid while `self` is.
    pub fn cu_graph(&self) -> sys::CUgraph {
        self.graph
    }

    /// The context whose streams were captured.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The number of kernels, copies, fills and other steps.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    pub fn node_count(&self) -> Result<usize, DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: without a place for nodes the driver stores their number.
        Ok(unsafe { error::output(|count| sys::checked::cuGraphGetNodes(self.graph, ptr::null_mut(), count)) }?)
    }

    /// Makes the work ready to be launched.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports.
    ///
    /// # Safety
    ///
    /// The modules of the captured kernels are loaded, and stay so as long as what is returned is used: a graph does not keep them.
    pub unsafe fn instantiate(&self) -> Result<CudaGraphExec, DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the graph is alive, and the driver stores an executable graph; `Drop` destroys it.
        let graph_exec = unsafe { error::output(|exec| sys::checked::cuGraphInstantiateWithFlags(exec, self.graph, 0)) }?;
        Ok(CudaGraphExec { graph_exec, context: self.context.clone() })
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        // SAFETY: made by a capture, and destroyed only here.
        self.context.release(|| unsafe { sys::checked::cuGraphDestroy(self.graph) });
    }
}

/// A graph that is ready to be launched, any number of times; launches of one graph never overlap.
#[derive(Debug)]
pub struct CudaGraphExec {
    graph_exec: sys::CUgraphExec,
    context: Arc<CudaContext>,
}

// SAFETY: as for `CudaGraph`.
unsafe impl Send for CudaGraphExec {}

impl CudaGraphExec {
    /// The driver's handle, valid while `self` is.
    pub fn cu_graph_exec(&self) -> sys::CUgraphExec {
        self.graph_exec
    }

    /// The context that the graph belongs to.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Queues the work in a stream.
    ///
    /// # Errors
    ///
    /// The sticky error, or what the driver reports; a fault of a kernel surfaces at the next synchronisation.
    ///
    /// # Safety
    ///
    /// What the captured work uses (buffers, host memory, modules, and what kernel parameters point to) is alive until it has run, and
    /// nothing else uses it in a way that is not ordered against this stream.
    pub unsafe fn launch(&self, stream: &CudaStream) -> Result<(), DriverError> {
        stream.context().bind_to_thread()?;
        // SAFETY: both are alive; the caller vouches for what they use.
        unsafe { sys::cuGraphLaunch(self.graph_exec, stream.cu_stream()) }.result()
    }

    /// Takes addresses, values and shapes from another graph, whose steps are the same.
    ///
    /// # Errors
    ///
    /// `CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE` where the steps differ too much, the sticky error, or what else the driver reports; the
    /// graph is then as before.
    ///
    /// # Safety
    ///
    /// As for [`CudaGraph::instantiate`], of the other graph's kernels.
    pub unsafe fn update(&mut self, graph: &CudaGraph) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        let mut info = sys::CUgraphExecUpdateResultInfo { result: 0, errorNode: ptr::null_mut(), errorFromNode: ptr::null_mut() };
        // SAFETY: both graphs are alive, and this one is borrowed alone.
        unsafe { sys::cuGraphExecUpdate_v2(self.graph_exec, graph.graph, &mut info) }.result()
    }
}

impl Drop for CudaGraphExec {
    fn drop(&mut self) {
        // SAFETY: made by `instantiate`, and destroyed only here; the driver finishes launches first.
        self.context.release(|| unsafe { sys::checked::cuGraphExecDestroy(self.graph_exec) });
    }
}
