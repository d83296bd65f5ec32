"""Accesses to global memory that say how caches are to keep it (PTX ISA, "Cache Operators", and `ld.global.nc`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects.operations.row import GLOBAL, Assembly, Instruction, Operation
from oxide.ir import I16, I32, I64, I128, PTR

if TYPE_CHECKING:
    from oxide.ir import IntType

LOADS = ("nc", "ca", "cg", "cs", "lu", "cv")
STORES = ("wb", "cg", "cs", "wt")
TYPES = (I16, I32, I64, I128)
SPACE = ((0, GLOBAL),)


def load(operator: str, ty: IntType) -> Operation:
    """Return the row of a load; one of 128 bits needs a later PTX version."""
    path = f"load_{operator}_b{ty.width}"
    meaning = Instruction(f"load {ty}, ptr addrspace({GLOBAL}) %0, align {ty.width // 8}")
    code = Assembly(f"ld.global.{operator}.b{ty.width} $0, [$1];")
    version = 83 if ty is I128 else 63
    return Operation(f"cache::{path}", f"ptx.{path}", (PTR,), ty, code, meaning, spaces=SPACE, memory="read", ptx=version)


def store(operator: str, ty: IntType) -> Operation:
    """Return the row of a store."""
    path = f"store_{operator}_b{ty.width}"
    meaning = Instruction(f"store {ty} %1, ptr addrspace({GLOBAL}) %0, align {ty.width // 8}")
    code = Assembly(f"st.global.{operator}.b{ty.width} [$0], $1;")
    version = 83 if ty is I128 else 63
    return Operation(f"cache::{path}", f"ptx.{path}", (PTR, ty), None, code, meaning, spaces=SPACE, memory="write", ptx=version)


ROWS = (
    *(load(operator, ty) for operator in LOADS for ty in TYPES),
    *(store(operator, ty) for operator in STORES for ty in TYPES),
)
