"""The command `oxide`: its subcommands, and what becomes of errors.

    sys.exit(run(["build", "vecadd", "--emit=ptx"]))

A subcommand's module is imported when it is used, so that `oxide --help` stays quick.
"""

from __future__ import annotations

import importlib
import re
import signal
import sys
from copy import copy
from typing import TYPE_CHECKING, Any

import click

from oxide.cli import completion, ui
from oxide.errors import InternalError, OxideError, did_you_mean, machine_fault

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "new": "Create a project.",
    "run": "Build a program and run it.",
    "build": "Build a program and write its kernels' code: PTX, LLVM IR, cubins.",
    "test": "Build a project's tests with their kernels and run them.",
    "compile": "Compile a stage's file to a later stage.",
    "pipeline": "Print every stage of a program's kernels, from MIR to PTX.",
    "sanitize": "Run a program under compute-sanitizer, or the CPU device's checks.",
    "debug": "Run a program in a debugger.",
    "inspect": "Show kernels' registers, memory, occupancy, PTX and machine code.",
    "list": "List the kernels of a program, or the examples.",
    "fmt": "Format a program's Rust code.",
    "emit-ltoir": "Write kernels as LTO IR, which nvJitLink links with other device code.",
    "explain": "Explain an error code and how to fix the error.",
    "setup": "Find or install rustc, link the backend, download dependencies.",
    "doctor": "Show what is installed, what is missing, and how to install it.",
    "clean": "Remove build outputs.",
    "cache": "Show or clear the cache.",
}
"""Each subcommand and its one line of help; `oxide.cli.NAME` holds a click command called `command`."""


CARGO = "cargo oxide"
"""What cargo's users call the command: cargo starts `cargo-oxide oxide …`."""


class Commands(click.Group):
    """Subcommands that are imported when they are used."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Drop the word that cargo adds."""
        return super().parse_args(ctx, args[1:] if ctx.info_name == CARGO and args[:1] == ["oxide"] else args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"oxide.cli.{cmd_name.replace('-', '_')}").command
        if ctx.info_name == CARGO:
            command = copy(command)
            command.help, command.epilog = as_cargo_is_called(command.help), as_cargo_is_called(command.epilog)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand, with a guess at what a wrong one should have been."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"unknown command '{args[0]}'\nhint: {did_you_mean(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as this program is called."""
        self.epilog = as_cargo_is_called(EPILOG) if ctx.info_name == CARGO else EPILOG
        super().format_epilog(ctx, formatter)


def as_cargo_is_called(text: str | None) -> str | None:
    """Return a help text that says `cargo oxide` where it says `oxide` before a subcommand."""
    text = text and re.sub(rf"(?<![\w/.-])oxide (?=({'|'.join(COMMANDS)})\b)", f"{CARGO} ", text)
    return text and text.replace("_OXIDE_COMPLETE=bash_source oxide", "_CARGO_OXIDE_COMPLETE=bash_source cargo-oxide")


EPILOG = """\b
Examples:
  oxide run hello_constant            run one of the examples
  oxide run saxpy.rs -- 1000          run a single file, with an argument
  oxide build --emit=ptx,ll           in a project's folder
  oxide compile --from k.ll --to ptx  compile a stage's file

\b
Exit status: 0, or the program's own after `run` (128 + N when signal N ended it);
1 error in the program, 2 invalid command line, 3 problem of the machine, 70 internal error, 130 Ctrl-C.
Completion: eval "$(_OXIDE_COMPLETE=bash_source oxide)"; zsh_source for zsh, fish_source for fish.
"""


@click.command(cls=Commands, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="oxide", prog_name="oxide")
def oxide() -> None:
    """Compile Rust functions marked #[kernel] to PTX, and run programs that launch them."""


def run(arguments: Sequence[str] | None = None, program: str = "oxide") -> int:
    """Run the command line and return its exit status; no error of ours or of the user shows a traceback.

    `program` is what the user calls: `oxide` or `cargo oxide`.
    """
    ui.start("normal")
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGHUP, leave)
    try:
        if program == CARGO and (source := completion.for_cargo(oxide)) is not None:
            ui.line(source)
            return 0
        given = None if arguments is None else list(arguments)
        status: Any = oxide.main(
            given, prog_name=program, complete_var=completion.FOR_CARGO if program == CARGO else None, standalone_mode=False
        )
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.exceptions.NoArgsIsHelpError as problem:
        ui.talk(problem.format_message())
        return problem.exit_code
    except click.UsageError as problem:
        return show_usage_error(problem, sys.argv[1:] if arguments is None else arguments, program)
    except click.ClickException as problem:
        problem.show()
        return problem.exit_code
    except OxideError as problem:
        ui.error(problem)
        return problem.exit_status
    except (click.Abort, KeyboardInterrupt):
        return ui.interrupted()
    except BrokenPipeError:
        # The reader of the output closed the pipe.
        sys.stdout = None
        return 128 + signal.SIGPIPE
    except Exception as problem:
        if isinstance(problem, OSError) and (fault := machine_fault(problem)) is not None:
            ui.error(fault)
            return fault.exit_status
        ui.error(keep_traceback(problem))
        return InternalError.exit_status
    return status if isinstance(status, int) else 0


def leave(number: int, _frame: object) -> None:
    """End by a signal the way an exception does, so that children and temporary files go first."""
    sys.exit(128 + number)


def show_usage_error(problem: click.UsageError, arguments: Sequence[str], program: str) -> int:
    """Show what is wrong with the command line, as every other error looks."""
    message, _, hint = problem.format_message().partition("\nhint: ")
    lowered = (message[:1].lower() + message[1:]).rstrip(".")
    # Click's parser knows no context.
    command = problem.ctx.command if problem.ctx else subcommand(arguments)
    name = problem.ctx.command_path if problem.ctx else f"{program} {command.name}" if command else program
    error = OxideError(lowered, hint=hint or what_is_taken(problem, command) or f"`{name} --help` lists options and examples")
    ui.error(error)
    return problem.exit_code


def subcommand(arguments: Sequence[str]) -> click.Command | None:
    """Return the subcommand that is meant."""
    return next((oxide.get_command(click.Context(oxide), word) for word in arguments if word in COMMANDS), None)


def what_is_taken(problem: click.UsageError, command: click.Command | None) -> str | None:
    """Return a hint with the words that an option takes, where it was given without one and takes only some."""
    if not isinstance(problem, click.BadOptionUsage) or command is None:
        return None
    option = next((option for option in command.params if problem.option_name in option.opts), None)
    if option is None:
        return None
    words = option.type.choices if isinstance(option.type, click.Choice) else (option.metavar or "").split("|")
    return f"one of {', '.join(map(str, words))}" if len(words) > 1 else None


def keep_traceback(problem: Exception) -> InternalError:
    """Write our own failure's traceback to a file and return the error that names it."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="oxide-traceback-", suffix=".txt", delete=False) as file:
        file.write("".join(traceback.format_exception(problem)))
    return InternalError(
        f"{type(problem).__name__}: {problem}", hint=f"this is a bug in oxide; {file.name} contains the details for a report"
    )
