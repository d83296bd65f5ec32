#!/usr/bin/env python3
"""Compare what two devices gave for every operation of numbers: files that the program of this folder wrote.

    OXIDE_DEVICE=cuda target/…/operations gpu.txt
    compare.py gpu.txt cpu.txt                                   tells what differs, row by row
    compare.py --record "NVIDIA H200" gpu.txt cpu.txt            writes gpu.json too, which the CPU device is held to

Results have to be the same, bit for bit; of an `f64` any NaN is as good, and approximations may differ by as much as the PTX ISA says.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RECORD = Path(__file__).with_name("gpu.json")
"""For each row a digest of the results that were proven on a GPU: its own, or for approximations those that its own are near to."""

Bound = tuple[float, float]
"""By how much a result may be off: relative to it, and absolutely."""


def sine(x: float) -> Bound:
    """Return the bound of sine and cosine, which have none far from zero."""
    return (0, 2**-20.5) if abs(x) <= 2 * math.pi else (0, 2**-14.7) if abs(x) <= 100 * math.pi else (0, 2)


def logarithm(x: float) -> Bound:
    """Return the bound of the logarithm, which is absolute where it is near zero."""
    return (0, 2**-22) if 0.5 < x < 2 else (2**-22, 0)


def always(relative: float) -> Callable[[float], Bound]:
    """Return a bound that is the same everywhere."""
    return lambda _: (relative, 0)


BOUNDS: dict[str, Callable[[float], Bound]] = {
    "sin_approx_f32": sine,
    "cos_approx_f32": sine,
    "ex2_approx_f32": always(2**-22),
    "lg2_approx_f32": logarithm,
    "rsqrt_approx_f32": always(2**-22.9),
    "sqrt_approx_f32": always(2**-23),
    "rcp_approx_f32": always(2**-23),
    "tanh_approx_f32": always(2**-11),
    # The PTX ISA says nothing of these: two in the last place, of which the second one has 20.
    "rsqrt_approx_f64": always(2**-51),
    "rcp_approx_f64": always(2**-19),
}
"""The bounds of approximations (PTX ISA, "Floating Point Instructions"), with and without `ftz`."""


@dataclass(frozen=True)
class Section:
    """What an operation gave for each case."""

    path: str
    inputs: list[str]
    kinds: list[str]
    """Of the operands, and of the result at last."""
    results: list[str]

    @property
    def bound(self) -> Callable[[float], Bound] | None:
        """By how much results may be off, as a function of the operand; None where they have to be the same."""
        return BOUNDS.get(self.path.partition("::")[2].replace("_ftz", ""))

    @property
    def digest(self) -> str:
        """A digest of the inputs and the results."""
        content = "\n".join([*self.inputs, *(canonical(bits, self.kinds[-1]) for bits in self.results)])
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def read(path: Path) -> dict[str, Section]:
    """Read a file of the program, by the rows' paths."""
    inputs: dict[str, list[str]] = {}
    sections: dict[str, Section] = {}
    lines: list[str] = []
    for line in path.read_text().splitlines():
        if not line.startswith("["):
            lines.append(line)
            continue
        lines = []
        name, _, signature = line.strip("[]").partition(": ")
        if signature:
            shape, _, result = signature.partition(" -> ")
            sections[name] = Section(name, inputs[shape], [*shape.split(" "), result], lines)
        else:
            inputs[name] = lines
    return sections


def number(bits: str, kind: str) -> float:
    """Return the float that hexadecimal digits are the bits of."""
    return float(struct.unpack(">d" if kind == "double" else ">f", bytes.fromhex(bits))[0])


def canonical(bits: str, kind: str) -> str:
    """Return the bits, and a word for the NaNs of an `f64`, whose payloads the PTX ISA leaves open where there are two."""
    return "nan" if kind == "double" and math.isnan(number(bits, kind)) else bits


def agree(section: Section, case: str, first: str, second: str) -> bool:
    """Whether two results of a row are as good as the same."""
    kind = section.kinds[-1]
    if canonical(first, kind) == canonical(second, kind):
        return True
    if section.bound is None:
        return False
    a, b = number(first, kind), number(second, kind)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return math.isnan(a) and math.isnan(b)
    relative, absolute = section.bound(number(case, section.kinds[0]))
    # The nearest number is off by half a place itself, and by no less than half of the smallest one.
    half = abs(b) * (2**-53 if kind == "double" else 2**-24)
    smallest = 0.0 if kind == "double" else 2.0**-149
    return abs(a - b) <= relative * abs(b) + absolute + half + smallest


def difference(one: Section | None, other: Section | None, most: int = 5) -> str:
    """Return how the results of a row differ, with some of the cases; nothing where they do not."""
    if one is None or other is None:
        return "missing in one file"
    if one.inputs != other.inputs or len(one.results) != len(other.results):
        return "the inputs are not the same"
    triples = zip(one.inputs, one.results, other.results, strict=True)
    wrong = [f"\n  {case}: {a}, {b}" for case, a, b in triples if not agree(one, case, a, b)]
    return f"{len(wrong)} of {len(one.results)} differ{''.join(wrong[:most])}" if wrong else ""


def differences(first: dict[str, Section], second: dict[str, Section]) -> dict[str, str]:
    """Return how rows differ, by path; the second results are those of the CPU device."""
    told = {path: difference(first.get(path), second.get(path)) for path in sorted(first.keys() | second.keys())}
    return {path: text for path, text in told.items() if text}


def record(device: str, gpu: dict[str, Section], cpu: dict[str, Section], compiler: str) -> str:
    """Return gpu.json: digests of the GPU's results, and for approximations of the CPU's where the GPU's are within bounds of them."""
    apart = differences(gpu, cpu)
    exact = {path: section.digest for path, section in gpu.items() if section.bound is None}
    near = {path: cpu[path].digest for path, section in gpu.items() if section.bound is not None and path not in apart}
    rows = dict(sorted({**exact, **near}.items()))
    return json.dumps({"device": device, "compiler": compiler, "rows": rows}, indent=2) + "\n"


def recorded() -> dict[str, str]:
    """Return the digests of gpu.json by row; none where nothing was recorded."""
    rows: dict[str, str] = json.loads(RECORD.read_text())["rows"] if RECORD.exists() else {}
    return rows


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description="compare what two devices gave for every operation of numbers")
    parser.add_argument("first", type=Path, help="a file of results; a GPU's where it is recorded")
    parser.add_argument("second", type=Path, help="another one; the CPU device's")
    parser.add_argument("--record", metavar="DEVICE", help="write gpu.json; DEVICE is the GPU's name")
    parser.add_argument("--driver", metavar="VERSION", help="the version of its driver")
    options = parser.parse_args()
    first, second = read(options.first), read(options.second)
    if options.record is not None:
        sys.path.append(str(Path(__file__).parents[2] / "scripts"))
        import proofs

        RECORD.write_text(record(options.record, first, second, proofs.compiler(options.driver)))
    apart = differences(first, second)
    sys.stdout.writelines(f"{path}: {text}\n" for path, text in apart.items())
    sys.stdout.write(f"{len(first) - len(apart)} of {len(first)} rows agree\n")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
