"""Operations beyond barriers and shuffles, through the driver API: what the PTX ISA says of them."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_size_t, c_void_p
from typing import TYPE_CHECKING

import pytest
from driver_api import Buffer, Device, Failed

from oxide.dialects.operations import OPERATIONS, Assembly
from oxide.export.llvm_ir import spell_string, spell_type

if TYPE_CHECKING:
    from driver_api import Argument, Three

pytest_plugins = ("with_device",)

LAUNCH_FAILED, TOO_LARGE, NOT_SUPPORTED, INVALID_CLUSTER, ASSERT = 719, 720, 801, 912, 710


def call(name: str, *args: str, result: str = "") -> str:
    """Return the line that calls the operation `name`, whose result has this name."""
    row = OPERATIONS[name]
    assert isinstance(row.code, Assembly)
    takes, gives = row.signature
    typed = ", ".join(f"{spell_type(ty)} {arg}" for ty, arg in zip(takes, args, strict=True))
    head = f"%{result} = call {spell_type(gives)}" if gives is not None else "call void"
    return f'  {head} asm sideeffect {spell_string(row.code.text.encode())}, "{row.constraints}"({typed}) #0\n'


SPECIAL = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
"""

START = """\
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %first = mul i32 %block, %size
  %index = add i32 %first, %tid
  %at = getelementptr i32, ptr %out, i32 %index
"""

SYNC = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) #0\n"


def kernel(body: str, before: str = "", attributes: str = "#0") -> str:
    return f"{before}\ndefine ptx_kernel void @k(ptr %out) {attributes} {{\n{START}{body}  ret void\n}}\n{SPECIAL}"


class Attribute(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_uint32), ("padding", ctypes.c_uint32), ("values", ctypes.c_uint32 * 16))


class Config(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("shared", ctypes.c_uint32),
        ("stream", c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint32),
    )


def launch(
    device: Device, body: str, grid: int, block: int, *args: Argument, shared: int = 0, attributes: dict[int, Three] | None = None
) -> None:
    """Launch the kernel `k` with attributes."""
    function = device.function(device.load(device.ptx(body)), "k")

    def attribute(kind: int, value: Three) -> Attribute:
        return Attribute(kind, 0, (ctypes.c_uint32 * 16)(*(value if isinstance(value, tuple) else (value,))))

    items = [attribute(kind, value) for kind, value in (attributes or {}).items()]
    array = (Attribute * max(1, len(items)))(*items)
    config = Config((grid, 1, 1), (block, 1, 1), shared, None, array, len(items))
    places = [arg.address if isinstance(arg, Buffer) else arg for arg in args]
    pointers = (c_void_p * max(1, len(places)))(*(ctypes.addressof(place) for place in places))
    device.call("cuLaunchKernelEx", byref(config), function, pointers, None)


CLUSTER, COOPERATIVE = 4, 2


def test_a_barrier_counts_predicates(device: Device) -> None:
    out = device.ints([0] * 48)
    device.run(
        kernel("""\
  %small = icmp ult i32 %tid, 20
  %count = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %small) #0
  store i32 %count, ptr %at, align 4
"""),
        1, 48, out,
    )  # fmt: skip
    assert out.values() == [20] * 48


NAMED = """
  %produces = icmp ult i32 %tid, 32
  br i1 %produces, label %produce, label %consume
produce:
  %other = add i32 %tid, 32
  %there = getelementptr i32, ptr %out, i32 %other
  store i32 7, ptr %there, align 4
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 COUNT) #0
  br label %end
consume:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 COUNT) #0
  %value = load i32, ptr %at, align 4
  %more = add i32 %value, 1
  store i32 %more, ptr %at, align 4
  br label %end
end:
"""


def test_a_named_barrier_with_arrivals(device: Device) -> None:
    out = device.ints([0] * 64)
    device.run(kernel(NAMED.replace("COUNT", "64")), 1, 64, out)
    assert out.values() == [0] * 32 + [8] * 32


@pytest.mark.parametrize(
    ("count", "message"),
    [("96", "at block barrier 1 for 96 threads in `k`: 32 threads"), ("40", "with a count of 40, which is not a positive multiple of 32")],
)
def test_a_named_barrier_with_a_wrong_count(device: Device, capfd: pytest.CaptureFixture[str], count: str, message: str) -> None:
    with pytest.raises(Failed):
        device.run(kernel(NAMED.replace("COUNT", count)), 1, 64, device.ints([0] * 64))
    assert message in capfd.readouterr().err


