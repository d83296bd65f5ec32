//! Bodies: rustc_public's MIR, statement by statement, with every callee resolved and every constant evaluated.

use std::collections::HashMap;

use rustc_hir::def_id::DefId;
use rustc_middle::mir as internal_mir;
use rustc_middle::ty::layout::ValidityRequirement;
use rustc_middle::ty::{self, TypeVisitableExt};
use rustc_public::CrateDef;
use rustc_public::mir::mono::{Instance, InstanceKind};
use rustc_public::mir::{self, AggregateKind, AssertMessage, CastKind, PointerCoercion, VarDebugInfoContents};
use rustc_public::rustc_internal::{internal, stable};
use rustc_public::ty::{ClosureKind, ConstantKind, RigidTy, Ty, TyKind};

use rustc_public_bridge::IndexedVal;

use crate::collect::{Collector, Inlined};
use crate::cut::{self, Cut};
use crate::schema::*;

impl<'tcx> Collector<'tcx> {
    pub fn body(&mut self, instance: ty::Instance<'tcx>, body: &mir::Body) -> Body {
        let original = Original::new(self, instance, body);
        let tcx = self.tcx;
        let cut = cut::cut(body, |check| runtime_check(tcx, check));
        let mut names = vec![None; body.locals().len()];
        for variable in &body.var_debug_info {
            if let VarDebugInfoContents::Place(place) = &variable.value
                && place.projection.is_empty()
            {
                names[place.local] = Some(variable.name.clone());
            }
        }
        self.used_locals = (0..=body.arg_locals().len()).collect();
        let blocks = body
            .blocks
            .iter()
            .enumerate()
            .map(|(index, block)| cut.reachable[index].then(|| self.block(body, &cut, &original, index, block)))
            .collect();
        let used = std::mem::take(&mut self.used_locals);
        let locals = body
            .locals()
            .iter()
            .zip(names)
            .enumerate()
            .map(|(index, (local, name))| {
                used.contains(&index).then(|| LocalDecl { ty: self.ty(local.ty), name, span: self.stable_span(local.span) })
            })
            .collect();
        Body { locals, arg_count: body.arg_locals().len(), blocks }
    }

    /// Evaluate what has to hold for this instance, `const { assert!(…) }` of the functions inlined in it too. rustc shows a check that
    /// fails where a library has it: a note shows the call.
    pub fn check_constants(&self, instance: ty::Instance<'tcx>) {
        let (tcx, environment) = (self.tcx, ty::TypingEnv::fully_monomorphized());
        let original = original_body(tcx, instance);
        for constant in original.required_consts() {
            let needed = ty::EarlyBinder::bind(constant.const_);
            let needed = instance.instantiate_mir_and_normalize_erasing_regions(tcx, environment, needed);
            let internal_mir::Const::Unevaluated(check, _) = needed else { continue };
            if needed.eval(tcx, environment, constant.span).is_ok() || check.def.is_local() {
                continue;
            }
            // An inline constant is its function's child, an associated one its sibling.
            let parent = tcx.opt_parent(check.def);
            let inlined = original.source_scopes.iter().find_map(|scope| {
                let (callee, call_site) = scope.inlined?;
                let callee = instance.instantiate_mir_and_normalize_erasing_regions(tcx, environment, ty::EarlyBinder::bind(callee));
                let is_its = (parent == Some(callee.def_id()) || parent == tcx.opt_parent(callee.def_id()))
                    && callee.args.iter().zip(check.args).all(|(a, b)| a == b);
                is_its.then(|| (callee, line_of_crate(tcx, call_site, &chain(original, scope.parent_scope))))
            });
            let (callee, line) = inlined.unwrap_or((instance, None));
            let path = tcx.def_path_str_with_args(callee.def_id(), callee.args);
            tcx.dcx().span_note(line.unwrap_or(self.here), format!("that is a check of `{path}`, which is called here"));
        }
    }

