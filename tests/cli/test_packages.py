"""Packages that are installed when they are first needed, from a folder that stands for the index."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oxide.cache.files import Cache
from oxide.options import Environment, Options
from oxide.tools import finders, packages
from oxide.tools.finders import LIBDEVICE, PACKAGES, PackageMissing

if TYPE_CHECKING:
    from collections.abc import Callable

INSIDE = f"nvidia/cu13/{LIBDEVICE.file}"
LINE = "installing nvidia-nvvm==13.0.88 (libdevice and libNVVM, a download of 62 MB) into {}; NVIDIA's licence holds: {}"


def write_wheel(folder: Path, content: bytes = b"bitcode") -> None:
    """Write a wheel of libdevice's package with one file in it."""
    folder.mkdir(exist_ok=True)
    about = "nvidia_nvvm-13.0.88.dist-info"
    files = {
        INSIDE: content,
        f"{about}/METADATA": b"Metadata-Version: 2.1\nName: nvidia-nvvm\nVersion: 13.0.88\n",
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*files, f"{about}/RECORD"))
    with zipfile.ZipFile(folder / "nvidia_nvvm-13.0.88-py3-none-any.whl", "w") as wheel:
        for name, data in {**files, f"{about}/RECORD": record.encode()}.items():
            wheel.writestr(name, data)


def find_or_miss() -> Path:
    """Return libdevice; raise that it is missing, as those do that need it."""
    found = finders.nvidia_file(LIBDEVICE.file)
    if found is None:
        raise PackageMissing("`exp` of `f32` at src/main.rs:7:5 needs NVIDIA's libdevice, which is not installed", LIBDEVICE)
    return found


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the package goes in the cache; the environment cannot be written, and nothing is installed."""
    write_wheel(tmp_path / "index")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    found = tmp_path / "cache" / PACKAGES / LIBDEVICE.requirement
    monkeypatch.setattr(finders, "nvidia_folders", lambda: [found])
    monkeypatch.setattr(packages, "may_be_changed", lambda _: False)
    return found


@pytest.fixture
def have(tmp_path: Path, kept: Path) -> Callable[..., list[str]]:
    """What needs libdevice and returns what was said."""

    def have(**chosen: Any) -> list[str]:
        said: list[str] = []
        environment = Environment(dict(os.environ))
        options = Options(cache=tmp_path / "cache", **chosen)
        assert packages.with_packages(find_or_miss, options, environment, Cache(options.cache).lock, said.append) == kept / INSIDE
        return said

    return have


def test_it_goes_into_the_cache_where_the_environment_cannot_be_written(have: Callable[..., list[str]], kept: Path) -> None:
    assert have() == [LINE.format(kept, packages.LICENCE)]
    assert (kept / INSIDE).read_bytes() == b"bitcode"
    assert have() == [], "once"
    assert [path.name for path in kept.parent.iterdir()] == [LIBDEVICE.requirement]


def test_another_python_has_pip(have: Callable[..., list[str]], kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert have() == [LINE.format(kept, packages.LICENCE)]


def test_the_environment_of_oxide_is_first(tmp_path: Path, kept: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "own"], check=True)
    (site,) = (tmp_path / "own" / "lib").glob("python3*/site-packages")
    half = site / INSIDE
    half.parent.mkdir(parents=True)
    half.write_bytes(b"interrupted")
    script = f"""
import sys
from pathlib import Path
sys.path += {sys.path!r}
sys.path.insert(0, {os.fspath(Path(__file__).parent)!r})
from oxide.cache.files import Cache
from oxide.options import Environment, Options
from oxide.tools import finders, packages
from test_packages import find_or_miss
finders.nvidia_folders = lambda: [Path({os.fspath(site)!r})]
cache = Path({os.fspath(tmp_path / "cache")!r})
print(packages.with_packages(find_or_miss, Options(cache=cache), Environment({{}}), Cache(cache).lock, print).read_text())
"""
    done = subprocess.run([tmp_path / "own" / "bin" / "python", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == f"{LINE.format(site, packages.LICENCE)}\nbitcode\n", done.stderr
    assert not kept.exists()


def refusal(have: Callable[..., list[str]], **chosen: bool) -> PackageMissing:
    with pytest.raises(PackageMissing) as refused:
        have(**chosen)
    return refused.value


NEEDS = "`exp` of `f32` at src/main.rs:7:5 needs NVIDIA's libdevice, which is not installed: "


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"install": False}, "OXIDE_INSTALL or the project's settings forbid installing it"),
        ({"offline": True}, "it cannot be installed without a network"),
    ],
)
def test_it_may_be_forbidden(have: Callable[..., list[str]], kept: Path, chosen: dict[str, bool], why: str) -> None:
    error = refusal(have, **chosen)
    assert (error.message, error.exit_status) == (NEEDS + why, 3)
    assert error.hint == f"run `{finders.pip_install('nvidia-nvvm==13.0.88')}`"
    assert not kept.exists()


def test_what_pip_says_is_told(have: Callable[..., list[str]], kept: Path, tmp_path: Path) -> None:
    next((tmp_path / "index").iterdir()).unlink()
    error = refusal(have)
    assert error.message == f"{NEEDS}it could not be installed: ERROR: No matching distribution found for nvidia-nvvm==13.0.88"
    assert list(kept.parent.iterdir()) == [], "nothing half-written"


def test_there_may_be_no_pip(have: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(have).message == f"{NEEDS}it could not be installed: pip is not installed"


def test_two_take_turns(have: Callable[..., list[str]], kept: Path) -> None:
    said: list[list[str]] = []
    threads = [threading.Thread(target=lambda: said.append(have())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == [[], [LINE.format(kept, packages.LICENCE)]]


def test_an_interrupted_installation_is_none(have: Callable[..., list[str]], kept: Path) -> None:
    (kept / INSIDE).parent.mkdir(parents=True)
    (kept / INSIDE).write_bytes(b"half")
    assert finders.nvidia_file(LIBDEVICE.file) is None
    assert len(have()) == 1
    assert (kept / INSIDE).read_bytes() == b"bitcode"
