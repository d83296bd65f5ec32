"""A pytest plugin: sessions around real rustc, cargo and backend, whose middle is replaced: what is seen is the driver's own doing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from demo import KERNEL, MAIN, Middle

from oxide import driver, options
from oxide.cache.compiler import Compiler
from oxide.cli import ui
from oxide.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def middle() -> Middle:
    return Middle()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "demo"
    (made / "src").mkdir(parents=True)
    (made / "Cargo.toml").write_text('[package]\nname = "demo"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n')
    (made / "src" / "main.rs").write_text(KERNEL + MAIN)
    return made


@pytest.fixture
def session(tmp_path: Path, middle: Middle, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., driver.Session]]:
    monkeypatch.setattr(Compiler, "warm_up", lambda _: None)
    opened: list[driver.Session] = []

    def make(here: Path = tmp_path, **chosen: Any) -> driver.Session:
        ui.start("verbose" if chosen.get("verbose") else "normal")
        variables = options.environment()
        made = driver.Session(Options(cache=variables.cache, **chosen), variables, here, ui)
        monkeypatch.setattr(made.compiler, "compile", middle)
        opened.append(made)
        return made

    yield make
    for made in opened:
        made.__exit__()
