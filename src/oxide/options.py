"""What a run depends on, in frozen records, and the only reader of the process's environment.

    options = Options(cache=environment().cache, compile=CompileOptions(arch="sm_90a"))

`oxide.rust.resolve` lists where each option can be set, and merges them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from oxide.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Device: TypeAlias = Literal["cuda", "cpu"]
DEVICES: tuple[Device, ...] = get_args(Device)

CodeForm: TypeAlias = Literal["ptx", "nvvm-ir", "ltoir"]
CODE_FORMS: tuple[CodeForm, ...] = get_args(CodeForm)

Colour: TypeAlias = Literal["auto", "always", "never"]
COLOURS: tuple[Colour, ...] = get_args(Colour)

DebugInfo: TypeAlias = Literal["none", "lines", "full"]
DEBUG_INFO: tuple[DebugInfo, ...] = get_args(DebugInfo)

Check: TypeAlias = Literal["memory", "race", "init"]
CHECKS: tuple[Check, ...] = get_args(Check)


@dataclass(frozen=True)
class CompileOptions:
    """What decides the code that a kernel becomes.

    `arch` is a target such as `sm_90a`; None takes the smallest that the module needs. `ptx_version`, such as `8.6`, is the least version
    that the PTX is of, for inline PTX of the program's own. `fmad` lets a multiplication and an addition
    become one rounding. `fast_math` takes speed before precision in `f32`: approximate division, square roots and functions, subnormals as
    zero; it needs `fmad`. `opt_level` is LLVM's, 0 to 3. `llc` is an external llc of LLVM 22 to use instead of the built-in one,
    `libdevice` the bitcode to link in place of the installed one. `check` says what the CPU device checks accesses to memory for.
    `debug_info` lets PTX name the program's lines, or hold all that a debugger reads.
    """

    arch: str | None = None
    ptx_version: str | None = None
    fmad: bool = True
    fast_math: bool = False
    opt_level: int = 3
    llc: Path | None = None
    libdevice: Path | None = None
    check: tuple[Check, ...] = ()
    debug_info: DebugInfo = "none"

    def fingerprint(self) -> str:
        """Return a text that differs when the code may differ, the same on every machine and in every process."""
        return " ".join(f"{field.name}={getattr(self, field.name)}" for field in fields(self))


Mode: TypeAlias = Literal["read-write", "read-only"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True)
class StoreOptions:
    """How what was compiled before is found again.

    `use` is whether it is. `size` is how many bytes are kept. `remote` is the URL of a store that other machines use too, `key` the secret
    that its entries are signed with, `mode` whether this machine adds to it, `timeout` how many seconds a command may spend on it.
    """

    use: bool = True
    size: int = 2 << 30
    remote: str | None = None
    mode: Mode = "read-write"
    timeout: float = 10.0
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Options:
    """What one run of oxide depends on besides the program itself."""

    cache: Path
    rustc: Path | None = None
    device: Device | None = None
    profile: str = "release"
    build_std: bool = False
    ptx_dir: Path | None = None
    """Where NAME.ptx goes instead of the folder that the program runs in."""
    further_archs: tuple[str, ...] = ()
    """Targets beside `compile.arch`, which is the smallest, that a program carries code for."""
    code: CodeForm = "ptx"
    """What a program carries for each target: PTX, or what libNVVM and nvJitLink finish when it is loaded."""
    cubin: bool = False
    """Whether a program carries machine code beside it."""
    verbose: bool = False
    quiet: bool = False
    install: bool = True
    """Whether packages of NVIDIA's are installed when a program first needs them."""
    offline: bool = False
    """Whether no network is to be used."""
    colour: Colour = "auto"
    compile: CompileOptions = CompileOptions()
    store: StoreOptions = StoreOptions()


TEXTS = {
    "device": ("OXIDE_DEVICE",),
    "arch": ("OXIDE_ARCH", "CUDA_OXIDE_TARGET"),
    "code": ("OXIDE_CODE",),
    "profile": ("OXIDE_PROFILE",),
    "cache_size": ("OXIDE_CACHE_SIZE",),
    "remote_cache": ("OXIDE_REMOTE_CACHE",),
    "remote_cache_mode": ("OXIDE_REMOTE_CACHE_MODE",),
    "remote_cache_timeout": ("OXIDE_REMOTE_CACHE_TIMEOUT",),
    "remote_cache_key": ("OXIDE_REMOTE_CACHE_KEY",),
}
PATHS = {
    "rustc": ("OXIDE_RUSTC",),
    "llc": ("OXIDE_LLC", "CUDA_OXIDE_LLC"),
    "libdevice": ("OXIDE_LIBDEVICE", "CUDA_OXIDE_LIBDEVICE"),
    "ptx_dir": ("OXIDE_PTX_DIR", "CUDA_OXIDE_PTX_DIR"),
}
"""Options and the variables that set them, of which the first counts."""

