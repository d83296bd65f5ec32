"""How long oxide takes to compile, against LLVM and in itself.

    ./oxide setup && .venv/bin/python bench/compile.py            # tables
    .venv/bin/python bench/compile.py --json                      # one object

Machines are shared and noisy, so each figure is the least of several runs, and what can be is a ratio of two in one run.
Nothing here is a test.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import re
import resource
import subprocess
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from dumps import dump

from oxide.cache.files import Cache
from oxide.dialects.target import choose
from oxide.export import llvm_ir
from oxide.export.worker import LlvmWorker
from oxide.ir import verify
from oxide.lower.to_llvm import to_llvm
from oxide.lower.to_nvvm import to_nvvm
from oxide.mir_import import import_dump
from oxide.options import CompileOptions, environment
from oxide.pipeline import STAGE
from oxide.rust.toolchain import find_rust

ROOT = Path(__file__).parents[1]
EXAMPLES = ("hello_constant", "vecadd", "saxpy", "map_closure", "match_enum", "reduce")
SIZES = (200, 2_000, 20_000, 200_000)
SMALLEST_THAT_COUNTS = 2_000
"""Below this, what a run costs once hides the growth."""
STATEMENTS_A_FUNCTION = 20
OPTIONS = CompileOptions()
PHASE = re.compile(r"\[PHASE (\d)/9\] (?:([a-e]): )?")


def middle(source: bytes) -> tuple[str, dict[str, float]]:
    """Run the Python stages as the pipeline does; return the .ll and the seconds of each."""
    seconds: dict[str, float] = {}
    collecting = gc.isenabled()
    gc.disable()
    start = time.process_time()

    def lap(name: str) -> None:
        nonlocal start
        now = time.process_time()
        seconds[name] = now - start
        start = now

    module = import_dump(source)
    verify(module, STAGE["mir"].dialects)
    lap("import")
    module = to_nvvm(module, OPTIONS)
    verify(module, STAGE["nvvm"].dialects)
    lap("nvvm")
    module = to_llvm(module, OPTIONS)
    verify(module, STAGE["llvm"].dialects)
    lap("llvm")
    text = llvm_ir.to_ll(module)
    lap("ll")
    if collecting:
        gc.enable()
    return text, seconds


def against_llvm(worker: LlvmWorker, runs: int) -> dict[str, Any]:
    """Compare the Python stages with LLVM on the largest of the six programs."""
    dumps = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in EXAMPLES:
            command = [str(ROOT / "oxide"), "build", name, "--emit=mir-json", "--out-dir", folder]
            subprocess.run(command, capture_output=True, check=True)
            dumps[name] = Path(folder, f"{name}.mir.json").read_bytes()
    name = max(dumps, key=lambda key: len(middle(dumps[key])[0]))
    python, llvm = math.inf, math.inf
    stages: dict[str, float] = {}
    for _ in range(runs):
        text, seconds = middle(dumps[name])
        if sum(seconds.values()) < python:
            python, stages = sum(seconds.values()), seconds
        start = time.perf_counter()
        worker.ptx(text, choose(None, ()), OPTIONS)
        llvm = min(llvm, time.perf_counter() - start)
    return {"program": name, "python_s": python, "llvm_s": llvm, "python_over_llvm": python / llvm, "stages_s": stages}


@dataclass(frozen=True)
class Row:
    """One size of the growth table."""

    shape: str
    statements: int
    seconds: float
    dump_mib: float


def growth(sizes: tuple[int, ...], runs: int) -> tuple[list[Row], float | None]:
    """Time the Python stages over sizes, as one function and as many; return the worst slope between neighbours from 2,000 on too."""
    rows = []
    for shape in ("one", "many"):
        for size in sizes:
            source = dump(size, 1 if shape == "one" else size // STATEMENTS_A_FUNCTION)
            seconds = min(sum(middle(source)[1].values()) for _ in range(max(1, min(runs, 20_000 // size))))
            rows.append(Row(shape, size, seconds, len(source) / 2**20))
            gc.collect()
    slopes = [
        math.log(after.seconds / before.seconds) / math.log(after.statements / before.statements)
        for before, after in pairwise(rows)
        if before.shape == after.shape and before.statements >= SMALLEST_THAT_COUNTS
    ]
    return rows, max(slopes, default=None)


def peak_mib() -> float:
    """Return the most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def least(runs: int, *commands: list[str]) -> list[float]:
    """Return the least seconds that each of some commands takes, run in turn."""
    best = [math.inf] * len(commands)
    for _ in range(runs):
        for number, command in enumerate(commands):
            start = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def over_cargo(runs: int) -> float:
    """Return the seconds that `oxide build` takes more than `cargo build` where nothing has changed."""
    rust = find_rust(None, environment(), Cache(environment().cache))
    cargo = ["env", f"RUSTC={rust.rustc}", rust.cargo, "build", "--release", "--manifest-path", str(ROOT / "examples/vecadd/Cargo.toml")]
    oxide = [str(ROOT / "oxide"), "build", "vecadd"]
    for command in (cargo, oxide):
        subprocess.run(command, capture_output=True, check=True)
    plain, ours = least(runs, cargo, oxide)
    return ours - plain


