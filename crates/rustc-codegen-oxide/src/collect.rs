//! The tables of a dump: functions, types, allocations and spans, numbered as they are met, until nothing new is reached.

use std::collections::{HashMap, HashSet};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rustc_hir::def_id::DefId;
use rustc_middle::ty::{self, TyCtxt};
use rustc_public::abi::{FieldsShape, FloatLength, IntegerLength, Primitive, TagEncoding, ValueAbi, VariantsShape};
use rustc_public::mir::alloc::{AllocId, GlobalAlloc};
use rustc_public::mir::mono::{Instance, InstanceKind, StaticDef};
use rustc_public::rustc_internal::{internal, stable};
use rustc_public::ty::{Allocation, GenericArgKind, GenericArgs, RigidTy, Ty, TyConst, TyConstKind, TyKind, VariantIdx};
use rustc_public::{CrateDef, abi};
use rustc_public_bridge::IndexedVal;
use rustc_span::Span;

use crate::schema::{self, *};
use crate::{instances, kernels};

/// A dump that was written.
pub struct Dumped {
    pub crate_name: String,
    pub path: PathBuf,
    /// What the dump's span numbers stand for.
    pub spans: Vec<Span>,
}

/// Write down the kernels of the crate, or the functions of a device library, and all they reach; nothing for a crate without either.
///
/// A device library is nothing to wait for, since it joins no link: the driver finds its dump where it is asked for one.
pub fn dump_crate(tcx: TyCtxt<'_>) -> Option<Dumped> {
    let path = tcx.output_filenames(()).with_extension("mir.json");
    let kernels = kernels::kernels(tcx);
    let generic = instances::generic_kernels(tcx);
    let exports = if kernels.is_empty() && generic.is_empty() { kernels::exports(tcx) } else { Vec::new() };
    // A driver that asks for instances wants to know which kernels there are to ask for.
    if kernels.is_empty() && exports.is_empty() && (generic.is_empty() || instances::requested().is_none()) {
        // Most crates never had one.
        let _ = std::fs::remove_file(&path);
        return None;
    }
    // Trimmed paths are for diagnostics only: rustc insists that one follows.
    let (dump, spans) = rustc_middle::ty::print::with_no_trimmed_paths!(
        rustc_public::rustc_internal::run(tcx, || {
            let mut collector = Collector::new(tcx);
            let kernels = kernels
                .into_iter()
                .map(|(instance, name)| {
                    let span = collector.definition(instance.def_id());
                    let params = instances::parameter_names(tcx, instance.def_id());
                    Kernel { name, function: collector.entry(instance), params, span }
                })
                .collect();
            let exports = exports
                .into_iter()
                .map(|(instance, name)| {
                    let span = collector.definition(instance.def_id());
                    Export { name, function: collector.entry(instance), span }
                })
                .collect();
            let generic = generic.into_iter().map(|def_id| instances::describe(tcx, def_id)).collect();
            collector.finish(kernels, generic, exports)
        })
        .expect("rustc_public runs once at a time")
    );
    // A constant that failed; what depends on it was dumped without it.
    tcx.dcx().abort_if_errors();
    if let Err(error) = write_atomically(&path, &dump) {
        tcx.dcx().fatal(format!("cannot write {}: {error}", path.display()));
    }
    dump.exports.is_empty().then_some(Dumped { crate_name: dump.crate_name, path, spans })
}

fn write_atomically(path: &Path, dump: &Dump) -> std::io::Result<()> {
    let unfinished = path.with_extension(format!("json.{}", std::process::id()));
    let mut file = BufWriter::new(std::fs::File::create(&unfinished)?);
    serde::Serialize::serialize(dump, &mut serde_json::Serializer::with_formatter(&mut file, PlainIntegers))?;
    file.flush()?;
    std::fs::rename(&unfinished, path)
}

/// Where a statement stands: its span, and what inlined it.
type Location = (Span, Option<Inlined>);

/// A function that is inlined, and the call that inlined it, itself inlined or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inlined {
    pub function: DefId,
    pub caller: SpanId,
}

