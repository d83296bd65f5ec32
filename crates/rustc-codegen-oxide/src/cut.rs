//! Which blocks of a body run on the device: not those that only lead to a panic, nor those that a constant switches off.

use std::collections::HashMap;

use rustc_public::CrateDef;
use rustc_public::mir::mono::{Instance, InstanceKind};
use rustc_public::mir::{Body, Operand, RuntimeChecks, Rvalue, StatementKind, TerminatorKind};
use rustc_public::ty::{ConstantKind, RigidTy, TyKind};

use crate::message::{Definitions, message};

/// A call that starts a panic.
#[derive(Clone)]
pub struct Panic {
    pub function: String,
    pub message: Option<String>,
    /// The block whose terminator it is.
    pub block: usize,
}

/// How a body's control flow is dumped.
pub struct Cut {
    /// Blocks every path of which ends in that panic.
    pub panics: HashMap<usize, Panic>,
    /// Switches on constants, with the target they take.
    pub decided: HashMap<usize, usize>,
    pub reachable: Vec<bool>,
}

/// The instance that a call's function operand names, if it is a function item.
pub fn callee(body: &Body, func: &Operand) -> Option<Instance> {
    let ty = func.ty(body.locals()).ok()?;
    let TyKind::RigidTy(RigidTy::FnDef(def, args)) = ty.kind() else { return None };
    Instance::resolve(def, &args).ok()
}

pub fn cut(body: &Body, checks: impl Fn(&RuntimeChecks) -> bool) -> Cut {
    let mut panics = HashMap::new();
    let mut decided = HashMap::new();
    let mut definitions = None;
    let mut predecessors = vec![Vec::new(); body.blocks.len()];
    for (index, block) in body.blocks.iter().enumerate() {
        for target in targets(&block.terminator.kind) {
            predecessors[target].push(index);
        }
        match &block.terminator.kind {
            TerminatorKind::Call { func, args, target: None, .. } => {
                if let Some(panic) = panic(body, &mut definitions, func, args, index) {
                    panics.insert(index, panic);
                }
            }
            TerminatorKind::SwitchInt { discr, targets } => {
                if let Some(value) = constant(body, index, discr, &checks) {
                    let taken = targets.branches().find(|(case, _)| *case == value).map(|(_, target)| target);
                    decided.insert(index, taken.unwrap_or_else(|| targets.otherwise()));
                }
            }
            _ => {}
        }
    }
    let mut work: Vec<usize> = panics.keys().copied().collect();
    work.sort_unstable();
    while let Some(doomed) = work.pop() {
        for &block in &predecessors[doomed] {
            if !panics.contains_key(&block) && only_leads_on(body, block, |target| panics.contains_key(&target)) {
                panics.insert(block, panics[&doomed].clone());
                work.push(block);
            }
        }
    }
    let mut reachable = vec![false; body.blocks.len()];
    let mut work = vec![0];
    while let Some(block) = work.pop() {
        if std::mem::replace(&mut reachable[block], true) || panics.contains_key(&block) {
            continue;
        }
        match decided.get(&block) {
            Some(target) => work.push(*target),
            None => work.extend(targets(&body.blocks[block].terminator.kind)),
        }
    }
    Cut { panics, decided, reachable }
}

/// Successors, without those of unwinding: nothing unwinds on the device.
fn targets(terminator: &TerminatorKind) -> Vec<usize> {
    match terminator {
        TerminatorKind::Goto { target } | TerminatorKind::Drop { target, .. } | TerminatorKind::Assert { target, .. } => vec![*target],
        TerminatorKind::SwitchInt { targets, .. } => targets.all_targets(),
        TerminatorKind::Call { target, .. } => target.iter().copied().collect(),
        TerminatorKind::InlineAsm { destination, .. } => destination.iter().copied().collect(),
        TerminatorKind::Resume | TerminatorKind::Abort | TerminatorKind::Return | TerminatorKind::Unreachable => vec![],
    }
}

/// Whether a block does nothing that is seen before it reaches one of the doomed blocks: what it stores before a trap is not.
fn only_leads_on(body: &Body, block: usize, doomed: impl Fn(usize) -> bool) -> bool {
    let terminator = &body.blocks[block].terminator.kind;
    let leads = match terminator {
        TerminatorKind::Goto { .. } | TerminatorKind::SwitchInt { .. } => true,
        // The message being put together.
        TerminatorKind::Call { func, .. } => {
            callee(body, func).is_some_and(|instance| instance.def.krate().name.as_str() == "core" && instance.name().contains("fmt::"))
        }
        _ => false,
    };
    leads && targets(terminator).into_iter().all(doomed)
}

/// The panic that a diverging call of the standard library starts. What else never returns there is the operating system's: `process::exit`.
fn panic<'body>(
    body: &'body Body,
    definitions: &mut Option<Definitions<'body>>,
    func: &Operand,
    args: &[Operand],
    block: usize,
) -> Option<Panic> {
    let instance = callee(body, func)?;
    if instance.kind == InstanceKind::Intrinsic {
        return None;
    }
    let sig = func.ty(body.locals()).ok()?.kind().fn_sig()?.skip_binder();
    let never = matches!(sig.output().kind(), TyKind::RigidTy(RigidTy::Never));
    let name = instance.name();
    let panics = match instance.def.krate().name.as_str() {
        "core" | "alloc" => true,
        "std" => name.starts_with("std::rt::") || name.contains("::panic"),
        _ => false,
    };
    (never && panics).then(|| Panic { message: message(body, definitions, instance, args), function: name, block })
}

/// The value of a switch's operand where it is known: a constant, or a local that the block itself sets to one.
fn constant(body: &Body, block: usize, operand: &Operand, checks: &impl Fn(&RuntimeChecks) -> bool) -> Option<u128> {
    match operand {
        Operand::Constant(constant) => match constant.const_.kind() {
            ConstantKind::Allocated(memory) if memory.provenance.ptrs.is_empty() => memory.read_uint().ok(),
            _ => None,
        },
        Operand::RuntimeChecks(check) => Some(checks(check).into()),
        Operand::Copy(place) | Operand::Move(place) => {
            if !place.projection.is_empty() {
                return None;
            }
            let last = body.blocks[block].statements.iter().rev().find_map(|statement| match &statement.kind {
                StatementKind::StorageLive(_) | StatementKind::StorageDead(_) | StatementKind::Nop => None,
                other => Some(other),
            })?;
            match last {
                StatementKind::Assign(set, Rvalue::Use(value @ (Operand::Constant(_) | Operand::RuntimeChecks(_)))) if set == place => {
                    constant(body, block, value, checks)
                }
                _ => None,
            }
        }
    }
}
