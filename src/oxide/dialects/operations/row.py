"""A row of the table of GPU operations.

    Operation(
        "warp::active_mask", "ptx.activemask", (), I32, Intrinsic("llvm.nvvm.activemask"), RuntimeCall("active_mask"),
        convergent=True, memory="write",
    )

The files beside this one hold the rows, a file a topic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from oxide.dialects.operations import raw
from oxide.ir import F32, F64, I1, I16, I32, I64, I128, PTR, Pointer, Struct

if TYPE_CHECKING:
    from oxide.ir import Type

SHARED, GLOBAL = 3, 1
"""Address spaces (LLVM NVPTX usage, "Address Spaces")."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """An argument of an intrinsic that is always this number, an `i32`."""

    number: int


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A call of LLVM's intrinsic, by its full name."""

    name: str
    arguments: tuple[int | Fixed, ...] | None = None
    """What it is given: parameters by number, and fixed numbers; all parameters in order where nothing is said."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """Inline PTX: `$0` and so on are the results, then the parameters."""

    text: str


@dataclass(frozen=True, slots=True)
class SystemCall:
    """A call of a function that the driver has for every module (CUDA, "System calls")."""

    name: str


@dataclass(frozen=True, slots=True)
class RuntimeCall:
    """A call of the CPU device's function of this name, with these numbers first, then the operands of the GPU's code."""

    function: str
    first: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """LLVM IR for the CPU, a function's body; the operands are `%0`, `%1` and so on: `Body("  ret i32 0")`."""

    text: str


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of LLVM IR for the CPU, in the place of the call; the operands are `%0`, `%1` and so on.

    It is checked as all instructions are that access memory.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One row: an operation in Rust, in the `nvvm` dialect, in LLVM IR and on the CPU device."""

    path: str
    """The function's path inside crate `cuda_device`; empty where only lowerings make the op."""
    name: str
    params: tuple[Type, ...]
    result: Type | None
    code: Intrinsic | Assembly | SystemCall
    cpu: RuntimeCall | Body | Instruction | None
    """What it means on the CPU device; None for what has no meaning there, and is refused before a launch."""
    count: int = 1
    """How many results there are: several are an array in Rust, which is written through a first pointer."""
    spaces: tuple[tuple[int, int], ...] = ()
    """The parameters that are addresses in one address space, each with its space; Rust knows generic ones."""
    immediate: tuple[int, ...] = ()
    """The parameters that stand in the instruction itself and must be constants."""
    convergent: bool = False
    """All threads of a warp or block take part: it may not be moved into or out of a branch, copied or merged."""
    memory: Literal["none", "read", "write"] = "none"
    """What it does to memory: nothing, reads what changes, or orders and changes it."""
    sm: int = 75
    """The smallest target, as 10 times the compute capability."""
    ptx: int = 63
    """The smallest PTX version, as 10 times the version."""
    doc: str = ""
    """What it does, where only lowerings make it; functions of `cuda_device` are documented there."""

    @property
    def raw(self) -> str:
        """The function's path inside crate `cuda_intrinsics`, below its version; empty where that crate does not have it."""
        return raw.path(self.path, self.name)

    @property
    def is_told_where(self) -> bool:
        """Whether the CPU device is told where each use stands: it may have to tell of threads that wait there, or of a fault."""
        return self.memory == "write" and isinstance(self.cpu, RuntimeCall)

    @property
    def operands(self) -> tuple[Type, ...]:
        """The types of the op's operands."""
        return (PTR, *self.params) if self.count > 1 else self.params

    @property
    def given(self) -> tuple[Type, ...]:
        """The types of the parameters as the GPU's code is given them."""
        spaces = dict(self.spaces)
        return tuple(Pointer(spaces[number]) if number in spaces else ty for number, ty in enumerate(self.params))

    @property
    def signature(self) -> tuple[tuple[Type, ...], Type | None]:
        """The types that the intrinsic or the inline PTX takes and gives; inline PTX has truth values in 32 bits."""
        match self.code:
            case Intrinsic(arguments=arguments):
                order = range(len(self.params)) if arguments is None else arguments
                return tuple(I32 if isinstance(it, Fixed) else self.given[it] for it in order), self._gives(self.result)
            case Assembly() | SystemCall():
                return tuple(I32 if ty is I1 else ty for ty in self.given), self._gives(I32 if self.result is I1 else self.result)

    def _gives(self, ty: Type | None) -> Type | None:
        return Struct((ty,) * self.count) if self.count > 1 and ty is not None else ty

    @property
    def constraints(self) -> str:
        """LLVM's constraints of inline PTX (LLVM NVPTX usage, "Inline assembly")."""
        takes, _ = self.signature
        results = [] if self.result is None else [f"={letter(I32 if self.result is I1 else self.result)}"] * self.count
        params = ["n" if number in self.immediate else letter(ty) for number, ty in enumerate(takes)]
        return ",".join([*results, *params, *(["~{memory}"] if self.memory == "write" else [])])


LETTERS: dict[Type, str] = {I16: "h", I32: "r", I64: "l", I128: "q", F32: "f", F64: "d"}


def letter(ty: Type) -> str:
    """Return the constraint of a type; addresses are 64 bits wide in every space."""
    return LETTERS.get(ty, "l")
