"""What `oxide.load` takes, what it remembers, and what it says of what it does not take."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import oxide
from oxide.errors import MachineError, UsageError
from oxide.options import Environment, environment
from oxide.runtime import load, program
from oxide.runtime.arguments import Plan
from oxide.runtime.magic import compile_cell
from oxide.runtime.module import spell
from oxide.runtime.parse import parse_signatures
from oxide.rust.resolve import resolve_options
from oxide.tools.gpu import has_cuda_driver

KERNELS = Path(__file__).parent / "kernels.rs"

ADD = """
use cuda_device::{DisjointSlice, kernel};

#[kernel]
pub fn add(number: u32, mut out: DisjointSlice<u32>) {
    if let Some((out, _)) = out.get_mut_indexed() {
        *out += number;
    }
}
"""


SCALE = """
#[kernel]
pub fn scale<T: Copy + core::ops::Mul<Output = T>>(factor: T, mut out: DisjointSlice<T>) {
    if let Some((out, _)) = out.get_mut_indexed() {
        *out = *out * factor;
    }
}
"""


def result(module: Any) -> int:
    out = np.ones(1, "u4")
    module.add[1, 1](2, out)
    return int(out[0])


def test_a_file_is_compiled_once_while_it_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "adds.rs"
    file.write_text(ADD)
    assert result(oxide.load(file, device="cpu")) == 3
    with monkeypatch.context() as patch:
        patch.setattr(program, "build", None)
        assert result(oxide.load(file, device="cpu")) == 3
        elsewhere = tmp_path / "elsewhere" / "adds.rs"
        elsewhere.parent.mkdir()
        elsewhere.write_text(ADD)
        assert result(oxide.load(elsewhere, device="cpu")) == 3
    file.write_text(ADD.replace("+= number", "+= 2 * number"))
    assert result(oxide.load(file, device="cpu")) == 5


def test_a_file_that_another_includes_counts(tmp_path: Path) -> None:
    (tmp_path / "amount.rs").write_text("7")
    (tmp_path / "adds.rs").write_text(ADD.replace("+= number", '+= include!("amount.rs")'))
    assert result(oxide.load(tmp_path / "adds.rs", device="cpu")) == 8
    (tmp_path / "amount.rs").write_text("9")
    assert result(oxide.load(tmp_path / "adds.rs", device="cpu")) == 10


@pytest.mark.timeout(600)  # it compiles what crates depend on
def test_a_crate_is_loaded_by_its_folder(tmp_path: Path) -> None:
    crates = Path(__file__).parents[2] / "crates"
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lib.rs").write_text("pub mod kernels;")
    (tmp_path / "src" / "kernels.rs").write_text(ADD)
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "adds"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\n'
        + "".join(f'{name} = {{ path = "{crates / name}" }}\n' for name in ("cuda-core", "cuda-device", "cuda-host"))
        + "\n[workspace]\n"
    )
    assert result(oxide.load(tmp_path, device="cpu")) == 3
    (tmp_path / "src" / "kernels.rs").write_text(ADD.replace("+= number", "+= 3 * number"))
    assert result(oxide.load(tmp_path, device="cpu")) == 7


def test_a_program_that_does_not_compile(tmp_path: Path) -> None:
    (tmp_path / "wrong.rs").write_text(ADD.replace("+= number", "+= missing"))
    with pytest.raises(oxide.CompileError) as caught:
        oxide.load(tmp_path / "wrong.rs", device="cpu")
    assert "error[E0425]: cannot find value `missing`" in caught.value.diagnostics
    assert f"{tmp_path / 'wrong.rs'}:7:17" in caught.value.diagnostics
    (tmp_path / "heap.rs").write_text(ADD.replace("+= number", "+= Vec::from([number]).len() as u32"))
    with pytest.raises(oxide.CompileError, match="heap allocation is not available in kernels"):
        oxide.load(tmp_path / "heap.rs", device="cpu")
    (tmp_path / "none.rs").write_text("pub fn nothing() {}")
    with pytest.raises(oxide.OxideError, match="has no kernels"):
        oxide.load(tmp_path / "none.rs", device="cpu")


@pytest.mark.parametrize(
    ("dependency", "words"),
    [
        ('nowhere = { path = "nowhere" }', "failed to load manifest for dependency `nowhere`"),
        ('cuda-core = "7.1"', r"failed to select a version for the requirement `cuda-core = "),
        ('cuda-core = { version = "*", features = ["nope"] }', "`cuda-core` does not have that feature"),
        ('[features]\nnone = ["nowhere/none"]', "`nowhere` is not a dependency"),
    ],
)
def test_what_cargo_says_before_it_compiles(tmp_path: Path, dependency: str, words: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.rs").write_text("")
    package = '[package]\nname = "early"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n[dependencies]\ncuda-device = "*"\n'
    (tmp_path / "Cargo.toml").write_text(f"{package}{dependency}\n")
    with pytest.raises(oxide.CompileError, match=words):
        oxide.load(tmp_path, device="cpu", quiet=True)


def test_a_warning_of_oxides_is_a_warning(tmp_path: Path) -> None:
    deep = ADD.replace("+= number", "+= deep(number)") + "fn deep(n: u32) -> u32 { if n < 2 { 1 } else { n * deep(n - 1) + deep(n - 2) } }"
    (tmp_path / "deep.rs").write_text(deep)
    with pytest.warns(oxide.CompileWarning, match="may call itself"):
        module = oxide.load(tmp_path / "deep.rs", device="cpu")
    assert result(module) == 1 + 3


def test_images_that_go_meanwhile_are_put_back(tmp_path: Path) -> None:
    (tmp_path / "adds.rs").write_text(ADD.replace("+= number", "+= 1 / number"))
    module: Any = oxide.load(tmp_path / "adds.rs", device="cpu")
    image = module.add.loaded.image.path
    image.unlink()
    out = np.ones(1, "u4")
    module.add[1, 1](1, out)
    image.unlink()
    with pytest.raises(oxide.LaunchError):
        module.add[1, 1](0, out)
    module.add[1, 1](1, out)
    assert out[0] == 3


def test_of_what_a_program_carries_one_code_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "adds.rs").write_text(ADD)
    (tmp_path / "oxide.toml").write_text('[build]\narch = "sm_80,sm_90a"\ncode = "ltoir"\ncubin = true\n')
    module: Any = oxide.load(tmp_path / "adds.rs", device="cpu")
    assert result(module) == 3
    assert b".target sm_80\n" in module.add.loaded.ptx
    with pytest.raises(UsageError, match="got cubin=True, expected False"):
        oxide.load(tmp_path / "adds.rs", device="cpu", cubin=True)


@pytest.mark.timeout(120)
def test_an_image_that_is_a_pipe_is_none(tmp_path: Path) -> None:
    (tmp_path / "adds.rs").write_text(ADD.replace("+= number", f"+= number ^ {secrets.randbits(32)}"))
    module: Any = oxide.load(tmp_path / "adds.rs", device="cpu")
    (tmp_path / "adds.ptx").write_bytes(module.add.loaded.ptx)
    image = module.add.loaded.image.path
    image.unlink()
    os.mkfifo(image)
    with pytest.raises(oxide.CudaError, match="CUDA_ERROR_INVALID_PTX"):
        result(oxide.load(tmp_path / "adds.ptx", device="cpu"))
    result(oxide.load(tmp_path / "adds.rs", device="cpu"))
    assert image.is_file()


@pytest.mark.parametrize(
    ("named", "present", "best"),
    [
        ("sm_80,sm_90a", "sm_90", "sm_90a"),
        ("sm_80,sm_90a", "sm_100", "sm_80"),
        ("sm_80,sm_90,sm_90a,sm_100", "sm_90", "sm_90a"),
        ("sm_80,sm_100f", "sm_103", "sm_100f"),
        ("sm_80,sm_100f", "sm_120", "sm_80"),
        ("sm_90", "sm_80", "sm_90"),
        ("sm_90,sm_100", "sm_80", None),
        (None, "sm_90", "sm_90"),
    ],
)
def test_the_best_target_for_a_gpu_is_chosen(monkeypatch: pytest.MonkeyPatch, named: str | None, present: str, best: str | None) -> None:
    class Gpu:
        """What is asked of a device."""

        name = "cuda"

    monkeypatch.setattr("oxide.cache.gpu.gpu_arch", lambda *_: present)
    variables = Environment({})
    options = resolve_options(variables, arch=named)
    if best is None:
        with pytest.raises(UsageError, match="the GPU is sm_80, and none of sm_90, sm_100 runs on it"):
            load.arch_for(options, variables, Gpu())
    else:
        assert load.arch_for(options, variables, Gpu()) == best


def test_a_target_is_named_as_other_libraries_name_it(tmp_path: Path) -> None:
    assert [load.target_name(arch) for arch in (None, "sm_90a", 90, (9, 0), (12, 1))] == [None, "sm_90a", "sm_90", "sm_90", "sm_121"]
    (tmp_path / "adds.rs").write_text(ADD)
    module: Any = oxide.load(tmp_path / "adds.rs", 90, "cpu")
    assert b".target sm_90\n" in module.add.loaded.ptx
    for wrong in (9.0, True, (9,), (9, 0, 0), ["sm_90"], ("9", "0")):
        with pytest.raises(UsageError, match="for arch, expected a target"):
            oxide.load(tmp_path / "adds.rs", wrong, "cpu")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown target 'sm_9'"):
        oxide.load(tmp_path / "adds.rs", 9, "cpu")


def test_a_ptx_of_oxides_says_what_its_kernels_take(tmp_path: Path) -> None:
    loaded: Any = oxide.load(KERNELS, device="cpu")
    (tmp_path / "kernels.ptx").write_bytes(loaded.saxpy.loaded.ptx)
    module: Any = oxide.load(tmp_path / "kernels.ptx", device="cpu")
    assert module.saxpy.__doc__ == loaded.saxpy.__doc__
    y = np.ones(4, "f4")
    module.saxpy[1, 4](4, 2.0, np.ones(4, "f4"), y)
    assert (y == 3).all()
    given: Any = oxide.load(tmp_path / "kernels.ptx", device="cpu", signature="fn raw_saxpy(n: u32, a: f32, x: *const f32, y: *mut f32)")
    given.raw_saxpy[1, 4](4, 2.0, np.ones(4, "f4"), y)
    assert (y == 5).all()
    with pytest.raises(UsageError, match="has no kernel 'raw_saxpi'"):
        oxide.load(tmp_path / "kernels.ptx", device="cpu", signature={"raw_saxpi": "()"})


def test_a_ptx_from_elsewhere_needs_a_signature(tmp_path: Path) -> None:
    (tmp_path / "foreign.ptx").write_text(".version 8.0\n.target sm_80\n.visible .entry add(.param .u32 n) { ret; }\n")
    with pytest.raises(UsageError, match=r"does not contain its kernels' signatures \(add\)"):
        oxide.load(tmp_path / "foreign.ptx", device="cpu")
    module: Any = oxide.load(tmp_path / "foreign.ptx", device="cpu", signature="fn add(n: u32)")
    with pytest.raises(oxide.CudaError, match="CUDA_ERROR_INVALID_PTX"):
        module.add[1, 1](1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "gpu"}, "unknown device 'gpu'"),
        ({"device": "cpu", "arch": "sm_9"}, "unknown target 'sm_9'"),
        ({"device": "cpu", "arch": "sm_1"}, "sm_1"),
        ({"device": "cpu", "check": ("memory",)}, "accesses are checked in memory that the device has allocated"),
        ({"device": "cpu", "colour": True}, "unknown option colour"),
        ({"device": "cpu", "signature": "fn add(n: u32)"}, "a signature is for a .ptx"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        oxide.load(KERNELS, **options)


@pytest.mark.parametrize("path", ["", "none.rs", "none", "."])
def test_a_path_without_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Cargo.toml").mkdir()
    with pytest.raises(UsageError, match=r"got an empty path|no file none.rs|'none' is not a project|folder \. has no Cargo.toml"):
        oxide.load(path)


@pytest.mark.skipif(has_cuda_driver(), reason="a GPU is here")
def test_a_gpu_that_is_not_here() -> None:
    with pytest.raises(MachineError, match="no CUDA driver was found") as caught:
        oxide.load(KERNELS, device="cuda")
    assert str(caught.value.hint).startswith("device='cpu' runs kernels without a GPU; cuda-python says: ")


def test_a_cell_of_a_notebook() -> None:
    cell = ADD.replace("use cuda_device::{DisjointSlice, kernel};\n", "")
    assert result(compile_cell("--device cpu", cell)) == 3
    with pytest.raises(UsageError, match="got '--fast' after %%oxide"):
        compile_cell("--fast", cell)


def test_the_extension_binds_kernels_and_raises_errors() -> None:
    class Shell:
        """What IPython gives an extension."""

        def __init__(self) -> None:
            self.magic: Any = None
            self.names: dict[str, Any] = {}

        def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None:
            assert (magic_kind, magic_name) == ("cell", "oxide")
            self.magic = function

        def push(self, names: dict[str, Any]) -> None:
            self.names |= names

    shell = Shell()
    oxide.load_ipython_extension(shell)
    shell.magic("--device cpu", ADD)
    assert result(shell.names["oxide_module"]) == 3
    assert shell.names["add"].__name__ == "add"
    with pytest.raises(oxide.CompileError, match="cannot find value `missing`") as caught:
        shell.magic("--device cpu --quiet", ADD.replace("number;", "missing;"))
    shown: Any = caught.value
    # In the line after those that the notebook counts before it: %%oxide and six of the cell's.
    assert "cell.rs:8:17" in caught.value.diagnostics
    assert "".join(shown._render_traceback_()).startswith("CompileError: error[E0425]: cannot find value `missing`")
    with pytest.raises(UsageError) as refused:
        shell.magic("--device gpu", ADD)
    shown = refused.value
    assert shown._render_traceback_() == ["UsageError: unknown device 'gpu'", "hint: one of auto, cuda, cpu"]


def test_a_cell_whose_text_is_gone_still_makes_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = Path(environment().cache) / "cells"
    module: Any = compile_cell("--device cpu", SCALE + f"// {secrets.token_hex()}")
    monkeypatch.setattr("oxide.runtime.magic.MAX_CELLS", 1)
    compile_cell("--device cpu", ADD)
    assert len(list(cells.iterdir())) == 1
    out = np.full(1, 3, "u4")
    module.scale["u32"][1, 1](2, out)
    assert out[0] == 6


def told_by(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what was told on stderr, without how long it took."""
    return [re.sub(r"in \d+\.\d s", "in …", line) for line in capsys.readouterr().err.splitlines()]


