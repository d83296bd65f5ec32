"""Cargo as a child: its environment, its run, its messages."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import threading
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from oxide.cache import keys
from oxide.cache.files import Cache, digest
from oxide.rust import rustflags
from oxide.rust.processes import end_group
from oxide.rust.rustflags import COMPILING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oxide.options import Environment, Options
    from oxide.rust.project import Project
    from oxide.rust.rustflags import RustcCall
    from oxide.rust.toolchain import Rust

BUILD_STD = "-Zbuild-std=std,panic_abort,panic_unwind"
"""What cargo compiles of the standard library; which of the two ways to panic is linked is the profile's choice."""

FEATURE_FLAGS = {"--all-features", "--no-default-features"}

COMPILED = {"compiler-artifact", "compiler-message", "build-script-executed"}
"""Messages of a cargo that compiles."""

MESSAGES = "--message-format="
WORKSPACE = "--workspace"
KEEP_GOING = "--keep-going"

POLL_INTERVAL = 0.02
"""Seconds between two looks whether rustc compiles something."""

ERRORS = {"error", "error: internal compiler error", "failure-note"}
"""Levels of rustc's diagnostics that are shown also where little is said. The rustc book, "JSON Output"."""


def variables(options: Options, environment: Environment, call: RustcCall, folder: Path, socket: Path) -> dict[str, str]:
    """Return the environment of the cargo that builds the program."""
    dropped = {"RUSTFLAGS", "RUSTC_BOOTSTRAP", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR"}
    kept = {name: value for name, value in environment.variables.items() if name not in dropped}
    return {
        **kept,
        "RUSTC": os.fspath(call.rustc),
        **rustflags.without_wrappers(folder, environment),
        "CARGO_ENCODED_RUSTFLAGS": call.encoded,
        "OXIDE_SOCKET": os.fspath(socket),
        "OXIDE_FINGERPRINT": fingerprint(options, environment),
        **({} if options.colour == "auto" else {"CARGO_TERM_COLOR": options.colour}),
        # Without it a stable cargo takes no -Z; whatever asks rustc sees it unset.
        **({"RUSTC_BOOTSTRAP": "1"} if options.build_std else {}),
    }


def command(options: Options, rust: Rust, project: Project, subcommand: str, *arguments: str) -> list[str]:
    """Return cargo's command line for a project."""
    return [
        *(rust.cargo, subcommand, "--target", rust.host, "--profile", options.profile),
        *project.cargo_arguments,
        *arguments,
        *([BUILD_STD] if options.build_std else []),
        *(["--quiet"] if options.quiet else []),
    ]


def chosen_features(command: Sequence[str]) -> list[str]:
    """Return the words of cargo's command line that choose features."""
    return [word for before, word in pairwise(command) if before == "--features" or word in FEATURE_FLAGS]


def failed(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Whether cargo went on after what it could not build."""
    return any(message["reason"] == "build-finished" and not message["success"] for message in messages)


def has_compiled(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Whether cargo has resolved what the package depends on and begun to compile."""
    return any(message["reason"] in COMPILED for message in messages)


def asking_for(instances: Sequence[tuple[str, Sequence[str]]], variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that ask for instances of generic kernels, as docs/formats.md has it; crates are compiled again."""
    asked = json.dumps(instances)
    return {"OXIDE_INSTANCES": asked, "OXIDE_FINGERPRINT": digest(variables["OXIDE_FINGERPRINT"], asked)}


def fingerprint(options: Options, environment: Environment) -> str:
    """Return what changes when a program may carry other code: the options, files that they name by content, the tools, or oxide itself."""
    cache = Cache(options.cache)
    chosen = keys.spell_options(options.compile, cache)
    # Cargo keeps what a crate became too, and without a cache all is to be compiled.
    again = [] if options.store.use else [secrets.token_hex(16)]
    tools = [*keys.llvm(cache), *keys.libdevice(cache), *(keys.ptxas(cache, environment) if options.cubin else ())]
    tools += keys.libnvvm(cache) if options.code == "ltoir" else ()
    sources = sorted(path for path in Path(__file__).parents[1].rglob("*.py") if path.parent.name != "cli")
    own = (f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in sources)
    return digest(options.compile.fingerprint(), chosen, *options.further_archs, options.code, str(options.cubin), *tools, *own, *again)


def run(
    command: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    *,
    warm_up: Callable[[], None],
    talk: Callable[[str], None],
    warnings: bool = True,
    errors: IO[bytes] | None = None,
    data: Callable[[bytes], None] = lambda _: None,
) -> tuple[int, list[dict[str, Any]]]:
    """Run cargo and return its exit status and its messages. Its own talk goes to stderr, or to `errors`, and rustc's, with its
    `warnings` or without. Where the command asks for messages itself, they go to `data`, and rustc's diagnostics only there.
    """
    # A group of its own, so that rustc and build scripts end with it.
    wanted = any(word.startswith(MESSAGES) for word in command)
    form = [] if wanted else [f"{MESSAGES}json-render-diagnostics" if warnings else f"{MESSAGES}json"]
    child = subprocess.Popen([*command, *form], cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=errors, process_group=0)
    ended = threading.Event()
    compiling = Path(variables["OXIDE_SOCKET"]).with_name(COMPILING)
    threading.Thread(target=warm_up_once_compiling, args=(compiling, warm_up, ended), daemon=True).start()
    messages: list[dict[str, Any]] = []
    try:
        assert child.stdout is not None
        for line in child.stdout:
            if not line.startswith(b"{"):
                talk(line.decode(errors="replace").rstrip("\n"))
                continue
            message = json.loads(line)
            messages.append(message)
            if wanted:
                data(line)
            elif message["reason"] == "compiler-message" and message["message"]["level"] in ERRORS:
                talk(message["message"]["rendered"].rstrip("\n"))
        return child.wait(), messages
    finally:
        ended.set()
        if child.poll() is None:
            end_group(child)
        if child.stdout is not None:
            child.stdout.close()


def warm_up_once_compiling(compiling: Path, warm_up: Callable[[], None], ended: threading.Event) -> None:
    """Start the compiler beside rustc as soon as that compiles a crate; a build that changes nothing never does."""
    while not ended.wait(POLL_INTERVAL):
        if compiling.exists():
            warm_up()
            return
