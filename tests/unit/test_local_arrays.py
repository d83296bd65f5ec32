"""Small arrays that are indexed at run time: what they become computes the same, and lies in registers."""

from __future__ import annotations

import ctypes
import itertools
import random
from typing import TYPE_CHECKING

import llvmlite.binding as llvm
import pytest

from oxide.export.local_arrays import in_registers

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8}
HEAD = 'target triple = "x86_64-unknown-linux-gnu"\n'
DEBUG = ", !note !0"


def run(ll: str) -> Callable[[int, int, int], int]:
    """Compile a module for this machine and return its function."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(ll)
    module.verify()
    engine = llvm.create_mcjit_compiler(module, llvm.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine())
    engine.finalize_object()
    function = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(engine.get_function_address("f"))
    setattr(function, "engine", engine)  # noqa: B010 - it lives as long as the function
    return function


def number(ty: str, value: str) -> tuple[str, str]:
    """Return what makes a number of a type of an `i64`, and its name."""
    if ty in ("float", "double"):
        return f"  {value}.n = uitofp i64 {value} to {ty}\n", f"{value}.n"
    return ("" if ty == "i64" else f"  {value}.n = trunc i64 {value} to {ty}\n"), value if ty == "i64" else f"{value}.n"


def function(ty: str, count: int, offset: int, stride: int, shift: int) -> str:
    """Return a function that fills an array, writes one element at `%i`, and returns the one at `%j`."""
    size = SIZES[ty]
    lines = [f"  %array = alloca [{count * stride} x i8], align 8"]
    for element in range(count):
        bits = f"{float(element + 3)}" if ty in ("float", "double") else str(element + 3)
        lines.append(f"  %e{element} = getelementptr i8, ptr %array, i64 {element * stride + offset}")
        lines.append(f"  store {ty} {bits}, ptr %e{element}, align {size}")
    made, value = number(ty, "%v")
    moved = f"  %base = getelementptr i8, ptr %array, i64 {offset - shift * stride}\n"
    back = (
        f"  %k = {'fptoui' if ty in ('float', 'double') else 'zext' if ty != 'i64' else 'add'} {ty} %r {', 0' if ty == 'i64' else 'to i64'}"
    )
    return f"""{HEAD}define i64 @f(i64 %i, i64 %j, i64 %v) {{
{chr(10).join(lines)}
{made}{moved}  %is = add i64 %i, {shift}
  %js = add i64 %j, {shift}
  %at = getelementptr [{stride} x i8], ptr %base, i64 %is
  store {ty} {value}, ptr %at, align {size}
  %from = getelementptr [{stride} x i8], ptr %base, i64 %js
  %r = load {ty}, ptr %from, align {size}
{back.replace(" ,", ",")}
  ret i64 %k
}}
"""


CASES = [
    (ty, count, offset, stride, shift)
    for ty, count, shift in itertools.product(SIZES, (1, 2, 3, 7, 8, 16), (0, 1, 5))
    for offset, stride in ((0, SIZES[ty]), (SIZES[ty], 2 * SIZES[ty]))
]


@pytest.mark.parametrize("ty", SIZES)
def test_the_choice_is_of_the_element(ty: str) -> None:
    for case in CASES:
        if case[0] != ty:
            continue
        printed = str(llvm.parse_assembly(function(*case)))
        text = in_registers(printed)
        assert text is not printed, case
        assert "[%" not in text
        assert f"getelementptr [{case[3]} x i8], ptr %base, i64 %is\n  store" not in text
        before, after = run(printed), run(text)
        chance = random.Random(repr(case))
        for _ in range(20):
            arguments = chance.randrange(case[1]), chance.randrange(case[1]), chance.randrange(100)
            assert after(*arguments) == before(*arguments), (case, arguments)


def test_what_is_set_by_one_call_is_taken_apart() -> None:
    body = """  %array = alloca [4 x i32], align 4
  call void @llvm.memset.p0.i64(ptr align 4 %array, i8 1, i64 16, i1 false)
  %at = getelementptr inbounds [4 x i32], ptr %array, i64 0, i64 %i
  %r = load i32, ptr %at, align 4
  %k = zext i32 %r to i64"""
    declared = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
    printed = str(llvm.parse_assembly(f"{HEAD}define i64 @f(i64 %i, i64 %j, i64 %v) {{\n{body}\n  ret i64 %k\n}}\n{declared}\n"))
    text = in_registers(printed)
    assert text is not printed
    assert run(text)(3, 0, 0) == 0x01010101


def test_lines_of_the_source_change_nothing() -> None:
    body = f"""  %array = alloca [4 x i32], align 4{DEBUG}
  call void @llvm.lifetime.start.p0(ptr nonnull %array){DEBUG}
  %at = getelementptr inbounds nuw [4 x i32], ptr %array, i64 0, i64 %i{DEBUG}
  store i32 7, ptr %at, align 4{DEBUG}
  %r = load i32, ptr %at, align 4{DEBUG}
  call void @llvm.lifetime.end.p0(ptr nonnull %array){DEBUG}
  %k = zext nneg i32 %r to i64"""
    declared = "declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\n!0 = !{}\n"
    printed = str(llvm.parse_assembly(f"{HEAD}define i64 @f(i64 %i, i64 %j, i64 %v) {{\n{body}\n  ret i64 %k\n}}\n{declared}"))
    text = in_registers(printed)
    assert text is not printed
    assert run(text)(3, 0, 0) == 7


@pytest.mark.parametrize(
    ("why", "use"),
    [
        ("its address is stored", "store ptr %array, ptr %out"),
        ("its address is passed on", "call void @g(ptr %array)"),
        ("it is read through a volatile access", "%u = load volatile i32, ptr %array"),
        ("an access is atomic", "%u = atomicrmw add ptr %array, i32 1 monotonic"),
        ("an address is chosen", "%u = select i1 true, ptr %array, ptr %out\n  %w = load i32, ptr %u"),
        ("two indices at once", "%u = getelementptr i32, ptr %at, i64 %j\n  %w = load i32, ptr %u"),
        ("an access is wider than the stride", "%u = load i64, ptr %at"),
    ],
)
def test_what_is_not_understood_stays(why: str, use: str) -> None:
    head = "  %array = alloca [4 x i32], align 8\n  store i32 1, ptr %array\n  %at = getelementptr i32, ptr %array, i64 %i\n"
    body = f"{head}  %r = load i32, ptr %at\n  {use}\n  ret void"
    printed = str(llvm.parse_assembly(f"define void @f(i64 %i, i64 %j, ptr %out) {{\n{body}\n}}\ndeclare void @g(ptr)\n"))
    assert in_registers(printed) is printed, why


def test_a_large_array_stays() -> None:
    body = "  %array = alloca [17 x i32], align 4\n  %at = getelementptr i32, ptr %array, i64 %i\n  %r = load i32, ptr %at\n  ret i32 %r"
    printed = str(llvm.parse_assembly(f"define i32 @f(i64 %i) {{\n{body}\n}}\n"))
    assert in_registers(printed) is printed
