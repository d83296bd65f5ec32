"""Arithmetic that Rust has no operator for: half floats, roundings, approximations, bytes (PTX ISA, "Instruction Set").

Half floats travel as their bits, two of them in 32, the first one low.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from oxide.dialects.operations.row import Assembly, Operation, RuntimeCall
from oxide.ir import F32, F64, I16, I32

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oxide.ir import Type

COUNTS = {"fma": 3, "neg": 1, "abs": 1, "rcp": 1, "sqrt": 1}
"""Operands of what has not two."""

TYPES: dict[str, Type] = {"f16": I16, "bf16": I16, "f16x2": I32, "bf16x2": I32, "f32": F32, "f64": F64}
"""What a number of a PTX type is in Rust."""


MODIFIERS = {"rz": 1, "rm": 2, "rp": 3, "ftz": 4, "sat": 8, "relu": 16, "NaN": 32, "xorsign": 64}
"""The CPU device's numbers of what an instruction says of its result, which are added."""


def meaning(words: list[str], ptx_type: str) -> RuntimeCall:
    """Return the question for an instruction: `fma.rp.ftz` of `f32` is `fma_f32`, which is given 7 first."""
    function = f"{words[0]}_approx" if "approx" in words else words[0]
    return RuntimeCall(f"{function}_{ptx_type}", (sum(MODIFIERS.get(word, 0) for word in words),))


def pure(module: str, instruction: str, ptx_type: str, sm: int = 75, ptx: int = 63) -> Operation:
    """Return the row of a function of numbers of one type: `fma.rn.ftz` of `f32` is `float::fma_rn_ftz_f32`.

    Half floats are rounded to nearest, which names do not say.
    """
    words = instruction.split(".")
    path = "_".join([*(word for word in words if module == "float" or word != "rn"), ptx_type]).lower()
    ty = TYPES[ptx_type]
    count = COUNTS.get(words[0], 1 if "approx" in words else 2)
    operands = ", ".join(f"${number}" for number in range(count + 1))
    code = Assembly(f"{instruction}.{ptx_type} {operands};")
    name = f"ptx.{instruction.lower()}.{ptx_type}"
    return Operation(f"{module}::{path}", name, (ty,) * count, ty, code, meaning(words, ptx_type), sm=sm, ptx=ptx)


def dotted(*parts: str) -> str:
    """Join the modifiers that are there."""
    return ".".join(part for part in parts if part)


def extremes(module: str, ptx_type: str, flushes: tuple[str, ...]) -> Iterator[Operation]:
    """Yield the least and the greatest of two, with each choice of modifiers."""
    for function, flush, nan, sign in product(("min", "max"), flushes, ("", "NaN"), ("", "xorsign.abs")):
        yield pure(module, dotted(function, flush, nan, sign), ptx_type, 86 if sign else 80, 72 if sign else 70)


ROUNDINGS = ("rn", "rz", "rm", "rp")
FLUSHES = ("", "ftz")


def rounded() -> Iterator[Operation]:
    """Yield the arithmetic of floats with a rounding of its own."""
    for rounding, flush in product(ROUNDINGS, FLUSHES):
        for function, saturate in product(("add", "fma"), ("", "sat")):
            yield pure("float", dotted(function, rounding, flush, saturate), "f32")
        for function in ("mul", "div", "rcp", "sqrt"):
            yield pure("float", dotted(function, rounding, flush), "f32")
    for function, rounding in product(("add", "mul", "fma", "div", "rcp", "sqrt"), ROUNDINGS):
        yield pure("float", dotted(function, rounding), "f64")


def approximate() -> Iterator[Operation]:
    """Yield the fast approximations."""
    for function, flush in product(("sin", "cos", "ex2", "lg2", "rsqrt", "sqrt"), FLUSHES):
        yield pure("float", dotted(function, "approx", flush), "f32")
    yield pure("float", "rsqrt.approx", "f64")
    yield pure("float", "rcp.approx.ftz", "f32")
    yield pure("float", "rcp.approx.ftz", "f64")
    yield pure("float", "tanh.approx", "f32", ptx=70)


MODES = ("", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
"""The modes of a permutation, in the order of the CPU device's numbers."""


def permute(mode: str) -> Operation:
    """Return the row of a permutation of bytes."""
    path = f"prmt_{mode}" if mode else "prmt"
    takes_two = mode in ("", "f4e", "b4e")
    operands = "$1, $2, $3" if takes_two else "$1, 0, $2"
    code = Assembly(f"{dotted('prmt.b32', mode)} $0, {operands};")
    params = (I32,) * (3 if takes_two else 2)
    question = RuntimeCall("permute" if takes_two else "permute_one", (MODES.index(mode),))
    return Operation(f"prmt::{path}", dotted("ptx.prmt", mode), params, I32, code, question)


def dot(function: str, ptx_type: str) -> Operation:
    """Return the row of a dot product of small integers."""
    path = f"{function}_{ptx_type}"
    half = ".lo" if function == "dp2a" else ""
    code = Assembly(f"{function}{half}.{ptx_type}.{ptx_type} $0, $1, $2, $3;")
    return Operation(f"dotprod::{path}", f"ptx.{path}", (I32,) * 3, I32, code, RuntimeCall(path))


ROWS = (
    *extremes("f16", "f16", FLUSHES),
    *extremes("bf16", "bf16", ("",)),
    *(pure("f16x2", f"{function}.rn", "f16x2") for function in ("add", "sub", "mul")),
    *(pure("f16x2", f"fma.rn{modifiers}", "f16x2") for modifiers in ("", ".ftz", ".sat", ".ftz.sat")),
    *(pure("f16x2", f"fma.rn{modifiers}", "f16x2", 80, 70) for modifiers in (".relu", ".ftz.relu")),
    *(pure("f16x2", function, "f16x2", ptx=65) for function in ("neg", "abs")),
    *extremes("f16x2", "f16x2", FLUSHES),
    *(pure("bf16x2", f"{function}.rn", "bf16x2", 90, 78) for function in ("add", "sub", "mul")),
    *(pure("bf16x2", f"fma.rn{modifiers}", "bf16x2", 80, 70) for modifiers in ("", ".relu")),
    *(pure("bf16x2", function, "bf16x2", 80, 70) for function in ("neg", "abs")),
    *extremes("bf16x2", "bf16x2", ("",)),
    *rounded(),
    *approximate(),
    *(
        pure("float", dotted(function, flush, nan, "xorsign.abs"), "f32", 86, 72)
        for function, flush, nan in product(("min", "max"), FLUSHES, ("", "NaN"))
    ),
    *map(permute, MODES),
    *(dot(function, ptx_type) for function in ("dp4a", "dp2a") for ptx_type in ("s32", "u32")),
)  # fmt: skip
