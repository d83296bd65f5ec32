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
from oxide.dialects.operations import ROWS, RuntimeCall, raw
from oxide.errors import codes
from oxide.export.cpu_meanings import CHECK, CHECK_FENCE, REFUSED, SPIN, TRAP
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
    kind: str
    """`unsafe`, `convergent`, `register`, or nothing."""
    raw: str
    """Its path in crate cuda_intrinsics; empty where that does not have it."""

    @property
    def signature(self) -> str:
        """Its path, and its types as the table has them."""
        return f"{self.path}({', '.join(map(ir_type, self.parameters))}) {ir_type(self.result)}"


def declared_in(module: str, block: str, *, is_shared: bool) -> Iterator[Declared]:
    """Yield the functions of a list, one by one or as families."""
    kind = r"(?:(unsafe|convergent|register) )?"
    single = re.findall(rf"^ +{kind}fn (\w+)\((.*?)\)(?: -> (.+?))?(?: as (\w+))?;\n", block, re.MULTILINE)
    families = re.findall(rf"^ +{kind}fn\((.*?)\)(?: -> (\w+))?:([\s\w]+);", block, re.MULTILINE)
    several = [(kind, name, parameters, result, "") for kind, parameters, result, names in families for name in names.split()]
    for kind, name, parameters, result, renamed in [*single, *several]:
        types = [parameter.partition(": ")[2] for parameter in parameters.split(", ") if parameter]
        raw_path = f"{'sreg' if kind == 'register' else module}::{renamed or name}" if is_shared else ""
        yield Declared(f"{module}::{name}", types, result, kind, raw_path)


def declared() -> Iterator[Declared]:
    """Yield the operations that crate cuda_device declares, alone or in the lists of the folder that cuda_intrinsics includes too."""
    sources = REPOSITORY / "crates" / "cuda-device" / "src"
    for file in sources.rglob("*.rs"):
        for block in re.findall(r"^operations! \{(.*?)^\}", file.read_text(), re.MULTILINE | re.DOTALL):
            yield from declared_in(file.stem, block, is_shared=file.parent.name == "operations")


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
    rust = {(function.path, function.raw) for function in declared() if function.raw}
    table = {(row.path, row.raw) for row in operations.ROWS if row.raw}
    assert rust == table, "\n".join(map(str, ["the table lacks", *sorted(rust - table), "the lists lack", *sorted(table - rust)]))


def test_the_raw_crate_includes_each_list() -> None:
    text = (REPOSITORY / "crates" / "cuda-intrinsics" / "src" / f"{raw.VERSION}.rs").read_text()
    modules = set(re.findall(r"^    (\w+);$", text, re.MULTILINE))
    with_registers = set(re.findall(r'operations/(\w+)\.rs"\);', text))
    assert modules == {function.raw.partition("::")[0] for function in declared() if function.raw} - {"sreg"}
    assert with_registers == {"grammar", *(function.path.partition("::")[0] for function in declared() if function.kind == "register")}


def test_a_raw_operation_is_unsafe_where_threads_take_part_in_it() -> None:
    kinds = {function.path: function.kind for function in declared()}
    assert {path for path, kind in kinds.items() if kind == "convergent"} == {
        row.path for row in operations.ROWS if row.raw and row.convergent and kinds[row.path] != "unsafe"
    }


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


def test_the_device_has_the_functions_that_the_table_names() -> None:
    # A function of its own, or a line of a table of functions.
    source = "".join(path.read_text() for path in (REPOSITORY / "crates" / "oxide-cpu" / "src").rglob("*.rs"))
    asked = {row.cpu.function for row in ROWS if isinstance(row.cpu, RuntimeCall)} | {
        it.ask.function for it in (TRAP, REFUSED, SPIN, CHECK, CHECK_FENCE) if it.ask is not None
    }
    known = r"\bfn {}\(|^    {}(?:: \w+ = | -> \w+ = |\(\w+\) )"
    assert sorted(name for name in asked if not re.search(known.replace("{}", name), source, re.MULTILINE)) == []
