//! Graphs of work: nodes with the nodes that they depend on.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::c_uint,
    sync::Arc,
};

use super::{user_object::UserObject, work::Work};

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
    pub dependencies: BTreeSet<usize>,
    /// The node of the graph that this one's was cloned from, or 0.
    pub original: usize,
}

impl Node {
    pub fn new(kind: Kind, dependencies: BTreeSet<usize>) -> Self {
        Self { kind, dependencies, original: 0 }
    }

    /// `CU_GRAPH_NODE_TYPE_…`.
    pub fn number(&self) -> c_uint {
        match &self.kind {
            Kind::Work(Work::Kernel(_)) => 0,
            Kind::Work(Work::Copy(_)) => 1,
            Kind::Work(Work::Fill(_)) => 2,
            Kind::Work(Work::Host(_)) => 3,
            Kind::Child(_) | Kind::Work(Work::Graph(_)) => 4,
            Kind::Work(Work::Empty | Work::Free(_)) => 5,
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
