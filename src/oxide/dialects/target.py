"""GPU targets and PTX versions, as data.

    target = parse("sm_90a")
    target.processor, target.features       # what LLVM is told: "sm_90a", "+ptx80"

LLVM takes an unknown target with a warning and writes wrong code for it, so a target is checked here first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxide.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oxide.dialects.operations import Operation

PTX_OF_TARGET = {
    "sm_75": 63, "sm_80": 70, "sm_86": 71, "sm_87": 74, "sm_88": 90, "sm_89": 78, "sm_90": 78, "sm_90a": 80,
    "sm_100": 86, "sm_100a": 86, "sm_100f": 88, "sm_101": 86, "sm_101a": 86, "sm_101f": 88, "sm_103": 88, "sm_103a": 88, "sm_103f": 88,
    "sm_110": 90, "sm_110a": 90, "sm_110f": 90, "sm_120": 87, "sm_120a": 87, "sm_120f": 88, "sm_121": 88, "sm_121a": 88, "sm_121f": 88,
}  # fmt: skip
"""The smallest PTX version (times 10) that knows a target (PTX ISA, "Release History")."""

PTX_VERSIONS = tuple(version for version in range(63, 91) if version not in (66, 67, 68, 69, 79, 89))
"""The PTX versions (times 10) from the first that knows a target (PTX ISA, "Release History")."""

MOST_PARAMETER_BYTES = 32_764
"""The parameter space of a kernel (PTX ISA, "Kernel Function Parameters")."""

FEW_PARAMETER_BYTES = 4_352
"""What fits the parameter space before PTX 8.1."""

PTX_OF_DEBUG_SECTIONS = 75
"""Sections with differences of labels (PTX ISA, "Debugging Directives")."""

PTX_OF_MANY_PARAMETERS = 81

PTX_OF_WIDE_REGISTERS = 83
"""Registers of 128 bits, operands of inline PTX (PTX ISA, "Fundamental Types")."""

LEAST_OF_LIBNVVM = "sm_100"
"""The first target for which libNVVM reads LLVM IR of today; before, it reads LLVM 7's, with typed pointers (NVVM IR Specification)."""


def parameter_offsets(parts: Iterable[tuple[int, int]]) -> tuple[list[int], int]:
    """Return where parameters lie, given by size and alignment, one after another as PTX lays them out, and the bytes of all."""
    offsets: list[int] = []
    end = 0
    for size, align in parts:
        offsets.append(end + -end % align)
        end = offsets[-1] + size
    return offsets, end


def parameter_bytes(parts: Iterable[tuple[int, int]]) -> int:
    """Return the bytes of parameters, given by size and alignment."""
    return parameter_offsets(parts)[1]


@dataclass(frozen=True, slots=True)
class Target:
    """A GPU architecture: `sm_90`, with suffix `a` for its own features or `f` for its family's."""

    name: str
    ptx: int
    """The PTX version to write, times 10."""

    @property
    def sm(self) -> int:
        """The compute capability times 10."""
        return int(self.name.removeprefix("sm_").rstrip("af"))

    @property
    def processor(self) -> str:
        """What LLVM calls it."""
        return self.name

    @property
    def features(self) -> str:
        """LLVM's feature string."""
        return f"+ptx{self.ptx}"


def require_libnvvm(arch: str) -> None:
    """Raise `UsageError` for a target whose LLVM IR libNVVM does not read in the form that oxide writes."""
    if parse(arch).sm < parse(LEAST_OF_LIBNVVM).sm:
        message = f"libNVVM reads only the IR of LLVM 7 for {arch}, which oxide does not write"
        raise UsageError(message, hint=f"--arch {LEAST_OF_LIBNVVM} or later; for {arch} use PTX or a cubin")