pub struct Collector<'tcx> {
    pub tcx: TyCtxt<'tcx>,
    types: Vec<Option<Type>>,
    type_ids: HashMap<Ty, TypeId>,
    functions: Vec<Option<Function>>,
    function_ids: HashMap<Instance, FunctionId>,
    instances: Vec<Instance>,
    /// The line of this crate that first led to each instance.
    reached_from: Vec<Span>,
    /// The line of this crate that what is being described was reached from.
    pub here: Span,
    allocations: Vec<Option<GlobalAllocation>>,
    allocation_ids: HashMap<AllocId, AllocationId>,
    spans: Vec<schema::Span>,
    rustc_spans: Vec<Span>,
    span_ids: HashMap<Location, SpanId>,
    new_types: Vec<Ty>,
    /// The locals that the body being dumped names.
    pub used_locals: HashSet<Local>,
    new_allocations: Vec<AllocId>,
}

impl<'tcx> Collector<'tcx> {
    fn new(tcx: TyCtxt<'tcx>) -> Self {
        Collector {
            tcx,
            types: Vec::new(),
            type_ids: HashMap::new(),
            functions: Vec::new(),
            function_ids: HashMap::new(),
            instances: Vec::new(),
            reached_from: Vec::new(),
            here: rustc_span::DUMMY_SP,
            allocations: Vec::new(),
            allocation_ids: HashMap::new(),
            spans: Vec::new(),
            rustc_spans: Vec::new(),
            span_ids: HashMap::new(),
            new_types: Vec::new(),
            used_locals: HashSet::new(),
            new_allocations: Vec::new(),
        }
    }

    /// Work until every table is complete.
    fn finish(mut self, kernels: Vec<Kernel>, generic_kernels: Vec<GenericKernel>, exports: Vec<Export>) -> (Dump, Vec<Span>) {
        let mut done = 0;
        loop {
            if let Some(ty) = self.new_types.pop() {
                let id = self.type_ids[&ty];
                self.types[id] = Some(self.describe_type(ty));
            } else if let Some(id) = self.new_allocations.pop() {
                let index = self.allocation_ids[&id];
                self.allocations[index] = Some(self.describe_allocation(id));
            } else if done < self.instances.len() {
                self.here = self.reached_from[done];
                self.functions[done] = Some(self.describe_function(self.instances[done]));
                done += 1;
            } else {
                break;
            }
        }
        let tcx = self.tcx;
        let dump = Dump {
            schema: SCHEMA,
            rustc: tcx.sess.cfg_version.to_owned(),
            crate_name: tcx.crate_name(rustc_hir::def_id::LOCAL_CRATE).to_string(),
            package: std::env::var("CARGO_PKG_NAME").ok(),
            profile: Profile {
                opt_level: format!("{:?}", tcx.sess.opts.optimize),
                overflow_checks: tcx.sess.overflow_checks(),
                ub_checks: tcx.sess.ub_checks(),
                contract_checks: tcx.sess.contract_checks(),
            },
            kernels,
            generic_kernels,
            exports,
            types: complete(self.types),
            allocations: complete(self.allocations),
            spans: self.spans,
            functions: complete(self.functions),
        };
        (dump, self.rustc_spans)
    }

    /// The number of a function that something outside calls.
    fn entry(&mut self, instance: ty::Instance<'tcx>) -> FunctionId {
        self.here = self.tcx.def_span(instance.def_id());
        self.function(stable(instance))
    }

    pub fn function(&mut self, instance: Instance) -> FunctionId {
        let next = self.instances.len();
        let id = *self.function_ids.entry(instance).or_insert(next);
        if id == next {
            self.instances.push(instance);
            self.reached_from.push(self.here);
            self.functions.push(None);
        }
        id
    }

    pub fn ty(&mut self, ty: Ty) -> TypeId {
        let next = self.types.len();
        let id = *self.type_ids.entry(ty).or_insert(next);
        if id == next {
            self.types.push(None);
            self.new_types.push(ty);
        }
        id
    }

    pub fn allocation(&mut self, id: AllocId) -> AllocationId {
        let next = self.allocations.len();
        let index = *self.allocation_ids.entry(id).or_insert(next);
        if index == next {
            self.allocations.push(None);
            self.new_allocations.push(id);
        }
        index
    }

    pub fn stable_span(&mut self, span: rustc_public::ty::Span) -> SpanId {
        let span = internal(self.tcx, span);
        self.span(span, None)
    }

