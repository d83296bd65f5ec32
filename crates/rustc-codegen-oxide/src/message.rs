//! What a panic says, as far as the program's text tells: literals, with `{}` where a value would be printed.

use std::collections::HashMap;

use rustc_public::mir::alloc::GlobalAlloc;
use rustc_public::mir::mono::Instance;
use rustc_public::mir::{Body, ConstOperand, Local, Operand, ProjectionElem, Rvalue, StatementKind, TerminatorKind};
use rustc_public::ty::{ConstantKind, RigidTy, Ty, TyKind};

use crate::cut::callee;

/// What is assigned to each local that is assigned once.
pub struct Definitions<'body>(HashMap<Local, Option<Definition<'body>>>);

#[derive(Clone, Copy)]
enum Definition<'body> {
    Rvalue(&'body Rvalue),
    Call(&'body Operand, &'body [Operand]),
}

impl<'body> Definitions<'body> {
    pub fn new(body: &'body Body) -> Self {
        let mut found = HashMap::new();
        let mut define = |local, definition| {
            found.entry(local).and_modify(|known| *known = None).or_insert(Some(definition));
        };
        for block in &body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(place, rvalue) = &statement.kind
                    && place.projection.is_empty()
                {
                    define(place.local, Definition::Rvalue(rvalue));
                }
            }
            if let TerminatorKind::Call { func, args, destination, .. } = &block.terminator.kind
                && destination.projection.is_empty()
            {
                define(destination.local, Definition::Call(func, args));
            }
        }
        Self(found)
    }

    /// The constant that an operand is made from: through copies, casts, references, and what `format_args!` expands to.
    fn constant<'a>(&'a self, body: &Body, mut operand: &'a Operand) -> Option<&'a ConstOperand> {
        // Each local is defined once, yet one may lie in a loop.
        for _ in 0..64 {
            let place = match operand {
                Operand::Constant(constant) => return Some(constant),
                Operand::Copy(place) | Operand::Move(place) if place.projection.is_empty() => place,
                _ => return None,
            };
            operand = match (*self.0.get(&place.local)?)? {
                Definition::Rvalue(Rvalue::Use(operand) | Rvalue::Cast(_, operand, _)) => operand,
                Definition::Rvalue(Rvalue::Aggregate(_, operands)) => operands.first()?,
                Definition::Rvalue(Rvalue::Ref(_, _, source) | Rvalue::AddressOf(_, source)) => match source.projection.as_slice() {
                    [] | [ProjectionElem::Deref] => match (*self.0.get(&source.local)?)? {
                        Definition::Rvalue(Rvalue::Use(operand) | Rvalue::Cast(_, operand, _)) => operand,
                        _ => return None,
                    },
                    _ => return None,
                },
                Definition::Call(func, args) => {
                    let name = callee(body, func)?.name();
                    if !name.contains("fmt::") {
                        return None;
                    }
                    args.first()?
                }
                Definition::Rvalue(_) => return None,
            };
        }
        None
    }
}

/// The message of a call that starts a panic.
pub fn message<'body>(
    body: &'body Body,
    definitions: &mut Option<Definitions<'body>>,
    function: Instance,
    args: &[Operand],
) -> Option<String> {
    let name = function.name();
    // Elsewhere the first argument is what the panic is about: `slice_error_fail(text, …)`.
    if !["panicking::", "option::", "result::", "rt::"].iter().any(|module| name.contains(module)) {
        return None;
    }
    let comparison = name.contains("panicking::assert_failed").then(|| match args.first() {
        Some(Operand::Constant(kind)) => match number(kind) {
            Some(0) => "assertion `left == right` failed",
            Some(1) => "assertion `left != right` failed",
            _ => "assertion `left matches right` failed",
        },
        _ => "assertion failed",
    });
    let told = if comparison.is_some() { args.last() } else { args.first() };
    let definitions = definitions.get_or_insert_with(|| Definitions::new(body));
    let text = told.and_then(|operand| definitions.constant(body, operand)).and_then(text);
    match (comparison, text) {
        (Some(comparison), Some(text)) => Some(format!("{comparison}: {text}")),
        (Some(comparison), None) => Some(comparison.to_owned()),
        (None, text) => text,
    }
}

fn number(constant: &ConstOperand) -> Option<u128> {
    let ConstantKind::Allocated(memory) = constant.const_.kind() else { return None };
    memory.read_uint().ok()
}

/// The text of a constant `&str`, or of a constant template of `format_args!`, a `&[u8; N]`.
fn text(constant: &ConstOperand) -> Option<String> {
    let TyKind::RigidTy(RigidTy::Ref(_, pointee, _)) = constant.const_.ty().kind() else { return None };
    let ConstantKind::Allocated(pointer) = constant.const_.kind() else { return None };
    let (_, provenance) = pointer.provenance.ptrs.first()?;
    let GlobalAlloc::Memory(memory) = provenance.0.into() else { return None };
    let start = pointer.read_partial_uint(0..8).ok()? as usize;
    let bytes = |length: usize| -> Option<Vec<u8>> { memory.bytes.get(start..start + length)?.iter().copied().collect() };
    match pointee.kind() {
        TyKind::RigidTy(RigidTy::Str) => String::from_utf8(bytes(pointer.read_partial_uint(8..16).ok()? as usize)?).ok(),
        TyKind::RigidTy(RigidTy::Array(element, count)) if element == Ty::unsigned_ty(rustc_public::ty::UintTy::U8) => {
            template(&bytes(count.eval_target_usize().ok()? as usize)?)
        }
        _ => None,
    }
}

/// Decode a template, as `library/core/src/fmt/mod.rs` describes it above `Arguments`.
fn template(mut bytes: &[u8]) -> Option<String> {
    let mut text = String::new();
    loop {
        let (&first, rest) = bytes.split_first()?;
        let (length, rest) = match first {
            0 => return Some(text),
            1..0x80 => (first as usize, rest),
            0x80 => (u16::from_le_bytes([*rest.first()?, *rest.get(1)?]) as usize, &rest[2..]),
            0x81..0xC0 => return None,
            0xC0.. => {
                text.push_str("{}");
                let fields = [4, 2, 2, 2].iter().enumerate().filter(|(bit, _)| first >> bit & 1 == 1);
                bytes = rest.get(fields.map(|(_, size)| size).sum::<usize>()..)?;
                continue;
            }
        };
        text.push_str(std::str::from_utf8(rest.get(..length)?).ok()?);
        bytes = &rest[length..];
    }
}
