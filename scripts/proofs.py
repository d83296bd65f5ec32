"""Which programs use which GPU operations, by the functions that their sources call, and which of them succeeded on a GPU.

    uses(PROGRAMS / "clusters.rs")       # {"cluster::block_rank", "cluster::cluster_size", …}
    proof("cluster::mapa")               # Proof("cluster_operations", on_gpu=True)

Calls are read off the text, so methods do not count: types of `cuda_device` share many of their names. A call of a function of that crate
counts as those in its body.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from oxide.dialects.operations import BY_PATH

ROOT = Path(__file__).parents[1]
CRATE = ROOT / "crates" / "cuda-device" / "src"
PROGRAMS = ROOT / "tests" / "programs"
EXAMPLES = ROOT / "examples"
NUMBERS = ROOT / "tests" / "operations"

RECORD = PROGRAMS / "gpu.json"
"""The name of a GPU, for each program that succeeded on it the digest of its source, and with which compiler and driver it did."""

TOPICS = ROOT / "tests" / "run" / "src" / "topics"
RECORD_OF_TOPICS = ROOT / "tests" / "run" / "gpu.json"
"""The same for the topics of tests/run, whose functions gave natively what they gave on the GPU."""

NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\[^\n']+)'", re.DOTALL)
"""A comment, a string or a letter."""

FREE_FUNCTION = re.compile(r"^(?:pub(?:\([^)]*\))? )?(?:const )?(?:unsafe )?fn (\w+)[^;{]*\{(.*?)^\}", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?<![\w.:])(?<!fn )((?:\w+::)*)(\w+)(?:::<[^;{}()]*>)?\(")
MACROS = {"gpu_printf!": "debug::print", "gpu_assert!": "debug::fail_assertion"}
"""What macros of the crate call."""


@dataclass(frozen=True)
class Proof:
    """The program that checks what an operation does, by its name."""

    program: str
    on_gpu: bool
    """Whether it succeeded on a GPU as its source is now."""


def code(source: str) -> str:
    """Return Rust without comments, strings and letters."""
    return NO_CODE.sub("", source)


def calls(text: str) -> set[tuple[str, str]]:
    """Return the functions that are called by name, each with the module before it, if any."""
    called = {(path.removesuffix("::").rpartition("::")[2], name) for path, name in CALL.findall(text)}
    return called | {(function.partition("::")[0], function.partition("::")[2]) for macro, function in MACROS.items() if macro in text}


@cache
def wrappers() -> dict[str, str]:
    """Return the bodies of the crate's functions that are not operations, by path."""
    files = [(file.stem, code(file.read_text())) for file in sorted(CRATE.rglob("*.rs"))]
    return {f"{module}::{name}": body for module, text in files for name, body in FREE_FUNCTION.findall(text)}


@cache
def modules() -> dict[str, list[str]]:
    """Return the modules of the crate that have a function of a name."""
    found: dict[str, list[str]] = {}
    for path in (*BY_PATH, *wrappers()):
        module, _, name = path.partition("::")
        found.setdefault(name, []).append(module)
    return found


def resolve(module: str, name: str, own: str = "") -> str:
    """Return the path in the crate of a function that is called in module `own`, or in a program; nothing where it is not one's."""
    known = modules().get(name, [])
    if module in known:
        return f"{module}::{name}"
    if module:
        return ""
    if own in known:
        return f"{own}::{name}"
    return f"{known[0]}::{name}" if len(known) == 1 else ""


@cache
def reached(path: str) -> frozenset[str]:
    """Return the operations that a function of the crate calls, or the one that it is."""
    if path in BY_PATH:
        return frozenset({path})
    found: set[str] = set()
    for called in calls(wrappers()[path]):
        inner = resolve(*called, own=path.partition("::")[0])
        if inner and inner != path:
            found |= reached(inner)
    return frozenset(found)


def operations(source: str) -> frozenset[str]:
    """Return the operations that a program's source calls, by path."""
    text = code(source)
    own = set(re.findall(r"\bfn (\w+)", text))
    called = [resolve(module, name) for module, name in calls(text) if module or name not in own]
    return frozenset().union(*(reached(path) for path in called if path))


