"""The table of libdevice's functions is libdevice's own, and the CPU device calculates them as GPUs do."""

from __future__ import annotations

import ctypes
import math
import re
import struct
import subprocess
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm
import pytest

from oxide.dialects.libdevice import FUNCTIONS, PREFIX
from oxide.dialects.target import parse
from oxide.errors import MachineError
from oxide.export import cpu_library
from oxide.export.llvm_ir import spell_type
from oxide.export.passes import optimise
from oxide.export.worker import LlvmWorker
from oxide.options import CompileOptions
from oxide.tools import finders

if TYPE_CHECKING:
    from pathlib import Path


def test_the_table_is_what_libdevice_defines() -> None:
    found = finders.find_libdevice()
    if found is None:
        pytest.skip("libdevice is not installed")
    module = llvm.parse_bitcode(found.read_bytes())
    defined = {}
    for item in module.functions:
        if item.name.startswith(PREFIX):
            ty = str(item.global_value_type)
            defined[item.name.removeprefix(PREFIX)] = re.sub(r"\s*\(", " (", ty)
    ours = {name: f"{cpu_library.spell_result(row.result)} ({', '.join(map(spell_type, row.params))})" for name, row in FUNCTIONS.items()}
    assert ours == defined


def test_each_function_has_one_meaning_on_the_cpu() -> None:
    assert not cpu_library.HOST.keys() & cpu_library.DEFINED.keys()
    assert cpu_library.HOST.keys() | cpu_library.DEFINED.keys() == FUNCTIONS.keys()


C_TYPES: dict[str, Any] = {
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_uint16,
    "i32": ctypes.c_int32,
}
C_TYPES |= {"i64": ctypes.c_int64, "ptr": ctypes.c_void_p, "void": None}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All functions of the CPU device, as a shared library."""
    text = [line.replace("define internal", "define") for line in cpu_library.lines(FUNCTIONS)]
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly("\n".join(text))
    module.verify()
    machine = llvm.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine(
        cpu="x86-64-v2", opt=3, reloc="pic", codemodel="default"
    )
    optimise(module, machine, 3)
    folder: Path = tmp_path_factory.mktemp("library")
    (folder / "library.o").write_bytes(machine.emit_object(module))
    subprocess.run(["cc", "-shared", "-o", folder / "library.so", folder / "library.o", "-lm"], check=True)
    return ctypes.CDLL(str(folder / "library.so"))


def call(library: Any, name: str, *args: Any) -> Any:
    """Call one function."""
    function = getattr(library, cpu_library.OWN + name)
    row = FUNCTIONS[name]
    function.restype = C_TYPES[cpu_library.spell_result(row.result)]
    function.argtypes = [C_TYPES[spell_type(ty)] for ty in row.params]
    return function(*args)


def single(number: float) -> float:
    """Return an `f32`."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


THIRD = 1 / 3
BIG = (1 << 53) + 1

