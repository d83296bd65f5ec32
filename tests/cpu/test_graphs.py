"""Stream capture and graphs on the CPU device."""

from __future__ import annotations

import ctypes
from ctypes import addressof, byref, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import TYPE_CHECKING

import pytest
from driver_calls import (
    CAPTURE_UNSUPPORTED,
    CAPTURED_EVENT,
    ILLEGAL_STATE,
    IMPLICIT,
    INVALID_VALUE,
    INVALIDATED,
    ISOLATION,
    LEGACY,
    NON_BLOCKING,
    NOT_PERMITTED,
    NOT_READY,
    UNJOINED,
    HostFunction,
    add,
    held,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_api import Device

pytest_plugins = ("with_device",)


def capture(device: Device, stream: c_void_p, mode: int = 0) -> None:
    device.call("cuStreamBeginCapture_v2", stream, mode)


def test_a_capture_is_launched(device: Device, function: c_void_p) -> None:
    out, copy = device.ints([0]), device.ints([0])
    stream, side = (device.made("cuStreamCreate", NON_BLOCKING) for _ in range(2))
    fork, join = (device.made("cuEventCreate", 2) for _ in range(2))
    called: list[int] = []
    note = HostFunction(lambda _: called.append(1))
    capture(device, stream)
    assert add(device, function, out, 1, stream) == 0
    device.call("cuEventRecord", fork, stream)
    device.call("cuStreamWaitEvent", side, fork, 0)
    device.call("cuMemcpyDtoDAsync_v2", copy.address, out.address, c_size_t(4), side)
    device.call("cuLaunchHostFunc", stream, note, None)
    device.call("cuEventRecord", join, side)
    device.call("cuStreamWaitEvent", stream, join, 0)
    device.call("cuMemsetD32Async", out.address, c_uint32(10), c_size_t(1), stream)
    status, number = c_int(), c_uint64()
    device.call("cuStreamIsCapturing", side, byref(status))
    assert status.value == 1
    device.call("cuStreamGetCaptureInfo_v3", stream, byref(status), byref(number), None, None, None, None)
    assert (status.value, number.value > 0) == (1, True)
    graph = c_void_p()
    device.call("cuStreamEndCapture", stream, byref(graph))
    assert (out.values(), copy.values(), called) == ([0], [0], [])
    count, edges = c_size_t(), c_size_t()
    device.call("cuGraphGetNodes", graph, None, byref(count))
    device.call("cuGraphGetEdges_v2", graph, None, None, None, byref(edges))
    assert (count.value, edges.value) == (4, 4)
    executable = device.made("cuGraphInstantiateWithFlags", graph, c_uint64(0))
    device.call("cuGraphDestroy", graph)
    for _ in range(2):
        device.call("cuGraphLaunch", executable, stream)
    device.call("cuStreamSynchronize", stream)
    assert (out.values(), copy.values(), called) == ([10], [11], [1, 1])
    device.call("cuGraphExecDestroy", executable)
    assert device.code("cuGraphLaunch", executable, stream) == INVALID_VALUE


def test_what_captures_forbid(device: Device, function: c_void_p) -> None:
    out = device.ints([0])
    stream, side = device.made("cuStreamCreate", 0), device.made("cuStreamCreate", NON_BLOCKING)
    event = device.made("cuEventCreate", 2)
    device.call("cuEventRecord", event, side)

    def ended() -> int:
        graph = c_void_p(1)
        code = device.code("cuStreamEndCapture", stream, byref(graph))
        assert (code == 0) == (graph.value is not None)
        return code

    forbidden: list[tuple[int, Callable[[], int]]] = [
        (CAPTURE_UNSUPPORTED, lambda: device.code("cuStreamSynchronize", stream)),
        (CAPTURE_UNSUPPORTED, lambda: device.code("cuStreamQuery", stream)),
        (CAPTURE_UNSUPPORTED, lambda: device.code("cuMemAlloc_v2", byref(c_uint64()), c_size_t(4))),
        (CAPTURE_UNSUPPORTED, lambda: device.code("cuCtxSynchronize")),
        (IMPLICIT, lambda: add(device, function, out, 1, LEGACY)),
        (ISOLATION, lambda: device.code("cuStreamWaitEvent", stream, event, 0)),
    ]
    for code, call in forbidden:
        capture(device, stream)
        assert call() == code
        assert add(device, function, out, 1, stream) == INVALIDATED
        assert ended() == INVALIDATED
    assert device.code("cuStreamBeginCapture_v2", LEGACY, 0) == CAPTURE_UNSUPPORTED
    capture(device, stream)
    assert device.code("cuStreamBeginCapture_v2", stream, 0) == ILLEGAL_STATE
    device.call("cuEventRecord", event, stream)
    assert device.code("cuEventQuery", event) == CAPTURED_EVENT
    device.call("cuStreamWaitEvent", side, event, 0)
    assert add(device, function, out, 1, side) == 0
    assert ended() == UNJOINED
    assert ended() == ILLEGAL_STATE
    # In relaxed mode memory may be allocated.
    capture(device, stream, 2)
    device.call("cuMemAlloc_v2", byref(c_uint64()), c_size_t(4))
    assert ended() == 0
    assert out.values() == [0]


@pytest.mark.parametrize("joined", [True, False])
def test_a_stream_that_goes_during_a_capture(device: Device, function: c_void_p, joined: bool) -> None:
    out, stream, side = device.ints([0]), device.made("cuStreamCreate", NON_BLOCKING), device.made("cuStreamCreate", NON_BLOCKING)
    fork, join = (device.made("cuEventCreate", 2) for _ in range(2))
    capture(device, stream)
    device.call("cuEventRecord", fork, stream)
    device.call("cuStreamWaitEvent", side, fork, 0)
    assert add(device, function, out, 1, side) == 0
    device.call("cuEventRecord", join, side)
    if joined:
        device.call("cuStreamWaitEvent", stream, join, 0)
    device.call("cuStreamDestroy_v2", side)
    assert device.code("cuStreamEndCapture", stream, byref(c_void_p())) == (0 if joined else UNJOINED)


class NodeParameters(ctypes.Structure):
    """`CUDA_KERNEL_NODE_PARAMS`."""

    _fields_ = (
        ("function", c_void_p),
        ("grid", c_int * 3),
        ("block", c_int * 3),
        ("shared", c_int),
        ("pointers", c_void_p),
        ("extra", c_void_p),
        ("kernel", c_void_p),
        ("context", c_void_p),
    )


def test_graphs_by_hand(device: Device, function: c_void_p) -> None:
    out, number = device.ints([0]), c_int(4)
    pointers = (c_void_p * 2)(addressof(out.address), addressof(number))
    one = (c_int * 3)(1, 1, 1)
    parameters = NodeParameters(function=function.value, grid=one, block=one, pointers=addressof(pointers))
    graph = device.made("cuGraphCreate", 0)
    root = device.made("cuGraphAddEmptyNode", graph, None, c_size_t(0))
    node = device.made("cuGraphAddKernelNode_v2", graph, (c_void_p * 1)(root.value), c_size_t(1), byref(parameters))
    other = device.made("cuGraphAddKernelNode_v2", graph, None, c_size_t(0), byref(parameters))
    both = ((c_void_p * 1)(node.value), (c_void_p * 1)(other.value))
    device.call("cuGraphAddDependencies_v2", graph, *both, None, c_size_t(1))
    # The other way it is a cycle.
    assert device.code("cuGraphAddDependencies_v2", graph, both[1], both[0], None, c_size_t(1)) == INVALID_VALUE
    kind, count = c_int(), c_size_t()
    device.call("cuGraphNodeGetType", other, byref(kind))
    device.call("cuGraphNodeGetDependencies_v2", other, None, None, byref(count))
    assert (kind.value, count.value) == (0, 1)
    device.call("cuGraphKernelNodeGetParams_v2", node, byref(parameters))
    places = ctypes.cast(parameters.pointers, ctypes.POINTER(c_void_p))
    assert c_int.from_address(places[1] or 0).value == 4
    executable = device.made("cuGraphInstantiateWithFlags", graph, c_uint64(0))
    device.call("cuGraphLaunch", executable, None)
    assert out.values() == [8]
    number.value = 100
    parameters.pointers = addressof(pointers)
    device.call("cuGraphExecKernelNodeSetParams_v2", executable, other, byref(parameters))
    device.call("cuGraphLaunch", executable, None)
    assert out.values() == [112]
    # An update brings what the graph says, which is another's shape no more once it has a node more.
    result = (c_uint64 * 3)()
    device.call("cuGraphExecUpdate_v2", executable, graph, result)
    device.call("cuGraphLaunch", executable, None)
    assert out.values() == [120]
    parent = device.made("cuGraphCreate", 0)
    device.made("cuGraphAddChildGraphNode", parent, None, c_size_t(0), graph)
    assert device.code("cuGraphExecUpdate_v2", executable, parent, result) == 910
    device.call("cuGraphLaunch", device.made("cuGraphInstantiateWithFlags", parent, c_uint64(0)), None)
    assert out.values() == [128]
    device.call("cuGraphDestroy", graph)
    device.call("cuGraphDestroy", parent)
    assert device.code("cuGraphDestroy", parent) == INVALID_VALUE


def test_nodes_record_events_and_wait_for_them(device: Device, function: c_void_p) -> None:
    out, stream, side = device.ints([0]), device.made("cuStreamCreate", NON_BLOCKING), device.made("cuStreamCreate", NON_BLOCKING)
    wanted, told = device.made("cuEventCreate", 0), device.made("cuEventCreate", 0)
    # Events of outside: CU_EVENT_WAIT_EXTERNAL, CU_EVENT_RECORD_EXTERNAL.
    capture(device, stream)
    device.call("cuStreamWaitEvent", stream, wanted, 1)
    assert add(device, function, out, 1, stream) == 0
    device.call("cuEventRecordWithFlags", told, stream, 1)
    graph = c_void_p()
    device.call("cuStreamEndCapture", stream, byref(graph))
    executable = device.made("cuGraphInstantiateWithFlags", graph, c_uint64(0))
    with held(device, side):
        device.call("cuEventRecord", wanted, side)
        device.call("cuGraphLaunch", executable, stream)
        assert device.code("cuEventQuery", told) == NOT_READY
        assert out.values() == [0]
    assert device.code("cuEventQuery", told) == 0
    assert out.values() == [1]
    device.call("cuGraphLaunch", executable, stream)
    assert out.values() == [2]


def test_user_objects_end_with_their_graphs(device: Device) -> None:
    ended: list[int] = []

    def note(value: int | None) -> None:
        # It may not call the driver.
        assert device.code("cuStreamQuery", None) == NOT_PERMITTED
        ended.append(value or 0)

    end = HostFunction(note)
    made = c_void_p()
    device.call("cuUserObjectCreate", byref(made), c_void_p(7), end, 1, 1)
    graph = device.made("cuGraphCreate", 0)
    device.call("cuGraphRetainUserObject", graph, made, 1, 1)
    # The graph's reference is all that there is, and the handle is one still.
    clone = device.made("cuGraphClone", graph)
    device.call("cuGraphReleaseUserObject", clone, made, 1)
    device.call("cuGraphDestroy", clone)
    assert ended == []
    executable = device.made("cuGraphInstantiateWithFlags", graph, c_uint64(0))
    device.call("cuGraphDestroy", graph)
    assert ended == []
    device.call("cuGraphExecDestroy", executable)
    assert ended == [7]