def edit_to_output(runs: int) -> dict[str, Any]:
    """Edit vecadd's kernel and run it, warm.

    Return the least seconds to its first line, when each phase of that run began, and the least seconds of a run with nothing changed,
    the program's own time taken off.
    """
    source = ROOT / "examples/vecadd/src/main.rs"
    original = source.read_text()
    command = [str(ROOT / "oxide"), "run", "vecadd"]
    subprocess.run(command, capture_output=True, check=True)
    best = math.inf
    phases: dict[str, float] = {}
    try:
        for number in range(runs):
            source.write_text(original.replace("a[i] + b[i]", f"a[i] + b[i] + {number}.0 * 0.0") + f"// {number}\n")
            total, began = timed_run(command)
            if total < best:
                best, phases = total, began
    finally:
        source.write_text(original)
        subprocess.run(command, capture_output=True, check=False)
    binary = next(iter(ROOT.glob("examples/target/oxide/*/release/vecadd")))
    ours, alone = least(runs, command, [str(binary)])
    nothing = ours - alone
    return {"edit_to_output_s": best, "nothing_changed_s": nothing, "phases_s": phases}


def timed_run(command: list[str]) -> tuple[float, dict[str, float]]:
    """Run a program through oxide; return the seconds to its first line of output, and to the line of each phase."""
    start = time.perf_counter()
    began: dict[str, float] = {}
    variables = {**os.environ, "RUST_LOG": "info"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables)
    assert process.stdout is not None
    assert process.stderr is not None

    def listen() -> None:
        for line in process.stderr or ():
            if found := PHASE.match(line):
                began[found[1] + (found[2] or "")] = time.perf_counter() - start

    listener = threading.Thread(target=listen)
    listener.start()
    process.stdout.readline()
    total = time.perf_counter() - start
    process.wait()
    listener.join()
    return total, began


def new_projects(runs: int) -> dict[str, float]:
    """Return the seconds of `oxide new x && oxide run x` where nothing was compiled before, and of the next ones."""
    known = environment().cache
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder, "cache")
        cache.mkdir()
        for name in ("backend", "device"):
            (cache / name).symlink_to(known / name)
        seconds = []
        for number in range(1 + runs):
            command = f"{ROOT}/oxide new p{number} && {ROOT}/oxide run p{number}"
            variables = {**os.environ, "OXIDE_CACHE": str(cache), "OXIDE_DEVICE": "cpu"}
            start = time.perf_counter()
            subprocess.run(command, shell=True, cwd=folder, env=variables, capture_output=True, check=True)
            seconds.append(time.perf_counter() - start)
    return {"first": seconds[0], "next": min(seconds[1:])}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--runs", type=int, default=7, help="runs of which the least counts")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="statements of the generated dumps")
    arguments = parser.parse_args()
    with LlvmWorker() as worker:
        worker.ptx('target triple = "nvptx64-nvidia-cuda"\n', choose(None, ()), OPTIONS)
        ratio = against_llvm(worker, arguments.runs)
    rows, exponent = growth(tuple(arguments.sizes), arguments.runs)
    peak = peak_mib()
    oxide = str(ROOT / "oxide")
    figures = {
        "python_over_llvm": ratio["python_over_llvm"],
        "growth_exponent": exponent,
        "peak_mib": peak,
        "help_s": least(arguments.runs, [oxide, "--help"])[0],
        "doctor_s": least(arguments.runs, [oxide, "doctor"])[0],
        "build_over_cargo_s": over_cargo(arguments.runs),
        **edit_to_output(arguments.runs),
        "new_project_s": new_projects(arguments.runs),
    }
    if arguments.json:
        print(json.dumps({**figures, "against_llvm": ratio, "growth": [asdict(row) for row in rows]}, indent=2))
        return
    print(f"{ratio['program']}: Python {ratio['python_s'] * 1e3:.1f} ms, LLVM {ratio['llvm_s'] * 1e3:.1f} ms")
    for row in rows:
        print(f"{row.shape:>5} {row.statements:>8,} statements {row.seconds:8.3f} s  {row.dump_mib:7.1f} MiB")
    for name, value in figures.items():
        if isinstance(value, dict):
            print(f"{name:>20} " + ", ".join(f"{key} {seconds:.2f}" for key, seconds in value.items()))
        else:
            print(f"{name:>20} {value:8.3f}" if value is not None else f"{name:>20}        -")


if __name__ == "__main__":
    main()
