"""What `kernel[grid, block]` gives: a function that is compiled for what the kernel takes.

A launch should cost little more than the driver's part of it. So what is the same for each launch of a kernel is decided when its function
is written: which arguments are packed as they are, how each other one is converted, where to look for the stream. On a GPU,
`saxpy(n: u32, a: f32, x: &[f32], y: DisjointSlice<f32>)` has

    def launch(a0=MISSING, a1=MISSING, a2=MISSING, a3=MISSING, /, *rest):
        if a3 is MISSING or rest:
            raise miscounted([a0, a1, a2, a3, *rest])
        try:
            frame = frames.pop()                            # memory for arguments that no launch uses now
        except IndexError:
            frame = new_frame()
        memory, start, table = frame
        try:
            v2, n2, w2 = c2[type(a2)](a2)                   # address, length, and where it is
            v3, n3, w3 = c3[type(a3)](a3)
            pack(memory, start, a0, a1, v2, n2, v3, n3)     # `struct` checks the numbers
        except UNFIT as error:
            raise explain((a0, a1, a2, a3), error) from None
        index, current, _ = w2 or NOWHERE
        if current is None or w3 is not w2:
            index, stream = agree([w2, w3])                 # two libraries, an address, a stream that an array carries
        else:
            stream = current(index) if given is None else given
        try:
            function = functions[index]
            config = configs[stream]
        except KeyError:
            function, config = prepare(index, stream)
        code = call(config, function, table, None)          # cuLaunchKernelEx
        if code:
            again(code, index, stream, table)               # in the device's context, where another was current
        frames.append(frame)

around it, `make(launcher)` binds the names that are another for each shape. What is unusual is left to the methods of `Launcher` and
`Plan`.
"""

from __future__ import annotations

import ctypes
import operator
import sys
from typing import TYPE_CHECKING, Any

from oxide.runtime.arguments import UNFIT, Frame, Plan
from oxide.runtime.configuration import configuration
from oxide.runtime.errors import CAUSES, ArgumentError, LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oxide.runtime.arrays import Where
    from oxide.runtime.errors import Three
    from oxide.runtime.kernel import Kernel

MISSING = object()
NOWHERE = (0, None, None)

REMEMBERED = 64
"""Streams that a launcher remembers."""

LAUNCH_CODES = {1, 200, 701, 702, 712, 720, 801, 912}
"""Errors that a launch itself can have; others on a GPU are what an earlier kernel left."""

CONTEXT_CODES = {201, 400, 709}
"""What a launch is refused with where another context is current than the function's: none, another one, one that was destroyed."""


def compile_launch(kernel: Kernel) -> Callable[[Launcher], Callable[..., None]]:
    """Return what makes the function of each of a kernel's launchers."""
    plan = kernel.plan
    names = {
        **plan.names,
        "MISSING": MISSING,
        "NOWHERE": NOWHERE,
        "UNFIT": UNFIT,
        "explain": plan.explain,
        "frames": [],
        "miscounted": lambda args: plan.miscounted(tuple(arg for arg in args if arg is not MISSING)),
        "new_frame": lambda: new_frame(plan),
        "pack": plan.struct.pack_into,
    }
    if plan.cuda:
        names["call"] = kernel.loaded.device.launch
    exec(compile(source(plan), f"<launch of {kernel.__name__}>", "exec"), names)
    make: Callable[[Launcher], Callable[..., None]] = names["make"]
    return make


def new_frame(plan: Plan) -> tuple[Any, int, Any]:
    """Return the parts of a `Frame`, as a launch needs them."""
    frame = Frame(plan)
    return frame.memory, frame.start, frame.table


