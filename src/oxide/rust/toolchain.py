"""Find what oxide needs on this machine, and say what installs it where it is missing.

    rust = find_rust(options.rustc, environment, cache)
    rust.rustc, rust.cargo, rust.driver

Only the standard library is used, since `oxide doctor` runs before anything is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.cache.files import digest, stamp
from oxide.errors import MachineError, reason_of
from oxide.tools.finders import REPOSITORY, existing, last_line, which

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oxide.cache.files import Cache
    from oxide.options import Environment

RUST_VERSION = "1.96.0"
"""The one release of rustc whose private interfaces the backend is compiled against."""


@dataclass(frozen=True)
class Rust:
    """One rustc, with the cargo that belongs to it and the library that holds the compiler."""

    rustc: str
    cargo: str
    driver: str
    sysroot: str
    release: str
    commit: str
    host: str

    @property
    def has_rustc_dev(self) -> bool:
        """Whether the metadata of the compiler's own crates is installed, so that a backend can be built from source."""
        library = Path(self.sysroot, "lib", "rustlib", self.host, "lib")
        return any(library.glob("librustc_middle-*.rmeta")) or any(library.glob("librustc_middle-*.rlib"))

    @property
    def library_source(self) -> Path | None:
        """The source of the standard library, where cargo looks for it."""
        return existing(Path(self.sysroot, "lib", "rustlib", "src", "rust", "library", "Cargo.lock"))

    @property
    def library_source_command(self) -> tuple[str, ...]:
        """The command that installs it: rustup's where rustup installed the rest."""
        if Path(self.sysroot, "lib", "rustlib", "components").exists():
            return ("rustup", "component", "add", "rust-src", "--toolchain", RUST_VERSION)
        return ("apt-get", "install", "-y", "--no-install-recommends", "rust-web-src")


class RustMissing(MachineError):
    """No rustc of this machine can be used."""


class NotUsable(Exception):
    """Why one rustc cannot be used; the next one may be."""


def crates_folder() -> Path:
    """Return the folder of the crates that programs depend on: the checkout's, or the one inside the wheel."""
    packaged = Path(__file__).parents[1] / "crates"
    return packaged if packaged.is_dir() else REPOSITORY / "crates"


def examples_folder() -> Path | None:
    """Return the folder of the examples; a wheel has none."""
    folder = REPOSITORY / "examples"
    return folder if (folder / "Cargo.toml").is_file() else None


def find_rust(wanted: Path | None, environment: Environment, cache: Cache, accept: Callable[[Rust], object] = lambda _: None) -> Rust:
    """Return the rustc to use: the one asked for, else the first of rustup's and the system's that `accept` does not refuse.

    `accept` refuses by raising `NotUsable`. Raises `RustMissing` that lists what was found and why each does not do.
    """
    refused: list[str] = []
    for rustc in [wanted] if wanted else rustc_candidates(environment):
        try:
            rust = probe_rustc(rustc, cache)
            accept(rust)
        except NotUsable as reason:
            refused.append(f"{rustc}: {reason}")
        else:
            return rust
    found = "found none" if not refused else "found\n  " + "\n  ".join(refused)
    remedy = f"omit --rustc and OXIDE_RUSTC, or name a rustc {RUST_VERSION}" if wanted else remedy_for_rust(environment)
    raise RustMissing(f"rustc {RUST_VERSION} is needed, {found}", hint=remedy)


def rustc_candidates(environment: Environment) -> Iterator[Path]:
    """Yield every rustc worth asking: rustup's toolchain of the version, rustup's others, then the system's."""
    toolchains = environment.rustup_home / "toolchains"
    named = sorted(toolchains.glob(f"{RUST_VERSION}-*")) + sorted(toolchains.glob("stable-*"))
    yield from (toolchain / "bin" / "rustc" for toolchain in named if (toolchain / "bin" / "rustc").exists())
    seen: set[Path] = set()
    for folder in [*environment.search_path, Path("/usr/local/bin"), Path("/usr/bin")]:
        rustc = folder / "rustc"
        real = rustc.resolve()
        # rustup's proxies choose a toolchain by folder and environment; its toolchains were asked above.
        if not rustc.is_file() or real.name == "rustup" or real in seen or is_rustup_proxy(rustc):
            continue
        seen.add(real)
        yield rustc


def is_rustup_proxy(rustc: Path) -> bool:
    """Whether `rustc` is rustup under another name, as a hard link beside it."""
    rustup = rustc.with_name("rustup")
    return rustup.exists() and rustup.samefile(rustc)


def probe_rustc(rustc: Path, cache: Cache) -> Rust:
    """Ask `rustc` what it is; the answer is remembered until the file changes. Raises `NotUsable`."""
    if not rustc.is_file():
        raise NotUsable("no such file")
    key = digest("rustc", os.fspath(rustc), stamp(rustc))
    if (text := cache.remembered("rustc-facts", key)) is not None:
        rust = Rust(**json.loads(text))
    else:
        rust = ask_rustc(rustc)
        cache.remember("rustc-facts", key, json.dumps(asdict(rust)))
    if rust.release != RUST_VERSION:
        raise NotUsable(f"got version {rust.release}, expected {RUST_VERSION}")
    if not Path(rust.cargo).exists():
        raise NotUsable("no cargo beside it")
    if not Path(rust.driver).is_file():
        raise NotUsable("no librustc_driver found")
    return rust


