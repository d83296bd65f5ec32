//! Graphs: made node by node or by capture, instantiated, launched, updated.

use std::{
    collections::BTreeSet,
    ffi::{c_char, c_int, c_uint, c_void},
    fmt::Write,
    fs, ptr,
    sync::Arc,
};

use super::{
    call::{entry_points, list, store, store_if, string},
    copies::Copy3D,
    launches::{self, NodeParameters},
    streams::{nodes, plain_edges},
};
use crate::{
    driver::{
        capture::enqueue,
        error::{Error, Result},
        graph::{Graph, Kind, Node},
        handle::{Handle, handle},
        state::{self, State},
        transfer::{Fill, Layout},
        user_object::UserObject,
        work::{Executable, HostFunction, KernelWork, ParameterPointer, Work},
    },
    exec::{abi, launch::Shape},
};

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FillParameters {
    to: u64,
    pitch: usize,
    value: c_uint,
    size: c_uint,
    width: usize,
    height: usize,
}

impl FillParameters {
    fn work(&self) -> Result<Work> {
        if !matches!(self.size, 1 | 2 | 4) {
            return Err(Error::INVALID_VALUE);
        }
        let to = Layout { address: self.to, pitch: self.pitch, slice: 0 };
        let fill = Fill { to, value: self.value, size: self.size as usize, count: self.width, rows: self.height };
        fill.check().map(|()| Work::Fill(fill))
    }
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostParameters {
    run: Option<unsafe extern "C" fn(*mut c_void)>,
    data: *mut c_void,
}

impl HostParameters {
    fn work(&self) -> Result<Work> {
        self.run.map(|run| Work::Host(HostFunction::Plain(run, self.data))).ok_or(Error::INVALID_VALUE)
    }
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
pub struct InstantiateParameters {
    flags: u64,
    upload_stream: Handle,
    error_node: Handle,
    result: c_uint,
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
pub struct UpdateResult {
    result: c_uint,
    error_node: Handle,
    error_from: Handle,
}

/// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`, `CU_GRAPH_USER_OBJECT_MOVE`.
const NO_DESTRUCTOR_SYNC: c_uint = 1;
const MOVE: c_uint = 1;

/// Adds a node whose work the call makes.
unsafe fn add(
    to: *mut Handle,
    graph: Handle,
    before: *const Handle,
    count: usize,
    kind: impl FnOnce(&mut state::Current) -> Result<Kind>,
) -> Result<()> {
    let mut state = state::context()?;
    // SAFETY: the caller's.
    let before = unsafe { nodes(before, count) }?;
    state.graph(graph.addr())?;
    if to.is_null() || before.len() != count {
        return Err(Error::INVALID_VALUE);
    }
    let kind = kind(&mut state)?;
    let number = state.add_node(graph.addr(), kind, before)?;
    // SAFETY: not null.
    unsafe { store(to, handle(number)) }
}

/// What a node does, if it is of a kind.
fn work_of<T>(node: Handle, what: impl FnOnce(&Work) -> Option<T>) -> Result<T> {
    let mut state = state::driver()?;
    match &state.node(node.addr())?.kind {
        Kind::Work(work) => what(work).ok_or(Error::INVALID_VALUE),
        Kind::Child(_) => Err(Error::INVALID_VALUE),
    }
}

/// `CU_LAUNCH_ATTRIBUTE_…`.
mod attribute {
    pub const ACCESS_POLICY_WINDOW: u32 = 1;
    pub const COOPERATIVE: u32 = 2;
    pub const CLUSTER_DIMENSION: u32 = 4;
    pub const PRIORITY: u32 = 8;
}

/// The launch of a node.
fn kernel_of(node: Handle) -> Result<Box<KernelWork>> {
    work_of(node, |work| if let Work::Kernel(work) = work { Some(work.clone()) } else { None })
}

/// Changes the shape of a node's launch, which must be one that is launched.
fn set_shape(node: Handle, change: impl FnOnce(&mut Shape)) -> Result<()> {
    let mut work = kernel_of(node)?;
    change(&mut work.shape);
    launches::check(&work.function, &work.shape)?;
    set_work(node, Work::Kernel(work))
}

/// Replaces the work of a node by work of the same kind.
fn set_work(node: Handle, work: Work) -> Result<()> {
    let mut state = state::driver()?;
    let node = state.node(node.addr())?;
    let new = Node::new(Kind::Work(work), BTreeSet::new());
    if new.number() != node.number() {
        return Err(Error::INVALID_VALUE);
    }
    node.kind = new.kind;
    Ok(())
}

fn executable(executable: Handle) -> Result<Arc<Executable>> {
    state::driver()?.executables.get(&executable.addr()).cloned().ok_or(Error::INVALID_VALUE)
}

/// Stores as many as the caller has room for, and how many there are; without room only the latter.
unsafe fn store_list(found: &[usize], to: *mut Handle, count: *mut usize) -> Result<()> {
    // SAFETY: the caller's.
    let count = unsafe { count.as_mut() }.ok_or(Error::INVALID_VALUE)?;
    if to.is_null() {
        *count = found.len();
        return Ok(());
    }
    for number in 0..*count {
        // SAFETY: the caller's, who has room for so many; the rest are null.
        unsafe { store(to.add(number), handle(found.get(number).copied().unwrap_or_default()))? };
    }
    *count = (*count).min(found.len());
    Ok(())
}

fn instantiate(graph: Handle, flags: u64) -> Result<Handle> {
    let mut state = state::context()?;
    state.graph(graph.addr())?;
    let context = state.number;
    let made = state.instantiate(graph.addr(), context, flags)?;
    let number = state.handle();
    state.executables.insert(number, Arc::new(made));
    Ok(handle(number))
}

/// All edges of a graph, from and to.
fn edges(state: &mut State, graph: Handle) -> Result<Vec<(usize, usize)>> {
    let graph = state.graph(graph.addr())?;
    Ok(graph.nodes.iter().flat_map(|(&node, it)| it.dependencies.iter().map(move |&before| (before, node))).collect())
}

unsafe fn give_edges(edges: &[(usize, usize)], from: *mut Handle, to: *mut Handle, data: *mut u64, count: *mut usize) -> Result<()> {
    let (starts, ends): (Vec<usize>, Vec<usize>) = edges.iter().copied().unzip();
    // SAFETY: the caller's.
    unsafe {
        let mut room = count.as_ref().copied().ok_or(Error::INVALID_VALUE)?;
        if !from.is_null() {
            store_list(&starts, from, &raw mut room)?;
        }
        if !data.is_null() {
            (0..room).try_for_each(|number| store(data.add(number), 0))?;
        }
        store_list(&ends, to, count)
    }
}

/// The parameters of a kernel node, with pointers into the work, which the graph owns.
fn kernel_parameters(work: &KernelWork) -> NodeParameters {
    // SAFETY: the image says how many there are.
    let places = unsafe { std::slice::from_raw_parts(work.function.kernel().parameters, work.function.kernel().parameter_count as usize) };
    let start = work.parameters.as_ptr().cast::<u8>().cast_mut();
    let pointers = work.pointers.get_or_init(|| {
        let of = |place: &abi::Parameter| ParameterPointer(start.wrapping_add(place.offset as usize).cast());
        places.iter().map(of).collect()
    });
    NodeParameters {
        function: handle(work.handle),
        grid_dim: work.shape.grid_dim,
        block_dim: work.shape.block_dim,
        shared: work.shape.dynamic_shared,
        pointers: pointers.as_ptr().cast::<*mut c_void>().cast_mut(),
        extra: ptr::null_mut(),
        kernel: ptr::null_mut(),
        context: handle(work.function.context),
    }
}

/// A user object by its handle, which is one as long as the program or a graph has a reference.
fn object(state: &State, of: Handle) -> Result<Arc<UserObject>> {
    let held = state.objects.get(&of.addr()).map(|(object, _)| object);
    let mut in_graphs = state.graphs.values().flat_map(|graph| &graph.objects);
    held.or_else(|| in_graphs.find(|object| object.number == of.addr())).cloned().ok_or(Error::INVALID_VALUE)
}

/// Gives references of the caller's back.
fn release(of: Handle, count: c_uint) -> Result<()> {
    let mut state = state::driver()?;
    let (_, held) = state.objects.get_mut(&of.addr()).filter(|(_, held)| count > 0 && *held >= count).ok_or(Error::INVALID_VALUE)?;
    *held -= count;
    let ended = if *held == 0 { state.objects.remove(&of.addr()) } else { None };
    // Its end may run code of the program's.
    drop(state);
    drop(ended);
    Ok(())
}

entry_points! {
    fn cuGraphCreate(graph: *mut Handle, flags: c_uint) since 10000 {
        let mut state = state::driver()?;
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let number = state.handle();
        store(graph, handle(number))?;
        state.graphs.insert(number, Graph::default());
        Ok(())
    }
    fn cuGraphDestroy(graph: Handle) since 10000 {
        let mut state = state::driver()?;
        if state.graph(graph.addr())?.is_child {
            return Err(Error::INVALID_VALUE);
        }
        let objects = std::mem::take(&mut state.graph(graph.addr())?.objects);
        state.drop_graph(graph.addr())?;
        drop(state);
        drop(objects);
        Ok(())
    }
    fn cuGraphClone(to: *mut Handle, graph: Handle) since 10000 {
        let number = state::driver()?.clone_graph(graph.addr(), false)?;
        store(to, handle(number))
    }
    fn cuGraphNodeFindInClone(to: *mut Handle, original: Handle, clone: Handle) since 10000 {
        let mut state = state::driver()?;
        let found = state.graph(clone.addr())?.nodes.iter().find(|(_, node)| node.original == original.addr()).map(|(&node, _)| node);
        store(to, handle(found.ok_or(Error::INVALID_VALUE)?))
    }

    fn cuGraphAddEmptyNode(node: *mut Handle, graph: Handle, before: *const Handle, count: usize) since 10000 {
        add(node, graph, before, count, |_| Ok(Kind::Work(Work::Empty)))
    }
    fn cuGraphAddKernelNode_v2(node: *mut Handle, graph: Handle, before: *const Handle, count: usize, parameters: *const NodeParameters) since 12000 {
        let parameters = parameters.as_ref().ok_or(Error::INVALID_VALUE)?;
        add(node, graph, before, count, |state| Ok(Kind::Work(Work::Kernel(Box::new(launches::node(state, parameters, None)?)))))
    }
    fn cuGraphAddMemcpyNode(node: *mut Handle, graph: Handle, before: *const Handle, count: usize, copy: *const Copy3D, _context: Handle) since 10000 {
        let copy = copy.as_ref().ok_or(Error::INVALID_VALUE)?.work()?;
        add(node, graph, before, count, |_| Ok(Kind::Work(Work::Copy(Box::new(copy)))))
    }
    fn cuGraphAddMemsetNode(
        node: *mut Handle, graph: Handle, before: *const Handle, count: usize, parameters: *const FillParameters, _context: Handle,
    ) since 10000 {
        let work = parameters.as_ref().ok_or(Error::INVALID_VALUE)?.work()?;
        add(node, graph, before, count, |_| Ok(Kind::Work(work)))
    }
    fn cuGraphAddHostNode(node: *mut Handle, graph: Handle, before: *const Handle, count: usize, parameters: *const HostParameters) since 10000 {
        let work = parameters.as_ref().ok_or(Error::INVALID_VALUE)?.work()?;
        add(node, graph, before, count, |_| Ok(Kind::Work(work)))
    }
    fn cuGraphAddChildGraphNode(node: *mut Handle, graph: Handle, before: *const Handle, count: usize, child: Handle) since 10000 {
        add(node, graph, before, count, |state| Ok(Kind::Child(state.clone_graph(child.addr(), true)?)))
    }
    fn cuGraphAddEventRecordNode(node: *mut Handle, graph: Handle, before: *const Handle, count: usize, event: Handle) since 11010 {
        add(node, graph, before, count, |state| state.event(event).map(|_| Kind::Work(Work::Record(event.addr()))))
    }
    fn cuGraphAddEventWaitNode(node: *mut Handle, graph: Handle, before: *const Handle, count: usize, event: Handle) since 11010 {
        add(node, graph, before, count, |state| state.event(event).map(|_| Kind::Work(Work::Wait(event.addr()))))
    }
    fn cuGraphAddDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, data: *const u64, count: usize) since 12030 {
        plain_edges(data, count)?;
        let mut state = state::driver()?;
        for (from, to) in list(from, count)?.iter().zip(list(to, count)?) {
            let is_cycle = state.depends_on(graph.addr(), from.addr(), to.addr());
            let nodes = &mut state.graph(graph.addr())?.nodes;
            if is_cycle || !nodes.contains_key(&from.addr()) || !nodes.get_mut(&to.addr()).ok_or(Error::INVALID_VALUE)?.dependencies.insert(from.addr()) {
                return Err(Error::INVALID_VALUE);
            }
        }
        Ok(())
    }
    fn cuGraphRemoveDependencies_v2(graph: Handle, from: *const Handle, to: *const Handle, data: *const u64, count: usize) since 12030 {
        plain_edges(data, count)?;
        let mut state = state::driver()?;
        for (from, to) in list(from, count)?.iter().zip(list(to, count)?) {
            let nodes = &mut state.graph(graph.addr())?.nodes;
            if !nodes.get_mut(&to.addr()).ok_or(Error::INVALID_VALUE)?.dependencies.remove(&from.addr()) {
                return Err(Error::INVALID_VALUE);
            }
        }
        Ok(())
    }
    fn cuGraphDestroyNode(node: Handle) since 10000 {
        let mut state = state::driver()?;
        let graph = state.graph_of(node.addr())?;
        let nodes = &mut state.graph(graph)?.nodes;
        let removed = nodes.remove(&node.addr());
        nodes.values_mut().for_each(|other| _ = other.dependencies.remove(&node.addr()));
        match removed.map(|node| node.kind) {
            Some(Kind::Child(child)) => state.drop_graph(child),
            _ => Ok(()),
        }
    }

