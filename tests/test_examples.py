"""The examples, whole: real rustc, every stage, a real launch, on the CPU device and on a GPU where there is one."""

from __future__ import annotations

import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from audits import unmarked
from oxide.tools import gpu

ROOT = Path(__file__).parents[1]
OXIDE = ROOT / "oxide"
EXAMPLES = sorted(path.parent.name for path in ROOT.glob("examples/*/oxide.toml"))
GPU = pytest.param("cuda", marks=[pytest.mark.gpu, pytest.mark.skipif(not gpu.has_cuda_driver(), reason="no CUDA driver")])


def oxide(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run oxide in the repository."""
    environment = {**os.environ, **variables}
    return subprocess.run([OXIDE, *arguments], cwd=ROOT, capture_output=True, text=True, env=environment, timeout=600, check=False)


@pytest.mark.parametrize("device", ["cpu", GPU])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_program_succeeds(name: str, device: str) -> None:
    """The program checks its own result and prints what its oxide.toml says."""
    expected = tomllib.loads((ROOT / "examples" / name / "oxide.toml").read_text())["example"]["success"]
    done = oxide("run", name, "--device", device)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout.splitlines()


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_may_not_be_moved_says_so(name: str) -> None:
    built = oxide("build", name, "--device", "cpu", "--emit=ll", "-o", "-")
    assert built.returncode == 0, built.stderr
    assert unmarked(built.stdout) == []


def test_hello_constant_prints_the_classic_lines() -> None:
    """Data on stdout, in this order, and nothing else."""
    done = oxide("run", "hello_constant", "--device", "cpu")
    assert done.stdout.splitlines() == [
        "=== Unified Hello Constant Example ===",
        "Launching kernel...",
        "Output: 42",
        "SUCCESS: the device wrote 42",
    ]


def test_every_phase_is_told_in_order() -> None:
    """The nine phases of the driver, and the five lines of the runtime."""
    source = ROOT / "examples/hello_constant/src/main.rs"
    source.touch()  # cargo compiles it again, so that no phase is skipped
    done = oxide("run", "hello_constant", "--device", "cpu", RUST_LOG="info")
    told = [line for line in done.stderr.splitlines() if line.startswith("[PHASE ")]
    assert [line.partition("] ")[0] for line in told] == [f"[PHASE {number}/9" for number in (*range(1, 10), 9, 9, 9, 9, 9)]
    assert told[-5:] == [
        "[PHASE 9/9] a: host binary started",
        "[PHASE 9/9] b: initializing CUDA context (device 0)",
        "[PHASE 9/9] c: loading PTX module from hello_constant.ptx",
        '[PHASE 9/9] d: launching kernel kernel="hello_constant"',
        "[PHASE 9/9] e: to_host_vec",
    ]


def test_the_device_runs_what_was_exported(tmp_path: Path) -> None:
    """An edited .ll, compiled and put in place of the program's PTX, is what runs; an edited PTX is refused."""
    built = oxide("build", "hello_constant", "--emit=ll", "--out-dir", tmp_path, "--device", "cpu")
    assert built.returncode == 0, built.stderr
    text = tmp_path / "hello_constant.ll"
    text.write_text(text.read_text().replace("i32 42", "i32 43"))
    compiled = oxide("compile", "--from", text, "--to", "ptx", "-o", tmp_path / "hello_constant.ptx")
    assert compiled.returncode == 0, compiled.stderr
    (program,) = ROOT.glob("examples/target/oxide/*/release/hello_constant")

    def run() -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "OXIDE_DEVICE": "cpu"}
        return subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=60, check=False)

    assert "Output: 43" in run().stdout
    ptx = tmp_path / "hello_constant.ptx"
    ptx.write_text(ptx.read_text().replace("43", "44"))
    refused = run()
    assert refused.returncode == 1
    assert "was edited after oxide wrote it" in refused.stderr