def parse(arch: str) -> Target:
    """Return the target named `arch`; raise `UsageError` for an unknown one."""
    if arch not in PTX_OF_TARGET:
        first = next(iter(PTX_OF_TARGET))
        number = arch.removeprefix("sm_")
        too_small = number.isdecimal() and int(number) < int(first.removeprefix("sm_"))
        smallest = f"{first} is the smallest of {', '.join(PTX_OF_TARGET)}"
        raise UsageError(f"unknown target '{arch}'", hint=smallest if too_small else did_you_mean(arch, PTX_OF_TARGET))
    return Target(arch, PTX_OF_TARGET[arch])


def target_of(ptx: str) -> str:
    """Return the target that a PTX module declares, `sm_90a` (PTX ISA, ".target"); raise `UsageError` where it declares none."""
    found = re.search(r"^\.target (sm_\w+)", ptx, re.MULTILINE)
    if found is None:
        raise UsageError("the text has no `.target` line, so it is not PTX", hint="a PTX module has a line `.target sm_90`")
    return found[1]


def parse_version(text: str) -> int:
    """Return the PTX version, times 10, that `8.6` names; raise `UsageError` for one that is not known."""
    known = {f"{version // 10}.{version % 10}": version for version in PTX_VERSIONS}
    if text not in known:
        raise UsageError(f"unknown PTX version '{text}'", hint=f"one of {', '.join(known)}")
    return known[text]


def parse_list(archs: Iterable[str]) -> tuple[str, ...]:
    """Return the targets that are named, each once, the smallest first: `sm_80,sm_90a` names two.

    Raises `UsageError` for an unknown one.
    """
    names = {name.strip() for text in archs for name in text.split(",")}
    order = list(PTX_OF_TARGET)
    return tuple(sorted((parse(name).name for name in names), key=order.index))


def nearest(arch: str) -> str:
    """Return the target to compile for where a GPU of this architecture is: its own, or the last known one before it.

    A newer GPU runs an older target's PTX (PTX ISA, ".target"). Raises `UsageError` for a GPU older than every target.
    """
    known = [name for name in PTX_OF_TARGET if name.removeprefix("sm_").isdecimal()]
    wanted = int(arch.removeprefix("sm_"))
    older = [name for name in known if int(name.removeprefix("sm_")) <= wanted]
    if not older:
        raise UsageError(f"the GPU is {arch}, and {known[0]} is the smallest target", hint="--device cpu runs without the GPU")
    return max(older, key=lambda name: int(name.removeprefix("sm_")))


def best(archs: Iterable[str], present: str) -> str | None:
    """Return the largest of these targets whose PTX runs on a GPU of this architecture, such as `sm_90`; None where none does."""
    return max((arch for arch in archs if is_read_by(arch, present)), key=list(PTX_OF_TARGET).index, default=None)


def is_read_by(arch: str, present: str) -> bool:
    """Return whether PTX for a target runs on a GPU of this architecture, as cuda-core's `image::Target` says of what a program carries.

    A target without a suffix runs on all later GPUs, one with `f` on later ones of its family, one with `a` on its own
    (PTX ISA, ".target").
    """
    least, sm = parse(arch).sm, int(present.removeprefix("sm_"))
    if arch.endswith("a"):
        return sm == least
    return sm >= least and (not arch.endswith("f") or family(sm) == family(least))


def family(sm: int) -> int:
    """Return what GPUs share features: those of one major number, but for sm_101, whose later name is sm_110."""
    return 11 if sm == 101 else sm // 10


def choose(arch: str | None, operations: Iterable[Operation], ptx: int = 0) -> Target:
    """Return the target for a module with these operations and in need of this PTX version: the one asked for, else the smallest.

    Raises `UsageError` where the target asked for lacks one.
    """
    used = list(operations)
    target = parse(arch or smallest(used))
    for row in used:
        if row.sm > target.sm:
            raise UsageError(f"`{row.path}` requires sm_{row.sm}, the target is {target.name}", hint=f"--arch sm_{row.sm}")
    return Target(target.name, max([ptx, target.ptx, *(row.ptx for row in used)]))


def smallest(operations: Iterable[Operation]) -> str:
    """Return the smallest target that has these operations."""
    needed = max((row.sm for row in operations), default=0)
    return next(name for name in PTX_OF_TARGET if parse(name).sm >= needed)
