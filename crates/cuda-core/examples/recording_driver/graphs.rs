//! Graphs.

use cuda_core::sys::*;

use crate::{call, state::*};

entry_points! {
    call fn cuGraphGetNodes(graph: CUgraph, nodes: *mut CUgraphNode, count: *mut usize) {
        assert!(nodes.is_null());
        let mut state = state();
        let Data::Graph(work) = &state.get(graph.addr(), "graph")?.data else { unreachable!() };
        *count = work.iter().filter(|work| !matches!(work, Work::Mark)).count();
        Ok(())
    }
    call fn cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, _flags: u64) {
        let mut state = state();
        let device = state.current()?;
        let Data::Graph(work) = &state.get(graph.addr(), "graph")?.data else { unreachable!() };
        let work = work.clone();
        *exec = handle(state.add(device, Data::GraphExec(work)));
        state.record("instantiate graph")
    }
    call fn cuGraphExecUpdate_v2(exec: CUgraphExec, graph: CUgraph, _info: *mut CUgraphExecUpdateResultInfo) {
        let mut state = state();
        let Data::Graph(work) = &state.get(graph.addr(), "graph")?.data else { unreachable!() };
        let work = work.clone();
        state.get(exec.addr(), "executable graph")?.data = Data::GraphExec(work);
        state.record("update graph")
    }
    call fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream) {
        let mut state = state();
        if !stream.is_null() { state.get(stream.addr(), "stream")?; }
        let Data::GraphExec(work) = &state.get(exec.addr(), "executable graph")?.data else { unreachable!() };
        let work = work.clone();
        work.iter().try_for_each(|work| state.run(work))?;
        state.record("launch graph")
    }
    give_back fn cuGraphDestroy(graph: CUgraph) { state().give_back(graph.addr(), "graph").map(|_| ()) }
    give_back fn cuGraphExecDestroy(exec: CUgraphExec) { state().give_back(exec.addr(), "executable graph").map(|_| ()) }
}