BAR = "@bar = internal addrspace(3) global [8 x i8] undef, align 8\n"


def mbarrier(count: int) -> str:
    shared = "addrspacecast (ptr addrspace(3) @bar to ptr)"
    init = call("ptx.mbarrier.init", "@bar", str(count))
    return kernel(
        f"""\
  %leads = icmp eq i32 %tid, 0
  br i1 %leads, label %init, label %go
init:
{init}  br label %go
go:
{SYNC}  store i32 5, ptr %at, align 4
{call("ptx.mbarrier.arrive", "@bar", result="token")}  br label %wait
wait:
{call("ptx.mbarrier.try_wait", "@bar", "%token", result="done32")}  %done = icmp ne i32 %done32, 0
  br i1 %done, label %end, label %wait
end:
  %next = xor i32 %index, 1
  %there = getelementptr i32, ptr %out, i32 %next
  %value = load i32, ptr %there, align 4
  %word = load i64, ptr {shared}, align 8
  store i32 %value, ptr %at, align 4
""",
        BAR,
    )


def test_an_mbarrier(device: Device) -> None:
    out = device.ints([0] * 64)
    device.run(mbarrier(64), 1, 64, out)
    assert out.values() == [5] * 64


def test_an_mbarrier_that_waits_for_too_many(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Failed) as failed:
        device.run(mbarrier(65), 1, 64, device.ints([0] * 64))
    assert failed.value.code == LAUNCH_FAILED
    assert "at an mbarrier with 1 of 65 arrivals pending in `k`: 64 threads" in capfd.readouterr().err


def test_an_mbarrier_that_was_not_made(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Failed):
        device.run(kernel(call("ptx.mbarrier.arrive", "@bar", result="token"), BAR), 1, 1, device.ints([0]))
    assert "uses byte 0 of the shared memory, which is not an mbarrier: it was not initialised" in capfd.readouterr().err


def test_dynamic_shared_memory_lies_behind_the_variables(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    body = kernel(
        f"""\
  %mine = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @dyn to ptr), i32 %tid
  store i32 %tid, ptr %mine, align 4
  store i32 -1, ptr addrspacecast (ptr addrspace(3) @bar to ptr), align 4
{SYNC}  %other = xor i32 %tid, 1
  %theirs = getelementptr i32, ptr addrspacecast (ptr addrspace(3) @dyn to ptr), i32 %other
  %value = load i32, ptr %theirs, align 4
  store i32 %value, ptr %at, align 4
""",
        BAR + "@dyn = external addrspace(3) global [0 x i8], align 16\n",
    )
    out = device.ints([0] * 256)
    launch(device, body, 1, 256, out, shared=1024)
    assert out.values() == [number ^ 1 for number in range(256)]
    with pytest.raises(Failed):
        launch(device, body, 1, 1024, device.ints([0] * 1024), shared=1024)
    assert "past the end of the block's shared memory of 1104 bytes (1024 of them dynamic)" in capfd.readouterr().err


def test_how_much_dynamic_shared_memory_a_launch_may_ask_for(device: Device) -> None:
    function = device.function(device.load(device.ptx(kernel(""))), "k")
    out = device.ints([0])
    pointers = (c_void_p * 1)(ctypes.addressof(out.address))

    def code(shared: int) -> int:
        result: int = device.library.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, shared, None, pointers, None)
        return result

    assert [code(48 << 10), code((48 << 10) + 1)] == [0, 1]
    device.call("cuFuncSetAttribute", function, 8, 227 << 10)
    assert [code(227 << 10), code((227 << 10) + 1)] == [0, 1]
    assert device.library.cuFuncSetAttribute(function, 8, (227 << 10) + 1) == 1


