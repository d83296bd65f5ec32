"""The stages, one table: what each is called, how it comes from the one before, how it reads and prints.

    outputs = compile(dump, start="mir-json", emit={"ll", "ptx"}, options=options, worker=worker, name="vecadd")

A stage's name is what `--emit` takes and its suffix is its files' ending. Any stage but the last can be started from.
"""

from __future__ import annotations

import contextlib
import gc
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from oxide.errors import Diagnostic
    from oxide.export.worker import LlvmWorker
    from oxide.ir import Module
    from oxide.options import CompileOptions


@dataclass(frozen=True, slots=True)
class Context:
    """What every stage may ask for."""

    options: CompileOptions
    worker: LlvmWorker
    name: str
    report: Callable[[Diagnostic], None]
    uses: dict[str, str] = field(default_factory=dict)
    """What each function of libdevice is called in the program, and where, once that is imported."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One form of a program."""

    name: str
    suffix: str
    make: Callable[[Any, Context], Any]
    """From the stage before."""
    parse: Callable[[bytes, Context], Any]
    show: Callable[[Any], bytes]
    dialects: frozenset[str] = frozenset()
    """The dialects that a module of this stage holds; none where it is no module."""


def same(value: Any, _context: Context) -> Any:
    """Return the value as it is."""
    return value


def decode(text: bytes, _context: Context) -> str:
    """Read a text; raise `UsageError` where it is none."""
    from oxide.errors import UsageError

    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"the stage file is not text: {error}") from None


def make_mir(dump: bytes, context: Context) -> Module:
    """Import a dump."""
    from oxide.mir_import import import_dump

    return import_dump(dump, context.report, context.options.arch, fast_math=context.options.fast_math, uses=context.uses)


def make_nvvm(module: Module, context: Context) -> Module:
    """Replace the calls of device operations."""
    from oxide.lower.to_nvvm import to_nvvm

    return to_nvvm(module, context.options)


def make_llvm(module: Module, context: Context) -> Module:
    """Lower to LLVM's dialect."""
    from oxide.lower.to_llvm import to_llvm

    return to_llvm(module, context.options)


def make_ll(module: Module, context: Context) -> str:
    """Write LLVM IR."""
    from oxide.export.llvm_ir import to_ll

    ll = to_ll(module, places=bool(context.options.check), debug_info=context.options.debug_info)
    if context.options.check:
        # What is checked are the accesses that were written.
        return ll
    from oxide.export.unroll import unrolled

    return unrolled(ll, module, context.options, context.worker, context.report)


def make_ptx(ll: str, context: Context) -> str:
    """Run LLVM."""
    from oxide.export.ptx import to_ptx

    return to_ptx(ll, context.options, context.worker, context.uses)


def make_cubin(ptx: str, _context: Context) -> bytes:
    """Run ptxas."""
    from oxide.export.ptxas import to_cubin

    return to_cubin(ptx)


def parse_module(stage: str) -> Callable[[bytes, Context], Module]:
    """Return the reader of a stage's text."""

    def parse(text: bytes, context: Context) -> Module:
        from oxide.dialects import llvm, llvm_form, mir, nvvm  # noqa: F401 - the ops that a text may hold
        from oxide.errors import UsageError
        from oxide.ir import VerifyError, verify
        from oxide.ir.parser import parse_module

        module = parse_module(decode(text, context), stage)
        try:
            verify(module, STAGE[stage].dialects)
        except VerifyError as error:
            raise UsageError(str(error)) from None
        return module

    return parse


def show_module(module: Module) -> bytes:
    """Print a module."""
    from oxide.dialects import llvm_form  # noqa: F401 - how the last of the modules prints
    from oxide.ir.printer import print_module

    return print_module(module).encode()


STAGES = (
    Stage("mir-json", ".mir.json", same, same, bytes),
    Stage("mir", ".mir", make_mir, parse_module("mir"), show_module, frozenset({"mir"})),
    Stage("nvvm", ".nvvm", make_nvvm, parse_module("nvvm"), show_module, frozenset({"mir", "nvvm", "ptx"})),
    Stage("llvm", ".llvm", make_llvm, parse_module("llvm"), show_module, frozenset({"llvm"})),
    Stage("ll", ".ll", make_ll, decode, str.encode),
    Stage("ptx", ".ptx", make_ptx, decode, str.encode),
    Stage("cubin", ".cubin", make_cubin, same, bytes),
)

