from __future__ import annotations

from pathlib import Path

import pytest

from oxide.errors import UsageError
from oxide.options import CompileOptions, Environment, Options, StoreOptions
from oxide.rust.resolve import resolve_options
from oxide.rust.settings import project_settings


def resolve(variables: dict[str, str], project: Path | None = None, **command_line: object) -> Options:
    settings = project_settings(None, project.with_name("main.rs")) if project else {}
    return resolve_options(Environment({"HOME": "/home/one", **variables}), settings, **command_line)


def test_command_line_before_environment_before_project_file(tmp_path: Path) -> None:
    project = tmp_path / "oxide.toml"
    project.write_text('[build]\narch = "sm_80"\nprofile = "dev"\nfmad = false\n')
    assert resolve({}, project).compile == CompileOptions(arch="sm_80", fmad=False)
    assert resolve({"OXIDE_ARCH": "sm_90"}, project).compile.arch == "sm_90"
    assert resolve({"OXIDE_ARCH": "sm_90"}, project, arch="sm_100a").compile.arch == "sm_100a"
    assert resolve({}, project, arch=None).profile == "dev"
    assert resolve({}, tmp_path / "none" / "oxide.toml").profile == "release"


def test_debug_information_is_chosen_in_two_places(tmp_path: Path) -> None:
    project = tmp_path / "oxide.toml"
    project.write_text('[build]\ndebug-info = "lines"\n')
    assert resolve({}, project).compile == CompileOptions(debug_info="lines")
    assert resolve({}, project, debug_info="full").compile.debug_info == "full"
    project.write_text('[build]\ndebug-info = "line"\n')
    with pytest.raises(UsageError, match="unknown debug information 'line'"):
        resolve({}, project)


def test_fast_math_is_chosen_in_three_places(tmp_path: Path) -> None:
    project = tmp_path / "oxide.toml"
    project.write_text("[build]\nfast-math = true\n")
    assert resolve({}, project).compile == CompileOptions(fast_math=True)
    assert not resolve({"OXIDE_FAST_MATH": "0"}, project).compile.fast_math
    assert resolve({"OXIDE_FAST_MATH": "1"}).compile.fast_math
    assert not resolve({"OXIDE_FAST_MATH": "true"}, project, fast_math=False).compile.fast_math
    with pytest.raises(UsageError, match="got 'yes' for OXIDE_FAST_MATH, expected one of 1, true, 0, false"):
        resolve({"OXIDE_FAST_MATH": "yes"})
    with pytest.raises(UsageError, match="fast-math includes that a \\* b \\+ c rounds once, which no-fmad forbids"):
        resolve({}, project, fmad=False)