def test_clusters_share_memory(device: Device) -> None:
    arrive, wait = call("ptx.barrier.cluster.arrive.release.aligned"), call("ptx.barrier.cluster.wait.acquire.aligned")
    rank = call("ptx.read.cluster_ctarank", result="rank").replace("asm sideeffect", "asm")
    body = kernel(
        f"""\
{rank}  store i32 %block, ptr addrspacecast (ptr addrspace(3) @bar to ptr), align 4
{arrive}{wait}  %other = xor i32 %rank, 1
{call("ptx.mapa", "addrspacecast (ptr addrspace(3) @bar to ptr)", "%other", result="there").replace("asm sideeffect", "asm")}\
  %value = load i32, ptr %there, align 4
  store i32 %value, ptr %at, align 4
{arrive}{wait}""",
        BAR,
    )
    out = device.ints([0] * 8 * 32)
    launch(device, body, 8, 32, out, attributes={CLUSTER: (2, 1, 1)})
    assert out.values() == [block ^ 1 for block in range(8) for _ in range(32)]
    for dim in ((3, 1, 1), (16, 1, 1), (0, 1, 1)):
        with pytest.raises(Failed) as failed:
            launch(device, body, 8, 32, out, attributes={CLUSTER: dim})
        assert failed.value.code == INVALID_CLUSTER
    # The kernel's own shape.
    own = body.replace("#0 {", '#0 "nvvm.cluster_dim"="4,1,1" "nvvm.reqntid"="32,1,1" {', 1)
    launch(device, own, 8, 32, out)
    with pytest.raises(Failed):
        launch(device, own, 8, 64, out)


def test_the_grid_waits_for_all_of_a_cooperative_launch(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    body = kernel(f"""\
  store i32 %index, ptr %at, align 4
{call("ptx.grid.sync")}  %other = sub i32 255, %index
  %there = getelementptr i32, ptr %out, i32 %other
  %value = load i32, ptr %there, align 4
{call("ptx.grid.sync")}  store i32 %value, ptr %at, align 4
""")
    out = device.ints([0] * 256)
    launch(device, body, 4, 64, out, attributes={COOPERATIVE: 1})
    assert out.values() == list(range(255, -1, -1))
    with pytest.raises(Failed) as failed:
        launch(device, body, 132 * 2 + 1, 1024, out, attributes={COOPERATIVE: 1})
    assert failed.value.code == TOO_LARGE
    with pytest.raises(Failed) as failed:
        launch(device, body, 4, 64, out)
    assert "arrives at the grid's barrier in `k` in a launch that is not cooperative" in capfd.readouterr().err


LOOK_BACK = """\
  %leads = icmp eq i32 %tid, 0
  br i1 %leads, label %wait, label %end
wait:
  %before = load atomic i32, ptr %out acquire, align 4
  %turn = icmp eq i32 %before, WHOSE
  br i1 %turn, label %take, label %wait
take:
  %old = atomicrmw add ptr %out, i32 1 release, align 4
  br label %end
end:
"""


def test_blocks_wait_for_those_before_them(device: Device) -> None:
    out = device.ints([0])
    device.run(kernel(LOOK_BACK.replace("WHOSE", "%block")), 500, 64, out)
    assert out.values() == [500]


def test_blocks_wait_for_those_after_them(device: Device) -> None:
    out = device.ints([0])
    body = kernel("  %turns = sub i32 99, %block\n" + LOOK_BACK.replace("WHOSE", "%turns"))
    device.run(body, 100, 32, out)
    assert out.values() == [100]


def test_blocks_that_change_what_they_look_at_wait_for_others_too(device: Device) -> None:
    out = device.ints([0, 0])
    body = kernel("""\
  %flag = getelementptr i32, ptr %out, i32 1
  %last = icmp eq i32 %block, 39
  br i1 %last, label %raise, label %wait
raise:
  store atomic i32 1, ptr %flag release, align 4
  br label %end
wait:
  %old = atomicrmw add ptr %out, i32 1 monotonic, align 4
  %seen = load atomic i32, ptr %flag acquire, align 4
  %raised = icmp eq i32 %seen, 1
  br i1 %raised, label %end, label %wait
end:
""")
    device.run(body, 40, 32, out)
    assert out.values()[1] == 1


def test_blocks_that_look_between_barriers_wait_for_others_too(device: Device) -> None:
    out = device.ints([0, 0])
    body = kernel(
        f"""\
  %last = icmp eq i32 %block, 9
  br i1 %last, label %raise, label %wait
raise:
  store atomic i32 1, ptr %out release, align 4
  br label %end
wait:
  %seen = load atomic i32, ptr %out acquire, align 4
  store i32 %seen, ptr addrspacecast (ptr addrspace(3) @bar to ptr), align 4
{SYNC}  %told = load i32, ptr addrspacecast (ptr addrspace(3) @bar to ptr), align 4
{SYNC}  %raised = icmp eq i32 %told, 1
  br i1 %raised, label %end, label %wait
end:
""",
        BAR,
    )
    device.run(body, 10, 64, out)
    assert out.values()[0] == 1


def test_what_has_no_meaning_is_refused_before_the_launch(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
define internal i32 @helper() #0 {
  %value = call i32 asm sideeffect "mystery.instruction $0;", "=r"() #0, !oxide.note !0
  %lost = call { i32, i32 } asm sideeffect "other $0, $1;", "=r,=r"() #0
  ret i32 %value
}
define ptx_kernel void @k(ptr %out) #0 {
  %value = call i32 @helper()
  store i32 %value, ptr %out, align 4
  ret void
}
define ptx_kernel void @fine(ptr %out) #0 {
  store i32 3, ptr %out, align 4
  ret void
}
!0 = !{!"inline PTX, at k.rs:3:5"}
"""
    module = device.load(device.ptx(body))
    out = device.ints([0])
    device.launch(device.function(module, "fine"), 1, 1, out)
    assert out.values() == [3]
    with pytest.raises(Failed) as failed:
        device.launch(device.function(module, "k"), 1, 1, out)
    assert failed.value.code == NOT_SUPPORTED
    message = "`mystery.instruction $0;`, which has no meaning there, in `helper`: inline PTX, at k.rs:3:5"
    assert f"oxide: kernel `k` cannot run on the CPU device: {message}\n" in capfd.readouterr().err
    device.call("cuCtxSynchronize")


def test_functions_that_the_c_library_lacks(device: Device) -> None:
    body = """