STAGE_NAMES = tuple(stage.name for stage in STAGES)

STAGE = {stage.name: stage for stage in STAGES}

CPU_IMAGE = "cpu"
"""The kind beside the stages: the image for the CPU device, made from the `ll` stage."""


def compile(  # noqa: A001 - what a compiler does
    source: bytes,
    *,
    start: str,
    emit: Collection[str],
    options: CompileOptions,
    worker: LlvmWorker,
    name: str,
    ours: bool = False,
    done: Callable[[str], None] = lambda _: None,
    report: Callable[[Diagnostic], None] = lambda _: None,
    further: Collection[str] = (),
) -> dict[str, bytes]:
    """Take a stage's text to every kind of `emit`: names of stages, and `cpu`. It is `ours` where the backend has just written it, and
    otherwise a person may have edited it. `done` is called with each stage that is reached, `report` with what is worth knowing of a
    program that compiles: warnings and notes. For each target of `further` it becomes PTX too, `sm_90a.ptx`: the stages before do not
    depend on the target.

    Raises `Refused` where the program holds what kernels may not, `UsageError` where the text is not of the stage it is said to be.
    """
    context = Context(options, worker, name, report)
    first = STAGE_NAMES.index(start)
    before = STAGES[first]
    edited = None if ours else before
    wanted = {"ll" if kind == CPU_IMAGE else kind for kind in emit} | ({"ll"} if further else set())
    last = max(STAGE_NAMES.index(kind) for kind in wanted)
    outputs: dict[str, bytes] = {}
    image: Callable[[], bytes] | None = None
    collecting = gc.isenabled()
    gc.disable()  # the middle makes millions of objects and no cycles worth finding
    try:
        value = STAGES[first].parse(source, context)
        for stage in STAGES[first : last + 1]:
            if stage is not STAGES[first]:
                with attributing_errors(edited, before):
                    value = stage.make(value, context)
                    check(value, stage, before)
                done(stage.name)
            if stage.name in emit:
                outputs[stage.name] = stage.show(value)
            if stage.name == "ll" and CPU_IMAGE in emit:
                with attributing_errors(edited, stage):
                    image = start_image(value, context)
            if stage.name == "ll":
                for arch in further:
                    with attributing_errors(edited, stage):
                        text = make_ptx(value, replace(context, options=replace(options, arch=arch)))
                    outputs[f"{arch}.ptx"] = STAGE["ptx"].show(text)
            before = stage
        if image is not None:
            with attributing_errors(edited, STAGE["ll"]):
                outputs[CPU_IMAGE] = image()
    finally:
        if collecting:
            gc.enable()
    return outputs


LARGE = 300_000
"""Characters of LLVM IR from which on a second process for it pays."""


def start_image(ll: str, context: Context) -> Callable[[], bytes]:
    """Return what gives the image for the CPU device; a large one is made beside the PTX."""
    if len(ll) < LARGE:
        image = context.worker.image(ll, context.options)
        return lambda: image
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1)
    made = pool.submit(context.worker.beside().image, ll, context.options)
    pool.shutdown(wait=False)
    return made.result


@contextlib.contextmanager
def attributing_errors(edited: Stage | None, taken: Stage) -> Iterator[None]:
    """Blame the person at the shell where the very text is refused that may have been edited, and oxide where it wrote the text itself."""
    from oxide.errors import TextRefused, UsageError

    try:
        yield
    except TextRefused as refused:
        if taken is not edited:
            raise
        raise UsageError(f"the {taken.name} text cannot be compiled: {refused.message}", hint=refused.hint) from refused


def check(value: Any, stage: Stage, before: Stage) -> None:
    """Verify a module that a pass made. What it breaks is our bug, since passes are given what is verified; only the importer is not."""
    if not stage.dialects:
        return
    from oxide.errors import InternalError, TextRefused
    from oxide.ir import VerifyError, verify

    try:
        verify(value, stage.dialects)
    except VerifyError as error:
        raise (InternalError if before.dialects else TextRefused)(str(error), stage=stage.name) from None