    pub fn span(&mut self, span: Span, inlined: Option<Inlined>) -> SpanId {
        if let Some(id) = self.span_ids.get(&(span, inlined)) {
            return *id;
        }
        let source_map = self.tcx.sess.source_map();
        // The user's own line, not that of a macro's definition.
        let place = source_map.lookup_char_pos(span.source_callsite().lo());
        self.spans.push(schema::Span {
            file: source_map.filename_for_diagnostics(&place.file.name).to_string(),
            line: place.line,
            column: place.col_display + 1,
            local: place.file.cnum == rustc_hir::def_id::LOCAL_CRATE,
            caller: inlined.map(|inlined| inlined.caller),
            function: inlined.map(|inlined| rustc_middle::ty::print::with_resolve_crate_name!(self.tcx.def_path_str(inlined.function))),
        });
        self.rustc_spans.push(span);
        let id = self.spans.len() - 1;
        self.span_ids.insert((span, inlined), id);
        id
    }

    /// The span of what is defined: its name, for a macro may have written the rest.
    fn definition(&mut self, def_id: DefId) -> SpanId {
        let span = self.tcx.def_ident_span(def_id).unwrap_or_else(|| self.tcx.def_span(def_id));
        self.span(span, None)
    }

    fn describe_function(&mut self, instance: Instance) -> Function {
        let tcx = self.tcx;
        let inner: ty::Instance<'tcx> = internal(tcx, instance);
        let def_id = inner.def_id();
        let origin = match instance.kind {
            InstanceKind::Intrinsic => Origin::Intrinsic { intrinsic: tcx.intrinsic(def_id).expect("an intrinsic").name.to_string() },
            InstanceKind::Shim => Origin::Shim,
            InstanceKind::Item | InstanceKind::Virtual { .. } if tcx.is_foreign_item(def_id) => Origin::Foreign,
            InstanceKind::Item | InstanceKind::Virtual { .. } => Origin::Item,
        };
        if instance.has_body() {
            self.check_constants(inner);
        }
        let body = instance.body().or_else(|| self.constructor(inner));
        let (params, result) = match &body {
            Some(body) => (body.arg_locals().iter().map(|local| self.ty(local.ty)).collect(), self.ty(body.ret_local().ty)),
            None => self.signature(inner.ty(tcx, ty::TypingEnv::fully_monomorphized()).fn_sig(tcx)),
        };
        let generic_args = self.generic_args(&instance.args());
        let inline = match tcx.def_kind(def_id) {
            rustc_hir::def::DefKind::Fn | rustc_hir::def::DefKind::AssocFn | rustc_hir::def::DefKind::Closure => {
                match tcx.codegen_fn_attrs(def_id).inline {
                    rustc_hir::attrs::InlineAttr::Hint => Inline::Hint,
                    rustc_hir::attrs::InlineAttr::Always | rustc_hir::attrs::InlineAttr::Force { .. } => Inline::Always,
                    rustc_hir::attrs::InlineAttr::Never => Inline::Never,
                    rustc_hir::attrs::InlineAttr::None => Inline::Default,
                }
            }
            _ => Inline::Default,
        };
        Function {
            symbol: instance.mangled_name(),
            name: instance.name(),
            path: tcx.def_path(def_id).to_string_no_crate_verbose().trim_start_matches("::").to_owned(),
            crate_name: tcx.crate_name(def_id.krate).to_string(),
            origin,
            generic_args,
            params,
            result,
            inline,
            span: self.definition(def_id),
            spread_arg: body.as_ref().and_then(|body| body.spread_arg()),
            body: body.map(|body| self.body(inner, &body)),
        }
    }

    /// The body of a tuple struct's or variant's constructor used as a function, which rustc_public does not give.
    fn constructor(&self, instance: ty::Instance<'tcx>) -> Option<rustc_public::mir::Body> {
        let tcx = self.tcx;
        if !tcx.is_constructor(instance.def_id()) {
            return None;
        }
        let body = ty::EarlyBinder::bind(tcx.instance_mir(instance.def).clone());
        Some(stable(&instance.instantiate_mir_and_normalize_erasing_regions(tcx, ty::TypingEnv::fully_monomorphized(), body)))
    }

    fn generic_args(&mut self, args: &GenericArgs) -> Vec<GenericArg> {
        let arg = |arg: &GenericArgKind| match arg {
            GenericArgKind::Lifetime(_) => GenericArg::Lifetime,
            GenericArgKind::Type(ty) => GenericArg::Type { ty: self.ty(*ty) },
            GenericArgKind::Const(value) => self.generic_const(value),
        };
        args.0.iter().map(arg).collect()
    }

