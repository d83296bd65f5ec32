"""How the `mir` and `nvvm` stages write functions and globals.

"mir.func"() ({ … }) {sym_name = "vecadd", params = [!llvm.ptr, i64], kernel} : () -> ()
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from oxide.ir.module import Function, Global, Param, Relocation
from oxide.ir.ops import Symbol
from oxide.ir.record import TextError, integers, want
from oxide.ir.types import Type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.ir.module import Module
    from oxide.ir.record import Record


def spell_param(param: Param) -> Type | dict[str, Any]:
    """Return a parameter as an attribute: its type alone where it promises nothing."""
    promises: dict[str, Any] = {}
    if param.byval is not None:
        promises["byval"] = list(param.byval)
    promises |= {name: True for name in ("noalias", "readonly") if getattr(param, name)}
    return {"type": param.type, **promises} if promises else param.type


def read_param(value: Any) -> Param:
    """Return the parameter that an attribute describes."""
    if isinstance(value, Type):
        return Param(value)
    if not isinstance(value, dict) or (set(value) - {"type", "byval", "noalias", "readonly"}):
        raise TextError(f"a parameter is {value!r}, expected a type, or a type with byval, noalias or readonly")
    match integers(value, "byval", []):
        case ():
            byval = None
        case (size, align):
            byval = (size, align)
        case other:
            raise TextError(f"byval is {other}, expected a size and an alignment")
    return Param(want(value, "type", Type), byval, want(value, "noalias", bool, False), want(value, "readonly", bool, False))


class MirForm:
    """The form of stages before `llvm`."""

    function_op = "mir.func"
    global_op = "mir.global"

    def function_attributes(self, function: Function) -> dict[str, Any]:
        """Return a function's attributes, without those that equal their default."""
        found: dict[str, Any] = {"sym_name": str(function.symbol), "params": [spell_param(param) for param in function.params]}
        if function.result is not None:
            found["result"] = function.result
        if function.kernel:
            found["kernel"] = None
        if function.exported:
            found["exported"] = None
        if function.weak:
            found["weak"] = None
        if function.inline != "default":
            found["inline"] = function.inline
        if function.operation:
            found["operation"] = function.operation
        if not function.convergent:
            found["may_diverge"] = None
        if function.memory != "write":
            found["memory"] = function.memory
        if function.launch:
            found["launch"] = {name: list(numbers) for name, numbers in function.launch.items()}
        if function.signature:
            found["signature"] = function.signature
        return found

    def read_function(self, attributes: dict[str, Any]) -> Function:
        """Return an empty function."""
        known = {field.name for field in fields(Function)} - {"flushes", "convergent"} | {"sym_name", "may_diverge"}
        if unknown := set(attributes) - known:
            raise TextError(f"unknown attributes of a function: {', '.join(sorted(unknown))}")
        launch = want(attributes, "launch", dict, {})
        return Function(
            Symbol(want(attributes, "sym_name", str)),
            tuple(read_param(value) for value in want(attributes, "params", list)),
            want(attributes, "result", Type, None),
            kernel="kernel" in attributes,
            exported="exported" in attributes,
            weak="weak" in attributes,
            inline=want(attributes, "inline", str, "default"),
            operation=want(attributes, "operation", str, ""),
            convergent="may_diverge" not in attributes,
            memory=want(attributes, "memory", str, "write"),
            launch={name: integers(launch, name) for name in launch},
            signature=want(attributes, "signature", str, ""),
        )

    def settled(self, function: Function) -> Function:
        """Return a function whose blocks are read."""
        return function

    def global_text(self, item: Global, _module: Module) -> tuple[dict[str, Any], list[str]]:
        """Return a global's attributes; it has no region."""
        found: dict[str, Any] = {"sym_name": str(item.symbol), "size": item.size, "align": item.align, "space": item.space}
        if item.constant:
            found["constant"] = None
        if item.outside:
            found["outside"] = None
        if item.content is not None:
            found["content"] = item.content.hex()
        if item.relocations:
            found["relocations"] = [[relocation.offset, relocation.symbol, relocation.addend] for relocation in item.relocations]
        return found, []

    def read_global(self, attributes: dict[str, Any], region: Sequence[tuple[Record, list[str], list[str]]]) -> Global:
        """Return a global."""
        content = want(attributes, "content", str, None)
        return Global(
            Symbol(want(attributes, "sym_name", str)),
            want(attributes, "size", int),
            want(attributes, "align", int),
            want(attributes, "space", int),
            "constant" in attributes,
            None if content is None else bytes.fromhex(content),
            tuple(map(read_relocation, want(attributes, "relocations", list, []))),
            "outside" in attributes,
        )


def read_relocation(value: Any) -> Relocation:
    """Return the relocation that an attribute lists."""
    match value:
        case [int(offset), Symbol() as symbol, int(addend)]:
            return Relocation(offset, symbol, addend)
        case _:
            raise TextError(f"a relocation is {value!r}, expected its offset, a symbol and what is added")


MIR_FORM = MirForm()
