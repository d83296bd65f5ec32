"""What numbers the CPU device computes: bit for bit those of the GPU whose results gpu.json holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import compare
import pytest

from oxide.dialects.operations import numbers
from oxide.tools import gpu

FOLDER = Path(__file__).parent
KINDS = {"f16": "i16", "bf16": "i16", "f16x2": "i32", "bf16x2": "i32", "single": "f32", "double": "f64", "unsigned": "i32", "signed": "i32"}
PATHS = [row.path for row in numbers.ROWS]


def results(device: str, folder: Path) -> dict[str, compare.Section]:
    """Run the program."""
    file = folder / f"{device}.txt"
    command = [sys.executable, "-m", "oxide", "run", os.fspath(FOLDER), "--device", device, "--", os.fspath(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    FOLDER.joinpath("operations.ptx").unlink(missing_ok=True)
    assert done.returncode == 0, done.stderr
    return compare.read(file)


@pytest.fixture(scope="module")
def cpu(tmp_path_factory: pytest.TempPathFactory) -> dict[str, compare.Section]:
    """What the CPU device gives."""
    return results("cpu", tmp_path_factory.mktemp("numbers"))


@pytest.mark.timeout(600)
def test_every_row_is_run(cpu: dict[str, compare.Section]) -> None:
    program = {path: [KINDS[kind] for kind in section.kinds] for path, section in cpu.items()}
    assert program == {row.path: [*map(str, row.params), str(row.result)] for row in numbers.ROWS}


def test_every_approximation_has_its_bound(cpu: dict[str, compare.Section]) -> None:
    assert {path for path, section in cpu.items() if section.bound} == {path for path in PATHS if "_approx_" in path}


@pytest.mark.parametrize("path", PATHS)
def test_the_cpu_device_computes_what_a_gpu_does(cpu: dict[str, compare.Section], path: str) -> None:
    if not (known := compare.recorded()):
        pytest.skip("no results of a GPU are recorded: tests/operations/compare.py --record")
    assert path in known, "not proven on a GPU"
    assert cpu[path].digest == known[path]


@pytest.mark.gpu
@pytest.mark.skipif(not gpu.has_cuda_driver(), reason="no CUDA driver")
def test_the_gpu_of_this_machine_agrees(cpu: dict[str, compare.Section], tmp_path: Path) -> None:
    assert compare.differences(results("cuda", tmp_path), cpu) == {}


def test_what_differs_is_told() -> None:
    def section(name: str, *results: str) -> dict[str, compare.Section]:
        kind = "double" if name.endswith("f64") else "single"
        return {name: compare.Section(name, ["3f800000", "40000000"], [kind, kind], list(results))}

    sine, first = section("float::sin_approx_ftz_f32", "3f576aa4", "3f68c7b7"), section("float::rcp_rn_f32", "3f800000", "3f000000")
    assert compare.differences(sine, section("float::sin_approx_ftz_f32", "3f576aa5", "3f68c7b6")) == {}
    assert list(compare.differences(sine, section("float::sin_approx_ftz_f32", "3f576aa4", "3f68c8b7"))) == [*sine]
    assert compare.differences(first, section("float::rcp_rn_f32", "3f800000", "3f000001")) == {
        "float::rcp_rn_f32": "1 of 2 differ\n  40000000: 3f000000, 3f000001"
    }
    assert compare.differences(first, sine) == dict.fromkeys([*first, *sine], "missing in one file")
    nans = [section("float::add_rn_f64", nan, "0" * 16) for nan in ("fff8" + "0" * 12, "7ff8" + "0" * 12)]
    assert compare.differences(*nans) == {}
    assert nans[0]["float::add_rn_f64"].digest == nans[1]["float::add_rn_f64"].digest


def test_what_is_out_of_bounds_is_not_recorded(cpu: dict[str, compare.Section]) -> None:
    path = "float::ex2_approx_f32"
    wrong = {path: compare.Section(path, cpu[path].inputs, cpu[path].kinds, ["00000000"] * len(cpu[path].results))}
    assert path in compare.record("a GPU", cpu, cpu, "a compiler")
    assert path not in compare.record("a GPU", {**cpu, **wrong}, cpu, "a compiler")
