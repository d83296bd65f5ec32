"""One run of oxide: toolchain, socket, cargo, pipeline, and the program.

    with Session(options, environment(), here=Path.cwd(), ui=ui) as session:
        built = session.build(project.find("vecadd", here), emit={"ptx"})
        built.outputs["vecadd"]["ptx"]
        status = session.run(built, arguments=["--size", "1000"])

Nothing heavy is imported before cargo has something to compile: a build that changes nothing costs little more than cargo's own.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from oxide import backend_link, codes, cpu_device, pipeline, rustflags, toolchain
from oxide.cache import Cache, digest, whole_library, write_atomically
from oxide.errors import Diagnostic, InternalError, MachineError, ProgramError, Refused, UsageError, machine_fault
from oxide.export import artifact
from oxide.pipeline import CPU_IMAGE
from oxide.project import check_patches_used, describe, version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from oxide.export.worker import LlvmWorker
    from oxide.options import Environment, Options
    from oxide.project import Place, Project
    from oxide.toolchain import Rust

MIDDLE = ("oxide.mir_import", "oxide.lower.to_nvvm", "oxide.lower.to_llvm", "oxide.export.llvm_ir", "oxide.export.ptx")
"""What compiling imports."""

WARM_UP_AFTER = 0.12
"""Seconds after which cargo is taken to be compiling something, so that the compiler's own start goes on beside it."""

GRACE = 50
"""Hundredths of a second that the children of a cargo that was ended have to end too."""

SENT_BY_A_PROCESS = 0
"""`si_code` of a signal that kill(2) sent: SI_USER."""

PHASES = {"mir": (6, "imported and verified (mir)"), "llvm": (7, "lowered (nvvm, llvm)"), "ptx": (8, "exported, compiled to PTX")}
"""The phase that ends with a stage."""

BUILD_STD = "-Zbuild-std=std,panic_abort,panic_unwind"
"""What cargo compiles of the standard library; which of the two ways to panic is linked is the profile's choice."""

TWO_OF_ONE_NAME = "two crates named `{}` hold kernels"
RENAME_ONE = "give one another name: `[lib] name` or `[[bin]] name` in Cargo.toml"

Outputs = dict[str, dict[str, bytes]]
"""What each crate became: crate, kind, bytes."""


class Ui(Protocol):
    """What the driver needs of whoever prints; `oxide.cli.ui` is one."""

    def talk(self, line: str) -> None:
        """Write one line, whatever the loudness."""

    def say(self, line: str) -> None:
        """Tell the person at the shell what is going on."""

    def phase(self, number: int, text: str) -> None:
        """Tell that one of the nine phases is under way."""

    def busy(self, what: str) -> contextlib.AbstractContextManager[None]:
        """Say what takes a while, for as long as it does."""

    def ended_by_signal(self, program: str, number: int) -> None:
        """Say that a program died by a signal."""


class BuildFailed(ProgramError):
    """Cargo or rustc has shown why the program does not build."""

    def __init__(self) -> None:
        super().__init__("")


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


class Compiler:
    """The pipeline with its LLVM worker, started when first needed and shared by every crate of a build."""

    def __init__(self, options: Options, cache: Cache) -> None:
        self.options = options
        self.cache = cache
        self.worker: LlvmWorker | None = None
        self.lock = threading.Lock()

    def start(self) -> LlvmWorker:
        """Start the worker without waiting for it."""
        if self.worker is None:
            from oxide.export.worker import LlvmWorker

            self.worker = LlvmWorker()
            self.worker.start()
        return self.worker

    def warm_up(self) -> None:
        """Start the worker and import the pipeline while cargo still runs."""
        # What fails here fails again where it is needed, and is shown there.
        with self.lock, contextlib.suppress(Exception):
            self.start()
            for module in MIDDLE:
                importlib.import_module(module)

    def compile(
        self,
        source: bytes,
        *,
        start: str,
        emit: Collection[str],
        name: str,
        ours: bool = False,
        done: Callable[[str], None] = lambda _: None,
        report: Callable[[Diagnostic], None] = lambda _: None,
    ) -> dict[str, bytes]:
        """Take `source` from stage `start` to every kind of `emit`; `ours`, `done` and `report` are as the pipeline has them.

        What goes wrong inside and is not the program's fault comes back as `InternalError`, with a folder that repeats it.
        """
        with self.lock:
            try:
                worker = self.start()
                options = self.options.compile
                return pipeline.compile(
                    source, start=start, emit=emit, options=options, worker=worker, name=name, ours=ours, done=done, report=report
                )
            except (ProgramError, UsageError, MachineError):
                raise
            except Exception as error:
                if isinstance(error, OSError) and (fault := machine_fault(error)) is not None:
                    raise fault from error
                raise self.bug(error, source, start, emit, name) from error

    def bug(self, error: Exception, source: bytes, start: str, emit: Collection[str], name: str) -> InternalError:
        """Keep what repeats our own failure, and return the error that says where."""
        suffix = pipeline.STAGE[start].suffix
        try:
            folder = self.cache.folder("bugs", digest(source, traceback.format_exc())[:16])
        except MachineError:
            folder = Path(tempfile.mkdtemp(prefix="oxide-bug-"))
        write_atomically(folder / f"{name}{suffix}", source)
        write_atomically(folder / "traceback.txt", "".join(traceback.format_exception(error)).encode())
        last = [stage for stage in pipeline.STAGE_NAMES if stage in emit]
        command = f"oxide compile --from {folder / f'{name}{suffix}'} --to {last[-1] if last else 'ptx'}"
        message = error.message if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
        stage = error.stage if isinstance(error, InternalError) else None
        return InternalError(
            message, stage=stage, hint=f"this is a bug in oxide; `{command}` repeats it, and {folder} holds all that a report needs"
        )

    def close(self) -> None:
        """End the worker."""
        if self.worker is not None:
            self.worker.close()
            self.worker = None


