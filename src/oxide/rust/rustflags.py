"""How rustc is called by cargo: the user's flags, ours, and a wrapper that adds what only a compilation may see.

    flags = for_build(rust, backend, user_flags, cache)
    flags.rustc          # stands in for rustc: RUSTC
    flags.encoded        # CARGO_ENCODED_RUSTFLAGS

The backend and its `-Z` flags need RUSTC_BOOTSTRAP, and build scripts that probe the compiler for unstable features must not be led astray
by it. So cargo gets a marker and stable flags; the wrapper adds the rest where cargo compiles a crate for the target, which is where the
marker and `-C metadata` meet. A build script that probes sees a stable compiler, with RUSTC_BOOTSTRAP unset.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.cache.files import digest, write_entry
from oxide.errors import ProgramError
from oxide.rust.backend_link import BACKEND_FLAGS
from oxide.rust.metadata import configuration

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oxide.cache.files import Cache
    from oxide.options import Environment
    from oxide.rust.toolchain import Rust

SEPARATOR = "\x1f"
COMPILING = "compiling"
"""The file beside the driver's socket that says that a crate for the target is being compiled."""

STABLE_FLAGS = ("-Csymbol-mangling-version=v0", "--cfg=oxide_f16")


@dataclass(frozen=True)
class RustcCall:
    """What cargo is told about rustc."""

    rustc: Path
    flags: tuple[str, ...]

    @property
    def encoded(self) -> str:
        """The flags as CARGO_ENCODED_RUSTFLAGS has them."""
        return SEPARATOR.join(self.flags)


def for_build(rust: Rust, backend: Path, user: Sequence[str], cache: Cache) -> RustcCall:
    """Return how cargo is to call rustc so that crates for the target get the backend."""
    hidden = [f"-Zcodegen-backend={backend}", *BACKEND_FLAGS]
    key = digest(rust.rustc, *hidden)
    marker = f"oxide_backend_{key[:16]}"
    script = f"""\
#!/bin/sh
# Crates that cargo compiles for the target get the backend; build scripts that ask see a stable compiler.
case " $* " in
*" metadata="*" --cfg={marker} "*)
    [ -S "$OXIDE_SOCKET" ] && true > "${{OXIDE_SOCKET%/*}}/{COMPILING}"
    RUSTC_BOOTSTRAP=1 exec {shlex.quote(rust.rustc)} "$@" {shlex.join(hidden)} ;;
*" -Z force-unstable-if-unmarked "*)  # the standard library's own build scripts
    RUSTC_BOOTSTRAP=1 exec {shlex.quote(rust.rustc)} "$@" ;;
esac
unset RUSTC_BOOTSTRAP
exec {shlex.quote(rust.rustc)} "$@"
"""
    wrapper = cache.root / "rustc" / digest(script) / "rustc"
    write_entry(wrapper, script.encode(), mode=0o755)
    return RustcCall(wrapper, (*user, *STABLE_FLAGS, f"--cfg={marker}"))


def for_doc_tests(rust: Rust, backend: Path, cache: Cache) -> Path | None:
    """Return what stands in for rustdoc, so that programs made from documentation link the kernels of the crates that they use.

    None where there is no rustdoc. It hands `-Z` flags on to the rustc that compiles a test (rustdoc's `--test`).
    """
    rustdoc = Path(rust.rustc).with_name("rustdoc")
    if not rustdoc.is_file():
        return None
    hidden = [f"-Zcodegen-backend={backend}", *BACKEND_FLAGS]
    script = f"""\
#!/bin/sh
# Tests in documentation are compiled with the backend.
case " $* " in
*" --test "*) RUSTC_BOOTSTRAP=1 exec {shlex.quote(str(rustdoc))} "$@" {shlex.join(hidden)} ;;
esac
exec {shlex.quote(str(rustdoc))} "$@"
"""
    wrapper = cache.root / "rustc" / digest(str(rustdoc), *hidden) / "rustdoc"
    write_entry(wrapper, script.encode(), mode=0o755)
    return wrapper


def user_runner(rust: Rust, folder: Path, environment: Environment) -> list[str]:
    """Return the program that the user's own settings start programs with. The Cargo Book, "Configuration", `target.<triple>.runner`."""
    if (named := environment.get(f"CARGO_TARGET_{rust.host.upper().replace('-', '_')}_RUNNER")) is not None:
        return named.split()
    targets = cargo_config(rust, folder, environment, "runner").get("target", {})
    if (runner := targets.get(rust.host, {}).get("runner")) is not None:
        return as_list(runner)
    conditional = {name: table for name, table in targets.items() if name.startswith("cfg(") and "runner" in table}
    facts = compiler_facts(rust) if conditional else set()
    return next((as_list(table["runner"]) for name, table in conditional.items() if holds(name, facts)), [])


