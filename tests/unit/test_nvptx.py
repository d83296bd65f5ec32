"""What LLVM's NVPTX code generation gets wrong, family by family, in the PTX: at every optimisation level, for targets old and new."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest

from oxide.export.llvm_ir import DATA_LAYOUT, TRIPLE
from oxide.export.nvptx import without_miscompilations
from oxide.export.worker import LlvmWorker
from oxide.options import CompileOptions
from oxide.target import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = f'target datalayout = "{DATA_LAYOUT}"\ntarget triple = "{TRIPLE}"\n'
LEVELS = (0, 1, 2, 3)
TARGETS = ("sm_75", "sm_80", "sm_90", "sm_100")
EVERYWHERE = list(product(LEVELS, TARGETS))


@pytest.fixture(scope="module")
def worker() -> Iterator[LlvmWorker]:
    with LlvmWorker() as made:
        yield made


def kernel(parameters: str, body: str, rest: str = "") -> str:
    """Return a module of one kernel."""
    return (
        f"{HEAD}define ptx_kernel void @k({parameters}) #0 {{\n{body}\n  ret void\n}}\n{rest}\nattributes #0 = {{ convergent nounwind }}\n"
    )


def ptx_of(worker: LlvmWorker, ll: str, level: int = 3, target: str = "sm_90") -> str:
    """Return the PTX of a module, from the first instruction on."""
    text = worker.ptx(ll, parse(target), CompileOptions(arch=target, opt_level=level))
    return text.partition("{\n")[2].partition("\n{\n")[2] or text.partition(".entry")[2]


SHIFTED = ("i8", "i16", "i32", "i64", "i128")
AMOUNTS = ("i8", "i16", "i32", "i64", "i128")


def guarded_shift(shift: str, ty: str, amount: str, *, inverted: bool) -> str:
    """Return a shift by an amount that is less than the width, else zero."""
    width, bits = int(ty[1:]), int(amount[1:])
    cast = "add" if ty == amount else "zext" if bits < width else "trunc"
    as_shifted = f"  %by = {f'add {ty} %s, 0' if cast == 'add' else f'{cast} {amount} %s to {ty}'}"
    chosen = f"{ty} 0, {ty} %shifted" if inverted else f"{ty} %shifted, {ty} 0"
    body = f"""{as_shifted}
  %less = icmp {"uge" if inverted else "ult"} {amount} %s, {width}
  %shifted = {shift} {ty} %x, %by
  %found = select i1 %less, {chosen}
  store {ty} %found, ptr %out"""
    return kernel(f"{ty} %x, {amount} %s, ptr %out", body)


@pytest.mark.parametrize("shift", ["shl", "lshr", "ashr"])
@pytest.mark.parametrize("inverted", [False, True])
def test_the_guard_of_a_shift_stays(worker: LlvmWorker, shift: str, inverted: bool) -> None:
    """PTX's shifts clamp their amount, of 32 bits: a guard of more bits may not go."""
    for ty, amount in product(SHIFTED, AMOUNTS):
        if int(amount[1:]) <= 32:
            continue  # The amount is all there is: what is cut off it is nothing.
        text = ptx_of(worker, guarded_shift(shift, ty, amount, inverted=inverted))
        assert "setp." in text, f"{shift} {ty} by {amount}"


@pytest.mark.parametrize(("level", "target"), EVERYWHERE)
def test_the_guard_of_a_shift_stays_everywhere(worker: LlvmWorker, level: int, target: str) -> None:
    for shift in ("shl", "lshr"):
        text = ptx_of(worker, guarded_shift(shift, "i64", "i64", inverted=False), level, target)
        assert "setp." in text
        assert re.search(r"and\.b\d+ .*, 63;", text), text


def test_a_shift_without_a_wide_guard_is_one_instruction(worker: LlvmWorker) -> None:
    """A guard of 32 bits is what PTX's shift does by itself, and without a guard there is nothing to keep."""
    text = ptx_of(worker, guarded_shift("shl", "i32", "i32", inverted=False))
    assert "setp." not in text
    assert "shl.b32" in text
    plain = kernel("i64 %x, i64 %s, ptr %out", "  %found = shl i64 %x, %s\n  store i64 %found, ptr %out")
    assert not re.search(r"and\.b\d+ ", ptx_of(worker, plain))


def test_shifts_of_vectors_and_of_odd_widths_are_masked() -> None:
    text = kernel("<2 x i64> %x, <2 x i64> %s, ptr %out", "  %found = shl nsw <2 x i64> %x, %s\n  store <2 x i64> %found, ptr %out")
    assert "= and <2 x i64> %s, splat (i64 63)" in without_miscompilations(text)
    odd = "  %less = icmp ult i48 %s, 48\n  %found = lshr i48 %x, %s\n  store i48 %found, ptr %out"
    changed = without_miscompilations(kernel("i48 %x, i48 %s, ptr %out", odd))
    assert "icmp ule i48 %s, 47" in changed
    assert re.search(r"lshr i48 %x, %fix0\.\d+", changed)


