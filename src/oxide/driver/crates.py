"""What the crates of one build send over the socket, and what they are answered.

crates = Crates(compiler, cache, ui, folder, emit={"ptx"})
with Listener(folder, crates.answer): …
crates.outputs["vecadd"]["ptx"]
"""

from __future__ import annotations

import contextlib
import filecmp
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.cache.compiler import places_of
from oxide.errors import Diagnostic, InternalError, ProgramError, Refused, UsageError, codes
from oxide.export import artifact
from oxide.export.artifact import Code
from oxide.pipeline import CPU_IMAGE
from oxide.rust import cpu_device
from oxide.rust.settings import read

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from oxide.cache.compiler import Compiler
    from oxide.cache.files import Cache
    from oxide.driver.talk import Ui
    from oxide.export.artifact import Record

PHASES = {"mir": (6, "imported and verified (mir)"), "llvm": (7, "lowered (nvvm, llvm)"), "ptx": (8, "exported, compiled to PTX")}
"""The phase that ends with a stage."""

RENAME_ONE = "depend on one version, or give one another name: `[lib] name` or `[[bin]] name` in Cargo.toml"

UNFINISHED = frozenset({"nvvm-ir", "ltoir"})
"""The forms of code that are finished where a program is loaded."""

Outputs = dict[str, dict[str, bytes]]
"""What each crate became: crate, kind, bytes. What it became for a further target has the target before its kind: `sm_90a.ptx`."""


