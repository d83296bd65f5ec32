"""Every row of the table of GPU operations, in a kernel of its own: what it becomes, and that NVIDIA's assembler takes it at its target."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from audits import answer_of_ptxas
from oxide import pipeline
from oxide.dialects import target
from oxide.dialects.operations import ROWS, Assembly, Intrinsic, Operation, SystemCall
from oxide.errors import UsageError
from oxide.export.llvm_ir import spell_string
from oxide.export.worker import LlvmWorker
from oxide.options import CompileOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GROUPS = sorted({(row.sm, row.ptx) for row in ROWS})
"""The targets that rows ask for, with the PTX versions."""

ENTRIES = {row: f"operation_{number}" for number, row in enumerate(ROWS)}
"""The kernel of each row."""


def kernel(row: Operation) -> str:
    """Return a kernel that does a row's operation with numbers from memory, and writes the result there."""
    params = [(f"%p{number}", str(ty)) for number, ty in enumerate(row.params)]
    given = [*([("%place", "!llvm.ptr")] if row.count > 1 else []), *params]
    result = None if row.count > 1 else row.result
    does = f'"{row.name}"({", ".join(name for name, _ in given)}) : ({", ".join(ty for _, ty in given)}) -> {result or "()"}'
    write = f'  "mir.store"(%result, %place) {{align = 8 : i64, volatile = true}} : ({result}, !llvm.ptr) -> ()'
    lines = [
        '"mir.func"() ({',
        "^bb0(%place: !llvm.ptr):",
        # Not parameters: ptxas 13.0 crashes for sm_80 where the token of a barrier is one.
        *(constant(name, ty) if number in row.immediate else load(name, ty) for number, (name, ty) in enumerate(params)),
        *([f"  {does}"] if result is None else [f"  %result = {does}", write]),
        '  "mir.return"() : () -> ()',
        f'}}) {{kernel, params = [!llvm.ptr], sym_name = "{ENTRIES[row]}"}} : () -> ()',
    ]
    return "\n".join(lines)


def constant(name: str, ty: str) -> str:
    """Return the op that gives one."""
    return f'  {name} = "mir.constant"() {{bits = 1 : i64}} : () -> {ty}'


def load(name: str, ty: str) -> str:
    """Return the op that reads a parameter."""
    return f'  {name} = "mir.load"(%place) {{align = 8 : i64, volatile = true}} : (!llvm.ptr) -> {ty}'


@dataclass
class Compiler:
    """What compiles the rows of a group, once."""

    worker: LlvmWorker
    done: dict[tuple[int, int], tuple[str, str]]

    def __call__(self, sm: int, ptx: int) -> tuple[str, str]:
        """Return the LLVM IR and the PTX of a group's rows."""
        if (sm, ptx) not in self.done:
            kernels = "\n".join(kernel(row) for row in ROWS if (row.sm, row.ptx) == (sm, ptx))
            made = self.compile(kernels, CompileOptions(arch=f"sm_{sm}"), {"ll", "ptx"})
            self.done[sm, ptx] = made["ll"].decode(), made["ptx"].decode()
        return self.done[sm, ptx]

    def compile(self, kernels: str, options: CompileOptions, emit: set[str]) -> dict[str, bytes]:
        """Take kernels through the pipeline."""
        module = f'"builtin.module"() ({{\n{kernels}\n}}) {{oxide.stage = "nvvm", sym_name = "operations"}} : () -> ()\n'
        return pipeline.compile(module.encode(), start="nvvm", emit=emit, options=options, worker=self.worker, name="operations")


@pytest.fixture(scope="module")
def compiled() -> Iterator[Compiler]:
    with LlvmWorker() as worker:
        yield Compiler(worker, {})


def body(text: str, row: Operation) -> str:
    """Return the kernel of a row, of LLVM IR or PTX."""
    found = re.search(rf"{ENTRIES[row]}\((.*?)(?=^define |^declare |^\t// \.globl|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def called(ll: str, row: Operation) -> tuple[str, set[str]]:
    """Return the call of a row's code, and what it and the declaration say of it."""
    match row.code:
        case Intrinsic(name):
            callee = f"@{name}("
            (declaration,) = re.findall(rf"^declare .*{re.escape(callee)}.*$", ll, re.MULTILINE)
        case Assembly(text):
            callee = f'{spell_string(text.encode())}, "{row.constraints}"('
            declaration = ""
        case SystemCall(name):
            callee = f"@{name}("
            (declaration,) = re.findall(rf"^declare .*{re.escape(callee)}.*$", ll, re.MULTILINE)
    (call,) = [line for line in body(ll, row).splitlines() if callee in line]
    groups = re.findall(r"#\d+$", call) + re.findall(r"#\d+$", declaration)
    words = [re.findall(rf"^attributes {group} = \{{ (.*) \}}$", ll, re.MULTILINE)[0].split() for group in groups]
    return call, {word for found in words for word in found}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_becomes_its_code(compiled: Compiler, row: Operation) -> None:
    ll, ptx = compiled(row.sm, row.ptx)
    call, words = called(ll, row)
    # Every function is, a call of the driver's too.
    assert ("convergent" in words) == (row.convergent or isinstance(row.code, SystemCall))
    if isinstance(row.code, Assembly):
        assert (" sideeffect " in call) == (row.memory != "none")
        pattern = re.sub(r"\\\$\d+", lambda _: r"[\w%-]+", re.escape(row.code.text))
        assert re.search(pattern, body(ptx, row))


@pytest.mark.parametrize(("sm", "version"), GROUPS)
def test_ptxas_takes_the_rows_of_a_target(compiled: Compiler, sm: int, version: int, tmp_path: Path) -> None:
    _, ptx = compiled(sm, version)
    assert f".version {version // 10}.{version % 10}\n.target sm_{sm}\n" in ptx or version < target.parse(f"sm_{sm}").ptx
    (file := tmp_path / "operations.ptx").write_text(ptx)
    assert answer_of_ptxas(file) == ""


def before(sm: int) -> str | None:
    """Return the target before one."""
    return next((name for name in reversed(target.PTX_OF_TARGET) if target.parse(name).sm < sm), None)


@pytest.mark.parametrize("row", [row for row in ROWS if before(row.sm)], ids=lambda row: row.name)
def test_the_target_before_is_refused(row: Operation) -> None:
    with pytest.raises(UsageError, match=f"requires sm_{row.sm}, the target is {before(row.sm)}"):
        target.choose(before(row.sm), [row])


def test_an_image_for_the_cpu_device_has_every_row(compiled: Compiler) -> None:
    kernels = "\n".join(map(kernel, ROWS))
    assert compiled.compile(kernels, CompileOptions(), {"cpu"})["cpu"].startswith(b"\x7fELF")
