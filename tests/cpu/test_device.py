"""Kernels on the CPU device, through the driver API."""

from __future__ import annotations

import ctypes
import re
import subprocess
import threading
import time
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p, cast
from typing import TYPE_CHECKING

import pytest
from driver_api import Device, Failed

from oxide.export import artifact
from oxide.rust import toolchain

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ("with_device",)

INVALID_VALUE, INVALID_PTX, FILE_NOT_FOUND, INVALID_HANDLE, NOT_FOUND = 1, 218, 301, 400, 500
ILLEGAL_ADDRESS, LAUNCH_FAILED = 700, 719

STORE = "define ptx_kernel void @k(ptr %p0) #0 {\n  store i32 42, ptr %p0, align 4\n  ret void\n}\n"

SPECIAL = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.trap()
"""

INDEX = """
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = mul i32 %block, %size
  %index = add i32 %start, %thread
  %at = getelementptr i32, ptr %out, i32 %index
"""


def test_one_thread_and_many_store_42(device: Device) -> None:
    out = device.ints([0])
    device.run(STORE, 1, 256, out)
    assert out.values() == [42]


def test_vecadd_over_more_blocks_than_cores(device: Device) -> None:
    count = 100_000
    a, b, c = device.floats(range(count)), device.floats([0.5] * count), device.floats([0] * count)
    body = f"""
define ptx_kernel void @k(ptr noalias readonly %a, ptr noalias readonly %b, ptr %out, i64 %count) #0 {{
{INDEX}
  %wide = zext i32 %index to i64
  %inside = icmp ult i64 %wide, %count
  br i1 %inside, label %add, label %end
add:
  %pa = getelementptr float, ptr %a, i64 %wide
  %pb = getelementptr float, ptr %b, i64 %wide
  %va = load float, ptr %pa, align 4
  %vb = load float, ptr %pb, align 4
  %sum = fadd contract float %va, %vb
  store float %sum, ptr %at, align 4
  br label %end
end:
  ret void
}}
{SPECIAL}"""
    device.run(body, -(-count // 256), 256, a, b, c, c_uint64(count))
    assert c.values() == [number + 0.5 for number in range(count)]


REDUCE = f"""
@tile = internal addrspace(3) global [1024 x i8] undef, align 4

define ptx_kernel void @k(ptr %in, ptr %out) #0 {{
entry:
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = mul i32 %block, %size
  %index = add i32 %start, %thread
  %from = getelementptr i32, ptr %in, i32 %index
  %value = load i32, ptr %from, align 4
  %tile = addrspacecast ptr addrspace(3) @tile to ptr
  %mine = getelementptr i32, ptr %tile, i32 %thread
  store i32 %value, ptr %mine, align 4
  br label %head
head:
  %stride = phi i32 [ 128, %entry ], [ %next, %latch ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %more = icmp ugt i32 %stride, 0
  br i1 %more, label %body, label %end
body:
  %adds = icmp ult i32 %thread, %stride
  br i1 %adds, label %add, label %latch
add:
  %other = add i32 %thread, %stride
  %there = getelementptr i32, ptr %tile, i32 %other
  %theirs = load i32, ptr %there, align 4
  %own = load i32, ptr %mine, align 4
  %sum = add i32 %own, %theirs
  store i32 %sum, ptr %mine, align 4
  br label %latch
latch:
  %next = lshr i32 %stride, 1
  br label %head
end:
  %first = icmp eq i32 %thread, 0
  br i1 %first, label %write, label %exit
write:
  %total = load i32, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4
  %to = getelementptr i32, ptr %out, i32 %block
  store i32 %total, ptr %to, align 4
  br label %exit
exit:
  ret void
}}
{SPECIAL}"""


def test_reduction_with_barriers_and_shared_memory(device: Device) -> None:
    values = [(number * 7919) % 1000 for number in range(64 * 256)]
    inputs, out = device.ints(values), device.ints([0] * 64)
    device.run(REDUCE, 64, 256, inputs, out)
    assert out.values() == [sum(values[start : start + 256]) for start in range(0, len(values), 256)]


def test_static_shared_memory_is_an_attribute_of_the_kernel(device: Device) -> None:
    function = device.function(device.load(device.ptx(REDUCE)), "k")
    value = c_int()
    device.call("cuFuncGetAttribute", byref(value), 1, function)
    assert value.value == 1024


def test_warp_exchanges(device: Device) -> None:
    out = device.ints([0] * 128)
    body = f"""
