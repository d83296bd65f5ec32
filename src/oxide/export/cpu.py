"""The exported LLVM IR as a CPU image: the shared library that the CPU device loads and runs.

    library = image(ll)        # the bytes of an ELF shared library for x86-64; the same text gives the same bytes

The text is the one that becomes PTX, kept as it is but for these things: GPU operations and `llvm.trap` become what cpu_meanings.py
makes of them; a variable in shared memory becomes an offset in the block's, which the device gives (cpu_shared.py); before accesses that
look at what other threads write stands a call that lets those run; what has no meaning marks the kernels that can reach it, which are
then refused when they are launched; kernels become ordinary functions, each with an entry that takes its parameters from a buffer; and
target and data layout are the CPU's. The one symbol that the library exports is `oxide.image`, the table of cpu_table.py.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from oxide.dialects.libdevice import FUNCTIONS, PREFIX
from oxide.dialects.operations import BY_ASSEMBLY, BY_INTRINSIC, BY_SYSTEM_CALL, Instruction, RuntimeCall
from oxide.dialects.operations.synchronization import FENCE as BODY_OF_FENCE
from oxide.errors import InternalError, TextRefused, missing_tool
from oxide.export import cpu_library
from oxide.export.cpu_accesses import ORDERINGS, access
from oxide.export.cpu_meanings import (
    CHECK,
    CHECK_FENCE,
    ENTER,
    LEAVE,
    OUT_OF_BOUNDS,
    REFUSED,
    SPIN,
    TRAP,
    define,
    define_question,
    replacement,
)
from oxide.export.cpu_shared import SharedMemory
from oxide.export.cpu_table import Table, define_entry
from oxide.export.external import externals
from oxide.export.llvm_text import (
    ASKED,
    ASSEMBLY,
    ATTRIBUTES,
    CALLED,
    CALLEE,
    DECLARED,
    FENCE,
    GLOBAL,
    LOCAL,
    METADATA,
    NAMED,
    NOTE,
    QUOTED,
    RESULT,
    Function,
    leading,
    parse,
    reach,
    read_function,
    unescaped,
)
from oxide.export.passes import load_llvm, optimise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oxide.dialects.operations import Operation
    from oxide.export.cpu_accesses import Access
    from oxide.export.cpu_meanings import Question

CHECKS = {"memory": 1, "race": 2, "init": 4}
"""What accesses are checked for, with the CPU device's numbers (crates/oxide-cpu/src/exec/check)."""

TRIPLE = "x86_64-unknown-linux-gnu"
PROCESSOR = "x86-64-v2"
"""It has no fused multiply-add, so the flag `contract` changes no result."""

CALLED_ASSEMBLY = re.compile(rf"(  %\S+ = )?(?: +)?(?:tail )?call .*?{ASSEMBLY.pattern}\((.*)\)(?: #\d+)?")
OPERATION = re.compile(rf"(?:@(?P<name>llvm\.nvvm\.[\w.]+|llvm\.trap|{'|'.join(BY_SYSTEM_CALL)})|{ASSEMBLY.pattern})\((?P<empty>\))?")
INTRINSIC = re.compile(r"@llvm\.(?:nvvm\.[\w.]+|trap)\(")
LIBRARY = re.compile(rf"@{PREFIX}(\w+)(?![\w$.])")

BRANCH = re.compile(r"  br i1 (%\S+), label ")
COMPARED = r"  {} = icmp ult i64 (\S+), (\S+)"
TRUTH = (
    r"  {} = trunc i8 (%\S+) to i1",
    r"  {} = load i8, ptr (%\S+), align 1",
    r"  store i8 (%\S+), ptr {}, align 1",
    r"  {} = zext i1 (%\S+) to i8",
)
"""How a truth value is read from a local that is written once, from the last instruction to the first."""
NEAR = 64
"""The lines before a branch among which its condition is looked for."""

LABEL = re.compile(r"([\w$.]+):")

TOUCHED = re.compile(r"call |atomic|volatile|cmpxchg|addrspace\(3\) @|@__nv_|oxide\.note")
"""What an instruction has that is more than copied, where accesses are not checked."""

