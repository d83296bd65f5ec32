"""Errors and warnings about a program, by code: the table behind `oxide explain` and docs/errors.md.

    raise Refusal(codes.HEAP, "heap allocation is not available in kernels", span)
    # error: heap allocation is not available in kernels [OX101]

OX1xx: features that kernels cannot use. OX2xx: a kernel and its parameters. OX3xx: memory. OX4xx: unsupported constructs. OX5xx:
warnings. A code's meaning never changes, and the code of a removed error is not reused.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of diagnostic: its number, its title, and its explanation with the fix."""

    name: str
    title: str
    explanation: str


CODES: dict[str, Code] = {}
"""Every code, by number."""


def define(name: str, title: str, explanation: str) -> Code:
    """Add a code to the table. The explanation is Markdown, a paragraph or two."""
    assert name not in CODES, f"{name} is defined twice"
    CODES[name] = Code(name, title, " ".join(explanation.split()))
    return CODES[name]


HEAP = define(
    "OX101",
    "heap allocation",
    """`Box`, `Vec`, `String` and every other allocating type call the global allocator, which a GPU does not have. Use an array, a
    slice that the host passes, or shared memory; fixed-capacity collections (`arrayvec`, `heapless`) work.""",
)
STD = define(
    "OX102",
    "the standard library",
    """Kernels have no operating system: files, threads, locks, clocks and environment variables are available on the host only. `core`
    works, also under its names in `std`. Compute the value on the host and pass it as an argument.""",
)
FORMATTING = define(
    "OX103",
    "formatting and printing",
    """`println!`, `format!` and `to_string` need the host's terminal or heap. Print from a kernel with `gpu_printf!`, which works as
    C's `printf`, or write numbers to a buffer for the host. `write!` into a type of your own that implements `core::fmt::Write` works
    with `--build-std`. Panic messages compile: on a GPU they are dropped, and the CPU device prints them, with `{}` in place of values.""",
)
ASSEMBLY = define(
    "OX104",
    "inline assembly",
    """`asm!` contains assembly of the host's processor. The x86-64 assembly that crates commonly use is supported in kernels: square
    roots, fused multiply-add, `div`, `cmov`, `cpuid` and empty templates, each in its usual spelling. Anything else is an error. GPU
    instructions are functions of `cuda_device`, and `f32::sqrt` needs no assembly. A crate that uses `asm!` or the host's SIMD
    instructions often has a feature to disable them.""",
)
THREAD_LOCAL = define(
    "OX105",
    "thread-local statics",
    """A `thread_local!` belongs to a host thread. Pass the value as an argument; for data of each GPU thread, use a local variable.""",
)
FOREIGN_FUNCTION = define(
    "OX106",
    "foreign functions",
    """A function that is only declared (`extern "C"`) has no code that could be compiled for a GPU: its library is compiled for the
    host. Write it in Rust. The mathematical functions that `core` and `std` call are available, as are those of NVIDIA's libdevice,
    declared with its signatures: `fn __nv_erfinv(x: f64) -> f64;`.""",
)
FOREIGN_STATIC = define(
    "OX107",
    "foreign statics",
    """A static that is only declared is in host memory. Pass its value as an argument.""",
)
COROUTINE = define(
    "OX108",
    "async blocks and coroutines",
    """A future has to be polled by an executor, and GPU threads have none. Write a function or a closure; await kernels on the host.""",
)
MISSING_BODY = define(
    "OX109",
    "a function without MIR",
    """rustc stores the MIR of a library's functions only if they are generic or inline; oxide makes it store the MIR of all functions
    of the crates that it builds. A crate that was built otherwise contains only host machine code. Mark the function `#[inline]`, or
    build its crate with oxide.""",
)
MISSING_CORE_BODY = define(
    "OX110",
    "a function of `core` without MIR",
    """The `core` that comes with rustc was compiled without storing the MIR of functions that are neither generic nor inline (the
    search of `str::find`, for example). `--build-std` compiles `core` with the program, once, from source; this requires the source
    (rustup's component `rust-src`).""",
)
INTRINSIC = define(
    "OX111",
    "an unsupported intrinsic",
    """rustc's intrinsics are functions that the compiler implements, and they differ between its versions; the error names the
    intrinsic and the version. Replace it by code without the intrinsic.""",
)
INTRINSIC_TYPE = define(
    "OX112",
    "an intrinsic on a type without GPU support",
    """The operation exists, but not for this type: atomics of more than 64 bits, for example. Use a smaller type.""",
)
UNSIZED_VALUE = define(
    "OX113",
    "unsized values",
    """A slice, a `str` or a trait object by value, rather than by reference, needs memory of a size that is known only at run time. Use
    it through a reference.""",
)
DIRECT_CALL = define(
    "OX114",
    "an intrinsic that is not called directly",
    """A call of an intrinsic becomes an instruction, so an intrinsic has no code and no address that a function pointer could hold. The raw
    intrinsics of `cuda_intrinsics` cannot be passed as closures either. Write a closure or a function that calls it,
    `|| thread::threadIdx_x()`, and take its address or pass that.""",
)
INTRINSICS_VERSION = define(
    "OX115",
    "a raw intrinsic of another version",
    """The functions of `cuda_intrinsics` are identified by their paths in a module whose name contains a version. A function that the
    compiler does not know is from a crate of another version. oxide builds programs with its own crates: do not
    name another path or version of `cuda-intrinsics` in Cargo.toml.""",
)
REFERENCE_PARAMETER = define(
    "OX201",
    "a reference as a kernel parameter",
    """All threads of a launch get the same parameters: a `&mut T` would be one value that all of them can write, and a `&T` would point
    into host memory. Pass a slice, a `DisjointSlice`, a raw pointer, or the value itself.""",
)
UNSIZED_PARAMETER = define(
    "OX202",
    "a kernel parameter that the host cannot pass",
    """A pointer to a trait object contains the address of a vtable of the host program, and a `&str` points into host memory. Pass a
    slice, a raw pointer, or a value that is copied; use generics in place of trait objects.""",
)
RESULT = define(
    "OX203",
    "a kernel that returns a value",
    """Every thread of a launch would return a value. Write results to a buffer that is passed as an argument.""",
)
PARAMETER_BYTES = define(
    "OX204",
    "kernel parameters are too large",
    """A launch has a limited number of parameter bytes (PTX ISA, "Kernel Function Parameters"). Pass large data in a buffer.""",
)
SAME_NAME = define(
    "OX205",
    "duplicate kernel name",
    """A kernel's entry in PTX is named without its modules, so that hosts can load it by that name. Rename one of the kernels.""",
)
KERNEL_NAME = define(
    "OX206",
    "invalid kernel name",
    """Names in PTX consist of the letters a to z, digits and underscores. Rename the kernel.""",
)
SAME_CRATE = define(
    "OX207",
    "duplicate crate name",
    """Kernels are found by the name of their crate, and two crates with kernels have the same name: two versions of one package, for
    example. Depend on one version, or rename one of the crates.""",
)
SHARED_ARRAY = define(
    "OX301",
    "a SharedArray that is not a static",
    """Shared memory is laid out when the kernel is compiled, so a `SharedArray` must be a static (`mut` unless its elements are
    atomics), not a local, a field or a constant. In a generic function, whose statics cannot name its parameters, use `shared_array!(T,
    N)`.""",
)
SHARED_BYTES = define(
    "OX302",
    "too much shared memory",
    """A block has 48 KiB of static shared memory (CUDA C++ Programming Guide, "Compute Capabilities"). Use smaller arrays.""",
)
STATIC_CYCLE = define(
    "OX303",
    "cyclic references between statics",
    """PTX can initialise a variable only with addresses of variables before it, so no static may point to itself or, through others,
    back to itself. Refer to the entries of a table by index instead of by reference.""",
)
ARCHITECTURE = define(
    "OX304",
    "an operation that the target does not support",
    """The target was chosen with `--arch` (or in `oxide.toml`), and the operation requires a later one. Omit the target, and oxide uses
    the smallest that supports all operations, or choose the target that the error names.""",
)
ASSEMBLY_OPERAND = define(
    "OX305",
    "an operand of inline PTX that does not fit its constraint",
    """The letter of a constraint is the kind of register of its operand: `h`, `r`, `l` and `q` for integers and addresses of 16, 32, 64
    and 128 bits, `f` for `f32`, `d` for `f64`.""",
)
ASSEMBLY_TEXT = define(
    "OX310",
    "inline PTX that ptxas rejects",
    """The text of `ptx_asm!` is copied into the PTX, and is assembled by ptxas, or by the driver when the program runs. Their messages
    are about the instruction, its types, or its requirements: a later target (`--arch`) or PTX version (`--ptx-version`). If ptxas is
    installed, `--emit=cubin` and `oxide inspect` report the line in the program.""",
)
EXTERNAL_FUNCTION = define(
    "OX307",
    "an invalid declaration of an external device function",
    """`#[device] extern "C"` declares functions that other PTX, or an NVIDIA library, defines under the same name. They take and return
    numbers and pointers, by PTX's C ABI; pass a struct by pointer. All declarations of a name must be the same, and this crate must not
    define it.""",
)
EXPORTED_FUNCTION = define(
    "OX309",
    "an invalid exported device function",
    """In a crate without kernels, the non-generic functions marked `#[device]` are exported under their own names, for declaration in
    `#[device] extern "C"` elsewhere. They take and return numbers and pointers, by PTX's C ABI. A function that only Rust calls, in the
    library or through the crate, does not need `#[device]`, unless it uses the thread's index.""",
)
IMMEDIATE = define(
    "OX306",
    "an immediate operand that is not constant",
    """Some instructions contain a number as an immediate operand: the number of pending groups of copies, the event to count. It may be
    any expression that is constant after inlining. If it depends on a run-time value, `match` on the value, with a call for each
    number.""",
)
CONSTANT_MEMORY = define(
    "OX308",
    "constant memory that the host cannot set",
    """Kernels read a `ConstantMemory`, and the host sets it, by a method of `LoadedModule` that `#[constant]` generates. It must
    therefore be a static with that attribute, directly in a `#[cuda_module]`; elsewhere the host could not set it, and kernels would
    read zeros. It cannot be a local, a field or an element of an array; make one constant of the array or struct instead.""",
)
UNSUPPORTED = define(
    "OX401",
    "an unsupported construct",
    """The construct is valid Rust and a GPU could run it, but oxide does not compile it yet. The error names the construct; please
    report it.""",
)
RECURSION = define(
    "OX501",
    "recursion",
    """A function that can call itself, directly or through others, needs a stack whose size is unknown at compile time. A GPU thread
    has a small stack (1 KiB unless `CudaContext::set_stack_size` sets another size), and overflowing it fails the launch at best. Write
    a loop, or raise the limit. A call through a pointer counts as a call of every function that it might reach: formatting is an
    example.""",
)
UNROLL = define(
    "OX502",
    "a loop that is not unrolled",
    """A loop with `#[unroll]` requires a trip count, or an upper bound of it, that is known when the kernel is compiled: constant
    bounds, or constant generic parameters of the kernel. `#[unroll(4)]` does not, unless the body contains a barrier or another
    convergent operation: then the trip count must be known to be a multiple of the factor. A loop whose copies would be too large is
    not unrolled either. The loop is compiled as written.""",
)
HOST_REFERENCE = define(
    "OX503",
    "a reference to host memory in a kernel parameter",
    """A closure without `move` borrows the variables that it uses, so the kernel gets addresses in host memory; so does a kernel with a
    struct parameter that contains a reference. Most GPUs cannot read these: such a launch fails unless the device has
    `PAGEABLE_MEMORY_ACCESS`, as in systems with unified memory (HMM, ATS). Write `move |x| …`, so that the closure contains the values,
    and pass arrays and slices as parameters of the kernel. The CPU device reads host memory, but not with `--check`.""",
)