def user_flags(rust: Rust, folder: Path, environment: Environment) -> list[str]:
    """Return the flags that the user's own settings give rustc, found as cargo finds them.

    The Cargo Book, "Configuration", `build.rustflags`: four sources, of which the first that is set counts.
    """
    if (encoded := environment.get("CARGO_ENCODED_RUSTFLAGS")) is not None:
        return encoded.split(SEPARATOR)
    if (plain := environment.get("RUSTFLAGS")) is not None:
        return plain.split()
    config = cargo_config(rust, folder, environment)
    host_variable = f"CARGO_TARGET_{rust.host.upper().replace('-', '_')}_RUSTFLAGS"
    targets = config.get("target", {})
    for_target = [*as_list(environment.get(host_variable)), *as_list(targets.get(rust.host, {}).get("rustflags"))]
    conditional = {name: table for name, table in targets.items() if name.startswith("cfg(") and "rustflags" in table}
    if conditional:
        facts = compiler_facts(rust)
        for name, table in conditional.items():
            if holds(name, facts):
                for_target += as_list(table["rustflags"])
    return for_target or [*as_list(environment.get("CARGO_BUILD_RUSTFLAGS")), *as_list(config.get("build", {}).get("rustflags"))]


def without_wrappers(folder: Path, environment: Environment) -> dict[str, str]:
    """Return variables that turn the user's own rustc wrappers off: a compiler cache knows nothing of the dump beside rustc's outputs.

    Empty ones stop cargo from remembering what rustc said of itself, some 0.2 s, so they are set only where a wrapper is named.
    """
    names = ("RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER")
    named = any(environment.get(name) for name in names) or config_mentions("wrapper", folder, environment)
    return dict.fromkeys(names, "") if named else {}


def as_list(flags: str | list[str] | None) -> list[str]:
    """Return flags that stand as one text or as a list."""
    if flags is None:
        return []
    return flags.split() if isinstance(flags, str) else list(flags)


def cargo_config(rust: Rust, folder: Path, environment: Environment, word: str = "rustflags") -> dict[str, Any]:
    """Return cargo's merged configuration where a file on the way holds `word`; asking costs a process, so else nothing."""
    if not config_mentions(word, folder, environment):
        return {}
    command = [rust.cargo, "config", "get", "-Zunstable-options", "--format=json"]
    variables = {**environment.variables, "RUSTC_BOOTSTRAP": "1"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=variables, check=False)
    if done.returncode != 0:
        raise ProgramError(f"cargo cannot read its configuration in {folder}:\n{done.stderr.strip()}")
    config: dict[str, Any] = json.loads(done.stdout)
    return config


def config_mentions(word: str, folder: Path, environment: Environment) -> bool:
    """Whether one of the files that configure cargo in `folder` holds `word`."""
    files = configuration(folder, environment.cargo_home)
    return any(path.is_file() and word in path.read_text(errors="replace") for path in files)


def compiler_facts(rust: Rust) -> set[str]:
    """Return what `rustc --print=cfg` says, quotes removed: `unix`, `target_os=linux`."""
    done = subprocess.run([rust.rustc, "--print=cfg"], capture_output=True, text=True, check=True)
    return {line.replace('"', "") for line in done.stdout.splitlines()}


def holds(condition: str, facts: set[str]) -> bool:
    """Whether `cfg(…)` is true of `facts`. The Rust reference, "Conditional compilation", gives the grammar."""
    tokens = re.findall(r'[A-Za-z_][A-Za-z0-9_]*|"[^"]*"|[(),=]', condition)

    def parse(at: int) -> tuple[bool, int]:
        word = tokens[at]
        if tokens[at + 1 : at + 2] == ["="]:
            return f"{word}={tokens[at + 2].strip(chr(34))}" in facts, at + 3
        if tokens[at + 1 : at + 2] != ["("]:
            return word in facts or word == "true", at + 1
        values: list[bool] = []
        at += 2
        while tokens[at] != ")":
            value, at = parse(at)
            values.append(value)
            at += tokens[at] == ","
        meaning: Mapping[str, bool] = {"all": all(values), "any": any(values), "not": not any(values), "cfg": all(values)}
        return meaning.get(word, False), at + 1

    try:
        return parse(0)[0]
    except IndexError:
        return False