MARK = "  ; oxide "
"""What a line begins with that marks a call."""


def image(ll: str, opt_level: int = 2, checks: Sequence[str] = (), linker: str = "cc") -> bytes:
    """Compile a module's text to its CPU image.

    `opt_level` is LLVM's, 0 to 3; `checks` are those of `CHECKS` that the device does at each access; `linker` is a C compiler's driver.
    Raises `TextRefused` for text that LLVM refuses, for an intrinsic that nobody knows and for a function that is not defined, and
    `MachineError` where the linker is missing.

    A fatal error in LLVM ends the process: call it in the worker.
    """
    llvm = load_llvm()
    # What is translated is LLVM's own print of the module, which has one form whoever wrote the text.
    module = parse(ll)
    layout = llvm.create_target_data(module.data_layout)
    sizes = {item.name: layout.get_abi_size(item.global_value_type) for item in module.global_variables}
    module = parse(translate(str(module), sizes, checks))
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=PROCESSOR, opt=opt_level, reloc="pic", codemodel="default")
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    for item in (*module.global_variables, *module.functions):
        if not item.is_declaration and item.name != "oxide.image":
            item.linkage = "internal"
    optimise(module, machine, opt_level)
    return link(machine.emit_object(module), linker)


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


def translate(text: str, sizes: Mapping[str, int], checks: Sequence[str] = ()) -> str:
    """Return LLVM's print of a module for NVPTX as a module for the CPU device; `sizes` are the bytes of its global variables."""
    return Translation(text, sizes, checks).text()


