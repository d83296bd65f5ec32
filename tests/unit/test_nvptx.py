"""What LLVM's NVPTX code generation gets wrong, family by family, in the PTX: at every optimisation level, for targets old and new."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest

from audits import answer_of_ptxas
from oxide.dialects.operations import OPERATIONS
from oxide.dialects.target import parse
from oxide.export.llvm_ir import DATA_LAYOUT, TRIPLE
from oxide.export.nvptx import without_miscompilations
from oxide.export.worker import LlvmWorker
from oxide.options import CompileOptions
from oxide.pipeline import compile  # noqa: A004 - what a compiler does

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


def test_a_guard_is_seen_through_what_code_generation_takes_for_the_amount() -> None:
    """A frozen amount, and a guard that is no comparison of it yet."""
    frozen = "  %f = freeze i64 %s\n  %less = icmp ult i64 %f, 64\n  %found = shl i64 %x, %s\n  store i64 %found, ptr %out"
    assert "and i64 %s, 63" in without_miscompilations(kernel("i64 %x, i64 %s, ptr %out", frozen))
    high = "  %h = lshr i64 %s, 6\n  %less = icmp eq i64 %h, 0\n  %a = shl i64 %x, %s\n  %b = trunc i64 %a to i32\n"
    chosen = high + "  %found = select i1 %less, i32 %b, i32 0\n  store i32 %found, ptr %out"
    assert "and i64 %s, 63" in without_miscompilations(kernel("i64 %x, i64 %s, ptr %out", chosen))


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
    ll = kernel("i32 %x, ptr %out", body)
    assert "mul.wide.s32" in ptx_of(worker, ll)
    with_lines = ll.replace("%x, 30\n", "%x, 30, !note !0\n") + "!0 = !{}\n"
    assert without_miscompilations(with_lines) is with_lines


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


def test_a_sign_is_changed_whatever_is_said_of_the_call() -> None:
    for call in ("call nofpclass(inf sub)", "tail call afn", "call contract nofpclass(inf)"):
        body = f"  %z = {call} float @llvm.fabs.f32(float noundef %x)\n  store float %z, ptr %out"
        text = without_miscompilations(kernel("float %x, ptr %out", body, "declare float @llvm.fabs.f32(float)"))
        assert "= xor i32 " in text, call


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


RECORDS = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f32": 4, "f64": 8}
"""The bytes of a record's fields."""

ATOMIC = 'align = 4 : i64, ordering = "{}", scope = "{}"'
ORDERINGS = {
    **{
        f"{ordering} load of {scope or 'system'}": f'%v = "mir.atomic_load"(%flag) {{{ATOMIC.format(ordering, scope)}, ty = i32}} : '
        "(!llvm.ptr) -> i32"
        for ordering in ("acquire", "seq_cst")
        for scope in ("", "device", "block")
    },
    "acquire load of 8 bits": '%v = "mir.atomic_load"(%flag) {align = 1 : i64, ordering = "acquire", ty = i8} : (!llvm.ptr) -> i8',
    "acquire load of 64 bits": '%v = "mir.atomic_load"(%flag) {align = 8 : i64, ordering = "acquire", ty = i64} : (!llvm.ptr) -> i64',
    **{
        f"{ordering} store": f'"mir.atomic_store"(%one, %flag) {{{ATOMIC.format(ordering, "")}}} : (i32, !llvm.ptr) -> ()'
        for ordering in ("release", "seq_cst")
    },
    **{
        f"{ordering} update": f'%v = "mir.atomic_update"(%flag, %one) {{{ATOMIC.format(ordering, "device")}, operation = "xchg"}} : '
        "(!llvm.ptr, i32) -> i32"
        for ordering in ("acquire", "release", "acq_rel", "seq_cst")
    },
    "comparison": '%v, %w = "mir.atomic_compare_exchange"(%flag, %one, %one) {align = 4 : i64, failure = "acquire", success = "acquire"} : '
    "(!llvm.ptr, i32, i32) -> (i32, i1)",
    **{
        f"{ordering} fence": f'"mir.fence"() {{ordering = "{ordering}"}} : () -> ()'
        for ordering in ("acquire", "release", "acq_rel", "seq_cst")
    },
    "barrier": '"ptx.barrier.cta.sync"() : () -> ()',
    "barrier of a warp": '"nvvm.bar.warp.sync"(%one) : (i32) -> ()',
    "look at an mbarrier": '%v = "ptx.mbarrier.test_wait"(%flag, %state) : (!llvm.ptr, i64) -> i1',
    "wait for an mbarrier": '%v = "ptx.mbarrier.try_wait"(%flag, %state) : (!llvm.ptr, i64) -> i1',
    "wait for copies": '"ptx.cp.async.wait.all"() : () -> ()',
}
"""What orders the accesses around it, in the dialects of the stage `nvvm`."""

