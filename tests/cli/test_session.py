"""The driver around real rustc, cargo and backend. The compiler's middle is replaced, so what is seen here is the driver's own doing."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from demo import KERNEL, MAIN

from oxide import driver, options
from oxide.cache.compiler import Compiler
from oxide.errors import Diagnostic, InternalError, MachineError, Note, OxideError, ProgramError, Refused, UsageError
from oxide.export import artifact
from oxide.options import CompileOptions, Options, StoreOptions
from oxide.rust import cargo, project, toolchain
from oxide.rust.artifacts import write_outputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from demo import Middle

pytest_plugins = ("sessions",)


def build(session: driver.Session, folder: Path, **chosen: Any) -> driver.Built:
    return session.build(project.find(str(folder), folder), emit={"ptx"}, **chosen)


@pytest.mark.parametrize(("argument", "status"), [("", 0), ("seven", 7), ("abort", 134)])
def test_a_program_runs_with_its_ptx_beside_it(
    session: Callable[..., driver.Session], folder: Path, argument: str, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    this = session()
    assert this.run(build(this, folder, runs=True), [argument]) == status
    out, err = capfd.readouterr()
    assert out == "42 true\n"
    assert ("demo was ended by SIGABRT" in err) is (argument == "abort")
    assert sorted(path.name for path in folder.iterdir()) == ["Cargo.lock", "Cargo.toml", "demo.ptx", "src", "target"]


def test_the_ptx_goes_where_the_options_say(
    session: Callable[..., driver.Session], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    this = session(here=folder, ptx_dir=Path("made"))
    assert this.run(build(this, folder, runs=True), []) == 0
    assert capfd.readouterr().out == "42 false\n"
    assert (folder / "made" / "demo.ptx").exists()


def test_what_is_fresh_is_not_compiled_again(session: Callable[..., driver.Session], folder: Path, middle: Middle) -> None:
    first = build(session(), folder)
    assert middle.compiled == ["demo"]
    again = build(session(), folder)
    assert middle.compiled == ["demo"]
    assert again.outputs["demo"]["ptx"] == first.outputs["demo"]["ptx"]
    this = session()
    built = this.build(project.find(".", folder), emit={"ll", "ptx"})
    assert middle.compiled == ["demo", "demo"]
    assert built.outputs["demo"]["ll"] == b"ll"


def test_the_compiler_is_started_beside_rustc_and_not_where_nothing_changed(
    session: Callable[..., driver.Session], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = threading.Event()
    monkeypatch.setattr(Compiler, "warm_up", lambda _: started.set())
    build(session(), folder)
    assert started.is_set()
    started.clear()
    build(session(), folder)
    assert not started.is_set()


def test_a_library_gives_its_kernels_when_fresh(session: Callable[..., driver.Session], folder: Path, middle: Middle) -> None:
    (folder / "src" / "main.rs").rename(folder / "src" / "lib.rs")
    (folder / "src" / "lib.rs").write_text(KERNEL)
    assert build(session(), folder).executable is None
    assert list(build(session(), folder).outputs) == ["demo"]
    assert middle.compiled == ["demo"]
    with pytest.raises(UsageError, match="has no binary to run"):
        build(session(), folder, runs=True)


def test_a_program_carries_code_for_each_target(
    session: Callable[..., driver.Session], folder: Path, middle: Middle, tmp_path: Path
) -> None:
    targets: dict[str, Any] = {"compile": CompileOptions(arch="sm_80"), "further_archs": ("sm_90a",), "cubin": True}
    names = ["demo.cubin", "demo.ptx", "demo.sm_90a.cubin", "demo.sm_90a.ptx"]
    for compiled in (["demo"], ["demo"]):
        this = session(**targets)
        built = this.build(project.find(str(folder), folder), emit={"ptx", "cubin"})
        assert built.executable is not None
        [record] = artifact.read_records(built.executable)
        assert [code.target for code in record.code] == ["sm_75", "sm_90a"], "what the PTX says"
        assert all(code.forms["cubin"] == b"cubin" for code in record.code)
        assert record.entries[artifact.Kind.PTX] == record.code[0].forms["ptx"]
        assert [path.name for path in write_outputs(built.outputs, tmp_path / "out", {"ptx", "cubin"})] == names
        assert middle.compiled == compiled, "and the second time nothing is compiled"


def test_a_program_carries_what_is_finished_when_it_is_loaded(
    session: Callable[..., driver.Session], folder: Path, middle: Middle, tmp_path: Path
) -> None:
    compile_options = CompileOptions(arch="sm_100", fmad=False, debug_info="lines")
    chosen: dict[str, Any] = {"compile": compile_options, "further_archs": ("sm_120",), "code": "nvvm-ir"}
    for _ in range(2):
        this = session(**chosen)
        built = this.build(project.find(str(folder), folder), emit={"ptx"})
        assert built.executable is not None
        [record] = artifact.read_records(built.executable)
        assert [list(code.forms) for code in record.code] == [["nvvm-ir"], ["nvvm-ir"], ["ptx"], ["ptx"]]
        assert [code.target == "" for code in record.code] == [False, False, True, True], "PTX is for the CPU device"
        assert record.text(artifact.Kind.OPTIONS) == "no-fma lines"
        assert sorted(path.name for path in write_outputs(built.outputs, tmp_path / "out", {"ptx"})) == ["demo.ptx", "demo.sm_120.ptx"]
        assert middle.compiled == 2 * ["demo"], "to PTX and to LLVM IR, for all targets at once; the second time nothing"


def test_what_a_program_carries_is_in_its_fingerprint(tmp_path: Path) -> None:
    """It is what the macros look at, so that cargo builds a program again that is to carry something else."""
    chosen: list[dict[str, Any]] = [
        {},
        {"cubin": True},
        {"code": "ltoir"},
        {"further_archs": ("sm_90",)},
        {"compile": CompileOptions(arch="sm_80")},
    ]
    library = tmp_path / "libdevice.10.bc"
    linked: dict[str, Any] = {"compile": CompileOptions(libdevice=library)}
    environment = options.environment()
    prints = {cargo.fingerprint(Options(cache=tmp_path, **each), environment) for each in [*chosen, linked]}
    for content in (b"one", b"another"):
        library.write_bytes(content)
        prints.add(cargo.fingerprint(Options(cache=tmp_path, **linked), environment))
    assert len(prints) == len(chosen) + 3, "a file counts by its content"
    uncached = {cargo.fingerprint(Options(cache=tmp_path, store=StoreOptions(use=False)), environment) for _ in range(2)}
    assert len(uncached | prints) == len(prints) + 2, "without a cache cargo compiles again each time"


def test_a_refusal_is_a_rustc_error_at_the_line(
    session: Callable[..., driver.Session], folder: Path, middle: Middle, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "demo.ptx").write_text("the one before")
    middle.problem = Refused([Diagnostic(None, "no floats on Sundays", span=0, notes=(Note("in a kernel"),), help=("use integers",))])
    with pytest.raises(driver.BuildFailed) as caught:
        build(session(), folder)
    assert caught.value.exit_status == 1
    err = capfd.readouterr().err
    assert "error: no floats on Sundays\n --> src/main.rs:" in err
    assert "= note: in a kernel" in err
    assert "= help: use integers" in err
    assert (folder / "demo.ptx").read_text() == "the one before"


def test_a_warning_is_shown_again_where_nothing_changed(
    session: Callable[..., driver.Session], folder: Path, middle: Middle, capfd: pytest.CaptureFixture[str]
) -> None:
    middle.warning = Diagnostic(None, "it is Sunday", 0, "warning", help=("rest",))
    for _ in range(2):
        assert list(build(session(), folder).outputs) == ["demo"]
        err = capfd.readouterr().err
        assert "warning: it is Sunday\n --> src/main.rs:" in err
        assert "= help: rest" in err
    assert middle.compiled == ["demo"]


@pytest.mark.parametrize(
    "problem", [InternalError("we are wrong"), MachineError("no ptxas"), ProgramError("no"), UsageError("what"), OSError(28, "full")]
)
def test_another_problem_is_raised_once_cargo_has_ended(
    session: Callable[..., driver.Session], folder: Path, middle: Middle, problem: Exception, capfd: pytest.CaptureFixture[str]
) -> None:
    middle.problem = problem
    with pytest.raises(type(problem)) as caught:
        build(session(), folder)
    assert caught.value is problem
    assert "--crate-name" not in capfd.readouterr().err


def test_a_project_without_kernels(session: Callable[..., driver.Session], folder: Path) -> None:
    (folder / "src" / "main.rs").write_text("fn main() {}")
    with pytest.raises(ProgramError, match="package demo has no kernels"):
        build(session(), folder)


def test_a_program_that_rustc_refuses(session: Callable[..., driver.Session], folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "src" / "main.rs").write_text("fn main() { nothing() }")
    with pytest.raises(driver.BuildFailed):
        build(session(), folder)
    assert "cannot find function `nothing`" in capfd.readouterr().err


def test_the_phases_stand_in_order(session: Callable[..., driver.Session], folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    this = session(verbose=True)
    for _ in range(2):
        assert this.run(build(this, folder, runs=True), []) == 0
        lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("[PHASE ")]
        assert [line.split("]")[0] for line in lines] == [f"[PHASE {number}/9" for number in range(1, 10)]


def test_what_the_cache_has_is_said(
    session: Callable[..., driver.Session], folder: Path, middle: Middle, capfd: pytest.CaptureFixture[str]
) -> None:
    middle.stored = True
    build(session(verbose=True), folder)
    shown = [line for line in capfd.readouterr().err.splitlines() if "[PHASE" in line]
    assert [line.partition("/")[0] for line in shown] == [f"[PHASE {number}" for number in range(1, 9)]
    assert shown[7] == "[PHASE 8/9] demo: found in the cache: cpu, ptx"


def test_kernels_of_a_dependency_come_too(session: Callable[..., driver.Session], folder: Path, middle: Middle) -> None:
    library = folder / "helper"
    (library / "src").mkdir(parents=True)
    (library / "Cargo.toml").write_text('[package]\nname = "helper"\nversion = "0.1.0"\nedition = "2024"\n')
    (library / "src" / "lib.rs").write_text(KERNEL)
    (folder / "src" / "main.rs").write_text("fn main() { unsafe { helper::store(&mut 0) } }")
    with (folder / "Cargo.toml").open("a") as manifest:
        manifest.write('members = ["helper"]\n[dependencies]\nhelper = { path = "helper" }\n')
    for _ in range(2):
        assert list(build(session(), folder).outputs) == ["helper"]
        assert middle.compiled == ["helper"]


def test_two_crates_of_one_name(session: Callable[..., driver.Session], folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "src" / "lib.rs").write_text(KERNEL)
    (folder / "src" / "main.rs").write_text("fn main() { unsafe { demo::store(&mut 0) } }")
    assert list(build(session(), folder).outputs) == ["demo"]
    (folder / "src" / "main.rs").write_text(KERNEL + "fn main() { unsafe { demo::store(&mut 0); store(&mut 0) } }")
    with pytest.raises(OxideError) as caught:
        build(session(), folder)
    assert caught.value.exit_status == 1
    assert "two crates named `demo` hold kernels" in caught.value.message + capfd.readouterr().err
    (folder / "src" / "lib.rs").write_text(KERNEL + "\n")
    with pytest.raises(driver.BuildFailed):
        build(session(), folder)
    assert re.search(r"error: two crates named `demo` hold kernels.*\[OX207\]", capfd.readouterr().err)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_children(folder: Path, number: signal.Signals, status: int) -> None:
    (folder / "build.rs").write_text(
        'fn main() { println!("{}", std::process::id()); std::thread::sleep(std::time::Duration::from_secs(60)) }'
    )
    # Tests that run in a shell's background inherit SIGINT ignored.
    default = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    child = subprocess.Popen([sys.executable, "-m", "oxide", "run"], cwd=folder, stderr=subprocess.DEVNULL, preexec_fn=default)
    script: list[str] = []
    while not script:
        assert child.poll() is None
        time.sleep(0.05)
        script = subprocess.run(
            ["pgrep", "-f", f"{folder}/target.*build-script-build"], capture_output=True, text=True, check=False
        ).stdout.split()
    child.send_signal(number)
    assert child.wait() == status
    assert not Path("/proc", script[0], "exe").exists()
    assert not (folder / "demo.ptx").exists()


def test_two_builds_at_once(session: Callable[..., driver.Session], folder: Path) -> None:
    sessions = [session(), session()]
    built: list[driver.Built] = []
    threads = [threading.Thread(target=lambda this=this: built.append(build(this, folder))) for this in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 2
    assert built[0].outputs["demo"]["ptx"] == built[1].outputs["demo"]["ptx"]


def test_a_single_file_runs_where_the_caller_is(
    session: Callable[..., driver.Session], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "ALWAYS", ())
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "demo.rs").write_text(KERNEL + MAIN)
    this = session(here=tmp_path)
    built = this.build(project.find("elsewhere/demo.rs", tmp_path), emit={"ptx"}, runs=True)
    assert this.run(built, []) == 0
    assert capfd.readouterr().out == "42 true\n"
    assert (tmp_path / "demo.ptx").exists()


def test_two_single_files_of_one_name_are_two_programs(
    session: Callable[..., driver.Session], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "ALWAYS", ())
    this = session(here=tmp_path)
    built = []
    for name in ("one", "two", "one"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "demo.rs").write_text(KERNEL + f'fn main() {{ unsafe {{ store(&mut 0) }}; println!("{name}") }}')
        built.append(this.build(project.find(f"{name}/demo.rs", tmp_path), emit={"ptx"}, runs=True))
    assert [this.run(program, []) for program in built] == [0, 0, 0]
    assert capfd.readouterr().out == "one\ntwo\none\n"
    assert built[0].executable is not None
    assert [path.name for path in built[0].executable.parent.iterdir()] == ["demo"]


def test_the_users_own_flags_are_kept(session: Callable[..., driver.Session], folder: Path) -> None:
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text('[target."cfg(unix)"]\nrustflags = ["--cfg=mine"]\n')
    (folder / "src" / "main.rs").write_text('#[cfg(not(mine))] compile_error!("lost");\n' + KERNEL + MAIN)
    assert build(session(), folder).executable


def test_a_build_script_sees_a_stable_compiler(session: Callable[..., driver.Session], folder: Path) -> None:
    (folder / "build.rs").write_text(
        """\