def uses(file: Path) -> frozenset[str]:
    """Return the operations that a program calls."""
    return operations(file.read_text())


@cache
def programs() -> dict[str, Path]:
    """Return the programs that check themselves, by name."""
    return {file.stem: file for file in sorted(PROGRAMS.rglob("*.rs"))}


@cache
def uses_of_programs() -> dict[str, frozenset[str]]:
    """Return what each of them uses."""
    return {name: uses(file) for name, file in programs().items()}


@cache
def numbers() -> frozenset[str]:
    """Return the operations whose results tests/operations compares: words of a list."""
    families = re.findall(r"^ +(\w+)\([^)]*\) -> \w+:([\s\w]+);", (NUMBERS / "src" / "rows.rs").read_text(), re.MULTILINE)
    return frozenset(f"{module}::{name}" for module, names in families for name in names.split())


@cache
def topics() -> dict[str, Path]:
    """Return the topics of tests/run, by name."""
    return {file.stem: file for file in sorted(TOPICS.glob("*.rs")) if file.stem != "mod"}


def digest(file: Path) -> str:
    """Return the digest of a source."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def recorded() -> dict[str, str]:
    """Return the programs that succeeded on a GPU, with the digests of their sources then."""
    found: dict[str, str] = json.loads(RECORD.read_text())["programs"] if RECORD.exists() else {}
    return found


def topics_on_gpu() -> frozenset[str]:
    """Return the topics of tests/run that agreed on a GPU as they are now."""
    content: dict[str, str] = json.loads(RECORD_OF_TOPICS.read_text())["topics"]
    return frozenset(name for name, file in topics().items() if content.get(name) == digest(file))


def compiler(driver: str | None = None) -> str:
    """Return which compiler this is, and the driver of a GPU, as records have them: `d32fcb8 of 2026-12-01, driver 580.95.05`."""
    command = ["git", "log", "-1", "--format=%h of %cs"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
    return f"{commit}, driver {driver}" if driver else commit


def compilers() -> dict[str, list[str]]:
    """Return the compilers that marks of programs are of, each with the programs that succeeded with it."""
    of_programs: dict[str, str] = json.loads(RECORD.read_text())["compilers"]
    found: dict[str, list[str]] = {}
    for name in sorted(on_gpu()):
        found.setdefault(of_programs[name], []).append(name)
    return found


def record_of_topics(device: str, names: list[str], compiler: str) -> str:
    """Return tests/run/gpu.json after these topics have agreed on a GPU: only they are marked."""
    return (
        json.dumps({"device": device, "compiler": compiler, "topics": {name: digest(topics()[name]) for name in sorted(names)}}, indent=2)
        + "\n"
    )


def on_gpu() -> frozenset[str]:
    """Return the programs that succeeded on a GPU as they are now."""
    return frozenset(name for name, content in recorded().items() if name in programs() and digest(programs()[name]) == content)


def record(device: str, names: list[str], compiler: str) -> str:
    """Return gpu.json after these programs have succeeded on a GPU: marks of others stay while their sources and the GPU do."""
    before: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {"device": None}
    kept = on_gpu() if before["device"] == device else frozenset()
    marks = {name: digest(programs()[name]) for name in sorted(kept.union(names))}
    of_programs = {name: compiler if name in names else before["compilers"][name] for name in marks}
    return json.dumps({"device": device, "programs": marks, "compilers": of_programs}, indent=2) + "\n"


def proof(path: str) -> Proof | None:
    """Return where an operation is proven: on a GPU, if it is anywhere, then by the program that uses most of its module's operations."""
    if path in numbers():
        results = NUMBERS / "gpu.json"
        return Proof("tests/operations", results.exists() and path in json.loads(results.read_text())["rows"])
    marked, module = on_gpu(), path.partition("::")[0]
    of_module = Counter({name: sum(used.startswith(f"{module}::") for used in all_used) for name, all_used in uses_of_programs().items()})
    users = [name for name, all_used in uses_of_programs().items() if path in all_used]
    best = min(users, key=lambda name: (name not in marked, -of_module[name], name), default=None)
    return None if best is None else Proof(best, best in marked)