define ptx_kernel void @k(ptr %out) #0 {{
{INDEX}
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %down = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %index, i32 1, i32 31) #0
  %odd = and i32 %lane, 1
  %is_odd = icmp eq i32 %odd, 1
  %lanes = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %is_odd) #0
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %is_odd) #0
  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %is_odd) #0
  %bits = sitofp i32 %lane to float
  %half = fmul float %bits, 5.000000e-01
  %swapped = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %half, i32 1, i32 31) #0
  %twice = fmul float %swapped, 2.000000e+00
  %partner = fptosi float %twice to i32
  %active = call i32 @llvm.nvvm.activemask() #0
  %full = icmp eq i32 %active, -1
  %right = icmp eq i32 %lanes, -1431655766
  %not_all = xor i1 %all, true
  %one = and i1 %any, %not_all
  %two = and i1 %one, %right
  %ok = and i1 %two, %full
  %weight = select i1 %ok, i32 1000, i32 0
  %scaled = mul i32 %partner, %weight
  %result = add i32 %scaled, %down
  store i32 %result, ptr %at, align 4
  ret void
}}
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i32 @llvm.nvvm.activemask()
{SPECIAL}"""
    device.run(body, 2, 64, out)
    lanes = [number % 32 for number in range(128)]
    assert out.values() == [1000 * (lane ^ 1) + min(number + 1, number - lane + 31) for number, lane in enumerate(lanes)]


def skipping(condition: str) -> str:
    return f"""
define ptx_kernel void @k() #0 {{
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %waits = icmp {condition}
  br i1 %waits, label %wait, label %end
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) #0
  br label %end
end:
  ret void
}}
{SPECIAL}"""


def test_a_barrier_that_some_threads_skip(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Failed) as failed:
        device.run(skipping("ult i32 %thread, 96"), 1, 128)
    assert failed.value.code == LAUNCH_FAILED
    assert capfd.readouterr().err == (
        "oxide: kernel `k`: threads of block (0, 0, 0) are in a deadlock: some wait for others that never arrive\n"
        "  at block barrier 0 in `k`: 96 threads, (0, 0, 0) to (95, 0, 0)\n"
        "  exited: 32 threads, (96, 0, 0) to (127, 0, 0)\n"
    )
    # The error stays until the context ends.
    with pytest.raises(Failed) as later:
        device.call("cuCtxSynchronize")
    assert later.value.code == LAUNCH_FAILED
    device.call("cuDevicePrimaryCtxReset_v2", 0)
    device.call("cuCtxSynchronize")


LOOPS_UNTIL = f"""
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
define ptx_kernel void @k(ptr %flag) #0 {{
start:
  br label %round
round:
  %seen = load volatile i32, ptr %flag, align 4
  %ends = icmp ne i32 %seen, 0
  %end_all = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %ends) #0
  br i1 %end_all, label %end, label %round
end:
  ret void
}}
{SPECIAL}"""


def test_threads_that_loop_over_barriers_are_reported(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    function = device.function(device.load(device.ptx(LOOPS_UNTIL)), "k")
    flag = device.ints([0])
    printed: list[str] = []

    def end() -> None:
        deadline = time.monotonic() + 60
        while not "".join(printed) and time.monotonic() < deadline:
            time.sleep(1)
            printed.append(capfd.readouterr().err)
        ctypes.memset(flag.address.value or 0, 1, 1)

    ending = threading.Thread(target=end)
    ending.start()
    device.launch(function, 1, 64, flag)
    ending.join()
    message = (
        "oxide: kernel `k`: threads of block (0, 0, 0) have looped over barriers for 20 seconds; "
        "`oxide run --check all` ends such a loop where no thread writes to memory\n"
    )
    assert "".join(printed) == message
    assert capfd.readouterr().err == ""


def test_a_shuffle_that_a_lane_never_reaches(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    body = f"""
define ptx_kernel void @k() #0 {{
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %thread, 0
  br i1 %first, label %one, label %others
one:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) #0
  br label %end
others:
  call void @llvm.nvvm.bar.warp.sync(i32 -1) #0
  br label %end
end:
  ret void
}}
declare void @llvm.nvvm.bar.warp.sync(i32)
{SPECIAL}"""
    with pytest.raises(Failed):
        device.run(body, 1, 32)
    err = capfd.readouterr().err
    assert "at block barrier 0 in `k`: 1 thread, (0, 0, 0)\n" in err
    assert "at warp barrier with mask 0xffffffff in `k`: 31 threads, (1, 0, 0) to (31, 0, 0)\n" in err


@pytest.mark.parametrize("barrier", ["", "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"], ids=["loop", "fibers"])
def test_a_panic_names_block_and_thread(device: Device, capfd: pytest.CaptureFixture[str], barrier: str) -> None:
    body = f"""