def ask_rustc(rustc: Path) -> Rust:
    """Run `rustc` and, where it is the release needed, look at its files."""
    facts = dict(line.split(": ", 1) for line in output_of(rustc, "-vV").splitlines() if ": " in line)
    release = facts.get("release", "unknown")
    sysroot = output_of(rustc, "--print=sysroot").strip() if release == RUST_VERSION else ""
    cargo = rustc.with_name("cargo")
    return Rust(
        rustc=os.fspath(rustc),
        cargo=os.fspath(cargo if cargo.exists() else rustc.resolve().with_name("cargo")),
        driver=os.fspath(driver_library(rustc, Path(sysroot)) or "") if sysroot else "",
        sysroot=sysroot,
        release=release,
        commit=facts.get("commit-hash", "unknown"),
        host=facts.get("host", "unknown"),
    )


def driver_library(rustc: Path, sysroot: Path) -> Path | None:
    """Return the librustc_driver that `rustc` loads."""
    found = sorted({*sysroot.glob("lib/librustc_driver-*.so"), *sysroot.glob("lib/*/librustc_driver-*.so")})
    if len(found) != 1:
        # Several in one folder: the loader knows.
        words = [line.split() for line in output_of(Path("/usr/bin/ldd"), os.fspath(rustc)).splitlines() if "librustc_driver-" in line]
        found = [Path(word[2]) for word in words if len(word) > 2 and word[1] == "=>" and word[2].startswith("/")]
    return found[0] if len(found) == 1 else None


def output_of(program: Path, *arguments: str) -> str:
    """Return what `program` prints; raises `NotUsable` with its complaint where it fails."""
    try:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except OSError as error:
        raise NotUsable(f"cannot be run: {reason_of(error)}") from None
    except subprocess.TimeoutExpired:
        raise NotUsable(f"gave no answer to `{' '.join(arguments)}`") from None
    if done.returncode != 0:
        raise NotUsable(last_line(done.stderr) or f"exit status {done.returncode}")
    return done.stdout


RUSTUP_INSTALL = ("rustup", "toolchain", "install", RUST_VERSION, "--profile", "minimal")
APT_INSTALL = ("apt-get", "install", "-y", "--no-install-recommends", "rustc-web", "cargo-web")


def remedy_for_rust(environment: Environment) -> str:
    """Return the command that installs a rustc that was not tried yet."""
    if which("rustup", environment) and not rustup_has_it(environment):
        return f"run `{' '.join(RUSTUP_INSTALL)}`"
    if Path("/etc/debian_version").exists() and not apt_has_it():
        return f"run `{' '.join(APT_INSTALL)}` as root"
    return f"install rustup from https://rustup.rs and run `{' '.join(RUSTUP_INSTALL)}`"


def rustup_has_it(environment: Environment) -> bool:
    """Whether rustup has the toolchain already, so that installing it changes nothing."""
    return any((environment.rustup_home / "toolchains").glob(f"{RUST_VERSION}-*"))


def apt_has_it() -> bool:
    """Whether Debian's package is installed already in the version needed."""
    try:
        query = ["dpkg-query", "-W", "-f=${Status} ${Version}", "rustc-web"]
        done = subprocess.run(query, capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.stdout.startswith(f"install ok installed {RUST_VERSION}")


def install_rust(environment: Environment, say: Callable[[str], None]) -> Iterator[None]:
    """Install rustc one way after another, until the caller has one that does: with rustup, then with apt where that takes nothing away.

    What is installed already and was refused is not installed again.
    """
    if which("rustup", environment) and not rustup_has_it(environment):
        say(f"installing rustc {RUST_VERSION} with rustup")
        if succeeds(*RUSTUP_INSTALL):
            yield
        else:
            say("rustup could not install it")
    if os.geteuid() != 0 or not Path("/etc/debian_version").exists() or not which("apt-get", environment) or apt_has_it():
        return
    if not apt_candidate_matches():
        succeeds("apt-get", "update")
    if not apt_candidate_matches():
        say(f"apt has no rustc-web {RUST_VERSION}")
        return
    simulated = subprocess.run(["apt-get", "-s", *APT_INSTALL[1:]], capture_output=True, text=True, check=False)
    if simulated.returncode != 0 or any(line.startswith("Remv ") for line in simulated.stdout.splitlines()):
        say("apt would remove packages to install rustc-web, so it is left alone")
        return
    say(f"installing rustc {RUST_VERSION} with apt")
    if succeeds(*APT_INSTALL):
        yield


def install_library_source(rust: Rust, say: Callable[[str], None]) -> Path:
    """Install the source of the standard library where it is missing, and return its lock file."""
    if rust.library_source is None:
        command = rust.library_source_command
        say(f"installing the standard library's source with {command[0]}")
        if not succeeds(*command) or rust.library_source is None:
            raise MachineError("the standard library's source could not be installed", hint=f"run `{' '.join(command)}`")
    return rust.library_source


def require_library_source(rust: Rust) -> None:
    """Raise `MachineError` where the standard library cannot be built."""
    if rust.library_source is None:
        message = f"--build-std needs the standard library's source, which is not beside {rust.rustc}"
        raise MachineError(message, hint="run `oxide setup --build-std`")


def apt_candidate_matches() -> bool:
    """Whether apt would install the release that is needed."""
    policy = subprocess.run(["apt-cache", "policy", "rustc-web"], capture_output=True, text=True, check=False).stdout
    return any(line.strip().startswith(f"Candidate: {RUST_VERSION}+") for line in policy.splitlines())


def succeeds(*command: str) -> bool:
    """Run `command` without a word; return whether it succeeded."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
