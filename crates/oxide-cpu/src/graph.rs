//! Graphs of work: nodes with what they wait for, and what is launched of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{c_uint, c_void},
    mem::discriminant,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    error::{Error, Result},
    state::{self, State},
    work::Work,
};

/// What a node does.
#[derive(Clone)]
pub enum Kind {
    Work(Work),
    /// A graph of its own, which belongs to the node.
    Child(usize),
}

#[derive(Clone)]
pub struct Node {
    pub kind: Kind,
    pub before: BTreeSet<usize>,
    /// The node of the graph that this one's was cloned from, or 0.
    pub original: usize,
}

impl Node {
    pub fn new(kind: Kind, before: BTreeSet<usize>) -> Self {
        Self { kind, before, original: 0 }
    }

    /// `CU_GRAPH_NODE_TYPE_…`.
    pub fn number(&self) -> c_uint {
        match &self.kind {
            Kind::Work(Work::Kernel(_)) => 0,
            Kind::Work(Work::Copy(_)) => 1,
            Kind::Work(Work::Fill(_)) => 2,
            Kind::Work(Work::Host(_)) => 3,
            Kind::Child(_) | Kind::Work(Work::Graph(_)) => 4,
            Kind::Work(Work::Nothing | Work::Free(_)) => 5,
            Kind::Work(Work::WaitValue(..) | Work::WriteValue(_)) => 12,
            Kind::Work(Work::Wait(_)) => 6,
            Kind::Work(Work::Record(_)) => 7,
        }
    }
}

#[derive(Default)]
pub struct Graph {
    pub nodes: BTreeMap<usize, Node>,
    /// Whether it belongs to a node of another graph.
    pub is_child: bool,
    pub objects: Vec<Arc<UserObject>>,
}

/// Something of the program's that lives as long as graphs use it (`CUuserObject`).
pub struct UserObject {
    /// Its handle's number.
    pub number: usize,
    pub value: *mut c_void,
    pub destroy: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: the driver API ends them on any thread, which their authors know.
unsafe impl Send for UserObject {}
// SAFETY: as above.
unsafe impl Sync for UserObject {}

impl Drop for UserObject {
    fn drop(&mut self) {
        // SAFETY: as the one who created it said.
        state::as_host_function(|| unsafe { (self.destroy)(self.value) });
    }
}

/// A step of a graph that is launched: its node, what it does, and the numbers of steps before it.
#[derive(Clone)]
pub struct Step {
    pub node: usize,
    pub work: Work,
    pub before: Vec<usize>,
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
    /// # Errors
    ///
    /// As [`State::steps`].
    pub fn new(state: &State, graph: usize, context: usize, flags: u64) -> Result<Self> {
        let steps = Mutex::new(state.steps(graph)?);
        Ok(Self { context, flags, steps, _objects: state.graphs[&graph].objects.clone() })
    }