def test_other_tables_of_the_project_file_are_not_ours(tmp_path: Path) -> None:
    project = tmp_path / "oxide.toml"
    project.write_text('[example]\ndevice = "any"\nsuccess = "SUCCESS"\n')
    assert resolve({}, project).device is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[build]\narhc = "sm_80"', "oxide.toml:2: unknown key 'arhc'"),
        ('arch = "sm_80"', "oxide.toml:1: 'arch' is outside a table"),
        ('[cache]\n[ bild ]\narch = "sm_80"', "oxide.toml:2: unknown table 'bild'"),
        ("\nbuild = 3", r"oxide.toml:2: got 3 for \[build\], expected a table"),
        ("[build]\nopt-level = 4", "oxide.toml:2: got 4 for the optimisation level, expected 0 to 3"),
        ('[build]\nfmad = true\n[cache]\n\ntimeout = "soon"', "oxide.toml:5: got 'soon' for 'timeout', expected a number"),
        ("[cache]\ntimeout = -2.5", "oxide.toml:2: got '-2.5' for the remote cache's timeout, expected seconds, 0 to"),
        ("[cache]\ntimeout = nan", "oxide.toml:2: got 'nan' for the remote cache's timeout"),
        ('[build]\nfmad = "no"', "oxide.toml:2: got 'no' for 'fmad', expected true or false"),
        ("[build", "oxide.toml is not TOML: expected ']'"),
        ("[build]\narch = sm_90", "oxide.toml:2:8 is not TOML: invalid value"),
        ('[build]\n# device = "cpu"\ndevice = "gpu"', "oxide.toml:3: unknown device 'gpu'"),
        ('[build]\narch = "sm_80,sm_91"', "oxide.toml:2: unknown target 'sm_91'"),
        ('build = {arch = "sm_91"}', "oxide.toml: unknown target 'sm_91'"),
        ('[build]\nptx-version = "6.9"', "oxide.toml:2: unknown PTX version"),
        ('[build]\ndebug-info = "some"', "oxide.toml:2: unknown debug information"),
        ('[cache]\nsize = "much"', "oxide.toml:2: got 'much' for the size of the cache"),
        ('[cache]\nmode = "write"', "oxide.toml:2: unknown mode 'write'"),
    ],
)
def test_a_wrong_project_file_is_explained(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "oxide.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        resolve({}, tmp_path / "oxide.toml")


@pytest.mark.parametrize(
    ("variables", "cache"),
    [
        ({}, "/home/one/.cache/oxide"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/oxide"),
        ({"XDG_CACHE_HOME": "/x", "OXIDE_CACHE": "/own"}, "/own"),
        ({"OXIDE_CACHE": ""}, "/home/one/.cache/oxide"),
    ],
)
def test_where_the_cache_is(variables: dict[str, str], cache: str) -> None:
    assert resolve(variables).cache == Path(cache)


@pytest.mark.parametrize(
    ("level", "verbose"),
    [("info", True), ("warn,oxide=debug", True), ("warn", False), ("hyper=info", False), ("", False)],
)
def test_rust_log_asks_for_the_phases(level: str, verbose: bool) -> None:
    assert resolve({"RUST_LOG": level}).verbose is verbose


def test_a_fingerprint_differs_where_code_may() -> None:
    all_different = {
        CompileOptions().fingerprint(),
        CompileOptions(arch="sm_90").fingerprint(),
        CompileOptions(ptx_version="8.6").fingerprint(),
        CompileOptions(fmad=False).fingerprint(),
        CompileOptions(fast_math=True).fingerprint(),
        CompileOptions(opt_level=0).fingerprint(),
        CompileOptions(llc=Path("/llc")).fingerprint(),
        CompileOptions(libdevice=Path("/libdevice")).fingerprint(),
    }
    assert len(all_different) == 8
    assert CompileOptions(arch="sm_90").fingerprint() == CompileOptions(arch="sm_90").fingerprint()


@pytest.mark.parametrize(
    ("ours", "alias", "name", "first", "second"),
    [
        ({"OXIDE_ARCH": "sm_90"}, {"CUDA_OXIDE_TARGET": "sm_80"}, "arch", "sm_90", "sm_80"),
        ({"OXIDE_LLC": "/a/llc"}, {"CUDA_OXIDE_LLC": "/b/llc"}, "llc", Path("/a/llc"), Path("/b/llc")),
        ({"OXIDE_LIBDEVICE": "/a/l.bc"}, {"CUDA_OXIDE_LIBDEVICE": "/b/l.bc"}, "libdevice", Path("/a/l.bc"), Path("/b/l.bc")),
        ({"OXIDE_PTX_DIR": "/a"}, {"CUDA_OXIDE_PTX_DIR": "/b"}, "ptx_dir", Path("/a"), Path("/b")),
        ({"OXIDE_FMAD": "1"}, {"CUDA_OXIDE_NO_FMA": "1"}, "fmad", True, False),
        ({"OXIDE_VERBOSE": "0"}, {"CUDA_OXIDE_VERBOSE": "true"}, "verbose", False, True),
    ],
)
def test_a_variable_comes_before_its_alias(ours: dict[str, str], alias: dict[str, str], name: str, first: object, second: object) -> None:
    def chosen(variables: dict[str, str]) -> object:
        options = resolve(variables)
        return getattr(options, name) if hasattr(options, name) else getattr(options.compile, name)

    assert chosen(alias) == second
    assert chosen(ours | alias) == first


def test_quiet_and_verbose_exclude_each_other_by_who_says_so() -> None:
    quiet, both = Environment({"OXIDE_QUIET": "1"}), Environment({"OXIDE_QUIET": "1", "OXIDE_VERBOSE": "1"})
    assert resolve_options(quiet).quiet
    assert resolve_options(both).quiet
    assert not resolve_options(quiet, quiet=False).quiet
    assert not resolve_options(quiet, verbose=True).quiet
    assert resolve_options(both, quiet=True).quiet


def test_an_alias_comes_after_the_command_line_and_before_the_project(tmp_path: Path) -> None:
    project = tmp_path / "oxide.toml"
    project.write_text('[build]\narch = "sm_80"\nfmad = true\n')
    variables = {"CUDA_OXIDE_TARGET": "sm_90", "CUDA_OXIDE_NO_FMA": "true"}
    assert resolve(variables, project).compile == CompileOptions(arch="sm_90", fmad=False)
    assert resolve(variables, project, arch="sm_100a").compile.arch == "sm_100a"
    with pytest.raises(UsageError, match="got 'maybe' for CUDA_OXIDE_NO_FMA, expected one of 1, true, 0, false"):
        resolve({"CUDA_OXIDE_NO_FMA": "maybe"})


def test_several_targets_are_the_smallest_and_the_further_ones() -> None:
    for options in (resolve({"OXIDE_ARCH": "sm_90a,sm_80"}), resolve({}, arch=("sm_90a", "sm_80"))):
        assert (options.compile.arch, options.further_archs) == ("sm_80", ("sm_90a",))
    assert resolve({}).further_archs == ()
    with pytest.raises(UsageError, match="unknown target"):
        resolve({"OXIDE_ARCH": "sm_80,"})


def test_the_form_of_code_is_chosen_in_three_places(tmp_path: Path) -> None:
    project = tmp_path / "oxide.toml"
    project.write_text('[build]\ncode = "nvvm-ir"\n')
    assert (resolve({}, project).code, resolve({}, project).compile.arch) == ("nvvm-ir", "sm_100")
    assert resolve({"OXIDE_CODE": "ltoir"}, project, arch="sm_120,sm_100f").code == "ltoir"
    assert resolve({"OXIDE_CODE": "ltoir"}, project, code="ptx", arch="sm_80").code == "ptx"
    assert resolve({}, project, check=("memory",)).code == "ptx", "what is checked runs on the CPU device"
    with pytest.raises(UsageError, match="unknown form of code 'lto'"):
        resolve({}, project, code="lto")
    for arch in ("sm_90", "sm_100,sm_90a"):
        with pytest.raises(UsageError, match="libNVVM reads only the IR of LLVM 7 for sm_90"):
            resolve({}, project, arch=arch)


def test_the_cache_is_chosen() -> None:
    assert resolve({}).store == StoreOptions()
    variables = {"OXIDE_NO_CACHE": "1", "OXIDE_CACHE_SIZE": "1 GiB", "OXIDE_REMOTE_CACHE": "s3://x", "OXIDE_REMOTE_CACHE_KEY": "k"}
    variables |= {"OXIDE_REMOTE_CACHE_MODE": "read-only", "OXIDE_REMOTE_CACHE_TIMEOUT": "2.5"}
    chosen = resolve(variables).store
    assert resolve({}, remote_cache_timeout=0).store.timeout == 0
    with pytest.raises(UsageError, match="got 'soon' for the remote cache's timeout, expected seconds"):
        resolve({"OXIDE_REMOTE_CACHE_TIMEOUT": "soon"})
    assert chosen == StoreOptions(use=False, size=1 << 30, remote="s3://x", mode="read-only", timeout=2.5, key="k")
    assert "k'" not in repr(chosen), "a secret is not shown"
    for name, value in (("MODE", "write"), ("TIMEOUT", "soon")):
        with pytest.raises(UsageError):
            resolve({f"OXIDE_REMOTE_CACHE_{name}": value})