    fn cuGraphGetNodes(graph: Handle, to: *mut Handle, count: *mut usize) since 10000 {
        let mut state = state::driver()?;
        let found: Vec<usize> = state.graph(graph.addr())?.nodes.keys().copied().collect();
        store_list(&found, to, count)
    }
    fn cuGraphGetRootNodes(graph: Handle, to: *mut Handle, count: *mut usize) since 10000 {
        let mut state = state::driver()?;
        let roots = state.graph(graph.addr())?.nodes.iter().filter(|(_, node)| node.dependencies.is_empty());
        store_list(&roots.map(|(&node, _)| node).collect::<Vec<_>>(), to, count)
    }
    fn cuGraphGetEdges_v2(graph: Handle, from: *mut Handle, to: *mut Handle, data: *mut u64, count: *mut usize) since 12030 {
        let found = edges(&mut *state::driver()?, graph)?;
        give_edges(&found, from, to, data, count)
    }
    fn cuGraphNodeGetDependencies_v2(node: Handle, to: *mut Handle, data: *mut u64, count: *mut usize) since 12030 {
        let mut state = state::driver()?;
        let before: Vec<_> = state.node(node.addr())?.dependencies.iter().map(|&before| (0, before)).collect();
        give_edges(&before, ptr::null_mut(), to, data, count)
    }
    fn cuGraphNodeGetDependentNodes_v2(node: Handle, to: *mut Handle, data: *mut u64, count: *mut usize) since 12030 {
        let mut state = state::driver()?;
        let graph = state.graph_of(node.addr())?;
        let after: Vec<_> = edges(&mut state, handle(graph))?.into_iter().filter(|(before, _)| *before == node.addr()).collect();
        give_edges(&after, ptr::null_mut(), to, data, count)
    }
    fn cuGraphNodeGetType(node: Handle, kind: *mut c_uint) since 10000 {
        let number = state::driver()?.node(node.addr())?.number();
        store(kind, number)
    }
    fn cuGraphChildGraphNodeGetGraph(node: Handle, graph: *mut Handle) since 10000 {
        match state::driver()?.node(node.addr())?.kind {
            Kind::Child(child) => store(graph, handle(child)),
            Kind::Work(_) => Err(Error::INVALID_VALUE),
        }
    }
    fn cuGraphKernelNodeGetParams_v2(node: Handle, parameters: *mut NodeParameters) since 12000 {
        let found = work_of(node, |work| if let Work::Kernel(work) = work { Some(kernel_parameters(work)) } else { None })?;
        store(parameters, found)
    }
    fn cuGraphKernelNodeSetParams_v2(node: Handle, parameters: *const NodeParameters) since 12000 {
        let parameters = parameters.as_ref().ok_or(Error::INVALID_VALUE)?;
        let before = kernel_of(node)?;
        let work = launches::node(&mut state::context()?, parameters, Some(&before))?;
        set_work(node, Work::Kernel(Box::new(work)))
    }
    fn cuGraphKernelNodeCopyAttributes(to: Handle, from: Handle) since 11000 {
        let from = kernel_of(from)?.shape;
        set_shape(to, |shape| (shape.cluster_dim, shape.cooperative) = (from.cluster_dim, from.cooperative))
    }
    fn cuGraphKernelNodeGetAttribute(node: Handle, attribute: c_uint, value: *mut [u32; 16]) since 11000 {
        let shape = kernel_of(node)?.shape;
        let mut words = [0; 16];
        match attribute {
            attribute::COOPERATIVE => words[0] = shape.cooperative.into(),
            attribute::CLUSTER_DIMENSION => words[..3].copy_from_slice(&shape.cluster_dim),
            attribute::ACCESS_POLICY_WINDOW | attribute::PRIORITY => {}
            _ => return Err(Error::INVALID_VALUE),
        }
        store(value, words)
    }
    fn cuGraphKernelNodeSetAttribute(node: Handle, attribute: c_uint, value: *const [u32; 16]) since 11000 {
        let value = value.as_ref().ok_or(Error::INVALID_VALUE)?;
        match attribute {
            attribute::COOPERATIVE => set_shape(node, |shape| shape.cooperative = value[0] != 0),
            attribute::CLUSTER_DIMENSION => set_shape(node, |shape| shape.cluster_dim.copy_from_slice(&value[..3])),
            // Hints.
            attribute::ACCESS_POLICY_WINDOW | attribute::PRIORITY => kernel_of(node).map(drop),
            _ => Err(Error::INVALID_VALUE),
        }
    }
    fn cuGraphMemcpyNodeGetParams(node: Handle, copy: *mut Copy3D) since 10000 {
        let found = work_of(node, |work| if let Work::Copy(work) = work { Some(Copy3D::of(work)) } else { None })?;
        store(copy, found)
    }
    fn cuGraphMemcpyNodeSetParams(node: Handle, copy: *const Copy3D) since 10000 {
        set_work(node, Work::Copy(Box::new(copy.as_ref().ok_or(Error::INVALID_VALUE)?.work()?)))
    }
    fn cuGraphMemsetNodeGetParams(node: Handle, parameters: *mut FillParameters) since 10000 {
        let fill = work_of(node, |work| if let Work::Fill(fill) = work { Some(*fill) } else { None })?;
        let Fill { to, value, size, count, rows } = fill;
        store(parameters, FillParameters { to: to.address, pitch: to.pitch, value, size: size as c_uint, width: count, height: rows })
    }
    fn cuGraphMemsetNodeSetParams(node: Handle, parameters: *const FillParameters) since 10000 {
        set_work(node, parameters.as_ref().ok_or(Error::INVALID_VALUE)?.work()?)
    }
    fn cuGraphHostNodeGetParams(node: Handle, parameters: *mut HostParameters) since 10000 {
        let found = work_of(node, |work| match work {
            Work::Host(HostFunction::Plain(run, data)) => Some(HostParameters { run: Some(*run), data: *data }),
            _ => None,
        })?;
        store(parameters, found)
    }
    fn cuGraphHostNodeSetParams(node: Handle, parameters: *const HostParameters) since 10000 {
        set_work(node, parameters.as_ref().ok_or(Error::INVALID_VALUE)?.work()?)
    }
    fn cuGraphEventRecordNodeGetEvent(node: Handle, event: *mut Handle) since 11010 {
        store(event, work_of(node, |work| if let Work::Record(event) = work { Some(handle(*event)) } else { None })?)
    }
    fn cuGraphEventWaitNodeGetEvent(node: Handle, event: *mut Handle) since 11010 {
        store(event, work_of(node, |work| if let Work::Wait(event) = work { Some(handle(*event)) } else { None })?)
    }

