"""The options of a run, merged from the command line, the environment and the project's settings, and checked.

    options = resolve_options(environment(), project_settings(manifest), profile="dev", arch="sm_90a")

Command line comes before environment, environment before what the project says:

| option | variable, and its alias | in `oxide.toml` or Cargo.toml |
| --- | --- | --- |
| `--arch` | `OXIDE_ARCH`, `CUDA_OXIDE_TARGET` | `arch = "sm_80,sm_90a"` |
| `--ptx-version` | | `ptx-version = "8.6"` |
| `--code` | `OXIDE_CODE` | `code = "ltoir"` |
| `--cubin` | `OXIDE_CUBIN=1` | `cubin = true` |
| `--device` | `OXIDE_DEVICE` | `device = "cpu"` |
| `--profile` | `OXIDE_PROFILE` | `profile = "release"` |
| `--ptx-dir` | `OXIDE_PTX_DIR`, `CUDA_OXIDE_PTX_DIR` | `ptx-dir = "ptx"` |
| `--llc` | `OXIDE_LLC`, `CUDA_OXIDE_LLC` | `llc = "/usr/bin/llc-22"` |
| `--libdevice` | `OXIDE_LIBDEVICE`, `CUDA_OXIDE_LIBDEVICE` | `libdevice = "libdevice.10.bc"` |
| `--no-fmad` | `OXIDE_FMAD=0`, `CUDA_OXIDE_NO_FMA=1` | `fmad = false` |
| `--fast-math` | `OXIDE_FAST_MATH=1` | `fast-math = true` |
| `--opt-level` | | `opt-level = 3` |
| `--lineinfo`, `-g` | | `debug-info = "lines"`, `"full"` |
| `--build-std` | | `build-std = true` |
| `--rustc` | `OXIDE_RUSTC` | |
| | `OXIDE_INSTALL=0` | `install = false` |
| `--offline` | `CARGO_NET_OFFLINE=true` | |
| `--no-cache` | `OXIDE_NO_CACHE=1` | |
| | `OXIDE_CACHE_SIZE` | `[cache]` `size = "2 GiB"` |
| | `OXIDE_REMOTE_CACHE` | `[cache]` `remote = "s3://builds/oxide"` |
| | `OXIDE_REMOTE_CACHE_MODE` | `[cache]` `mode = "read-only"` |
| | `OXIDE_REMOTE_CACHE_TIMEOUT` | `[cache]` `timeout = 10` |
| | `OXIDE_REMOTE_CACHE_KEY` | |
| `--verbose` | `OXIDE_VERBOSE=1`, `CUDA_OXIDE_VERBOSE=1`, `RUST_LOG=info` | |
| `--quiet` | `OXIDE_QUIET=1` | |

Where a variable and its alias are both set, the variable counts.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from oxide.cache.store import parse_size
from oxide.dialects import target
from oxide.errors import UsageError, did_you_mean
from oxide.options import CODE_FORMS, DEBUG_INFO, DEVICES, MODES, CompileOptions, Options, StoreOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oxide.options import Environment


def resolve_options(environment: Environment, settings: Mapping[str, Any] | None = None, **command_line: Any) -> Options:
    """Merge the three sources. `settings` are the project's; `command_line` holds the options given there, None means not given.

    Raises `UsageError` for a value that is not known, and for two that exclude each other.
    """
    merged: dict[str, Any] = {**(settings or {}), **environment.options()}
    merged |= {name: value for name, value in command_line.items() if value is not None}
    if command_line.get("verbose"):
        merged["quiet"] = command_line.get("quiet") or False
    inner = {field.name for field in fields(CompileOptions)}
    chosen = {name: value for name, value in merged.items() if name not in inner and name not in STORE_OPTIONS}
    if merged.get("arch") is not None:
        archs = [merged["arch"]] if isinstance(merged["arch"], str) else merged["arch"]
        merged["arch"], *further = target.parse_list(archs)
        chosen["further_archs"] = tuple(further)
    device = chosen.get("device")
    if device is not None and device not in DEVICES:
        raise UsageError(f"unknown device '{device}'", hint=did_you_mean(str(device), DEVICES))
    form = chosen.get("code", CODE_FORMS[0])
    if form not in CODE_FORMS:
        raise UsageError(f"unknown form of code '{form}'", hint=did_you_mean(str(form), CODE_FORMS))
    if merged.get("check"):
        # What is checked runs on the CPU device only.
        chosen.pop("code", None)
    elif form != "ptx":
        merged["arch"] = merged.get("arch") or target.LEAST_OF_LIBNVVM
        for arch in (merged["arch"], *chosen.get("further_archs", ())):
            target.require_libnvvm(arch)
        # What the environment names counts where the program is loaded, too.
        if form == "nvvm-ir" and merged.get("libdevice") != environment.options().get("libdevice"):
            hint = "omit --libdevice, and set OXIDE_LIBDEVICE where the program runs"
            raise UsageError("NVVM IR gets its libdevice where the program is loaded", hint=hint)
    compile_options = CompileOptions(**{name: value for name, value in merged.items() if name in inner})
    if compile_options.ptx_version is not None:
        target.parse_version(compile_options.ptx_version)
    if compile_options.debug_info not in DEBUG_INFO:
        message = f"unknown debug information '{compile_options.debug_info}'"
        raise UsageError(message, hint=did_you_mean(str(compile_options.debug_info), DEBUG_INFO))
    if compile_options.opt_level not in range(4):
        raise UsageError(f"got {compile_options.opt_level!r} for the optimisation level, expected 0 to 3")
    if compile_options.fast_math and not compile_options.fmad:
        message = "fast-math includes that a * b + c rounds once, which no-fmad forbids"
        raise UsageError(message, hint="omit --fast-math or --no-fmad; variables and the project's settings count too")
    if compile_options.check and chosen.setdefault("device", "cpu") != "cpu":
        raise UsageError("only the CPU device checks accesses", hint="leave out --check, or run with --device cpu")
    store = store_options({STORE_OPTIONS[name]: value for name, value in merged.items() if name in STORE_OPTIONS})
    return Options(cache=environment.cache, compile=compile_options, store=store, **chosen)


STORE_OPTIONS = {
    "use_cache": "use",
    "cache_size": "size",
    "remote_cache": "remote",
    "remote_cache_mode": "mode",
    "remote_cache_timeout": "timeout",
    "remote_cache_key": "key",
}
"""What the fields of `StoreOptions` are called where they are set."""


def store_options(said: Mapping[str, Any]) -> StoreOptions:
    """Return the options of the store; raise `UsageError` for a size, a mode or a time that is none."""
    values = dict(said)
    if "size" in values:
        values["size"] = parse_size(values["size"])
    if values.get("mode", MODES[0]) not in MODES:
        raise UsageError(f"unknown mode '{values['mode']}' of the remote cache", hint=did_you_mean(str(values["mode"]), MODES))
    if "timeout" in values:
        values["timeout"] = parse_seconds(values["timeout"])
    return StoreOptions(**values)


def parse_seconds(said: str | float) -> float:
    """Return a time that the remote cache may take, in seconds. Raises `UsageError`."""
    try:
        seconds = float(said)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MAX_SECONDS:
        raise UsageError(f"got '{said}' for the remote cache's timeout, expected seconds, 0 to {MAX_SECONDS}")
    return seconds


MAX_SECONDS = 86_400
"""What the remote cache may be given at most: a day."""