    fn block(&mut self, body: &mir::Body, cut: &Cut, original: &Original, index: usize, block: &mir::BasicBlock) -> BasicBlock {
        let reached_from = self.here;
        if let Some(panic) = cut.panics.get(&index) {
            let terminator = TerminatorKind::Panic { function: panic.function.clone(), message: panic.message.clone() };
            let at = body.blocks[panic.block].terminator.span;
            let span = original.span(self, panic.block, None, at);
            return BasicBlock { statements: Vec::new(), terminator: Terminator { terminator, span } };
        }
        let mut statements = Vec::new();
        for (position, statement) in block.statements.iter().enumerate() {
            self.here = original.line_of_crate(self.tcx, index, Some(position), statement.span).unwrap_or(reached_from);
            if let Some(kind) = self.statement(body, &statement.kind) {
                let span = original.span(self, index, Some(position), statement.span);
                statements.push(Statement { statement: kind, span });
            }
        }
        self.here = original.line_of_crate(self.tcx, index, None, block.terminator.span).unwrap_or(reached_from);
        let terminator = match cut.decided.get(&index) {
            Some(target) => TerminatorKind::Goto { target: *target },
            None => self.terminator(body, original, index, &block.terminator.kind),
        };
        self.here = reached_from;
        let span = original.span(self, index, None, block.terminator.span);
        BasicBlock { statements, terminator: Terminator { terminator, span } }
    }

    fn statement(&mut self, body: &mir::Body, kind: &mir::StatementKind) -> Option<StatementKind> {
        Some(match kind {
            mir::StatementKind::Assign(place, rvalue) => {
                StatementKind::Assign { rvalue: self.rvalue(body, rvalue), place: self.place(place) }
            }
            mir::StatementKind::SetDiscriminant { place, variant_index } => {
                StatementKind::SetDiscriminant { place: self.place(place), variant: variant_index.to_index() }
            }
            mir::StatementKind::StorageLive(local) => StatementKind::StorageLive { local: *local },
            mir::StatementKind::StorageDead(local) => StatementKind::StorageDead { local: *local },
            mir::StatementKind::Intrinsic(mir::NonDivergingIntrinsic::Assume(operand)) => {
                StatementKind::Assume { operand: self.operand(operand) }
            }
            mir::StatementKind::Intrinsic(mir::NonDivergingIntrinsic::CopyNonOverlapping(copy)) => StatementKind::CopyNonOverlapping {
                src: self.operand(&copy.src),
                dst: self.operand(&copy.dst),
                count: self.operand(&copy.count),
            },
            mir::StatementKind::FakeRead(..)
            | mir::StatementKind::Retag(..)
            | mir::StatementKind::PlaceMention(..)
            | mir::StatementKind::AscribeUserType { .. }
            | mir::StatementKind::Coverage(..)
            | mir::StatementKind::ConstEvalCounter
            | mir::StatementKind::Nop => return None,
        })
    }

