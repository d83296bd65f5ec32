"""How the `mir` and `nvvm` stages write functions and globals.

"mir.func"() ({ … }) {sym_name = "vecadd", params = [!llvm.ptr, i64], kernel} : () -> ()
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from oxide.ir.module import Function, Global, Param, Relocation
from oxide.ir.ops import Symbol
from oxide.ir.text import TextError
from oxide.ir.types import Type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oxide.ir.module import Module
    from oxide.ir.text import Record


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
    size_and_align = value.pop("byval", None)
    return Param(byval=None if size_and_align is None else tuple(size_and_align), **value)


class MirForm:
    """The form of stages before `llvm`."""

    function_op = "mir.func"
    global_op = "mir.global"

    def function_attributes(self, function: Function) -> dict[str, Any]:
        """Return a function's attributes, those that say nothing left out."""
        found: dict[str, Any] = {"sym_name": str(function.symbol), "params": [spell_param(param) for param in function.params]}
        if function.result is not None:
            found["result"] = function.result
        if function.kernel:
            found["kernel"] = None
        if function.weak:
            found["weak"] = None
        if function.inline != "default":
            found["inline"] = function.inline
        if function.operation:
            found["operation"] = function.operation
        if function.launch_bounds:
            found["launch_bounds"] = list(function.launch_bounds)
        return found

    def read_function(self, attributes: dict[str, Any]) -> Function:
        """Return an empty function."""
        known = {field.name for field in fields(Function)} | {"sym_name"}
        if unknown := set(attributes) - known:
            raise TextError(f"a function has no {', '.join(sorted(unknown))}")
        return Function(
            Symbol(attributes["sym_name"]),
            tuple(read_param(value) for value in attributes["params"]),
            attributes.get("result"),
            kernel="kernel" in attributes,
            weak="weak" in attributes,
            inline=attributes.get("inline", "default"),
            operation=attributes.get("operation", ""),
            launch_bounds=tuple(attributes.get("launch_bounds", ())),
        )

    def global_text(self, item: Global, _module: Module) -> tuple[dict[str, Any], list[str]]:
        """Return a global's attributes; it has no region."""
        found: dict[str, Any] = {"sym_name": str(item.symbol), "size": item.size, "align": item.align, "space": item.space}
        if item.constant:
            found["constant"] = None
        if item.content is not None:
            found["content"] = item.content.hex()
        if item.relocations:
            found["relocations"] = [[relocation.offset, relocation.symbol, relocation.addend] for relocation in item.relocations]
        return found, []

    def read_global(self, attributes: dict[str, Any], region: Sequence[tuple[Record, list[str], list[str]]]) -> Global:
        """Return a global."""
        content = attributes.get("content")
        return Global(
            Symbol(attributes["sym_name"]),
            attributes["size"],
            attributes["align"],
            attributes["space"],
            "constant" in attributes,
            None if content is None else bytes.fromhex(content),
            tuple(Relocation(offset, symbol, addend) for offset, symbol, addend in attributes.get("relocations", ())),
        )


MIR_FORM = MirForm()
