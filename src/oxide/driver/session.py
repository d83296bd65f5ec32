"""What one command does, step by step: the toolchain, cargo with the backend, and the program's run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import threading
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from oxide import pipeline
from oxide.cache.compiler import Compiler
from oxide.cache.files import IMAGE_BYTES_KEPT, Cache, trim_files, whole_library, write_atomically, write_entry
from oxide.cache.gpu import gpu_arch
from oxide.driver.crates import Crates
from oxide.errors import MachineError, ProgramError
from oxide.pipeline import CPU_IMAGE
from oxide.rust import backend_link, cargo, cpu_device, rustflags, scripts, testing, toolchain
from oxide.rust.dependencies import Dependencies
from oxide.rust.listener import Listener
from oxide.rust.processes import run_program
from oxide.rust.project import check_patches_used, describe, script_folder, version_of
from oxide.tools import gpu

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from oxide.driver.crates import Outputs
    from oxide.driver.talk import Ui
    from oxide.options import Environment, Options
    from oxide.rust.project import Place, Project
    from oxide.rust.rustflags import RustcCall
    from oxide.rust.toolchain import Rust

BUILD_STD = "-Zbuild-std=std,panic_abort,panic_unwind"
"""What cargo compiles of the standard library; which of the two ways to panic is linked is the profile's choice."""

FEATURE_FLAGS = {"--all-features", "--no-default-features"}

COMPILED = {"compiler-artifact", "compiler-message", "build-script-executed"}
"""Messages of a cargo that has resolved what the package depends on."""


class BuildFailed(ProgramError):
    """Cargo or rustc has shown why the program does not build."""

    def __init__(self) -> None:
        super().__init__("")


@dataclass(frozen=True)
class Plan:
    """What a build needs to know before cargo is started."""

    rust: Rust
    backend: Path
    project: Project
    call: RustcCall


@dataclass
class Built:
    """What a build left: the program, and what its kernels became."""

    rust: Rust
    project: Project
    executable: Path | None
    outputs: Outputs = field(default_factory=dict)
    dumps: dict[str, Path] = field(default_factory=dict)
    """The dump that each crate's outputs were made from."""
    library_folders: list[str] = field(default_factory=list)
    loadable: bool = False
    """Whether there is a library that a process loads, such as a Python extension module."""
    messages: Sequence[Mapping[str, Any]] = ()
    """Cargo's, as "JSON messages" of the Cargo book has them."""


