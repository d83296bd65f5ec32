"""`oxide test`: build a project's tests with their kernels and run them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from oxide.cli import ui
from oxide.cli.parameters import BUILD, COMMON, TARGET, Run, cargo_arguments, resolve, with_options
from oxide.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.driver import Session
    from oxide.rust.project import Place

EPILOG = """\b
Examples:
  oxide test                                the tests of the package in this folder
  oxide test . sums -- --nocapture          tests whose name contains `sums`, with their output
  oxide test --test launches --device cpu   one file of tests/, on the CPU device
  oxide test --workspace --no-run           build all of a workspace's tests without running them

\b
Exit status: cargo's, which is 101 if a test fails.
"""

CHOICES = (
    click.option("--lib", is_flag=True, help="Run only the library's unit tests."),
    click.option("--bins", is_flag=True, help="Run only the binaries' unit tests."),
    click.option("--test", "tests", multiple=True, metavar="NAME", help="Run only this file of tests/."),
    click.option("--tests", "all_tests", is_flag=True, help="Run only unit tests and files of tests/."),
    click.option("--doc", is_flag=True, help="Run only the examples in documentation."),
    click.option("--workspace", is_flag=True, help="Test all packages of the workspace."),
    click.option("--no-run", is_flag=True, help="Build the tests without running them."),
    click.option("--no-fail-fast", is_flag=True, help="Run all test programs, even after a failure."),
)


@click.command("test", cls=Run, epilog=EPILOG)
@TARGET
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@with_options(CHOICES, COMMON, BUILD)
def command(target: str, name: str | None, arguments: tuple[str, ...], **chosen: Any) -> int:
    """Build the tests of TARGET with their kernels and run them with cargo: unit tests, files of tests/, documentation.

    TARGET is an example's name, a project's folder or a single .rs file; without one, the current folder. NAME selects the tests whose
    name contains it. Arguments after -- are passed to the test programs. The profile is that of `run`; `--profile test` is cargo's, with
    overflow checks. A test runs in its package's folder, where its PTX is written as NAME.ptx.
    """
    from oxide.driver import Session
    from oxide.options import environment
    from oxide.rust.project import find

    if chosen["doc"] and chosen["no_run"]:
        raise UsageError("documentation is compiled as it is run, and --no-run runs none", hint="omit --doc or --no-run")
    here = Path.cwd()
    place = find(target, here)
    options = resolve(chosen, place)
    # As cargo takes a workspace without a package of its own.
    whole = chosen["workspace"] or (chosen["package"] is None and place.is_virtual)
    with Session(options, environment(), here, ui) as session:
        return run_tests(
            session,
            place,
            package=chosen["package"],
            whole=whole,
            cargo_arguments=[*cargo_arguments(chosen), *selection(chosen)],
            arguments=[*([name] if name else []), *arguments],
            runs=not chosen["no_run"],
        )


def run_tests(
    session: Session,
    place: Place,
    *,
    package: str | None,
    whole: bool,
    cargo_arguments: Sequence[str],
    arguments: Sequence[str],
    runs: bool,
) -> int:
    """Build the tests of the package at `place`, or of a whole workspace, let cargo run them, and return cargo's exit status.

    `arguments` are the test programs'. Each runs with the PTX that it carries in its folder, since two of a package may differ.
    """
    from oxide.rust import cargo, cpu_device, rustflags, testing
    from oxide.rust.processes import run_program

    plan = session.plan(place, package, whole=whole)
    folder_of_package = plan.project.manifest.parent
    rustdoc = testing.rustdoc(plan.rust, plan.backend, session.cache, cargo_arguments, session.ui.say)
    with session.answering(plan, {"ptx"}, apart=True) as (crates, variables, folder):
        quiet = session.options.quiet
        if rustdoc is not None:
            variables["RUSTDOC"] = os.fspath(testing.write_redirected(folder, rustdoc) if quiet and runs else rustdoc)
        selected = testing.without_documentation(cargo_arguments, rustdoc)
        words = cargo.command(session.options, plan.rust, plan.project, "test", *cargo_arguments, *selected)
        # Cargo shows the warnings again when it runs the tests.
        messages = session.compile_crates(plan, [*testing.compilable(words), "--no-run"], variables, crates, warnings=not runs)
        if not runs:
            return 0
        runner = testing.write_runner(
            folder,
            testing.executables(messages),
            started_in=session.here if place.script else None,
            ptx_folder=session.options.ptx_dir and session.here / session.options.ptx_dir,
            users=rustflags.user_runner(plan.rust, folder_of_package, session.environment),
            quietly=quiet,
        )
        words = [*testing.with_runner(words, plan.rust, runner, quietly=quiet), "--", *arguments]
        session.ui.phase(9, f"running {' '.join(words)}")
        launched = cpu_device.run_variables(session.options, session.environment, plan.rust, session.ui)
        status = run_program(words, folder_of_package, {**variables, **launched})
    return status if status >= 0 else 128 - status


def selection(chosen: dict[str, Any]) -> list[str]:
    """Return the arguments of `cargo test` that say which tests are meant."""
    flags = {
        "--workspace": "workspace",
        "--lib": "lib",
        "--bins": "bins",
        "--tests": "all_tests",
        "--doc": "doc",
        "--no-fail-fast": "no_fail_fast",
    }
    arguments = [flag for flag, name in flags.items() if chosen[name]]
    arguments += ["--bin", chosen["binary"]] if chosen["binary"] else []
    for test in chosen["tests"]:
        arguments += ["--test", test]
    return arguments