    fn generic_const(&mut self, value: &TyConst) -> GenericArg {
        match value.kind() {
            TyConstKind::Value(ty, memory) => {
                let plain = memory.provenance.ptrs.is_empty().then(|| memory.read_uint().ok()).flatten();
                GenericArg::Const { ty: self.ty(*ty), value: plain.map(|number| number.to_string()) }
            }
            TyConstKind::ZSTValue(ty) => GenericArg::Const { ty: self.ty(*ty), value: None },
            TyConstKind::Param(..) | TyConstKind::Bound(..) | TyConstKind::Unevaluated(..) => {
                unreachable!("a monomorphic instance has evaluated constants, got {value:?}")
            }
        }
    }

    pub fn memory(&mut self, allocation: &Allocation) -> Memory {
        let mut bytes = String::with_capacity(allocation.bytes.len() * 2);
        let mut uninit: Vec<(usize, usize)> = Vec::new();
        for (offset, byte) in allocation.bytes.iter().enumerate() {
            match (byte, uninit.last_mut()) {
                (Some(_), _) => {}
                (None, Some((_, end))) if *end == offset => *end += 1,
                (None, _) => uninit.push((offset, offset + 1)),
            }
            let byte = byte.unwrap_or(0);
            for digit in [byte >> 4, byte & 15] {
                bytes.push(char::from_digit(digit.into(), 16).expect("a hexadecimal digit"));
            }
        }
        let relocations = allocation.provenance.ptrs.iter().map(|(offset, target)| (*offset, self.allocation(target.0))).collect();
        Memory { bytes, align: allocation.align, uninit, relocations }
    }

    fn describe_allocation(&mut self, id: AllocId) -> GlobalAllocation {
        match GlobalAlloc::from(id) {
            GlobalAlloc::Function(instance) => GlobalAllocation::Function { function: self.function(instance) },
            GlobalAlloc::Memory(memory) => {
                let mutable = memory.mutability == rustc_public::mir::Mutability::Mut;
                GlobalAllocation::Memory { memory: self.memory(&memory), mutable }
            }
            GlobalAlloc::Static(def) => self.describe_static(def),
            vtable @ GlobalAlloc::VTable(..) => {
                let allocation = vtable.vtable_allocation().expect("a vtable has an allocation");
                GlobalAllocation::VTable { allocation: self.allocation(allocation) }
            }
            GlobalAlloc::TypeId { ty } => GlobalAllocation::TypeId { name: ty.to_string() },
        }
    }

    fn describe_static(&mut self, def: StaticDef) -> GlobalAllocation {
        let tcx = self.tcx;
        let def_id = internal(tcx, def.def_id());
        let ty = tcx.normalize_erasing_regions(ty::TypingEnv::fully_monomorphized(), tcx.type_of(def_id).instantiate_identity());
        let initializer = if tcx.is_foreign_item(def_id) { None } else { def.eval_initializer().ok() };
        GlobalAllocation::Static {
            symbol: Instance::from(def).mangled_name(),
            name: tcx.def_path_str(def_id),
            ty: self.ty(stable(ty)),
            mutable: initializer.as_ref().is_none_or(|memory| memory.mutability == rustc_public::mir::Mutability::Mut),
            thread_local: tcx.is_thread_local_static(def_id),
            constant: kernels::is_constant(tcx, def_id),
            memory: initializer.map(|memory| self.memory(&memory)),
            span: self.span(tcx.def_span(def_id), None),
        }
    }

    fn describe_type(&mut self, ty: Ty) -> Type {
        let tcx = self.tcx;
        let inner: ty::Ty<'tcx> = internal(tcx, ty);
        let kind = match inner.kind() {
            // rustc_public does not know patterns of alternatives, such as a signed `NonZero`'s.
            ty::Pat(base, _) => TypeKind::Pattern { base: self.ty(stable(*base)) },
            _ => match ty.kind() {
                TyKind::RigidTy(rigid) => self.type_kind(inner, rigid),
                TyKind::Alias(..) | TyKind::Param(..) | TyKind::Bound(..) => unreachable!("a monomorphic body holds no type {ty}"),
            },
        };
        Type {
            name: inner.to_string(),
            ty: kind,
            freeze: inner.is_freeze(tcx, ty::TypingEnv::fully_monomorphized()),
            layout: ty.layout().ok().map(|layout| describe_layout(&layout.shape())),
        }
    }

