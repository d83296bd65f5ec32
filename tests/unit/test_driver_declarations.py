"""`cuda_core::sys` against NVIDIA's cuda.h: each function's type, each enumerator's value, each structure's size and its fields' places."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oxide.cache.files import Cache
from oxide.options import environment
from oxide.rust import toolchain
from oxide.tools import finders

if TYPE_CHECKING:
    from collections.abc import Iterator

SYS = Path(__file__).parents[2] / "crates/cuda-core/src/sys"
TYPES = {
    "c_char": "char", "c_uchar": "unsigned char", "c_ushort": "unsigned short", "c_int": "int", "c_uint": "unsigned int", "c_void": "void",
    "u32": "unsigned int", "u64": "unsigned long long", "usize": "size_t", "f32": "float",
}  # fmt: skip
OLDER = {"cuEventElapsedTime"}
"""What drivers of CUDA 12 have, and the header only in new ways."""

RENAMED = {"type_": "type", "fn_": "fn"}
"""What bindgen calls fields whose names are words of Rust's."""


def header() -> str:
    """Return the header, of the package that ptxas needs too."""
    found = finders.nvidia_file("include/cuda.h")
    if found is None:
        pytest.skip("cuda.h is not installed")
    return found.read_text()


def functions() -> dict[str, list[str]]:
    """Return the types of each function's arguments, as Rust spells them."""
    text = (SYS / "functions.rs").read_text().partition("\nfunctions! {")[2]
    found = re.findall(r"^ {4}fn (\w+)\((.*?)\);$", text, re.MULTILINE | re.DOTALL)
    return {name: re.findall(r"\w+: ([^,]+?)\s*(?:,|$)", arguments) for name, arguments in found}


def constants() -> list[tuple[str, str]]:
    """Return the enumerators and other constants by the names that C has for them."""
    text = (SYS / "enumerators.rs").read_text()
    tags = set(re.findall(r"pub type (\w+) =", text))
    found = []
    for name, value in re.findall(r"pub const (\w+): \w+ =\s*(-?\w+);", text):
        tag = max((tag for tag in tags if name.startswith(f"{tag}_")), key=len, default="")
        found.append((name.removeprefix(f"{tag}_"), value))
    return found


Structures = dict[str, list[tuple[str, str]]]


def structures() -> Structures:
    """Return each structure and union by the name that programs use, with the names and types of its fields."""
    text = (SYS / "structures.rs").read_text().partition("\nstructures! {")[2]
    found = re.findall(r"(?:struct|union) (\w+)(?: as (\w+))?[\w, ]* \{(.*?)\}", text, re.DOTALL)
    return {alias or name: re.findall(r"(\w+): ([^,]+)", fields) for name, alias, fields in found}


def fields(found: Structures, name: str) -> Iterator[tuple[str, str]]:
    """Yield the path in Rust and in C of each field, of those too whose structure C has no name for."""
    for field, kind in found[name]:
        in_c = "" if field.startswith("__bindgen_anon") else RENAMED.get(field, field)
        if in_c:
            yield field, in_c
        if is_part(kind.strip()):
            yield from ((f"{field}.{rust}", f"{in_c}.{c}".lstrip(".")) for rust, c in fields(found, kind.strip()))


def is_part(name: str) -> bool:
    """Whether a structure is declared where C uses it."""
    return "__bindgen_ty" in name or "_union_" in name


def c_type(rust: str) -> str:
    """Return a type as C spells it."""
    if pointer := re.fullmatch(r"\*(mut|const) (.*)", rust):
        const = " const" if pointer[1] == "const" else ""
        return f"{c_type(pointer[2])}{const} *"
    return TYPES.get(rust, rust)


def compiled(text: str, folder: Path) -> None:
    """Let gcc check a text that may use the header."""
    # The one place where C has two types of the same bytes, and Rust one.
    declared = header().replace("typedef uint64_t cuuint64_t;", "typedef unsigned long long cuuint64_t;")
    assert "unsigned long long cuuint64_t" in declared
    (folder / "cuda.h").write_text(declared)
    (folder / "check.c").write_text(f'#include <stddef.h>\n#include "cuda.h"\n{text}\n')
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    done = subprocess.run(["gcc", "-fsyntax-only", "-fmax-errors=20", "check.c"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_functions_have_the_header_s_types(tmp_path: Path) -> None:
    declared = functions()
    assert len(declared) > 400
    # A second declaration of a function must be the same as the first.
    lines = [
        f"CUresult {name}({', '.join(map(c_type, arguments)) or 'void'});" for name, arguments in declared.items() if name not in OLDER
    ]
    compiled("\n".join(lines), tmp_path)


def test_all_functions_of_the_header_are_there() -> None:
    text = re.sub(r"/\*.*?\*/", "", header(), flags=re.DOTALL)
    later = dict(re.findall(r"^ *#define (cu\w+) +(?:__CUDA_API_\w+\()?(cu\w+)\)?$", text, re.MULTILINE))
    named = {later.get(name, name) for name in re.findall(r"^CUresult CUDAAPI\s+(cu\w+)\(", text, re.MULTILINE)}
    # What only the header's own older names declare stands behind __CUDA_API_VERSION_INTERNAL.
    internal = set(re.findall(r"CUresult CUDAAPI (cu\w+)\(", text.partition("#if defined(__CUDA_API_VERSION_INTERNAL)\n")[2]))
    assert len(named) > 300
    assert {name for name in named - internal if name not in functions()} == set()


def test_constants_have_the_header_s_values(tmp_path: Path) -> None:
    found = constants()
    assert len(found) > 800
    compiled("\n".join(f'_Static_assert({name} == {value}, "{name}");' for name, value in found), tmp_path)


def test_structures_are_laid_out_as_the_header_s(tmp_path: Path) -> None:
    found = structures()
    assert len(found) > 60
    modules = "".join(f'#[path = "{SYS / name}.rs"] mod {name}; pub use {name}::*; ' for name in ("enumerators", "structures", "types"))
    lines = ["fn size<S, F>(_: impl Fn(&S) -> &F) -> usize { size_of::<F>() }", "fn main() { unsafe {"]
    for name in (name for name in found if not is_part(name)):
        lines.append(f'println!("sizeof({name}) {{}}", size_of::<sys::{name}>());')
        for rust, c in fields(found, name):
            lines.append(f'println!("offsetof({name},{c}) {{}}", std::mem::offset_of!(sys::{name}, {rust}));')
            lines.append(f'println!("sizeof((({name}*)0)->{c}) {{}}", size(|all: &sys::{name}| &all.{rust}));')
    program = tmp_path / "layouts.rs"
    program.write_text("\n".join([f"mod sys {{ {modules} }}", *lines, "} }"]))
    found_rust = toolchain.find_rust(None, environment(), Cache(environment().cache))
    subprocess.run([found_rust.rustc, "--edition=2024", "-A", "warnings", program, "-o", tmp_path / "layouts"], check=True, timeout=200)
    told = subprocess.run([tmp_path / "layouts"], capture_output=True, text=True, check=True).stdout
    checks = [f'_Static_assert({place} == {number}, "{place}");' for place, number in map(str.split, told.splitlines())]
    assert len(checks) > 800
    compiled("\n".join(checks), tmp_path)