@pytest.mark.parametrize(("level", "target"), EVERYWHERE)
def test_a_shift_to_the_sign_bit_is_not_widened(worker: LlvmWorker, level: int, target: str) -> None:
    """`mul.wide` would take a factor that is negative."""
    for narrow, wide in (("i16", "i32"), ("i16", "i64"), ("i32", "i64"), ("i32", "i128")):
        top = int(narrow[1:]) - 1
        body = (
            f"  %a = shl nsw {narrow} %x, {top}\n  %b = sext {narrow} %a to {wide}\n  %c = add {wide} %b, %y\n  store {wide} %c, ptr %out"
        )
        text = ptx_of(worker, kernel(f"{narrow} %x, {wide} %y, ptr %out", body), level, target)
        assert "mul.wide" not in text, narrow
        assert "mad.wide" not in text, narrow


def test_other_shifts_and_products_are_widened(worker: LlvmWorker) -> None:
    body = "  %a = shl nsw i32 %x, 30\n  %b = sext i32 %a to i64\n  store i64 %b, ptr %out"
    assert "mul.wide.s32" in ptx_of(worker, kernel("i32 %x, ptr %out", body))


NUMBERS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}


def signs(ty: str, function: str) -> tuple[str, str]:
    """Return a change of the sign of `%x`, and the declaration that it needs."""
    match function:
        case "fneg":
            return f"fneg {ty} %x", ""
        case "fabs":
            name = f"llvm.fabs.{suffix(ty)}"
            return f"call {ty} @{name}({ty} %x)", f"declare {ty} @{name}({ty})"
        case _:
            name = f"llvm.copysign.{suffix(ty)}"
            return f"call {ty} @{name}({ty} %x, {ty} %y)", f"declare {ty} @{name}({ty}, {ty})"


def suffix(ty: str) -> str:
    """Return a type as intrinsics name it."""
    return {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}[ty]


FLOAT_SIGN = re.compile(r"\b(?:neg|abs|copysign)(?:\.ftz)?\.(?:b?f\d+)")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("function", ["fneg", "fabs", "copysign"])
@pytest.mark.parametrize("ty", NUMBERS)
@pytest.mark.parametrize("seen", ["stored", "bits", "compared", "passed", "chosen"])
def test_a_sign_whose_bits_are_seen_is_one_of_integers(worker: LlvmWorker, ty: str, function: str, target: str, seen: str) -> None:
    change, declaration = signs(ty, function)
    bits = f"i{NUMBERS[ty]}"
    use = {
        "stored": f"  store {ty} %z, ptr %out",
        "bits": f"  %b = bitcast {ty} %z to {bits}\n  store {bits} %b, ptr %out",
        "compared": f"  %b = bitcast {ty} %z to {bits}\n  %c = icmp ugt {bits} %b, 77\n  store i1 %c, ptr %out",
        "passed": f"  call void @f({ty} %z) #0",
        "chosen": f"  %d = select i1 %w, {ty} %z, {ty} %y\n  store {ty} %d, ptr %out",
    }[seen]
    body = f"  %x = load {ty}, ptr %p\n  %q = getelementptr i8, ptr %p, i64 16\n  %y = load {ty}, ptr %q\n  %z = {change}\n{use}"
    callee = f"define internal void @f({ty} %z) noinline {{\n  store volatile {ty} %z, ptr null\n  ret void\n}}"
    text = ptx_of(worker, kernel("ptr %p, i1 %w, ptr %out", body, f"{declaration}\n{callee if seen == 'passed' else ''}"), target=target)
    assert not FLOAT_SIGN.search(text), text


@pytest.mark.parametrize("level", LEVELS)
def test_a_sign_is_free_in_arithmetic(worker: LlvmWorker, level: int) -> None:
    """A negated operand costs nothing there, and of which sign a NaN is that comes out, nobody says."""
    body = """  %x = load float, ptr %p
  %n = fneg float %x
  %a = call float @llvm.fabs.f32(float %x)
  %s = fsub float %a, %n
  %q = fdiv float %n, %s
  %r = fneg float %q
  store float %r, ptr %out"""
    text = ptx_of(worker, kernel("ptr %p, ptr %out", body, "declare float @llvm.fabs.f32(float)"), level)
    assert not re.search(r"\b(?:xor|and)\.b32", text), text


def test_the_sign_of_a_result_that_is_seen_twice_is_its_bit() -> None:
    """The result and its negation may be compared, so their signs have to differ."""
    body = "  %s = fadd float %x, %y\n  %n = fneg float %s\n  store float %n, ptr %out\n  store float %s, ptr %p"
    assert "fneg" not in without_miscompilations(kernel("float %x, float %y, ptr %p, ptr %out", body))
    once = "  %s = fadd float %x, %y\n  %n = fneg float %s\n  store float %n, ptr %out"
    assert "fneg" in without_miscompilations(kernel("float %x, float %y, ptr %out", once))