CALL = '"mir.call"(%flag, %one, %state) {callee = @order} : (!llvm.ptr, i32, i64) -> ()'


def record_of(ty: str, between: str, *, stored: bool, called: bool) -> str:
    """Return a module whose kernel accesses two fields beside each other, and between them orders accesses, itself or by a call."""
    size = RECORDS[ty]

    def function(head: str, body: str, attributes: str) -> str:
        return f'"mir.func"() ({{\n^bb0({head}):\n{body}\n"mir.return"() : () -> ()\n}}) {{{attributes}}} : () -> ()\n'

    order = function(
        "%flag: !llvm.ptr, %one: i32, %state: i64", between, 'inline = "never", params = [!llvm.ptr, i32, i64], sym_name = "order"'
    )
    middle = CALL if called else between
    second = f'%q = "mir.offset"(%p) {{bytes = {size} : i64}} : (!llvm.ptr) -> !llvm.ptr\n'
    if stored:
        first, last = (f'"mir.store"(%x, %{at}) {{align = {size if at == "q" else 16} : i64}} : ({ty}, !llvm.ptr) -> ()' for at in "pq")
        body = f"{second}{first}\n{middle}\n{last}"
    else:
        loads = [
            f'%{to} = "mir.load"(%{at}) {{align = {align} : i64, ty = {ty}}} : (!llvm.ptr) -> {ty}'
            for to, at, align in (("a", "p", 16), ("b", "q", size))
        ]
        far = '%r = "mir.offset"(%out) {bytes = 64 : i64} : (!llvm.ptr) -> !llvm.ptr'
        stores = [
            f'"mir.store"(%{value}, %{at}) {{align = {size} : i64}} : ({ty}, !llvm.ptr) -> ()' for value, at in (("a", "out"), ("b", "r"))
        ]
        body = "\n".join([second, far, loads[0], middle, loads[1], *stores])
    head = f"%p: !llvm.ptr, %flag: !llvm.ptr, %out: !llvm.ptr, %x: {ty}, %one: i32, %state: i64"
    kernel = function(head, body, f'kernel, params = [!llvm.ptr, !llvm.ptr, !llvm.ptr, {ty}, i32, i64], sym_name = "k"')
    functions = order + kernel if called else kernel
    return f'"builtin.module"() ({{\n{functions}}}) {{oxide.stage = "nvvm", sym_name = "record"}} : () -> ()\n'


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("called", [False, True], ids=["inline", "called"])
@pytest.mark.parametrize("stored", [False, True], ids=["loads", "stores"])
def test_accesses_of_one_record_are_not_joined_across_what_orders_them(
    worker: LlvmWorker, ordering: str, stored: bool, called: bool
) -> None:
    """Also where a function orders them that is not inlined, of which LLVM infers what it does to memory."""
    row = OPERATIONS.get(ORDERINGS[ordering].partition('"')[2].partition('"')[0])
    targets = [target for target in TARGETS if row is None or parse(target).sm >= row.sm]
    for ty, target in product(RECORDS, targets[-1:] if called else targets):
        text = record_of(ty, ORDERINGS[ordering], stored=stored, called=called)
        made = compile(text.encode(), start="nvvm", emit={"ptx"}, options=CompileOptions(arch=target), worker=worker, name="record")
        assert ".v2" not in made["ptx"].decode(), (ty, target)


@pytest.mark.parametrize("ty", RECORDS)
@pytest.mark.parametrize("stored", [False, True], ids=["loads", "stores"])
def test_plain_accesses_of_one_record_are_joined(worker: LlvmWorker, ty: str, stored: bool) -> None:
    """Otherwise the test above would see nothing."""
    text = record_of(ty, "", stored=stored, called=False)
    made = compile(text.encode(), start="nvvm", emit={"ptx"}, options=CompileOptions(arch="sm_90"), worker=worker, name="record")
    joined = [line for line in made["ptx"].decode().splitlines() if re.search(r"\b(?:st|ld)\.global\.", line)]
    assert len(joined) == (1 if stored else 3), joined


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


@pytest.mark.parametrize(
    "attributes",
    ["captures(address, read_provenance)", "captures(none) dereferenceable(4)", "initializes((0, 8), (16, 24)) noundef", "align 8 nonnull"],
)
def test_a_parameter_changes_whatever_else_is_said_of_it(attributes: str) -> None:
    body = "  %x = load volatile i32, ptr %p, align 4\n  store i32 %x, ptr %out, align 4"
    text = without_miscompilations(kernel(f"ptr noalias readonly %other, ptr noalias {attributes} %p, ptr noalias %out", body))
    assert f"(ptr noalias readonly %other, ptr {attributes} %p, ptr noalias %out)" in text


