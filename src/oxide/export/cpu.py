"""The exported LLVM IR as a CPU image: the shared library that the CPU device loads and runs.

    library = image(ll)        # the bytes of an ELF shared library for x86-64; the same text gives the same bytes

The text is the one that becomes PTX, kept as it is but for four things: GPU operations and `llvm.trap` become what
cpu_meanings.py makes of them; shared memory becomes thread-local, since a thread of the system runs one block at a time; kernels become
ordinary functions, each with an entry that takes its parameters from a buffer; and target and data layout are the CPU's. The one
symbol that the library exports is `oxide.image`, the table that crates/oxide-cpu/src/abi.rs declares.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.dialects.libdevice import BY_SYMBOL
from oxide.dialects.operations import BY_ASSEMBLY, BY_INTRINSIC, Ask
from oxide.errors import InternalError, TextRefused, missing_tool
from oxide.export.cpu_meanings import FUNCTION, TRAP, TRAP_QUESTION, define, define_trap, replacement
from oxide.export.llvm_ir import spell_string
from oxide.export.passes import optimise
from oxide.ir import Symbol
from oxide.target import parameter_offsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from oxide.dialects.operations import Operation

ABI_VERSION = 2
"""Version of the table `oxide.image`, of the thread that `@oxide.thread` points to, and of the device's functions."""

TRIPLE = "x86_64-unknown-linux-gnu"
PROCESSOR = "x86-64-v2"
"""It has no fused multiply-add, so the flag `contract` changes no result."""

SIZES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "i128": 16, "half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}
"""Bytes of a scalar parameter, which are its alignment too (PTX ISA, "Kernel Function Parameter Attributes")."""

DEFINE = re.compile(r"define .*?@(\"[^\"]+\"|[\w$.]+)\(")
KERNEL = re.compile(r"define .*?\bptx_kernel void @([\w$.]+)\((.*)\)[^)]*\{$")
CALLEE = re.compile(r"\bcall\b.*?([@%])(\"[^\"]+\"|[\w$.]+)\(")
ASSEMBLY = re.compile(r"\basm (?:sideeffect )?\"((?:[^\"\\]|\\.)*)\", \"([^\"]*)\"")
OPERATION = re.compile(rf"(?:@(?P<name>llvm\.nvvm\.[\w.]+|llvm\.trap)|{ASSEMBLY.pattern})\((?P<empty>\))?")
INTRINSIC = re.compile(r"@llvm\.(?:nvvm\.[\w.]+|trap)\(")
LIBRARY = re.compile(r"@(__nv_\w+)(?=\()")
DECLARED = re.compile(r"declare .*?@([\w$.]+)\(")
GLOBAL = re.compile(r"@([\w$.]+) = (?P<before>[\w ]*?)(?:(?:local_)?unnamed_addr )?addrspace\((?P<space>\d+)\) (?P<after>.*)")
SYMBOL = re.compile(r"@([\w$.]+)")
NOTE = re.compile(r", !oxide\.note !(\d+)")
METADATA = re.compile(r"^!(\d+) = !\{!\"((?:[^\"\\]|\\.)*)\"\}$", re.MULTILINE)
BYVAL = re.compile(r"\bbyval\(\[(\d+) x i8\]\).*\balign (\d+)")
LAUNCH_BOUND = re.compile(r"attributes (#\d+) = .*\"nvvm\.(?:max|req)ntid\"=\"([\d,]+)\"")


@dataclass(frozen=True)
class Parameter:
    """A kernel parameter: its type in LLVM IR, size and alignment in bytes; `byval` where the kernel is given its address."""

    type: str
    size: int
    align: int
    byval: bool = False


@dataclass
class Function:
    """What the image must know of a function."""

    name: str
    parameters: list[Parameter] | None = None
    """None for a function that is no kernel."""
    attributes: str = ""
    """The attribute group, for example `#0`."""
    calls: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    """The shared variables that it names."""
    waits: bool = False
    """Whether it meets other threads itself, or calls what it cannot know."""


