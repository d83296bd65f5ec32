from __future__ import annotations

import errno
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oxide import options
from oxide.cache.compiler import Compiler
from oxide.cache.files import Cache
from oxide.cli.main import COMMANDS, run
from oxide.errors import InternalError
from oxide.errors.codes import CODES
from oxide.options import CompileOptions, Environment, Options, StoreOptions
from oxide.rust import toolchain

REPOSITORY = Path(__file__).parents[2]


def test_help_names_every_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    out = capfd.readouterr().out
    assert all(f"  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert capfd.readouterr().out.startswith(f"Usage: oxide {command}")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_is_documented(command: str) -> None:
    assert f"`{command}" in (REPOSITORY / "docs" / "command-line.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["buld"], "unknown command 'buld'", "did you mean 'build'?"),
        (["build", "vecad"], "'vecad' is not a project, a .rs file or an example", "did you mean 'vecadd'?"),
        (["build", "none.rs"], "no file none.rs", None),
        (["run", "--device", "gpu", "vecadd"], "unknown device 'gpu'", "one of cuda, cpu"),
        (["sanitize", "--tool", "race"], "unknown tool 'race'", "did you mean 'racecheck'?"),
        (["sanitize", "--tool", "bogus"], "unknown tool 'bogus'", "one of memcheck, racecheck, initcheck, synccheck"),
        (["explain", "E0277"], "E0277 is a code of rustc's", "`rustc --explain E0277`"),
        (["explain", "OX999"], "unknown code 'OX999'", "`oxide explain` lists them"),
        (["run", "--check", "rase", "vecadd"], "unknown check 'rase'", "did you mean 'race'?"),
        (
            ["run", "--check", "race", "--device", "cuda", "vecadd"],
            "only the CPU device checks accesses",
            "leave out --check, or run with --device cpu",
        ),
        (["run", "--check"], "option '--check' requires an argument", "one of memory, race, init, all"),
        (["run", "--device"], "option '--device' requires an argument", "one of cuda, cpu"),
        (["sanitize", "--tool"], "option '--tool' requires an argument", "one of memcheck, racecheck, initcheck, synccheck"),
        (["explain", "0X101"], "unknown code '0X101'", "did you mean 'OX101'?"),
        (["run", "--bogus"], "no such option '--bogus'", "`oxide run --help` lists options and examples"),
    ],
)
def test_what_is_wrong_is_said_with_the_hint_last(
    arguments: list[str], message: str, hint: str | None, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"error: {message}")
    assert "Traceback" not in err
    if hint is not None:
        assert err.splitlines()[-1] == f"hint: {hint}"


