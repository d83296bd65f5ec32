"""Cargo as a child: its environment, its run, its messages."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide import rustflags
from oxide.cache import digest
from oxide.driver.processes import end_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oxide.options import Environment, Options
    from oxide.rustflags import RustcCall

WARM_UP_AFTER = 0.12
"""Seconds after which cargo is taken to be compiling something, so that the compiler's own start goes on beside it."""

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
        "OXIDE_FINGERPRINT": fingerprint(options),
        **({} if options.colour == "auto" else {"CARGO_TERM_COLOR": options.colour}),
        # Without it a stable cargo takes no -Z; whatever asks rustc sees it unset.
        **({"RUSTC_BOOTSTRAP": "1"} if options.build_std else {}),
    }


def fingerprint(options: Options) -> str:
    """Return what changes when a program may carry other code: the options, or oxide itself."""
    sources = sorted(path for path in Path(__file__).parents[1].rglob("*.py") if path.parent.name != "cli")
    own = (f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in sources)
    return digest(options.compile.fingerprint(), *options.further_archs, str(options.cubin), *own)


def run(
    command: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    *,
    warm_up: Callable[[], None],
    talk: Callable[[str], None],
    warnings: bool = True,
) -> tuple[int, list[dict[str, Any]]]:
    """Run cargo and return its exit status and its messages. Its own talk goes to stderr, and rustc's, with its `warnings` or without."""
    # A group of its own, so that rustc and build scripts end with it.
    form = "--message-format=json-render-diagnostics" if warnings else "--message-format=json"
    child = subprocess.Popen([*command, form], cwd=folder, env=variables, stdout=subprocess.PIPE, process_group=0)
    timer = threading.Timer(WARM_UP_AFTER, warm_up)
    timer.daemon = True
    timer.start()
    messages: list[dict[str, Any]] = []
    try:
        assert child.stdout is not None
        for line in child.stdout:
            if not line.startswith(b"{"):
                talk(line.decode(errors="replace").rstrip("\n"))
                continue
            message = json.loads(line)
            messages.append(message)
            if message["reason"] == "compiler-message" and message["message"]["level"] in ERRORS:
                talk(message["message"]["rendered"].rstrip("\n"))
        return child.wait(), messages
    finally:
        timer.cancel()
        if child.poll() is None:
            end_group(child)
