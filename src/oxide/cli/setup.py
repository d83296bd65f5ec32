"""`oxide setup`: install what the first run needs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oxide.cli import ui
from oxide.cli.parameters import COMMON, resolve, with_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oxide.driver import Session
    from oxide.rust.toolchain import Rust


EPILOG = """\b
Examples:
  oxide setup                   everything for later runs without a network
  oxide setup --project .       the same, and the dependencies of the project in this folder
"""


@click.command("setup", epilog=EPILOG)
@click.option("--rustc", type=click.Path(dir_okay=False, path_type=Path), help="Use this rustc, and the cargo beside it.")
@click.option("--build-std", is_flag=True, help="Install the standard library's source, and download its dependencies.")
@click.option("--from-source", is_flag=True, help="Build the backend from source (requires rustc-dev) instead of linking the packed one.")
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Write the paths of oxide's crates to this project's .cargo/config.toml, for plain cargo and editors, and download dependencies.",
)
@with_options(COMMON)
def command(from_source: bool, build_std: bool, project: Path | None, **chosen: Any) -> int:
    """Find or install rustc, link the backend against it, and download the examples' dependencies.

    Later builds then work without a network.
    """
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust import backend_link, cpu_device, toolchain

    options = resolve(chosen)
    with Session(options, environment(), Path.cwd(), ui) as session:
        if from_source:
            rust = toolchain.find_rust(options.rustc, session.environment, session.cache, backend_link.needs_rustc_dev)
            backend = backend_link.build_from_source(rust, toolchain.crates_folder(), session.cache, session.environment.variables)
        else:
            rust, backend = session.prepare()
        ui.say(f"rustc {rust.release} at {rust.rustc}")
        ui.say(f"backend at {backend}")
        workspaces = [toolchain.examples_folder(), toolchain.crates_folder()]
        if project is not None:
            workspaces.append(prepare_project(session, rust, project))
        if build_std:
            workspaces.append(toolchain.install_library_source(rust, ui.say).parent)
        for workspace in workspaces:
            if workspace is not None and (workspace / "Cargo.lock").exists():
                fetch(rust, workspace, session.environment.variables)
        if (device := cpu_device.prepare(options, session.environment, rust, ui)) is not None:
            ui.say(f"CPU device at {device}")
    return 0


def prepare_project(session: Session, rust: Rust, folder: Path) -> Path:
    """Write the paths of oxide's crates to a project's cargo configuration, and return the folder of its workspace."""
    from oxide.cli.new import write_cargo_config
    from oxide.rust.metadata import ask_cargo
    from oxide.rust.project import crates_to_patch, find

    manifest = find(os.fspath(folder.absolute()), session.here).manifest
    assert manifest is not None
    metadata = ask_cargo(rust, manifest, session.environment.variables, session.cache)
    workspace = Path(metadata["workspace_root"])
    if crates := crates_to_patch(metadata, workspace / "Cargo.lock"):
        ui.say(f"wrote {write_cargo_config(workspace, crates)}")
    return workspace


def fetch(rust: Rust, workspace: Path, variables: Mapping[str, str]) -> None:
    """Download the packages of a workspace's lock file. Without a network this is a warning: a later build may need none of them."""
    command = [rust.cargo, "fetch", "--locked", "--quiet", "--manifest-path", os.fspath(workspace / "Cargo.toml")]
    # The standard library's own manifest uses what only nightly cargo takes.
    env = {**variables, "RUSTC": rust.rustc, "RUSTC_BOOTSTRAP": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"cargo ended with status {done.returncode}"]
        ui.warning(f"could not download the dependencies of {workspace}: {said[-1]}")