    fn cuGraphInstantiateWithFlags(to: *mut Handle, graph: Handle, flags: u64) since 11040 {
        if to.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        store(to, instantiate(graph, flags)?)
    }
    fn cuGraphInstantiateWithParams / cuGraphInstantiateWithParams_ptsz(to: *mut Handle, graph: Handle, parameters: *mut InstantiateParameters) since 12000 {
        let parameters = parameters.as_mut().filter(|_| !to.is_null()).ok_or(Error::INVALID_VALUE)?;
        let made = instantiate(graph, parameters.flags);
        // CUDA_GRAPH_INSTANTIATE_SUCCESS, …_ERROR
        (parameters.result, parameters.error_node) = (made.is_err().into(), ptr::null_mut());
        store(to, made?)
    }
    fn cuGraphLaunch / cuGraphLaunch_ptsz(of: Handle, stream: Handle) since 10000 {
        let executable = executable(of)?;
        let mut state = state::context()?;
        let number = state.stream(stream)?;
        let done = enqueue(state, number, Work::Graph(executable.clone()), Vec::new())?;
        // Until its nodes run, the events that they record are those of this launch.
        if let Some(done) = done.filter(|done| !done.is_over()) {
            let mut state = state::context()?;
            for step in executable.steps() {
                if let Work::Record(event) = step {
                    state.events.entry(event).and_modify(|event| event.record = Some(done.clone()));
                }
            }
        }
        Ok(())
    }
    // There is nowhere to upload it to.
    fn cuGraphUpload / cuGraphUpload_ptsz(of: Handle, stream: Handle) since 11010 { executable(of)?; state::context()?.stream(stream).map(drop) }
    fn cuGraphExecDestroy(of: Handle) since 10000 {
        let removed = state::driver()?.executables.remove(&of.addr()).ok_or(Error::INVALID_VALUE)?;
        drop(removed);
        Ok(())
    }
    fn cuGraphExecGetFlags(of: Handle, flags: *mut u64) since 12000 { store(flags, executable(of)?.flags) }
    fn cuGraphExecUpdate_v2(of: Handle, graph: Handle, result: *mut UpdateResult) since 12000 {
        let executable = executable(of)?;
        let steps = state::context()?.steps(graph.addr())?;
        let (code, node) = executable.update(steps).err().unwrap_or_default();
        store_if(result, UpdateResult { result: code, error_node: handle(node), error_from: ptr::null_mut() });
        if code == 0 { Ok(()) } else { Err(Error::GRAPH_EXEC_UPDATE_FAILURE) }
    }
    fn cuGraphExecKernelNodeSetParams_v2(of: Handle, node: Handle, parameters: *const NodeParameters) since 12000 {
        let parameters = parameters.as_ref().ok_or(Error::INVALID_VALUE)?;
        let before = kernel_of(node)?;
        let work = launches::node(&mut state::context()?, parameters, Some(&before))?;
        executable(of)?.set(node.addr(), Work::Kernel(Box::new(work)))
    }
    fn cuGraphExecMemcpyNodeSetParams(of: Handle, node: Handle, copy: *const Copy3D, _context: Handle) since 10020 {
        executable(of)?.set(node.addr(), Work::Copy(Box::new(copy.as_ref().ok_or(Error::INVALID_VALUE)?.work()?)))
    }
    fn cuGraphExecMemsetNodeSetParams(of: Handle, node: Handle, parameters: *const FillParameters, _context: Handle) since 10020 {
        executable(of)?.set(node.addr(), parameters.as_ref().ok_or(Error::INVALID_VALUE)?.work()?)
    }
    fn cuGraphExecHostNodeSetParams(of: Handle, node: Handle, parameters: *const HostParameters) since 10020 {
        executable(of)?.set(node.addr(), parameters.as_ref().ok_or(Error::INVALID_VALUE)?.work()?)
    }
    fn cuGraphDebugDotPrint(graph: Handle, file: *const c_char, _flags: c_uint) since 11030 {
        const KINDS: [&str; 8] = ["kernel", "memcpy", "memset", "host", "graph", "empty", "wait", "record"];
        let path = string(file)?.to_str().map_err(|_| Error::INVALID_VALUE)?;
        let mut state = state::driver()?;
        let mut text = String::from("digraph dot {\n");
        for (number, node) in &state.graph(graph.addr())?.nodes {
            let name = match &node.kind {
                Kind::Work(Work::Kernel(work)) => work.function.name().to_string_lossy().into_owned(),
                _ => KINDS[node.number() as usize].to_owned(),
            };
            let _ = writeln!(text, "  \"{number:#x}\" [label=\"{name}\"];");
        }
        for (from, to) in edges(&mut state, graph)? {
            let _ = writeln!(text, "  \"{from:#x}\" -> \"{to:#x}\";");
        }
        fs::write(path, text + "}\n").map_err(|_| Error::OPERATING_SYSTEM)
    }

