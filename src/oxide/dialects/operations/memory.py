"""Addresses, caches and asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.dialects.operations.row import GLOBAL, SHARED, Assembly, Body, Instruction, Intrinsic, Operation, RuntimeCall
from oxide.ir import F32, F64, I1, I32, I64, PTR, Type

if TYPE_CHECKING:
    from oxide.ir import NumberType

ADDRESSES = ((0, SHARED), (1, GLOBAL))


def of_copies(
    path: str,
    params: tuple[Type, ...],
    text: str,
    meaning: RuntimeCall,
    *,
    spaces: tuple[tuple[int, int], ...] = (),
    immediate: tuple[int, ...] = (),
) -> Operation:
    """Return the row of an operation of asynchronous copies."""
    name, path, code = f"ptx.{path.replace('_', '.')}", f"async_copy::{path}", Assembly(text)
    return Operation(path, name, params, None, code, meaning, spaces=spaces, immediate=immediate, memory="write", sm=80, ptx=70)


def copy(cache: str, size: int) -> Operation:
    """Return the row of a copy of so many bytes, 4, 8 or 16, from global to shared memory."""
    text = f"cp.async.{cache}.shared.global [$0], [$1], {size};"
    meaning = RuntimeCall("copy_async", (size,))
    return of_copies(f"cp_async_{cache}_{size}", (PTR, PTR), text, meaning, spaces=ADDRESSES)


def filling_copy(cache: str, size: int) -> Operation:
    """Return the row of a copy whose source may be shorter."""
    text = f"cp.async.{cache}.shared.global [$0], [$1], {size}, $2;"
    meaning = RuntimeCall("copy_async_fill", (size,))
    return of_copies(f"cp_async_{cache}_zfill_{size}", (PTR, PTR, I32), text, meaning, spaces=ADDRESSES)


def arrival(*, noinc: bool, shared: bool) -> Operation:
    """Return the row that lets an mbarrier know when the copies begun so far are done."""
    modifiers = [*(["noinc"] if noinc else []), *(["shared"] if shared else [])]
    path = "_".join(["cp_async_mbarrier_arrive", *modifiers])
    text = f"{'.'.join(['cp.async.mbarrier.arrive', *modifiers])}.b64 [$0];"
    return of_copies(path, (PTR,), text, RuntimeCall("copy_async_arrive", (int(noinc),)), spaces=((0, SHARED),) if shared else ())


ATOMICS: dict[str, tuple[str, tuple[NumberType, ...]]] = {
    "xchg": ("exch.b", (I32, I64)), "add": ("add.u", (I32, I64)), "and": ("and.b", (I32, I64)), "or": ("or.b", (I32, I64)),
    "xor": ("xor.b", (I32, I64)), "max": ("max.s", (I32, I64)), "min": ("min.s", (I32, I64)), "umax": ("max.u", (I32, I64)),
    "umin": ("min.u", (I32, I64)), "fadd": ("add.f", (F32, F64)),
}  # fmt: skip
"""LLVM's atomic updates that PTX has an instruction for: its name and the numbers it takes (PTX ISA, `atom`)."""


def system_atomic(operation: str, instruction: str, ty: NumberType) -> Operation:
    """Return the row of a relaxed atomic update that the whole system sees as one."""
    llvm_type = "float" if ty is F32 else "double" if ty is F64 else f"i{ty.width}"
    meaning = Instruction(f"atomicrmw {operation} ptr %0, {llvm_type} %1 monotonic, align {ty.width // 8}")
    code = Assembly(f"atom.relaxed.sys.{instruction}{ty.width} $0, [$1], $2;")
    doc = "Update in one piece for the whole system; the result is what was there."
    return Operation("", f"ptx.atom.sys.{operation}.{ty}", (PTR, ty), ty, code, meaning, memory="write", doc=doc)


def packed_atomic(kind: str, sm: int, ptx: int) -> Operation:
    """Return the row of the addition of two half floats in one piece each."""
    code = Assembly(f"atom.global.add.noftz.{kind} $0, [$1], $2;")
    path = f"atom_add_{kind}"
    spaces = ((0, GLOBAL),)
    return Operation(
        f"atomic::{path}", f"ptx.{path}", (PTR, I32), I32, code, RuntimeCall(path), spaces=spaces, memory="write", sm=sm, ptx=ptx
    )


KINDS = (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16))

ROWS = (
    Operation(
        "", "ptx.isspacep.local", (PTR,), I1, Intrinsic("llvm.nvvm.isspacep.local"),
        # There such memory takes atomic accesses like any other.
        Body("  ret i1 false"), doc="Whether an address lies in the thread's own memory, which takes no atomic accesses.",
    ),
    Operation(
        "", "ptx.isspacep.shared", (PTR,), I1, Intrinsic("llvm.nvvm.isspacep.shared"), RuntimeCall("is_shared"),
        doc="Whether an address lies in the block's shared memory.",
    ),
    Operation(
        "shared::cvta_generic_to_shared_offset", "ptx.cvta.to.shared", (PTR,), I64, Assembly("cvta.to.shared.u64 $0, $1;"),
        RuntimeCall("shared_offset"),
    ),
    Operation(
        "", "ptx.compiler.fence", (), None, Assembly(""), Body("  ret void"), memory="write",
        doc="Keeps accesses to memory on their side of it while a program is compiled; no instruction.",
    ),
    *(system_atomic(operation, instruction, ty) for operation, (instruction, types) in ATOMICS.items() for ty in types),
    packed_atomic("f16x2", 75, 63),
    packed_atomic("bf16x2", 90, 78),
    *(copy(cache, size) for cache, size in KINDS),
    *(filling_copy(cache, size) for cache, size in KINDS),
    of_copies(
        "cp_async_commit_group", (), "cp.async.commit_group;", RuntimeCall("copy_async_commit"),
    ),
    of_copies(
        "cp_async_wait_all", (), "cp.async.wait_all;", RuntimeCall("copy_async_wait_all"),
    ),
    of_copies(
        "cp_async_wait_group", (I32,), "cp.async.wait_group $0;", RuntimeCall("copy_async_wait"), immediate=(0,),
    ),
    *(arrival(noinc=noinc, shared=shared) for shared in (False, True) for noinc in (False, True)),
)  # fmt: skip