    /// What it does, in order.
    pub fn steps(&self) -> Vec<Work> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|step| step.work.clone()).collect()
    }

    /// Takes what the steps of a graph of the same shape do.
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
            if old.before != new.before {
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

    /// Changes what the step of a node does.
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

impl State {
    /// A graph by its number.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE`, as the driver API has it.
    pub fn graph(&mut self, graph: usize) -> Result<&mut Graph> {
        self.graphs.get_mut(&graph).ok_or(Error::INVALID_VALUE)
    }

    /// The graph of a node.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE`.
    pub fn graph_of(&self, node: usize) -> Result<usize> {
        let found = self.graphs.iter().find(|(_, graph)| graph.nodes.contains_key(&node));
        found.map(|(&graph, _)| graph).ok_or(Error::INVALID_VALUE)
    }

    /// A node by its number.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE`.
    pub fn node(&mut self, node: usize) -> Result<&mut Node> {
        self.graphs.values_mut().find_map(|graph| graph.nodes.get_mut(&node)).ok_or(Error::INVALID_VALUE)
    }

    /// Adds a node and returns its number.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE` where it waits for nodes that are none of the graph's.
    pub fn add_node(&mut self, graph: usize, kind: Kind, before: BTreeSet<usize>) -> Result<usize> {
        let number = self.handle();
        let graph = self.graph(graph)?;
        if before.iter().any(|node| !graph.nodes.contains_key(node)) {
            return Err(Error::INVALID_VALUE);
        }
        graph.nodes.insert(number, Node::new(kind, before));
        Ok(number)
    }

    /// A copy of a graph, of its children too; returns its number.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE` where there is none.
    pub fn clone_graph(&mut self, graph: usize, is_child: bool) -> Result<usize> {
        let found = self.graph(graph)?;
        let (nodes, objects) = (found.nodes.clone(), found.objects.clone());
        let numbers: BTreeMap<usize, usize> = nodes.keys().map(|&node| (node, self.handle())).collect();
        let mut copies = BTreeMap::new();
        for (node, Node { kind, before, .. }) in nodes {
            let kind = match kind {
                Kind::Child(child) => Kind::Child(self.clone_graph(child, true)?),
                work @ Kind::Work(_) => work,
            };
            let before = before.iter().map(|node| numbers[node]).collect();
            copies.insert(numbers[&node], Node { kind, before, original: node });
        }
        let number = self.handle();
        self.graphs.insert(number, Graph { nodes: copies, is_child, objects });
        Ok(number)
    }

    /// Forgets a graph and its children.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE` where there is none.
    pub fn drop_graph(&mut self, graph: usize) -> Result<()> {
        let dropped = self.graphs.remove(&graph).ok_or(Error::INVALID_VALUE)?;
        dropped.nodes.values().try_for_each(|node| match node.kind {
            Kind::Child(child) => self.drop_graph(child),
            Kind::Work(_) => Ok(()),
        })
    }

    /// The nodes in an order in which none comes before what it waits for.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE` for a graph with a cycle.
    pub fn order(&self, graph: usize) -> Result<Vec<usize>> {
        let graph = self.graphs.get(&graph).ok_or(Error::INVALID_VALUE)?;
        let mut waiting: BTreeMap<usize, usize> = graph.nodes.iter().map(|(&node, it)| (node, it.before.len())).collect();
        let mut after: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (&node, it) in &graph.nodes {
            it.before.iter().for_each(|&before| after.entry(before).or_default().push(node));
        }
        let mut ready: BTreeSet<usize> = waiting.iter().filter(|(_, count)| **count == 0).map(|(&node, _)| node).collect();
        let mut order = Vec::with_capacity(waiting.len());
        while let Some(node) = ready.pop_first() {
            order.push(node);
            for next in after.remove(&node).unwrap_or_default() {
                let count = waiting.entry(next).or_default();
                *count -= 1;
                if *count == 0 {
                    ready.insert(next);
                }
            }
        }
        if order.len() == graph.nodes.len() { Ok(order) } else { Err(Error::INVALID_VALUE) }
    }

    /// The steps of a graph, children's among them.
    ///
    /// # Errors
    ///
    /// As [`Self::order`].
    pub fn steps(&self, graph: usize) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        // The step that a node ends with.
        let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
        for number in self.order(graph)? {
            let node = &self.graphs[&graph].nodes[&number];
            let before: Vec<usize> = node.before.iter().map(|before| ends[before]).collect();
            match &node.kind {
                Kind::Work(work) => steps.push(Step { node: number, work: work.clone(), before }),
                Kind::Child(child) => {
                    let first = steps.len();
                    for mut step in self.steps(*child)? {
                        step.before.iter_mut().for_each(|before| *before += first);
                        step.before.extend(&before);
                        steps.push(step);
                    }
                    let all = (first..steps.len()).chain(before).collect();
                    steps.push(Step { node: number, work: Work::Nothing, before: all });
                }
            }
            ends.insert(number, steps.len() - 1);
        }
        Ok(steps)
    }

    /// Whether a node waits for another, by way of others too.
    pub fn is_behind(&self, graph: usize, node: usize, other: usize) -> bool {
        let Some(graph) = self.graphs.get(&graph) else { return false };
        let (mut seen, mut open) = (BTreeSet::new(), vec![node]);
        while let Some(at) = open.pop() {
            if at == other {
                return true;
            }
            if seen.insert(at) {
                open.extend(graph.nodes.get(&at).into_iter().flat_map(|node| &node.before));
            }
        }
        false
    }
}
