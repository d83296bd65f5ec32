"""The dump's records, typed: what `crates/rustc-codegen-oxide/src/schema.rs` writes and `docs/dump-format.md` describes.

    dump = decode(Path("vecadd.mir.json").read_bytes())
    body = dump.functions[0].decode_body()

Decoding refuses unknown fields and kinds, so that the two sides cannot drift apart. Bodies are decoded one at a time: a large
dump never exists in memory as a whole.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec

from oxide.errors import UsageError

SCHEMA = 6

Natural = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""A number of the dump: an index, a size, a line."""

Count = Annotated[int, msgspec.Meta(ge=0)]
"""How many elements: of a type without bytes, up to 2⁶⁴ − 1."""

T = TypeVar("T")


class Table(list[T]):
    """Records that others name by their number. A number without a record raises `UsageError`: the dump is incomplete."""

    def __init__(self, what: str, records: list[T]) -> None:
        super().__init__(records)
        self.what = what

    def __getitem__(self, number: Any) -> Any:
        """Return the record of a number."""
        try:
            return super().__getitem__(number)
        except IndexError:
            raise UsageError(
                f"{self.what} {number} of the dump is out of range, it has {len(self)}", hint="build the crate again"
            ) from None


class Record(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A record whose kind is known from where it stands."""


class Tagged(msgspec.Struct, forbid_unknown_fields=True, gc=False, tag_field="kind", tag=True):
    """A record that says what it is in its field `kind`."""


class Profile(Record):
    """The settings of the host compilation that change what MIR means."""

    opt_level: str
    overflow_checks: bool
    ub_checks: bool
    contract_checks: bool


class Kernel(Record):
    """An entry to export; `params` are the names of its parameters, empty for a pattern."""

    name: str
    function: Natural
    params: list[str]
    span: Natural


class GenericParam(Record):
    """A parameter of a generic kernel: a constant of type `ty`, or a type."""

    name: str
    ty: str | None


class GenericKernel(Record):
    """A kernel that is generic over types or constants, instantiated or not; `params` are names and types as Rust spells them."""

    name: str
    path: str
    generics: list[GenericParam]
    params: list[tuple[str, str]]


class Export(Record):
    """A function of a device library, which other device code calls by its name."""

    name: str
    function: Natural
    span: Natural


class Span(Record):
    """A source location; `caller` is the call that inlined it, `function` the path of what was inlined there."""

    file: str
    line: Natural
    column: Natural
    local: bool
    caller: Natural | None
    function: str | None


class Lifetime(Tagged):
    """A lifetime argument."""


class TypeArg(Tagged, tag="Type"):
    """A type argument."""

    ty: Natural


class ConstArg(Tagged, tag="Const"):
    """A const argument; `value` is None where it is no plain number."""

    ty: Natural
    value: str | None


GenericArg = Lifetime | TypeArg | ConstArg


class IntScalar(Tagged, tag="Int"):
    """An integer in memory or a register."""

    bits: Natural
    signed: bool


class FloatScalar(Tagged, tag="Float"):
    """A float in memory or a register."""

    bits: Natural


class PointerScalar(Tagged, tag="Pointer"):
    """A pointer in memory or a register."""

    space: Natural


Scalar = IntScalar | FloatScalar | PointerScalar


class ScalarAbi(Tagged, tag="Scalar"):
    """One register."""

    scalar: Scalar


class ScalarPairAbi(Tagged, tag="ScalarPair"):
    """Two registers; the second one lies `offset` bytes into the memory form."""

    first: Scalar
    second: Scalar
    offset: Natural


class VectorAbi(Tagged, tag="Vector"):
    """A SIMD register."""

    element: Scalar
    count: Natural


class MemoryAbi(Tagged, tag="Memory"):
    """Memory only."""


class PrimitiveFields(Tagged, tag="Primitive"):
    """No fields."""


class UnionFields(Tagged, tag="Union"):
    """Every field at offset 0."""

    count: Natural


class ArrayFields(Tagged, tag="Array"):
    """Equal fields `stride` bytes apart."""

    stride: Natural
    count: Count


class StructFields(Tagged, tag="Struct"):
    """Fields at these offsets, in declaration order."""

    offsets: list[Natural]


class EmptyVariants(Tagged, tag="Empty"):
    """No variant can exist."""


class SingleVariant(Tagged, tag="Single"):
    """One variant; no tag."""

    index: Natural


class DirectTag(Tagged, tag="Direct"):
    """The tag is the discriminant."""


class NicheTag(Tagged, tag="Niche"):
    """The tag is an impossible value of a field of `untagged_variant`."""

    untagged_variant: Natural
    first_variant: Natural
    last_variant: Natural
    niche_start: str


class MultipleVariants(Tagged, tag="Multiple"):
    """Several variants, told apart by a tag."""

    tag: Scalar
    tag_offset: Natural
    encoding: DirectTag | NicheTag
    offsets: list[list[Natural]]


class Layout(Record):
    """Sizes and offsets in bytes."""

    size: Natural
    align: Natural
    sized: bool
    abi: ScalarAbi | ScalarPairAbi | VectorAbi | MemoryAbi
    fields: PrimitiveFields | UnionFields | ArrayFields | StructFields
    variants: EmptyVariants | SingleVariant | MultipleVariants


class Variant(Record):
    """One variant of an enum; the only one of a struct or union."""

    name: str
    discriminant: str
    fields: list[Natural]
    field_names: list[str]


class Bool(Tagged):
    """`bool`."""


class Char(Tagged):
    """`char`."""


class Int(Tagged):
    """A primitive integer."""

    bits: Natural
    signed: bool


class Float(Tagged):
    """A primitive float."""

    bits: Natural


class Never(Tagged):
    """`!`."""


class Str(Tagged):
    """`str`."""


class Adt(Tagged):
    """A struct, enum or union."""

    path: str
    crate: str
    adt: Literal["Struct", "Enum", "Union"]
    pack: Natural | None
    generic_args: list[GenericArg]
    variants: list[Variant]


class Array(Tagged):
    """`[T; N]`."""

    element: Natural
    count: Count


class Slice(Tagged):
    """`[T]`."""

    element: Natural


class RawPtr(Tagged):
    """`*const T`, `*mut T`."""

    pointee: Natural
    mutable: bool


class Ref(Tagged):
    """`&T`, `&mut T`."""

    pointee: Natural
    mutable: bool


class FnDef(Tagged):
    """The zero-sized type of a function item."""

    name: str


class FnPtr(Tagged):
    """`fn(…) -> …`."""

    params: list[Natural]
    result: Natural


class Closure(Tagged):
    """A closure."""

    captures: list[Natural]


class Dynamic(Tagged):
    """`dyn Trait`."""


class Tuple(Tagged):
    """A tuple."""

    elements: list[Natural]


class Pattern(Tagged):
    """A type restricted by a pattern."""

    base: Natural


class Foreign(Tagged):
    """An extern type."""


class Coroutine(Tagged):
    """What an async block or coroutine becomes."""


TypeKind = (
    Bool | Char | Int | Float | Never | Str | Adt | Array | Slice | RawPtr | Ref | FnDef | FnPtr | Closure
    | Dynamic | Tuple | Pattern | Foreign | Coroutine
)  # fmt: skip


class Type(Record):
    """A type; `layout` is None where rustc has none."""

    name: str
    ty: TypeKind
    freeze: bool
    layout: Layout | None


class Memory(Record):
    """Bytes; a pointer's own bytes are the addend to its relocation."""

    bytes: str
    align: Natural
    uninit: list[tuple[Natural, Natural]] = []
    relocations: list[tuple[Natural, Natural]] = []


class MemoryAllocation(Tagged, tag="Memory"):
    """An unnamed constant."""

    memory: Memory
    mutable: bool


class FunctionAllocation(Tagged, tag="Function"):
    """A function's address."""

    function: Natural


class StaticAllocation(Tagged, tag="Static"):
    """A `static`; `constant` says that it has `#[constant]`, `memory` is None for a foreign one."""

    symbol: str
    name: str
    ty: Natural
    mutable: bool
    thread_local: bool
    constant: bool
    memory: Memory | None
    span: Natural


class VTableAllocation(Tagged, tag="VTable"):
    """A vtable, whose content is another allocation."""

    allocation: Natural


class TypeIdAllocation(Tagged, tag="TypeId"):
    """Part of a `TypeId`."""

    name: str


GlobalAllocation = MemoryAllocation | FunctionAllocation | StaticAllocation | VTableAllocation | TypeIdAllocation


class Deref(Tagged):
    """`*place`."""


class FieldProjection(Tagged, tag="Field"):
    """`place.index`."""

    index: Natural
    ty: Natural


class IndexProjection(Tagged, tag="Index"):
    """`place[local]`."""

    local: Natural


class ConstantIndex(Tagged):
    """`place[offset]`, from the end if so said."""

    offset: Natural
    from_end: bool


class Subslice(Tagged):
    """`place[from..to]`, `to` counted from the end if so said."""

    from_: Natural = msgspec.field(name="from")
    to: Natural
    from_end: bool


class Downcast(Tagged):
    """The place as a variant."""

    variant: Natural


class OpaqueCast(Tagged):
    """The place with its opaque type revealed."""

    ty: Natural


Projection = Deref | FieldProjection | IndexProjection | ConstantIndex | Subslice | Downcast | OpaqueCast


class Place(Record):
    """A local and the way from it."""

    local: Natural
    projection: list[Projection]


class CopyOperand(Tagged, tag="Copy"):
    """The value of a place, which stays."""

    place: Place


class MoveOperand(Tagged, tag="Move"):
    """The value of a place, which is given up."""

    place: Place


class ZeroSized(Tagged):
    """A constant without bytes."""


class Allocated(Tagged):
    """A constant's bytes."""

    memory: Memory


class ConstantOperand(Tagged, tag="Constant"):
    """A constant."""

    ty: Natural
    value: ZeroSized | Allocated
    span: Natural


class RuntimeChecks(Tagged):
    """Whether the profile asks for a kind of check."""

    check: str
    value: bool
    ty: Natural


Operand = CopyOperand | MoveOperand | ConstantOperand | RuntimeChecks


class PointerExposeAddress(Tagged):
    """A pointer's address as an integer."""


class PointerWithExposedProvenance(Tagged):
    """An integer as a pointer."""


class IntToInt(Tagged):
    """Between integers."""


class FloatToInt(Tagged):
    """Saturating."""


class FloatToFloat(Tagged):
    """Between floats."""


class IntToFloat(Tagged):
    """To the nearest."""


class PtrToPtr(Tagged):
    """Between pointers; a fat one may lose its metadata."""


class FnPtrToPtr(Tagged):
    """A function pointer as a raw one."""


class Transmute(Tagged):
    """The same bytes."""


class Subtype(Tagged):
    """The same type but for lifetimes."""


class FnPointer(Tagged):
    """A function item or closure as a function pointer."""

    function: Natural


class UnsafeFnPointer(Tagged):
    """A function pointer as an unsafe one."""


class MutToConstPointer(Tagged):
    """`*mut T` as `*const T`."""


class ArrayToPointer(Tagged):
    """`*const [T; N]` as `*const T`."""


class Length(Tagged):
    """The length of a slice."""

    count: Count


class VTable(Tagged):
    """The vtable of a trait object."""

    allocation: Natural


class Upcast(Tagged):
    """A supertrait's vtable, whose address is in a slot of the one that is there."""

    slot: Natural


class Unsize(Tagged):
    """A pointer to a sized type as one to an unsized one, or to a trait object as one of a supertrait."""

    metadata: Length | VTable | Upcast | None


Cast = (
    PointerExposeAddress | PointerWithExposedProvenance | IntToInt | FloatToInt | FloatToFloat | IntToFloat
    | PtrToPtr | FnPtrToPtr | Transmute | Subtype | FnPointer | UnsafeFnPointer | MutToConstPointer
    | ArrayToPointer | Unsize
)  # fmt: skip


class ArrayAggregate(Tagged, tag="Array"):
    """`[…]`."""


class TupleAggregate(Tagged, tag="Tuple"):
    """`(…)`."""


class AdtAggregate(Tagged, tag="Adt"):
    """A struct, a variant, or one field of a union."""

    variant: Natural
    field: Natural | None


class ClosureAggregate(Tagged, tag="Closure"):
    """A closure's captures."""


class RawPtrAggregate(Tagged, tag="RawPtr"):
    """A pointer from its address and metadata."""


class CoroutineAggregate(Tagged, tag="Coroutine"):
    """A coroutine's captures."""


Aggregate = ArrayAggregate | TupleAggregate | AdtAggregate | ClosureAggregate | RawPtrAggregate | CoroutineAggregate


class Use(Tagged):
    """The operand."""

    operand: Operand


class RefRvalue(Tagged, tag="Ref"):
    """`&place`."""

    place: Place


class AddressOf(Tagged):
    """`&raw place`."""

    place: Place


class Len(Tagged):
    """The length of an array or slice."""

    place: Place


class Discriminant(Tagged):
    """The discriminant of an enum."""

    place: Place


class CopyForDeref(Tagged):
    """A pointer about to be dereferenced."""

    place: Place


class Repeat(Tagged):
    """`[operand; count]`."""

    operand: Operand
    count: Count


class UnaryOp(Tagged):
    """`Not`, `Neg` or `PtrMetadata`."""

    op: str
    operand: Operand


class BinaryOp(Tagged):
    """Arithmetic, comparison, or `Offset`."""

    op: str
    left: Operand
    right: Operand


class CheckedBinaryOp(Tagged):
    """A pair of the wrapped result and whether it overflowed."""

    op: str
    left: Operand
    right: Operand


class CastRvalue(Tagged, tag="Cast"):
    """`operand as ty`, and coercions."""

    cast: Cast
    operand: Operand
    ty: Natural


class AggregateRvalue(Tagged, tag="Aggregate"):
    """A value from its parts."""

    aggregate: Aggregate
    operands: list[Operand]


class ThreadLocalRef(Tagged):
    """The address of a thread-local static."""

    name: str


Rvalue = (
    Use | RefRvalue | AddressOf | Len | Discriminant | CopyForDeref | Repeat | UnaryOp | BinaryOp
    | CheckedBinaryOp | CastRvalue | AggregateRvalue | ThreadLocalRef
)  # fmt: skip


class Assign(Tagged):
    """`place = rvalue`."""

    place: Place
    rvalue: Rvalue
    span: Natural


class SetDiscriminant(Tagged):
    """Make the enum another variant."""

    place: Place
    variant: Natural
    span: Natural


class StorageLive(Tagged):
    """The local's memory begins."""

    local: Natural
    span: Natural


class StorageDead(Tagged):
    """The local's memory ends."""

    local: Natural
    span: Natural


class Assume(Tagged):
    """The operand is true."""

    operand: Operand
    span: Natural


class CopyNonOverlapping(Tagged):
    """Copy `count` elements."""

    src: Operand
    dst: Operand
    count: Operand
    span: Natural


Statement = Assign | SetDiscriminant | StorageLive | StorageDead | Assume | CopyNonOverlapping


class DirectCallee(Tagged, tag="Function"):
    """A known function."""

    function: Natural


class VirtualCallee(Tagged, tag="Virtual"):
    """The method at `index` of the first argument's vtable."""

    index: Natural


class PointerCallee(Tagged, tag="Pointer"):
    """A function pointer."""

    operand: Operand
    params: list[Natural]
    result: Natural


class NoCallee(Tagged, tag="Nothing"):
    """A drop that does nothing."""


Callee = DirectCallee | VirtualCallee | PointerCallee | NoCallee


class Goto(Tagged):
    """Go on in `target`."""

    target: Natural
    span: Natural


class SwitchInt(Tagged):
    """Choose by an integer."""

    operand: Operand
    cases: list[tuple[str, Natural]]
    otherwise: Natural
    span: Natural


class Return(Tagged):
    """Leave the function."""

    span: Natural


class Unreachable(Tagged):
    """Never reached."""

    span: Natural


class Abort(Tagged):
    """End the program."""

    span: Natural


class Drop(Tagged):
    """Drop the place."""

    place: Place
    function: Callee
    target: Natural
    span: Natural


class Call(Tagged):
    """Call; if `spread`, the last argument is a tuple passed field by field."""

    callee: Callee
    args: list[Operand]
    spread: bool
    place: Place
    target: Natural | None
    span: Natural


class Assert(Tagged):
    """Panic unless the operand is as expected."""

    operand: Operand
    expected: bool
    check: str
    operands: list[Operand]
    target: Natural
    span: Natural


class Panic(Tagged):
    """Panic; the message was dropped unless it is a literal."""

    function: str
    message: str | None
    span: Natural


class AsmOperand(Record):
    """An operand of `asm!`: its register as the program spells it, `reg` or `"rax"`, what goes in and where it comes out."""

    register: str
    input: Operand | None
    output: Place | None


class InlineAsm(Tagged):
    """`asm!`, assembly of the host; `target` is None where it never returns."""

    template: str
    operands: list[AsmOperand]
    target: Natural | None
    span: Natural


Terminator = Goto | SwitchInt | Return | Unreachable | Abort | Drop | Call | Assert | Panic | InlineAsm


class LocalDecl(Record):
    """A local."""

    ty: Natural
    name: str | None
    span: Natural


class BasicBlock(Record):
    """Statements and a terminator."""

    statements: list[Statement]
    terminator: Terminator


class Body(Record):
    """A function's code; absent locals are not used, absent blocks not reached."""

    locals: list[LocalDecl | None]
    arg_count: Natural
    blocks: list[BasicBlock | None]


class Function(Record):
    """An instance that kernels reach."""

    symbol: str
    name: str
    path: str
    crate: str
    kind: Literal["Item", "Shim", "Foreign", "Intrinsic"]
    generic_args: list[GenericArg]
    params: list[Natural]
    result: Natural
    inline: Literal["Default", "Hint", "Always", "Never"]
    span: Natural
    spread_arg: Natural | None
    body: msgspec.Raw
    intrinsic: str | None = None

    @property
    def has_body(self) -> bool:
        """Whether rustc had MIR, without decoding it."""
        return bytes(self.body) != b"null"

    def decode_body(self) -> Body | None:
        """Decode the body, if rustc had one."""
        try:
            body = _BODY.decode(self.body)
        except msgspec.DecodeError as error:
            raise UsageError(f"function {self.name} of the dump does not match schema {SCHEMA}: {error}") from None
        if body is not None:
            body.locals = Table("local", body.locals)
        return body


class Dump(Record):
    """One crate's kernels, or what a device library exports, and all they reach."""

    schema: Natural
    rustc: str
    crate: str
    package: str | None
    profile: Profile
    kernels: list[Kernel]
    generic_kernels: list[GenericKernel]
    exports: list[Export]
    types: list[Type]
    allocations: list[GlobalAllocation]
    spans: list[Span]
    functions: list[Function]

    def user_span(self, span: int | None) -> int | None:
        """Return the nearest span of the user's crate among those that a span was inlined into, or the outermost."""
        while span is not None and not self.spans[span].local and self.spans[span].caller is not None:
            span = self.spans[span].caller
        return span

    def is_user(self, span: int | None) -> bool:
        """Return whether a span is a line of the user's crate."""
        return span is not None and self.spans[span].local


class _Header(msgspec.Struct):
    schema: Natural


_HEADER = msgspec.json.Decoder(_Header)
_DUMP = msgspec.json.Decoder(Dump)
_BODY = msgspec.json.Decoder(Body | None)


def decode(text: bytes) -> Dump:
    """Decode a dump; raise `UsageError` where it is no dump, of another schema, truncated, or has an unknown field or kind."""
    try:
        schema = _HEADER.decode(text).schema
        if schema != SCHEMA:
            raise UsageError(f"the dump is of schema {schema}, expected {SCHEMA}", hint="build the crate again with this oxide")
        dump = _DUMP.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"the dump does not match schema {SCHEMA}: {error}", hint="build the crate again") from None
    for number, span in enumerate(dump.spans):
        if span.caller is not None and span.caller >= number:
            raise UsageError(f"span {number} of the dump is inlined into span {span.caller}, expected an earlier one")
    dump.types = Table("type", dump.types)
    dump.allocations = Table("allocation", dump.allocations)
    dump.spans = Table("span", dump.spans)
    dump.functions = Table("function", dump.functions)
    return dump