    fn type_kind(&mut self, inner: ty::Ty<'tcx>, rigid: RigidTy) -> TypeKind {
        match rigid {
            RigidTy::Bool => TypeKind::Bool,
            RigidTy::Char => TypeKind::Char,
            RigidTy::Int(_) => TypeKind::Int { bits: self.scalar_bits(inner), signed: true },
            RigidTy::Uint(_) => TypeKind::Int { bits: self.scalar_bits(inner), signed: false },
            RigidTy::Float(_) => TypeKind::Float { bits: self.scalar_bits(inner) },
            RigidTy::Never => TypeKind::Never,
            RigidTy::Str => TypeKind::Str,
            RigidTy::Adt(def, args) => {
                let inner_def = inner.ty_adt_def().expect("an ADT");
                let variants = def
                    .variants_iter()
                    .enumerate()
                    .map(|(index, variant)| Variant {
                        name: variant.name(),
                        discriminant: match def.kind() {
                            rustc_public::ty::AdtKind::Enum => def.discriminant_for_variant(variant_index(index)).val.to_string(),
                            _ => "0".to_owned(),
                        },
                        fields: variant.fields().iter().map(|field| self.ty(field.ty_with_args(&args))).collect(),
                        field_names: variant.fields().iter().map(|field| field.name.clone()).collect(),
                    })
                    .collect();
                TypeKind::Adt {
                    path: self.tcx.def_path(inner_def.did()).to_string_no_crate_verbose().trim_start_matches("::").to_owned(),
                    crate_name: self.tcx.crate_name(inner_def.did().krate).to_string(),
                    adt: match def.kind() {
                        rustc_public::ty::AdtKind::Struct => AdtKind::Struct,
                        rustc_public::ty::AdtKind::Enum => AdtKind::Enum,
                        rustc_public::ty::AdtKind::Union => AdtKind::Union,
                    },
                    pack: inner_def.repr().pack.map(|align| align.bytes()),
                    generic_args: self.generic_args(&args),
                    variants,
                }
            }
            RigidTy::Array(element, count) => {
                TypeKind::Array { element: self.ty(element), count: count.eval_target_usize().expect("a monomorphic array has a length") }
            }
            RigidTy::Slice(element) => TypeKind::Slice { element: self.ty(element) },
            RigidTy::RawPtr(pointee, mutability) => {
                TypeKind::RawPtr { pointee: self.ty(pointee), mutable: mutability == rustc_public::mir::Mutability::Mut }
            }
            RigidTy::Ref(_, pointee, mutability) => {
                TypeKind::Ref { pointee: self.ty(pointee), mutable: mutability == rustc_public::mir::Mutability::Mut }
            }
            RigidTy::FnDef(..) => TypeKind::FnDef { name: inner.to_string() },
            RigidTy::FnPtr(_) => {
                let (params, result) = self.signature(inner.fn_sig(self.tcx));
                TypeKind::FnPtr { params, result }
            }
            RigidTy::Closure(..) => {
                let ty::Closure(_, args) = inner.kind() else { unreachable!("a closure") };
                TypeKind::Closure { captures: args.as_closure().upvar_tys().iter().map(|ty| self.ty(stable(ty))).collect() }
            }
            RigidTy::Tuple(elements) => TypeKind::Tuple { elements: elements.into_iter().map(|ty| self.ty(ty)).collect() },
            RigidTy::Dynamic(..) => TypeKind::Dynamic,
            RigidTy::Foreign(_) => TypeKind::Foreign,
            RigidTy::Pat(..) => unreachable!("described before rustc_public's view of it"),
            RigidTy::Coroutine(..) | RigidTy::CoroutineClosure(..) | RigidTy::CoroutineWitness(..) => TypeKind::Coroutine,
        }
    }

    /// The parameter and result types of a signature, with its regions erased.
    pub fn signature(&mut self, sig: ty::PolyFnSig<'tcx>) -> (Vec<TypeId>, TypeId) {
        let sig = self.tcx.instantiate_bound_regions_with_erased(sig);
        let sig = self.tcx.normalize_erasing_regions(ty::TypingEnv::fully_monomorphized(), sig);
        (sig.inputs().iter().map(|ty| self.ty(stable(*ty))).collect(), self.ty(stable(sig.output())))
    }

    fn scalar_bits(&self, ty: ty::Ty<'tcx>) -> u64 {
        let layout = self.tcx.layout_of(ty::TypingEnv::fully_monomorphized().as_query_input(ty));
        layout.expect("numbers have a layout").size.bits()
    }
}