fn main() {
    assert!(std::env::var_os("RUSTC_BOOTSTRAP").is_none());
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap();
    let source = std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join("probe.rs");
    std::fs::write(&source, "#![feature(rustc_attrs)]").unwrap();
    let mut probe = std::process::Command::new(std::env::var("RUSTC").unwrap());
    probe.args(flags.split('\\x1f')).args(["--crate-type=lib", "--emit=metadata", "-o", "/dev/null"]).arg(&source);
    assert!(!probe.output().unwrap().status.success(), "the probe found unstable features");
}
"""
    )
    assert build(session(), folder).executable


def test_a_rustc_of_another_version_is_refused(session: Callable[..., driver.Session], folder: Path, tmp_path: Path) -> None:
    rustc = tmp_path / "rustc"
    rustc.write_text('#!/bin/sh\ncase $1 in -vV) echo "release: 1.42.0";; *) echo /nowhere;; esac\n')
    rustc.chmod(0o755)
    with pytest.raises(MachineError, match=r"got version 1\.42\.0, expected 1\.96\.0") as caught:
        build(session(rustc=rustc), folder)
    assert caught.value.hint is not None
    with pytest.raises(MachineError, match="no such file"):
        build(session(rustc=tmp_path / "none"), folder)


def test_a_device_that_is_not_there(session: Callable[..., driver.Session], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxide.tools.gpu.has_cuda_driver", lambda: False)
    with pytest.raises(MachineError, match="--device cuda needs a CUDA driver; none was found"):
        build(session(device="cuda"), folder)


def test_the_librarys_source_is_asked_for_before_anything_is_built(
    session: Callable[..., driver.Session], folder: Path, middle: Middle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchain.Rust, "library_source", None)
    with pytest.raises(MachineError, match="--build-std needs the standard library's source") as caught:
        build(session(build_std=True), folder)
    assert caught.value.hint == "run `oxide setup --build-std`"
    assert middle.compiled == []