define ptx_kernel void @k(ptr %out) #0 {{
{INDEX}
{barrier}  %bad = icmp eq i32 %index, 70
  br i1 %bad, label %panic, label %fine
panic:
  call void @_RNvNtCs1234_4core9panicking5panic() #0
  unreachable
fine:
  ret void
}}
define internal void @_RNvNtCs1234_4core9panicking5panic() #0 noinline {{
  call void @llvm.trap()
  unreachable
}}
{SPECIAL}"""
    with pytest.raises(Failed) as failed:
        device.run(body, 2, (64, 1, 1), device.ints([0] * 128))
    assert failed.value.code == LAUNCH_FAILED
    assert capfd.readouterr().err == "oxide: kernel `k`: thread (6, 0, 0) of block (1, 0, 0) panicked in `core::panicking::panic`\n"


def test_an_access_beyond_an_allocation(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    out = device.ints([0] * 64)
    body = f"define ptx_kernel void @k(ptr %out) #0 {{\n{INDEX}  store i32 1, ptr %at, align 4\n  ret void\n}}\n{SPECIAL}"
    device.run(body, 1, 64, out)
    with pytest.raises(Failed) as failed:
        device.run(body, 1, 65, out)
    assert failed.value.code == ILLEGAL_ADDRESS
    err = capfd.readouterr().err
    assert "thread (64, 0, 0) of block (0, 0, 0) accessed 0x" in err
    assert "0 bytes past the end of an allocation of 256 bytes" in err


def test_an_access_to_an_invalid_address(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    body = "define ptx_kernel void @k(ptr %p0) #0 {\n  store i32 1, ptr %p0, align 4\n  ret void\n}\n"
    with pytest.raises(Failed) as failed:
        device.run(body, 1, 1, c_uint64(0x8000_0000_0000_0000))
    assert failed.value.code == ILLEGAL_ADDRESS
    assert "accessed an address that is misaligned or invalid" in capfd.readouterr().err


def test_a_stack_overflow(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    body = """
define ptx_kernel void @k(ptr %p0) #0 {
  call void @deep(ptr %p0)
  ret void
}
define internal void @deep(ptr %p0) #0 noinline {
  %local = alloca [4096 x i8], align 8
  store volatile i8 1, ptr %local
  call void @deep(ptr %local)
  store volatile i8 2, ptr %local
  ret void
}
"""
    with pytest.raises(Failed) as failed:
        device.run(body, 1, 1, device.ints([0]))
    assert failed.value.code == LAUNCH_FAILED
    assert "overflowed its stack" in capfd.readouterr().err


class Pair(ctypes.Structure):
    _fields_ = (("left", c_uint32), ("wide", c_uint64), ("right", c_uint32))


def test_a_struct_by_value(device: Device) -> None:
    out = device.ints([0] * 32)
    body = f"""
define ptx_kernel void @k(i8 %small, ptr byval([24 x i8]) align 8 %pair, ptr %out) #0 {{
{INDEX}
  %right = getelementptr i8, ptr %pair, i64 16
  %a = load i32, ptr %pair, align 4
  %b = load i32, ptr %right, align 4
  %c = zext i8 %small to i32
  ; a thread may write its own copy
  store i32 -1, ptr %pair, align 4
  %ab = add i32 %a, %b
  %sum = add i32 %ab, %c
  store i32 %sum, ptr %at, align 4
  ret void
}}
{SPECIAL}"""
    device.run(body, 1, 32, ctypes.c_uint8(7), Pair(1000, 1 << 40, 200), out)
    assert out.values() == [1207] * 32


def test_a_block_of_three_dimensions(device: Device) -> None:
    out = device.ints([0] * 24)
    body = f"""
