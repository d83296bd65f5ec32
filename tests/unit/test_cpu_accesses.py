"""What is read of accesses to memory in LLVM's print."""

from __future__ import annotations

import pytest

from oxide.errors import InternalError
from oxide.export.cpu_accesses import Access, Kind, access, size_of


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%v = load i32, ptr %p, align 4", [Access(Kind.READ, "ptr", "%p", "4", 4)]),
        ("%v = load i32, ptr %p, align 4, !noundef !3", [Access(Kind.READ, "ptr", "%p", "4", 4)]),
        (
            "%v = load volatile <4 x float>, ptr addrspace(1) %p, align 16",
            [Access(Kind.READ, "ptr addrspace(1)", "%p", "16", 16, volatile=True)],
        ),
        (
            '%v = load atomic i64, ptr %p syncscope("device") acquire, align 8',
            [Access(Kind.READ, "ptr", "%p", "8", 8, "acquire", "device")],
        ),
        (
            "store i8 1, ptr getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 3), align 1",
            [Access(Kind.WRITE, "ptr", "getelementptr inbounds (i8, ptr addrspacecast (ptr addrspace(1) @g to ptr), i64 3)", "1", 1)],
        ),
        ("store { ptr, i32 } %v, ptr %p, align 8", [Access(Kind.WRITE, "ptr", "%p", "16", 8)]),
        ("store ptr addrspace(3) %v, ptr %p, align 8", [Access(Kind.WRITE, "ptr", "%p", "8", 8)]),
        ("store atomic i32 %v, ptr %p release, align 4", [Access(Kind.WRITE, "ptr", "%p", "4", 4, "release")]),
        (
            '%old = atomicrmw add ptr %p, i32 1 syncscope("block") acq_rel, align 4',
            [Access(Kind.UPDATE, "ptr", "%p", "4", 4, "acq_rel", "block")],
        ),
        (
            "%old = atomicrmw volatile fadd ptr %p, float %v monotonic, align 4",
            [Access(Kind.UPDATE, "ptr", "%p", "4", 4, "monotonic", "", True)],
        ),
        (
            "%pair = cmpxchg weak ptr %p, i64 %a, i64 %b seq_cst monotonic, align 8",
            [Access(Kind.UPDATE, "ptr", "%p", "8", 8, "seq_cst")],
        ),
        (
            "call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 8 %from, i64 12, i1 false)",
            [Access(Kind.READ, "ptr", "%from", "12", 8), Access(Kind.WRITE, "ptr", "%to", "12", 4)],
        ),
        ("call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %n, i1 false)", [Access(Kind.WRITE, "ptr", "%to", "%n", 1)]),
        ("%v = add i32 %a, %b", []),
        ("call void @store(ptr %p)", []),
    ],
)
def test_an_access_is_read(line: str, expected: list[Access]) -> None:
    assert access(f"  {line}") == expected


@pytest.mark.parametrize(
    ("ty", "size"),
    [
        ("i1", 1),
        ("i24", 4),
        ("half", 2),
        ("[3 x i32]", 12),
        ("<3 x i8>", 3),
        ("{ i8, i64, i8 }", 24),
        ("<{ i8, i64 }>", 9),
        ("[2 x { i8, i16 }]", 8),
    ],
)
def test_sizes_in_memory(ty: str, size: int) -> None:
    assert size_of(ty) == size


def test_an_unknown_type_is_told() -> None:
    with pytest.raises(InternalError, match="the size of x86_fp80 is not known"):
        size_of("x86_fp80")