class Crates:
    """What the crates of one build send, and what they are answered."""

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
        """Compile the crate that `message` tells of, and return the reply."""
        crate, dump = message["crate"], Path(message["dump"])
        if (other := self.dumps.setdefault(crate, dump)) != dump and not self.apart:
            refused = Diagnostic(codes.SAME_CRATE, two_of_one_name(crate, other, dump), help=(RENAME_ONE,))
            return {"type": "diagnostics", "diagnostics": [refused.to_json()]}
        self.ui.phase(4, f"{crate}: found kernels and what they reach")
        self.ui.phase(5, f"{crate}: dumped stable MIR to {dump}")
        warnings: list[Diagnostic] = []
        report = self.reporter(crate, warnings.append)
        try:
            source = dump.read_bytes()
            outputs = self.compile(crate, source, self.asked | self.code | {CPU_IMAGE}, report)
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

    def reporter(self, crate: str, warn: Callable[[Diagnostic], None]) -> Callable[[Diagnostic], None]:
        """Return what takes the remarks on a crate: it passes warnings on, and tells notes to who wants to know."""
        return lambda remark: warn(remark) if remark.level == "warning" else self.ui.phase(6, f"{crate}: {remark.message}")

    def compile(self, crate: str, source: bytes, emit: Collection[str], report: Callable[[Diagnostic], None]) -> dict[str, bytes]:
        """Compile a dump to the kinds of `emit`, and to code for each further target."""
        outputs = self.compiler.compile(
            source,
            start="mir-json",
            emit=emit,
            name=crate,
            ours=True,
            done=lambda stage: self.tell(crate, stage),
            report=report,
            found=lambda kinds: self.tell_found(crate, kinds),
        )
        outputs |= self.unfinished(crate, source, outputs)
        for arch in self.compiler.options.further_archs:
            made = self.compiler.compile(source, start="mir-json", emit=self.code, name=crate, ours=True, arch=arch)
            made |= self.unfinished(crate, source, made)
            outputs |= {f"{arch}.{kind}": content for kind, content in made.items()}
            self.ui.phase(8, f"{crate}: the same for {arch}")
        return outputs

    def unfinished(self, crate: str, source: bytes, outputs: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the code for the target of `outputs` in the form that is finished where a program is loaded, if one is asked for."""
        form = self.compiler.options.code
        if form == "ptx":
            return {}
        arch = target_of(outputs["ptx"])
        ll = self.compiler.compile(source, start="mir-json", emit={"ll"}, name=crate, ours=True, arch=arch)["ll"]
        if form == "nvvm-ir":
            return {form: ll}
        from oxide.export.ltoir import find_library, to_ltoir

        return {form: to_ltoir(ll.decode(), arch, self.compiler.options.compile, self.compiler.with_packages(find_library))}

    def tell(self, crate: str, stage: str) -> None:
        """Tell of the phase that ends with a stage, if one does."""
        if stage in PHASES:
            number, text = PHASES[stage]
            self.ui.phase(number, f"{crate}: {text}")

    def tell_found(self, crate: str, kinds: Collection[str]) -> None:
        """Tell of the phases that artifacts of the store spare."""
        if "ptx" in kinds:
            self.ui.phase(6, f"{crate}: imported before")
            self.ui.phase(7, f"{crate}: lowered before")
        self.ui.phase(8, f"{crate}: found in the cache: {', '.join(sorted(kinds))}")

    def make_artifact(self, crate: str, package: str, dump: Path, outputs: Mapping[str, bytes]) -> dict[str, object]:
        """Make the object that joins the crate's link."""
        device = cpu_device.path(self.cache)
        entries = [
            (artifact.Kind.PACKAGE, package.encode()),
            (artifact.Kind.CRATE, crate.encode()),
            *artifact.code_entries(self.code_of(outputs)),
            *(artifact.options_entry(self.compiler.options.compile) if self.compiler.options.code in UNFINISHED else []),
            *([(artifact.Kind.CPU_IMAGE, outputs[CPU_IMAGE])] if CPU_IMAGE in outputs else []),
            *([(artifact.Kind.CPU_DEVICE, os.fsencode(device))] if device else []),
            (artifact.Kind.DUMP, os.fsencode(dump)),
        ]
        output = self.folder / f"{dump.name.removesuffix('.mir.json')}.o"
        artifact.make_object(artifact.encode(entries), crate=crate, output=output)
        return {"type": "artifact", "object": os.fspath(output)}

    def code_of(self, outputs: Mapping[str, bytes]) -> list[Code]:
        """Return what a program carries of a crate: code for each target, of which the first is the smallest; and the PTX of each for the
        CPU device, where it is not for GPUs.
        """
        befores = ["", *(f"{arch}." for arch in self.compiler.options.further_archs)]
        code = [Code(target_of(outputs[f"{before}ptx"]), {name: outputs[f"{before}{name}"] for name in self.carried}) for before in befores]
        return code if "ptx" in self.carried else [*code, *(Code("", {"ptx": outputs[f"{before}ptx"]}) for before in befores)]

    def take_artifact(self, file: Path) -> None:
        """Add what the crates in one of cargo's artifacts became, unless this build compiled them.

        A library keeps its record in an object beside its metadata, a program in itself. Of one that is for C too, cargo tells no metadata.
        """
        if file.suffix == ".rmeta":
            file = beside(file, ".oxide.o")
        elif file.suffix in {".rlib", ".a"}:
            file = beside(among_dependencies(file), ".oxide.o")
        elif file.suffix not in {"", ".so"}:
            return
        try:
            records = artifact.read_records(file) if file.exists() else []
        except InternalError as error:
            raise ProgramError(f"{file} is damaged: {error.message}", hint="`oxide clean` and build again") from None
        for record in records:
            if artifact.Kind.DUMP not in record.entries:
                # The program's own doing.
                continue
            crate, dump = record.text(artifact.Kind.CRATE), Path(record.text(artifact.Kind.DUMP))
            if (other := self.dumps.setdefault(crate, dump)) != dump:
                raise ProgramError(two_of_one_name(crate, other, dump), hint=RENAME_ONE)
            if crate not in self.outputs:
                self.take_dump(crate, dump, outputs_of(record))

    def take_library(self, crate: str, file: Path) -> None:
        """Compile the device library, if it is one, that `file` is of: it has a dump, and no record since it joins no link."""
        if file.suffix == ".rlib":
            # Where a C library is made too, cargo tells of no metadata.
            file = among_dependencies(file)
        elif file.suffix != ".rmeta":
            return
        dump = beside(file, ".mir.json")
        if beside(file, ".oxide.o").exists() or not dump.exists():
            return
        self.ui.phase(4, f"{crate}: a device library")
        self.ui.phase(5, f"{crate}: dumped stable MIR to {dump}")
        source = dump.read_bytes()

        def warn(warning: Diagnostic) -> None:
            self.ui.show_diagnostic(warning, places_of(source))

        self.dumps[crate] = dump
        self.outputs[crate] = self.compile(crate, source, self.asked | self.code, self.reporter(crate, warn))

    def take_dump(self, crate: str, dump: Path, known: dict[str, bytes]) -> None:
        """Give the kinds asked for of a crate that cargo found fresh: what is known, the rest compiled from its dump."""
        for number, what in ((4, "found kernels"), (5, "dumped stable MIR"), (6, "imported"), (7, "lowered"), (8, "exported")):
            self.ui.phase(number, f"{crate}: {what} in an earlier build, nothing has changed")
        missing = self.asked - set(known)
        if missing:
            try:
                source = dump.read_bytes()
            except OSError:
                raise ProgramError(f"the dump of crate {crate} is gone: {dump}", hint="`oxide clean` and build again") from None
            known = known | self.compiler.compile(source, start="mir-json", emit=missing, name=crate, ours=True)
        self.outputs[crate] = known


def two_of_one_name(crate: str, *dumps: Path) -> str:
    """Return what is said of two crates of one name: each by its version, where its manifest is found, and by where its kernels are."""
    found = sorted(map(described, dumps))
    return f"two crates named `{crate}` hold kernels: {' and '.join(found)}"


def described(dump: Path) -> str:
    """Return the version and the source of the crate that a dump is of."""
    try:
        content = json.loads(dump.read_bytes())
        entry = [*content["kernels"], *content["exports"], *content["generic_kernels"]][0]
        source = Path(content["spans"][entry["span"]]["file"])
    except (OSError, ValueError, LookupError, TypeError):
        return os.fspath(dump)
    for folder in source.parents:
        with contextlib.suppress(UsageError, OSError, LookupError, TypeError):
            package = read(folder / "Cargo.toml")["package"]
            return f"{package['name']} {package['version']} in {source}"
    return os.fspath(source)


def among_dependencies(library: Path) -> Path:
    """Return where rustc wrote a library, `libNAME-HASH.rlib` or, beside a `cdylib`, `libNAME.rlib`, which cargo links to beside `deps`."""
    folder = library.parent / "deps"
    hashed = (
        path
        for path in folder.glob(f"{library.stem}-*{library.suffix}")
        if path.samefile(library) or filecmp.cmp(path, library, shallow=False)
    )
    return library if library.parent.name == "deps" else next(hashed, folder / library.name)


def beside(library: Path, suffix: str) -> Path:
    """Return the file that lies beside `libNAME-HASH.rmeta`, or `.rlib`, as `NAME-HASH` and a suffix."""
    return library.with_name(library.name.removeprefix("lib")).with_suffix(suffix)


def outputs_of(record: Record) -> dict[str, bytes]:
    """Return what a crate became, as its record has it."""
    outputs: dict[str, bytes] = {}
    targets = [code for code in record.code if code.target]
    texts = [code for code in record.code if not code.target] or [Code("", {})] * len(targets)
    for number, (code, text) in enumerate(zip(targets, texts, strict=True)):
        before = f"{code.target}." if number else ""
        outputs |= {f"{before}{name}": content for name, content in {**code.forms, **text.forms}.items()}
    return outputs


def target_of(ptx: bytes) -> str:
    """Return the target that a PTX module declares. PTX ISA, "Directives: .target"."""
    declared = next((line for line in ptx.splitlines() if line.startswith(b".target")), b"")
    return declared.removeprefix(b".target").split(b",")[0].strip().decode()