CASES = [
    ("rsqrt", (4.0,), 0.5), ("rsqrtf", (16.0,), 0.25), ("rcbrt", (8.0,), 0.5), ("rhypot", (3.0, 4.0), 0.2),
    ("norm3d", (2.0, 3.0, 6.0), 7.0), ("norm4d", (1.0, 3.0, 5.0, 1.0), 6.0), ("rnorm3d", (2.0, 3.0, 6.0), 1 / 7),
    ("rnorm4df", (1.0, 3.0, 5.0, 1.0), single(1 / 6)), ("sinpi", (1.0,), 0.0), ("sinpi", (0.5,), 1.0), ("sinpi", (-0.0,), -0.0),
    ("sinpi", (1e15 + 0.5,), 1.0), ("sinpi", (-2.5,), -1.0), ("cospi", (0.5,), 0.0), ("cospi", (1.0,), -1.0), ("cospi", (2.0,), 1.0),
    ("cospif", (-3.0,), -1.0), ("sinpif", (0.25,), single(0.5**0.5)), ("sinpi", (1.75,), -(0.5**0.5)), ("cospi", (1.75,), 0.5**0.5),
    ("cospi", (-0.75,), -(0.5**0.5)), ("sinpi", (math.inf,), math.nan), ("normcdf", (0.0,), 0.5), ("normcdff", (0.0,), 0.5),
    ("normcdf", (1.0,), 0.8413447460685429), ("saturatef", (math.nan,), 0.0), ("saturatef", (2.0,), 1.0), ("saturatef", (0.25,), 0.25),
    ("fast_fdividef", (1.0, 4.0), 0.25), ("half2float", (0x3C00,), 1.0), ("float2half_rn", (1.5,), 0x3E00),
    ("hiloint2double", (0x3FF00000, 0), 1.0), ("double2hiint", (1.0,), 0x3FF00000), ("double2loint", (1.0,), 0),
    ("byte_perm", (0x33221100, 0x77665544, 0x7153), 0x77115533), ("isnand", (math.nan,), 1), ("isinff", (-math.inf,), 1),
    ("isfinited", (math.inf,), 0), ("finitef", (1.0,), 1), ("signbitd", (-0.0,), 1), ("clz", (1,), 31), ("clzll", (0,), 64),
    ("popcll", (-1,), 64), ("ffs", (0,), 0), ("ffs", (8,), 4), ("ffsll", (1 << 40,), 41), ("brev", (1,), -(1 << 31)), ("abs", (-5,), 5),
    ("llabs", (-5,), 5), ("min", (-1, 1), -1), ("umin", (-1, 1), 1), ("ullmax", (-1, 1), -1), ("llmax", (-1, 1), 1),
    ("mulhi", (-1, 1), -1), ("umulhi", (-1, 2), 1), ("mul64hi", (-1, 5), -1), ("umul64hi", (-1, 2), 1), ("mul24", (0x1FFFFFF, 3), -3),
    ("umul24", (0x1FFFFFF, 1), 0xFFFFFF), ("sad", (-3, 4, 1), 8), ("usad", (-1, 0, 1), 0), ("hadd", (-1, -2), -2), ("rhadd", (-1, -2), -1),
    ("uhadd", (-1, 1), -(1 << 31)), ("urhadd", (2, 1), 2), ("fadd_rz", (1.0, -1e-10), single(1 - 2**-24)),
    ("fadd_ru", (1.0, 1e-10), single(1 + 2**-23)), ("fadd_rd", (1.0, 1e-10), 1.0), ("fadd_rn", (1.0, 1e-10), 1.0),
    ("dsub_ru", (1.0, -1e-20), 1 + 2**-52), ("dsub_rd", (1.0, 1e-20), 1 - 2**-53), ("dmul_rd", (0.1, 3.0), 0.3),
    ("dmul_ru", (0.1, 3.0), 0.30000000000000004), ("ddiv_ru", (1.0, 3.0), math.nextafter(THIRD, 1)), ("ddiv_rz", (-1.0, 3.0), -THIRD),
    ("ddiv_rd", (-1.0, 3.0), -math.nextafter(THIRD, 1)), ("drcp_ru", (3.0,), math.nextafter(THIRD, 1)),
    ("dsqrt_rd", (2.0,), math.nextafter(2**0.5, 0)), ("dsqrt_ru", (2.0,), 2**0.5), ("fma_ru", (1.0, 1.0, 1e-20), 1 + 2**-52),
    ("fmaf_rz", (1.0, 1.0, -1e-10), single(1 - 2**-24)), ("fmaf_ieee_rn", (2.0, 3.0, 4.0), 10.0), ("frsqrt_rn", (4.0,), 0.5),
    ("double2float_ru", (1 + 2**-40,), 1 + 2**-23), ("double2float_rd", (1 + 2**-40,), 1.0), ("double2float_rz", (-1 - 2**-40,), -1.0),
    ("double2int_rn", (2.5,), 2), ("double2int_ru", (2.5,), 3), ("double2int_rd", (-2.5,), -3), ("double2int_rz", (-2.5,), -2),
    ("double2int_rz", (math.nan,), -(1 << 31)), ("float2int_rz", (math.nan,), 0), ("float2ll_rz", (math.nan,), -(1 << 63)),
    ("float2uint_rz", (-1.0,), 0), ("float2uint_rz", (3e9,), 3_000_000_000 - (1 << 32)), ("double2ull_rd", (2.0**63,), -(1 << 63)),
    ("float2int_rz", (1e20,), (1 << 31) - 1), ("int2float_rz", ((1 << 24) + 1,), float(1 << 24)),
    ("int2float_ru", ((1 << 24) + 1,), float((1 << 24) + 2)), ("uint2float_rn", (-1,), float(1 << 32)),
    ("uint2float_rz", (-1,), float((1 << 32) - 256)), ("ll2double_ru", (BIG,), float(BIG + 1)), ("ll2double_rd", (-BIG,), float(-BIG - 1)),
    ("ull2double_rz", (-1,), float((1 << 64) - 2048)), ("ull2float_ru", (1 - (1 << 63),), 2.0**63 + 2.0**40),
    ("ll2float_rd", ((1 << 40) + 1,), float(1 << 40)), ("ull2float_rn", (5,), 5.0), ("int2double_rn", (-7,), -7.0),
    ("uint2double_rn", (-1,), 2.0**32 - 1), ("erfinv", (0.25,), 0.2253120550121781), ("erfinv", (-0.9,), -1.1630871536766743),
    ("erfinv", (-0.0,), -0.0), ("erfinv", (-1.0,), -math.inf), ("erfinv", (1.5,), math.nan), ("erfcinv", (math.nan,), math.nan),
    ("erfinvf", (0.5,), single(0.4769362762044699)), ("erfcinv", (5e-324,), 27.213293210812949),
    ("erfcinv", (1e-100,), 15.065574702592645), ("erfcinv", (0.3,), 0.7328690779592169), ("erfcinv", (1.7,), -0.7328690779592167),
    ("erfcinv", (0.0,), math.inf), ("erfcinv", (2.0,), -math.inf),
    ("erfcx", (0.5,), 0.6156903441929259), ("erfcx", (-2.0,), 108.94090438997797), ("erfcx", (20.0,), 0.02817434874105132),
    ("erfcx", (-math.inf,), math.inf), ("erfcx", (math.inf,), 0.0), ("normcdfinv", (0.975,), 1.9599639845400538),
    ("normcdfinv", (0.001,), -3.0902323061678136), ("normcdfinv", (0.0,), -math.inf), ("cyl_bessel_i0", (2.5,), 3.289839144050123),
    ("cyl_bessel_i0", (math.inf,), math.inf), ("cyl_bessel_i1", (-2.5,), -2.5167162452886984), ("cyl_bessel_i1f", (0.0,), 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "expected"), CASES)