define ptx_kernel void @k(ptr %out) #0 {{
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %zy = mul i32 %z, %ny
  %row = add i32 %zy, %y
  %rowx = mul i32 %row, %nx
  %number = add i32 %rowx, %x
  %hundreds = mul i32 %z, 100
  %tens = mul i32 %y, 10
  %zs = add i32 %hundreds, %tens
  %value = add i32 %zs, %x
  %at = getelementptr i32, ptr %out, i32 %number
  store i32 %value, ptr %at, align 4
  ret void
}}
{SPECIAL}"""
    device.run(body, 1, (4, 3, 2), out)
    assert out.values() == [100 * z + 10 * y + x for z in range(2) for y in range(3) for x in range(4)]


COUNTER = """
@counter = addrspace(1) global [4 x i8] c"%s\\00\\00\\00", align 4
define ptx_kernel void @k(ptr %%p0) #0 {
  %%old = load i32, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4
  store i32 %%old, ptr %%p0, align 4
  %%new = add i32 %%old, 1
  store i32 %%new, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4
  ret void
}
"""


def test_modules_with_the_same_names_are_apart(device: Device) -> None:
    first, second = device.ptx(COUNTER % "\\0A"), device.ptx(COUNTER % "\\64")
    modules = [device.load(ptx) for ptx in (first, second, first)]
    out = device.ints([0])

    def count(module: c_void_p) -> float:
        device.launch(device.function(module, "k"), 1, 1, out)
        return out.values()[0]

    assert [count(modules[at]) for at in (0, 0, 1, 2, 0)] == [10, 11, 100, 10, 12]
    device.call("cuModuleUnload", modules[0])
    assert count(modules[1]) == 101


def test_a_global_is_found_by_name(device: Device) -> None:
    module = device.load(device.ptx(COUNTER % "\\05"))
    address, size, value = c_uint64(), c_size_t(), c_int(70)
    device.call("cuModuleGetGlobal_v2", byref(address), byref(size), module, b"counter")
    device.call("cuMemcpyHtoD_v2", address, byref(value), size)
    out = device.ints([0])
    device.launch(device.function(module, "k"), 1, 1, out)
    assert (size.value, out.values()) == (4, [70])
    with pytest.raises(Failed) as missing:
        device.call("cuModuleGetGlobal_v2", byref(address), byref(size), module, b"other")
    assert missing.value.code == NOT_FOUND


def test_contract_does_not_fuse(device: Device) -> None:
    out = device.floats([0])
    # (1 + 2^-12)^2 - (1 + 2^-11): 2^-24 where fused, 0 where the product is rounded
    body = """
define ptx_kernel void @k(float %a, float %b, ptr %out) #0 {
  %square = fmul contract float %a, %a
  %difference = fadd contract float %square, %b
  store float %difference, ptr %out, align 4
  ret void
}
"""
    device.run(body, 1, 1, ctypes.c_float(1 + 2**-12), ctypes.c_float(-(1 + 2**-11)), out)
    assert out.values() == [0]


def test_an_edited_ptx_is_refused(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    ptx = device.ptx(STORE)
    with pytest.raises(Failed) as failed:
        device.load(ptx.replace(b"42", b"43"))
    assert failed.value.code == INVALID_PTX
    assert "this PTX was edited after oxide wrote it (key " in capfd.readouterr().err


def test_a_foreign_ptx_is_refused_in_the_log(device: Device, capfd: pytest.CaptureFixture[str]) -> None:
    log = ctypes.create_string_buffer(512)
    keys = (c_int * 2)(5, 6)
    values = (c_void_p * 2)(ctypes.addressof(log), len(log))
    with pytest.raises(Failed) as failed:
        device.call("cuModuleLoadDataEx", byref(c_void_p()), c_char_p(b".version 8.0\n"), 2, keys, values)
    assert failed.value.code == INVALID_PTX
    assert log.value.startswith(b"oxide: no CPU image for this PTX: oxide did not write it")
    assert capfd.readouterr().err == ""


def test_a_file_and_the_image_beside_it(device: Device, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ptx = device.ptx(STORE)
    key = ptx.split()[2].decode()
    (path := tmp_path / "hello.ptx").write_bytes(ptx)
    cached = tmp_path / "cpu" / f"{key}.so"
    cached.rename(tmp_path / f"hello.{key}.cpu.so")
    module = c_void_p()
    device.call("cuModuleLoad", byref(module), str(path).encode())
    out = device.ints([0])
    device.launch(device.function(module, "k"), 1, 1, out)
    assert out.values() == [42]
    (tmp_path / f"hello.{key}.cpu.so").unlink()
    with pytest.raises(Failed) as failed:
        device.call("cuModuleLoad", byref(module), str(path).encode())
    assert failed.value.code == INVALID_PTX
    assert f"no CPU image for this PTX (key {key})" in capfd.readouterr().err
    with pytest.raises(Failed) as failed:
        device.call("cuModuleLoad", byref(module), str(tmp_path / "none.ptx").encode())
    assert failed.value.code == FILE_NOT_FOUND


def test_an_image_that_a_loaded_library_carries(device: Device, tmp_path: Path) -> None:
    ptx = device.ptx(STORE)
    image = tmp_path / "cpu" / f"{ptx.split()[2].decode()}.so"
    record = artifact.encode([(artifact.Kind.CRATE, b"demo"), (artifact.Kind.PTX, ptx), (artifact.Kind.CPU_IMAGE, image.read_bytes())])
    image.unlink()
    with pytest.raises(Failed):
        device.load(ptx)
    artifact.make_object(record, crate="demo", output=tmp_path / "artifact.o")
    (tmp_path / "code.c").write_text("int f(void) { return 1; }\n")
    options = ["-shared", "-fPIC", "-Wl,--gc-sections", "-o", "libdemo.so"]
    subprocess.run(["cc", *options, "code.c", "artifact.o"], cwd=tmp_path, check=True)
    ctypes.CDLL(str(tmp_path / "libdemo.so"))
    out = device.ints([0])
    device.launch(device.function(device.load(ptx), "k"), 1, 1, out)
    assert out.values() == [42]


def linked(device: Device, *bodies: str) -> c_void_p:
    """Return the module that is linked of these texts."""
    link, image, size = c_void_p(), c_void_p(), c_size_t()
    device.call("cuLinkCreate_v2", 0, None, None, byref(link))
    for ptx in map(device.ptx, bodies):
        device.call("cuLinkAddData_v2", link, 1, c_char_p(ptx), c_size_t(len(ptx) + 1), b"text", 0, None, None)
    device.call("cuLinkComplete", link, byref(image), byref(size))
    module = device.load(ctypes.string_at(image, size.value - 1))
    device.call("cuLinkDestroy", link)
    return module


def test_linked_texts_are_one_module(device: Device) -> None:
    other = STORE.replace("@k", "@other").replace("42", "7")
    module = linked(device, STORE, other)
    out = device.ints([0])
    for name, expected in (("k", 42), ("other", 7)):
        device.launch(device.function(module, name), 1, 1, out)
        assert out.values() == [expected]


def test_linked_texts_have_one_constant_of_a_name(device: Device) -> None:
    constant = """