def test_what_a_variable_holds_stays() -> None:
    """Also where it is the word `constant`, in a variable or in a constant."""
    variable = '@x = internal addrspace(1) global [9 x i8] c" constant"'
    constant = '@y = internal unnamed_addr addrspace(1) constant [9 x i8] c" constant"'
    loads = [
        f"  %{name} = load volatile i8, ptr addrspace(1) @{name}, align 1\n  store i8 %{name}, ptr %out, align 1" for name in ("x", "y")
    ]
    text = without_miscompilations(kernel("ptr %out", "\n".join(loads), f"{variable}\n{constant}"))
    assert variable in text
    assert constant.replace(" constant [", " global [") in text


def test_what_has_none_of_it_stays_as_it_is() -> None:
    text = kernel("ptr %p", "  %x = load i32, ptr %p\n  store i32 %x, ptr %p")
    assert without_miscompilations(text) is text


@pytest.mark.parametrize(("level", "target"), EVERYWHERE)
def test_a_negated_number_of_16_bits_is_one_of_16_bits(worker: LlvmWorker, level: int, target: str) -> None:
    """ptxas takes -(-32768) and |-32768| for 32768 where `neg.s16` and `abs.s16` make them."""
    bodies = {
        "negated": "  %y = sub i16 0, %x",
        "a product": "  %y = mul i16 %x, -16384",
        "absolute": "  %y = call i16 @llvm.abs.i16(i16 %x, i1 false)",
        "chosen": "  %n = sub i16 0, %x\n  %less = icmp slt i16 %x, %b\n  %y = select i1 %less, i16 %n, i16 %x",
    }
    for what, body in bodies.items():
        use = "  %w = sext i16 %y to i32\n  store i32 %w, ptr %out"
        ll = kernel("i16 %x, i16 %b, ptr %out", f"{body}\n{use}", "declare i16 @llvm.abs.i16(i16, i1)")
        text = ptx_of(worker, ll, level, target)
        assert not re.search(r"\b(?:neg|abs)\.s16", text), what
        assert not re.search(r"\bsub\.s16 \t%\w+, 0,", text), what
        assert re.search(r"mul\.lo\.s16 \t%\w+, %\w+, -1;|abs\.s32", text), text


NARROW = re.compile(r"\b(?:neg|abs|min|max)\.[su]16|\bcvt\.s16\.s8|\bcvt\.s8\.|\bld[.\w]*\.s8 \t%rs")


@pytest.mark.parametrize(("level", "target"), EVERYWHERE)
def test_what_ptxas_gets_wrong_of_16_bits_is_done_in_32(worker: LlvmWorker, level: int, target: str, tmp_path: Path) -> None:
    declared = "\n".join(f"declare {ty} @llvm.{name}.{ty}({ty}, {ty})" for name in ("smin", "smax", "umin", "umax") for ty in ("i8", "i16"))
    callee = "define internal i16 @f(i8 %x) noinline {\n  %w = sext i8 %x to i16\n  %s = lshr i16 %w, 4\n  ret i16 %s\n}\n"
    lines = [
        "  %n = sub i16 0, %x",
        "  %b = load i8, ptr %p",
        "  %c = trunc i64 %y to i8",
        "  %d = call i16 @f(i8 %b)",
        "  %e = sext i8 %c to i16",
    ]
    lines += [
        f"  %{name} = call i16 @llvm.{name}.i16(i16 %x, i16 {other})" for name, other in (("smin", "%e"), ("smax", "-7"), ("umin", "-1000"))
    ]
    lines += [
        "  %umax = call i16 @llvm.umax.i16(i16 %d, i16 %n)",
        "  %small = call i8 @llvm.smax.i8(i8 %b, i8 %c)",
        "  %m = sext i8 %small to i16",
    ]
    lines += [f"  store volatile i16 %{name}, ptr %out" for name in ("n", "d", "e", "smin", "smax", "umin", "umax", "m")]
    ll = kernel("i16 %x, i64 %y, ptr %p, ptr %out", "\n".join(lines), f"{declared}\n{callee}")
    text = worker.ptx(ll, parse(target), CompileOptions(arch=target, opt_level=level))
    assert not NARROW.search(text), text
    assert "mov.b32 %wide1, 64536;" in text
    assert "mov.b32 %wide1, -7;" in text
    (tmp_path / "k.ptx").write_text(text)
    assert answer_of_ptxas(tmp_path / "k.ptx") == ""
