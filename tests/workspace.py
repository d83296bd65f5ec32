"""Many single files built at once: a workspace with a package for each, and one call of cargo.

    built = workspace.build("faults", FAULTS, "--check", "race")
    done = workspace.run(built["race_in_a_static"], tmp_path)

Each file has the package that `oxide run FILE` would generate for it. Workspaces stay in target/tests, so that a second call compiles what
has changed, and share a target folder, so that what they depend on is compiled once: tests/conftest.py gives them to one process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.rust.project import find_kernels, script_manifest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "target" / "tests"

WORKSPACE = """\
[workspace]
members = ["members/*"]
resolver = "3"

# Each program is small, and what they depend on is what others depend on too.
[profile.release]
codegen-units = 1

[profile.release.package."*"]
codegen-units = 16
"""

SUMMARIES = ("aborting due to", "warning emitted", "warnings emitted")
"""What rustc ends with, and cargo does not print."""


@dataclass
class Package:
    """What became of a package: its program, if there is one, what rustc said, and the folder of its modules."""

    name: str
    stages: Path
    executable: Path | None = None
    diagnostics: list[str] = field(default_factory=list)
    """As rustc renders them."""
    levels: set[str] = field(default_factory=set)

    def stage(self, suffix: str) -> Path:
        """Return the file of a stage: `.ll`, `.ptx`."""
        return self.stages / f"{self.name}{suffix}"


def build(name: str, sources: Iterable[Path], *options: str, device: str = "cpu", emit: str = "ptx") -> dict[str, Package]:
    """Build files as a workspace, and return their packages by the files' stems."""
    folder = FOLDER / name
    members = {}
    for source in sources:
        library = find_kernels(os.fspath(source), folder).library
        members[source.stem] = script_manifest(source, library=library)
    known = folder / "members"
    for stale in known.iterdir() if known.exists() else ():
        if stale.name not in members:
            shutil.rmtree(stale)
    write(folder / "Cargo.toml", WORKSPACE)
    if not (folder / "Cargo.lock").exists():
        shutil.copy(ROOT / "crates" / "Cargo.lock", folder)
    for stem, manifest in members.items():
        write(known / stem / "Cargo.toml", manifest)
    return built(folder, folder / "stages", *options, device=device, emit=emit)


def built(project: Path, stages: Path, *options: str, device: str = "cpu", emit: str = "ptx") -> dict[str, Package]:
    """Build all packages of a workspace, and return them by the names of their folders. Those that fail have said why."""
    shutil.rmtree(stages, ignore_errors=True)
    command = [sys.executable, "-m", "oxide", "build", os.fspath(project), "--workspace", "--keep-going", "--message-format=json"]
    command += [*options, "--device", device, f"--emit={emit}", "--out-dir", os.fspath(stages)]
    variables = {**os.environ, "CARGO_TARGET_DIR": os.fspath(FOLDER / "target")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    assert done.returncode in {0, 1}, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    packages: dict[str, Package] = {}
    for message in map(json.loads, done.stdout.splitlines()):
        if "manifest_path" not in message:
            continue
        folder = Path(message["manifest_path"]).parent
        if not folder.is_relative_to(project):
            continue
        package = packages.setdefault(folder.name, Package(message["target"]["name"], stages))
        if message["reason"] == "compiler-artifact":
            package.executable = Path(message["executable"]) if message["executable"] else None
        elif message["reason"] == "compiler-message" and not is_summary(message["message"]["message"]):
            package.diagnostics.append(message["message"]["rendered"])
            package.levels.add(message["message"]["level"])
    assert packages, done.stderr
    return packages


def is_summary(text: str) -> bool:
    """Whether rustc counts there what it has said."""
    return text.startswith(SUMMARIES) or text.endswith(SUMMARIES)


def run(package: Package, folder: Path, *under: str, device: str = "cpu", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a package's program in a folder, with its PTX beside it, as `oxide run` does."""
    assert package.executable is not None, "\n".join(package.diagnostics)
    if (ptx := package.stage(".ptx")).exists():
        shutil.copy(ptx, folder)
    command: Sequence[str | Path] = [*under, package.executable]
    environment = {**os.environ, "OXIDE_DEVICE": device, **variables}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)


def write(path: Path, text: str) -> None:
    """Write a file where it is not so already: cargo looks at times."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