    fn cuUserObjectCreate(
        to: *mut Handle, value: *mut c_void, destroy: Option<unsafe extern "C" fn(*mut c_void)>, count: c_uint, flags: c_uint,
    ) since 11030 {
        let mut state = state::driver()?;
        let destroy = destroy.filter(|_| count > 0 && flags == NO_DESTRUCTOR_SYNC).ok_or(Error::INVALID_VALUE)?;
        let number = state.handle();
        store(to, handle(number))?;
        state.objects.insert(number, (Arc::new(UserObject { number, value, destroy }), count));
        Ok(())
    }
    fn cuUserObjectRetain(of: Handle, count: c_uint) since 11030 {
        let mut state = state::driver()?;
        let object = object(&state, of)?;
        if count == 0 {
            return Err(Error::INVALID_VALUE);
        }
        state.objects.entry(of.addr()).or_insert((object, 0)).1 += count;
        Ok(())
    }
    fn cuUserObjectRelease(of: Handle, count: c_uint) since 11030 { release(of, count) }
    fn cuGraphRetainUserObject(graph: Handle, of: Handle, count: c_uint, flags: c_uint) since 11030 {
        let object = object(&*state::driver()?, of)?;
        if count == 0 || flags & !MOVE != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let references = (0..count).map(|_| object.clone());
        state::driver()?.graph(graph.addr())?.objects.extend(references);
        if flags == MOVE { release(of, count) } else { Ok(()) }
    }
    fn cuGraphReleaseUserObject(graph: Handle, of: Handle, count: c_uint) since 11030 {
        let object = object(&*state::driver()?, of)?;
        let mut state = state::driver()?;
        let objects = &mut state.graph(graph.addr())?.objects;
        for _ in 0..count {
            let found = objects.iter().position(|other| Arc::ptr_eq(other, &object)).ok_or(Error::INVALID_VALUE)?;
            objects.swap_remove(found);
        }
        Ok(())
    }
    // No graph allocates memory.
    fn cuDeviceGraphMemTrim(number: c_int) since 11040 { drop(state::driver()?); state::device(number).map(drop) }
}