ORDERING = {
    "acquire": "  %v = load atomic i32, ptr %flag acquire, align 4",
    "acquire of the device": '  %v = load atomic i32, ptr %flag syncscope("device") acquire, align 4',
    "acquire of 64 bits": "  %v = load atomic i64, ptr %flag acquire, align 8",
    "acquire of 8 bits": "  %v = load atomic i8, ptr %flag acquire, align 1",
    "volatile acquire": "  %v = load atomic volatile i32, ptr %flag acquire, align 4",
    "seq_cst": "  %v = load atomic i32, ptr %flag seq_cst, align 4",
    "release": "  store atomic i32 1, ptr %flag release, align 4",
    "seq_cst store": "  store atomic i32 1, ptr %flag seq_cst, align 4",
    "exchange": "  %v = atomicrmw xchg ptr %flag, i32 1 acq_rel",
    "comparison": "  %v = cmpxchg ptr %flag, i32 0, i32 1 acquire acquire",
    "fence": "  fence acquire",
    "fence of the block": '  fence syncscope("block") seq_cst',
}
RECORDS = {
    "halves": ("i16", 2), "words": ("i32", 4), "bytes": ("i8", 1), "longs": ("i64", 8), "floats": ("float", 4), "doubles": ("double", 8),
}  # fmt: skip


def field(address: str, base: str, offset: int) -> str:
    """Return what gives the address of a field."""
    return f"  {address} = getelementptr inbounds nuw i8, ptr {base}, i64 {offset}\n"


@pytest.mark.parametrize("ordering", ORDERING)
@pytest.mark.parametrize("record", RECORDS)
@pytest.mark.parametrize("stored", [False, True], ids=["loads", "stores"])
@pytest.mark.parametrize("target", TARGETS)
def test_accesses_of_one_record_are_not_joined_across_what_orders_them(
    worker: LlvmWorker, ordering: str, record: str, stored: bool, target: str
) -> None:
    ty, size = RECORDS[record]
    addresses = field("%q", "%p", size) + field("%r", "%out", 64)
    if stored:
        body = f"{addresses}  store {ty} %x, ptr %p, align 16\n{ORDERING[ordering]}\n  store {ty} %x, ptr %q, align {size}"
    else:
        loads = f"  %a = load {ty}, ptr %p, align 16\n{ORDERING[ordering]}\n  %b = load {ty}, ptr %q, align {size}\n"
        body = f"{addresses}{loads}  store {ty} %a, ptr %out, align {size}\n  store {ty} %b, ptr %r, align {size}"
    text = ptx_of(worker, kernel(f"ptr %p, ptr %flag, ptr %out, {ty} %x", body), 3, target)
    assert ".v2" not in text, text


@pytest.mark.parametrize("record", RECORDS)
def test_plain_accesses_of_one_record_are_joined(worker: LlvmWorker, record: str) -> None:
    """Otherwise the test above would see nothing."""
    ty, size = RECORDS[record]
    loads = f"  %a = load {ty}, ptr %p, align 16\n  %b = load {ty}, ptr %q, align {size}\n"
    stores = f"  store {ty} %a, ptr %out, align 16\n  store {ty} %b, ptr %r, align {size}"
    text = ptx_of(worker, kernel("ptr %p, ptr %out", field("%q", "%p", size) + field("%r", "%out", size) + loads + stores))
    assert len(re.findall(r"\b(?:ld|st)\.global\.", text)) == 2, text


@pytest.mark.parametrize(("level", "target"), EVERYWHERE)
@pytest.mark.parametrize("kind", ["volatile", "atomic", "atomic volatile"])
def test_what_changes_is_read_where_it_is(worker: LlvmWorker, kind: str, level: int, target: str) -> None:
    """Neither a parameter nor a constant makes a load one of what never changes."""
    ordering = " acquire" if "atomic" in kind else ""
    body = f"""  %place = getelementptr inbounds i32, ptr %p, i64 %i
  %at = getelementptr inbounds [4 x i32], ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 0, i64 %i
  %x = load {kind} i32, ptr %place{ordering}, align 4
  %y = load {kind} i32, ptr %at{ordering}, align 4
  %z = add i32 %x, %y
  store i32 %z, ptr %out, align 4"""
    table = "@table = internal addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4"
    text = ptx_of(worker, kernel("ptr noalias readonly %p, i64 %i, ptr %out", body, table), level, target)
    assert ".nc" not in text, text
    assert len(re.findall(r"ld\.(?:volatile|acquire|relaxed|mmio)", text)) == 2, text


def test_what_has_none_of_it_stays_as_it_is() -> None:
    text = kernel("ptr %p", "  %x = load i32, ptr %p\n  store i32 %x, ptr %p")
    assert without_miscompilations(text) is text
