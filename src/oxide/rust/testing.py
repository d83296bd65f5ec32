"""How cargo runs test programs: each gets the PTX that it carries beside it first.

runner = write_runner(folder, executables(messages), started_in=None, ptx_folder=None, users=[], quietly=False)
cargo test --config target.HOST.runner=["…/runner"]
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.cache.files import write_atomically
from oxide.errors import MachineError
from oxide.export import artifact
from oxide.rust.rustflags import for_doc_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oxide.cache.files import Cache
    from oxide.rust.toolchain import Rust

WITHOUT_DOCUMENTATION = ("--lib", "--bins", "--tests", "--examples")
"""Everything that `cargo test` runs without being asked but the examples in documentation."""

SELECTIONS = {"--lib", "--bins", "--bin", "--tests", "--test", "--examples", "--example", "--benches", "--bench", "--all-targets", "--doc"}
"""Arguments of `cargo test` that choose what it runs."""


def rustdoc(rust: Rust, backend: Path, cache: Cache, arguments: Sequence[str], say: Callable[[str], None]) -> Path | None:
    """Return the wrapper of rustdoc; None where there is no rustdoc. Raises `MachineError` where the arguments select `--doc`."""
    wrapper = for_doc_tests(rust, backend, cache)
    if wrapper is None:
        if "--doc" in arguments:
            raise MachineError(f"doc tests need rustdoc, which is not beside {rust.rustc}", hint="omit --doc")
        say(f"no rustdoc beside {rust.rustc}, so documentation is not tested")
    return wrapper


def with_runner(command: Sequence[str], rust: Rust, runner: Path, *, quietly: bool) -> list[str]:
    """Return the command that runs tests through the script `runner`; `quietly`, warnings of what was compiled before are not shown."""
    started = [*QUIETLY, *command, "--message-format=json"] if quietly else [*command]
    return [*started, "--config", f"target.{rust.host}.runner={json.dumps([os.fspath(runner)])}"]


def without_documentation(arguments: Sequence[str], rustdoc: Path | None) -> tuple[str, ...]:
    """Return what keeps cargo from testing documentation where there is no rustdoc."""
    return WITHOUT_DOCUMENTATION if rustdoc is None and SELECTIONS.isdisjoint(arguments) else ()


def compilable(command: Sequence[str]) -> list[str]:
    """Return what compiles all that `command` needs before it runs anything. What runs documentation compiles it; it uses the library."""
    return ["--lib" if word == "--doc" else word for word in command]


def executables(messages: Iterable[Mapping[str, Any]]) -> list[Path]:
    """Return the programs that cargo's messages tell of."""
    return [Path(message["executable"]) for message in messages if message["reason"] == "compiler-artifact" and message["executable"]]


QUIETLY = ("sh", "-c", 'exec "$@" 3>&1 >/dev/null', "sh")
"""What a command is started by whose own stdout nobody reads; what it starts may write to the one that there was, as file 3."""

TO_STDOUT = "if { true >&3; } 2>/dev/null; then exec >&3 3>&-; fi"
"""What lets a script write there, unless who started it reads what it writes: rustdoc reads what documentation's tests do."""


def write_redirected(folder: Path, program: Path) -> Path:
    """Write the script that starts a program with the stdout from before `QUIETLY`, and return where it is."""
    script = folder / program.name
    write_atomically(script, f'#!/bin/sh\n{TO_STDOUT}\nexec {shlex.quote(os.fspath(program))} "$@"\n'.encode(), mode=0o755)
    return script


def write_runner(
    folder: Path, programs: Iterable[Path], *, started_in: Path | None, ptx_folder: Path | None, users: Sequence[str], quietly: bool
) -> Path:
    """Write the script that cargo, started `quietly` or not, calls with a test program and its arguments, and return where it is.

    It puts each PTX that the program carries into `ptx_folder`, or else where the program runs, and then becomes the program, through the
    `users` own runner where there is one. Cargo starts it in the package's folder; `started_in` is another.
    """
    lines = ["#!/bin/sh", "# A test program finds the PTX that it carries where it runs."]
    lines += [f"cd {shlex.quote(os.fspath(started_in))} || exit"] if started_in is not None else []
    lines += ["case $1 in"]
    for number, program in enumerate(programs):
        kept = folder / "ptx" / str(number)
        modules = {record.text(artifact.Kind.CRATE): record.entries[artifact.Kind.PTX] for record in artifact.read_records(program)}
        for crate, ptx in modules.items():
            write_atomically(kept / f"{crate}.ptx", ptx)
        if modules:
            # By a rename, so that a reader never sees half of one.
            into = shlex.quote(os.fspath(ptx_folder or "."))
            copies = [
                f"cp {shlex.quote(f'{kept}/{crate}.ptx')} {into}/.{crate}.$$ && mv {into}/.{crate}.$$ {into}/{crate}.ptx"
                for crate in modules
            ]
            lines += [f"{shlex.quote(os.fspath(program))}) mkdir -p {into} && {' && '.join(copies)} || exit ;;"]
    lines += ["esac", *([TO_STDOUT] if quietly else []), f'exec {shlex.join(users)} "$@"' if users else 'exec "$@"', ""]
    runner = folder / "runner"
    write_atomically(runner, "\n".join(lines).encode(), mode=0o755)
    return runner