def image(ll: str, opt_level: int = 2, linker: str = "cc") -> bytes:
    """Compile a module's text to its CPU image.

    `opt_level` is LLVM's, 0 to 3; `linker` is a C compiler's driver. Raises `TextRefused` for text that LLVM refuses, for an intrinsic
    without a meaning on the CPU and for a function that is not defined, and `MachineError` where the linker is missing.

    A fatal error in LLVM ends the process: call it in the worker.
    """
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    # What is translated is LLVM's own print of the module, which has one form whoever wrote the text.
    module = parse(ll)
    layout = llvm.create_target_data(module.data_layout)
    sizes = {item.name: layout.get_abi_size(item.global_value_type) for item in module.global_variables}
    module = parse(translate(str(module), sizes))
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=PROCESSOR, opt=opt_level, reloc="pic", codemodel="default")
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    for item in (*module.global_variables, *module.functions):
        if not item.is_declaration and item.name != "oxide.image":
            item.linkage = "internal"
    optimise(module, machine, opt_level)
    return link(machine.emit_object(module), linker)


def parse(text: str) -> Any:
    """Parse and verify a module's text."""
    import llvmlite.binding as llvm

    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise TextRefused(f"LLVM refused the module: {str(error).strip()}", stage="cpu") from None
    return module


