"""Kernel time against nvcc's builds of the same kernels, torch and Triton, on one GPU: medians of paired runs, as ratios.

    python bench/kernels.py                        # compiles bench/kernels.rs with ./oxide, and prints a table
    python bench/kernels.py --ptx kernels.ptx      # for a machine without rustc: takes what `oxide build bench/kernels.rs --emit=ptx` made

It needs nvcc, cuda-python and torch; Triton is left out where it is not installed. A ratio above 1 says that ours is faster.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
ROUNDS = 15
"""Runs of each, in turn: one of ours, one of each peer."""

N = 1 << 28
SIDE = 8192
ROWS = 32768
WIDTH = 4096
GEMM = 4096


@dataclass
class Case:
    """One kernel with its launch, its peers in torch and Triton, and the bytes or operations that it stands for."""

    name: str
    ours: str
    theirs: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    args: list[Any]
    peers: dict[str, Callable[[], Any]]
    amount: float
    unit: str
    check: Callable[[], bool]
    before: Callable[[], Any] = lambda: None


def compile_ours(arch: str) -> bytes:
    """Return the PTX of bench/kernels.rs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [HERE.parent / "oxide", "build", HERE / "kernels.rs", "--arch", arch, "--emit=ptx", "--out-dir", folder]
        subprocess.run(command, check=True)
        return Path(folder, "kernels.ptx").read_bytes()


def resources(cubin: Path) -> dict[str, str]:
    """Return what the assembler gave each kernel: registers, stack and spills."""
    text = subprocess.run(["cuobjdump", "-res-usage", cubin], capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"Function (\w+):\n\s*(REG:\d+ STACK:\d+)", text))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptx", type=Path, help="the PTX of bench/kernels.rs, compiled before")
    parser.add_argument("--sass", type=Path, help="write both builds' machine code to this folder")
    parser.add_argument("names", nargs="*", help="only these kernels")
    given = parser.parse_args()

    import torch
    from cuda.bindings import driver

    torch.cuda.init()
    torch.zeros(1, device="cuda")
    major, minor = torch.cuda.get_device_capability()
    arch = f"sm_{major}{minor}"
    cubins = build(arch, given.ptx.read_bytes() if given.ptx else compile_ours(arch), given.sass)
    usage = {side: resources(cubin) for side, cubin in cubins.items()}
    modules = {side: call(driver.cuModuleLoadData(cubin.read_bytes())) for side, cubin in cubins.items()}
    print(f"{torch.cuda.get_device_name()}, {arch}; medians of {ROUNDS} paired runs; ratios above 1: ours is faster")
    print(f"{'kernel':<18} {'ours':>12} {'nvcc':>7}  peers{'':<34} registers and stack")
    for case in cases(torch):
        if given.names and case.name not in given.names:
            continue
        runs = {"ours": launcher(torch, modules["ours"], case.ours, case)}
        if case.theirs:
            runs["nvcc"] = launcher(torch, modules["theirs"], case.theirs, case)
        runs |= case.peers
        case.before()
        runs["ours"]()
        torch.cuda.synchronize()
        right = case.check()
        used = f"{usage['ours'].get(case.ours, '?')} | {usage['theirs'].get(case.theirs, '')}"
        print(f"{line(case, measure(torch, runs, case.before))} {used}{'' if right else '  WRONG RESULT'}", flush=True)


def build(arch: str, ptx: bytes, sass: Path | None) -> dict[str, Path]:
    """Return the cubins of both sides, ours from PTX; their machine code goes to `sass` if that is given."""
    folder = Path(tempfile.mkdtemp(prefix="oxide-bench-"))
    cubins = {side: folder / f"{side}.cubin" for side in ("ours", "theirs")}
    source = folder / "ours.ptx"
    source.write_bytes(ptx)
    subprocess.run(["ptxas", f"-arch={arch}", source, "-o", cubins["ours"]], check=True)
    subprocess.run(["nvcc", f"-arch={arch}", "-O3", "-cubin", HERE / "kernels.cu", "-o", cubins["theirs"]], check=True)
    if sass:
        sass.mkdir(parents=True, exist_ok=True)
        for side, cubin in cubins.items():
            code = subprocess.run(["nvdisasm", "-c", cubin], capture_output=True, check=True).stdout
            (sass / f"{side}.sass").write_bytes(code)
    return cubins


