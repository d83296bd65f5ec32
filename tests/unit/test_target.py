"""The table of targets, and what a module makes of it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from oxide.dialects import operations, target
from oxide.dialects.target import PTX_OF_TARGET
from oxide.errors import UsageError
from oxide.export.ptx import inline_ptx, least_version
from oxide.rust import toolchain

ROW = operations.ROWS[0]


def test_the_smallest_target_is_the_default() -> None:
    assert target.choose(None, ()) == target.Target("sm_75", 63)


def test_an_operation_raises_the_target_and_the_ptx_version() -> None:
    assert target.choose(None, [replace(ROW, sm=90, ptx=83)]) == target.Target("sm_90", 83)


def test_a_target_without_an_operation_is_refused() -> None:
    with pytest.raises(UsageError, match="requires sm_90, the target is sm_80"):
        target.choose("sm_80", [replace(ROW, sm=90)])


def test_an_unknown_target_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        target.parse("sm_91")
    assert caught.value.hint == "did you mean 'sm_90'?"


def test_a_target_that_is_too_old_names_the_oldest() -> None:
    with pytest.raises(UsageError) as caught:
        target.parse("sm_50")
    assert caught.value.hint == f"sm_75 is the smallest of {', '.join(PTX_OF_TARGET)}"


def test_suffixes_belong_to_targets_that_have_them() -> None:
    assert target.parse("sm_100f").ptx == 88
    with pytest.raises(UsageError):
        target.parse("sm_80a")


@pytest.mark.parametrize(("bytes_of_parameters", "expected"), [(target.FEW_PARAMETER_BYTES, 0), (target.FEW_PARAMETER_BYTES + 1, 81)])
def test_many_parameters_need_a_newer_ptx(bytes_of_parameters: int, expected: int) -> None:
    assert least_version(f"define ptx_kernel void @k(ptr byval([{bytes_of_parameters} x i8]) align 1 %0) {{", frozenset()) == expected
    assert target.choose("sm_75", (), expected).ptx == max(expected, 63)


def test_registers_of_128_bits_need_a_newer_ptx() -> None:
    for text, expected in [
        ('call i128 asm "mov.b128 $0, $1;", "=q,q"(i128 %0)', 83),
        ('call i128 asm "cvt.u128 $0, $1;", "=q,l"(i64 %0)', 83),
        ('call i64 asm "mov.b64 $0, $1;", "=l,l"(i64 %0)', 0),
    ]:
        assert least_version(text, inline_ptx(text)) == expected


def test_a_version_is_one_that_ptx_has() -> None:
    assert target.parse_version("8.6") == 86
    assert set(target.PTX_OF_TARGET.values()) <= set(target.PTX_VERSIONS)
    for unknown in ("8.9", "86", "newest"):
        with pytest.raises(UsageError, match=f"unknown PTX version '{unknown}'"):
            target.parse_version(unknown)


def test_parameters_are_laid_out_by_their_alignment() -> None:
    assert target.parameter_bytes([(1, 1), (8, 8), (4, 4), (16, 16)]) == 48


@pytest.mark.parametrize(("present", "expected"), [("sm_90", "sm_90"), ("sm_87", "sm_87"), ("sm_99", "sm_90"), ("sm_130", "sm_121")])
def test_a_gpu_gets_its_own_target_or_the_last_before_it(present: str, expected: str) -> None:
    assert target.nearest(present) == expected


def test_a_gpu_older_than_every_target_is_told() -> None:
    with pytest.raises(UsageError, match="the GPU is sm_61, and sm_75 is the smallest target"):
        target.nearest("sm_61")


def test_several_targets_are_each_once_and_the_smallest_first() -> None:
    assert target.parse_list(["sm_90a, sm_80", "sm_90", "sm_80"]) == ("sm_80", "sm_90", "sm_90a")
    with pytest.raises(UsageError, match="unknown target 'sm_91'"):
        target.parse_list(["sm_80,sm_91"])


def test_programs_and_load_take_the_same_ptx_for_a_device() -> None:
    rust = (toolchain.crates_folder() / "cuda-core/src/image.rs").read_text()
    said = re.findall(r'devices\(Target::is_read_by, "(sm_\w+)"\), \[(.*?)\]\)', rust)
    devices = re.search(r"let all = \[(.*?)\];", rust)
    assert devices is not None
    assert len(said) > 3

    def named(pairs: str) -> list[str]:
        return [f"sm_{major}{minor}" for major, minor in re.findall(r"\((\d+), (\d+)\)", pairs)]

    for arch, readers in said:
        assert [device for device in named(devices[1]) if target.is_read_by(arch, device)] == named(readers), arch