def test_a_function_of_the_cpu_device(library: Any, name: str, args: tuple[Any, ...], expected: float) -> None:
    found = call(library, name, *args)
    if math.isnan(expected):
        assert math.isnan(found)
    else:
        assert found == expected or math.isclose(found, expected, rel_tol=2**-51 if "_r" not in name else 0, abs_tol=1e-15), found
        assert math.copysign(1, found) == math.copysign(1, expected) or found != 0


def test_functions_with_pointers(library: Any) -> None:
    items = (ctypes.c_double * 3)(2.0, 3.0, 6.0)
    assert call(library, "norm", 3, ctypes.addressof(items)) == 7.0
    assert call(library, "norm", 0, ctypes.addressof(items)) == 0.0
    assert call(library, "rnorm", 3, ctypes.addressof(items)) == 1 / 7
    call(library, "sincospi", 0.5, ctypes.addressof(items), ctypes.addressof(items) + 8)
    assert items[:2] == [1.0, 0.0]


def test_a_damaged_library_is_named(tmp_path: Path) -> None:
    """It is the machine's fault, and no bug of ours."""
    library = tmp_path / "libdevice.10.bc"
    library.write_bytes(b"BC\xc0\xde and nothing more")
    body = "  %y = call float @__nv_sinf(float %x)\n  ret float %y"
    ll = f'target triple = "nvptx64-nvidia-cuda"\ndeclare float @__nv_sinf(float)\ndefine float @f(float %x) {{\n{body}\n}}\n'
    with LlvmWorker() as worker, pytest.raises(MachineError, match=re.escape(f"libdevice at {library} is damaged")):
        worker.ptx(ll, parse("sm_75"), CompileOptions(), library)
