"""`oxide inspect`, `list` and `fmt`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from oxide.cli.fmt import find_tool
from oxide.cli.main import run
from oxide.errors import MachineError
from oxide.export import resources
from oxide.options import environment
from oxide.tools import finders

PTX = """\
.version 8.0
.target sm_90
.address_size 64

.visible .entry bounded(
	.param .u64 bounded_param_0
)
.maxntid 128, 2
{
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<3>;
	.shared .align 4 .b8 tile[4096];
	ld.param.b64 	%rd1, [bounded_param_0];
	mov.u32 	%r1, %tid.x;
	mov.u32 	%r2, tile;
	mad.lo.s32 	%r3, %r1, 4, %r2;
	st.volatile.shared.b32 	[%r3], %r1;
	bar.sync 	0;
	ld.volatile.shared.b32 	%r1, [tile];
	st.global.b32 	[%rd1], %r1;
	ret;
}

.visible .entry empty()
{
	ret;
}
"""

VECADD = Path(__file__).parents[2] / "examples" / "vecadd"


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if finders.find_ptxas(environment()) is None:
        pytest.skip("ptxas is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "module.ptx").write_text(PTX)
    return tmp_path / "module.ptx"


def test_a_table_of_what_kernels_take(module: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", module.name]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    head, *rows = out.splitlines()
    assert head.split() == ["kernel", "arch", "registers", "spills", "stack", "shared", "constant", "block", "occupancy", "limited", "by"]
    by_name = {row.split()[0]: row.split() for row in rows}
    assert set(by_name) == {"bounded", "empty"}
    assert by_name["bounded"][1] == "sm_90"
    assert by_name["bounded"][5] == "4096"
    assert by_name["bounded"][7:] == ["256", "100%,", "8", "blocks", "threads"]


def test_as_data(module: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", module.name, "--json", "--ptx", "--kernel", "bounded", "--block", "32", "--shared", "60000"]) == 0
    (found,) = json.loads(capfd.readouterr().out)
    assert found.pop("ptx").startswith(".visible .entry bounded(")
    assert 0 < found.pop("registers") < 32
    found.pop("constant")
    assert found == {
        "name": "bounded",
        "arch": "sm_90",
        "stack": 0,
        "spill_stores": 0,
        "spill_loads": 0,
        "shared": 4096,
        "barriers": 1,
        "block": 32,
        "occupancy": {"blocks": 3, "warps": 3, "share": 3 / 64, "limit": "shared memory"},
    }


def test_ptx_needs_no_ptxas(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finders, "find_ptxas", lambda _: None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "module.ptx").write_text(PTX)
    assert run(["inspect", "module.ptx", "--ptx"]) == 0
    out, err = capfd.readouterr()
    assert ".visible .entry bounded(" in out
    assert ".visible .entry empty()" in out
    assert "registers, spills and memory are left out, for ptxas alone knows: " in err
    assert run(["inspect", "module.ptx", "--ptx", "--kernel", "empty"]) == 0
    assert "bounded" not in capfd.readouterr().out
    assert run(["inspect", "module.ptx", "--ptx", "--kernel", "emty"]) == 2
    assert capfd.readouterr().err == "error: no kernel is named 'emty'\nhint: did you mean 'empty'?\n"
    for arguments in ([], ["--json", "--ptx"], ["--sass", "--ptx"]):
        assert run(["inspect", "module.ptx", *arguments]) == 3
        out, err = capfd.readouterr()
        assert out == ""
        assert err.startswith("error: registers, spills and memory of kernels are known to ptxas alone, which is not installed\nhint: ")
    (tmp_path / "module.ptx").write_text("no PTX")
    assert run(["inspect", "module.ptx", "--ptx"]) == 2
    assert capfd.readouterr().err.startswith("error: the text has no `.target` line, so it is not PTX\n")


def test_machine_code_needs_nvdisasm(module: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = finders.find_nvidia_tool
    monkeypatch.setattr(finders, "find_nvidia_tool", lambda name, variables: None if name == "nvdisasm" else found(name, variables))
    assert run(["inspect", module.name, "--sass"]) == 3
    err = capfd.readouterr().err
    assert err.startswith("error: --sass needs nvdisasm, which is not installed\nhint: ")
    assert "nvidia-cuda-nvdisasm" in err


def test_machine_code_is_told_by_function(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = "//---- .text.one  ----\n\t.section x\none:\n  EXIT ;\n\n//---- .text.two ----\ntwo:\n  BRA ;\n"
    tool = tmp_path / "nvdisasm"
    tool.write_text(f"#!/bin/sh\ncat <<'END'\n\t.target sm_90\n{said}END\n")
    tool.chmod(0o755)
    monkeypatch.setattr(finders, "find_nvidia_tool", lambda *_: tool)
    assert resources.disassemble(b"", environment()) == {"one": "\t.section x\none:\n  EXIT ;\n", "two": "two:\n  BRA ;\n"}


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["module.ptx", "--kernel", "bonded"], 2, "no kernel is named 'bonded'\nhint: did you mean 'bounded'?"),
        (["module.ptx", "--arch", "sm_90"], 2, "module.ptx declares its own target\nhint: omit --arch"),
        (["none.ptx"], 2, "cannot read none.ptx: no such file or directory"),
        (["empty.ptx"], 2, "the text has no `.target` line, so it is not PTX"),
        (["wrong.ptx"], 2, "ptxas refused the PTX:"),
    ],
)
def test_what_is_wrong_is_said(arguments: list[str], status: int, message: str, module: Path, capfd: pytest.CaptureFixture[str]) -> None:
    module.with_name("empty.ptx").write_text("")
    module.with_name("wrong.ptx").write_text(PTX.replace("bar.sync", "bar.sunk"))
    assert run(["inspect", *arguments]) == status
    assert capfd.readouterr().err.startswith(f"error: {message}")


def test_kernels_are_listed_with_their_signatures(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from oxide.driver import Built, Session

    ptx = (
        b'// oxide 0\n// oxide kernel {"version":1,"name":"fill","params":[{"name":"value","rust":"u32",'
        b'"type":{"kind":"int","bits":32,"signed":false}}]}\n'
    )
    built = Built.__new__(Built)
    built.outputs = {"demo": {"ptx": ptx}}
    monkeypatch.setattr(Session, "build", lambda *_, **__: built)
    assert run(["list", str(VECADD)]) == 0
    assert capfd.readouterr().out == "crate  kernel  signature\ndemo   fill    fn fill(value: u32)\n"
    assert run(["list", str(VECADD), "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == [{"crate": "demo", "name": "fill", "signature": "fn fill(value: u32)"}]


def test_without_a_target_the_examples_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["list"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert "vecadd             Two slices in, one out" in lines
    assert len(lines) == 1 + len(list(VECADD.parent.glob("*/Cargo.toml")))


def test_a_file_and_a_package_are_formatted(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        find_tool("cargo-fmt", environment())
    except MachineError as error:
        pytest.skip(error.message)
    (tmp_path / "one.rs").write_text("fn main(){}")
    assert run(["fmt", "one.rs", "--check"]) == 1
    assert run(["fmt", "one.rs"]) == 0
    assert (tmp_path / "one.rs").read_text() == "fn main() {}\n"
    assert run(["new", "two"]) == 0
    (tmp_path / "two" / "src" / "main.rs").write_text("fn main(){}")
    assert run(["fmt", "two", "--check"]) == 1
    assert run(["fmt", "two"]) == 0
    assert (tmp_path / "two" / "src" / "main.rs").read_text() == "fn main() {}\n"


def test_a_formatter_that_is_missing(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("oxide.tools.finders.which", lambda *_: None)
    monkeypatch.setattr("oxide.rust.toolchain.rustc_candidates", lambda _: iter(()))
    assert run(["fmt", str(VECADD)]) == 3
    assert capfd.readouterr().err.startswith("error: rustfmt is not installed\nhint: run `rustup component add rustfmt`")


def test_a_formatter_that_does_not_run_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One of rustup's, where no toolchain is its default: the one beside the rustc is used."""
    for name in ("rustfmt", "cargo-fmt", "cargo"):
        (tmp_path / name).write_text("#!/bin/sh\necho 'error: no default toolchain is configured' >&2; exit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    shutil.copytree(VECADD, tmp_path / "vecadd")
    (tmp_path / "vecadd" / "Cargo.toml").write_text('[package]\nname = "vecadd"\nedition = "2024"\n[workspace]\n')
    monkeypatch.setattr("oxide.rust.toolchain.rustc_candidates", lambda _: iter(()))
    assert run(["fmt", str(tmp_path / "vecadd")]) == 3
    error = f"error: no rustfmt runs, found\n  {tmp_path}/rustfmt: error: no default toolchain is configured\nhint: "
    assert capfd.readouterr().err.startswith(error)
    monkeypatch.undo()
    if not Path("/usr/bin/cargo-fmt").exists():
        pytest.skip("cargo-fmt is not installed: apt install cargo-web")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "vecadd" / "src" / "main.rs").write_text("fn main(){}")
    assert run(["fmt", str(tmp_path / "vecadd")]) == 0
    assert (tmp_path / "vecadd" / "src" / "main.rs").read_text() == "fn main() {}\n"