    fn terminator(&mut self, body: &mir::Body, original: &Original, index: usize, kind: &mir::TerminatorKind) -> TerminatorKind {
        match kind {
            mir::TerminatorKind::Goto { target } => TerminatorKind::Goto { target: *target },
            mir::TerminatorKind::SwitchInt { discr, targets } => TerminatorKind::SwitchInt {
                operand: self.operand(discr),
                cases: targets.branches().map(|(value, target)| (value.to_string(), target)).collect(),
                otherwise: targets.otherwise(),
            },
            mir::TerminatorKind::Resume | mir::TerminatorKind::Abort => TerminatorKind::Abort,
            mir::TerminatorKind::Return => TerminatorKind::Return,
            mir::TerminatorKind::Unreachable => TerminatorKind::Unreachable,
            mir::TerminatorKind::Drop { place, target, .. } => {
                let ty = place.ty(body.locals()).expect("a place has a type");
                let glue = self.direct(Instance::resolve_drop_in_place(ty));
                TerminatorKind::Drop { place: self.place(place), function: glue, target: *target }
            }
            mir::TerminatorKind::Call { func, args, destination, target, .. } => self.call(body, func, args, destination, *target),
            mir::TerminatorKind::Assert { cond, expected, msg, target, .. } => {
                let (check, operands) = assert_message(msg);
                TerminatorKind::Assert {
                    operand: self.operand(cond),
                    expected: *expected,
                    check,
                    operands: operands.into_iter().map(|operand| self.operand(operand)).collect(),
                    target: *target,
                }
            }
            mir::TerminatorKind::InlineAsm { operands, destination, .. } => {
                let (template, registers) = &original.assembly[&index];
                let operands = operands.iter().zip(registers).map(|(operand, register)| AsmOperand {
                    register: register.clone(),
                    input: operand.in_value.as_ref().map(|value| self.operand(value)),
                    output: operand.out_place.as_ref().map(|place| self.place(place)),
                });
                TerminatorKind::InlineAsm { template: template.clone(), operands: operands.collect(), target: *destination }
            }
        }
    }

    fn call(
        &mut self,
        body: &mir::Body,
        func: &mir::Operand,
        args: &[mir::Operand],
        destination: &mir::Place,
        target: Option<usize>,
    ) -> TerminatorKind {
        let sig = internal(self.tcx, func.ty(body.locals()).expect("a callee has a type")).fn_sig(self.tcx);
        let spread = sig.abi() == rustc_abi::ExternAbi::RustCall;
        let callee = match cut::callee(body, func) {
            Some(instance) => match self.validity(instance) {
                Some(Ok(())) => return TerminatorKind::Goto { target: target.expect("an assertion returns") },
                Some(Err(message)) => return TerminatorKind::Panic { function: instance.name(), message: Some(message) },
                None => self.direct(instance),
            },
            None => {
                let (params, result) = self.signature(sig);
                Callee::Pointer { operand: self.operand(func), params, result }
            }
        };
        TerminatorKind::Call {
            callee,
            args: args.iter().map(|arg| self.operand(arg)).collect(),
            spread,
            place: self.place(destination),
            target,
        }
    }

    /// What `mem::zeroed` and its kin assert of a type: that it has a value then, or what the panic says.
    fn validity(&self, instance: Instance) -> Option<Result<(), String>> {
        let instance = internal(self.tcx, instance);
        let requirement = ValidityRequirement::from_intrinsic(self.tcx.intrinsic(instance.def_id())?.name)?;
        let ty = instance.args.type_at(0);
        let input = ty::TypingEnv::fully_monomorphized().as_query_input(ty);
        if self.tcx.check_validity_requirement((requirement, input)).expect("a monomorphic type has a layout") {
            return Some(Ok(()));
        }
        let layout = self.tcx.layout_of(input).expect("a monomorphic type has a layout");
        Some(Err(match requirement {
            _ if layout.is_uninhabited() => format!("attempted to instantiate uninhabited type `{ty}`"),
            ValidityRequirement::Zero => format!("attempted to zero-initialize type `{ty}`, which is invalid"),
            _ => format!("attempted to leave type `{ty}` uninitialized, which is invalid"),
        }))
    }

    fn direct(&mut self, instance: Instance) -> Callee {
        match instance.kind {
            _ if instance.is_empty_shim() => Callee::Nothing,
            InstanceKind::Virtual { idx } => Callee::Virtual { index: idx },
            InstanceKind::Item | InstanceKind::Intrinsic | InstanceKind::Shim => Callee::Function { function: self.function(instance) },
        }
    }

