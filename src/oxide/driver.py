"""One run of oxide, from top to bottom: cargo compiles with the backend, each crate is answered, the program runs.

    with Session(options, environment(), here=Path.cwd(), ui=ui) as session:
        built = session.build(project.find("vecadd", here), emit={"ptx"})
        built.outputs["vecadd"]["ptx"]
        status = session.run(built, arguments=["--size", "1000"])

The phases are those of docs/architecture.md. Nothing heavy is imported before cargo has something to compile: a build that changes nothing
costs little more than cargo's own.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from oxide.cache.compiler import Compiler, span_locations
from oxide.cache.files import Cache, write_atomically
from oxide.cache.gpu import gpu_arch
from oxide.dialects.target import target_of
from oxide.errors import Diagnostic, MachineError, ProgramError, Refused, codes
from oxide.errors.ui import CratePhases
from oxide.export import artifact
from oxide.export.artifact import prefixes
from oxide.pipeline import CPU_IMAGE, STAGE_NAMES
from oxide.rust import artifacts, backend_link, cargo, cpu_device, rustflags, scripts
from oxide.rust.dependencies import Dependencies
from oxide.rust.listener import Listener
from oxide.rust.processes import run_program
from oxide.rust.project import check_patches_used, describe, require_writable, script_folder, unresolved
from oxide.rust.toolchain import require_library_source
from oxide.tools import gpu

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from oxide.errors.ui import Ui
    from oxide.options import Environment, Options
    from oxide.rust.project import Place, Project
    from oxide.rust.rustflags import RustcCall
    from oxide.rust.toolchain import Rust

UNFINISHED = frozenset({"nvvm-ir", "ltoir"})
"""The forms of code that are finished where a program is loaded."""

Outputs = dict[str, dict[str, bytes]]
"""What each crate became: crate, kind, bytes. What it became for a further target has the target before its kind: `sm_90a.ptx`."""


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
    crates_of: dict[Path, set[str]] = field(default_factory=dict)
    """The crates with kernels that each package's libraries and programs carry, by the package's manifest."""


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
        """Remove builds of other single files where a new one was built. That a cache cannot be written was reported before."""
        if self.new_script:
            with contextlib.suppress(MachineError):
                scripts.trim(self.cache)

    def prepare(self) -> tuple[Rust, Path]:
        """Find or install a rustc that takes the backend, and link it: phase 1."""
        rust, backend, new = backend_link.find_or_install(self.options, self.environment, self.cache, self.ui.say)
        self.ui.phase(1, f"{'linked' if new else 'checked'} the backend for rustc {rust.release}: {backend}")
        if new:
            self.ui.say(f"linked the backend for rustc {rust.release} at {rust.rustc}")
        return rust, backend

    def choose_target(self) -> None:
        """Check the options against this machine, and choose the GPU's own target where they name none."""
        if self.options.device == "cuda" and not gpu.has_cuda_driver():
            raise MachineError("--device cuda needs a CUDA driver; none was found", hint="omit --device, or use --device cpu")
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

    @contextlib.contextmanager
    def answering(self, plan: Plan, emit: Collection[str], *, apart: bool = False) -> Iterator[tuple[Crates, dict[str, str], Path]]:
        """Listen on the socket: yield what answers there, the variables that cargo is started with, and a temporary folder."""
        with tempfile.TemporaryDirectory(prefix="oxide-") as name:
            folder = Path(name)
            crates = Crates(self.compiler, self.cache, self.ui, folder, emit, apart=apart)
            with Listener(folder, crates.answer) as listener:
                yield (
                    crates,
                    cargo.variables(self.options, self.environment, plan.call, plan.project.manifest.parent, listener.path),
                    folder,
                )

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
        """Let cargo compile what `command` names, while `crates` answers on the socket, and return cargo's messages: phases 3 to 8.

        Raises `BuildFailed` where cargo has shown why, unless it is to keep going and has compiled something.
        """
        self.ui.phase(3, f"spawning {' '.join(command)}")
        project = plan.project
        features = cargo.chosen_features(command)
        dependencies = Dependencies(self.cache, self.environment, plan.rust, plan.call, project, self.options.profile, features)
        saving = self.options.store.use and not self.options.build_std
        if saving:
            dependencies.restore()
        status, messages = cargo.run(
            command,
            project.manifest.parent,
            variables,
            warm_up=self.compiler.warm_up,
            talk=self.ui.talk,
            warnings=warnings and not self.options.quiet,
            errors=errors,
            data=self.ui.data,
        )
        if saving:
            dependencies.save(messages)
        if crates.problem is not None:
            raise crates.problem
        if status != 0:
            # With `errors`, who reads those shows them.
            if errors is None and project.patches and not cargo.has_compiled(messages):
                raise unresolved(project)
            if cargo.KEEP_GOING not in command or not cargo.has_compiled(messages):
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
        """Build the program at `place`, or with cargo's `--workspace` all packages of its workspace, and return what every crate with
        kernels became, in the kinds of `emit`.

        With `instances`, those of generic kernels, by path and arguments, are compiled in place of the kernels that there are; without one
        among them, those, and the dump lists generic ones too. Cargo writes to `errors` in place of stderr.

        Raises `BuildFailed` where cargo has shown why, and `ProgramError` where there is no kernel.
        """
        plan = self.plan(place, package, whole=cargo.WORKSPACE in cargo_arguments)
        chosen = ["--bin", plan.project.binary_to_run(binary)] if runs or binary is not None else []
        built = Built(plan.rust, plan.project, executable=None)
        one_at_a_time = self.cache.lock(f"script-{plan.project.package}") if place.script is not None else contextlib.nullcontext()
        with one_at_a_time, self.answering(plan, emit) as (crates, variables, _):
            variables |= cargo.asking_for(instances, variables) if instances is not None else {}
            command = cargo.command(self.options, plan.rust, plan.project, "build", *cargo_arguments, *chosen)
            built.messages = self.compile_crates(plan, command, variables, crates, errors=errors)
            crates.take_fresh(built)
            if place.script is not None and built.executable is not None:
                # Cargo puts the programs of all files of one name in one place.
                built.executable = artifacts.link_to(built.executable, plan.project.manifest.parent / "program")
            if not crates.outputs and instances is None:
                crates.take_libraries(built)
        built.outputs, built.dumps = crates.outputs, crates.dumps
        if not built.outputs and not cargo.failed(built.messages):
            raise ProgramError(
                f"{'workspace' if plan.project.whole else 'package'} {plan.project.package} has no kernels",
                hint="mark a function #[kernel]; or, in a library (`lib` or `rlib`), functions #[device] for other device code to call",
            )
        if built.executable is not None or built.loadable:
            cpu_device.prepare(self.options, self.environment, plan.rust, self.ui)
        return built

    def ptx_folder(self, built: Built) -> Path:
        """Return where NAME.ptx goes: where the options say, else where the program runs."""
        return built.project.run_folder if self.options.ptx_dir is None else self.here / self.options.ptx_dir

    def run(
        self, built: Built, arguments: Sequence[str], *, under: Sequence[str] = (), watch: Callable[[bytes], None] | None = None
    ) -> int:
        """Run the program in its folder, with NAME.ptx beside it, and return its exit status: phase 9.

        It is started by the command `under`, where one is given. `watch` is given each line that it writes to stderr.
        """
        executable = built.executable
        if executable is None:
            raise ProgramError(f"package {built.project.package} has no binary to run", hint="`oxide build` compiles its kernels")
        hint = "a program's PTX is written where it runs: copy the project elsewhere"
        for crate, outputs in built.outputs.items():
            write_atomically(self.ptx_folder(built) / f"{crate}.ptx", outputs["ptx"], hint=hint)
        variables = {**self.environment.variables, **cpu_device.run_variables(self.options, self.environment, built.rust, self.ui)}
        if built.library_folders:
            variables["LD_LIBRARY_PATH"] = os.pathsep.join([*built.library_folders, variables.get("LD_LIBRARY_PATH", "")]).strip(os.pathsep)
        self.ui.phase(9, f"running {executable}")
        self.compiler.close()
        status = run_program([*under, os.fspath(executable), *arguments], built.project.run_folder, variables, watch)
        if status >= 0:
            return status
        self.ui.ended_by_signal(executable.name, -status)
        return 128 - status


