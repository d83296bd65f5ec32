"""The exceptions of `import oxide`.

| exception | who must act |
| --- | --- |
| `CompileError` | the kernel's author: it carries rustc's diagnostics |
| `ArgumentError`, a `TypeError` | the caller of a launch |
| `LaunchError`, a `CudaError` | the caller of a launch, or the kernel's author |
| `CudaError` | as the driver's name for it says |

All are `OxideError`, as those of the command line are.
"""

from __future__ import annotations

from oxide.errors import OxideError, ProgramError, UsageError


class CompileError(ProgramError):
    """A program that does not compile; `diagnostics` is what rustc shows of it."""

    def __init__(self, diagnostics: str, *, hint: str | None = None) -> None:
        super().__init__(diagnostics, hint=hint)
        self.diagnostics = diagnostics


class CompileWarning(UserWarning):
    """What oxide warns of in a program that compiles."""


class ArgumentError(UsageError, TypeError):
    """What was passed is not what the kernel takes; `hint` says what to pass."""

    def __str__(self) -> str:
        """Return the message and the hint."""
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class CudaError(OxideError):
    """A call of the driver failed. `name` and `code` are CUDA's (`CUDA_ERROR_INVALID_VALUE`, 1), `call` is the function."""

    exit_status = 3

    def __init__(self, call: str, name: str, code: int, *, what: str = "", hint: str | None = None) -> None:
        super().__init__(f"{what or call}: {name} ({code})", hint=hint)
        self.call = call
        self.name = name
        self.code = code

    def __str__(self) -> str:
        """Return the message and the hint."""
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class LaunchError(CudaError):
    """A launch that the driver refused, or that failed; `kernel`, `grid`, `block` and `shared` say which.

    `fault` is what the kernel did, at which line and in which thread, where the CPU device has found it.
    """

    def __init__(
        self, name: str, code: int, *, kernel: str, shape: tuple[Three, Three, int], fault: str | None = None, hint: str | None = None
    ) -> None:
        grid, block, shared = shape
        what = f"kernel `{kernel}`, grid {grid}, block {block}, {shared} bytes of dynamic shared memory"
        super().__init__("cuLaunchKernel", name, code, what=what, hint=hint)
        if fault is not None:
            self.message = f"{self.message}\n{fault}"
        self.fault = fault
        self.kernel = kernel
        self.grid = grid
        self.block = block
        self.shared = shared


Three = tuple[int, int, int]

CAUSES = {
    1: "the shape is not one that the device has: no axis may be 0, and a block has at most 1024 threads",
    200: "the image is for another device: omit arch=, or give the device's",
    209: "the PTX holds no code for this device: compile for its arch= or an earlier one",
    218: "the PTX cannot be compiled for this device: it may need a newer driver, or another arch=",
    222: "the PTX is newer than the driver takes",
    500: "no kernel of this name is in the PTX",
    700: "the kernel accessed memory outside its buffers; `oxide run --check memory` on the CPU device finds where",
    701: "threads of a block × registers, or shared memory, exceed the limit: launch smaller blocks, or use #[launch_bounds]",
    702: "the kernel ran longer than the display's watchdog allows",
    710: "an assertion of the kernel failed; its message is on stderr",
    714: "the kernel jumped outside its code, often a stack that is used up: raise the limit of the stack",
    716: "the kernel accessed memory at an address that is not aligned to its type",
    717: "the kernel used an address of one kind of memory for another",
    718: "the kernel's stack or code is damaged",
    719: "the kernel panicked, or trapped in another way: the CPU device shows where",
    720: "a cooperative launch has more blocks than the device runs together",
    801: "the device does not have what the kernel uses",
    912: "the clusters are larger than the device has",
}
"""The likely cause by the code of the error (CUDA driver API, "CUresult")."""
