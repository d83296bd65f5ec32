"""Imports go one way, through packages and through modules, in every file."""

from __future__ import annotations

import ast
import graphlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(__file__).parents[2] / "src"

ORDER = [
    ("errors",),
    ("options",),
    ("tools",),
    ("ir",),
    ("dialects",),
    ("mir_import", "lower", "export"),
    ("pipeline",),
    ("cache",),
    ("rust",),
    ("driver",),
    ("cli", "runtime"),
    ("__init__", "__main__"),
    ("templates",),
]
"""A package imports what stands before it. Packages in one line do not import each other."""


def name_of(file: Path) -> str:
    """Return a file's module: `oxide.ir.types`, and `oxide.ir` of `oxide/ir/__init__.py`."""
    return ".".join(file.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")


FILES = {name_of(file): file for file in sorted(SOURCES.rglob("*.py"))}


@cache
def imports(module: str) -> list[tuple[int, str, bool]]:
    """Return what of oxide a module imports, wherever it does so: the line, the module, and whether only for types."""
    return list(found_imports(ast.parse(FILES[module].read_text())))


def found_imports(tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    nodes = list(ast.walk(tree))
    blocks = [node.body for node in nodes if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    typed = {inner for block in blocks for statement in block for inner in ast.walk(statement)}
    dynamic = any(isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).endswith("import_module") for node in nodes)
    for node in nodes:
        match node:
            case ast.ImportFrom(module=package, names=names, level=level):
                assert level == 0, f"line {node.lineno}: a relative import"
                found = [f"{package}.{alias.name}" if f"{package}.{alias.name}" in FILES else str(package) for alias in names]
            case ast.Import(names=names):
                found = [alias.name for alias in names]
            case ast.Constant(value=str(text)) if dynamic and text.startswith("oxide.") and text in FILES:
                found = [text]
            case _:
                continue
        yield from ((node.lineno, name, node in typed) for name in found if name.partition(".")[0] == "oxide")


def rank(module: str) -> int:
    """Return how far up a module's package is."""
    parts = module.split(".")
    package = "templates" if "templates" in parts else parts[1] if len(parts) > 1 else "__init__"
    (found,) = (number for number, layer in enumerate(ORDER) if package in layer)
    return found


def package_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def test_there_are_modules() -> None:
    assert {"oxide", "oxide.ir.types", "oxide.pipeline"} <= FILES.keys()


@pytest.mark.parametrize("module", FILES)
def test_packages_import_what_is_below_them(module: str) -> None:
    own = rank(module)
    for line, imported, _ in imports(module):
        assert imported in FILES, f"line {line} imports {imported}, which is not a module"
        if package_of(imported) != package_of(module):
            assert rank(imported) < own, f"line {line} imports {imported}"


def graph() -> dict[str, set[str]]:
    """Return the modules that each imports at run time, and the packages that run because one of their modules is imported."""
    edges: dict[str, set[str]] = {}
    for module in FILES:
        used = edges[module] = set()
        for _, imported, for_types in imports(module):
            if for_types:
                continue
            used.add(imported)
            parts = imported.split(".")
            outer = (".".join(parts[:length]) for length in range(2, len(parts)))
            used |= {package for package in outer if not f"{module}.".startswith(f"{package}.")}
    return edges


def test_no_modules_import_each_other_in_a_circle() -> None:
    graphlib.TopologicalSorter(graph()).prepare()  # its error lists the circle
