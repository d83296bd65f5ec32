"""The options that several subcommands share, and the records they become.

@click.command("run")
@with_options(COMMON, BUILD)
def command(target: str, **chosen: Any) -> int:
options = resolve(chosen, place)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from oxide.cli import ui
from oxide.errors import UsageError, did_you_mean
from oxide.options import CHECKS, COLOURS, Options, environment
from oxide.rust.resolve import resolve_options
from oxide.rust.settings import project_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.shell_completion import CompletionItem

    from oxide.options import Check
    from oxide.rust.project import Place

Function = TypeVar("Function", bound="Callable[..., Any]")


def complete_target(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete an example's name, or let the shell complete a path."""
    from click.shell_completion import CompletionItem

    from oxide.rust.project import example_names

    names = [CompletionItem(name) for name in example_names() if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


def complete_kind(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the last of a list of kinds."""
    from click.shell_completion import CompletionItem

    from oxide.pipeline import STAGE_NAMES

    given, comma, last = incomplete.rpartition(",")
    return [CompletionItem(given + comma + name) for name in STAGE_NAMES if name.startswith(last)]


def complete_arch(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the last of a list of targets."""
    from click.shell_completion import CompletionItem

    from oxide.dialects.target import PTX_OF_TARGET

    given, comma, last = incomplete.rpartition(",")
    return [CompletionItem(given + comma + name) for name in PTX_OF_TARGET if name.startswith(last)]


def complete_word(_context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete one of the words that an option's help lists."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(word) for word in (parameter.metavar or "").split("|") if word.startswith(incomplete)]


TARGET = click.argument("target", default=".", shell_complete=complete_target)

COMMON = (
    click.option("-v", "--verbose", is_flag=True, help="Print the nine phases, as RUST_LOG=info does."),
    click.option("-q", "--quiet", is_flag=True, help="Print errors only."),
    click.option("--color", "colour", type=click.Choice(COLOURS), help="Use colour. [default: auto, on a terminal without NO_COLOR]"),
)

COMPILE = (
    click.option(
        "--arch",
        multiple=True,
        metavar="sm_XX[,sm_YY]",
        shell_complete=complete_arch,
        help="Compile for these targets, into one program. [default: this machine's GPU, else the smallest that suffices]",
    ),
    click.option("--ptx-version", metavar="X.Y", help="Write PTX of at least this version, for inline PTX. [default: the smallest]"),
    click.option("--fmad/--no-fmad", default=None, help="Contract a * b + c into a fused multiply-add. [default: on]"),
    click.option(
        "--fast-math/--no-fast-math",
        default=None,
        help="In f32, approximate division, square roots and functions, and flush subnormals to zero. [default: off]",
    ),
    click.option("--lineinfo", "debug_info", flag_value="lines", help="Write line numbers into the PTX, for profilers and fault reports."),
    click.option("-g", "debug_info", flag_value="full", help="Write debug information (functions and lines) into the PTX."),
    click.option("--opt-level", type=click.IntRange(0, 3), help="LLVM's optimisation level. [default: 3]"),
    click.option("--llc", type=click.Path(dir_okay=False, path_type=Path), help="Generate code with this llc of LLVM 22."),
    click.option(
        "--libdevice", type=click.Path(dir_okay=False, path_type=Path), help="Link this libdevice.10.bc. [default: the installed one]"
    ),
    click.option("--no-cache", is_flag=True, help="Compile kernels again; neither read nor write the cache."),
)

CHECK = click.option(
    "--check",
    multiple=True,
    metavar="memory|race|init|all",
    shell_complete=complete_word,
    help="Check memory accesses, on the CPU device.",
)

BUILD = (
    *COMPILE,
    click.option(
        "--code",
        metavar="ptx|nvvm-ir|ltoir",
        shell_complete=complete_word,
        help="Embed PTX for each target, or NVVM IR or LTO IR that is compiled when the program loads it. [default: ptx]",
    ),
    click.option("--emit-nvvm-ir", "code", flag_value="nvvm-ir", help="The same as --code nvvm-ir."),
    click.option("--cubin/--no-cubin", default=None, help="Embed machine code for each target too. [default: off]"),
    click.option(
        "--device",
        metavar="cuda|cpu",
        shell_complete=complete_word,
        help="Run on a GPU, or on the CPU device. [default: a GPU if there is one]",
    ),
    CHECK,
    click.option(
        "--ptx-dir", type=click.Path(file_okay=False, path_type=Path), help="Write NAME.ptx here. [default: where the program runs]"
    ),
    click.option("--profile", help="Build with this Cargo profile. [default: release]"),
    click.option("--build-std", is_flag=True, help="Compile the standard library too, which makes all of `core` available to kernels."),
    click.option("--rustc", type=click.Path(dir_okay=False, path_type=Path), help="Use this rustc, and the cargo beside it."),
    click.option("-p", "--package", help="Choose a package of a workspace."),
    click.option("--bin", "binary", metavar="NAME", help="Choose a binary of the package."),
    click.option("-F", "--features", help="Enable these Cargo features."),
    click.option("--all-features", is_flag=True, help="Enable all features."),
    click.option("--no-default-features", is_flag=True, help="Disable the default features."),
    click.option("--offline", is_flag=True, help="Disable network use."),
    click.option("--locked", is_flag=True, help="Require that Cargo.lock is up to date."),
)

OPTION_NAMES = (
    "arch", "code", "cubin", "ptx_version", "fmad", "fast_math", "debug_info", "opt_level", "llc", "libdevice", "device", "profile",
    "ptx_dir", "build_std", "rustc", "verbose", "quiet", "colour",
    "offline",
)  # fmt: skip


class Run(click.Command):
    """A command whose arguments after the first `--` are the program's, also where TARGET is left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the program's arguments away before click looks for TARGET."""
        own = args[: args.index("--")] if "--" in args else args
        program = args[len(own) + 1 :]
        rest = super().parse_args(ctx, own)
        ctx.params["arguments"] = (*ctx.params["arguments"], *program)
        return rest


def with_options(*groups: Sequence[Callable[[Function], Function]]) -> Callable[[Function], Function]:
    """Add groups of options to a command."""

    def add(function: Function) -> Function:
        for group in reversed(groups):
            for option in reversed(group):
                function = option(function)
        return function

    return add


def resolve(chosen: dict[str, Any], place: Place | None = None) -> Options:
    """Return the options of this run, and start printing as they say."""
    given = {name: value for name in OPTION_NAMES if (value := chosen.get(name)) is not None and value is not False and value != ()}
    given |= {name: False for name in ("cubin", "fmad", "fast_math") if chosen.get(name) is False}
    if chosen.get("check"):
        given["check"] = parse_checks(chosen["check"])
    if chosen.get("no_cache"):
        given["use_cache"] = False
    settings = project_settings(place.manifest, place.script, chosen.get("package")) if place else {}
    options = resolve_options(environment(), settings, **given)
    ui.start("quiet" if options.quiet else "verbose" if options.verbose else "normal", options.colour)
    if options.compile.llc is not None and not options.compile.llc.is_file():
        raise UsageError(f"no llc at {options.compile.llc}")
    if options.compile.libdevice is not None and not options.compile.libdevice.is_file():
        raise UsageError(f"no libdevice at {options.compile.libdevice}", hint="name the file libdevice.10.bc")
    return options


def resolve_for_one_target(chosen: dict[str, Any], place: Place | None = None) -> Options:
    """Return the options of a command that shows or writes one target's code; raise `UsageError` where several are chosen."""
    options = resolve(chosen, place)
    if options.further_archs:
        raise UsageError(
            f"got targets {', '.join((options.compile.arch or '', *options.further_archs))}, expected one", hint="--arch sm_XX"
        )
    return options


def build_arguments(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return what `Session.build` takes of a command's options, by name."""
    return {"package": chosen["package"], "binary": chosen["binary"], "cargo_arguments": cargo_arguments(chosen)}


def cargo_arguments(chosen: dict[str, Any]) -> list[str]:
    """Return what is passed on to cargo as it is."""
    arguments = ["--features", chosen["features"]] if chosen["features"] else []
    flags = {"--all-features": "all_features", "--no-default-features": "no_default_features", "--offline": "offline", "--locked": "locked"}
    return arguments + [flag for flag, name in flags.items() if chosen[name]]


def parse_checks(given: Sequence[str]) -> tuple[Check, ...]:
    """Return what `--check` names, in one order. Raises `UsageError` for an unknown one."""
    asked = {name.strip() for text in given for name in text.split(",")}
    for name in sorted(asked - {*CHECKS, "all"}):
        raise UsageError(f"unknown check '{name}'", hint=did_you_mean(name, (*CHECKS, "all")))
    return tuple(name for name in CHECKS if name in asked or "all" in asked)


def parse_kinds(text: str, option: str = "--emit") -> list[str]:
    """Return the stages that `--emit`, or another option, names, in the pipeline's order. Raises `UsageError` for an unknown one."""
    from oxide.pipeline import STAGE_NAMES

    asked = [kind.strip() for kind in text.split(",") if kind.strip()]
    for kind in asked:
        if kind not in STAGE_NAMES:
            raise UsageError(f"unknown kind '{kind}'", hint=did_you_mean(kind, STAGE_NAMES))
    if not asked:
        raise UsageError(f"{option} names no kind", hint=f"one of {', '.join(STAGE_NAMES)}")
    return [kind for kind in STAGE_NAMES if kind in asked]
