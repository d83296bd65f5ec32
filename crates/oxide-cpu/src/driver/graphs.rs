//! The graphs of the program: adding nodes, copies, the order of nodes, and the steps of a launch.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    error::{Error, Result},
    graph::{Graph, Kind, Node},
    state::State,
    work::{Executable, Step, Work},
};

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
    /// `INVALID_VALUE` where it depends on nodes of another graph.
    pub fn add_node(&mut self, graph: usize, kind: Kind, dependencies: BTreeSet<usize>) -> Result<usize> {
        let number = self.handle();
        let graph = self.graph(graph)?;
        if dependencies.iter().any(|node| !graph.nodes.contains_key(node)) {
            return Err(Error::INVALID_VALUE);
        }
        graph.nodes.insert(number, Node::new(kind, dependencies));
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
        for (node, Node { kind, dependencies, .. }) in nodes {
            let kind = match kind {
                Kind::Child(child) => Kind::Child(self.clone_graph(child, true)?),
                work @ Kind::Work(_) => work,
            };
            let dependencies = dependencies.iter().map(|node| numbers[node]).collect();
            copies.insert(numbers[&node], Node { kind, dependencies, original: node });
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

    /// The nodes in topological order.
    ///
    /// # Errors
    ///
    /// `INVALID_VALUE` for a graph with a cycle.
    pub fn order(&self, graph: usize) -> Result<Vec<usize>> {
        let graph = self.graphs.get(&graph).ok_or(Error::INVALID_VALUE)?;
        let mut waiting: BTreeMap<usize, usize> = graph.nodes.iter().map(|(&node, it)| (node, it.dependencies.len())).collect();
        let mut after: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (&node, it) in &graph.nodes {
            it.dependencies.iter().for_each(|&dependencies| after.entry(dependencies).or_default().push(node));
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
            let dependencies: Vec<usize> = node.dependencies.iter().map(|dependencies| ends[dependencies]).collect();
            match &node.kind {
                Kind::Work(work) => steps.push(Step { node: number, work: work.clone(), dependencies }),
                Kind::Child(child) => {
                    let first = steps.len();
                    for mut step in self.steps(*child)? {
                        step.dependencies.iter_mut().for_each(|dependencies| *dependencies += first);
                        step.dependencies.extend(&dependencies);
                        steps.push(step);
                    }
                    let all = (first..steps.len()).chain(dependencies).collect();
                    steps.push(Step { node: number, work: Work::Empty, dependencies: all });
                }
            }
            ends.insert(number, steps.len() - 1);
        }
        Ok(steps)
    }

    /// Whether a node depends on another, directly or not.
    pub fn depends_on(&self, graph: usize, node: usize, other: usize) -> bool {
        let Some(graph) = self.graphs.get(&graph) else { return false };
        let (mut seen, mut open) = (BTreeSet::new(), vec![node]);
        while let Some(at) = open.pop() {
            if at == other {
                return true;
            }
            if seen.insert(at) {
                open.extend(graph.nodes.get(&at).into_iter().flat_map(|node| &node.dependencies));
            }
        }
        false
    }

    /// A graph that can be launched.
    ///
    /// # Errors
    ///
    /// As [`Self::steps`].
    pub fn instantiate(&self, graph: usize, context: usize, flags: u64) -> Result<Executable> {
        Ok(Executable::new(context, flags, self.steps(graph)?, self.graphs[&graph].objects.clone()))
    }
}