    fn place(&mut self, place: &mir::Place) -> Place {
        self.used_locals.insert(place.local);
        let projection = place.projection.iter().map(|element| match element {
            mir::ProjectionElem::Deref => Projection::Deref,
            mir::ProjectionElem::Field(index, ty) => Projection::Field { index: *index, ty: self.ty(*ty) },
            mir::ProjectionElem::Index(local) => {
                self.used_locals.insert(*local);
                Projection::Index { local: *local }
            }
            mir::ProjectionElem::ConstantIndex { offset, from_end, min_length: _ } => {
                Projection::ConstantIndex { offset: *offset, from_end: *from_end }
            }
            mir::ProjectionElem::Subslice { from, to, from_end } => Projection::Subslice { from: *from, to: *to, from_end: *from_end },
            mir::ProjectionElem::Downcast(variant) => Projection::Downcast { variant: variant.to_index() },
            mir::ProjectionElem::OpaqueCast(ty) => Projection::OpaqueCast { ty: self.ty(*ty) },
        });
        Place { local: place.local, projection: projection.collect() }
    }

    fn operand(&mut self, operand: &mir::Operand) -> Operand {
        match operand {
            mir::Operand::Copy(place) => Operand::Copy { place: self.place(place) },
            mir::Operand::Move(place) => Operand::Move { place: self.place(place) },
            mir::Operand::Constant(constant) => Operand::Constant {
                ty: self.ty(constant.const_.ty()),
                value: self.constant(constant.const_.kind()),
                span: self.stable_span(constant.span),
            },
            mir::Operand::RuntimeChecks(check) => {
                Operand::RuntimeChecks { check: format!("{check:?}"), value: runtime_check(self.tcx, check), ty: self.ty(Ty::bool_ty()) }
            }
        }
    }

    fn constant(&mut self, kind: &ConstantKind) -> Constant {
        match kind {
            ConstantKind::ZeroSized => Constant::ZeroSized,
            ConstantKind::Allocated(allocation) => Constant::Allocated { memory: self.memory(allocation) },
            // A constant that failed to evaluate was reported; rustc stops before the dump is used.
            ConstantKind::Ty(_) | ConstantKind::Unevaluated(_) | ConstantKind::Param(_) => {
                self.tcx.dcx().abort_if_errors();
                unreachable!("a monomorphic body has evaluated constants, got {kind:?}")
            }
        }
    }

    fn rvalue(&mut self, body: &mir::Body, rvalue: &mir::Rvalue) -> Rvalue {
        match rvalue {
            mir::Rvalue::Use(operand) => Rvalue::Use { operand: self.operand(operand) },
            mir::Rvalue::Ref(_, _, place) => Rvalue::Ref { place: self.place(place) },
            mir::Rvalue::AddressOf(_, place) => Rvalue::AddressOf { place: self.place(place) },
            mir::Rvalue::Len(place) => Rvalue::Len { place: self.place(place) },
            mir::Rvalue::Discriminant(place) => Rvalue::Discriminant { place: self.place(place) },
            mir::Rvalue::CopyForDeref(place) => Rvalue::CopyForDeref { place: self.place(place) },
            mir::Rvalue::Repeat(operand, count) => Rvalue::Repeat {
                operand: self.operand(operand),
                count: count.eval_target_usize().expect("a monomorphic array has a length"),
            },
            mir::Rvalue::UnaryOp(op, operand) => Rvalue::UnaryOp { op: format!("{op:?}"), operand: self.operand(operand) },
            mir::Rvalue::BinaryOp(op, left, right) => {
                Rvalue::BinaryOp { op: format!("{op:?}"), left: self.operand(left), right: self.operand(right) }
            }
            mir::Rvalue::CheckedBinaryOp(op, left, right) => {
                Rvalue::CheckedBinaryOp { op: format!("{op:?}"), left: self.operand(left), right: self.operand(right) }
            }
            mir::Rvalue::Cast(kind, operand, ty) => {
                Rvalue::Cast { cast: self.cast(body, kind, operand, *ty), operand: self.operand(operand), ty: self.ty(*ty) }
            }
            mir::Rvalue::Aggregate(kind, operands) => Rvalue::Aggregate {
                aggregate: match kind {
                    AggregateKind::Array(_) => Aggregate::Array,
                    AggregateKind::Tuple => Aggregate::Tuple,
                    AggregateKind::Adt(_, variant, _, _, field) => Aggregate::Adt { variant: variant.to_index(), field: *field },
                    AggregateKind::Closure(..) => Aggregate::Closure,
                    AggregateKind::RawPtr(..) => Aggregate::RawPtr,
                    AggregateKind::Coroutine(..) | AggregateKind::CoroutineClosure(..) => Aggregate::Coroutine,
                },
                operands: operands.iter().map(|operand| self.operand(operand)).collect(),
            },
            mir::Rvalue::ThreadLocalRef(item) => Rvalue::ThreadLocalRef { name: item.name() },
        }
    }

