"""How the modules of crates/oxide-cpu depend on each other: `exec` on nothing of `driver`, and no module on itself by way of others.

use crate::exec::{launch::Launch, wait::{self, Wait}};     →    exec/launch.rs, exec/wait.rs
"""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "crates" / "oxide-cpu" / "src"

TESTS = re.compile(r"^#\[cfg\(test\)\]\n(?:mod \w+;\n|mod tests \{$)", re.MULTILINE)
COMMENT = re.compile(r"//.*")
STRING = re.compile(r'b?c?"(?:\\.|[^"\\])*"')
USE = re.compile(r"^\s*(?:pub(?:\(\w+\))? )?use ([^;]+);", re.MULTILINE)
PATH = re.compile(r"(?<![\w:])\$?((?:crate|super|self)(?:::\w+)+)")
CHILD = re.compile(r"^(?:pub(?:\(\w+\))? )?mod (\w+);", re.MULTILINE)


def expanded(tree: str) -> list[str]:
    """Return the paths of a `use` tree."""
    head, brace, rest = tree.strip().partition("{")
    if not brace:
        return [head.split(" as ")[0].strip()]
    branches, depth, start = [], 0, 0
    inner = rest.rstrip().removesuffix("}")
    for at, character in enumerate(inner + ","):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            branches.append(inner[start:at])
            start = at + 1
    return [path for branch in branches if branch.strip() for path in expanded(head + branch.strip())]


def module_of(file: Path, root: Path) -> tuple[str, ...]:
    parts = file.relative_to(root).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def dependencies(root: Path) -> dict[Path, set[Path]]:
    """Return the files that each file of a crate names items of, tests of a file included."""
    files = {module_of(file, root): file for file in root.rglob("*.rs")}
    found: dict[Path, set[Path]] = {}
    for own, file in files.items():
        text = COMMENT.sub("", STRING.sub('""', file.read_text()))
        whole, *tests = TESTS.split(text)
        found[file] = set()
        for part, depth in ((whole, 0), *((test, 1) for test in tests)):
            children = set(CHILD.findall(text))
            paths = [path for tree in USE.findall(part) for path in expanded(tree)]
            paths += PATH.findall(USE.sub("", part))
            paths += re.findall(rf"(?<![\w:.])((?:{'|'.join(children) or '!'})(?:::\w+)+)", part)
            for path in paths:
                first, *rest = path.split("::")
                base: tuple[str, ...] | None = None
                if first == "crate":
                    base = ()
                elif first == "self":
                    base = own
                elif first == "super":
                    # In a module of tests `super` is the file.
                    ups = 1 + next((number for number, name in enumerate(rest) if name != "super"), len(rest))
                    rest = rest[ups - 1 :]
                    base = own[: len(own) - ups + depth] if ups > depth else own
                elif first in children:
                    base, rest = own, [first, *rest]
                if base is None:
                    continue
                names = (*base, *rest)
                longest = next(names[:length] for length in range(len(names), -1, -1) if names[:length] in files)
                found[file].add(files[longest])
        found[file].discard(file)
    return found


def circle(graph: dict[Path, set[Path]]) -> list[Path]:
    """Return files that depend on one another in a circle, the first one again at the end; nothing where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_execution_knows_nothing_of_the_driver() -> None:
    execution = {file: used for file, used in dependencies(SOURCES).items() if file.is_relative_to(SOURCES / "exec")}
    assert len(execution) > 20
    driver = {str(file): [str(it) for it in used if it.is_relative_to(SOURCES / "driver")] for file, used in execution.items()}
    assert {file: used for file, used in driver.items() if used} == {}


def test_no_module_depends_on_itself_by_way_of_others() -> None:
    graph = dependencies(SOURCES)
    assert sorted(graph) == sorted(SOURCES.rglob("*.rs"))
    assert [str(file.relative_to(SOURCES)) for file in circle(graph)] == []


CRATE = {
    "lib.rs": "mod exec;\nmod driver;\n",
    "exec/mod.rs": "pub mod wait;\nmod warp;\n",
    "exec/wait.rs": "pub struct Wait;\n",
    "exec/warp.rs": "use super::wait::Wait;\n",
    "driver/mod.rs": "mod api;\n",
    "driver/api.rs": "use crate::exec::{\n    wait::{self, Wait},\n};\n",
}


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        ("exec/wait.rs", "use super::{warp::x, warp::{self}};", "exec/warp.rs"),
        ("exec/wait.rs", "fn f() { crate::exec::warp::g() }", "exec/warp.rs"),
        ("exec/wait.rs", "macro_rules! m { () => { $crate::driver::api::g() } }", "driver/api.rs"),
        ("exec/wait.rs", "#[cfg(test)]\nmod tests {\n    use crate::driver::api::g;\n}", "driver/api.rs"),
        ("exec/wait.rs", "#[cfg(test)]\nmod tests {\n    use super::super::warp;\n}", "exec/warp.rs"),
        ("exec/warp.rs", "fn f(x: super::super::driver::api::X) {}", "driver/api.rs"),
        ("exec/mod.rs", "fn f() { warp::g() }", "exec/warp.rs"),
        ("exec/mod.rs", "// crate::driver::api", None),
        ("exec/wait.rs", "#[cfg(test)]\nmod tests {\n    use super::*;\n}", None),
    ],
)
def test_every_path_counts(file: str, line: str, expected: str | None, tmp_path: Path) -> None:
    for name, text in CRATE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text + (line + "\n" if name == file else ""))
    before = {"exec/warp.rs": {"exec/wait.rs"}, "driver/api.rs": {"exec/wait.rs"}}
    graph = dependencies(tmp_path)
    found = {str(it.relative_to(tmp_path)) for it in graph[tmp_path / file]}
    assert found - before.get(file, set()) == ({expected} if expected else set())
    assert bool(circle(graph)) == (file == "exec/wait.rs" and expected is not None)
