"""LLVM in a process of its own, since a fatal error in LLVM ends its process.

    with LlvmWorker() as worker:
        ptx = worker.ptx(ll, target, options)

The process is started early and without waiting: it loads LLVM while cargo still runs. When it dies, the caller gets LLVM's last
words and the next request a new process.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from oxide.errors import Diagnostic, InternalError, MachineError, Refused, TextRefused, codes, reason_of

if TYPE_CHECKING:
    from oxide.dialects.target import Target
    from oxide.options import CompileOptions


class ImmediateError(Exception):
    """An operand that stands in an instruction is no constant."""


class LlvmWorker:
    """The parent's end: requests go down a pipe and answers come back, one at a time."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.words: IO[bytes] | None = None
        self.folder: tempfile.TemporaryDirectory[str] | None = None
        """For the process's temporary files, which it may not live to remove."""
        self.second: LlvmWorker | None = None

    def start(self) -> None:
        """Start the process; do not wait until it is ready."""
        if self.process is not None:
            return
        self.words = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.folder = tempfile.TemporaryDirectory(prefix="oxide-llvm-")
        command = [sys.executable, "-P", "-m", "oxide.export.worker", self.folder.name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.words, process_group=0)

    def __enter__(self) -> LlvmWorker:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def beside(self) -> LlvmWorker:
        """Return another worker, which ends with this one, for what can be done at the same time."""
        if self.second is None:
            self.second = LlvmWorker()
        return self.second

    def close(self) -> None:
        """End the process, and what it has started."""
        if self.second is not None:
            self.second.close()
            self.second = None
        if self.process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        self.process = None
        assert self.words is not None
        assert self.folder is not None
        self.words.close()
        self.folder.cleanup()

    def ptx(self, ll: str, target: Target, options: CompileOptions, libdevice: Path | None = None, *, immediates: bool = False) -> str:
        """Optimise a module for a target, with libdevice linked in if it is given, and return its PTX; with `immediates`, operands of its
        inline PTX have to be constants.
        """
        if options.llc is not None:
            if libdevice is not None:
                raise MachineError("an external llc cannot link libdevice", hint="omit --llc")
            return external_ptx(ll, target, options)
        header = {
            "do": "ptx",
            "processor": target.processor,
            "features": target.features,
            "opt_level": options.opt_level,
            "libdevice": None if libdevice is None else os.fspath(libdevice),
            "immediates": immediates,
        }
        return self.request(header, ll.encode()).decode()

    def unrolled(self, ll: str, target: Target, options: CompileOptions) -> str:
        """Return a module with the loops unrolled whose metadata asks for it, as LLVM prints it."""
        header = {"do": "unroll", "processor": target.processor, "features": target.features, "opt_level": options.opt_level}
        return self.request(header, ll.encode()).decode()

    def image(self, ll: str, options: CompileOptions) -> bytes:
        """Return the module's image for the CPU device."""
        return self.request({"do": "image", "opt_level": options.opt_level, "check": options.check}, ll.encode())

    def request(self, header: dict[str, Any], body: bytes) -> bytes:
        """Send one request and return its answer; raise `TextRefused` with what LLVM said where there is none."""
        self.start()
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            send(self.process.stdin, header, body)
            found = receive(self.process.stdout)
        except BrokenPipeError:
            found = None
        if found is None:
            raise self.died(header["do"])
        answer, content = found
        match answer:
            case {"fault": "text", "error": error}:
                raise TextRefused(error, stage=header["do"])
            case {"fault": "immediate", "error": error}:
                raise Refused([Diagnostic(codes.IMMEDIATE, error, None, help=("write the number out, or match on the value",))])
            case {"fault": "machine", "error": error, "hint": hint}:
                raise MachineError(error, hint=hint)
            case {"error": error}:
                raise InternalError(error, stage=header["do"])
            case _:
                return content

    def died(self, stage: str) -> TextRefused | MachineError:
        """Take leave of a dead process and return the error that tells of it."""
        assert self.process is not None
        assert self.words is not None
        status = self.process.wait()
        self.words.seek(0)
        words = self.words.read().decode(errors="replace").strip()
        self.close()
        if "No module named 'llvmlite'" in words:
            return MachineError(
                "llvmlite is not installed", hint=f"`{sys.executable} -m pip install 'llvmlite==0.50.*'`, or install oxide again"
            )
        return TextRefused(f"LLVM ended with status {status}: {words or 'no output'}", stage=stage)


