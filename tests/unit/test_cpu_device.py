from __future__ import annotations

import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from oxide.cache.files import Cache
from oxide.errors import InternalError
from oxide.rust import cpu_device

if TYPE_CHECKING:
    from pathlib import Path


def test_how_a_program_is_built_does_not_count_for_the_device_that_all_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}

    def run(command: list[str], *, env: dict[str, str], **_: object) -> subprocess.CompletedProcess[str]:
        seen.update(env)
        return subprocess.CompletedProcess(command, 1, "", "it does not compile")

    monkeypatch.setattr(subprocess, "run", run)
    rust: Any = SimpleNamespace(cargo="cargo", rustc="/usr/bin/rustc", host="x86_64-unknown-linux-gnu")
    kept = {"PATH": "/usr/bin", "CARGO_HOME": "/home/one/.cargo"}
    flags = dict.fromkeys(("RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS"), "-Copt-level=0")
    others = {"RUSTC_WRAPPER": "sccache", "CARGO_PROFILE_RELEASE_PANIC": "abort", "RUSTC": "another"}
    with pytest.raises(InternalError, match="the CPU device did not build:\nit does not compile"):
        cpu_device.build(rust, Cache(tmp_path), kept | flags | others)
    assert seen == kept | {"RUSTC": "/usr/bin/rustc", "CARGO_BUILD_TARGET": "x86_64-unknown-linux-gnu"}
