"""What is no stage's text, or no dump, is the fault of whoever made it: an error that says where, and never a bug of ours."""

from __future__ import annotations

import contextlib
import copy
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from oxide import pipeline
from oxide.errors import InternalError, MachineError, Refused, TextRefused, UsageError
from oxide.export.worker import LlvmWorker
from oxide.options import CompileOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MIR = """\
"builtin.module"() ({
  "mir.func"() ({
  ^bb0(%0: !llvm.ptr):
    %1 = "mir.constant"() {bits = 42 : i64} : () -> i32
    "mir.store"(%1, %0) {align = 4 : i64} : (i32, !llvm.ptr) -> () loc(#loc0)
    "mir.return"() : () -> ()
  }) {kernel, params = [!llvm.ptr], sym_name = "store"} : () -> ()
}) {oxide.stage = "mir", sym_name = "demo"} : () -> ()
#loc0 = loc("main.rs":1:1)
"""

LL = """\
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @store(ptr %p0) {
  store i32 42, ptr %p0, align 4
  ret void
}
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[LlvmWorker]:
    with LlvmWorker() as made:
        yield made


def compile_text(worker: LlvmWorker, text: str | bytes, start: str, kind: str) -> bytes:
    content = text if isinstance(text, bytes) else text.encode(errors="surrogateescape")
    return pipeline.compile(content, start=start, emit={kind}, options=CompileOptions(), worker=worker, name="demo")[kind]


def test_the_texts_themselves_are_good(worker: LlvmWorker) -> None:
    assert b".entry store(" in compile_text(worker, MIR, "mir", "ptx")
    assert b".entry store(" in compile_text(worker, LL, "ll", "ptx")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"mir.store"', '"mir.stare"', "line 5 .* unknown op mir.stare"),
        ("})", ")", "line 10 .* a region is not closed"),
        ("(%1, %0)", "(%2, %0)", "line 5 .* %2 is used before its definition"),
        ("%1 =", "%0 =", "line 5 .* %0 is defined twice"),
        ("-> i32", "-> i99999999999", "unknown type i99999999999"),
        ("-> i32", "-> f31", "unknown type f31"),
        ("-> i32", "-> !llvm.ptr<99999999999>", "address space"),
        ("align = 4", "align = 3", "attribute `align` is 3, expected a power of two"),
        ("align = 4", "align = -4", "attribute `align` is -4, expected a power of two"),
        ("bits = 42", f"bits = {'9' * 5000}", "number of 5000 digits"),
        ('"main.rs":1:1', f'"main.rs":{"9" * 5000}:1', "number of 5000 digits"),
        ('"mir.return"() : () -> ()', "", "does not end in a terminator"),
        ('oxide.stage = "mir"', 'oxide.stage = "nvvm"', "of stage nvvm, expected mir"),
        ("%1 =", "\x00 =", "line 4 .* unexpected character"),
        ('sym_name = "store"', 'sym_name = 1 : i32, sym = "x"', "line "),
    ],
)
def test_a_text_edited_into_nonsense(worker: LlvmWorker, old: str, new: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compile_text(worker, MIR.replace(old, new), "mir", "ptx")


@pytest.mark.parametrize("text", [b"", b"\x7fELF\x00\xff", b"\xff\xfe", b'"', b"{" * 100_000, MIR[:200].encode()])
@pytest.mark.parametrize("stage", ["mir-json", "mir", "nvvm", "llvm", "ll", "ptx"])
def test_what_is_no_text_of_any_stage(worker: LlvmWorker, stage: str, text: bytes) -> None:
    if stage == "ll" and not text:
        text = b"%"  # an empty module is one
    with pytest.raises(UsageError):
        compile_text(worker, text, stage, "cubin" if stage == "ptx" else "ptx")


def test_windows_line_ends_are_no_matter(worker: LlvmWorker) -> None:
    assert compile_text(worker, MIR.replace("\n", "\r\n"), "mir", "ptx") == compile_text(worker, MIR, "mir", "ptx")


def also(line: str, *declared: str) -> str:
    """Return the .ll with another line in its function, and declarations."""
    return "\n".join([LL.replace("ret void", f"{line}\n  ret void"), *declared, ""])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LL.replace("store i32", "stare i32"), "the ll text cannot be compiled: LLVM refused the module: LLVM IR parsing error"),
        (
            also("%x = load volatile float, ptr %p0\n  %y = fptosi float %x to i128\n  store i128 %y, ptr %p0"),
            "the ll text cannot be compiled",
        ),
        (also("%x = call double @sin(double 1.0)", "declare double @sin(double)"), "not defined: sin"),
        (also("%x = call i32 @llvm.nvvm.none()", "declare i32 @llvm.nvvm.none()"), "llvm.nvvm.none, which no table has"),
        (also('call void asm sideeffect "nonsense", "~{bogus}"()'), None),
    ],
)
def test_what_llvm_refuses_is_not_our_bug_where_a_person_wrote_it(worker: LlvmWorker, text: str, message: str | None) -> None:
    for kind in ("ptx", "cpu"):
        with contextlib.suppress(UsageError) if message is None or kind == "cpu" else pytest.raises(UsageError, match=message):
            compile_text(worker, text, "ll", kind)
    # The worker lives on, or another has taken its place.
    assert compile_text(worker, LL, "ll", "ptx")


def test_llvm_that_ends_is_not_our_bug_where_a_person_wrote_the_text(worker: LlvmWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxide.export.worker.send", lambda *_: worker.process.kill())  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="the ll text cannot be compiled: LLVM ended with status -9: no output"):
        compile_text(worker, LL, "ll", "ptx")
    monkeypatch.undo()
    assert compile_text(worker, LL, "ll", "ptx")


def test_what_llvm_refuses_of_ours_is_our_bug(worker: LlvmWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxide.export.llvm_ir.to_ll", lambda *_, **__: "nonsense")
    with pytest.raises(TextRefused) as caught:
        compile_text(worker, MIR, "mir", "ptx")
    assert isinstance(caught.value, InternalError)


UNIT = {
    "name": "()",
    "ty": {"kind": "Tuple", "elements": []},
    "freeze": True,
    "layout": {
        "size": 0,
        "align": 1,
        "sized": True,
        "abi": {"kind": "Memory"},
        "fields": {"kind": "Struct", "offsets": []},
        "variants": {"kind": "Single", "index": 0},
    },
}


def dump() -> dict[str, Any]:
    """Return the dump of one kernel that does nothing."""
    block = {"statements": [{"kind": "StorageLive", "local": 0, "span": 1}], "terminator": {"kind": "Return", "span": 1}}
    function = {
        "symbol": "nothing",
        "name": "demo::nothing",
        "path": "nothing",
        "crate": "demo",
        "kind": "Item",
        "generic_args": [],
        "params": [],
        "result": 0,
        "inline": "Default",
        "span": 0,
        "spread_arg": None,
        "body": {"locals": [{"ty": 0, "name": None, "span": 0}], "arg_count": 0, "blocks": [block]},
    }
    span = {"file": "main.rs", "line": 1, "column": 1, "local": True, "caller": None, "function": None}
    return {
        "schema": 6,
        "rustc": "1.96.0",
        "crate": "demo",
        "package": None,
        "profile": {"opt_level": "Aggressive", "overflow_checks": False, "ub_checks": False, "contract_checks": False},
        "kernels": [{"name": "nothing", "function": 0, "params": [], "span": 0}],
        "generic_kernels": [],
        "exports": [],
        "types": [UNIT],
        "allocations": [],
        "spans": [span, {**span, "local": False, "caller": 0, "function": "core::nothing"}],
        "functions": [function],
    }


def changed(path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """Return the dump with another value at a place."""
    made = copy.deepcopy(dump())
    part: Any = made
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return made


def test_the_dump_itself_is_good(worker: LlvmWorker) -> None:
    assert b".entry nothing(" in compile_text(worker, json.dumps(dump()), "mir-json", "ptx")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("schema",), 1, "schema 1, expected 6"),
        (("schema",), "1", "does not match schema 6"),
        (("extra",), 1, "unknown field `extra`"),
        (("types", 0, "ty", "kind"), "Monad", "Monad"),
        (("types", 0, "layout"), None, "no layout"),
        (("types", 0, "layout", "size"), -1, ">= 0"),
        (("types", 0, "layout", "size"), 10**30, "does not match schema 6"),
        (("kernels", 0, "function"), 7, "function 7 of the dump is out of range, it has 1"),
        (("kernels", 0, "function"), -1, ">= 0"),
        (("kernels", 0, "span"), 7, "span 7 of the dump is out of range, it has 2"),
        (("functions", 0, "result"), 5, "type 5 of the dump is out of range, it has 1"),
        (("functions", 0, "body", "locals", 0, "ty"), 5, "type 5 of the dump is out of range, it has 1"),
        (("functions", 0, "body", "blocks", 0, "terminator", "span"), 9, "span 9 of the dump is out of range, it has 2"),
        (("functions", 0, "body", "blocks", 0, "terminator", "kind"), "Jump", "Jump"),
        (("functions", 0, "body", "arg_count"), "none", "Expected `int`"),
        (("spans", 1, "caller"), 1, "span 1 of the dump is inlined into span 1, expected an earlier one"),
        (("spans", 0, "caller"), 1, "span 0 of the dump is inlined into span 1, expected an earlier one"),
    ],
)
def test_a_dump_of_nonsense(worker: LlvmWorker, path: tuple[str | int, ...], value: object, message: str) -> None:
    made = changed(path, value)
    with pytest.raises(UsageError, match=message):
        compile_text(worker, json.dumps(made), "mir-json", "ll")


CONTRADICTION = (("types", 0, "layout"), None)


def test_a_dump_that_contradicts_itself_is_the_editors_fault_or_ours(worker: LlvmWorker) -> None:
    text = json.dumps(changed(*CONTRADICTION))
    message = "invalid dump of function `demo::nothing`"
    with pytest.raises(UsageError, match=message) as caught:
        compile_text(worker, text, "mir-json", "ll")
    assert caught.value.hint == "unless the dump was edited, this is a bug in oxide"
    with pytest.raises(InternalError, match=message):
        pipeline.compile(text.encode(), start="mir-json", emit={"ll"}, options=CompileOptions(), worker=worker, name="demo", ours=True)


def test_a_dump_that_becomes_an_invalid_module_is_the_editors_fault_or_ours(worker: LlvmWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxide.ir.verifier.broken", lambda *_: [(None, "is wrong")])
    text = json.dumps(dump()).encode()
    with pytest.raises(UsageError, match="is wrong"):
        compile_text(worker, text, "mir-json", "mir")
    with pytest.raises(InternalError, match="is wrong"):
        pipeline.compile(text, start="mir-json", emit={"mir"}, options=CompileOptions(), worker=worker, name="demo", ours=True)


def places_in(part: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place of a JSON value."""
    yield path
    for key, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield from places_in(inner, (*path, key))