def call(result: tuple[Any, ...]) -> Any:
    """Return what the driver gave; end the program where that is an error."""
    from cuda.bindings import driver

    error, *values = result
    if error != driver.CUresult.CUDA_SUCCESS:
        sys.exit(f"the driver reports {error}")
    return values[0] if len(values) == 1 else values


def launcher(torch: Any, module: Any, name: str, case: Case) -> Callable[[], None]:
    """Return what launches a kernel of a module with the arguments of a case."""
    import ctypes

    from cuda.bindings import driver

    function = call(driver.cuModuleGetFunction(module, name.encode()))
    arguments: list[tuple[type[Any], int]] = []
    for value in case.args:
        if isinstance(value, int):
            arguments.append((ctypes.c_uint, value))
            continue
        arguments.append((ctypes.c_void_p, value.data_ptr()))
        if name.endswith("_safe"):
            # Slices are addresses with lengths.
            arguments.append((ctypes.c_size_t, value.numel()))
    kinds, values = zip(*arguments, strict=True)

    def run() -> None:
        stream = torch.cuda.current_stream().cuda_stream
        call(driver.cuLaunchKernel(function, *case.grid, *case.block, 0, stream, (values, kinds), 0))

    return run


def line(case: Case, times: dict[str, list[float]]) -> str:
    """Return a case's name, our speed, and the ratios of nvcc's and the peers' times to ours."""
    ours = statistics.median(times["ours"])
    ratios = {
        name: statistics.median([theirs / own for theirs, own in zip(measured, times["ours"], strict=True)])
        for name, measured in times.items()
        if name != "ours"
    }
    peers = "  ".join(f"{name} {ratio:.3f}" for name, ratio in ratios.items() if name != "nvcc")
    nvcc = f"{ratios['nvcc']:.3f}" if "nvcc" in ratios else "–"
    speed = f"{case.amount / ours / 1e9:.0f} {case.unit}"
    return f"{case.name:<18} {speed:>12} {nvcc:>7}  {peers:<39}"