def send(stream: IO[bytes], header: dict[str, Any], body: bytes) -> None:
    """Write one message: two lengths, a JSON header, bytes."""
    text = json.dumps(header).encode()
    stream.write(struct.pack("<QQ", len(text), len(body)) + text + body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Read one message; None at the end."""
    lengths = stream.read(16)
    if len(lengths) < 16:
        return None
    header_length, body_length = struct.unpack("<QQ", lengths)
    header = stream.read(header_length)
    body = stream.read(body_length)
    if len(header) < header_length or len(body) < body_length:
        return None
    return json.loads(header), body


def external_ptx(ll: str, target: Target, options: CompileOptions) -> str:
    """Compile with another LLVM's `opt` and `llc`, which must be of the same major version."""
    from oxide.export import nvptx

    assert options.llc is not None
    opt = options.llc.with_name(options.llc.name.replace("llc", "opt"))
    for tool in (opt, options.llc):
        try:
            version = subprocess.run([tool, "--version"], capture_output=True, text=True, errors="replace", check=False).stdout
        except OSError as error:
            raise MachineError(f"cannot run {tool}: {reason_of(error)}", hint="--llc takes an llc with its opt beside it") from None
        if "LLVM version 22." not in version:
            found = version.partition("LLVM version ")[2].split()
            raise MachineError(f"{tool} is LLVM {found[0] if found else 'of an unknown version'}, expected 22", hint="install llvm-22")
    processor = [f"-mcpu={target.processor}", f"-mattr={target.features}"]
    commands = (
        [os.fspath(opt), "-S", f"-passes=default<O{options.opt_level}>", *processor],
        [os.fspath(options.llc), f"-O{options.opt_level}", "-o", "-", *processor],
    )
    text = ll
    for command in commands:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise TextRefused(f"`{' '.join(command)}` failed: {done.stderr.strip()}", stage="ptx")
        text = done.stdout if command is commands[-1] else ready_for_nvptx(done.stdout, lines=options.debug_info == "lines")
    return nvptx.for_ptxas(text)


def ready_for_nvptx(printed: str, *, lines: bool) -> str:
    """Return LLVM's print of an optimised module as it goes into code generation: the very text where nothing has to be changed."""
    from oxide.export import debug_info, nvptx

    text = nvptx.without_miscompilations(printed)
    return debug_info.at_own_lines(text) if lines else text


def serve() -> None:
    """Be the worker: answer requests until the pipe closes."""
    from oxide.export.passes import load_llvm

    os.environ["TMPDIR"] = sys.argv[1]  # for the linker too
    load_llvm()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what LLVM prints is no answer
    while (found := receive(requests)) is not None:
        header, body = found
        try:
            send(answers, {}, HANDLERS[header["do"]](header, body.decode()))
        except MachineError as error:
            send(answers, {"fault": "machine", "error": error.message, "hint": error.hint}, b"")
        except ImmediateError as error:
            send(answers, {"fault": "immediate", "error": str(error)}, b"")
        except TextRefused as error:
            send(answers, {"fault": "text", "error": error.message}, b"")
        except RuntimeError as error:  # llvmlite's, with what LLVM said
            send(answers, {"fault": "text", "error": f"LLVM refused the module: {str(error).strip()}"}, b"")
        except Exception as error:
            send(answers, {"error": f"{type(error).__name__}: {error}"}, b"")


def link_libdevice(module: Any, path: str, flush: str) -> None:
    """Link libdevice in, its functions with the attribute `flush`; what is not called goes away, since its functions become internal."""
    import llvmlite.binding as llvm

    from oxide.export.passes import PRECISE_ROOTS

    try:
        library = llvm.parse_bitcode(Path(path).read_bytes())
    except RuntimeError as error:
        said = str(error).strip().splitlines()[-1]
        raise MachineError(f"libdevice at {path} is damaged: {said}", hint="delete the file, and it is installed again") from None
    if flush:
        # LLVM inlines no function into one that treats subnormals otherwise, and its own instructions go by the attribute alone. A question
        # that nobody knows is answered with 0: square roots are approximations too.
        library = llvm.parse_assembly(
            re.sub(r"^(attributes #\d+ = \{)", rf"\1 {flush}", str(library).replace(PRECISE_ROOTS, "__CUDA_PREC_NONE"), flags=re.MULTILINE)
        )
    library.triple = module.triple
    library.data_layout = module.data_layout
    own = {function.name for function in library.functions if not function.is_declaration}
    module.link_in(library)
    for function in module.functions:
        if function.name in own:
            function.linkage = "internal"


def make_ptx(header: dict[str, Any], ll: str) -> bytes:
    """Parse, verify, optimise and emit PTX."""
    import llvmlite.binding as llvm

    from oxide.export import debug_info, nvptx
    from oxide.export.immediates import variables
    from oxide.export.llvm_ir import FLUSH
    from oxide.export.local_arrays import in_registers
    from oxide.export.passes import optimise, promote

    module = llvm.parse_assembly(ll)
    module.verify()
    if header["libdevice"]:
        link_libdevice(module, header["libdevice"], FLUSH if FLUSH in ll else "")
    machine = target_machine(header, module)
    optimise(module, machine, header["opt_level"])
    printed = str(module)
    if header["opt_level"] and (text := in_registers(printed)) is not printed:
        module = llvm.parse_assembly(text)
        promote(module, machine)
        printed = str(module)
    if header["immediates"] and (wrong := next(variables(printed), None)) is not None:
        raise ImmediateError(wrong)
    if (text := ready_for_nvptx(printed, lines=debug_info.kind_of(ll) == "lines")) is not printed:
        module = llvm.parse_assembly(text)
        module.verify()
    return nvptx.for_ptxas(str(machine.emit_assembly(module))).encode()


def make_unrolled(header: dict[str, Any], ll: str) -> bytes:
    """Unroll the loops that ask for it. Traps, which never unwind, stay apart on the way, since each says what it is for.

    LLVM prints names with a dollar sign in quotation marks, which they do not need.
    """
    from oxide.export.llvm_text import QUOTED, parse
    from oxide.export.passes import unroll

    module = parse(ll.replace("@llvm.trap()", "@llvm.trap() nomerge"))
    unroll(module, target_machine(header, module), header["opt_level"])
    text = re.sub(r"^(attributes #\d+ = \{.*) nomerge\b", r"\1 nounwind", str(module), flags=re.MULTILINE)
    return QUOTED.sub(r"@\1", text).encode()


def target_machine(header: dict[str, Any], module: Any) -> Any:
    """Return the target machine that a request is for."""
    import llvmlite.binding as llvm

    target = llvm.Target.from_triple(module.triple)
    return target.create_target_machine(cpu=header["processor"], features=header["features"], opt=header["opt_level"])


def make_image(header: dict[str, Any], ll: str) -> bytes:
    """Make the image for the CPU device."""
    from oxide.export import cpu, debug_info

    return cpu.image(debug_info.without(ll), header["opt_level"], header["check"])


HANDLERS = {"ptx": make_ptx, "unroll": make_unrolled, "image": make_image}
"""What each request does."""


if __name__ == "__main__":
    serve()
