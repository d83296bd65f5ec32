//! The dump's records, as `docs/dump-format.md` describes them and `src/oxide/mir_import/stable_mir.py` reads them.
//!
//! Enums carry their variant in a field `kind`. Numbers that may exceed 64 bits are decimal strings; bytes are hexadecimal.

use serde::Serialize;

/// Raised whenever a record changes its meaning or shape.
pub const SCHEMA: u32 = 6;

pub type TypeId = usize;
pub type FunctionId = usize;
pub type AllocationId = usize;
pub type SpanId = usize;
pub type Local = usize;
pub type Block = usize;

#[derive(Serialize)]
pub struct Dump {
    pub schema: u32,
    pub rustc: String,
    #[serde(rename = "crate")]
    pub crate_name: String,
    pub package: Option<String>,
    pub profile: Profile,
    pub kernels: Vec<Kernel>,
    pub generic_kernels: Vec<GenericKernel>,
    /// Of a crate without kernels.
    pub exports: Vec<Export>,
    pub types: Vec<Type>,
    pub allocations: Vec<GlobalAllocation>,
    pub spans: Vec<Span>,
    pub functions: Vec<Function>,
}

/// The settings of the host compilation that change what MIR means.
#[derive(Serialize)]
pub struct Profile {
    pub opt_level: String,
    pub overflow_checks: bool,
    pub ub_checks: bool,
    pub contract_checks: bool,
}

#[derive(Serialize)]
pub struct Kernel {
    pub name: String,
    pub function: FunctionId,
    /// The names of its parameters; empty for a pattern.
    pub params: Vec<String>,
    pub span: SpanId,
}

/// A function of a device library, which other device code calls by its name.
#[derive(Serialize)]
pub struct Export {
    pub name: String,
    pub function: FunctionId,
    pub span: SpanId,
}

/// A kernel of this crate that is generic over types or constants, instantiated or not.
#[derive(Serialize)]
pub struct GenericKernel {
    pub name: String,
    /// The path inside its crate.
    pub path: String,
    pub generics: Vec<GenericParam>,
    /// Names and types as Rust spells them.
    pub params: Vec<(String, String)>,
}

/// A generic parameter; one with a type is a constant of that type.
#[derive(Serialize)]
pub struct GenericParam {
    pub name: String,
    pub ty: Option<String>,
}

/// A source location; `caller` is the call that inlined it, outwards, and `function` the path of what was inlined there.
#[derive(Serialize)]
pub struct Span {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// Whether the line is in the crate being compiled.
    pub local: bool,
    pub caller: Option<SpanId>,
    pub function: Option<String>,
}