class Session:
    """One command's work. Use it as a context manager: leaving it ends every child and removes temporary files."""

    def __init__(self, options: Options, environment: Environment, here: Path, ui: Ui) -> None:
        self.options = options
        self.environment = environment
        self.here = here
        self.ui = ui
        self.cache = Cache(options.cache)
        self.compiler = Compiler(options, environment, self.cache, warn=ui.warning, say=ui.say)
        self.stack = contextlib.ExitStack()
        self.new_script = False
        """Whether a single file was built that was not built before, so that there is more in the cache."""

    def __enter__(self) -> Session:
        # As the last of all, when this process works with the cache no more.
        self.stack.callback(self.make_room)
        self.stack.enter_context(self.cache.in_use())
        self.stack.callback(self.compiler.close)
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def make_room(self) -> None:
        """Remove builds of other single files where one came that was not built before. A cache that cannot be written has told so."""
        if self.new_script:
            with contextlib.suppress(MachineError):
                scripts.trim(self.cache)

    def prepare(self) -> tuple[Rust, Path]:
        """Find or install a rustc that takes the backend, and link it: phase 1."""
        linked: dict[str, tuple[Path, bool]] = {}

        def accept(rust: Rust) -> None:
            linked[rust.rustc] = backend_link.linked_backend(rust, self.cache)

        try:
            rust = toolchain.find_rust(self.options.rustc, self.environment, self.cache, accept)
        except toolchain.RustMissing as missing:
            rust = self.install_rust(accept, missing)
        backend, new = linked[rust.rustc]
        self.ui.phase(1, f"{'linked' if new else 'checked'} the backend for rustc {rust.release}: {backend}")
        if new:
            self.ui.say(f"linked the backend for rustc {rust.release} at {rust.rustc}")
        return rust, backend

    def install_rust(self, accept: Callable[[Rust], object], missing: toolchain.RustMissing) -> Rust:
        """Install a rustc that `accept` does not refuse; raise `missing` where that cannot be done, or the user named one."""
        if self.options.rustc is None:
            for _installed in toolchain.install_rust(self.environment, self.ui.say):
                with contextlib.suppress(toolchain.RustMissing):
                    return toolchain.find_rust(None, self.environment, self.cache, accept)
        raise missing

    def choose_target(self) -> None:
        """Check what was asked for against this machine, before anything is built."""
        if self.options.device == "cuda" and not gpu.has_cuda_driver():
            raise MachineError("no CUDA driver is here, and --device cuda asks for one", hint="leave --device out, or say --device cpu")
        from oxide.dialects import target

        arch = self.options.compile.arch
        if arch is None and self.options.device != "cpu" and (present := gpu_arch(self.environment, self.cache)) is not None:
            self.options = replace(self.options, compile=replace(self.options.compile, arch=target.nearest(present)))
            self.compiler.options = self.options

    def plan(self, place: Place, package: str | None = None, *, whole: bool = False) -> Plan:
        """Find out how cargo is to be called for the package at `place`, or for a whole workspace: phases 1 and 2."""
        self.choose_target()
        rust, backend = self.prepare()
        self.new_script |= place.script is not None and not script_folder(place, self.cache).exists()
        project = describe(place, rust, self.cache, self.environment.variables, package, self.here, whole=whole)
        require_writable(project.target_folder)
        flags = rustflags.user_flags(rust, project.manifest.parent, self.environment)
        call = rustflags.for_build(rust, backend, flags, self.cache)
        self.ui.phase(2, f"rustc flags: {' '.join(call.flags)}")
        if self.options.build_std:
            require_library_source(rust)
        return Plan(rust, backend, project, call)

    def cargo_command(self, plan: Plan, command: str, *arguments: str) -> list[str]:
        """Return cargo's command line for a project."""
        return [
            *(plan.rust.cargo, command, "--target", plan.rust.host, "--profile", self.options.profile),
            *plan.project.cargo_arguments,
            *arguments,
            *([BUILD_STD] if self.options.build_std else []),
            *(["--quiet"] if self.options.quiet else []),
        ]

    def compile_crates(
        self,
        plan: Plan,
        command: Sequence[str],
        variables: Mapping[str, str],
        crates: Crates,
        *,
        warnings: bool = True,
        errors: IO[bytes] | None = None,
    ) -> list[dict[str, Any]]:
        """Let cargo compile what `command` says, while `crates` answers on the socket, and return cargo's messages: phases 3 to 8.

        Raises `BuildFailed` where cargo has shown why.
        """
        self.ui.phase(3, f"spawning {' '.join(command)}")
        project = plan.project
        features = [word for before, word in pairwise(command) if before == "--features" or word in FEATURE_FLAGS]
        dependencies = Dependencies(self.cache, self.environment, plan.rust, plan.call, project, self.options.profile, features)
        kept = self.options.store.use and not self.options.build_std
        if kept:
            dependencies.restore()
        status, messages = cargo.run(
            command,
            project.manifest.parent,
            variables,
            warm_up=self.compiler.warm_up,
            talk=self.ui.talk,
            warnings=warnings and not self.options.quiet,
            errors=errors,
        )
        if kept:
            dependencies.save(messages)
        if crates.problem is not None:
            raise crates.problem
        if status != 0:
            # Who takes cargo's words shows them.
            if errors is None and project.patches and not any(message["reason"] in COMPILED for message in messages):
                versions = ", ".join(f"{name} {version_of(name)}" for name in project.patches)
                raise ProgramError(
                    f"package {project.package} did not get as far as compiling", hint=f"in the place of crates.io's oxide has {versions}"
                )
            raise BuildFailed
        check_patches_used(project)
        return messages

    def build(
        self,
        place: Place,
        *,
        emit: Collection[str],
        package: str | None = None,
        binary: str | None = None,
        runs: bool = False,
        cargo_arguments: Sequence[str] = (),
        instances: Sequence[tuple[str, Sequence[str]]] | None = None,
        errors: IO[bytes] | None = None,
    ) -> Built:
        """Build the program at `place` and return what every crate with kernels became, in the kinds of `emit`.

        With `instances`, those of generic kernels, by path and arguments, are compiled in place of the kernels that there are; without one
        among them, those, and the dump tells of generic ones too. Cargo writes to `errors` in place of stderr.

        Raises `BuildFailed` where cargo has shown why, and `ProgramError` where there is no kernel.
        """
        plan = self.plan(place, package)
        chosen = ["--bin", plan.project.binary_to_run(binary)] if runs or binary is not None else []
        built = Built(plan.rust, plan.project, executable=None)
        with contextlib.ExitStack() as stack:
            if place.script is not None:
                stack.enter_context(self.cache.lock(f"script-{plan.project.package}"))
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="oxide-")))
            crates = Crates(self.compiler, self.cache, self.ui, folder, emit)
            listener = stack.enter_context(Listener(folder, crates.answer))
            variables = cargo.variables(self.options, self.environment, plan.call, plan.project.manifest.parent, listener.path)
            variables |= cargo.asking_for(instances, variables) if instances is not None else {}
            command = self.cargo_command(plan, "build", *cargo_arguments, *chosen)
            built.messages = messages = self.compile_crates(plan, command, variables, crates, errors=errors)
            self.take_messages(built, messages, crates)
            if place.script is not None and built.executable is not None:
                # Cargo puts the programs of all files of one name in one place.
                built.executable = link_to(built.executable, plan.project.manifest.parent / "program")
            if not crates.outputs and instances is None:
                take_libraries(plan.project, messages, crates)
        built.outputs, built.dumps = crates.outputs, crates.dumps
        if not built.outputs:
            raise ProgramError(
                f"package {plan.project.package} has no kernels",
                hint="mark a function #[kernel]; or, in a library (`lib` or `rlib`), functions #[device] for other device code to call",
            )
        if built.executable is not None or built.loadable:
            self.cpu_device(plan.rust)
        return built

    def test(
        self, place: Place, *, package: str | None, whole: bool, cargo_arguments: Sequence[str], arguments: Sequence[str], runs: bool
    ) -> int:
        """Build the tests of the package at `place`, or of a whole workspace, let cargo run them, and return cargo's exit status.

        `arguments` are the test programs'. Each runs with the PTX that it carries in its folder, since two of a package may differ.
        """
        plan = self.plan(place, package, whole=whole)
        project = plan.project
        documented = rustflags.for_doc_tests(plan.rust, plan.backend, self.cache)
        if documented is None:
            if "--doc" in cargo_arguments:
                raise MachineError(f"doc tests need rustdoc, which is not beside {plan.rust.rustc}", hint="leave --doc out")
            self.ui.say(f"no rustdoc beside {plan.rust.rustc}, so documentation is not tested")
        with tempfile.TemporaryDirectory(prefix="oxide-") as name:
            folder = Path(name)
            crates = Crates(self.compiler, self.cache, self.ui, folder, {"ptx"}, apart=True)
            with Listener(folder, crates.answer) as listener:
                variables = cargo.variables(self.options, self.environment, plan.call, project.manifest.parent, listener.path)
                quiet = self.options.quiet
                if documented is not None:
                    variables["RUSTDOC"] = os.fspath(testing.write_redirected(folder, documented) if quiet and runs else documented)
                command = self.cargo_command(plan, "test", *cargo_arguments, *testing.without_documentation(cargo_arguments, documented))
                # Cargo shows the warnings again when it runs the tests.
                building = [*testing.compilable(command), "--no-run"]
                messages = self.compile_crates(plan, building, variables, crates, warnings=not runs)
                if not runs:
                    return 0
                runner = testing.write_runner(
                    folder,
                    testing.executables(messages),
                    started_in=self.here if place.script else None,
                    ptx_folder=self.options.ptx_dir and self.here / self.options.ptx_dir,
                    users=rustflags.user_runner(plan.rust, project.manifest.parent, self.environment),
                    quietly=quiet,
                )
                if quiet:
                    # Warnings of what was compiled before go where nobody reads them.
                    command = [*testing.QUIETLY, *command, "--message-format=json"]
                command += ["--config", f"target.{plan.rust.host}.runner={json.dumps([os.fspath(runner)])}", "--", *arguments]
                self.ui.phase(9, f"running {' '.join(command)}")
                status = run_program(command, project.manifest.parent, variables | self.run_variables(plan.rust))
        return status if status >= 0 else 128 - status

    def take_messages(self, built: Built, messages: Sequence[Mapping[str, Any]], crates: Crates) -> None:
        """Learn the program from cargo's messages, and what crates that cargo found fresh became before."""
        for message in messages:
            match message["reason"]:
                case "build-script-executed":
                    built.library_folders += [path.rpartition("=")[2] for path in message["linked_paths"]]
                case "compiler-artifact":
                    if message["executable"]:
                        built.executable = Path(message["executable"])
                    built.loadable |= not {"cdylib", "dylib"}.isdisjoint(message["target"]["kind"])
                    for file in map(Path, message["filenames"]):
                        crates.take_artifact(file)
                case _:
                    pass

    def compile_text(self, text: bytes, *, start: str, kind: str, name: str) -> bytes:
        """Compile a stage's text to `kind`. The CPU image that belongs to a PTX goes to the cache, where the CPU device looks for it."""
        emit = {kind, CPU_IMAGE} if kind == "ptx" else {kind}
        outputs = self.compiler.compile(text, start=start, emit=emit, name=name)
        if CPU_IMAGE in outputs:
            try:
                write_entry(cpu_device.image_path(self.cache, outputs[kind]), outputs[CPU_IMAGE], mode=0o755)
                trim_files(self.cache.root / "cpu", IMAGE_BYTES_KEPT)
            except MachineError as refused:
                self.ui.warning(f"{refused.message}; the CPU device will not run this PTX")
        return outputs[kind]

    def write_outputs(self, built: Built, folder: Path, kinds: Collection[str]) -> list[Path]:
        """Write NAME.KIND for every crate and kind into `folder`, and NAME.TARGET.KIND for further targets; return what was written."""
        return [
            write(folder / f"{crate}{dot}{target}{pipeline.STAGE[kind].suffix}", outputs[name])
            for crate, outputs in sorted(built.outputs.items())
            for target, dot, kind, name in sorted((*split_target(name), name) for name in outputs)
            if kind in kinds
        ]

    def ptx_folder(self, built: Built) -> Path:
        """Return where NAME.ptx goes: where the options say, else where the program runs."""
        return built.project.run_folder if self.options.ptx_dir is None else self.here / self.options.ptx_dir

    def run(
        self, built: Built, arguments: Sequence[str], *, under: Sequence[str] = (), watch: Callable[[bytes], None] | None = None
    ) -> int:
        """Run the program in its folder, with NAME.ptx beside it, and return its exit status.

        It is started by the command `under`, where one is given. `watch` is given each line that it writes to stderr.
        """
        executable = built.executable
        if executable is None:
            raise ProgramError(f"package {built.project.package} has no binary to run", hint="`oxide build` compiles its kernels")
        folder = built.project.run_folder
        for crate, outputs in built.outputs.items():
            write_atomically(
                self.ptx_folder(built) / f"{crate}.ptx",
                outputs["ptx"],
                hint="a program's PTX lies where it runs: copy the project elsewhere",
            )
        variables = {**self.environment.variables, **self.run_variables(built.rust)}
        if built.library_folders:
            variables["LD_LIBRARY_PATH"] = os.pathsep.join([*built.library_folders, variables.get("LD_LIBRARY_PATH", "")]).strip(os.pathsep)
        self.ui.phase(9, f"running {executable}")
        self.compiler.close()
        status = run_program([*under, os.fspath(executable), *arguments], folder, variables, watch)
        if status >= 0:
            return status
        self.ui.ended_by_signal(executable.name, -status)
        return 128 - status

    def run_variables(self, rust: Rust) -> dict[str, str]:
        """Return the variables that a program with kernels reads."""
        variables: dict[str, str] = {}
        if self.options.device is not None:
            variables["OXIDE_DEVICE"] = self.options.device
        elif self.options.quiet and not gpu.has_cuda_driver() and self.environment.get("OXIDE_DEVICE") is None:
            # Chosen, the CPU device is not worth a line.
            variables["OXIDE_DEVICE"] = "cpu"
        if self.options.verbose and not self.environment.logs_info:
            variables["RUST_LOG"] = "info"
        if self.environment.get("OXIDE_CPU_DEVICE") is None and (device := self.cpu_device(rust)) is not None:
            variables["OXIDE_CPU_DEVICE"] = os.fspath(device)
        return variables

    def cpu_device(self, rust: Rust) -> Path | None:
        """Return the CPU device where programs need it: built now if it is not there, for programs run by hand carry its path."""
        if self.options.device != "cpu" and gpu.has_cuda_driver():
            return None
        library = cpu_device.path(self.cache)
        if library is not None and not whole_library(library):
            with self.ui.busy("building the CPU device, once"):
                cpu_device.build(rust, self.cache, self.environment.variables)
        return library