    fn cast(&mut self, body: &mir::Body, kind: &CastKind, operand: &mir::Operand, target: Ty) -> Cast {
        match kind {
            CastKind::PointerExposeAddress => Cast::PointerExposeAddress,
            CastKind::PointerWithExposedProvenance => Cast::PointerWithExposedProvenance,
            CastKind::IntToInt => Cast::IntToInt,
            CastKind::FloatToInt => Cast::FloatToInt,
            CastKind::FloatToFloat => Cast::FloatToFloat,
            CastKind::IntToFloat => Cast::IntToFloat,
            CastKind::PtrToPtr => Cast::PtrToPtr,
            CastKind::FnPtrToPtr => Cast::FnPtrToPtr,
            CastKind::Transmute => Cast::Transmute,
            CastKind::Subtype => Cast::Subtype,
            CastKind::PointerCoercion(coercion) => {
                let source = operand.ty(body.locals()).expect("an operand has a type");
                match coercion {
                    PointerCoercion::ReifyFnPointer(_) => {
                        let TyKind::RigidTy(RigidTy::FnDef(def, args)) = source.kind() else {
                            unreachable!("only function items are reified, got {source}")
                        };
                        let instance = Instance::resolve_for_fn_ptr(def, &args).expect("a function item has an instance");
                        Cast::FnPointer { function: self.function(instance) }
                    }
                    PointerCoercion::ClosureFnPointer(_) => {
                        let TyKind::RigidTy(RigidTy::Closure(def, args)) = source.kind() else {
                            unreachable!("only closures coerce so, got {source}")
                        };
                        let instance = Instance::resolve_closure(def, &args, ClosureKind::FnOnce).expect("a closure has an instance");
                        Cast::FnPointer { function: self.function(instance) }
                    }
                    PointerCoercion::UnsafeFnPointer => Cast::UnsafeFnPointer,
                    PointerCoercion::MutToConstPointer => Cast::MutToConstPointer,
                    PointerCoercion::ArrayToPointer => Cast::ArrayToPointer,
                    PointerCoercion::Unsize => Cast::Unsize { metadata: self.unsize(source, target) },
                }
            }
        }
    }