def measure(torch: Any, runs: dict[str, Callable[[], Any]], before: Callable[[], Any]) -> dict[str, list[float]]:
    """Return the seconds of each run, `ROUNDS` times all in turn."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(ROUNDS + 2):
        # Who runs after whom changes, since what the caches hold does.
        for name, run in list(runs.items())[:: 1 if turn % 2 else -1]:
            before()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            run()
            end.record()
            end.synchronize()
            if turn >= 2:
                times[name].append(start.elapsed_time(end) / 1000)
    return times


def cases(torch: Any) -> list[Case]:
    """Return the kernels with fresh random inputs."""
    a, b, c = (torch.rand(N, device="cuda") for _ in range(3))
    out = torch.zeros(1, device="cuda")
    square, turned = torch.rand(SIDE, SIDE, device="cuda"), torch.empty(SIDE, SIDE, device="cuda")
    rows, soft = torch.randn(ROWS, WIDTH, device="cuda"), torch.empty(ROWS, WIDTH, device="cuda")
    left, right, product = (torch.rand(GEMM, GEMM, device="cuda") for _ in range(3))
    exact = (left.double() @ right.double()).float()
    matrices = [left, right, product, GEMM]
    indices = torch.randint(0, 256, (1 << 26,), dtype=torch.uint8, device="cuda")
    found = torch.empty(1 << 26, dtype=torch.int32, device="cuda")
    table = torch.tensor([i * 2_654_435_761 % (1 << 32) for i in range(256)], dtype=torch.int64, device="cuda")
    blocks = (N // 4 // 1024, 1, 1)
    triton = triton_peers(torch, a, b, c, rows, soft)

    def tables() -> bool:
        return bool((table[indices.long()].to(torch.int32) == found).all())

    def gemm() -> bool:
        return bool(((product - exact).norm() / exact.norm()) < 1e-5)

    flops = 2.0 * GEMM**3
    wide, tiles = (GEMM // 32, GEMM // 8, 1), (GEMM // 16, GEMM // 16, 1)
    return [
        Case("vecadd", "vecadd", "vecadd", blocks, (256, 1, 1), [a, b, c, N // 4],
             {"torch": lambda: torch.add(a, b, out=c), **triton["vecadd"]}, 12.0 * N, "GB/s", lambda: bool((c == a + b).all())),
        Case("copy", "copy", "copy", (N // 4 // 256, 1, 1), (256, 1, 1), [a, c, N // 4],
             {"torch": lambda: c.copy_(a)}, 8.0 * N, "GB/s", lambda: bool((c == a).all())),
        Case("sum", "total", "total", (264 * 2, 1, 1), (512, 1, 1), [a, out, N // 4],
             {"torch": lambda: torch.sum(a)}, 4.0 * N, "GB/s",
             lambda: abs(out.item() / a.double().sum().item() - 1) < 1e-5, lambda: out.zero_()),
        Case("transpose", "transpose", "transpose", (SIDE // 32, SIDE // 32, 1), (32, 8, 1), [square, turned, SIDE],
             {"torch": lambda: turned.copy_(square.t())}, 8.0 * SIDE**2, "GB/s", lambda: bool((turned == square.t()).all())),
        Case("softmax", "softmax", "softmax", (ROWS, 1, 1), (256, 1, 1), [rows, soft],
             {"torch": lambda: torch.softmax(rows, 1), **triton["softmax"]}, 8.0 * ROWS * WIDTH, "GB/s",
             lambda: bool(torch.allclose(soft, torch.softmax(rows, 1), rtol=1e-4, atol=1e-7))),
        Case("gemm_naive", "gemm_naive", "gemm_naive", wide, (32, 8, 1), matrices, {}, flops, "GFLOP/s", gemm),
        Case("gemm_naive_safe", "gemm_naive_safe", "gemm_naive", wide, (32, 8, 1), matrices, {}, flops, "GFLOP/s", gemm),
        Case("gemm_tiled", "gemm_tiled", "gemm_tiled", tiles, (16, 16, 1), matrices, {}, flops, "GFLOP/s", gemm),
        Case("gemm_tiled_safe", "gemm_tiled_safe", "gemm_tiled", tiles, (16, 16, 1), matrices, {}, flops, "GFLOP/s", gemm),
        *(
            Case(name, name, "", (1 << 18, 1, 1), (256, 1, 1), [indices, found], {}, 5.0 * (1 << 26), "GB/s", tables)
            for name in ("table_as_static", "table_by_reference", "table_by_value")
        ),
    ]  # fmt: skip


def triton_peers(torch: Any, a: Any, b: Any, c: Any, rows: Any, soft: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    """Return Triton's vector addition and softmax, or nothing where it is not installed."""
    try:
        import triton
    except ImportError:
        return {"vecadd": {}, "softmax": {}}
    sys.path.insert(0, str(HERE))
    import triton_kernels

    def softmax() -> None:
        triton_kernels.softmax[(ROWS,)](rows, soft, WIDTH, num_warps=8)

    return {
        "vecadd": {"triton": lambda: triton_kernels.vecadd[(triton.cdiv(N, 1024),)](a, b, c, N, BLOCK=1024)},
        "softmax": {"triton": softmax},
    }


if __name__ == "__main__":
    main()
