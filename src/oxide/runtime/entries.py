"""The kernels of a PTX, and the bytes of their parameters, as the PTX itself declares them.

    entries(text)                       # {"saxpy": [4, 4, 8, 8]}
    check(signature, text)              # raises UsageError where the signature is not that of the PTX's kernel

The driver takes as many bytes for a parameter as the PTX says, from wherever it is pointed to: what a signature says must agree, or a
kernel computes with something else than what was passed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from oxide.errors import UsageError, did_you_mean
from oxide.ir import signature as sig

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMENT = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
ENTRY = re.compile(r"\.entry\s+([\w$%]+)\s*(?:\(([^)]*)\))?")
NUMBER = re.compile(r"\.[busf](8|16|32|64|128)\b")
COUNT = re.compile(r"\[\s*(\d+)\s*\]\s*$")


def entries(text: str) -> dict[str, list[int | None]]:
    """Return the kernels of a PTX with the bytes of their parameters, None for those that are no bytes."""
    plain = COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    return {name: [size_of(param) for param in params.split(",") if param.strip()] for name, params in ENTRY.findall(plain)}


def size_of(declared: str) -> int | None:
    """Return the bytes of a parameter such as `.param .align 4 .b8 name[12]`."""
    number, count = NUMBER.search(declared), COUNT.search(declared)
    return None if number is None else int(number[1]) // 8 * (int(count[1]) if count else 1)


def passed(kind: sig.Type) -> list[int]:
    """Return the bytes of the parameters that a type is passed as."""
    match kind:
        case sig.Nothing():
            return []
        case sig.Slice(width=width):
            return [8, 8, 4] if width else [8, 8]
        case _:
            return [sig.size_and_align(kind)[0]]


def check(signature: sig.Signature, found: Mapping[str, list[int | None]], file: str) -> None:
    """Raise `UsageError` where a PTX has no such kernel, or one that takes something else."""
    name = signature.name
    if name not in found:
        raise UsageError(f"{file} has no kernel '{name}'", hint=did_you_mean(name, found))
    declared = found[name]
    said = [(param, size) for param in signature.params for size in passed(param.type)]
    for (param, size), wanted in zip(said, declared, strict=False):
        if wanted is not None and size != wanted:
            raise UsageError(
                f"kernel `{name}`: got `{param.name}: {param.rust}`, {size} bytes, expected {wanted}, as {file} declares it",
                hint=f"its parameters take {sizes(declared)} bytes; a slice is two of 8",
            )
    if len(said) != len(declared):
        raise UsageError(
            f"kernel `{name}`: got {len(said)} parameters in the signature, expected {len(declared)}, as {file} declares them",
            hint=f"its parameters take {sizes(declared)} bytes; a slice is two of 8" if declared else None,
        )


def sizes(declared: list[int | None]) -> str:
    """Return sizes as a message shows them."""
    return ", ".join("some" if size is None else str(size) for size in declared)