    /// The metadata that the pointer in `target` has where the one in `source` had none, or another; None where it stays as it is.
    ///
    /// Both are pointers, or structs like `Pin` of which one field is coerced.
    fn unsize(&mut self, source: Ty, target: Ty) -> Option<Metadata> {
        let tcx = self.tcx;
        let typing = ty::TypingEnv::fully_monomorphized();
        let (mut source, mut target): (ty::Ty<'tcx>, ty::Ty<'tcx>) = (internal(tcx, source), internal(tcx, target));
        loop {
            (source, target) = match (source.kind(), target.kind()) {
                (ty::Adt(def, source_args), ty::Adt(_, target_args)) => def.all_fields().find_map(|field| {
                    let [from, to] = [source_args, target_args].map(|args| tcx.normalize_erasing_regions(typing, field.ty(tcx, args)));
                    let layout = tcx.layout_of(typing.as_query_input(to)).expect("a field has a layout");
                    (from != to && !layout.is_zst()).then_some((from, to))
                })?,
                (ty::Pat(from, _), ty::Pat(to, _)) => (*from, *to),
                _ => break,
            }
        }
        let (source, target) = (source.builtin_deref(true)?, target.builtin_deref(true)?);
        let (source, target) = tcx.struct_lockstep_tails_for_codegen(source, target, typing);
        match (source.kind(), target.kind()) {
            (ty::Array(_, count), ty::Slice(_)) => Some(Metadata::Length { count: count.try_to_target_usize(tcx)? }),
            (ty::Dynamic(from, _), ty::Dynamic(to, _)) => {
                if from.principal_def_id() == to.principal_def_id() || to.principal_def_id().is_none() {
                    return None;
                }
                tcx.supertrait_vtable_slot((source, target)).map(|slot| Metadata::Upcast { slot })
            }
            (_, ty::Dynamic(predicates, _)) => {
                let principal = predicates.principal().map(|principal| tcx.instantiate_bound_regions_with_erased(principal));
                debug_assert!(!source.has_non_region_param());
                let allocation = stable(tcx.vtable_allocation((source, principal)));
                Some(Metadata::VTable { allocation: self.allocation(allocation) })
            }
            _ => None,
        }
    }
}

fn runtime_check(tcx: ty::TyCtxt<'_>, check: &mir::RuntimeChecks) -> bool {
    match check {
        mir::RuntimeChecks::UbChecks => tcx.sess.ub_checks(),
        mir::RuntimeChecks::ContractChecks => tcx.sess.contract_checks(),
        mir::RuntimeChecks::OverflowChecks => tcx.sess.overflow_checks(),
    }
}

fn assert_message(message: &AssertMessage) -> (String, Vec<&mir::Operand>) {
    match message {
        AssertMessage::BoundsCheck { len, index } => ("BoundsCheck".to_owned(), vec![len, index]),
        AssertMessage::Overflow(op, left, right) => (format!("Overflow{op:?}"), vec![left, right]),
        AssertMessage::OverflowNeg(operand) => ("OverflowNeg".to_owned(), vec![operand]),
        AssertMessage::DivisionByZero(operand) => ("DivisionByZero".to_owned(), vec![operand]),
        AssertMessage::RemainderByZero(operand) => ("RemainderByZero".to_owned(), vec![operand]),
        AssertMessage::ResumedAfterReturn(_) => ("ResumedAfterReturn".to_owned(), vec![]),
        AssertMessage::ResumedAfterPanic(_) => ("ResumedAfterPanic".to_owned(), vec![]),
        AssertMessage::ResumedAfterDrop(_) => ("ResumedAfterDrop".to_owned(), vec![]),
        AssertMessage::MisalignedPointerDereference { required, found } => {
            ("MisalignedPointerDereference".to_owned(), vec![required, found])
        }
        AssertMessage::NullPointerDereference => ("NullPointerDereference".to_owned(), vec![]),
        AssertMessage::InvalidEnumConstruction(operand) => ("InvalidEnumConstruction".to_owned(), vec![operand]),
    }
}

/// What rustc's own body tells and rustc_public's does not: the calls that the MIR inliner dissolved, and what `asm!` says.
struct Original {
    /// For each block, the chain of each statement and last the terminator's.
    chains: Vec<Vec<Vec<InlinedCall>>>,
    /// The template of each block that ends in `asm!`, and its operands' registers.
    assembly: HashMap<usize, (String, Vec<String>)>,
}