SWITCHES = (
    ("fast_math", "OXIDE_FAST_MATH", False),
    ("fmad", "OXIDE_FMAD", False),
    ("fmad", "CUDA_OXIDE_NO_FMA", True),
    ("cubin", "OXIDE_CUBIN", False),
    ("use_cache", "OXIDE_NO_CACHE", True),
    ("verbose", "OXIDE_VERBOSE", False),
    ("verbose", "CUDA_OXIDE_VERBOSE", False),
    ("quiet", "OXIDE_QUIET", False),
    ("install", "OXIDE_INSTALL", False),
)
"""Options that are on or off, the variables that say so, and whether one says the opposite; the first that is set counts."""

TRUTHS = {"1": True, "true": True, "0": False, "false": False}
"""What a variable of the environment says that is set or not."""


@dataclass(frozen=True)
class Environment:
    """The process's environment, read once."""

    variables: Mapping[str, str]

    def get(self, name: str) -> str | None:
        """Return a variable's value; an empty one counts as not set."""
        return self.variables.get(name) or None

    def truth(self, name: str) -> bool | None:
        """Return whether a variable says yes or no; None where it is not set. Raises `UsageError` for anything else."""
        value = self.get(name)
        if value is not None and value not in TRUTHS:
            raise UsageError(f"got '{value}' for {name}, expected one of {', '.join(TRUTHS)}")
        return None if value is None else TRUTHS[value]

    def options(self) -> dict[str, Any]:
        """Return the options that are set here."""
        options: dict[str, Any] = {name: value for name, names in TEXTS.items() if (value := self.first(*names)) is not None}
        options |= {name: Path(value).absolute() for name, names in PATHS.items() if (value := self.first(*names)) is not None}
        for name, variable, inverted in SWITCHES:
            if name not in options and (said := self.truth(variable)) is not None:
                options[name] = said is not inverted
        if self.get("CARGO_NET_OFFLINE") == "true":
            options["offline"] = True
        if self.logs_info:
            options["verbose"] = True
        return options

    def first(self, *names: str) -> str | None:
        """Return the value of the first variable that is set."""
        return next((value for name in names if (value := self.get(name)) is not None), None)

    @property
    def rustc(self) -> Path | None:
        """The rustc that OXIDE_RUSTC names."""
        named = self.get("OXIDE_RUSTC")
        return Path(named) if named else None

    @property
    def logs_info(self) -> bool:
        """Whether RUST_LOG asks for information, as a plain level, for everything or for oxide."""
        wanted = {"info", "debug", "trace"}
        directives = (directive.strip().rpartition("=") for directive in (self.get("RUST_LOG") or "").split(","))
        return any(level in wanted and target in {"", "oxide"} for target, _, level in directives)

    @property
    def home(self) -> Path:
        """The user's home folder."""
        return Path(self.get("HOME") or Path.home())

    @property
    def cache(self) -> Path:
        """Oxide's cache folder: `OXIDE_CACHE`, `$XDG_CACHE_HOME/oxide`, `~/.cache/oxide`."""
        if own := self.get("OXIDE_CACHE"):
            return Path(own).absolute()
        shared = self.get("XDG_CACHE_HOME")
        return Path(shared, "oxide") if shared else self.home / ".cache" / "oxide"

    @property
    def search_path(self) -> list[Path]:
        """The folders of PATH."""
        return [Path(folder) for folder in (self.get("PATH") or "").split(os.pathsep) if folder]

    @property
    def cargo_home(self) -> Path:
        """Where cargo keeps its own configuration."""
        return Path(self.get("CARGO_HOME") or self.home / ".cargo")

    @property
    def rustup_home(self) -> Path:
        """Where rustup keeps its toolchains."""
        return Path(self.get("RUSTUP_HOME") or self.home / ".rustup")


def environment() -> Environment:
    """Return the environment of this process."""
    return Environment(dict(os.environ))