class Translation:
    """One module on its way."""

    def __init__(self, text: str, sizes: Mapping[str, int], checks: Sequence[str] = ()) -> None:
        text = QUOTED.sub(r"@\1", text)
        self.lines: list[str] = []
        self.functions: dict[str, Function] = {}
        self.asked: dict[str, dict[str, str]] = {}
        """What the kernels of an attribute group ask of launches."""
        self.used: dict[str, Operation] = {}
        self.questions: dict[str, Question] = {}
        """What else is asked of the device, by the name of the function that stands for it."""
        self.library: set[str] = set()
        """The functions of libdevice that are called."""
        self.visible: dict[str, str] = {}
        """The variables that the host may look up, each with its address space."""
        self.sites: list[str] = []
        self.notes = {match[1]: unescaped(match[2]) for match in METADATA.finditer(text)}
        self.sizes = sizes
        self.shared = SharedMemory()
        self.checks = sum(CHECKS[name] for name in checks)
        self.objects: dict[str, str] = {}
        """The variables outside shared memory with their address space, empty for a generic one; only where accesses are checked."""
        self.inner: list[tuple[str, str]] = []
        """Calls of functions of the module: the callee, and where the call stands. Lines that mark them stand before and behind each."""
        self.local: set[str] = set()
        """The addresses in the current function of variables of its own."""
        self.current = Function("")
        self.note = ""
        self.start = 0
        """The line that the current function begins at."""
        add, plain = self.add, self.lines.append
        self.external = externals(text)
        """The functions that are linked in later."""
        for line in text.splitlines():
            if line.startswith("  ") and not self.checks and TOUCHED.search(line) is None:
                plain(line)
            else:
                add(line)

    def add(self, line: str) -> None:
        """Translate one line."""
        if line.startswith("  "):
            self.add_instruction(line)
        elif line.startswith("define "):
            self.current = read_function(line)
            self.functions[self.current.name] = self.current
            self.lines.append(line.replace(" ptx_kernel void @", " void @oxide.kernel.", 1))
            self.start = len(self.lines)
            self.local.clear()
        elif line == "}":
            self.lines[self.start :] = self.shared.enter(self.lines[self.start :])
            self.lines.append(line)
        elif line.startswith("declare "):
            if is_kept(line, self.external):
                self.lines.append(line)
        elif line.startswith("@"):
            self.add_global(line)
        elif match := ATTRIBUTES.match(line):
            self.asked[match[1]] = dict(ASKED.findall(line))
            # A frame larger than the page that faults under a stack must touch it, not step over it.
            self.lines.append(line.replace("{ ", '{ "probe-stack"="inline-asm" ', 1))
        elif not line.startswith("target "):
            self.lines.append(line)

    def add_global(self, line: str) -> None:
        """Translate a global variable."""
        match = GLOBAL.match(line)
        if match and match["space"] == "3":
            self.shared.add(match[1], self.sizes.get(match[1], 0), line, is_dynamic="external" in match["before"].split())
            return
        if named := re.search(r"addrspace\(3\) @([\w$.]+)", line):
            raise TextRefused(f"the address of the shared variable {named[1]} is the value of another one: {line}", stage="cpu")
        if match and not {"internal", "private", "external"} & set(match["before"].split()):
            self.visible[match[1]] = match["space"]
            # What no kernel writes, the host does.
            line = line.replace(" externally_initialized constant ", " externally_initialized global ")
        named = NAMED.match(line)
        if self.checks and named and named[1] in self.sizes and " = external " not in line:
            placed = GLOBAL.match(line)
            self.objects[named[1]] = placed["space"] if placed else ""
        self.lines.append(line)

    def add_instruction(self, line: str) -> None:
        """Translate an instruction."""
        if "call " in line and (callee := CALLEE.search(line)):
            self.current.calls.add(callee[2])
            self.current.waits |= callee[1] == "%"
        found = NOTE.search(line)
        self.note = f"\n{self.notes[found[1]]}" if found and found[1] in self.notes else ""
        line = NOTE.sub("", line)
        if self.external and (called := CALLED.match(line)) is not None and called[1][1:] in self.external:
            self.refuse(f"the function `{called[1][1:]}`, which is linked in later, on a GPU,", line)
            return
        if " asm " in line:
            line = as_instruction(line)
        if "@llvm." in line or "@__" in line or " asm " in line or "@vprintf" in line:
            if (what := unsupported(line)) is not None:
                self.refuse(what, line)
                return
            line = LIBRARY.sub(self.library_function, OPERATION.sub(self.operation, line))
        if "addrspace(3) @" in line:
            line = self.shared.replace(line, self.current.shared)
        called = CALLED.match(line) if "call " in line else None
        calls = called is not None and not called[1].startswith(("@llvm.", "@oxide.", "@__nv_"))
        # What LLVM prints of other accesses has none of these words.
        looks = self.checks or "atomic" in line or "volatile" in line or "cmpxchg" in line
        for it in access(line) if looks else ():
            address = self.generic(it) if it.may_spin or self.checks else ""
            if it.may_spin:
                self.current.looks = True
                self.ask(SPIN, f"{address}, i32 {min(8, int(it.bytes))}")
            if self.checks and it.pointer not in self.local:
                self.ask(CHECK, f"{address}, i64 {it.bytes}, i32 {packed(it)}")
        if self.checks and (match := LOCAL.match(line)) and (match[2] is None or match[2] in self.local):
            self.local.add(match[1])
        if self.checks and (fence := FENCE.match(line)):
            self.ask(CHECK_FENCE, f"i32 {ORDERINGS[fence[1]]}")
        if called is not None and calls:
            self.lines += [f"{MARK}{len(self.inner)} enter", line, f"{MARK}{len(self.inner)} leave"]
            self.inner.append((called[1], self.current.name + self.note))
        else:
            self.lines.append(line)

    def generic(self, it: Access) -> str:
        """Return the address of an access as a generic one."""
        if it.type == "ptr":
            return f"ptr {it.pointer}"
        name = f"%oxide.generic.{len(self.lines)}"
        self.lines.append(f"  {name} = addrspacecast {it.type} {it.pointer} to ptr")
        return f"ptr {name}"

    def site(self) -> int:
        """Return the number of a new call that the device is told the place of."""
        self.sites.append(self.current.name + self.note)
        return len(self.sites) - 1

    def ask(self, question: Question, args: str = "") -> None:
        """Add a call of what stands for a question."""
        self.questions[question.name] = question
        self.lines.append(f"  call void @{question.name}(i32 {self.site()}{', ' if args else ''}{args})")

    def library_function(self, match: re.Match[str]) -> str:
        """Return what is called in the place of a function of libdevice."""
        self.library.add(match[1])
        return f"@{cpu_library.replacement(match[1])}"

    def operation(self, match: re.Match[str]) -> str:
        """Return a call's new head, with its site where the device is told it."""
        empty = match["empty"] or ""
        if match["name"] == "llvm.trap":
            if "\nindex out of bounds" in self.note and (compared := self.compared()) is not None:
                self.questions[OUT_OF_BOUNDS.name] = OUT_OF_BOUNDS
                return f"@{OUT_OF_BOUNDS.name}(i32 {self.site()}, i64 {compared[1]}, i64 {compared[2]})"
            self.questions[TRAP.name] = TRAP
            name, told = TRAP.name, True
        else:
            row = row_of(match)
            if row is None:
                raise InternalError(f"{match[0]} has no row", stage="cpu")
            self.used[row.name] = row
            self.current.waits |= row.convergent
            if self.checks and row.cpu == BODY_OF_FENCE:
                self.ask(CHECK_FENCE, f"i32 {ORDERINGS['seq_cst']}")
            name, told = replacement(row), row.is_told_where
        return f"@{name}(i32 {self.site()}{empty or ', '}" if told else f"@{name}({empty}"

    def compared(self) -> re.Match[str] | None:
        """Return the index and the length in the condition of the one branch to the block that the next line is the first of."""
        lines = [line for line in self.lines[self.start :] if line]
        label = LABEL.match(lines[-1]) if lines else None
        jumps = [number for number, line in enumerate(lines) if label and f"label %{label[1]}," in f"{line},"]
        found = BRANCH.match(lines[jumps[0]]) if len(jumps) == 1 else None
        for form in (*TRUTH, COMPARED):
            if found is None:
                return None
            wanted = re.compile(f"{form.format(re.escape(found[1]))}(?:, !.*)?")
            before = reversed(lines[max(0, jumps[0] - NEAR) : jumps[0]])
            found = next((match for line in before if (match := wanted.fullmatch(line)) is not None), None)
        return found

    def refuse(self, what: str, line: str) -> None:
        """Put in the place of a call something that is never reached, since no kernel that can reach it is launched."""
        self.current.refused = self.current.refused or f"{what}\n{self.current.name}{self.note}"
        self.ask(REFUSED)
        if match := RESULT.match(line):
            self.lines.append(f"  {match['name']} = freeze {match['type']} poison")

    def with_calls(self, told: set[str]) -> Iterator[str]:
        """Yield the lines, with what tells the device of calls: of those of functions that are `told` of, of all in a checked image."""
        for line in self.lines:
            if line[:4] != MARK[:4]:
                yield line
                continue
            number, _, what = line.removeprefix(MARK).partition(" ")
            callee, place = self.inner[int(number)]
            if not (self.checks or callee.startswith("%") or callee[1:] in told):
                continue
            if what == "enter":
                self.questions |= {ENTER.name: ENTER, LEAVE.name: LEAVE}
                self.sites.append(place)
                yield f"  call void @{ENTER.name}(i32 {len(self.sites) - 1})"
            else:
                yield f"  call void @{LEAVE.name}()"

    def text(self) -> str:
        """Return the translated module."""
        waits = leading(self.functions, {name for name, it in self.functions.items() if it.waits})
        told = waits | leading(self.functions, {name for name, it in self.functions.items() if it.looks})
        lines = [*self.with_calls(told), "", "@oxide.thread = internal thread_local global ptr null", ""]
        for row in self.used.values():
            lines += define(row)
        for question in self.questions.values():
            lines += define_question(question)
        # What the module calls too is declared there already.
        known = {match[1] for line in self.lines if (match := DECLARED.match(line))}
        lines += [line for line in cpu_library.lines(self.library) if not (found := DECLARED.match(line)) or found[1] not in known]
        asked = {row.cpu.function for row in self.used.values() if isinstance(row.cpu, RuntimeCall)}
        table = Table()
        for function in self.functions.values():
            if function.parameters is not None:
                lines += define_entry(function)
                reached = list(reach(function, self.functions))
                shared = sum(self.sizes.get(name, 0) for name in {name for it in reached for name in it.shared})
                refused = next((it.refused for it in reached if it.refused), "")
                table.add_kernel(function, function.name in waits, self.asked.get(function.attributes, {}), shared, refused)
        table.globals = [
            f"{{ ptr, ptr, i64 }} {{ {table.name(it)}, {generic(it, space)}, i64 {self.sizes[it]} }}" for it, space in self.visible.items()
        ]
        table.sites = [table.name(site) for site in self.sites]
        table.functions = sorted(asked | {question.ask.function for question in self.questions.values() if question.ask is not None})
        table.shared = [
            f"{{ ptr, i32, i32 }} {{ {table.name(it.name)}, i32 {it.offset}, i32 {it.size} }}" for it in self.shared.variables.values()
        ]
        table.dynamic = self.shared.dynamic
        table.checks = self.checks
        for name, space in self.objects.items():
            address = f"ptr addrspacecast (ptr addrspace({space}) @{name} to ptr)" if space else f"ptr @{name}"
            table.objects.append(f"{table.GLOBAL} {{ {table.name(name)}, {address}, i64 {self.sizes[name]} }}")
        return "\n".join([*lines, *table.lines()]) + "\n"