ONLY_KERNELS = """\
use cuda_device::{DisjointSlice, kernel};

#[kernel]
pub fn add(number: u32, mut out: DisjointSlice<u32>) {
    if let Some((out, _)) = out.get_mut_indexed() {
        *out += number;
    }
}
"""


def test_a_file_of_kernels_needs_no_main(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "adds.rs").write_text(ONLY_KERNELS)
    assert run(["list", "adds.rs", "--json", "--device", "cpu"]) == 0
    assert json.loads(capfd.readouterr().out) == [
        {"crate": "adds", "name": "add", "signature": "fn add(number: u32, out: DisjointSlice<u32>)"}
    ]
    assert run(["build", "adds.rs", "--emit", "ptx", "-o", "-", "--device", "cpu"]) == 0
    assert ".visible .entry add(" in capfd.readouterr().out
    assert run(["pipeline", "adds.rs", "--stage", "nvvm", "--device", "cpu"]) == 0
    capfd.readouterr()
    (tmp_path / "scales.rs").write_text(
        ONLY_KERNELS.replace("add(number: u32", "add<T: core::ops::AddAssign>(number: T").replace("<u32>", "<T>")
    )
    assert run(["list", "scales.rs", "--json", "--device", "cpu"]) == 0
    assert json.loads(capfd.readouterr().out) == [
        {"crate": "scales", "name": "add", "signature": "fn add<T>(number: T, out: DisjointSlice<T>)"}
    ]
    assert run(["run", "adds.rs", "--device", "cpu"]) == 1
    assert "error[E0601]: `main` function not found" in capfd.readouterr().err
    if finders.find_ptxas(environment()) is None:
        pytest.skip("ptxas is not installed: pip install nvidia-cuda-nvcc")
    assert run(["inspect", "adds.rs", "--json", "--device", "cpu"]) == 0
    assert '"name": "add"' in capfd.readouterr().out


def test_the_project_may_forbid_that_ptxas_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(finders, "find_ptxas", lambda _: None)
    monkeypatch.setattr("oxide.tools.packages.run", lambda command: pytest.fail(f"ran {command}"))
    monkeypatch.setattr("oxide.tools.packages.nvidia_file", lambda _: None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "adds.rs").write_text(ONLY_KERNELS)
    (tmp_path / "oxide.toml").write_text("[build]\ninstall = false\n")
    assert run(["inspect", "adds.rs", "--device", "cpu"]) == 3
    assert "OXIDE_INSTALL or the project's settings forbid installing it" in capfd.readouterr().err
