"""Functions of crate `cuda_device` whose meaning is the compiler's and that are generic, or say something of the kernel.

Those that the table of operations has are called like any function until `to_nvvm`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from oxide.dialects import mir
from oxide.dialects.rules import SCOPES, width
from oxide.errors import codes
from oxide.ir import SHARED_SPACE, FloatType, Global, Int, IntType, Symbol, reach
from oxide.mir_import import stable_mir as smir
from oxide.mir_import.intrinsics.atomics import atomic_type
from oxide.mir_import.intrinsics.registry import Call, registered
from oxide.mir_import.operands import spot_of
from oxide.mir_import.placed import shared_array
from oxide.mir_import.refusal import Refusal
from oxide.mir_import.unrolling import Mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from oxide.ir import Module, Type, Value
    from oxide.mir_import.frame import Frame
    from oxide.mir_import.importer import Importer

DEVICE_HANDLERS: dict[str, Callable[[Call], None]] = {}
"""Which function imports which function of `cuda_device`, by path."""


def device(*paths: str) -> Callable[[Callable[[Call], None]], Callable[[Call], None]]:
    """Register the decorated function for these functions."""
    return registered(DEVICE_HANDLERS, paths)


def import_device_function(frame: Frame, source: smir.Function, call: smir.Call) -> bool:
    """Import a call of a function of `cuda_device`; False if it is to be called as a function."""
    handler = DEVICE_HANDLERS.get(source.path) if source.crate == "cuda_device" else None
    if handler is None:
        return False
    handler(Call(frame, source, call))
    return True


ATOMIC_SCOPES = ("block", "device", "")
"""The scopes of `cuda_device::atomic`, as its numbers."""

ATOMIC_UPDATES = ("xchg", "add", "sub", "and", "or", "xor", "min", "max")
"""The updates of `cuda_device::atomic`, as its numbers, by LLVM's names of signed ones."""

assert set(ATOMIC_SCOPES) < set(SCOPES)


@device("atomic::operation::load")
def atomic_load(call: Call) -> None:
    """Read in one piece."""
    shape, (scope, order) = atomic_type(call), call.const_args()
    op = mir.AtomicLoad(call.arg(0), shape.stored[0], shape.size, mir.ORDERINGS[order], ATOMIC_SCOPES[scope])
    call.store(call.frame.add(op).value)


@device("atomic::operation::store")
def atomic_store(call: Call) -> None:
    """Write in one piece."""
    shape, (scope, order) = atomic_type(call), call.const_args()
    call.frame.add(mir.AtomicStore(call.arg(1), call.arg(0), shape.size, mir.ORDERINGS[order], ATOMIC_SCOPES[scope]))


@device("atomic::operation::update")
def atomic_update(call: Call) -> None:
    """Read, compute and write in one piece; a float is exchanged by its bits."""
    frame, shape, (number, scope, order) = call.frame, atomic_type(call), call.const_args()
    operand, operation = call.arg(1), ATOMIC_UPDATES[number]
    ty = operand.type
    if isinstance(ty, FloatType) and operation == "xchg":
        operand = frame.add(mir.Bitcast(operand, Int(ty.width))).value
    elif isinstance(ty, FloatType):
        operation = f"f{operation}"
    elif operation in ("min", "max") and not is_signed(call):
        operation = f"u{operation}"
    op = mir.AtomicUpdate(call.arg(0), operand, operation, shape.size, mir.ORDERINGS[order], ATOMIC_SCOPES[scope])
    old = frame.add(op).value
    call.store(old if old.type is ty else frame.add(mir.Bitcast(old, ty)).value)


def is_signed(call: Call) -> bool:
    """Return whether the integers that a function is generic over have a sign."""
    kind = call.frame.types.kind(call.type_arg())
    return isinstance(kind, smir.Int) and kind.signed


@device("atomic::operation::compare_exchange")
def atomic_compare_exchange(call: Call) -> None:
    """Write if the expected value is there; the result is what was there."""
    shape, (scope, success, failure) = atomic_type(call), call.const_args()
    orders = (mir.ORDERINGS[success], mir.ORDERINGS[failure])
    op = mir.AtomicCompareExchange(call.arg(0), call.arg(1), call.arg(2), shape.size, *orders, ATOMIC_SCOPES[scope])
    call.store(call.frame.add(op).value)


