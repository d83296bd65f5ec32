"""The pipeline with its LLVM worker, as long as one command lasts.

compiler = Compiler(options, environment, cache, warn=ui.warning)
compiler.compile(dump, start="mir-json", emit={"ptx"}, name="vecadd")["ptx"]

What was compiled before, by this machine or another that shares a remote store, is found in the store and not compiled again.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import shlex
import tempfile
import threading
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from oxide import pipeline
from oxide.cache.files import MAX_BUG_REPORTS, MAX_IMAGE_BYTES, digest, image_path, trim_files, trim_folders, write_entry
from oxide.cache.remote import open_store
from oxide.cache.store import KINDS, Store
from oxide.errors import (
    AssemblerRefused,
    Diagnostic,
    InternalError,
    MachineError,
    Note,
    ProgramError,
    Refused,
    UsageError,
    codes,
    machine_fault,
)
from oxide.options import CompileOptions
from oxide.pipeline import CPU_IMAGE
from oxide.tools import packages

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from oxide.cache.files import Cache
    from oxide.cache.keys import Recipe
    from oxide.errors import OxideError
    from oxide.export.inline_ptx import PtxError
    from oxide.export.worker import LlvmWorker
    from oxide.options import Environment, Options

Made = TypeVar("Made")

MIDDLE = ("oxide.mir_import", "oxide.lower.to_nvvm", "oxide.lower.to_llvm", "oxide.export.llvm_ir", "oxide.export.ptx")
"""What compiling imports."""

REMARKS = "remarks"
"""The kind of entry that holds what was said of a program."""


@dataclass(frozen=True)
class Work:
    """What is compiled: a stage's text, `ours` where the backend has just written it, and the options that hold for it."""

    source: bytes
    start: str
    name: str
    ours: bool
    options: CompileOptions

    def for_target(self, arch: str) -> Work:
        """Return the same for another target."""
        return replace(self, options=replace(self.options, arch=arch))


@dataclass(frozen=True)
class Progress:
    """What is called while something is compiled: with each stage reached, each remark on the program, and the kinds that the store had."""

    done: Callable[[str], None]
    report: Callable[[Diagnostic], None]
    found: Callable[[Collection[str]], None]