def require_library_source(rust: Rust) -> None:
    """Raise `MachineError` where the standard library cannot be built."""
    if rust.library_source is None:
        message = f"--build-std needs the standard library's source, which is not beside {rust.rustc}"
        raise MachineError(message, hint="run `oxide setup --build-std`")


def require_writable(folder: Path) -> None:
    """Raise `MachineError` where cargo could not build in `folder`, which need not be there yet."""
    there = next(place for place in (folder, *folder.parents) if os.path.exists(place))  # noqa: PTH110 - Path.exists raises
    if not os.access(there, os.W_OK | os.X_OK):
        raise MachineError(f"cannot build in {folder}: {there} cannot be written", hint="set CARGO_TARGET_DIR to a folder that can be")


def take_libraries(project: Project, messages: Sequence[Mapping[str, Any]], crates: Crates) -> None:
    """Compile the package itself where it is a device library."""
    for message in messages:
        if message["reason"] == "compiler-artifact" and Path(message["manifest_path"]) == project.manifest:
            for file in map(Path, message["filenames"]):
                crates.take_library(message["target"]["name"].replace("-", "_"), file)


def split_target(name: str) -> tuple[str, str, str]:
    """Return target, dot and kind of an output's name: `sm_90a`, `.`, `ptx`; the first target's outputs have neither of the first two."""
    target, dot, kind = name.rpartition(".")
    return target, dot, kind


def link_to(program: Path, folder: Path) -> Path:
    """Give a program another name of its own, in `folder`, which stays when the first one is written again; return it."""
    folder.mkdir(exist_ok=True)
    own = folder / program.name
    new = own.with_name(f".{own.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        os.link(program, new)
    except OSError:  # a file system without links
        shutil.copy2(program, new)
    # Where both names are one file already, a rename does nothing, and leaves the new name too.
    new.replace(own)
    new.unlink(missing_ok=True)
    return own


def write(path: Path, content: bytes) -> Path:
    """Write one output and return where."""
    write_atomically(path, content)
    return path