def test_what_is_compiled_is_told_and_what_is_remembered_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "adds.rs"
    file.write_text(ADD.replace("+= number", f"+= number ^ {secrets.randbits(32)}") + SCALE)
    module: Any = oxide.load(file, device="cpu")
    assert told_by(capsys) == ["oxide: compiling adds.rs for the CPU device", "oxide: compiled adds.rs in …"]
    _ = module.scale["u32"]
    assert told_by(capsys) == ["oxide: compiling scale<u32> of adds.rs for the CPU device", "oxide: compiled scale<u32> of adds.rs in …"]
    _ = oxide.load(file, device="cpu").scale["u32"]
    assert told_by(capsys) == []
    file.write_text(file.read_text().replace("number ^", "1 + number ^"))
    oxide.load(file, "sm_90", "cpu", quiet=True)
    assert told_by(capsys) == []
    file.write_text(file.read_text().replace("1 + number", "missing"))
    monkeypatch.setenv("OXIDE_QUIET", "1")
    with pytest.raises(oxide.CompileError):
        oxide.load(file, "sm_90", "cpu")
    assert told_by(capsys) == []
    with pytest.raises(oxide.CompileError):
        oxide.load(file, "sm_90", "cpu", quiet=False)
    assert told_by(capsys) == ["oxide: compiling adds.rs for sm_90"]
    monkeypatch.delenv("OXIDE_QUIET")
    monkeypatch.setenv("RUST_LOG", "info")
    with pytest.raises(oxide.CompileError):
        oxide.load(file, "sm_90", "cpu")
    assert any(line.startswith("[PHASE 3/9] spawning ") for line in told_by(capsys))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        with pytest.raises(oxide.CompileError):
            oxide.load(file, "sm_90", "cpu")