#[derive(Serialize)]
pub struct Function {
    pub symbol: String,
    /// For people: the instance with its generic arguments.
    pub name: String,
    /// The path inside its crate, without generic arguments: `thread::threadIdx_x`.
    pub path: String,
    #[serde(rename = "crate")]
    pub crate_name: String,
    #[serde(flatten)]
    pub origin: Origin,
    pub generic_args: Vec<GenericArg>,
    pub params: Vec<TypeId>,
    pub result: TypeId,
    pub inline: Inline,
    pub span: SpanId,
    /// The local of the argument that callers pass spread, one argument a tuple field ("rust-call").
    pub spread_arg: Option<Local>,
    /// Absent for foreign functions, for intrinsics without a fallback, and where rustc kept no MIR.
    pub body: Option<Body>,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Origin {
    Item,
    Shim,
    Foreign,
    Intrinsic { intrinsic: String },
}

#[derive(Serialize)]
pub enum Inline {
    Default,
    Hint,
    Always,
    Never,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum GenericArg {
    Lifetime,
    Type {
        ty: TypeId,
    },
    /// `value` is absent where the constant is no plain integer, bool or char.
    Const {
        ty: TypeId,
        value: Option<String>,
    },
}

#[derive(Serialize)]
pub struct Type {
    pub name: String,
    pub ty: TypeKind,
    /// No `UnsafeCell` outside indirections, so shared references to it read memory that does not change.
    pub freeze: bool,
    pub layout: Option<Layout>,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum TypeKind {
    Bool,
    Char,
    Int {
        bits: u64,
        signed: bool,
    },
    Float {
        bits: u64,
    },
    Never,
    Str,
    Adt {
        path: String,
        #[serde(rename = "crate")]
        crate_name: String,
        adt: AdtKind,
        /// The most that a field is aligned to, where `repr(packed)` limits it.
        pack: Option<u64>,
        generic_args: Vec<GenericArg>,
        variants: Vec<Variant>,
    },
    Array {
        element: TypeId,
        count: u64,
    },
    Slice {
        element: TypeId,
    },
    RawPtr {
        pointee: TypeId,
        mutable: bool,
    },
    Ref {
        pointee: TypeId,
        mutable: bool,
    },
    FnDef {
        name: String,
    },
    FnPtr {
        params: Vec<TypeId>,
        result: TypeId,
    },
    Closure {
        captures: Vec<TypeId>,
    },
    Dynamic,
    Tuple {
        elements: Vec<TypeId>,
    },
    Pattern {
        base: TypeId,
    },
    Foreign,
    Coroutine,
}

#[derive(Serialize)]
pub enum AdtKind {
    Struct,
    Enum,
    Union,
}

#[derive(Serialize)]
pub struct Variant {
    pub name: String,
    pub discriminant: String,
    pub fields: Vec<TypeId>,
    /// `0`, `1`, … where they have none.
    pub field_names: Vec<String>,
}

#[derive(Serialize)]
pub struct Layout {
    pub size: usize,
    pub align: u64,
    pub sized: bool,
    pub abi: Abi,
    pub fields: Fields,
    pub variants: Variants,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Abi {
    Scalar {
        scalar: Scalar,
    },
    /// `offset` is the second scalar's.
    ScalarPair {
        first: Scalar,
        second: Scalar,
        offset: usize,
    },
    Vector {
        element: Scalar,
        count: u64,
    },
    Memory,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Scalar {
    Int { bits: usize, signed: bool },
    Float { bits: usize },
    Pointer { space: u32 },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Fields {
    Primitive,
    Union {
        count: usize,
    },
    Array {
        stride: usize,
        count: u64,
    },
    /// In declaration order, in bytes.
    Struct {
        offsets: Vec<usize>,
    },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Variants {
    Empty,
    Single {
        index: usize,
    },
    /// The tag is read at `tag_offset`; `offsets` are the fields' of each variant.
    Multiple {
        tag: Scalar,
        tag_offset: usize,
        encoding: TagEncoding,
        offsets: Vec<Vec<usize>>,
    },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum TagEncoding {
    Direct,
    Niche { untagged_variant: usize, first_variant: usize, last_variant: usize, niche_start: String },
}

#[derive(Serialize)]
pub struct Body {
    /// Local 0 is the return place, then `arg_count` arguments. Absent locals are not used.
    pub locals: Vec<Option<LocalDecl>>,
    pub arg_count: usize,
    /// Absent blocks cannot be reached.
    pub blocks: Vec<Option<BasicBlock>>,
}

#[derive(Serialize)]
pub struct LocalDecl {
    pub ty: TypeId,
    pub name: Option<String>,
    pub span: SpanId,
}

#[derive(Serialize)]
pub struct BasicBlock {
    pub statements: Vec<Statement>,
    pub terminator: Terminator,
}

#[derive(Serialize)]
pub struct Statement {
    #[serde(flatten)]
    pub statement: StatementKind,
    pub span: SpanId,
}

/// Statements without meaning at run time (`FakeRead`, `Nop`, …) are not dumped.
#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum StatementKind {
    Assign { place: Place, rvalue: Rvalue },
    SetDiscriminant { place: Place, variant: usize },
    StorageLive { local: Local },
    StorageDead { local: Local },
    Assume { operand: Operand },
    CopyNonOverlapping { src: Operand, dst: Operand, count: Operand },
}

#[derive(Serialize)]
pub struct Terminator {
    #[serde(flatten)]
    pub terminator: TerminatorKind,
    pub span: SpanId,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum TerminatorKind {
    Goto {
        target: Block,
    },
    SwitchInt {
        operand: Operand,
        cases: Vec<(String, Block)>,
        otherwise: Block,
    },
    Return,
    Unreachable,
    /// The process ends: `abort`, or the end of an unwinding that cannot happen here.
    Abort,
    Drop {
        place: Place,
        function: Callee,
        target: Block,
    },
    /// `spread`: the last argument is a tuple whose fields are passed one by one.
    Call {
        callee: Callee,
        args: Vec<Operand>,
        spread: bool,
        place: Place,
        target: Option<Block>,
    },
    Assert {
        operand: Operand,
        expected: bool,
        check: String,
        operands: Vec<Operand>,
        target: Block,
    },
    /// Cut: every path from here panics in `function`.
    Panic {
        function: String,
        message: Option<String>,
    },
    /// Assembly of the host; `target` is None where it never returns.
    InlineAsm {
        template: String,
        operands: Vec<AsmOperand>,
        target: Option<Block>,
    },
}

/// An operand of `asm!`: its register as the program spells it, `reg` or `"rax"`, what goes in and where it comes out.
#[derive(Serialize)]
pub struct AsmOperand {
    pub register: String,
    pub input: Option<Operand>,
    pub output: Option<Place>,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Callee {
    Function {
        function: FunctionId,
    },
    Virtual {
        index: usize,
    },
    Pointer {
        operand: Operand,
        params: Vec<TypeId>,
        result: TypeId,
    },
    /// Dropping this type does nothing.
    Nothing,
}

#[derive(Serialize)]
pub struct Place {
    pub local: Local,
    pub projection: Vec<Projection>,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Projection {
    Deref,
    Field { index: usize, ty: TypeId },
    Index { local: Local },
    ConstantIndex { offset: u64, from_end: bool },
    Subslice { from: u64, to: u64, from_end: bool },
    Downcast { variant: usize },
    OpaqueCast { ty: TypeId },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Operand {
    Copy { place: Place },
    Move { place: Place },
    Constant { ty: TypeId, value: Constant, span: SpanId },
    RuntimeChecks { check: String, value: bool, ty: TypeId },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Constant {
    ZeroSized,
    Allocated { memory: Memory },
}

#[derive(Serialize)]
pub struct Memory {
    pub bytes: String,
    pub align: u64,
    /// Ranges of bytes without a value, `[start, end)`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uninit: Vec<(usize, usize)>,
    /// Offset of a pointer and the allocation it points into; the pointer's own bytes are the addend.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<(usize, AllocationId)>,
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum GlobalAllocation {
    Memory {
        memory: Memory,
        mutable: bool,
    },
    Function {
        function: FunctionId,
    },
    Static {
        symbol: String,
        name: String,
        ty: TypeId,
        mutable: bool,
        thread_local: bool,
        /// It has `#[constant]`, so that the host can set it.
        constant: bool,
        memory: Option<Memory>,
        span: SpanId,
    },
    VTable {
        allocation: AllocationId,
    },
    TypeId {
        name: String,
    },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Rvalue {
    Use { operand: Operand },
    Ref { place: Place },
    AddressOf { place: Place },
    Len { place: Place },
    Discriminant { place: Place },
    CopyForDeref { place: Place },
    Repeat { operand: Operand, count: u64 },
    UnaryOp { op: String, operand: Operand },
    BinaryOp { op: String, left: Operand, right: Operand },
    CheckedBinaryOp { op: String, left: Operand, right: Operand },
    Cast { cast: Cast, operand: Operand, ty: TypeId },
    Aggregate { aggregate: Aggregate, operands: Vec<Operand> },
    ThreadLocalRef { name: String },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Cast {
    PointerExposeAddress,
    PointerWithExposedProvenance,
    IntToInt,
    FloatToInt,
    FloatToFloat,
    IntToFloat,
    PtrToPtr,
    FnPtrToPtr,
    Transmute,
    Subtype,
    /// A function item or closure becomes a pointer to `function`.
    FnPointer {
        function: FunctionId,
    },
    UnsafeFnPointer,
    MutToConstPointer,
    ArrayToPointer,
    Unsize {
        metadata: Option<Metadata>,
    },
}

/// What an unsizing coercion of a pointer adds to it.
#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Metadata {
    Length {
        count: u64,
    },
    VTable {
        allocation: AllocationId,
    },
    /// The supertrait's vtable, whose address is in this slot of the vtable that is there.
    Upcast {
        slot: usize,
    },
}

#[derive(Serialize)]
#[serde(tag = "kind")]
pub enum Aggregate {
    Array,
    Tuple,
    /// `field` is set for a union: the one field given.
    Adt {
        variant: usize,
        field: Option<usize>,
    },
    Closure,
    RawPtr,
    Coroutine,
}
