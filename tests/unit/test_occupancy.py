"""Occupancy, against the calculation that the CUDA toolkit ships as C."""

from __future__ import annotations

import itertools
import subprocess
import sysconfig
from pathlib import Path

import pytest

from oxide.cli.occupancy import MULTIPROCESSORS, REGISTERS, Multiprocessor, Use, occupancy

PROGRAM = r"""
#include <stdio.h>
#include "cuda_occupancy.h"
int main(void) {
    int capability, threads, registers, barriers, warps, blocks;
    long shared, most;
    int reserved;
    while (scanf("%d %d %d %ld %d %d %ld %d", &capability, &threads, &registers, &shared, &barriers, &warps, &most, &reserved) == 8) {
        cudaOccDeviceProp device = {
            .computeMajor = capability / 10, .computeMinor = capability % 10, .maxThreadsPerBlock = 1024,
            .maxThreadsPerMultiprocessor = warps * 32, .regsPerBlock = 65536, .regsPerMultiprocessor = 65536, .warpSize = 32,
            .sharedMemPerBlock = 49152, .sharedMemPerMultiprocessor = most, .numSms = 1, .sharedMemPerBlockOptin = most - reserved,
            .reservedSharedMemPerBlock = reserved,
        };
        cudaOccFuncAttributes kernel = {
            .maxThreadsPerBlock = 1024, .numRegs = registers, .sharedSizeBytes = 0, .partitionedGCConfig = PARTITIONED_GC_OFF,
            .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN, .maxDynamicSharedSizeBytes = most - reserved, .numBlockBarriers = barriers,
        };
        cudaOccDeviceState state = { .cacheConfig = CACHE_PREFER_SHARED, .carveoutConfig = 100 };
        cudaOccResult result;
        int error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, shared);
        printf("%d\n", error ? -error : result.activeBlocksPerMultiprocessor);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    headers = sorted(Path(sysconfig.get_paths()["purelib"]).glob("nvidia/cu*/include/cuda_occupancy.h"))
    if not headers:
        pytest.skip("the CUDA runtime's headers are not installed")
    folder = tmp_path_factory.mktemp("occupancy")
    (folder / "reference.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O1", "-w", f"-I{headers[-1].parent}", folder / "reference.c", "-o", folder / "reference"], check=True)
    return folder / "reference"


def uses() -> list[tuple[int, Multiprocessor, Use]]:
    registers = (1, 16, 24, 33, 40, 64, 128, 168, 255)
    sizes = itertools.product((1, 32, 96, 128, 256, 416, 1024), registers, (0, 1, 4096, 40_000, 99_000), (0, 1, 5, 16))
    alike = [Use(*size) for size in sizes]
    return [(capability, has, use) for capability, has in MULTIPROCESSORS.items() for use in alike if use.shared <= has.most_shared]


def test_it_is_what_the_toolkit_calculates(reference: Path) -> None:
    asked = uses()
    lines = "".join(
        f"{capability} {use.threads} {use.registers} {use.shared} {use.barriers} {has.warps} {has.shared} {has.reserved}\n"
        for capability, has, use in asked
    )
    done = subprocess.run([reference], input=lines, capture_output=True, text=True, check=True)
    expected = list(map(int, done.stdout.split()))
    assert len(expected) == len(asked) > 5_000
    got = [occupancy(has, use).blocks for _, has, use in asked]
    assert [(what, one, other) for what, one, other in zip(asked, got, expected, strict=True) if one != other][:5] == []


def test_what_limits_it_is_named() -> None:
    has = MULTIPROCESSORS[90]
    assert occupancy(has, Use(threads=256, registers=32)).limit == "threads"
    assert occupancy(has, Use(threads=256, registers=64)).limit == "registers"
    assert occupancy(has, Use(threads=64, registers=16, shared=60_000)).limit == "shared memory"
    assert occupancy(has, Use(threads=32, registers=16)).limit == "blocks"
    none = occupancy(has, Use(threads=1024, registers=REGISTERS // 1024 + 1))
    assert (none.blocks, none.share) == (0, 0.0)
