"""The pipeline with its LLVM worker, as long as one command lasts.

compiler = Compiler(options, cache)
compiler.compile(dump, start="mir-json", emit={"ptx"}, name="vecadd")["ptx"]
"""

from __future__ import annotations

import contextlib
import importlib
import tempfile
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from oxide import pipeline
from oxide.cache import digest, write_atomically
from oxide.errors import InternalError, MachineError, ProgramError, UsageError, machine_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from oxide.cache import Cache
    from oxide.errors import Diagnostic
    from oxide.export.worker import LlvmWorker
    from oxide.options import Options

MIDDLE = ("oxide.mir_import", "oxide.lower.to_nvvm", "oxide.lower.to_llvm", "oxide.export.llvm_ir", "oxide.export.ptx")
"""What compiling imports."""


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
