"""Kernels with mathematical functions on a machine that has nothing of NVIDIA's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_packages import write_wheel

from oxide import options
from oxide.cli.main import run
from oxide.tools import finders, packages
from oxide.tools.finders import LIBDEVICE, PACKAGES

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = """\
use cuda_device::{DisjointSlice, kernel, thread};

fn soft(x: f32) -> f32 {
    EXPRESSION
}

#[kernel]
pub fn k(x: &[f32], mut out: DisjointSlice<f32>) {
    let i = thread::index_1d();
    let v = x[i.get()];
    if let Some(o) = out.get_mut(i) { *o = soft(v) }
}
"""


def build(tmp_path: Path, expression: str, *arguments: str) -> int:
    (tmp_path / "k.rs").write_text(KERNEL.replace("EXPRESSION", expression))
    return run(["build", "k.rs", *arguments])


@pytest.mark.timeout(600)
def test_the_first_use_installs_libdevice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    real = finders.find_libdevice()
    if real is None:
        pytest.skip("libdevice is not installed")
    write_wheel(tmp_path / "index", real.read_bytes())
    kept = tmp_path / "cache" / PACKAGES / LIBDEVICE.requirement
    (tmp_path / "cache").mkdir()
    for made_before in ("backend", "device", "crates"):
        (tmp_path / "cache" / made_before).symlink_to(options.environment().cache / made_before)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OXIDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(finders, "nvidia_folders", lambda: [kept])
    monkeypatch.setattr(packages, "may_be_changed", lambda _: False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    hint = f"hint: run `{finders.pip_install(LIBDEVICE.requirement)}`\n"

    def refused(first: str, column: int, why: str) -> bool:
        err = capfd.readouterr().err.replace(f"{tmp_path}/", "")
        message = f"error: {first} at k.rs:4:{column} needs NVIDIA's libdevice, which is not installed: {why}\n"
        return err.endswith(message + hint)

    monkeypatch.setenv("OXIDE_INSTALL", "0")
    assert build(tmp_path, "(x.exp() + 1.0).ln()") == 3
    assert refused("`exp` of `f32`", 8, "OXIDE_INSTALL or the project's settings forbid installing it")
    monkeypatch.delenv("OXIDE_INSTALL")
    (tmp_path / "oxide.toml").write_text("[build]\ninstall = false\n")
    assert build(tmp_path, "f64::from(x).tanh() as f32") == 3
    assert refused("`tanh` of `f64`", 18, "OXIDE_INSTALL or the project's settings forbid installing it")
    (tmp_path / "oxide.toml").unlink()
    assert build(tmp_path, "x.ln_1p()", "--offline") == 3
    assert refused("`ln_1p` of `f32`", 7, "it cannot be installed without a network")
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")
    assert build(tmp_path, "x.powf(0.3)") == 3
    assert refused("`powf` of `f32`", 7, "it cannot be installed without a network")
    monkeypatch.delenv("CARGO_NET_OFFLINE")
    assert not kept.exists()
    # A constant exponent is a few multiplications.
    assert build(tmp_path, "x.powi(3) + x.powi(-2)") == 0
    assert not kept.exists()

    assert build(tmp_path, "(x.exp() + 1.0).ln()") == 0
    err = capfd.readouterr().err
    assert err.count(f"oxide: installing {LIBDEVICE.requirement} (libdevice and libNVVM, a download of 62 MB) into {kept}; ") == 1
    assert "ex2.approx" in (tmp_path / "k.ptx").read_text()
    assert build(tmp_path, "x.sin()") == 0
    assert "installing" not in capfd.readouterr().err