impl Original {
    fn new<'tcx>(collector: &Collector<'tcx>, instance: ty::Instance<'tcx>, body: &mir::Body) -> Self {
        let original = original_body(collector.tcx, instance);
        assert_eq!(original.basic_blocks.len(), body.blocks.len(), "rustc_public keeps MIR's blocks");
        let chains = original
            .basic_blocks
            .iter()
            .map(|block| {
                let statements = block.statements.iter().map(|statement| chain(original, Some(statement.source_info.scope)));
                statements.chain([chain(original, Some(block.terminator().source_info.scope))]).collect()
            })
            .collect();
        let assembly = original.basic_blocks.iter_enumerated().filter_map(|(index, block)| match &block.terminator().kind {
            internal_mir::TerminatorKind::InlineAsm { template, operands, .. } => {
                let template = template.iter().map(ToString::to_string).collect();
                Some((index.as_usize(), (template, operands.iter().map(register).collect())))
            }
            _ => None,
        });
        Original { chains, assembly: assembly.collect() }
    }

    /// Where this crate's text leads to a statement or (without a position) a terminator: itself or the innermost call that inlined it.
    fn line_of_crate(
        &self,
        tcx: ty::TyCtxt<'_>,
        block: usize,
        position: Option<usize>,
        span: rustc_public::ty::Span,
    ) -> Option<rustc_span::Span> {
        let chains = &self.chains[block];
        let chain = &chains[position.unwrap_or(chains.len() - 1)];
        line_of_crate(tcx, internal(tcx, span), chain)
    }

    /// The number of a statement's or (without a position) a terminator's span.
    fn span(&self, collector: &mut Collector<'_>, block: usize, position: Option<usize>, span: rustc_public::ty::Span) -> SpanId {
        let chains = &self.chains[block];
        let chain = &chains[position.unwrap_or(chains.len() - 1)];
        let mut inlined = None;
        for &(function, call_site) in chain.iter().rev() {
            inlined = Some(Inlined { function, caller: collector.span(call_site, inlined) });
        }
        let span = internal(collector.tcx, span);
        collector.span(span, inlined)
    }
}

fn original_body<'tcx>(tcx: ty::TyCtxt<'tcx>, instance: ty::Instance<'tcx>) -> &'tcx internal_mir::Body<'tcx> {
    tcx.instance_mir(match instance.def {
        ty::InstanceKind::Intrinsic(def_id) => ty::InstanceKind::Item(def_id),
        other => other,
    })
}

/// The function that a call inlined, and where the call is.
type InlinedCall = (DefId, rustc_span::Span);

/// The calls that inlined a scope, innermost first.
fn chain(original: &internal_mir::Body<'_>, mut scope: Option<internal_mir::SourceScope>) -> Vec<InlinedCall> {
    let mut chain = Vec::new();
    while let Some(current) = scope {
        let data = &original.source_scopes[current];
        match data.inlined {
            Some((callee, call_site)) => {
                chain.push((callee.def_id(), call_site));
                scope = data.parent_scope;
            }
            None => scope = data.inlined_parent_scope,
        }
    }
    chain
}

/// The innermost of a span and of the calls that inlined it that stands in this crate's text.
fn line_of_crate(tcx: ty::TyCtxt<'_>, span: rustc_span::Span, chain: &[InlinedCall]) -> Option<rustc_span::Span> {
    let source_map = tcx.sess.source_map();
    let spans = std::iter::once(span).chain(chain.iter().map(|(_, call_site)| *call_site));
    spans.map(|span| span.source_callsite()).find(|span| !span.is_dummy() && !source_map.is_imported(*span))
}

fn register(operand: &internal_mir::InlineAsmOperand<'_>) -> String {
    match operand {
        internal_mir::InlineAsmOperand::In { reg, .. }
        | internal_mir::InlineAsmOperand::Out { reg, .. }
        | internal_mir::InlineAsmOperand::InOut { reg, .. } => reg.to_string(),
        internal_mir::InlineAsmOperand::Const { .. } => "const".to_owned(),
        internal_mir::InlineAsmOperand::SymFn { .. } | internal_mir::InlineAsmOperand::SymStatic { .. } => "sym".to_owned(),
        internal_mir::InlineAsmOperand::Label { .. } => "label".to_owned(),
    }
}
