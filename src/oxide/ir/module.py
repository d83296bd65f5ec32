"""What holds ops: blocks, functions, globals and the module.

module = Module("vecadd")
function = Function(Symbol("vecadd"), [PTR, I64], None)
block = function.add_block()
block.ops.append(mir.Return(None))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oxide.ir.ops import Op, Symbol, Value
from oxide.ir.types import PointerType

if TYPE_CHECKING:
    from oxide.ir.location import Location
    from oxide.ir.types import Type


class Block:
    """Ops that run one after another; the last is the only terminator. Only entry blocks have parameters: the function's."""

    __slots__ = ("ops", "params")

    def __init__(self, params: tuple[Value, ...] = ()) -> None:
        self.params = params
        self.ops: list[Op] = []


@dataclass(frozen=True, slots=True)
class Param:
    """What a caller promises of one parameter."""

    type: Type
    byval: tuple[int, int] | None = None
    """Size and alignment of the memory behind a pointer that the callee gets a copy of."""
    noalias: bool = False
    readonly: bool = False
    """Nobody writes the memory behind the pointer while the function runs."""

    @property
    def size_and_align(self) -> tuple[int, int]:
        """Bytes and alignment of what is passed."""
        if self.byval is not None:
            return self.byval
        size = 8 if isinstance(self.type, PointerType) else max(self.type.width // 8, 1)  # type: ignore[attr-defined]
        return size, size


@dataclass(slots=True, eq=False)
class Function:
    """A function; without blocks it is declared only."""

    symbol: Symbol
    params: tuple[Param, ...]
    result: Type | None
    kernel: bool = False
    """An entry that the host launches."""
    exported: bool = False
    """A function of a device library, which other modules call by its name."""
    weak: bool = False
    """Other modules that are linked with this one may hold the same function: an instance of a generic kernel."""
    inline: str = "default"
    """`default`, `hint`, `always` or `never`."""
    operation: str = ""
    """Of a declaration: the path of the device operation that it stands for."""
    convergent: bool = True
    """Of a declaration: threads may meet in it."""
    memory: str = "write"
    """Of a declaration: what it does to memory, `write`, `read` or `none`; where it does not write, it also returns, always."""
    flushes: bool = False
    """Whether subnormal `f32` count as zero; of a module for LLVM."""
    launch: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Of a kernel: what holds of its launches, by the names of `LAUNCH_FACTS`."""
    signature: str = ""
    """Of a kernel: what it takes, as `oxide.ir.signature` writes it."""
    loc: Location | None = None
    blocks: list[Block] = field(default_factory=list)

    def add_block(self) -> Block:
        """Append a block; the first one gets the function's parameters."""
        block = Block(() if self.blocks else tuple(Value(param.type) for param in self.params))
        self.blocks.append(block)
        return block

    @property
    def arguments(self) -> tuple[Value, ...]:
        """The parameters' values."""
        return self.blocks[0].params


@dataclass(frozen=True, slots=True)
class Relocation:
    """Eight bytes at `offset` hold the address of `symbol` plus `addend`."""

    offset: int
    symbol: Symbol
    addend: int


LAUNCH_FACTS = {"maxntid": 1, "minctasm": 1, "reqntid": 3, "cluster_dim": 3}
"""Most threads of a block, least blocks of a multiprocessor, a block's shape, a cluster's shape: how many numbers each has, by LLVM's names
(LLVM NVPTX usage, "Kernel attributes")."""

GLOBAL_SPACE = 1
"""The address space of the device's memory (LLVM NVPTX usage, "Address Spaces")."""

SHARED_SPACE = 3
"""The address space of what a block of threads shares (LLVM NVPTX usage, "Address Spaces")."""

CONSTANT_SPACE = 4
"""The address space of what no kernel writes."""


@dataclass(slots=True, eq=False)
class Global:
    """A piece of memory that lives as long as the module, or as the block of threads in `SHARED_SPACE`."""

    symbol: Symbol
    size: int
    align: int
    space: int
    constant: bool
    content: bytes | None
    """Initial bytes; None for memory without any."""
    relocations: tuple[Relocation, ...] = ()
    outside: bool = False
    """The host says what is in it, or, of shared memory, how large it is."""

    def pieces(self) -> list[bytes | Relocation]:
        """Return the initial content as bytes and pointers in turn."""
        content = self.content or b""
        pieces: list[bytes | Relocation] = []
        done = 0
        for relocation in self.relocations:
            if relocation.offset > done:
                pieces.append(content[done : relocation.offset])
            pieces.append(relocation)
            done = relocation.offset + 8
        if done < len(content):
            pieces.append(content[done:])
        return pieces


@dataclass(slots=True, eq=False)
class Module:
    """All that one crate's kernels need, in a fixed order."""

    name: str
    stage: str
    globals: dict[str, Global] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)

    def add(self, item: Function | Global) -> None:
        """Add a function or global; its symbol must be new."""
        if item.symbol in self.functions or item.symbol in self.globals:
            raise ValueError(f"symbol {item.symbol} is defined twice")
        if isinstance(item, Function):
            self.functions[item.symbol] = item
        else:
            self.globals[item.symbol] = item