def test_no_edit_of_a_dump_is_a_bug_of_ours(worker: LlvmWorker) -> None:
    values: tuple[object, ...] = (-1, 0, 1, 2, 1 << 40, "x", None, True, [], [0], {})
    for path in places_in(dump()):
        for value in values if path else ():
            with contextlib.suppress(UsageError, Refused):
                compile_text(worker, json.dumps(changed(path, value)), "mir-json", "ll")


def test_a_kernel_whose_name_ptx_cannot_spell(worker: LlvmWorker) -> None:
    made = dump()
    made["kernels"][0]["name"] = "größe"
    with pytest.raises(Refused, match="PTX cannot spell the name `größe`") as caught:
        compile_text(worker, json.dumps(made), "mir-json", "ll")
    assert caught.value.diagnostics[0].span == 0


def test_a_dump_that_ends_early(worker: LlvmWorker) -> None:
    text = json.dumps(dump())
    for length in range(0, len(text), 97):
        with pytest.raises(UsageError, match="the dump does not match schema 6"):
            compile_text(worker, text[:length], "mir-json", "ll")


def test_an_installation_without_llvm_is_the_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "llvmlite.py").write_text("raise ModuleNotFoundError(f\"No module named '{__name__}'\")")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.fspath(tmp_path), os.environ.get("PYTHONPATH", "")]))
    with LlvmWorker() as bare, pytest.raises(MachineError, match="llvmlite is not installed") as caught:
        compile_text(bare, LL, "ll", "ptx")
    assert "-m pip install 'llvmlite==0.50.*'" in str(caught.value.hint)
