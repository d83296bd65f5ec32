"""How many blocks of a kernel a multiprocessor holds at once, by what each takes of it.

    occupancy(MULTIPROCESSORS[90], Use(threads=256, registers=40, shared=4096))     # Occupancy(blocks=6, warps=48, …, limit="registers")

CUDA C++ Programming Guide, "Multiprocessor Level" and "Technical Specifications per Compute Capability"; the CUDA toolkit's
cuda_occupancy.h computes the same.
"""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32
REGISTERS = 65_536
"""Of a multiprocessor, and the most of a block."""
MOST_REGISTERS = 255
"""Of a thread."""
PARTITIONS = 4
"""Of a multiprocessor, each with its own registers."""
REGISTER_UNIT = 256
"""Registers are given to a warp in multiples of this."""


@dataclass(frozen=True)
class Multiprocessor:
    """What a multiprocessor of one compute capability has. Shared memory is in bytes."""

    warps: int
    blocks: int
    shared: int
    shared_unit: int = 128
    reserved: int = 1024
    """What the system takes of each block's shared memory."""
    barriers: int = 0
    """Of all blocks together; 0 where blocks do not have to share them."""

    @property
    def most_shared(self) -> int:
        """What one block may have, where it asks for more than 48 KiB."""
        return self.shared - self.reserved


MULTIPROCESSORS = {
    75: Multiprocessor(warps=32, blocks=16, shared=65_536, shared_unit=256, reserved=0),
    80: Multiprocessor(warps=64, blocks=32, shared=167_936),
    86: Multiprocessor(warps=48, blocks=16, shared=102_400),
    87: Multiprocessor(warps=48, blocks=16, shared=167_936),
    89: Multiprocessor(warps=48, blocks=24, shared=102_400),
    90: Multiprocessor(warps=64, blocks=32, shared=233_472, barriers=64),
    100: Multiprocessor(warps=64, blocks=32, shared=233_472, barriers=64),
    103: Multiprocessor(warps=64, blocks=32, shared=233_472, barriers=64),
    110: Multiprocessor(warps=48, blocks=24, shared=233_472, barriers=24),
    120: Multiprocessor(warps=48, blocks=24, shared=102_400, barriers=24),
    121: Multiprocessor(warps=48, blocks=24, shared=102_400, barriers=24),
}
"""By compute capability, times 10."""


@dataclass(frozen=True)
class Use:
    """What one block takes. `shared` is static and dynamic shared memory together, in bytes; `barriers` are those by number."""

    threads: int
    registers: int
    """Of a thread."""
    shared: int = 0
    barriers: int = 0


@dataclass(frozen=True)
class Occupancy:
    """How many blocks and warps are there at once, the share of the warps that could be, and what keeps more of them out."""

    blocks: int
    warps: int
    share: float
    limit: str


def occupancy(has: Multiprocessor, use: Use) -> Occupancy:
    """Return the occupancy of a multiprocessor by blocks that are alike; none fits where one alone takes more than there is."""
    warps = -(-use.threads // WARP)
    limits = {
        "threads": has.warps // warps,
        "registers": blocks_by_registers(use.registers, warps),
        "shared memory": blocks_by_shared(has, use.shared),
        "blocks": has.blocks,
        "barriers": has.barriers // use.barriers if use.barriers and has.barriers else has.blocks,
    }
    blocks = min(limits.values())
    return Occupancy(blocks, blocks * warps, blocks * warps / has.warps, next(name for name, most in limits.items() if most == blocks))


def blocks_by_registers(registers: int, warps: int) -> int:
    """Return how many blocks of so many warps the registers are enough for."""
    a_warp = round_up(max(registers, 1) * WARP, REGISTER_UNIT)
    if registers > MOST_REGISTERS or a_warp * round_up(warps, PARTITIONS) > REGISTERS:
        return 0
    return REGISTERS // PARTITIONS // a_warp * PARTITIONS // warps


def blocks_by_shared(has: Multiprocessor, shared: int) -> int:
    """Return how many blocks the shared memory is enough for."""
    a_block = round_up(shared + has.reserved, has.shared_unit)
    if a_block == 0:
        return has.blocks
    return has.shared // a_block


def round_up(number: int, unit: int) -> int:
    """Return the first multiple of `unit` that is no less than `number`."""
    return -(-number // unit) * unit