@device("debug::trap")
def trap(call: Call) -> None:
    """End the launch."""
    call.frame.add(mir.Panic("trapped"))


DYNAMIC_SHARED = "__dynamic_smem_"
"""Before the name of the function that uses it: the memory behind a block's shared variables, as large as the launch says. All such symbols
have one address."""


@device("shared::dynamic_shared")
def dynamic_shared(call: Call) -> None:
    """Return the address of the dynamic shared memory, aligned as its one generic number says or better."""
    (align,) = call.const_args()
    call.store(call.frame.add(mir.AddressOf(reserve_dynamic_shared(call.frame, align))).addr)


def reserve_dynamic_shared(frame: Frame, align: int) -> Symbol:
    """Return the symbol of a function's dynamic shared memory, of the largest alignment that it asks for."""
    symbol = Symbol(f"{DYNAMIC_SHARED}{frame.function.symbol}")
    known = frame.importer.module.globals.get(symbol)
    if known is None:
        frame.importer.module.add(Global(symbol, 0, align, SHARED_SPACE, False, None, outside=True))
    else:
        known.align = max(known.align, align)
    return symbol


def align_dynamic_shared(importer: Importer) -> None:
    """Give symbols of dynamic shared memory that one kernel reaches one alignment: they are one memory.

    A kernel that alone reaches those of others has them under its own name, by which tools find them.
    """
    module = importer.module
    symbols = {symbol for symbol, item in module.globals.items() if item.outside and item.space == SHARED_SPACE}
    if not symbols:
        return
    names = reach.graph(module)
    kernels = [symbol for symbol, function in module.functions.items() if function.kernel]
    # What a contract alone has asked for, no code refers to.
    reached = {kernel: sorted((reach.reached(names, kernel) | {f"{DYNAMIC_SHARED}{kernel}"}) & symbols) for kernel in kernels}
    align_alike(module, list(reached.values()))
    kernels_of = Counter(symbol for group in reached.values() for symbol in group)
    renamed: dict[Symbol, Symbol] = {}
    for kernel, group in reached.items():
        own = Symbol(f"{DYNAMIC_SHARED}{kernel}")
        alone = [symbol for symbol in group if kernels_of[symbol] == 1]
        if alone and alone != [own]:
            align = module.globals[group[0]].align
            for symbol in alone:
                del module.globals[symbol]
                renamed[Symbol(symbol)] = own
            module.add(Global(own, 0, align, SHARED_SPACE, False, None, outside=True))
    if renamed:
        rename(module, renamed)


def align_alike(module: Module, groups: list[list[str]]) -> None:
    """Give the globals of each group the largest alignment in it; groups may share some."""
    changed = True
    while changed:
        changed = False
        for group in groups:
            largest = max((module.globals[symbol].align for symbol in group), default=0)
            for symbol in group:
                changed |= module.globals[symbol].align != largest
                module.globals[symbol].align = largest


def rename(module: Module, renamed: dict[Symbol, Symbol]) -> None:
    """Let functions take the address of another global in the place of each of these."""
    for function in module.functions.values():
        for block in function.blocks:
            for op in block.ops:
                if isinstance(op, mir.AddressOf):
                    op.symbol = renamed.get(op.symbol, op.symbol)


@device("shared::instance_memory")
def shared_instance(call: Call) -> None:
    """Return the address of the shared array that the function's generic arguments tell from others: its type, and a tag."""
    module = call.frame.importer.module
    symbol = Symbol(call.source.symbol)
    if symbol not in module.globals:
        module.add(shared_array(call.frame.types, symbol, call.source.generic_args, call.frame.span))
    call.store(call.frame.add(mir.AddressOf(symbol)).addr)