def source(plan: Plan) -> str:
    """Return the text of `make` for a kernel."""
    args = [f"a{number}" for number in range(len(plan.checks))]
    if args:
        lines = [
            f"def launch({', '.join(f'{name}=MISSING' for name in args)}, /, *rest):",
            f"    if {args[-1]} is MISSING or rest:",
            f"        raise miscounted([{', '.join(args)}, *rest])",
            "    try:",
            "        frame = frames.pop()",
            "    except IndexError:",
            "        frame = new_frame()",
            "    memory, start, table = frame",
            "    try:",
            *(f"        {step}" for step in plan.steps),
            f"        pack({', '.join(['memory', 'start', *plan.values])})",
            "    except UNFIT as error:",
            f"        raise explain(({', '.join(args)},), error) from None",
        ]
    else:
        lines = ["def launch(*rest):", "    if rest:", "        raise miscounted(rest)", "    table = None"]
    if plan.cuda:
        lines += [f"    {line}" for line in find_stream(plan.places)]
        lines += [
            "    try:",
            "        function = functions[index]",
            "        config = configs[stream]",
            "    except KeyError:",
            "        function, config = prepare(index, stream)",
            "    code = call(config, function, table, None)",
            "    if code:",
            "        again(code, index, stream, table)",
        ]
    else:
        lines += ["    run(table)"]
    if args:
        lines += ["    frames.append(frame)"]
    bound = ["again", "agree", "configs", "functions", "given", "prepare", "run"]
    start = ["def make(launcher):", *(f"    {name} = launcher.{name}" for name in bound)]
    return "\n".join([*start, *(f"    {line}" for line in lines), "    return launch"])


def find_stream(places: list[str]) -> list[str]:
    """Return the lines that find the device and the stream from where the arrays are; without arrays the device is the current one."""
    if not places:
        return ["index, stream = None, given or 0"]
    first, *others = places
    differ = "".join(f" or {other} is not {first}" for other in others)
    return [
        f"index, current, _ = {first} or NOWHERE",
        f"if current is None{differ}:",
        f"    index, stream = agree([{', '.join(places)}])",
        "else:",
        "    stream = current(index) if given is None else given",
    ]


def three(value: Any, what: str) -> Three:
    """Return three extents from one to three of them. Raises `ArgumentError`."""
    parts = value if isinstance(value, tuple | list) else (value,)
    try:
        numbers = [operator.index(part) for part in parts]
    except TypeError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or not all(0 < number < 1 << 32 for number in numbers):
        raise ArgumentError(f"got {what} {value!r}, expected a positive integer, or a tuple of one to three")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def stream_handle(stream: Any) -> int:
    """Return the handle of a stream: an integer, what has `__cuda_stream__`, or one of PyTorch's, CuPy's or cuda-python's."""
    if type(stream) is int:
        return stream
    if (protocol := getattr(stream, "__cuda_stream__", None)) is not None:
        version, handle = protocol() if callable(protocol) else protocol
        if version != 0:
            raise ArgumentError(f"got version {version} of the stream protocol, expected 0")
        return int(handle)
    for name in ("cuda_stream", "ptr"):
        if (handle := getattr(stream, name, None)) is not None:
            return int(handle)
    try:
        return int(stream)
    except (TypeError, ValueError):
        raise ArgumentError(f"got {stream!r}, expected a stream") from None