/// Every record of a finished table.
fn complete<T>(records: Vec<Option<T>>) -> Vec<T> {
    records.into_iter().map(|record| record.expect("every numbered record was described")).collect()
}

pub fn variant_index(index: usize) -> VariantIdx {
    stable(rustc_abi::VariantIdx::from_usize(index))
}

fn describe_layout(shape: &abi::LayoutShape) -> Layout {
    Layout {
        size: shape.size.bytes(),
        align: shape.abi_align,
        sized: shape.is_sized(),
        abi: match &shape.abi {
            ValueAbi::Scalar(scalar) => Abi::Scalar { scalar: describe_scalar(scalar) },
            ValueAbi::ScalarPair(first, second) => {
                let align = scalar_align(second);
                Abi::ScalarPair {
                    first: describe_scalar(first),
                    second: describe_scalar(second),
                    offset: scalar_bytes(first).next_multiple_of(align),
                }
            }
            ValueAbi::Vector { element, count } => Abi::Vector { element: describe_scalar(element), count: *count },
            ValueAbi::ScalableVector { .. } | ValueAbi::Aggregate { .. } => Abi::Memory,
        },
        fields: match &shape.fields {
            FieldsShape::Primitive => Fields::Primitive,
            FieldsShape::Union(count) => Fields::Union { count: count.get() },
            FieldsShape::Array { stride, count } => Fields::Array { stride: stride.bytes(), count: *count },
            FieldsShape::Arbitrary { offsets } => Fields::Struct { offsets: bytes(offsets) },
        },
        variants: match &shape.variants {
            VariantsShape::Empty => Variants::Empty,
            VariantsShape::Single { index } => Variants::Single { index: index.to_index() },
            VariantsShape::Multiple { tag, tag_encoding, tag_field, variants } => {
                let FieldsShape::Arbitrary { offsets } = &shape.fields else { unreachable!("an enum with a tag has fields") };
                Variants::Multiple {
                    tag: describe_scalar(tag),
                    tag_offset: offsets[*tag_field].bytes(),
                    encoding: match tag_encoding {
                        TagEncoding::Direct => schema::TagEncoding::Direct,
                        TagEncoding::Niche { untagged_variant, niche_variants, niche_start } => schema::TagEncoding::Niche {
                            untagged_variant: untagged_variant.to_index(),
                            first_variant: niche_variants.start().to_index(),
                            last_variant: niche_variants.end().to_index(),
                            niche_start: niche_start.to_string(),
                        },
                    },
                    offsets: variants.iter().map(|variant| bytes(&variant.offsets)).collect(),
                }
            }
        },
    }
}

fn bytes(offsets: &[rustc_public::target::MachineSize]) -> Vec<usize> {
    offsets.iter().map(|offset| offset.bytes()).collect()
}

fn primitive(scalar: &abi::Scalar) -> Primitive {
    match scalar {
        abi::Scalar::Initialized { value, .. } | abi::Scalar::Union { value } => *value,
    }
}

fn scalar_bytes(scalar: &abi::Scalar) -> usize {
    match primitive(scalar) {
        Primitive::Int { length, .. } => length.bits() / 8,
        Primitive::Float { length } => length.bits() / 8,
        Primitive::Pointer(_) => 8,
    }
}

/// On x86-64 every scalar is aligned to its size.
fn scalar_align(scalar: &abi::Scalar) -> usize {
    scalar_bytes(scalar)
}

fn describe_scalar(scalar: &abi::Scalar) -> Scalar {
    match primitive(scalar) {
        Primitive::Int { length, signed } => Scalar::Int { bits: integer_bits(length), signed },
        Primitive::Float { length } => Scalar::Float { bits: float_bits(length) },
        Primitive::Pointer(space) => Scalar::Pointer { space: space.0 },
    }
}

fn integer_bits(length: IntegerLength) -> usize {
    length.bits()
}

fn float_bits(length: FloatLength) -> usize {
    length.bits()
}

/// JSON's compact form, with integers written by `core`: serde_json's own way needs symbols of the crate itoa, which not every driver exports.
struct PlainIntegers;

macro_rules! plain {
    ($($name:ident: $type:ty),*) => {
        $(fn $name<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, value: $type) -> std::io::Result<()> {
            write!(writer, "{value}")
        })*
    };
}

impl serde_json::ser::Formatter for PlainIntegers {
    plain!(
        write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128,
        write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128
    );
}
