"""What oxide says about a program, by code: the table behind `oxide explain` and docs/errors.md.

    raise Refusal(codes.HEAP, "heap allocation is not available in kernels", span)
    # error: heap allocation is not available in kernels [OX101]

OX1xx: what a kernel's code may not use. OX2xx: a kernel and its parameters. OX3xx: memory. OX4xx: what oxide does not compile
yet. OX5xx: warnings. A code keeps its meaning for good; one that is no longer given leaves a gap.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of diagnostic: its number, what it is about, and why it is so and what to do."""

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
    """`Box`, `Vec`, `String` and whatever else allocates ends in a call of the global allocator, which a GPU does not
    have. Use an array, a slice that the host passes, or shared memory; a collection of a fixed capacity
    (`arrayvec`, `heapless`) works.""",
)
STD = define(
    "OX102",
    "the standard library",
    """Kernels have no operating system: files, threads, locks, clocks and the environment are the host's. What `core`
    offers works, also under its name in `std`. Do it on the host and pass the result as an argument.""",
)
FORMATTING = define(
    "OX103",
    "formatting and printing",
    """`println!`, `format!` and `to_string` need the host's terminal or heap. `gpu_printf!` prints from a kernel, as C's
    `printf` does; or write numbers to a buffer for the host. `write!` into a type of your own that implements
    `core::fmt::Write` works with `--build-std`. The message of a panic is no problem: it is dropped, and the CPU device
    shows it, with `{}` where a value would stand.""",
)
ASSEMBLY = define(
    "OX104",
    "inline assembly",
    """`asm!` is assembly of the host's processor. Of x86-64's, what crates commonly write has a meaning in kernels: square
    roots, fused multiply-add, `div`, `cmov`, `cpuid` and empty templates, each in its usual spelling. Anything else is
    refused. What a GPU has of its own is a function of `cuda_device`, and `f32::sqrt` needs no assembly. A crate that uses
    `asm!` or the host's SIMD instructions often has a feature that turns them off.""",
)
THREAD_LOCAL = define(
    "OX105",
    "thread-local statics",
    """A `thread_local!` belongs to a thread of the host. Pass the value as an argument; what each thread of a GPU has
    of its own is a local variable.""",
)
FOREIGN_FUNCTION = define(
    "OX106",
    "foreign functions",
    """A function that is only declared (`extern "C"`) has no code that could be compiled for a GPU: its library is the host's. Write it in
    Rust. The mathematical functions that `core` and `std` call are there, and so are those of NVIDIA's libdevice, declared
    as it has them: `fn __nv_erfinv(x: f64) -> f64;`.""",
)
FOREIGN_STATIC = define(
    "OX107",
    "foreign statics",
    """A static that is only declared lies in the host's memory. Pass its value as an argument.""",
)
COROUTINE = define(
    "OX108",
    "async blocks and coroutines",
    """A future has to be polled by an executor, and a GPU's threads run to their end. Write a function or a closure;
    waiting for a kernel is the host's affair.""",
)
MISSING_BODY = define(
    "OX109",
    "a function without MIR",
    """rustc stores the MIR of a library's functions where they are generic or inline; oxide asks it to store that of
    all the crates it builds. A crate that was built otherwise has only machine code of the host. Mark the function
    `#[inline]`, or build its crate with oxide.""",
)
MISSING_CORE_BODY = define(
    "OX110",
    "a function of `core` without MIR",
    """The `core` that comes with rustc was compiled without storing the MIR of functions that are neither generic nor
    inline (the search of `str::find`, for example). `--build-std` compiles `core` with the program, once, from its
    source; that needs the source (rustup's component `rust-src`).""",
)
INTRINSIC = define(
    "OX111",
    "an intrinsic that is not supported",
    """rustc's intrinsics are functions whose meaning is the compiler's, and they differ between its versions; the
    error names both. Write out what it does.""",
)
INTRINSIC_TYPE = define(
    "OX112",
    "an intrinsic on a type that no GPU has it for",
    """The operation exists, but not for this type: atomics of more than 64 bits, for example. Use a smaller type.""",
)
UNSIZED_VALUE = define(
    "OX113",
    "values whose size is known only at run time",
    """A slice, a `str` or a trait object itself, rather than a reference to one, would need memory of a size known
    only when the kernel runs. Use it through a reference.""",
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
    "a raw intrinsic that the compiler does not know",
    """The raw functions of `cuda_intrinsics` are known by their paths below a module that is named by its version. One that the compiler
    does not have is from a crate of another version than the compiler's. `oxide` builds programs with the crates that it comes with: let
    `cuda-intrinsics` be that one, without a path or a version of its own.""",
)
REFERENCE_PARAMETER = define(
    "OX201",
    "a reference as a kernel parameter",
    """Every thread of the launch gets the same parameters, so `&mut T` would be one value that all of them may write,
    and `&T` would point into the host's memory. Pass a slice, a `DisjointSlice`, a raw pointer, or the value
    itself.""",
)
UNSIZED_PARAMETER = define(
    "OX202",
    "a kernel parameter that the host cannot pass",
    """A pointer to a trait object carries the address of a vtable of the host's program, a `&str` points into its
    memory. Pass a slice, a raw pointer, or a value that is copied; generics take the place of trait objects.""",
)
RESULT = define(
    "OX203",
    "a kernel that returns a value",
    """Each thread of a launch would return one. Write results to a buffer that is passed as an argument.""",
)
PARAMETER_BYTES = define(
    "OX204",
    "too many bytes of parameters",
    """A launch carries a limited number of bytes (PTX ISA, "Kernel Function Parameters"). Pass what is large in a buffer.""",
)
SAME_NAME = define(
    "OX205",
    "two kernels of one name",
    """A kernel's entry in PTX has its name without its modules, so that hosts can load it by that name. Rename one.""",
)
KERNEL_NAME = define(
    "OX206",
    "a kernel's name in PTX",
    """Names in PTX are made of the letters a to z, digits and underscores. Rename the kernel.""",
)
SAME_CRATE = define(
    "OX207",
    "two crates of one name",
    """Kernels are found by the name of their crate, and two crates with kernels have the same one: two versions of
    one package, for example. Depend on one version, or rename one of them.""",
)
SHARED_ARRAY = define(
    "OX301",
    "a SharedArray that is no static",
    """Block-shared memory is laid out when the kernel is compiled, so a `SharedArray` must be a static, `mut`
    unless its elements are atomics: no local, no field, no constant. In a generic function, whose statics cannot name its parameters,
    `shared_array!(T, N)` stands for one.""",
)
SHARED_BYTES = define(
    "OX302",
    "too much shared memory",
    """A block has 48 KiB of static shared memory (CUDA C++ Programming Guide, "Compute Capabilities"). Share smaller arrays.""",
)
STATIC_CYCLE = define(
    "OX303",
    "statics that point at each other",
    """PTX initialises a variable with addresses of those before it, so no static may point at itself or, through others,
    back to itself. Name the entries of a table by their indices instead of by references.""",
)
ARCHITECTURE = define(
    "OX304",
    "an operation that the target does not have",
    """The target was chosen with `--arch` (or in `oxide.toml`), and the operation needs a later one. Leave the choice out, and the smallest
    target that has all operations is taken, or choose the one that the error names.""",
)
ASSEMBLY_OPERAND = define(
    "OX305",
    "an operand of inline PTX that does not fit its constraint",
    """The letter of a constraint says which register an operand is in: `h`, `r`, `l` and `q` for integers and addresses of 16, 32, 64
    and 128 bits, `f` for `f32`, `d` for `f64`.""",
)
ASSEMBLY_TEXT = define(
    "OX310",
    "inline PTX that the assembler refuses",
    """The text of `ptx_asm!` goes into the PTX as it stands, and ptxas, or the driver when the program runs, reads it there. What they say
    is about the instruction, its types, or what it needs: a later target (`--arch`) or version of PTX (`--ptx-version`). Where ptxas is
    installed, `--emit=cubin` and `oxide inspect` tell the line in the program.""",
)
EXTERNAL_FUNCTION = define(
    "OX307",
    "a function that is linked in later",
    """`#[device] extern "C"` declares functions that other PTX, or a library of NVIDIA's, defines under the same name. They take and
    return numbers and pointers, by PTX's C ABI; a struct is passed by a pointer to it. One name is declared in one way, and is no
    function of this crate.""",
)
EXPORTED_FUNCTION = define(
    "OX309",
    "a function of a device library that other device code cannot call",
    """In a crate without kernels, the functions marked `#[device]` that are not generic are exported under their own names, for others to
    declare in `#[device] extern "C"`. They take and return numbers and pointers, by PTX's C ABI. A function that Rust alone calls, in the
    library or through the crate, needs no `#[device]`, unless it asks for the thread's index.""",
)
IMMEDIATE = define(
    "OX306",
    "a number that stands in an instruction and is no constant",
    """Some instructions hold a number themselves: how many groups of copies may be under way, which event is counted. It may be any
    expression that is constant once functions are inlined. Where it depends on a run-time value, `match` on that and write each number
    out.""",
)
CONSTANT_MEMORY = define(
    "OX308",
    "constant memory that the host cannot set",
    """A `ConstantMemory` is what kernels read and the host sets, by a method of `LoadedModule` that `#[constant]` makes. So it is a static
    with that attribute, directly in a `#[cuda_module]`: elsewhere nobody could set it, and kernels would read zeros. It is no local, no
    field and no element of an array; make one constant of the array or struct instead.""",
)
UNSUPPORTED = define(
    "OX401",
    "a construct that is not compiled",
    """Rust accepts it and a GPU could run it, but oxide does not compile it yet. The error names the construct; please
    report it.""",
)
RECURSION = define(
    "OX501",
    "recursion",
    """A function that can call itself, directly or through others, needs a stack whose size cannot be known when it is
    compiled. A GPU's thread has a small one (1 KiB unless `CudaContext::set_stack_size` raises it), and running over it
    is an error of the launch at best. Write a loop, or raise the limit. Calls through pointers count for all that they
    might call: formatting is an example.""",
)
UNROLL = define(
    "OX502",
    "a loop that is not unrolled",
    """A loop with `#[unroll]` has to have a number of rounds, or a most, that is known when the kernel is compiled: constant bounds, or
    constants that the kernel is generic over. With `#[unroll(4)]` it need not, unless a round has a barrier or another operation that
    threads meet in: then the rounds must be known to be a multiple of the factor. A loop whose copies would be too large stays too. It
    is compiled as it stands.""",
)
HOST_REFERENCE = define(
    "OX503",
    "a reference to host memory in a kernel's parameter",
    """A closure without `move` borrows what it uses, so the kernel that it is passed to gets addresses of the host's memory; so
    does one whose parameter is a struct with a reference in it. Most GPUs cannot read there: such a launch is refused, unless
    the device has `PAGEABLE_MEMORY_ACCESS`, as a system with unified memory (HMM, ATS) has. Write `move |x| …`, so that the
    closure carries the values, and pass arrays and slices as parameters of the kernel. The CPU device reads the host's memory,
    but not with `--check`.""",
)