class Launcher:
    """A kernel with the shape of its launches, checked. `launch` launches it."""

    def __init__(
        self, kernel: Kernel, grid: Any, block: Any, shared: Any = 0, stream: Any = None, cluster: Any = None, cooperative: bool = False
    ) -> None:
        self.kernel = kernel
        self.grid = three(grid, "grid")
        self.block = three(block, "block")
        try:
            self.shared = operator.index(shared)
        except TypeError:
            self.shared = -1
        if not 0 <= self.shared < 1 << 31:
            raise ArgumentError(f"got {shared!r} bytes of dynamic shared memory, expected an integer from 0")
        self.cluster = None if cluster is None else three(cluster, "cluster")
        self.cooperative = cooperative
        self.given = None if stream is None else stream_handle(stream)
        self.functions: dict[int | None, Any] = {}
        """The kernel's handles as ctypes passes them, by the device; None is the one that was current last."""
        self.configs: dict[int, Any] = {}
        """Configurations as ctypes passes them, by the stream."""
        self.launch = kernel.make(self)
        """Takes the kernel's arguments. Raises `ArgumentError` for what it does not take, and `LaunchError` for what the driver refuses."""
        self.launch.__qualname__ = f"{kernel.__name__}[{self.grid}, {self.block}]"

    def config(self, stream: int) -> Any:
        """Return the configuration of launches on a stream, as ctypes passes it."""
        config = self.configs.get(stream)
        if config is None:
            if len(self.configs) >= REMEMBERED:
                self.configs.clear()
            config = ctypes.byref(configuration(self.grid, self.block, self.shared, stream, self.cluster, self.cooperative))
            self.configs[stream] = config
        return config

    def prepare(self, index: int | None, stream: int) -> tuple[Any, Any]:
        """Return the function for a GPU, made this thread's, and the configuration for a stream; the next launch has both at hand."""
        gpus = self.kernel.loaded.device
        device = gpus.current() if index is None else index
        gpus.enter(device)
        gpus.launchers.add(self)
        handle = int(self.kernel.function(device, self.shared))
        function = self.functions[index] = ctypes.c_void_p.from_param(handle)
        return function, self.config(stream)

    def again(self, code: int, index: int | None, stream: int, table: Any) -> None:
        """Launch in the primary context of the GPU where it was not this thread's; raise `LaunchError` for any other error.

        A launch does not ask which context is current, which takes a tenth of its time: the driver refuses functions of another one.
        """
        gpus = self.kernel.loaded.device
        device = gpus.current() if index is None else index
        if code in CONTEXT_CODES and (index is None or gpus.entered() != device):
            function, config = self.prepare(index, stream)
            code = gpus.launch(config, function, table, None)
        if code:
            raise self.failed(code)

    def agree(self, places: Iterable[Where | None]) -> tuple[int, int]:
        """Return the device that all arrays are on, and the stream: the one that was given, else the one that their libraries work on.

        A stream that is given waits for those that arrays carry with them: the CUDA array interface's, DLPack's.
        """
        gpus = self.kernel.loaded.device
        where = [place for place in places if place is not None]
        devices = sorted({index for index, _, _ in where})
        if len(devices) > 1:
            raise ArgumentError(f"kernel `{self.kernel.__name__}`: got arrays on devices {devices}, expected one device")
        index = devices[0] if devices else gpus.current()
        if self.given is not None:
            for first in {carried for _, _, carried in where if carried not in (None, self.given)}:
                gpus.enter(index)
                gpus.wait(first, self.given)
            return index, self.given
        streams = {current(index) for _, current, _ in where if current is not None}
        streams |= {carried for _, _, carried in where if carried is not None}
        if len(streams) > 1:
            raise ArgumentError(
                f"kernel `{self.kernel.__name__}`: got arrays of libraries whose current streams differ",
                hint="name one: [grid, block, shared, stream], and let it wait for the others",
            )
        return index, next(iter(streams), 0)

    def run(self, table: Any) -> None:
        """Run on the CPU device, which is done when this returns."""
        loaded = self.kernel.loaded
        loaded.device.enter()
        sys.stdout.flush()  # what the kernel prints comes after
        code, fault = loaded.run(self.kernel.ptx_name, self.config(0), table)
        if code:
            raise self.failed(code, fault)

    def failed(self, code: int, fault: str | None = None) -> LaunchError:
        """Return the error for a code of the driver's."""
        hint = CAUSES.get(code)
        if self.kernel.plan.cuda and code not in LAUNCH_CODES:
            hint = f"{hint or 'see the name'}; an earlier launch may have left it: synchronize() after each finds which"
        elif fault is not None:
            hint = None
        name, shape = self.kernel.loaded.error_name(code), (self.grid, self.block, self.shared)
        return LaunchError(name, code, kernel=self.kernel.__name__, shape=shape, fault=fault, hint=hint)