@pytest.mark.parametrize("code", ["OX101", "ox101", "[OX101]"])
def test_a_code_is_explained(code: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", code]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("## OX101: heap allocation\n\n")
    assert err == ""


def test_without_a_code_all_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    assert capfd.readouterr().out.splitlines() == [f"{code.name}  {code.title}" for code in CODES.values()]


def test_doctor_needs_nothing_but_the_standard_library() -> None:
    # -S leaves site-packages out, as on a machine where nothing is installed.
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    command = [sys.executable, "-S", "-m", "oxide"]
    done = subprocess.run([*command, "doctor"], env=variables, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode in {0, 3}
    names = [line.split()[1] for line in done.stdout.splitlines()]
    needed = ["python", "venv", "packages", "rustc", "cargo"]
    assert names[:5] == needed
    assert {"cc", "nm", "c++filt", "objcopy", "ptxas", "libdevice", "driver"} <= set(names)
    other = subprocess.run([*command, "run"], env=variables, capture_output=True, text=True, check=False)
    assert other.returncode == 3
    assert other.stderr.startswith("error: the Python packages that oxide needs are not installed\nhint: ")


def test_nothing_heavy_is_imported_for_help() -> None:
    program = """
import sys
from oxide.cli.main import run
run(["--help"])
print([name for name in ("llvmlite", "rich", "msgspec") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_no_command_is_answered_with_the_help_as_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("Usage: oxide [OPTIONS] COMMAND")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_shows_examples(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    assert f"  Examples:\n    oxide {command}" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("oxide in", ["inspect"]),
        ("oxide run vecad", ["vecadd"]),
        ("oxide build --emit ptx,cu", ["ptx,cubin"]),
        ("oxide run --device c", ["cuda", "cpu"]),
        ("oxide run --check ra", ["race"]),
        ("oxide build --arch sm_100", ["sm_100", "sm_100a", "sm_100f"]),
        ("oxide sanitize --tool race", ["racecheck"]),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes(shell: str, typed: str, offered: list[str]) -> None:
    words = typed.split()
    # As each shell's script asks: bash and zsh say which word, fish only the words.
    variables = {"_OXIDE_COMPLETE": f"{shell}_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    if shell == "fish":
        variables["COMP_CWORD"] = words[-1]
    program = "from oxide.cli.main import oxide; oxide.main(prog_name='oxide')"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert [word for word in offered if word not in done.stdout] == [], done


def as_cargo(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start what cargo starts for `cargo oxide`."""
    command = [str(REPOSITORY / "cargo-oxide"), *arguments]
    return subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)


def test_cargo_starts_it(tmp_path: Path) -> None:
    path = f"{REPOSITORY}:{os.environ['PATH']}"
    for arguments in (["list"], ["oxide", "list"]):
        done = as_cargo(*arguments)
        assert (done.returncode, "vecadd  " in done.stdout) == (0, True), done
    found = options.environment()
    cargo = toolchain.find_rust(None, found, Cache(found.cache)).cargo
    done = subprocess.run(
        [cargo, "oxide", "list"], env={**os.environ, "PATH": path}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "vecadd  " in done.stdout) == (0, True), done
    linked = tmp_path / "cargo-oxide"
    linked.symlink_to(REPOSITORY / "cargo-oxide")
    assert subprocess.run([linked, "oxide", "list"], capture_output=True, check=False).returncode == 0


def test_help_says_what_cargos_users_type(capfd: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "new", "test"):
        done = as_cargo("oxide", command, "--help")
        assert f"Usage: cargo oxide {command} [OPTIONS]" in done.stdout
        assert f"Examples:\n    cargo oxide {command}" in done.stdout
        assert re.findall(rf"(?<!cargo )\boxide {command}\b", done.stdout) == []
    top = as_cargo("--help").stdout
    assert "Usage: cargo oxide [OPTIONS] COMMAND" in top
    assert "  cargo oxide run hello_constant" in top
    assert "_CARGO_OXIDE_COMPLETE=bash_source cargo-oxide" in top
    wrong = as_cargo("oxide", "run", "--nothing")
    assert (wrong.returncode, wrong.stderr.splitlines()[-1]) == (2, "hint: `cargo oxide run --help` lists options and examples")
    assert run(["run", "--help"]) == 0
    assert "cargo oxide" not in capfd.readouterr().out


COMPLETIONS = """
_before() { COMPREPLY=(from-cargo); }
complete -F _before cargo
eval "$(_CARGO_OXIDE_COMPLETE=bash_source cargo-oxide)"
COMP_WORDS=(TYPED)
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMPREPLY=()
registered=$(complete -p cargo)
registered=${registered##* -F }
${registered% cargo} cargo "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
echo "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("cargo oxide in", "inspect"),
        ("cargo oxide run vecad", "vecadd"),
        ("cargo oxide build --emit ptx,cu", "ptx,cubin"),
        ("cargo oxid", "from-cargo"),
        ("cargo build --rel", "from-cargo"),
    ],
)
def test_bash_completes_after_cargo(typed: str, offered: str) -> None:
    path = f"{REPOSITORY}:{os.environ['PATH']}"
    script = COMPLETIONS.replace("TYPED", typed)
    done = subprocess.run(["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    assert done.stdout == f"{offered}\n", done


@pytest.mark.parametrize(("shell", "hook"), [("zsh", "_cargo-oxide()"), ("fish", "__fish_seen_subcommand_from oxide")])
def test_other_shells_complete_after_cargo(shell: str, hook: str) -> None:
    assert hook in as_cargo(_CARGO_OXIDE_COMPLETE=f"{shell}_source").stdout
    words = "oxide run vecad" if shell == "zsh" else "cargo oxide run vecad"
    variables = {"_CARGO_OXIDE_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": "2" if shell == "zsh" else "vecad"}
    assert "vecadd" in as_cargo(**variables).stdout


@pytest.mark.parametrize(("colour", "expected"), [("always", True), ("never", False), ("auto", False)])
def test_colour_is_as_asked(colour: str, expected: bool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert run(["compile", "--color", colour, "--from", "none.ll"]) == 2
    assert ("\x1b[" in capfd.readouterr().err) is expected


@pytest.mark.parametrize(
    "arguments",
    [["compile", "--from", "k.ll", "-o", "k.ptx"], ["build", "-o", "k.ptx"], ["pipeline"], ["inspect"], ["emit-ltoir"]],
    ids=lambda arguments: arguments[0],
)
def test_one_file_is_for_one_target(
    arguments: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.ll").write_text("")
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "k"\n')
    assert run([*arguments, "--arch", "sm_90a,sm_80"]) == 2
    assert capfd.readouterr().err == "error: got targets sm_80, sm_90a, expected one\nhint: --arch sm_XX\n"


def test_compile_takes_one_stage(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "--from", "k.ll", "--to", "ptx,cubin"]) == 2
    assert capfd.readouterr().err.startswith("error: --to takes one stage, got ptx, cubin\nhint: ")


@pytest.mark.parametrize(
    ("arguments", "target", "program"),
    [
        ([], ".", ()),
        (["vecadd"], "vecadd", ()),
        (["--", "exit", "3"], ".", ("exit", "3")),
        (["-q", "--", "--help"], ".", ("--help",)),
        (["vecadd", "--", "-v", "--", "a b"], "vecadd", ("-v", "--", "a b")),
        (["vecadd", "1", "--", "2"], "vecadd", ("1", "2")),
    ],
)
def test_what_follows_two_dashes_is_the_programs(arguments: list[str], target: str, program: tuple[str, ...]) -> None:
    from oxide.cli.run import command

    chosen = command.make_context("run", list(arguments)).params
    assert (chosen["target"], chosen["arguments"]) == (target, program)


@pytest.mark.parametrize("level", range(4))
def test_every_optimisation_level_is_taken(level: int) -> None:
    from oxide.cli.build import command
    from oxide.cli.parameters import resolve

    chosen = command.make_context("build", ["--opt-level", str(level)]).params
    assert resolve(chosen).compile.opt_level == level


@pytest.mark.parametrize(
    ("number", "status"),
    [(errno.EACCES, 3), (errno.ENOSPC, 3), (errno.ENOTDIR, 3), (errno.ENAMETOOLONG, 3), (errno.ELOOP, 3), (errno.EBADF, 70)],
)
def test_what_the_system_refuses_is_the_machines_fault(
    number: int, status: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number), "/closed/folder")

    monkeypatch.setattr("oxide.rust.project.find", refuse)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run(["build"]) == status
    err = capfd.readouterr().err
    assert "Traceback" not in err
    assert ("error: the system refuses: /closed/folder: " in err) is (status == 3)


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"arch": "sm_90", "fmad": False, "opt_level": 1, "ptx_version": "8.6", "debug_info": "lines"},
        {"fast_math": True, "debug_info": "full"},
        {"check": ("memory", "race")},
    ],
    ids=["plain", "lines", "full", "checks"],
)
def test_a_failure_of_ours_says_what_repeats_it(chosen: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from oxide.cli.compile import command
    from oxide.cli.parameters import resolve

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    (tmp_path / "lib device.bc").touch()
    options = CompileOptions(libdevice=tmp_path / "lib device.bc", **chosen)
    monkeypatch.setattr("oxide.pipeline.compile", fail)
    monkeypatch.setattr(Compiler, "start", lambda _: None)
    one = Compiler(Options(cache=tmp_path, compile=options, store=StoreOptions(use=False)), Environment({}), Cache(tmp_path))
    with pytest.raises(InternalError) as caught:
        one.compile(b"; text", start="ll", emit={"ptx"}, name="k")
    assert caught.value.hint is not None
    words = shlex.split(caught.value.hint.split("`")[1])
    assert words[:2] == ["oxide", "compile"]
    given = command.make_context("compile", words[2:]).params
    assert (given["source"].read_bytes(), given["kind"]) == (b"; text", "ptx")
    assert resolve(given).compile == options