LAUNCH_MARKERS = {
    "kernel::launch_bounds": ("maxntid", "minctasm"),
    "kernel::required_block": ("reqntid", "reqntid", "reqntid"),
    "kernel::cluster": ("cluster_dim", "cluster_dim", "cluster_dim"),
}
"""What the attributes of a kernel leave at the head of its body, with the fact that each argument is part of."""


@device(*LAUNCH_MARKERS)
def launch_marker(call: Call) -> None:
    """Keep what an attribute says of the kernel's launches; 0 in the place of a bound says nothing."""
    frame = call.frame
    if not frame.function.kernel or frame.is_inlined:
        # The kernel is called like any function here, and nothing is launched.
        return
    facts: dict[str, tuple[int, ...]] = {}
    for fact, operand in zip(LAUNCH_MARKERS[call.source.path], call.args, strict=True):
        facts[fact] = (*facts.get(fact, ()), constant_of(call, operand))
    frame.function.launch |= {fact: given for fact, given in facts.items() if any(given)}


@device("kernel::dynamic_shared_alignment")
def dynamic_shared_alignment(call: Call) -> None:
    """Align the dynamic shared memory as a launch contract says."""
    if call.frame.function.kernel and not call.frame.is_inlined:
        reserve_dynamic_shared(call.frame, constant_of(call, call.args[0]))


@device("kernel::unroll")
def unroll(call: Call) -> None:
    """Mark a loop to unroll, from inside or from before it."""
    frame = call.frame
    number, factor, inside = map(partial(constant_of, call), call.args)
    mark = frame.marks.setdefault((frame.scope, number), Mark())
    if inside:
        mark.inside.append((frame.ops, frame.add(mir.Unroll(factor))))
    else:
        mark.before.append(frame.ops)


@device("kernel::unchecked_indexing")
def unchecked_indexing(_call: Call) -> None:
    """The frame knows already."""


REGISTERS = {"h": 16, "r": 32, "l": 64, "q": 128, "f": 32, "d": 64, "n": 0}
"""Bits of the registers of inline PTX by the letter of their constraint; constants have none."""


@device("ptx::assembly")
def assembly(call: Call) -> None:
    """Import inline PTX: a text, LLVM's constraints, options, a tuple of the addresses of results, a tuple of what goes in."""
    frame, types = call.frame, call.frame.types
    text, constraints = text_of(call, call.args[0]), string_of(call, call.args[1])
    if not has_matching_braces(text):
        message = "the braces in this inline PTX do not match"
        raise Refusal(codes.ASSEMBLY_TEXT, message, frame.span, "close each `{` in the same text")
    options = constant_of(call, call.args[2])
    outputs, inputs = (frame.fields(spot_of(frame, operand)) for operand in call.args[3:])
    letters = [part for part in constraints.split(",") if part and part[0] != "~"]
    results: list[Type] = []
    args: list[Value] = []
    for spot, constraint in zip(outputs, letters, strict=False):
        pointee = types.pointee(spot.ty)
        assert pointee is not None, "outputs are addresses"
        results.append(register(call, pointee, constraint.removeprefix("="), results))
        args += spot.load_registers(frame)
    for spot, constraint in zip(inputs, letters[len(outputs) :], strict=False):
        register(call, spot.ty, constraint, results)
        args += spot.load_registers(frame)
    effects = not options & REGISTER_ONLY
    frame.add(mir.Assembly(tuple(args), text, constraints, tuple(results), effects, not options & MAY_DIVERGE))


NO_PTX = re.compile(r"\$\{[^}]*\}|//[^\n]*|/\*.*?\*/|\"[^\"]*\"", re.DOTALL)
"""What has no braces of PTX: LLVM's operands with a modifier, comments, strings."""


def has_matching_braces(text: str) -> bool:
    """Return whether each brace in inline PTX is closed, and none is closed that is not open."""
    depth = 0
    for brace in re.findall("[{}]", NO_PTX.sub("", text)):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


REGISTER_ONLY, MAY_DIVERGE = 1, 2
"""The options of inline PTX."""


