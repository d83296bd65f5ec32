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
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from oxide import pipeline
from oxide.cache.files import BUGS_KEPT, digest, trim_folders, write_entry
from oxide.cache.store import KINDS, Store, open_store
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
from oxide.tools import packages

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from oxide.cache.files import Cache
    from oxide.cache.keys import Recipe
    from oxide.errors import OxideError
    from oxide.export.worker import LlvmWorker
    from oxide.options import Environment, Options

Made = TypeVar("Made")

MIDDLE = ("oxide.mir_import", "oxide.lower.to_nvvm", "oxide.lower.to_llvm", "oxide.export.llvm_ir", "oxide.export.ptx")
"""What compiling imports."""


REMARKS = "remarks"
"""The kind of entry that holds what was said of a program."""


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
    ) -> dict[str, bytes]:
        """Take `source` from stage `start` to every kind of `emit`, for `arch` or else the target that the options name; `ours`, `done` and
        `report` are as the pipeline has them.

        `found` is told of the kinds that the store had; no stage is done then. What goes wrong inside and is not the program's fault comes
        back as `InternalError`, with a folder that repeats it.
        """
        if "cubin" in emit and start != "ptx":
            # A cubin is stored by the PTX that it is assembled from.
            before = (set(emit) - {"cubin"}) | {"ptx"}
            outputs = self.compile(source, start=start, emit=before, name=name, ours=ours, done=done, report=report, found=found, arch=arch)
            try:
                outputs |= self.compile(
                    outputs["ptx"], start="ptx", emit={"cubin"}, name=name, ours=True, done=done, found=found, arch=arch
                )
            except AssemblerRefused as refused:
                raise self.blamed(refused, outputs["ptx"], source, start, name, ours, arch) from refused
            return {kind: outputs[kind] for kind in emit}
        return self.with_packages(lambda: self.compile_once(source, start, emit, name, ours, done, report, found, arch))

    def with_packages(self, work: Callable[[], Made]) -> Made:
        """Do what may need a package of NVIDIA's, and install that where it is missing."""
        return packages.with_packages(work, self.options, self.environment, self.cache.lock, self.say)

    def compile_once(
        self,
        source: bytes,
        start: str,
        emit: Collection[str],
        name: str,
        ours: bool,
        done: Callable[[str], None],
        report: Callable[[Diagnostic], None],
        found: Callable[[Collection[str]], None],
        arch: str | None,
    ) -> dict[str, bytes]:
        """Compile with the packages that are here. What decides the code is looked at again where one was installed."""
        options = self.options.compile if arch is None else replace(self.options.compile, arch=arch)
        with self.lock, telling_places(source, start):
            recipe = self.recipe(source, start, emit, options)
            if recipe is not None and (stored := self.stored(recipe, emit, report)) is not None:
                found(stored)
                return stored
            remarks: list[Diagnostic] = []

            def remark(diagnostic: Diagnostic) -> None:
                remarks.append(diagnostic)
                report(diagnostic)

            try:
                worker = self.start()
                made = pipeline.compile(
                    source, start=start, emit=emit, options=options, worker=worker, name=name, ours=ours, done=done, report=remark
                )
            except (ProgramError, UsageError, MachineError, AssemblerRefused):
                raise
            except Exception as error:
                if isinstance(error, OSError) and (fault := machine_fault(error)) is not None:
                    raise fault from error
                raise self.bug(error, source, start, emit, name, options) from error
            if recipe is not None:
                self.keep(recipe, made, remarks)
            return made

    def recipe(self, source: bytes, start: str, emit: Collection[str], options: CompileOptions) -> Recipe | None:
        """Return what decides `emit`, or None where it is not stored: stages between, which are quick to make, and another LLVM's work."""
        if self.store is None or not set(emit) <= set(KINDS) or options.llc is not None:
            return None
        from oxide.cache.keys import Recipe

        return Recipe.of(source, start, options, self.cache, self.environment)

    def stored(self, recipe: Recipe, emit: Collection[str], report: Callable[[Diagnostic], None]) -> dict[str, bytes] | None:
        """Return every kind of `emit`, and repeat what was said when it was compiled, if the store has it all."""
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

    def keep(self, recipe: Recipe, outputs: dict[str, bytes], remarks: list[Diagnostic]) -> None:
        """Store what was made, and what was said meanwhile."""
        from oxide.cache.keys import pack_remarks

        assert self.store is not None
        for kind, content in (*outputs.items(), (REMARKS, pack_remarks(remarks))):
            self.store.put(kind, recipe.key_of(kind, content), content)

    def blamed(
        self, refused: AssemblerRefused, ptx: bytes, source: bytes, start: str, name: str, ours: bool, arch: str | None
    ) -> OxideError:
        """Return the error for a PTX that ptxas refuses: the program's where it is for its own inline PTX, or else ours."""
        from oxide.export.inline_ptx import complaints

        options = self.options.compile if arch is None else replace(self.options.compile, arch=arch)
        if complaints(ptx.decode(), refused.report) is None:
            return self.bug(refused, ptx, "ptx", {"cubin"}, name, options)
        # The same once more, with the lines that it is from.
        with self.lock:
            lines = replace(options, debug_info="lines") if options.debug_info == "none" else options
            text = pipeline.compile(source, start=start, emit={"ptx"}, options=lines, worker=self.start(), name=name, ours=ours)["ptx"]
            try:
                pipeline.compile(text, start="ptx", emit={"cubin"}, options=lines, worker=self.start(), name=name, ours=True)
            except AssemblerRefused as again:
                ptx, refused = text, again
        found = complaints(ptx.decode(), refused.report) or []
        if start != pipeline.STAGE_NAMES[0]:
            places = (f"{complaint.file}:{complaint.line}:{complaint.column}: " if complaint.file else "" for complaint in found)
            told = "\n".join(f"{place}{complaint.message}" for place, complaint in zip(places, found, strict=True))
            return UsageError(f"ptxas refuses inline PTX of the {start} text: {told}")
        spans = json.loads(source)["spans"]
        numbers = {(span["file"], span["line"], span["column"]): number for number, span in reversed(list(enumerate(spans)))}
        return Refused(
            [
                Diagnostic(
                    codes.ASSEMBLY_TEXT,
                    f"ptxas refuses this inline PTX: {complaint.message}",
                    numbers.get((complaint.file, complaint.line, complaint.column)),
                    notes=(Note(f"it reads `{complaint.text}`"),),
                    help=(complaint.help,),
                )
                for complaint in found
            ],
            places_of(source),
        )

    def bug(self, error: Exception, source: bytes, start: str, emit: Collection[str], name: str, options: CompileOptions) -> InternalError:
        """Keep what repeats our own failure, and return the error that says where."""
        suffix = pipeline.STAGE[start].suffix
        try:
            trim_folders(self.cache.folder("bugs"), BUGS_KEPT - 1)
            folder = self.cache.folder("bugs", digest(source, traceback.format_exc())[:16])
        except MachineError:
            folder = Path(tempfile.mkdtemp(prefix="oxide-bug-"))
        write_entry(folder / f"{name}{suffix}", source)
        write_entry(folder / "traceback.txt", "".join(traceback.format_exception(error)).encode())
        last = [stage for stage in pipeline.STAGE_NAMES if stage in emit]
        stages = ["--from", str(folder / f"{name}{suffix}"), "--to", last[-1] if last else "ptx"]
        command = shlex.join(["oxide", "compile", *stages, *flags_of(options)])
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


def flags_of(options: CompileOptions) -> list[str]:
    """Return the arguments of `oxide compile` that choose these options. It has none for checks of accesses."""
    flags = {"--no-fmad": not options.fmad, "--fast-math": options.fast_math}
    flags |= {"--lineinfo": options.debug_info == "lines", "-g": options.debug_info == "full"}
    values = {"--arch": options.arch, "--ptx-version": options.ptx_version, "--llc": options.llc, "--libdevice": options.libdevice}
    level = [] if options.opt_level == CompileOptions.opt_level else ["--opt-level", str(options.opt_level)]
    given = [word for flag, value in values.items() if value is not None for word in (flag, str(value))]
    return [*given, *level, *(flag for flag, chosen in flags.items() if chosen)]


@contextlib.contextmanager
def telling_places(source: bytes, start: str) -> Iterator[None]:
    """Add to a refusal of a dump where its spans lie."""
    try:
        yield
    except Refused as refused:
        if start == pipeline.STAGE_NAMES[0]:
            refused.places = places_of(source)
        raise


def places_of(dump: bytes) -> list[str]:
    """Return where each span of a dump lies: `src/main.rs:7:5`."""
    return [f"{span['file']}:{span['line']}:{span['column']}" for span in json.loads(dump)["spans"]]
