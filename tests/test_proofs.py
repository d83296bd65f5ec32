"""Every GPU operation is used by a program that checks its own results, and docs/operations.md says which."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import proofs
from oxide.dialects.operations import BY_PATH, numbers

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def used() -> frozenset[str]:
    """What is used by the programs that check themselves: tests/programs, the examples, tests/operations."""
    examples = [proofs.uses(file) for file in proofs.EXAMPLES.glob("*/src/**/*.rs")]
    return proofs.numbers().union(*proofs.uses_of_programs().values(), *examples)


@pytest.mark.parametrize("path", BY_PATH)
def test_an_operation_is_used_by_a_program(path: str, used: frozenset[str]) -> None:
    assert path in used, "no program of tests/programs calls it, and tests/operations does not run it"


def test_the_operations_of_numbers_are_all_run() -> None:
    assert proofs.numbers() == {row.path for row in numbers.ROWS}


def test_calls_are_read_off_sources() -> None:
    program = """
        use cuda_device::{async_copy::*, cluster::cluster_sync, debug, thread};
        fn clock() {} // thread::sync_threads()
        unsafe fn kernel(barrier: ManagedBarrier) {
            debug::prof_trigger::<3>();
            cuda_device::thread::threadIdx_x();
            cp_async_wait_all();
            cluster_sync();
            clock();
            barrier.arrive();
            let bar_sync = "warp::lane_id()"; let quote = '"'; let lanemask = ("warp::lanemask_eq()", '\\'', "thread::smid()");
            gpu_assert!(thread::blockIdx_x() == 0 && other::elect(1));
        }
    """
    assert proofs.operations(program) == {
        "debug::pmevent", "thread::threadIdx_x", "async_copy::cp_async_wait_all", "cluster::barrier_cluster_arrive_aligned",
        "cluster::barrier_cluster_wait_aligned", "debug::assert_fail", "thread::blockIdx_x",
    }  # fmt: skip


def test_what_is_recorded_is_there() -> None:
    assert proofs.recorded().keys() <= proofs.programs().keys()


def test_a_mark_is_for_a_source_and_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {name: tmp_path / f"{name}.rs" for name in ("one", "two")}
    for file in files.values():
        file.write_text("")
    monkeypatch.setattr(proofs, "RECORD", tmp_path / "gpu.json")
    monkeypatch.setattr(proofs, "programs", lambda: files)

    def record(device: str, *names: str) -> list[str]:
        proofs.RECORD.write_text(proofs.record(device, list(names), f"compiler of {names[0]}"))
        return sorted(proofs.on_gpu())

    assert proofs.on_gpu() == frozenset()
    assert record("NVIDIA H200", "one") == ["one"]
    assert record("NVIDIA H200", "two") == ["one", "two"]
    assert proofs.compilers() == {"compiler of one": ["one"], "compiler of two": ["two"]}
    files["one"].write_text("changed")
    assert proofs.on_gpu() == {"two"}
    # What is no longer so is not kept, nor what another GPU did.
    assert record("NVIDIA H200", "two") == ["two"]
    assert json.loads(proofs.RECORD.read_text())["programs"].keys() == {"two"}
    assert record("NVIDIA B200", "one") == ["one"]


def test_a_proof_on_a_gpu_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    path = "thread::sync_threads_count"
    monkeypatch.setattr(proofs, "uses_of_programs", lambda: {"all": {path, "thread::smid"}, "one": {path}, "another": {path}})
    monkeypatch.setattr(proofs, "on_gpu", lambda: frozenset({"elsewhere"}))
    assert proofs.proof(path) == proofs.Proof("all", on_gpu=False)
    monkeypatch.setattr(proofs, "on_gpu", lambda: frozenset({"one", "another"}))
    assert proofs.proof(path) == proofs.Proof("another", on_gpu=True)
    assert proofs.proof("thread::gridid") is None
    assert proofs.proof("prmt::prmt") == proofs.Proof("tests/operations", on_gpu=True)


@pytest.mark.parametrize("topic", ["float_signs", "guarded_shifts", "small_arrays", "widened_signed", "widened_unsigned"])
def test_what_code_generation_got_wrong_has_been_right_on_a_gpu(topic: str) -> None:
    """`scripts/record_gpu.py --output` marks the topics of tests/run, for their sources as they were then."""
    assert topic in proofs.topics_on_gpu()