def register(call: Call, ty: int, letter: str, results: list[Type]) -> Type:
    """Return the type of an operand's register; refuse one that does not fit the constraint, a digit being that of a result."""
    shape = call.frame.types.shape(ty)
    name = call.frame.types.name(ty)
    if shape.kind != "scalar" or shape.registers != shape.stored:
        raise Refusal(codes.ASSEMBLY_OPERAND, f"an operand of inline PTX is a `{name}`, which does not fit a register", call.frame.span)
    found = shape.registers[0]
    expected = width(results[int(letter)]) if letter.isdecimal() else REGISTERS[letter]
    is_float = letter in ("f", "d")
    fits = letter.isdecimal() or is_float is isinstance(found, FloatType)
    if letter == "n":
        if not isinstance(found, IntType):
            message = f"the constraint `n` of inline PTX is for an integer, got a `{name}`"
            raise Refusal(codes.ASSEMBLY_OPERAND, message, call.frame.span, "write other constants in the text, or pass them in a register")
    elif width(found) != expected or not fits:
        kind = "a float" if is_float else "an integer or an address"
        message = f"the constraint `{letter}` of inline PTX is for {kind} of {expected} bits, got a `{name}`"
        raise Refusal(codes.ASSEMBLY_OPERAND, message, call.frame.span, "choose the constraint of its type, or cast the operand")
    return found


def text_of(call: Call, operand: smir.Operand) -> str:
    """Return the text of inline PTX from its parts: those of the template, and in turn with them strings that mean nothing to LLVM.

    Such a string ends where it is over or at its first NUL, as one of C does.
    """
    match operand:
        case smir.ConstantOperand(value=smir.Allocated(memory)):
            inner, start, count = slice_at(call, memory, 0)
            parts = [bytes_of(call, inner, start + 16 * number).partition(b"\0")[0] for number in range(count)]
        case _:
            raise Refusal(codes.UNSUPPORTED, "the text of inline PTX is a constant: `ptx_asm!` writes it", call.frame.span)
    try:
        return "".join(part.decode().replace("$", "$$") if number % 2 else part.decode() for number, part in enumerate(parts))
    except UnicodeDecodeError:
        raise Refusal(codes.ASSEMBLY_OPERAND, "a string of inline PTX is text in UTF-8, got other bytes", call.frame.span) from None


def string_of(call: Call, operand: smir.Operand) -> str:
    """Return an argument that is a string literal."""
    match operand:
        case smir.ConstantOperand(value=smir.Allocated(memory)):
            return bytes_of(call, memory, 0).decode()
        case _:
            raise Refusal(codes.UNSUPPORTED, "the text of inline PTX is a literal: `ptx_asm!` writes it", call.frame.span)


NOTHING = smir.Memory("", 1, [], [])


def slice_at(call: Call, memory: smir.Memory, offset: int) -> tuple[smir.Memory, int, int]:
    """Return what a constant slice, `offset` bytes into memory, points to: the memory, where in it, and how many elements."""
    content, targets = bytes.fromhex(memory.bytes), dict(memory.relocations)
    start, length = (int.from_bytes(content[offset + part : offset + part + 8], "little") for part in (0, 8))
    if offset not in targets:
        # An empty slice may point nowhere.
        return NOTHING, 0, 0
    allocation = call.frame.importer.dump.allocations[targets[offset]]
    if isinstance(allocation, smir.StaticAllocation) and allocation.memory is not None:
        return allocation.memory, start, length
    assert isinstance(allocation, smir.MemoryAllocation), "a constant lies in memory"
    return allocation.memory, start, length


def bytes_of(call: Call, memory: smir.Memory, offset: int) -> bytes:
    """Return the bytes of a constant slice of them."""
    inner, start, length = slice_at(call, memory, offset)
    return bytes.fromhex(inner.bytes)[start : start + length]


def constant_of(call: Call, operand: smir.Operand) -> int:
    """Return an argument that is a constant of 32 bits."""
    match operand:
        case smir.ConstantOperand(value=smir.Allocated(memory)):
            return int.from_bytes(bytes.fromhex(memory.bytes), "little")
        case _:
            raise Refusal(codes.UNSUPPORTED, f"`{call.source.path}` is for the attributes of kernels", call.frame.span)