define ptx_kernel void @k(ptr %out, float %x) #0 {
  %value = call float @__nv_erfinvf(float %x) #0
  store float %value, ptr %out, align 4
  ret void
}
declare float @__nv_erfinvf(float) #0
"""
    out = device.floats([0])
    device.run(body, 1, 1, out, ctypes.c_float(0.5))
    assert out.values() == [ctypes.c_float(0.4769362762044699).value]


def test_kernels_print(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
@form = internal constant [17 x i8] c"%d of %s: %.1f\\0A\\00\\00"
@word = internal constant [4 x i8] c"two\\00"
define ptx_kernel void @k(ptr %out) #0 {
  %args = alloca [24 x i8], align 8
  %second = getelementptr i8, ptr %args, i64 8
  %third = getelementptr i8, ptr %args, i64 16
  store i32 7, ptr %args, align 4
  store ptr @word, ptr %second, align 8
  store double 1.5, ptr %third, align 8
  %count = call i32 @vprintf(ptr @form, ptr %args)
  store i32 %count, ptr %out, align 4
  ret void
}
declare i32 @vprintf(ptr, ptr)
"""
    out = device.ints([0])
    device.run(body, 1, 2, out)
    assert out.values() == [3]
    assert capfd.readouterr().out == "7 of two: 1.5\n" * 2


def test_an_assertion_fails(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
@text = internal constant [4 x i8] c"a>b\\00"
@file = internal constant [5 x i8] c"k.rs\\00"
@name = internal constant [2 x i8] c"k\\00"
define ptx_kernel void @k() #0 {
  call void @__assertfail(ptr @text, ptr @file, i32 12, ptr @name, i64 1)
  unreachable
}
declare void @__assertfail(ptr, ptr, i32, ptr, i64)
"""
    with pytest.raises(Failed) as failed:
        device.run(body, 1, 1)
    assert failed.value.code == ASSERT
    assert capfd.readouterr().err == "k.rs:12: k: block: [0,0,0], thread: [0,0,0] Assertion `a>b` failed.\n"


def test_occupancy(device: Device) -> None:
    function = device.function(device.load(device.ptx(kernel(""))), "k")
    blocks = c_int()
    for threads, shared, expected in ((1024, 0, 2), (256, 0, 8), (32, 0, 32), (128, 100 << 10, 2)):
        device.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(blocks), function, threads, c_size_t(shared))
        assert blocks.value == expected
    for attribute in (95, 120):
        device.call("cuDeviceGetAttribute", byref(blocks), attribute, 0)
        assert blocks.value == 1
