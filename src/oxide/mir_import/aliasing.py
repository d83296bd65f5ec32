"""Which `&[T]` parameters of kernels may be promised to be `noalias readonly`: those that are only read.

    withdraw_promises(module)      # a kernel's `flags: &[u32]` that is cast to atomics loses both; `data: &[f32]` keeps them

Rust says that nobody writes what is behind a `&[T]`. Programs for GPUs cast such a pointer to `*mut` all the same, to use atomics or
volatile reads on what other threads write, and LLVM would read it once, through a cache that is not coherent. So a promise holds only
where every access that the pointer reaches is a plain load.

Where pointers go is found as by L. O. Andersen, "Program Analysis and Specialization for the C Programming Language", chapter 4: for every
value a set of what it may point into, a parameter's memory or a local, without regard to the order of instructions or to who calls. A
local is divided into words of 8 bytes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from oxide.dialects import mir, operations
from oxide.ir import IntType, PointerType, Value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oxide.ir import Function, Module, Op, Type

WORD = 8
MOST_WORDS = 64
"""Of a copy; a larger one counts as a copy of all words."""

MOST_OFFSETS = 8
"""Of one local that a value may point into; a pointer that walks along it may point anywhere there."""


class Target(NamedTuple):
    """What a value may point into: the memory behind a parameter, or that of a local, by the value that is its address."""

    memory: Value
    offset: int | None
    """In bytes, of a local; None where it may be any."""


class Word(NamedTuple):
    """A word of a local: by number, -1 for one whose number is not known, -2 for all of them together."""

    local: Value
    number: int


UNKNOWN, ALL = -1, -2


def withdraw_promises(module: Module) -> None:
    """Remove the attributes of each parameter of a kernel whose memory is not only read."""
    kernels = [function for function in module.functions.values() if function.kernel and function.blocks]
    promised = {
        argument: (function, index)
        for function in kernels
        for index, (param, argument) in enumerate(zip(function.params, function.arguments, strict=True))
        if param.noalias and param.byval is None
    }
    if not promised:
        return
    for argument in Analysis(module, promised).broken():
        function, index = promised[argument]
        params = list(function.params)
        params[index] = replace(params[index], noalias=False, readonly=False)
        function.params = tuple(params)


class Analysis:
    """Where the pointers of a module's kernels go."""

    def __init__(self, module: Module, promised: Iterable[Value]) -> None:
        self.module = module
        self.promised = set(promised)
        self.locals: set[Value] = set()
        # Dictionaries without values: sets whose order is that in which they were filled, so that the same module always gives the same.
        self.targets: dict[Value | Word, dict[Target, None]] = defaultdict(dict)
        self.flows: dict[Value | Word, dict[tuple[Value | Word, int | None], None]] = defaultdict(dict)
        """Where a pointer goes on to, moved by so many bytes."""
        self.loads: dict[Value, list[tuple[Value, int]]] = defaultdict(list)
        """The results that are loaded from an address, each with its size."""
        self.stores: dict[Value, list[Value]] = defaultdict(list)
        """The values that are stored to an address."""
        self.copies: dict[Value, list[tuple[Value, int | None, bool]]] = defaultdict(list)
        """The other addresses of the copies to or from an address, each with its size, and whether it is the destination."""
        self.touched: list[Value] = []
        """The addresses of accesses that are more than plain loads."""
        self.escaping: list[Value] = []
        """Values that escape."""
        self.work: list[tuple[Value | Word, Target]] = []
        self.known: set[Word] = set()
        self.returns: dict[str, list[Value]] = defaultdict(list)
        for function in module.functions.values():
            for block in function.blocks:
                if isinstance(op := block.ops[-1], mir.Return) and op.value is not None and may_point(op.value.type):
                    self.returns[function.symbol].append(op.value)
        self.unread = {argument: function for function in module.functions.values() if function.blocks for argument in function.arguments}
        """The parameters of functions that no pointer has come to yet, whose ops do not matter so far."""
        for argument in promised:
            self.point(argument, Target(argument, 0))
        self.spread()

    def broken(self) -> set[Value]:
        """Return the parameters whose memory is touched otherwise than by plain loads."""
        found = {target.memory for address in self.touched for target in self.targets.get(address, ())} & self.promised
        todo = [target for value in self.escaping for target in self.targets.get(value, ())]
        # What is stored in memory that is no local is as good as handed away.
        for address, values in self.stores.items():
            if not self.points_to_locals(address):
                todo += [target for value in values for target in self.targets.get(value, ())]
        for address, others in self.copies.items():
            for other, _, is_destination in others:
                if is_destination and not self.points_to_locals(other):
                    todo += [target for word in self.words_of(self.targets.get(address, {})) for target in self.targets.get(word, ())]
        done: set[Value] = set()
        while todo:
            memory = todo.pop().memory
            if memory in done:
                continue
            done.add(memory)
            if memory in self.promised:
                found.add(memory)
            else:
                # Whoever is given the address of a local may do anything with the pointers in it.
                todo += self.targets.get(Word(memory, ALL), ())
        return found

    def points_to_locals(self, address: Value) -> bool:
        """Return whether an address is known to be that of a local."""
        targets = self.targets.get(address)
        return bool(targets) and all(target.memory in self.locals for target in targets or ())

    def words_of(self, targets: Iterable[Target]) -> list[Word]:
        """Return all words of the locals that these targets lie in."""
        return [Word(target.memory, ALL) for target in targets if target.memory in self.locals]

    def flow(self, source: Value | Word, to: Value | Word, moved: int | None = 0) -> None:
        """Record that a pointer flows to another value, moved by a number of bytes, or by an unknown one."""
        if (to, moved) in (known := self.flows[source]):
            return
        known[to, moved] = None
        for target in list(self.targets.get(source, ())):
            self.point(to, self.move(target, moved, to))

    def move(self, target: Target, moved: int | None, to: Value | Word) -> Target:
        """Return what a moved pointer points into."""
        if target.memory in self.promised or target.offset is None or moved == 0:
            return target
        if moved is None or sum(known.memory is target.memory for known in self.targets.get(to, ())) > MOST_OFFSETS:
            return Target(target.memory, None)
        return Target(target.memory, target.offset + moved)

    def point(self, node: Value | Word, target: Target) -> None:
        """Record that a value, or what is in a word, may point into something."""
        if target not in (found := self.targets[node]):
            found[target] = None
            self.work.append((node, target))

    def spread(self) -> None:
        """Let every pointer go everywhere it can."""
        while self.work:
            node, target = self.work.pop()
            if isinstance(node, Value) and (function := self.unread.get(node)) is not None:
                self.read(function)
            for to, moved in self.flows.get(node, ()):
                self.point(to, self.move(target, moved, to))
            if not isinstance(node, Value) or target.memory in self.promised:
                continue
            for result, size in self.loads.get(node, ()):
                for word in self.words(target, size):
                    self.flow(word, result)
            for value in self.stores.get(node, ()):
                self.flow(value, self.word(Word(target.memory, UNKNOWN if target.offset is None else target.offset // WORD)))
            for other, count, is_destination in self.copies.get(node, ()):
                for another in list(self.targets.get(other, ())):
                    if another.memory in self.locals:
                        self.copy(*((target, another) if is_destination else (another, target)), count)

    def word(self, word: Word) -> Word:
        """Return a word after saying that it is one of all."""
        if word not in self.known:
            self.known.add(word)
            self.flow(word, Word(word.local, ALL))
        return word

    def words(self, target: Target, size: int) -> list[Word]:
        """Return the words that so many bytes are read from."""
        if target.offset is None or size > MOST_WORDS * WORD:
            return [Word(target.memory, ALL)]
        numbers = (UNKNOWN, *range(target.offset // WORD, (target.offset + max(size, 1) - 1) // WORD + 1))
        return [self.word(Word(target.memory, number)) for number in numbers]

    def copy(self, source: Target, destination: Target, size: int | None) -> None:
        """Let the pointers in a piece of a local go on to another."""
        aligned = (
            source.offset is not None
            and destination.offset is not None
            and size is not None
            and size <= MOST_WORDS * WORD
            and (source.offset - destination.offset) % WORD == 0
        )
        if not aligned:
            self.flow(Word(source.memory, ALL), self.word(Word(destination.memory, UNKNOWN)))
            return
        assert source.offset is not None
        assert destination.offset is not None
        assert size is not None
        shift = (destination.offset - source.offset) // WORD
        for word in self.words(source, size):
            number = UNKNOWN if word.number == UNKNOWN else word.number + shift
            self.flow(word, self.word(Word(destination.memory, number)))

    def read(self, function: Function) -> None:
        """Record what each op of a function does to pointers."""
        for argument in function.arguments:
            del self.unread[argument]
        for block in function.blocks:
            for op in block.ops:
                self.take(op)

    def take(self, op: Op) -> None:
        """Record what an op does to pointers."""
        match op:
            case mir.Alloca(addr=address):
                self.locals.add(address)
                self.point(address, Target(address, 0))
            case mir.Load(addr=address, value=value, volatile=volatile):
                if volatile:
                    self.touched.append(address)
                if may_point(value.type):
                    self.loads[address].append((value, WORD if isinstance(value.type, PointerType) else value.type.width // 8))  # type: ignore[attr-defined]
            case mir.Store(addr=address, value=value):
                self.touched.append(address)
                if may_point(value.type):
                    self.stores[address].append(value)
            case mir.AtomicLoad(addr=address) | mir.SetDiscriminant(addr=address):
                self.touched.append(address)
            case mir.AtomicStore() | mir.AtomicUpdate() | mir.AtomicCompareExchange() | mir.CallPointer() | mir.Assembly():
                self.escaping += op.operands()
            case mir.Copy(dst=destination, src=source, size=size, volatile=volatile):
                self.touched += [destination, *([source] if volatile else [])]
                self.copied(source, destination, size)
            case mir.CopyBytes(dst=destination, src=source):
                self.touched.append(destination)
                self.copied(source, destination, None)
            case mir.SetBytes(dst=destination):
                self.touched.append(destination)
            case mir.Call(args=args, callee=callee, value=value):
                self.call(callee, args, value)
            case mir.Offset(base=base, bytes=moved, addr=address):
                self.flow(base, address, moved)
            case mir.Index(base=base, addr=address):
                self.flow(base, address, None)
            case mir.Select(if_true=one, if_false=other, value=value) if may_point(value.type):
                self.flow(one, value)
                self.flow(other, value)
            case mir.Bitcast(arg=value, value=result) | mir.IntCast(arg=value, value=result) if may_point(result.type):
                self.flow(value, result)
            case mir.AddressOf() | mir.Constant() | mir.Discriminant():
                pass
            case _:
                # An address as a number is still one, whatever is computed of it.
                for result in op.results():
                    if may_point(result.type):
                        for operand in op.operands():
                            if may_point(operand.type):
                                self.flow(operand, result, None)

    def copied(self, source: Value, destination: Value, size: int | None) -> None:
        """Record a copy."""
        self.copies[source].append((destination, size, True))
        self.copies[destination].append((source, size, False))

    def call(self, callee: str, args: tuple[Value, ...], value: Value | None) -> None:
        """Record a call: of a function of the module, of an operation, or of an unknown function."""
        function = self.module.functions[callee]
        if function.blocks:
            for arg, parameter in zip(args, function.arguments, strict=True):
                if may_point(arg.type):
                    self.flow(arg, parameter)
            if value is not None and may_point(value.type):
                for returned in self.returns[callee]:
                    self.flow(returned, value)
            return
        row = operations.BY_PATH.get(function.operation)
        if row is None:
            self.escaping += args
        elif row.path.startswith(COPIES) and len(args) > 1:
            # From the second address to the first.
            self.touched.append(args[0])
        elif row.path.startswith(CHANGING_LOAD):
            self.touched += args
        elif row.memory == "write":
            self.escaping += args
        elif value is not None and may_point(value.type):
            for arg in args:
                self.flow(arg, value, None)


COPIES = "async_copy::cp_async_c"
"""What the path of an asynchronous copy begins with, for its cache: `ca` or `cg`."""

CHANGING_LOAD = "cache::load_cv_"
"""What the path of a load of memory that others write begins with."""


def may_point(ty: Type) -> bool:
    """Return whether a value of a type may be an address, or hold one."""
    return isinstance(ty, PointerType) or (isinstance(ty, IntType) and ty.width >= 64)