class Listener:
    """The socket on which each crate that holds kernels sends its dump and waits for an answer."""

    def __init__(self, folder: Path, answer: Callable[[dict[str, Any]], dict[str, object]]) -> None:
        import socket

        self.path = folder / "driver.sock"
        self.answer = answer
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(os.fspath(self.path))
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        """Take connections until the socket is closed."""
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                threading.Thread(target=self.converse, args=(connection,), daemon=True).start()

    def converse(self, connection: Any) -> None:
        """Answer one crate's message."""
        with connection, contextlib.suppress(OSError), connection.makefile("rwb") as stream:
            if line := stream.readline():
                stream.write(json.dumps(self.answer(json.loads(line))).encode() + b"\n")

    def close(self) -> None:
        """Take no more connections."""
        import socket

        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Session:
    """One command's work. Use it as a context manager: leaving it ends every child and removes temporary files."""

    def __init__(self, options: Options, environment: Environment, here: Path, ui: Ui) -> None:
        self.options = options
        self.environment = environment
        self.here = here
        self.ui = ui
        self.cache = Cache(options.cache)
        self.compiler = Compiler(options, self.cache)
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> Session:
        self.stack.callback(self.compiler.close)
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

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
        if self.options.device == "cuda" and not toolchain.has_cuda_driver():
            raise MachineError("no CUDA driver is here, and --device cuda asks for one", hint="leave --device out, or say --device cpu")
        from oxide import target

        arch = self.options.compile.arch
        if arch is not None:
            target.parse(arch)
        elif self.options.device != "cpu" and (present := toolchain.gpu_arch(self.environment, self.cache)) is not None:
            self.options = replace(self.options, compile=replace(self.options.compile, arch=target.nearest(present)))
            self.compiler.options = self.options

    def build(
        self,
        place: Place,
        *,
        emit: Collection[str],
        package: str | None = None,
        binary: str | None = None,
        runs: bool = False,
        cargo_arguments: Sequence[str] = (),
    ) -> Built:
        """Build the program at `place` and return what every crate with kernels became, in the kinds of `emit`.

        Raises `BuildFailed` where cargo has shown why, and `ProgramError` where there is no kernel.
        """
        self.choose_target()
        rust, backend = self.prepare()
        project = describe(place, rust, self.cache, self.environment.variables, package, self.here)
        require_writable(project.target_folder)
        flags = rustflags.user_flags(rust, project.manifest.parent, self.environment)
        call = rustflags.for_build(rust, backend, flags, self.cache)
        self.ui.phase(2, f"rustc flags: {' '.join(call.flags)}")
        command = [
            rust.cargo,
            "build",
            "--message-format=json-render-diagnostics",
            "--target",
            rust.host,
            "--profile",
            self.options.profile,
        ]
        command += [*project.cargo_arguments, *cargo_arguments]
        if self.options.build_std:
            require_library_source(rust)
            command.append(BUILD_STD)
        if runs or binary is not None:
            command += ["--bin", project.binary_to_run(binary)]
        if self.options.quiet:
            command.append("--quiet")
        built = Built(rust, project, executable=None)
        with tempfile.TemporaryDirectory(prefix="oxide-") as folder:
            crates = Crates(self, Path(folder), emit)
            listener = Listener(Path(folder), crates.answer)
            try:
                self.ui.phase(3, f"spawning {' '.join(command)}")
                status, messages = self.cargo(command, project, self.cargo_environment(call, project.manifest.parent, listener.path))
            finally:
                listener.close()
        if crates.problem is not None:
            raise crates.problem
        if status != 0:
            if project.patches and not any(message["reason"] == "compiler-artifact" for message in messages):
                versions = ", ".join(f"{name} {version_of(name)}" for name in project.patches)
                raise ProgramError(
                    f"package {project.package} did not get as far as compiling", hint=f"in the place of crates.io's oxide has {versions}"
                )
            raise BuildFailed
        check_patches_used(project)
        built.outputs, built.dumps = crates.outputs, crates.dumps
        self.take_messages(built, messages, emit)
        if not built.outputs:
            raise ProgramError(f"package {project.package} has no kernels", hint="mark a function #[kernel]")
        if built.executable is not None:
            self.cpu_device(rust)
        return built

    def cargo_environment(self, call: rustflags.RustcCall, folder: Path, socket: Path) -> dict[str, str]:
        """Return the environment of the cargo that builds the program."""
        dropped = {"RUSTFLAGS", "RUSTC_BOOTSTRAP", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR"}
        kept = {name: value for name, value in self.environment.variables.items() if name not in dropped}
        return {
            **kept,
            "RUSTC": os.fspath(call.rustc),
            **rustflags.without_wrappers(folder, self.environment),
            "CARGO_ENCODED_RUSTFLAGS": call.encoded,
            "OXIDE_SOCKET": os.fspath(socket),
            "OXIDE_FINGERPRINT": self.fingerprint(),
            # Without it a stable cargo takes no -Z; whatever asks rustc sees it unset.
            **({"RUSTC_BOOTSTRAP": "1"} if self.options.build_std else {}),
        }

    def fingerprint(self) -> str:
        """Return what changes when a kernel may become other code: the options, or oxide itself."""
        sources = sorted(path for path in Path(__file__).parent.rglob("*.py") if path.parent.name != "cli")
        own = (f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in sources)
        return digest(self.options.compile.fingerprint(), *own)

    def cargo(self, command: Sequence[str], project: Project, variables: Mapping[str, str]) -> tuple[int, list[dict[str, Any]]]:
        """Run cargo and return its exit status and its messages. Its own talk goes to stderr."""
        # A group of its own, so that rustc and build scripts end with it.
        child = subprocess.Popen(command, cwd=project.manifest.parent, env=variables, stdout=subprocess.PIPE, process_group=0)
        timer = threading.Timer(WARM_UP_AFTER, self.compiler.warm_up)
        timer.daemon = True
        timer.start()
        messages: list[dict[str, Any]] = []
        try:
            assert child.stdout is not None
            for line in child.stdout:
                if line.startswith(b"{"):
                    messages.append(json.loads(line))
                else:
                    self.ui.talk(line.decode(errors="replace").rstrip("\n"))
            return child.wait(), messages
        finally:
            timer.cancel()
            if child.poll() is None:
                end_group(child)

    def take_messages(self, built: Built, messages: Sequence[Mapping[str, Any]], emit: Collection[str]) -> None:
        """Learn the program from cargo's messages, and what crates that cargo found fresh became before."""
        for message in messages:
            match message["reason"]:
                case "build-script-executed":
                    built.library_folders += [path.rpartition("=")[2] for path in message["linked_paths"]]
                case "compiler-artifact":
                    if message["executable"]:
                        built.executable = Path(message["executable"])
                    for file in map(Path, message["filenames"]):
                        self.take_artifact(built, file, emit)
                case _:
                    pass

    def take_artifact(self, built: Built, file: Path, emit: Collection[str]) -> None:
        """Add what the crates in one of cargo's artifacts became, unless this build compiled them.

        A library keeps its record in an object beside its metadata, a program in itself.
        """
        if file.suffix == ".rmeta":
            file = file.with_name(file.name.removeprefix("lib")).with_suffix(".oxide.o")
        elif file.suffix not in {"", ".so"}:
            return
        try:
            records = artifact.read_records(file) if file.exists() else []
        except InternalError as error:
            raise ProgramError(f"{file} is damaged: {error.message}", hint="`oxide clean` and build again") from None
        for record in records:
            crate, dump = record.text(artifact.Kind.CRATE), Path(record.text(artifact.Kind.DUMP))
            if built.dumps.setdefault(crate, dump) != dump:
                raise ProgramError(TWO_OF_ONE_NAME.format(crate), hint=RENAME_ONE)
            if crate not in built.outputs:
                self.take_dump(built, crate, dump, {"ptx": record.entries[artifact.Kind.PTX]}, emit)

    def take_dump(self, built: Built, crate: str, dump: Path, known: dict[str, bytes], emit: Collection[str]) -> None:
        """Give the kinds of `emit` for a crate that cargo found fresh: what is known, the rest compiled from its dump."""
        for number, what in ((4, "found kernels"), (5, "dumped stable MIR"), (6, "imported"), (7, "lowered"), (8, "exported")):
            self.ui.phase(number, f"{crate}: {what} in an earlier build, nothing has changed")
        missing = set(emit) - set(known)
        if missing:
            try:
                source = dump.read_bytes()
            except OSError:
                raise ProgramError(f"the dump of crate {crate} is gone: {dump}", hint="`oxide clean` and build again") from None
            known = known | self.compiler.compile(source, start="mir-json", emit=missing, name=crate, ours=True)
        built.outputs[crate] = known

    def compile_text(self, text: bytes, *, start: str, kind: str, name: str) -> bytes:
        """Compile a stage's text to `kind`. The CPU image that belongs to a PTX goes to the cache, where the CPU device looks for it."""
        emit = {kind, CPU_IMAGE} if kind == "ptx" else {kind}
        outputs = self.compiler.compile(text, start=start, emit=emit, name=name)
        if CPU_IMAGE in outputs:
            try:
                write_atomically(self.cache.root / "cpu" / f"{content_key(outputs[kind])}.so", outputs[CPU_IMAGE], mode=0o755)
            except MachineError as refused:
                self.ui.say(f"{refused.message}; the CPU device will not run this PTX")
        return outputs[kind]

    def write_outputs(self, built: Built, folder: Path, kinds: Collection[str]) -> list[Path]:
        """Write NAME.KIND for every crate and kind into `folder`; return what was written."""
        return [
            write(folder / f"{crate}{pipeline.STAGE[kind].suffix}", outputs[kind])
            for crate, outputs in built.outputs.items()
            for kind in pipeline.STAGE_NAMES
            if kind in kinds
        ]

    def run(self, built: Built, arguments: Sequence[str]) -> int:
        """Run the program in its folder, with NAME.ptx beside it, and return its exit status."""
        executable = built.executable
        if executable is None:
            raise ProgramError(f"package {built.project.package} has no binary to run", hint="`oxide build` compiles its kernels")
        folder = built.project.run_folder
        for crate, outputs in built.outputs.items():
            write_atomically(folder / f"{crate}.ptx", outputs["ptx"], hint="a program's PTX lies where it runs: copy the project elsewhere")
        variables = dict(self.environment.variables)
        if self.options.device is not None:
            variables["OXIDE_DEVICE"] = self.options.device
        elif self.options.quiet and not toolchain.has_cuda_driver():
            # Chosen, the CPU device is not worth a line.
            variables.setdefault("OXIDE_DEVICE", "cpu")
        if self.options.verbose and not self.environment.logs_info:
            variables["RUST_LOG"] = "info"
        if (device := self.cpu_device(built.rust)) is not None:
            variables.setdefault("OXIDE_CPU_DEVICE", os.fspath(device))
        if built.library_folders:
            variables["LD_LIBRARY_PATH"] = os.pathsep.join([*built.library_folders, variables.get("LD_LIBRARY_PATH", "")]).strip(os.pathsep)
        self.ui.phase(9, f"running {executable}")
        self.compiler.close()
        status = run_program([os.fspath(executable), *arguments], folder, variables)
        if status >= 0:
            return status
        self.ui.ended_by_signal(executable.name, -status)
        return 128 - status

    def cpu_device(self, rust: Rust) -> Path | None:
        """Return the CPU device where programs need it: built now if it is not there, for programs run by hand carry its path."""
        if self.options.device != "cpu" and toolchain.has_cuda_driver():
            return None
        library = cpu_device.path(self.cache)
        if library is not None and not whole_library(library):
            with self.ui.busy("building the CPU device, once"):
                cpu_device.build(rust, self.cache, self.environment.variables)
        return library


class Crates:
    """What the crates of one build send, and what they are answered."""

    def __init__(self, session: Session, folder: Path, emit: Collection[str]) -> None:
        self.session = session
        self.folder = folder
        self.emit = frozenset(emit) | {"ptx", CPU_IMAGE}
        self.outputs: Outputs = {}
        self.dumps: dict[str, Path] = {}
        self.problem: Exception | None = None

    def answer(self, message: Mapping[str, Any]) -> dict[str, object]:
        """Compile the crate that `message` tells of, and return the reply."""
        crate, dump = message["crate"], Path(message["dump"])
        if self.dumps.setdefault(crate, dump) != dump:
            return {
                "type": "diagnostics",
                "diagnostics": [Diagnostic(codes.SAME_CRATE, TWO_OF_ONE_NAME.format(crate), help=(RENAME_ONE,)).to_json()],
            }
        self.session.ui.phase(4, f"{crate}: found kernels and what they reach")
        self.session.ui.phase(5, f"{crate}: dumped stable MIR to {dump}")
        warnings: list[Diagnostic] = []

        def report(remark: Diagnostic) -> None:
            if remark.level == "warning":
                warnings.append(remark)
            else:
                self.session.ui.phase(6, f"{crate}: {remark.message}")

        try:
            outputs = self.session.compiler.compile(
                dump.read_bytes(),
                start="mir-json",
                emit=self.emit,
                name=crate,
                ours=True,
                done=lambda stage: self.tell(crate, stage),
                report=report,
            )
            reply = self.make_artifact(crate, message.get("package") or crate, dump, outputs)
        except Refused as refused:
            return {"type": "diagnostics", "diagnostics": [diagnostic.to_json() for diagnostic in refused.diagnostics]}
        except Exception as problem:
            self.problem = problem
            # Without an error of its own cargo would print rustc's whole command line.
            short = Diagnostic(None, f"oxide could not compile the kernels of crate `{crate}`")
            return {"type": "diagnostics", "diagnostics": [short.to_json()]}
        self.outputs[crate] = outputs
        return reply | {"diagnostics": [warning.to_json() for warning in warnings]}

    def tell(self, crate: str, stage: str) -> None:
        """Tell of the phase that ends with a stage, if one does."""
        if stage in PHASES:
            number, text = PHASES[stage]
            self.session.ui.phase(number, f"{crate}: {text}")

    def make_artifact(self, crate: str, package: str, dump: Path, outputs: Mapping[str, bytes]) -> dict[str, object]:
        """Make the object that joins the crate's link."""
        device = cpu_device.path(self.session.cache)
        entries = [
            (artifact.Kind.PACKAGE, package.encode()),
            (artifact.Kind.CRATE, crate.encode()),
            (artifact.Kind.PTX, outputs["ptx"]),
            *([(artifact.Kind.CPU_IMAGE, outputs[CPU_IMAGE])] if CPU_IMAGE in outputs else []),
            *([(artifact.Kind.CPU_DEVICE, os.fsencode(device))] if device else []),
            (artifact.Kind.DUMP, os.fsencode(dump)),
            (artifact.Kind.TARGET, target_of(outputs["ptx"])),
        ]
        output = self.folder / f"{dump.name.removesuffix('.mir.json')}.o"
        artifact.make_object(artifact.encode(entries), crate=crate, output=output)
        return {"type": "artifact", "object": os.fspath(output)}


def content_key(ptx: bytes) -> str:
    """Return the key in a PTX's first line, as docs/formats.md has it."""
    return ptx.partition(b"\n")[0].removeprefix(b"// oxide ").decode()


def target_of(ptx: bytes) -> bytes:
    """Return the target that a PTX module declares. PTX ISA, "Directives: .target"."""
    declared = next((line for line in ptx.splitlines() if line.startswith(b".target")), b"")
    return declared.removeprefix(b".target").split(b",")[0].strip()


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


def write(path: Path, content: bytes) -> Path:
    """Write one output and return where."""
    write_atomically(path, content)
    return path


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End a child that leads a process group, and all of the group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=2)
        for _ in range(GRACE):
            # Cargo ends at once; a linker needs a moment to remove its temporary files.
            os.killpg(child.pid, 0)
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def run_program(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> int:
    """Run a program in the foreground and return its exit status, negative for a death by signal.

    A signal that someone sends to oxide alone is passed on. What the terminal sends, Ctrl-C, reaches the program by itself, and only the
    program decides what it means.
    """
    child = subprocess.Popen(command, cwd=folder, env=variables)
    watched = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        while child.poll() is None:
            caught = signal.sigwaitinfo(watched)
            if caught.si_signo != signal.SIGCHLD and caught.si_code == SENT_BY_A_PROCESS:
                child.send_signal(caught.si_signo)
    finally:
        if child.poll() is None:
            child.kill()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return child.wait()