class Compiler:
    """The pipeline with its LLVM worker, started when first needed and shared by every crate of a build."""

    def __init__(
        self,
        options: Options,
        environment: Environment,
        cache: Cache,
        warn: Callable[[str], None] = lambda _: None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.options = options
        self.environment = environment
        self.cache = cache
        self.say = say
        self.warn = warn
        self.store: Store | None = open_store(cache.root, options.store, warn) if options.store.use else None
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
        found: Callable[[Collection[str]], None] = lambda _: None,
        arch: str | None = None,
        further: Sequence[str] = (),
    ) -> dict[str, bytes]:
        """Take `source` from stage `start` to every kind of `emit`, for `arch` or else the target that the options name; `ours`, `done` and
        `report` are as the pipeline has them.

        For each target of `further` it becomes PTX, and a cubin where `emit` has one: `sm_90a.ptx`, `sm_90a.cubin`. `found` is called with
        the kinds that the store had; no stage is run then. What goes wrong inside and is not the program's fault is raised as
        `InternalError`, with a folder that reproduces it.
        """
        options = self.options.compile if arch is None else replace(self.options.compile, arch=arch)
        work = Work(source, start, name, ours, options)
        progress = Progress(done, report, found)
        if "cubin" not in emit or start == "ptx":
            return self.with_packages(lambda: self.compile_once(work, emit, further, progress))
        # A cubin is stored by the PTX that it is assembled from.
        before = (set(emit) - {"cubin"}) | {"ptx"}
        outputs = self.with_packages(lambda: self.compile_once(work, before, further, progress))
        cubins = {f"{prefix}cubin": self.assemble(work, outputs[f"{prefix}ptx"], progress) for prefix in ("", *(f"{a}." for a in further))}
        kept = {kind: content for kind, content in outputs.items() if kind in emit or kind not in before}
        return kept | cubins

    def assemble(self, work: Work, ptx: bytes, progress: Progress) -> bytes:
        """Return the cubin of a PTX that `work` became."""
        assembled = replace(work, source=ptx, start="ptx", ours=True)
        try:
            return self.with_packages(lambda: self.compile_once(assembled, {"cubin"}, (), replace(progress, report=lambda _: None)))[
                "cubin"
            ]
        except AssemblerRefused as refused:
            raise self.attributed(refused, ptx, work) from refused

    def unfinished(self, source: bytes, form: str, archs: Iterable[str], name: str) -> Iterator[bytes]:
        """Yield the code for each target in the `form` that is finished where a program is loaded: `nvvm-ir` or `ltoir`."""
        from oxide.export.ltoir import find_library, to_ltoir

        ll = self.compile(source, start=pipeline.STAGE_NAMES[0], emit={"ll"}, name=name, ours=True)["ll"]
        for arch in archs:
            yield ll if form == "nvvm-ir" else to_ltoir(ll.decode(), arch, self.options.compile, self.with_packages(find_library))

    def compile_text(self, text: bytes, *, start: str, kind: str, name: str) -> bytes:
        """Compile a stage's text to `kind`. The CPU image that belongs to a PTX goes to the cache, where the CPU device looks for it."""
        outputs = self.compile(text, start=start, emit={kind, CPU_IMAGE} if kind == "ptx" else {kind}, name=name)
        if CPU_IMAGE in outputs:
            try:
                write_entry(image_path(self.cache, outputs[kind]), outputs[CPU_IMAGE], mode=0o755)
                trim_files(self.cache.root / "cpu", MAX_IMAGE_BYTES)
            except MachineError as refused:
                self.warn(f"{refused.message}; the CPU device will not run this PTX")
        return outputs[kind]

    def with_packages(self, work: Callable[[], Made]) -> Made:
        """Do what may need a package of NVIDIA's, and install that where it is missing."""
        return packages.with_packages(work, self.options, self.environment, self.cache.lock, self.say)

    def compile_once(self, work: Work, emit: Collection[str], further: Sequence[str], progress: Progress) -> dict[str, bytes]:
        """Compile with the packages that are here. What decides the code is looked at again where one was installed."""
        with self.lock, adding_locations(work.source, work.start):
            recipes = {arch: self.recipe(work.for_target(arch), {"ptx"}) for arch in further}
            stored = {arch: self.stored(recipe, {"ptx"}, lambda _: None) for arch, recipe in recipes.items()}
            outputs = {f"{arch}.ptx": kinds["ptx"] for arch, kinds in stored.items() if kinds is not None}
            missing = [arch for arch, kinds in stored.items() if kinds is None]
            recipe = self.recipe(work, emit)
            known = self.stored(recipe, emit, progress.report)
            if known is not None:
                outputs |= known
                progress.found(known)
            if known is not None and not missing:
                return outputs
            remarks: list[Diagnostic] = []

            def remark(diagnostic: Diagnostic) -> None:
                remarks.append(diagnostic)
                if known is None:
                    progress.report(diagnostic)

            try:
                made = pipeline.compile(
                    work.source,
                    start=work.start,
                    emit=emit if known is None else (),
                    options=work.options,
                    worker=self.start(),
                    name=work.name,
                    ours=work.ours,
                    done=progress.done,
                    report=remark,
                    further=missing,
                )
            except (ProgramError, UsageError, MachineError, AssemblerRefused):
                raise
            except Exception as error:
                if isinstance(error, OSError) and (fault := machine_fault(error)) is not None:
                    raise fault from error
                raise self.bug(error, work, emit) from error
            if known is None:
                self.keep(recipe, {kind: content for kind, content in made.items() if kind in emit}, remarks)
            for arch in missing:
                self.keep(recipes[arch], {"ptx": made[f"{arch}.ptx"]}, remarks)
            return outputs | made

    def recipe(self, work: Work, emit: Collection[str]) -> Recipe | None:
        """Return what decides `emit`, or None where it is not stored: stages between, which are quick to make, and another LLVM's work."""
        if self.store is None or not set(emit) <= set(KINDS) or work.options.llc is not None:
            return None
        from oxide.cache.keys import Recipe

        return Recipe.of(work.source, work.start, work.options, self.cache, self.environment)

    def stored(self, recipe: Recipe | None, emit: Collection[str], report: Callable[[Diagnostic], None]) -> dict[str, bytes] | None:
        """Return every kind of `emit`, and report again what was reported when it was compiled, if the store has it all."""
        if recipe is None:
            return None
        from oxide.cache.keys import unpack_remarks

        assert self.store is not None
        outputs: dict[str, bytes] = {}
        for kind in (*sorted(emit), REMARKS):
            content = self.store.find(kind, recipe.keys(kind))
            if content is None:
                return None
            outputs[kind] = content
        for diagnostic in unpack_remarks(outputs.pop(REMARKS)):
            report(diagnostic)
        return outputs

    def keep(self, recipe: Recipe | None, outputs: dict[str, bytes], remarks: list[Diagnostic]) -> None:
        """Store what was made, and what was reported meanwhile."""
        if recipe is None:
            return
        from oxide.cache.keys import pack_remarks

        assert self.store is not None
        for kind, content in (*outputs.items(), (REMARKS, pack_remarks(remarks))):
            self.store.put(kind, recipe.key_of(kind, content), content)

    def attributed(self, refused: AssemblerRefused, ptx: bytes, work: Work) -> OxideError:
        """Return the error for a PTX that ptxas refuses: the program's where it is for its own inline PTX, or else ours."""
        from oxide.export.inline_ptx import inline_ptx_errors

        found = inline_ptx_errors(ptx.decode(), refused.report)
        if found is None:
            return self.bug(refused, replace(work, source=ptx, start="ptx"), {"cubin"})
        if work.options.debug_info == "none":
            found = self.errors_with_lines(work) or found
        if work.start != pipeline.STAGE_NAMES[0]:
            places = (f"{error.file}:{error.line}:{error.column}: " if error.file else "" for error in found)
            lines = "\n".join(f"{place}{error.message}" for place, error in zip(places, found, strict=True))
            return UsageError(f"ptxas refuses inline PTX of the {work.start} text: {lines}")
        spans = json.loads(work.source)["spans"]
        numbers = {(span["file"], span["line"], span["column"]): number for number, span in reversed(list(enumerate(spans)))}
        return Refused(
            [
                Diagnostic(
                    codes.ASSEMBLY_TEXT,
                    f"ptxas refuses this inline PTX: {error.message}",
                    numbers.get((error.file, error.line, error.column)),
                    notes=(Note(f"it reads `{error.text}`"),),
                    help=(error.help,),
                )
                for error in found
            ],
            span_locations(work.source),
        )

    def errors_with_lines(self, work: Work) -> list[PtxError] | None:
        """Return the errors of ptxas for the PTX compiled once more, with line information."""
        from oxide.export.inline_ptx import inline_ptx_errors

        with self.lock:
            options = replace(work.options, debug_info="lines")
            worker = self.start()
            text = pipeline.compile(
                work.source, start=work.start, emit={"ptx"}, options=options, worker=worker, name=work.name, ours=work.ours
            )["ptx"]
            try:
                pipeline.compile(text, start="ptx", emit={"cubin"}, options=options, worker=worker, name=work.name, ours=True)
            except AssemblerRefused as again:
                return inline_ptx_errors(text.decode(), again.report)
        return None

    def bug(self, error: Exception, work: Work, emit: Collection[str]) -> InternalError:
        """Keep what reproduces our own failure, and return the error that says where."""
        suffix = pipeline.STAGE[work.start].suffix
        try:
            trim_folders(self.cache.folder("bugs"), MAX_BUG_REPORTS - 1)
            folder = self.cache.folder("bugs", digest(work.source, traceback.format_exc())[:16])
        except MachineError:
            folder = Path(tempfile.mkdtemp(prefix="oxide-bug-"))
        write_entry(folder / f"{work.name}{suffix}", work.source)
        write_entry(folder / "traceback.txt", "".join(traceback.format_exception(error)).encode())
        last = [stage for stage in pipeline.STAGE_NAMES if stage in emit]
        # The CPU device's code is made beside PTX, and has the checks.
        to = "ptx" if CPU_IMAGE in emit or not last else last[-1]
        stages = ["--from", str(folder / f"{work.name}{suffix}"), "--to", to]
        checks = ["--check", ",".join(work.options.check)] if work.options.check and to == "ptx" else []
        command = shlex.join(["oxide", "compile", *stages, *flags_of(work.options), *checks])
        message = error.message if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
        stage = error.stage if isinstance(error, InternalError) else None
        return InternalError(
            message, stage=stage, hint=f"this is a bug in oxide; `{command}` reproduces it, and {folder} holds all that a report needs"
        )

    def close(self) -> None:
        """End the worker."""
        if self.worker is not None:
            self.worker.close()
            self.worker = None


