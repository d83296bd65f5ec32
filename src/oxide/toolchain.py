"""Find what oxide needs on this machine, and say what installs it where it is missing.

    rust = find_rust(options.rustc, environment, cache)
    rust.rustc, rust.cargo, rust.driver

Only the standard library is used, since `oxide doctor` runs before anything is installed.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.cache import digest, stamp
from oxide.errors import MachineError, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oxide.cache import Cache
    from oxide.options import Environment

RUST_VERSION = "1.96.0"
"""The one release of rustc whose private interfaces the backend is compiled against."""

REPOSITORY = Path(__file__).parents[2]
"""The folder of a checkout; in an installed wheel it holds nothing of ours."""


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
    packaged = Path(__file__).parent / "crates"
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
    remedy = f"leave --rustc and OXIDE_RUSTC out, or name a rustc {RUST_VERSION}" if wanted else remedy_for_rust(environment)
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


def last_line(text: str) -> str:
    """Return the last line of `text` that holds something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


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


def which(program: str, environment: Environment) -> Path | None:
    """Return where PATH has `program`."""
    import shutil

    found = shutil.which(program, path=os.pathsep.join(map(os.fspath, environment.search_path)))
    return Path(found) if found else None


def find_ptxas(environment: Environment) -> Path | None:
    """Return ptxas."""
    return find_nvidia_tool("ptxas", environment)


def find_nvidia_tool(name: str, environment: Environment) -> Path | None:
    """Return a program of the CUDA toolkit: the one from PyPI beside this Python, else PATH's, else the installed toolkit's."""
    return nvidia_file(f"bin/{name}") or which(name, environment) or existing(Path("/usr/local/cuda/bin", name))


def find_libdevice() -> Path | None:
    """Return NVIDIA's library of mathematical functions as LLVM bitcode."""
    inside = "nvvm/libdevice/libdevice.10.bc"
    return nvidia_file(inside) or existing(Path("/usr/local/cuda", inside))


def find_libnvvm() -> Path | None:
    """Return libNVVM, NVIDIA's own compiler of LLVM IR."""
    toolkit = Path("/usr/local/cuda/nvvm/lib64")
    return nvidia_file("lib/libnvvm.so.4") or nvidia_file("nvvm/lib64/libnvvm.so.4") or existing(toolkit / "libnvvm.so.4")


def nvidia_file(inside: str) -> Path | None:
    """Return a file of NVIDIA's packages."""
    for folder in nvidia_folders():
        for found in sorted(folder.glob(f"nvidia/cu*/{inside}"), reverse=True):
            if is_installed(folder, found):
                return found
    return None


def nvidia_folders() -> list[Path]:
    """Return where NVIDIA's packages may be: this Python's site-packages, the checkout's .venv, the cache."""
    from oxide.options import environment

    packages = {sysconfig.get_paths()[kind] for kind in ("purelib", "platlib")}
    virtual = (REPOSITORY / ".venv" / "lib").glob("python3*/site-packages")
    kept = (environment().cache / PACKAGES / package.requirement for package in (LIBDEVICE, PTXAS))
    return [*map(Path, sorted(packages)), *virtual, *kept]


def is_installed(folder: Path, file: Path) -> bool:
    """Whether the installation that a file is of was completed: the list of its files is written last."""
    name = file.relative_to(folder).as_posix().encode()
    return any(name in record.read_bytes() for record in folder.glob("nvidia*.dist-info/RECORD"))


PACKAGES = "packages"
"""The folder of the cache for packages that the environment of this Python cannot take."""


@dataclass(frozen=True)
class Package:
    """A package of NVIDIA's on PyPI: its version, what of it is used, and the megabytes that are downloaded."""

    requirement: str
    what: str
    size: int
    file: str
    """One of its files, below `nvidia/cu13`."""


LIBDEVICE = Package("nvidia-nvvm==13.0.88", "libdevice and libNVVM", 62, "nvvm/libdevice/libdevice.10.bc")
PTXAS = Package("nvidia-cuda-nvcc==13.0.88", "ptxas", 37, "bin/ptxas")


class PackageMissing(MachineError):
    """A package of NVIDIA's is needed; `packages.install` may install it."""

    def __init__(self, message: str, package: Package, further_hint: str | None = None) -> None:
        command = f"run `{pip_install(package.requirement)}`"
        super().__init__(message, hint=command if further_hint is None else f"{command}; {further_hint}")
        self.package = package
        self.further_hint = further_hint

    def because(self, why: str) -> PackageMissing:
        """Return the error that also says why the package was not installed."""
        return PackageMissing(f"{self.message}: {why}", self.package, self.further_hint)


NVDISASM_REQUIREMENT = "nvidia-cuda-nvdisasm>=13"


def pip_install(requirement: str) -> str:
    """Return the command that installs a package where oxide looks for it: the checkout's .venv, else this Python."""
    python = REPOSITORY / ".venv" / "bin" / "python" if (REPOSITORY / "oxide").exists() else sys.executable
    return f"{shlex.quote(os.fspath(python))} -m pip install {shlex.quote(requirement)}"


def existing(path: Path) -> Path | None:
    """Return `path` if it is there."""
    return path if path.exists() else None


def has_gpu_device() -> bool:
    """Whether the kernel shows an NVIDIA device; says nothing about the driver library."""
    return Path("/dev/nvidiactl").exists() or Path("/dev/dxg").exists()


def has_cuda_driver() -> bool:
    """Whether libcuda loads here and a device is there."""
    if not has_gpu_device():
        return False
    import ctypes

    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def nvidia_driver_version() -> str | None:
    """Return the version of the loaded NVIDIA kernel driver."""
    try:
        first = Path("/proc/driver/nvidia/version").read_text().splitlines()[0]
    except (OSError, IndexError):
        return None
    return next((word for word in first.split() if word[0].isdigit() and "." in word), None)


def gpu_arch(environment: Environment, cache: Cache) -> str | None:
    """Return the target of the first GPU, such as `sm_90`, or None without one.

    The answer is remembered until the driver, the devices or their choice by environment change, since asking starts the driver.
    """
    if not has_gpu_device():
        return None
    devices = sorted(path.name for path in Path("/proc/driver/nvidia/gpus").glob("*"))
    key = digest("gpu", nvidia_driver_version() or "", *devices, environment.get("CUDA_VISIBLE_DEVICES") or "")
    if (known := cache.remembered("gpu", key)) is not None:
        return known
    if not has_cuda_driver():
        return None
    arch = ask_gpu()
    if arch is not None:
        cache.remember("gpu", key, arch)
    return arch


def ask_gpu() -> str | None:
    """Ask the CUDA driver for the compute capability of device 0."""
    from cuda.bindings import driver

    if driver.cuInit(0)[0] != driver.CUresult.CUDA_SUCCESS:
        return None
    status, device = driver.cuDeviceGet(0)
    if status != driver.CUresult.CUDA_SUCCESS:
        return None
    attribute = driver.CUdevice_attribute
    major = driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)[1]
    minor = driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)[1]
    return f"sm_{major}{minor}"