@scale = weak_odr addrspace(4) externally_initialized constant [4 x i8] zeroinitializer, align 4
define ptx_kernel void @k(ptr %out) #0 {
  %scale = load i32, ptr addrspace(4) @scale, align 4
  store i32 %scale, ptr %out, align 4
  ret void
}
attributes #0 = { convergent nounwind }
"""
    module = linked(device, constant, constant.replace("@k", "@other"))
    address, size, value = c_uint64(), c_size_t(), c_int(5)
    device.call("cuModuleGetGlobal_v2", byref(address), byref(size), module, b"scale")
    device.call("cuMemcpyHtoD_v2", address, byref(value), size)
    for name in ("k", "other"):
        out = device.ints([0])
        device.launch(device.function(module, name), 1, 1, out)
        assert out.values() == [5]


@pytest.mark.parametrize(
    ("grid", "block"),
    [(0, 1), (1, 0), (1, 1025), (1, (1, 1, 65)), (1, (32, 33, 1)), ((1, 65536, 1), 1), ((1, 1, 65536), 1), (1 << 31, 1)],
)
def test_shapes_that_no_gpu_takes(device: Device, grid: int, block: int) -> None:
    out = device.ints([0])
    with pytest.raises(Failed) as failed:
        device.run(STORE, grid, block, out)
    assert failed.value.code == INVALID_VALUE
    # That is no error of a kernel, so it does not stay.
    device.call("cuCtxSynchronize")


def test_launch_bounds_are_kept(device: Device) -> None:
    body = STORE.replace("#0 {", '#0 "nvvm.maxntid"="64" {')
    device.run(body, 1, 64, device.ints([0]))
    with pytest.raises(Failed):
        device.run(body, 1, 65, device.ints([0]))


def test_memory_that_is_not_the_devices(device: Device) -> None:
    out = device.ints([0] * 4)
    host = (c_int * 8)()

    def code(name: str, *args: object) -> int:
        result: int = getattr(device.library, name)(*args)
        return result

    assert code("cuMemcpyDtoH_v2", host, out.address, c_size_t(17)) == INVALID_VALUE
    assert code("cuMemcpyHtoD_v2", c_uint64(out.address.value + 8), host, c_size_t(16)) == INVALID_VALUE
    assert code("cuMemsetD32_v2", out.address, c_uint32(1), c_size_t(5)) == INVALID_VALUE
    assert code("cuMemFree_v2", c_uint64(out.address.value + 4)) == INVALID_VALUE
    assert code("cuMemFree_v2", out.address) == 0
    assert code("cuMemFree_v2", out.address) == INVALID_VALUE
    assert code("cuMemFree_v2", c_uint64(0)) == 0
    assert code("cuStreamSynchronize", c_void_p(0x1234)) == INVALID_HANDLE
    assert code("cuModuleUnload", c_void_p(0x1234)) == INVALID_HANDLE


def test_parameters_in_a_buffer(device: Device) -> None:
    out = device.ints([0])
    function = device.function(device.load(device.ptx(STORE)), "k")
    size = c_size_t(8)
    extra = (c_void_p * 5)(1, ctypes.addressof(out.address), 2, ctypes.addressof(size), None)
    device.call("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, None, None, extra)
    assert out.values() == [42]


def test_entry_points_by_name(device: Device) -> None:
    address, status = c_void_p(), c_int()
    device.call("cuGetProcAddress_v2", b"cuMemAlloc", byref(address), 12000, c_uint64(0), byref(status))
    assert address.value == cast(device.library.cuMemAlloc_v2, c_void_p).value
    assert device.library.cuGetProcAddress_v2(b"cuNoSuch", byref(address), 12000, c_uint64(0), byref(status)) == NOT_FOUND
    assert (address.value, status.value) == (None, 1)


NOT_HERE = re.compile(
    r"Array|Mipmap|Texture|Tex(Ref|Object)|Surf|Ato[ADH]|[DH]toA|Graphics|GreenCtx|DevResource|DevSm|Batch|Ipc|External|Shareable"
    r"|Pool(Export|Import)|HandleForAddressRange|Checkpoint|Coredump|Logs|Notification|NvSci|Luid|ExecAffinity|AtomicCapabilities|GPUDirect"
    r"|Ctx(Attach|Detach)|SharedMemConfig|SetBlockShape|SetSharedSize|cuLaunch$|LaunchGrid|ParamSet|MultiDevice|ExportTable"
    r"|Mem(Alloc|Free)Node|GraphMem|AddNode_v2|Conditional|NodeSetParams$|NodeSetEvent|NodeGetEnabled|NodeSetEnabled"
    r"|MemRange|UnifiedFunction|Im2colWide"
)
"""What docs/cpu-device.md says that the device does not have."""


def test_every_entry_point_is_there_but_for_what_the_docs_say(library: ctypes.CDLL) -> None:
    declarations = (toolchain.crates_folder() / "cuda-core" / "src" / "sys" / "functions.rs").read_text()
    names = re.findall(r"^    fn (cu\w+)\(", declarations, re.MULTILINE)
    assert len(names) > 400
    assert [name for name in names if not hasattr(library, name) and not NOT_HERE.search(name)] == []
    assert len([name for name in names if hasattr(library, name)]) > 270
    sources = toolchain.crates_folder().glob("cuda-*/src/**/*.rs")
    used = {name for source in sources for name in re.findall(r"\bsys::(?:checked::)?(cu[A-Z]\w+)\(", source.read_text())}
    assert len(used) > 80
    assert [name for name in sorted(used) if not hasattr(library, name)] == []


def test_every_code_has_a_name_and_a_text(device: Device) -> None:
    declarations = (toolchain.crates_folder() / "cuda-core" / "src" / "sys" / "enumerators.rs").read_text()
    codes = {int(code): name for name, code in re.findall(r"cudaError_enum_(\w+): CUresult = (\d+);", declarations)}
    assert len(codes) > 90
    for code, name in codes.items():
        text = c_char_p()
        device.call("cuGetErrorName", code, byref(text))
        assert text.value == name.encode()
        device.call("cuGetErrorString", code, byref(text))
        assert text.value
    assert device.library.cuGetErrorName(12345, byref(text)) == INVALID_VALUE


def test_the_device_says_what_it_is(device: Device) -> None:
    name = ctypes.create_string_buffer(64)
    device.call("cuDeviceGetName", name, 64, 0)
    assert name.value == b"oxide CPU device"
    text = POINTER(ctypes.c_char)()
    device.call("cuGetErrorName", INVALID_PTX, byref(text))
    assert ctypes.string_at(text) == b"CUDA_ERROR_INVALID_PTX"
