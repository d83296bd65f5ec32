"""The compiler in front of the store: what is compiled for several targets, and what is found again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.cache.compiler import Compiler
from oxide.cache.files import Cache
from oxide.options import CompileOptions, Environment, Options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LL = b"""\
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @store(ptr %p0) {
  store i32 42, ptr %p0, align 4
  ret void
}
"""


class Run:
    """A compiler with a store in a folder, and the stages that it has run."""

    def __init__(self, cache: Path) -> None:
        options = Options(cache=cache, compile=CompileOptions(arch="sm_80"))
        self.compiler = Compiler(options, Environment({"PATH": "/usr/bin:/bin"}), Cache(cache))
        self.stages: list[str] = []
        self.found: list[str] = []

    def compile(self, *further: str, arch: str | None = None) -> dict[str, bytes]:
        """Compile a kernel, and close the compiler."""
        try:
            return self.compiler.compile(
                LL, start="ll", emit={"ptx"}, name="demo", arch=arch, further=further, done=self.stages.append, found=self.found.extend
            )
        finally:
            self.compiler.close()


def targets(outputs: dict[str, bytes], kinds: Sequence[str]) -> list[str]:
    return [next(line for line in outputs[kind].decode().splitlines() if line.startswith(".target")) for kind in kinds]


def test_each_target_gets_what_it_would_get_alone(tmp_path: Path) -> None:
    several = Run(tmp_path / "several").compile("sm_90a", "sm_120")
    assert targets(several, ["ptx", "sm_90a.ptx", "sm_120.ptx"]) == [".target sm_80", ".target sm_90a", ".target sm_120"]
    for arch, kind in (("sm_80", "ptx"), ("sm_90a", "sm_90a.ptx"), ("sm_120", "sm_120.ptx")):
        assert Run(tmp_path / arch).compile(arch=arch)["ptx"] == several[kind]


def test_the_stages_run_once_for_all_targets_and_not_again(tmp_path: Path) -> None:
    first = Run(tmp_path)
    outputs = first.compile("sm_90a")
    assert (first.stages, first.found) == (["ptx"], [])
    again = Run(tmp_path)
    assert again.compile("sm_90a") == outputs
    assert (again.stages, again.found) == ([], ["ptx"])


def test_a_target_that_comes_later_is_compiled_beside_what_is_stored(tmp_path: Path) -> None:
    before = Run(tmp_path).compile("sm_90a")
    more = Run(tmp_path)
    outputs = more.compile("sm_90a", "sm_100")
    assert outputs == before | {"sm_100.ptx": outputs["sm_100.ptx"]}
    assert targets(outputs, ["sm_100.ptx"]) == [".target sm_100"]
    assert more.found == ["ptx"]
    alone = Run(tmp_path)
    assert alone.compile(arch="sm_100")["ptx"] == outputs["sm_100.ptx"]
    assert alone.stages == [], "stored under its own key"