def link(obj: bytes, linker: str) -> bytes:
    """Link one object into a shared library that needs nothing but the C library."""
    with tempfile.TemporaryDirectory(prefix="oxide-cpu-") as folder:
        (source := Path(folder, "image.o")).write_bytes(obj)
        library = Path(folder, "image.so")
        options = ["-shared", "-nostartfiles", "-Wl,--build-id=none,-z,defs,-z,now,-z,relro,-s"]
        command = [linker, *options, "-o", str(library), str(source), "-lm"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise missing_tool(linker) from None
        if done.returncode != 0:
            raise InternalError(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}", stage="cpu")
        return library.read_bytes()


def translate(text: str, sizes: Mapping[str, int]) -> str:
    """Return LLVM's print of a module for NVPTX as a module for the CPU device; `sizes` are the bytes of its global variables."""
    lines: list[str] = []
    functions: dict[str, Function] = {}
    bounds: dict[str, int] = {}
    used: dict[str, Operation] = {}
    visible: list[str] = []
    sites: list[str] = []
    current = Function("")
    notes = {match[1]: unescaped(match[2]) for match in METADATA.finditer(text)}
    traps = False

    def operation(match: re.Match[str]) -> str:
        """Return the call's new head, with its site where the device is told it."""
        nonlocal traps
        empty = match["empty"] or ""
        if match["name"] == "llvm.trap":
            traps = True
            name, told = TRAP, True
        else:
            row = row_of(match)
            if row is None:
                raise TextRefused(f"inline PTX in {current.name} has no meaning on the CPU device: {line.strip()}", stage="cpu")
            used[row.name] = row
            current.waits |= row.convergent
            name, told = replacement(row), row.is_told_where
        if not told:
            return f"@{name}({empty}"
        sites.append(current.name + note)
        return f"@{name}(i32 {len(sites) - 1}{empty or ', '}"

    for line in text.splitlines():
        if line.startswith("  "):
            if "call " in line and (callee := CALLEE.search(line)):
                current.calls.add(callee[2])
                current.waits |= callee[1] == "%"
            if "addrspace(3) @" in line:
                current.shared.update(SYMBOL.findall(line))
            found = NOTE.search(line)
            note = f"\n{notes[found[1]]}" if found and found[1] in notes else ""
            line = NOTE.sub("", line)
            if "@llvm." in line or "@__nv_" in line or " asm " in line:
                line = LIBRARY.sub(host_function, OPERATION.sub(operation, line))
            lines.append(line)
        elif line.startswith("define "):
            current = read_function(line)
            functions[current.name] = current
            lines.append(line.replace(" ptx_kernel void @", " void @oxide.kernel.", 1))
        elif line.startswith("declare "):
            check_declaration(line)
            if not INTRINSIC.search(line):
                lines.append(LIBRARY.sub(host_function, line))
        elif line.startswith("@"):
            match = GLOBAL.match(line)
            if match and match["space"] == "3":
                if "external" in match["before"].split():
                    raise TextRefused(f"the dynamic shared memory {match[1]} has no meaning on the CPU device", stage="cpu")
                line = f"@{match[1]} = {match['before']}thread_local addrspace(3) {match['after']}"
            elif match and not {"internal", "private", "external"} & set(match["before"].split()):
                visible.append(match[1])
            lines.append(line)
        elif line.startswith("attributes "):
            if match := LAUNCH_BOUND.match(line):
                bounds[match[1]] = product(match[2])
            # A frame larger than the page that faults under a stack must touch it, not step over it.
            lines.append(line.replace("{ ", '{ "probe-stack"="inline-asm" ', 1))
        elif not line.startswith("target "):
            lines.append(line)
    lines += ["", "@oxide.thread = internal thread_local global ptr null", ""]
    for row in used.values():
        lines += define(row)
    if traps:
        lines += define_trap()
    questions = {row.cpu.function for row in used.values() if isinstance(row.cpu, Ask)} | ({TRAP_QUESTION.function} if traps else set())
    table = Table()
    waits = waiting(functions)
    for function in functions.values():
        if function.parameters is not None:
            lines += define_entry(function)
            shared = sum(sizes.get(name, 0) for name in reached_shared(function, functions))
            table.add_kernel(function, function.name in waits, bounds.get(function.attributes, 0), shared)
    table.globals = [f"{{ ptr, ptr, i64 }} {{ {table.name(it)}, {generic(it)}, i64 {sizes[it]} }}" for it in visible]
    table.sites = [table.name(site) for site in sites]
    table.functions = sorted(questions)
    return "\n".join([*lines, *table.lines()]) + "\n"


def host_function(match: re.Match[str]) -> str:
    """Return the host's function in the place of libdevice's."""
    return f"@{BY_SYMBOL[Symbol(match[1])].host}"


def row_of(match: re.Match[str]) -> Operation | None:
    """Return the row of a call: of an intrinsic by its name, of inline PTX by its text and constraints."""
    if match["name"] is not None:
        return BY_INTRINSIC[match["name"]]
    return BY_ASSEMBLY.get((unescaped(match[2]), match[3]))


def unescaped(text: str) -> str:
    r"""Return the string that LLVM spells, where `\22` is a byte."""
    return re.sub(rb"\\([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), text.encode()).decode(errors="replace")


def product(text: str) -> int:
    """Return the product of numbers between commas."""
    result = 1
    for number in text.split(","):
        result *= int(number)
    return result


def check_declaration(line: str) -> None:
    """Raise `TextRefused` for a function that neither LLVM nor this module gives a body."""
    match = DECLARED.match(line)
    name = match[1] if match else line
    if name.startswith("llvm.nvvm.") and ((row := BY_INTRINSIC.get(name)) is None or row.cpu is None):
        raise TextRefused(f"the intrinsic {name} has no meaning on the CPU device", stage="cpu")
    if not name.startswith("llvm.") and name not in BY_SYMBOL:
        raise TextRefused(f"the function {name} is called and not defined", stage="cpu")


def read_function(line: str) -> Function:
    """Read a function's first line."""
    match = KERNEL.match(line)
    attributes = re.search(r"(#\d+) (?:align \d+ )?\{$", line)
    group = attributes[1] if attributes else ""
    if match:
        return Function(match[1], [read_parameter(text) for text in split_parameters(match[2])], group)
    if not (plain := DEFINE.match(line)):
        raise TextRefused(f"got {line!r}, expected the definition of a function", stage="cpu")
    return Function(plain[1], None, group)


def split_parameters(text: str) -> Iterator[str]:
    """Yield the parameters between commas that stand in no bracket."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text.strip():
        yield text[start:].strip()


def read_parameter(text: str) -> Parameter:
    """Read one parameter of a kernel."""
    if match := BYVAL.search(text):
        return Parameter("ptr", int(match[1]), int(match[2]), byval=True)
    ty, _, rest = text.partition(" ")
    if ty == "ptr" and rest.startswith("addrspace("):
        ty = f"ptr {rest.split(' ')[0]}"
    size = SIZES.get(ty.split(" ")[0])
    if size is None or "byval" in rest:
        raise TextRefused(f"a kernel parameter is `{text}`, which the CPU device cannot be given", stage="cpu")
    return Parameter(ty, size, size)


def waiting(functions: dict[str, Function]) -> set[str]:
    """Return the functions from which a meeting of threads can be reached."""
    callers: dict[str, list[str]] = {}
    for function in functions.values():
        for callee in function.calls:
            callers.setdefault(callee, []).append(function.name)
    found: set[str] = set()
    todo = [function.name for function in functions.values() if function.waits]
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += callers.get(name, ())
    return found


def reached_shared(function: Function, functions: dict[str, Function]) -> set[str]:
    """Return the shared variables that a function names, or a function that it calls by name."""
    found: set[str] = set()
    done: set[str] = set()
    todo = [function.name]
    while todo:
        if (name := todo.pop()) in functions and name not in done:
            done.add(name)
            found |= functions[name].shared
            todo += functions[name].calls
    return found


def generic(symbol: str) -> str:
    """Spell the generic address of a variable in global memory."""
    return f"ptr addrspacecast (ptr addrspace(1) @{symbol} to ptr)"


def offsets(parameters: Iterable[Parameter]) -> tuple[list[int], int]:
    """Return where each parameter lies in the buffer, and the buffer's size in bytes."""
    return parameter_offsets((parameter.size, parameter.align) for parameter in parameters)


def define_entry(kernel: Function) -> Iterator[str]:
    """Yield a kernel's entry, which takes the parameters from a buffer and calls it."""
    parameters = kernel.parameters or []
    args: list[str] = []
    yield f"define internal void @oxide.entry.{kernel.name}(ptr %buffer) {kernel.attributes} {{"
    for number, (parameter, offset) in enumerate(zip(parameters, offsets(parameters)[0], strict=True)):
        yield f"  %at{number} = getelementptr i8, ptr %buffer, i64 {offset}"
        if parameter.byval:
            args.append(f"ptr byval([{parameter.size} x i8]) align {parameter.align} %at{number}")
        else:
            yield f"  %value{number} = load {parameter.type}, ptr %at{number}, align {parameter.align}"
            args.append(f"{parameter.type} %value{number}")
    yield f"  call void @oxide.kernel.{kernel.name}({', '.join(args)})"
    yield "  ret void"
    yield "}"
    yield ""


class Table:
    """The table `oxide.image`, row by row."""

    KERNEL = "{ ptr, ptr, ptr, i32, i32, i32, i32, i32 }"
    GLOBAL = "{ ptr, ptr, i64 }"

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.parameters: list[str] = []
        self.kernels: list[str] = []
        self.globals: list[str] = []
        self.sites: list[str] = []
        self.functions: list[str] = []
        """The functions of the device that are called, by name."""

    def name(self, text: str) -> str:
        """Spell the address of a string."""
        return f"ptr {self.names.setdefault(text, f'@oxide.name.{len(self.names)}')}"

    def add_kernel(self, kernel: Function, meets: bool, most_threads: int, shared: int) -> None:
        """Add a kernel: its name, entry and parameters, whether its threads meet, its launch bound (0: none), bytes of shared memory."""
        parameters = kernel.parameters or []
        places, size = offsets(parameters)
        symbol = f"@oxide.parameters.{kernel.name}"
        rows = [f"{{ i32, i32 }} {{ i32 {place}, i32 {it.size} }}" for it, place in zip(parameters, places, strict=True)]
        self.parameters.append(array(symbol, "{ i32, i32 }", rows))
        numbers = ", ".join(f"i32 {number}" for number in (len(parameters), size, int(meets), most_threads, shared))
        self.kernels.append(f"{self.KERNEL} {{ {self.name(kernel.name)}, ptr @oxide.entry.{kernel.name}, ptr {symbol}, {numbers} }}")

    def lines(self) -> Iterator[str]:
        """Yield the definitions."""
        yield from self.parameters
        yield array("@oxide.kernels", self.KERNEL, self.kernels)
        yield array("@oxide.globals", self.GLOBAL, self.globals)
        yield array("@oxide.sites", "ptr", self.sites)
        for function in self.functions:
            yield f"@{FUNCTION}{function} = internal global ptr null"
        rows = [f"{{ ptr, ptr }} {{ {self.name(function)}, ptr @{FUNCTION}{function} }}" for function in self.functions]
        yield array("@oxide.functions", "{ ptr, ptr }", rows)
        for text, symbol in self.names.items():
            content = text.encode() + b"\0"
            yield f"{symbol} = private unnamed_addr constant [{len(content)} x i8] c{spell_string(content)}"
        yield "define internal ptr @oxide.current() nounwind {\n  ret ptr @oxide.thread\n}"
        lengths = (len(self.kernels), len(self.sites), len(self.globals), len(self.functions))
        counts = ", ".join(f"i32 {count}" for count in (ABI_VERSION, *lengths))
        tables = "ptr @oxide.kernels, ptr @oxide.sites, ptr @oxide.globals, ptr @oxide.functions, ptr @oxide.current"
        yield f"@oxide.image = constant {{ i32, i32, i32, i32, i32, ptr, ptr, ptr, ptr, ptr }} {{ {counts}, {tables} }}"


def array(symbol: str, element: str, values: list[str]) -> str:
    """Spell a constant array."""
    return f"{symbol} = internal constant [{len(values)} x {element}] [{', '.join(values)}]"