def test_importing_oxide_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import oxide; print(sorted(set(sys.modules) - before - {'oxide', 'typing'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not [name for name in eval(done.stdout) if name.startswith(("oxide.", "numpy", "cuda", "msgspec", "click"))]


def test_every_public_name_is_there() -> None:
    for name in oxide.__all__:
        assert getattr(oxide, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'lode'"):
        _ = oxide.lode


DECLARED = """.version 8.0
.target sm_80
.address_size 64 // .entry nothing(.param .u8 x)
.visible .entry  scale (
    .param .u32 scale_param_0, /* n */
    .param .align 4 .b8 scale_param_1[12],
    .param .u64 .ptr .global .align 4 scale_param_2,
    .param .u64 scale_param_3
)
.maxntid 32
{ ret; }
.entry bare { ret; }
"""


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("fn scale(n: u64, v: [f32; 3], x: &[f32])", r"got `n: u64`, 8 bytes, expected 4, as foreign.ptx declares it"),
        ("fn scale(n: u32, v: (f32, f32), x: &[f32])", r"got `v: \(f32, f32\)`, 8 bytes, expected 12"),
        ("fn scale(n: u32, v: [f32; 3], x: *mut f32)", "got 3 parameters in the signature, expected 4"),
        ("fn scale(n: u32, v: [f32; 3], x: &[f32], y: u8)", "got 5 parameters in the signature, expected 4"),
        ("fn bare(n: u32)", "got 1 parameters in the signature, expected 0"),
        ("fn nothing(n: u8)", "has no kernel 'nothing'"),
        ("fn bare() fn bare()", "got two signatures of kernel 'bare', expected one"),
        ("fn bare(n: u8, n: u8)", "got two parameters 'n', expected different names"),
        ("fn bare(n: [u8; 99999999999999999999])", "expected a number of elements"),
        ({"bare": "() fn scale()"}, "got 2 signatures for kernel 'bare', expected one"),
        ({"bare": 5}, "expected a text, or a dict of names and texts"),
        (5, "got 5 for the signature, expected a text"),
    ],
)
def test_a_signature_agrees_with_what_the_ptx_declares(tmp_path: Path, signature: Any, message: str) -> None:
    (tmp_path / "foreign.ptx").write_text(DECLARED)
    oxide.load(tmp_path / "foreign.ptx", device="cpu", signature="fn scale(n: u32, v: [f32; 3], x: &[f32]) fn bare()")
    with pytest.raises(UsageError, match=message):
        oxide.load(tmp_path / "foreign.ptx", device="cpu", signature=signature)


def test_a_ptx_is_text_that_nothing_is_asked_of(tmp_path: Path) -> None:
    (tmp_path / "cubin.ptx").write_bytes(DECLARED.encode() + b"\0")
    with pytest.raises(UsageError, match="is not text, expected PTX"):
        oxide.load(tmp_path / "cubin.ptx", device="cpu", signature="fn bare()")
    (tmp_path / "foreign.ptx").write_bytes(DECLARED.encode() + b"// caf\xe9\n")
    oxide.load(tmp_path / "foreign.ptx", device="cpu", signature="fn bare()")
    with pytest.raises(UsageError, match="arch, fmad: for Rust that is compiled, and foreign"):
        oxide.load(tmp_path / "foreign.ptx", "sm_90", "cpu", signature="fn bare()", fmad=False)
    with pytest.raises(UsageError, match="unknown option colour"):
        oxide.load(tmp_path / "foreign.ptx", device="cpu", signature="fn bare()", colour=True)


@pytest.mark.parametrize(
    "option", [{"fast_math": "no"}, {"fmad": 0}, {"build_std": "x"}, {"opt_level": True}, {"profile": 7}, {"quiet": "no"}], ids=str
)
def test_an_option_of_another_type_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"got .* for {next(iter(option))}, expected (True or False|an integer|a text)"):
        oxide.load(KERNELS, device="cpu", **option)


@pytest.mark.parametrize(
    "argument", [None, object, np.float64(4), 4.0, np.dtype(">f4"), np.dtype("M8[s]"), np.complex64, np.longdouble, [("a", "f4")]]
)
def test_what_is_no_generic_argument_is_refused(argument: Any) -> None:
    with pytest.raises(oxide.ArgumentError, match="expected a type as Rust spells it, a NumPy dtype, or a constant"):
        spell(argument)
    assert [spell(known) for known in (np.float16, "f4x", np.dtype("<i8"), float, True, 7)] == ["f16", "f4x", "i64", "f64", "true", "7"]
    assert [spell(number) for number in (np.int64(4), np.uint8(3), np.True_)] == ["4", "3", "true"]
    assert spell(ml_dtypes.bfloat16) == spell(np.dtype(ml_dtypes.bfloat16)) == "half::bf16"


def test_half_precision_numbers_are_packed_and_their_arrays_read() -> None:
    plan = Plan(parse_signatures("fn half(a: f16, b: u16, c: *mut f16)")[0], cuda=False)
    number, array = np.float16(-1.25), np.ones(3, "f2")
    _, _, where = plan.names["c2"][np.ndarray](array)
    assert where is None
    assert plan.offsets == [0, 2, 8]
    assert plan.struct.pack(number, 7, 9) == number.tobytes() + bytes([7, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0])
    with pytest.raises(oxide.ArgumentError, match=r"argument `a`: got 100000\.0 .* expected f16"):
        raise plan.explain((1e5, 7, array), OverflowError())
    with pytest.raises(oxide.ArgumentError, match="argument `c`: got float32, expected f16"):
        raise plan.explain((1.0, 7, array.astype("f4")), TypeError())