def flags_of(options: CompileOptions) -> list[str]:
    """Return the arguments of `oxide compile` that choose these options, without those for checks of accesses."""
    flags = {"--no-fmad": not options.fmad, "--fast-math": options.fast_math}
    flags |= {"--lineinfo": options.debug_info == "lines", "-g": options.debug_info == "full"}
    values = {"--arch": options.arch, "--ptx-version": options.ptx_version, "--llc": options.llc, "--libdevice": options.libdevice}
    level = [] if options.opt_level == CompileOptions.opt_level else ["--opt-level", str(options.opt_level)]
    given = [word for flag, value in values.items() if value is not None for word in (flag, str(value))]
    return [*given, *level, *(flag for flag, chosen in flags.items() if chosen)]


@contextlib.contextmanager
def adding_locations(source: bytes, start: str) -> Iterator[None]:
    """Add to a refusal of a dump where its spans lie."""
    try:
        yield
    except Refused as refused:
        if start == pipeline.STAGE_NAMES[0]:
            refused.places = span_locations(source)
        raise


def span_locations(dump: bytes) -> list[str]:
    """Return where each span of a dump lies: `src/main.rs:7:5`."""
    return [f"{span['file']}:{span['line']}:{span['column']}" for span in json.loads(dump)["spans"]]
