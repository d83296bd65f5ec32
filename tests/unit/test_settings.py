from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from oxide.errors import UsageError
from oxide.options import Environment
from oxide.rust.resolve import resolve_options
from oxide.rust.settings import project_settings, read

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = '[package]\nname = "one"\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "members" / "one").mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["members/*"]\n')
    (tmp_path / "members" / "one" / "Cargo.toml").write_text(PACKAGE)
    return tmp_path


def say(file: Path, text: str) -> Path:
    with file.open("a") as opened:
        opened.write(text)
    return file


def test_a_pipe_in_the_place_of_settings_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "oxide.toml")
    with pytest.raises(UsageError, match="is no file"):
        read(tmp_path / "oxide.toml")


def test_a_package_says_it_in_one_of_two_places(workspace: Path) -> None:
    one = workspace / "members" / "one"
    manifest = say(one / "Cargo.toml", '[package.metadata.oxide]\narch = "sm_90"\nptx-dir = "ptx"\n')
    assert project_settings(manifest) == {"arch": "sm_90", "ptx_dir": one / "ptx"}
    say(one / "oxide.toml", "[build]\nfmad = false\n")
    assert project_settings(manifest) == {"arch": "sm_90", "ptx_dir": one / "ptx", "fmad": False}
    say(one / "oxide.toml", 'arch = "sm_90"\n')
    with pytest.raises(
        UsageError, match=r"duplicate setting 'arch': in \[build\] of .*oxide.toml and in \[package.metadata.oxide\] of"
    ) as caught:
        project_settings(manifest)
    assert caught.value.hint == "keep one of the two"


def test_what_a_manifest_says_wrong_is_named_by_its_line(workspace: Path) -> None:
    manifest = say(workspace / "members" / "one" / "Cargo.toml", '[package.metadata.oxide]\nfmad = true\narch = "sm_91"\n')
    with pytest.raises(UsageError, match=r"one/Cargo.toml:5: unknown target 'sm_91'"):
        project_settings(manifest)
    manifest.write_text(PACKAGE)
    say(workspace / "Cargo.toml", '[workspace.metadata.oxide.cache]\nsize = "2 GiB"\nsise = 3\n')
    with pytest.raises(UsageError, match=r"Cargo.toml:5: unknown key 'sise' in \[workspace.metadata.oxide.cache\]"):
        project_settings(manifest)


def test_values_that_exclude_each_other_may_be_overridden(tmp_path: Path) -> None:
    say(tmp_path / "oxide.toml", "[build]\nfmad = false\nfast-math = true\n")
    said = project_settings(say(tmp_path / "Cargo.toml", PACKAGE))
    with pytest.raises(UsageError, match="fast-math includes that"):
        resolve_options(Environment({}), said)
    assert not resolve_options(Environment({}), said, fast_math=False).compile.fast_math


def test_a_package_comes_before_its_workspace(workspace: Path) -> None:
    one = workspace / "members" / "one"
    say(workspace / "Cargo.toml", '[workspace.metadata.oxide]\narch = "sm_80"\nopt-level = 1\n')
    say(workspace / "oxide.toml", '[build]\nllc = "llc"\n')
    shared = {"arch": "sm_80", "opt_level": 1, "llc": workspace / "llc"}
    assert project_settings(one / "Cargo.toml") == shared
    say(one / "oxide.toml", '[build]\narch = "sm_90"\n')
    assert project_settings(one / "Cargo.toml") == shared | {"arch": "sm_90"}
    assert project_settings(workspace / "Cargo.toml") == shared
    assert project_settings(workspace / "Cargo.toml", package="one") == shared | {"arch": "sm_90"}
    say(workspace / "oxide.toml", "opt-level = 2\n")
    with pytest.raises(UsageError, match="duplicate setting 'opt-level'"):
        project_settings(one / "Cargo.toml")


def test_what_a_workspace_excludes_is_not_its(workspace: Path) -> None:
    say(workspace / "Cargo.toml", 'exclude = ["members/one"]\n[workspace.metadata.oxide]\narch = "sm_80"\n')
    assert project_settings(workspace / "members" / "one" / "Cargo.toml") == {}


def test_a_package_that_is_its_own_workspace_may_say_both(tmp_path: Path) -> None:
    said = '[package.metadata.oxide]\narch = "sm_90"\n[workspace.metadata.oxide]\narch = "sm_80"\nfmad = false\n'
    assert project_settings(say(tmp_path / "Cargo.toml", PACKAGE + said)) == {"arch": "sm_90", "fmad": False}


def test_a_package_names_its_workspace(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "apart").mkdir()
    manifest = say(tmp_path / "apart" / "Cargo.toml", PACKAGE + 'workspace = "../root"\n')
    (tmp_path / "root").mkdir()
    say(tmp_path / "root" / "Cargo.toml", '[workspace]\n[workspace.metadata.oxide]\narch = "sm_80"\n')
    assert project_settings(manifest) == {"arch": "sm_80"}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('arhc = "sm_80"', r"unknown key 'arhc' in \[package.metadata.oxide\]"),
        ("fmad = 1", "got 1 for 'fmad', expected true or false"),
        ("opt-level = true", "got True for 'opt-level', expected a number"),
        ("llc = 3", "got 3 for 'llc', expected a path"),
    ],
)
def test_a_wrong_key_or_value_is_explained(tmp_path: Path, said: str, message: str) -> None:
    manifest = say(tmp_path / "Cargo.toml", f"{PACKAGE}[package.metadata.oxide]\n{said}\n[workspace]\n")
    with pytest.raises(UsageError, match=message):
        project_settings(manifest)


def test_the_cache_has_a_table_of_its_own(workspace: Path) -> None:
    one = workspace / "members" / "one"
    say(one / "oxide.toml", '[cache]\nsize = "1 GiB"\n')
    manifest = say(one / "Cargo.toml", '[package.metadata.oxide]\narch = "sm_90"\n[package.metadata.oxide.cache]\nremote = "s3://x"\n')
    assert project_settings(manifest) == {"arch": "sm_90", "cache_size": "1 GiB", "remote_cache": "s3://x"}
    say(one / "oxide.toml", "timeout = 2.5\n")
    assert project_settings(manifest)["remote_cache_timeout"] == 2.5
    say(one / "oxide.toml", 'remote = "s3://y"\n')
    with pytest.raises(UsageError, match=r"duplicate setting 'remote': in \[cache\] of"):
        project_settings(manifest)
    (one / "oxide.toml").write_text('[cache]\nkey = "secret"\n')
    with pytest.raises(UsageError, match=r"unknown key 'key' in \[cache\]"):
        project_settings(manifest)


def test_an_oxide_toml_is_read_whole(tmp_path: Path) -> None:
    manifest = say(tmp_path / "Cargo.toml", f"{PACKAGE}[workspace]\n")
    file = tmp_path / "oxide.toml"
    file.write_text("[cahce]\nsize = '1 GiB'\n")
    with pytest.raises(UsageError, match=r"unknown table 'cahce', expected \[build\] or \[cache\]") as raised:
        project_settings(manifest)
    assert raised.value.__notes__ == ["hint: did you mean 'cache'?"]
    file.unlink()
    file.symlink_to("oxide.toml")
    with pytest.raises(UsageError, match=r"cannot read .*oxide.toml: too many levels of symbolic links"):
        project_settings(manifest)
    file.unlink()
    file.mkdir()
    with pytest.raises(UsageError, match=r"cannot read .*oxide.toml: is a directory"):
        project_settings(manifest)