class Crates:
    """What the crates of one build send over the socket, and what they are answered: an object that joins the link, or diagnostics."""

    def __init__(self, compiler: Compiler, cache: Cache, ui: Ui, folder: Path, emit: Collection[str], *, apart: bool = False) -> None:
        self.compiler = compiler
        self.cache = cache
        self.ui = ui
        self.folder = folder
        self.apart = apart
        """Whether two crates may have one name, since each goes into a program of its own: a library, and the library with its tests."""
        self.asked = frozenset(emit)
        options = compiler.options
        self.carried = (options.code, *(("cubin",) if options.cubin else ()))
        """What a program carries for each target."""
        self.code = frozenset({"ptx", *self.carried} - UNFINISHED)
        """What of that the compiler makes, and PTX."""
        self.outputs: Outputs = {}
        self.dumps: dict[str, Path] = {}
        self.problem: Exception | None = None

    def answer(self, message: Mapping[str, Any]) -> dict[str, object]:
        """Compile the crate whose dump `message` names, and return the reply: phases 4 to 8."""
        crate, dump = message["crate"], Path(message["dump"])
        if (other := self.dumps.setdefault(crate, dump)) != dump and not self.apart:
            same_name = artifacts.two_of_one_name(crate, other, dump)
            return diagnostics(Diagnostic(codes.SAME_CRATE, same_name, help=(artifacts.RENAME_ONE,)))
        self.ui.phase(4, f"{crate}: found kernels and what they reach")
        self.ui.phase(5, f"{crate}: dumped stable MIR to {dump}")
        warnings: list[Diagnostic] = []
        try:
            outputs = self.compile(crate, dump.read_bytes(), self.asked | self.code | {CPU_IMAGE}, warnings.append)
            made = self.make_artifact(crate, message.get("package") or crate, dump, outputs)
        except Refused as refused:
            return diagnostics(*refused.diagnostics)
        except Exception as problem:
            self.problem = problem
            # Without an error of its own cargo would print rustc's whole command line.
            return diagnostics(Diagnostic(None, f"oxide could not compile the kernels of crate `{crate}`"))
        self.outputs[crate] = outputs
        return {"type": "artifact", "object": os.fspath(made), "diagnostics": [warning.to_json() for warning in warnings]}

    def compile(self, crate: str, source: bytes, emit: Collection[str], warn: Callable[[Diagnostic], None]) -> dict[str, bytes]:
        """Compile a dump to the kinds of `emit`, and to code for each further target."""
        options, further, phases = self.compiler.options, self.compiler.options.further_archs, CratePhases(self.ui, crate)
        outputs = self.compiler.compile(
            source,
            start=STAGE_NAMES[0],
            emit=emit,
            name=crate,
            ours=True,
            done=phases.done,
            report=lambda remark: warn(remark) if remark.level == "warning" else phases.note(remark),
            found=phases.found,
            further=further,
        )
        if options.code in UNFINISHED:
            archs = [target_of(ptx.decode()) for ptx in (outputs[f"{prefix}ptx"] for prefix in prefixes(further))]
            code = self.compiler.unfinished(source, options.code, archs, crate)
            outputs |= {f"{prefix}{options.code}": made for prefix, made in zip(prefixes(further), code, strict=True)}
        phases.further(further)
        return outputs

    def make_artifact(self, crate: str, package: str, dump: Path, outputs: Mapping[str, bytes]) -> Path:
        """Make the object that joins the crate's link, and return where it is."""
        options = self.compiler.options
        code = artifact.code_of(outputs, options.further_archs, self.carried)
        finished = options.compile if options.code in UNFINISHED else None
        record = artifact.record(package, crate, dump, code, finished, outputs.get(CPU_IMAGE), cpu_device.path(self.cache))
        output = self.folder / f"{dump.name.removesuffix('.mir.json')}.o"
        artifact.make_object(record, crate=crate, output=output)
        return output

    def take_fresh(self, built: Built) -> None:
        """Learn the program from cargo's messages, and what crates became that cargo found fresh."""
        for message in built.messages:
            if message["reason"] == "build-script-executed":
                built.library_folders += [path.rpartition("=")[2] for path in message["linked_paths"]]
            elif message["reason"] == "compiler-artifact":
                built.executable = Path(message["executable"]) if message["executable"] else built.executable
                built.loadable |= not {"cdylib", "dylib"}.isdisjoint(message["target"]["kind"])
                for record in (record for file in message["filenames"] for record in artifacts.records_of(Path(file))):
                    self.take_record(record)
                    built.crates_of.setdefault(Path(message["manifest_path"]), set()).add(record.text(artifact.Kind.CRATE))

    def take_record(self, record: artifact.Record) -> None:
        """Add what a crate became, unless this build compiled it; what its record lacks is compiled from its dump."""
        crate, dump = record.text(artifact.Kind.CRATE), Path(record.text(artifact.Kind.DUMP))
        if (other := self.dumps.setdefault(crate, dump)) != dump:
            raise ProgramError(artifacts.two_of_one_name(crate, other, dump), hint=artifacts.RENAME_ONE)
        if crate in self.outputs:
            return
        CratePhases(self.ui, crate).fresh()
        known = artifact.outputs_of(record)
        if missing := self.asked - set(known):
            try:
                source = dump.read_bytes()
            except OSError:
                raise ProgramError(f"the dump of crate {crate} does not exist: {dump}", hint="`oxide clean` and build again") from None
            known |= self.compiler.compile(source, start=STAGE_NAMES[0], emit=missing, name=crate, ours=True)
        self.outputs[crate] = known

    def take_libraries(self, built: Built) -> None:
        """Compile the packages that are meant where they are device libraries."""
        for manifest, crate, dump in artifacts.device_libraries(built.messages, built.project.members):
            built.crates_of.setdefault(manifest, set()).add(crate)
            self.ui.phase(4, f"{crate}: a device library")
            self.ui.phase(5, f"{crate}: dumped stable MIR to {dump}")
            source = dump.read_bytes()
            self.dumps[crate] = dump
            warn = partial(self.ui.show_diagnostic, places=span_locations(source))
            self.outputs[crate] = self.compile(crate, source, self.asked | self.code, warn)


def diagnostics(*found: Diagnostic) -> dict[str, object]:
    """Return the reply that makes rustc show diagnostics and fail."""
    return {"type": "diagnostics", "diagnostics": [diagnostic.to_json() for diagnostic in found]}
