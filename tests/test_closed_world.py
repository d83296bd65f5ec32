"""What a new op, operation or intrinsic still lacks: these tests name it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oxide.cli import explain
from oxide.dialects import llvm, mir, nvvm, operations  # noqa: F401 - their ops
from oxide.dialects.operations import raw
from oxide.errors import codes
from oxide.export.llvm_ir import CONSTANTS, WRITERS
from oxide.ir import OPS
from oxide.lower import to_llvm  # noqa: F401 - the lowerings
from oxide.lower.registry import LOWERINGS
from oxide.mir_import.intrinsics.device import DEVICE_HANDLERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

REPOSITORY = Path(__file__).parents[1]
SOURCES = REPOSITORY / "src" / "oxide"
GOLDEN = REPOSITORY / "tests" / "golden"


def of_dialect(*names: str) -> list[str]:
    return [name for name in OPS if name.partition(".")[0] in names]


def in_goldens(stages: Iterable[str]) -> set[str]:
    """The ops that stand in the goldens of some stages."""
    files = [file for stage in stages for file in (GOLDEN / stage).iterdir()]
    return {name for file in files for name in re.findall(r'"([\w.]+)"\(', file.read_text())}


def test_every_op_is_of_a_known_dialect() -> None:
    assert {name.partition(".")[0] for name in OPS} == {"mir", "nvvm", "ptx", "llvm"}


@pytest.mark.parametrize("name", of_dialect("mir", "nvvm", "ptx"))
def test_an_op_has_a_lowering(name: str) -> None:
    assert OPS[name] in LOWERINGS


@pytest.mark.parametrize("name", of_dialect("llvm"))
def test_an_instruction_has_a_writer(name: str) -> None:
    assert (OPS[name] in WRITERS) != (OPS[name] in CONSTANTS)


@pytest.mark.parametrize("name", of_dialect("mir", "llvm"))
def test_an_op_has_a_golden(name: str) -> None:
    # Goldens are read and printed again, so the op's text form round-trips too.
    assert name in in_goldens(["llvm"] if name.startswith("mir.") else ["ll"])


def test_no_two_rows_are_one() -> None:
    assert len(operations.OPERATIONS) == len(operations.ROWS)
    assert len(operations.BY_PATH) == sum(1 for row in operations.ROWS if row.path)
    assert len(operations.BY_INTRINSIC) + len(operations.BY_ASSEMBLY) + len(operations.BY_SYSTEM_CALL) == len(operations.ROWS)


@dataclass(frozen=True)
class Declared:
    """A function of Rust that stands for an operation."""

    path: str
    parameters: list[str]
    result: str
    is_unsafe: bool

    @property
    def signature(self) -> str:
        """Its path, and its types as the table has them."""
        return f"{self.path}({', '.join(map(ir_type, self.parameters))}) {ir_type(self.result)}"


def declared_in(module: str, block: str) -> Iterator[Declared]:
    """Yield the functions of a list, one by one or as families."""
    single = re.findall(r"(unsafe )?fn (\w+)\((.*?)\)(?: -> (.+))?;\n", block)
    families = re.findall(r"(unsafe )?fn\((.*?)\)(?: -> (\w+))?:([\s\w]+);", block)
    several = [(unsafe, name, parameters, result) for unsafe, parameters, result, names in families for name in names.split()]
    for unsafe, name, parameters, result in [*single, *several]:
        types = [parameter.partition(": ")[2] for parameter in parameters.split(", ") if parameter]
        yield Declared(f"{module}::{name}", types, result, bool(unsafe))


def declared() -> Iterator[Declared]:
    """Yield the device operations of crate cuda_device."""
    for file in (REPOSITORY / "crates" / "cuda-device" / "src").glob("*.rs"):
        for block in re.findall(r"^device_operations! \{(.*?)^\}", file.read_text(), re.MULTILINE | re.DOTALL):
            yield from declared_in(file.stem, block)


def declared_raw() -> Iterator[Declared]:
    """Yield the functions of crate cuda_intrinsics."""
    text = (REPOSITORY / "crates" / "cuda-intrinsics" / "src" / f"{raw.VERSION}.rs").read_text()
    for module, block in re.findall(r"^pub mod (\w+) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        yield from declared_in(module, block)


RUST_TYPES = {"u16": "i16", "u32": "i32", "i32": "i32", "u64": "i64", "u128": "i128", "f32": "f32", "f64": "f64", "bool": "i1"}


def ir_type(rust: str) -> str:
    """Return the name of a Rust type in the table."""
    if array := re.fullmatch(r"\[(.+); (\d+)\]", rust):
        return f"[{ir_type(array[1])}; {array[2]}]"
    return "!llvm.ptr" if rust.startswith("*") else RUST_TYPES.get(rust, rust)


def signature(path: str, row: operations.Operation) -> str:
    """Return a row's path and types."""
    result = "" if row.result is None else f"[{row.result}; {row.count}]" if row.count > 1 else str(row.result)
    return f"{path}({', '.join(map(str, row.params))}) {result}"


def test_the_table_and_the_device_crate_have_the_same_operations() -> None:
    rust = {function.signature for function in declared() if function.path not in DEVICE_HANDLERS}
    table = {signature(row.path, row) for row in operations.ROWS if row.path}
    assert rust == table, "\n".join(["the table lacks", *sorted(rust - table), "crate cuda_device lacks", *sorted(table - rust)])


def test_the_table_and_the_raw_crate_have_the_same_operations() -> None:
    rust = {function.signature for function in declared_raw()}
    table = {signature(row.raw, row) for row in operations.ROWS if row.raw}
    assert rust == table, "\n".join(["the table lacks", *sorted(rust - table), "crate cuda_intrinsics lacks", *sorted(table - rust)])


def test_a_raw_operation_is_unsafe_where_threads_take_part_in_it() -> None:
    of_device = {function.path: function.is_unsafe for function in declared()}
    unsafe = {row.raw for row in operations.ROWS if row.raw and (row.convergent or of_device[row.path])}
    assert {function.path for function in declared_raw() if function.is_unsafe} == unsafe


def test_convergent_operations_touch_memory() -> None:
    # One that did not could be merged with another where threads have parted.
    assert [row.name for row in operations.ROWS if row.convergent and row.memory != "write"] == []


@pytest.mark.parametrize("code", codes.CODES.values(), ids=lambda code: code.name)
def test_a_code_is_met_by_a_program(code: codes.Code) -> None:
    programs = [*(REPOSITORY / "tests" / "diagnostics").rglob("*.rs"), *(REPOSITORY / "tests" / "cli").glob("*.py")]
    assert any(f"[{code.name}]" in program.read_text() for program in programs)


def test_the_codes_are_documented() -> None:
    # `./oxide explain --all > docs/errors.md` writes it.
    assert (REPOSITORY / "docs" / "errors.md").read_text() == explain.page()


def test_the_operations_are_documented() -> None:
    script = REPOSITORY / "scripts" / "list_operations.py"
    page = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    written = (REPOSITORY / "docs" / "operations.md").read_text()
    assert written == page, f"run `.venv/bin/python {script.relative_to(REPOSITORY)} >docs/operations.md`"