def row_of(match: re.Match[str]) -> Operation | None:
    """Return the row of a call: of an intrinsic or a function of the driver by its name, of inline PTX by its text and constraints."""
    if match["name"] is not None:
        return BY_INTRINSIC.get(match["name"]) or BY_SYSTEM_CALL.get(match["name"])
    return BY_ASSEMBLY.get((unescaped(match[2]), match[3]))


def as_instruction(line: str) -> str:
    """Return the one instruction that stands for inline PTX, where it is one."""
    if (call := CALLED_ASSEMBLY.fullmatch(line)) is None:
        return line
    row = BY_ASSEMBLY.get((unescaped(call[2]), call[3]))
    if row is None or not isinstance(row.cpu, Instruction):
        return line
    values = [operand.rpartition(" ")[2] for operand in call[4].split(", ")]
    return (call[1] or "  ") + re.sub(r"%(\d)\b", lambda match: values[int(match[1])], row.cpu.text)


def packed(it: Access) -> int:
    """Return what the device is told of an access, as one number: kind, order, scope and alignment."""
    scope = it.scope in ("block", "cta")
    return it.kind | it.volatile << 2 | ORDERINGS[it.ordering] << 4 | scope << 8 | (it.align.bit_length() - 1) << 12


def unsupported(line: str) -> str | None:
    """Return what a call has no meaning on the CPU device for, or None where it has one."""
    for match in OPERATION.finditer(line):
        if match["name"] == "llvm.trap":
            continue
        row = row_of(match)
        if row is None or row.cpu is None:
            text = " ".join(unescaped(match[2]).split()) if match["name"] is None else match["name"]
            return f"`{text[:MOST_TOLD]}{'…' if len(text) > MOST_TOLD else ''}`, which has no meaning there,"
    return None


MOST_TOLD = 80
"""Characters of inline PTX that a message quotes."""


def is_kept(line: str, external: set[str]) -> bool:
    """Return whether a declaration is one of the CPU's module too; raise `TextRefused` for a function that nobody gives a body."""
    match = DECLARED.match(line)
    name = match[1] if match else line
    known = name in BY_SYSTEM_CALL or (name.startswith(PREFIX) and name.removeprefix(PREFIX) in FUNCTIONS) or name in external
    if not name.startswith("llvm.") and not known:
        raise TextRefused(f"the function {name} is called and not defined", stage="cpu")
    return not INTRINSIC.search(line) and not known


def generic(symbol: str, space: str) -> str:
    """Spell the generic address of a variable in an address space."""
    return f"ptr addrspacecast (ptr addrspace({space}) @{symbol} to ptr)"
