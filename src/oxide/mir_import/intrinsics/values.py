"""Values as such, facts that the compiler is told, and ways to end."""

from __future__ import annotations

from oxide.dialects import mir
from oxide.mir_import import enums
from oxide.mir_import.intrinsics.registry import Call, intrinsic, pointee
from oxide.mir_import.operands import registers, spot_of, write
from oxide.mir_import.places import Spot


@intrinsic("black_box")
def black_box(call: Call) -> None:
    """Return the argument; the optimiser is not held back."""
    write(call.frame, call.args[0], call.target)


@intrinsic(
    "forget",
    "atomic_singlethreadfence",
    "cold_path",
    "prefetch_read_data",
    "prefetch_write_data",
    "prefetch_read_instruction",
)
def nothing(_call: Call) -> None:
    """Do nothing at run time."""


@intrinsic("llvm.x86.xgetbv")
def host_registers(call: Call) -> None:
    """Return 0: the operating system keeps none of the host's vector registers, as far as a kernel is concerned."""
    call.store(call.frame.constant(0, call.frame.types.shape(call.target.ty).registers[0]))


@intrinsic("breakpoint")
def breakpoint_(call: Call) -> None:
    """Refuse it: the host stops under a debugger, a GPU would end the launch."""
    raise call.refuse("is not supported in kernels")


@intrinsic("abort")
def abort(call: Call) -> None:
    """End the kernel."""
    call.frame.add(mir.Panic("aborted"))


@intrinsic("unreachable")
def unreachable(call: Call) -> None:
    """Never reached."""
    call.frame.add(mir.Unreachable())


@intrinsic("assume")
def assume(call: Call) -> None:
    """State a fact."""
    call.frame.add(mir.Assume(call.arg(0)))


@intrinsic("select_unpredictable")
def select(call: Call) -> None:
    """Write one of two values."""
    frame = call.frame
    condition, target = call.arg(0), call.target
    first, second = spot_of(frame, call.args[1]), spot_of(frame, call.args[2])
    chosen = frame.add(mir.Select(condition, first.address(frame), second.address(frame))).value
    shape = frame.types.shape(target.ty)
    if shape.size:
        frame.add(mir.Copy(target.address(frame), chosen, shape.size, shape.align))


@intrinsic("discriminant_value")
def discriminant_value(call: Call) -> None:
    """Return the discriminant of the enum behind a reference."""
    pointer = registers(call.frame, call.args[0])[0]
    ty = pointee(call, 0)
    spot = Spot(pointer, ty, align=call.frame.types.layout(ty).align)
    to = call.frame.types.shape(call.target.ty).registers[0]
    call.store(enums.discriminant(call.frame, spot, to))
