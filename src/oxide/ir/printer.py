"""Modules as text.

    print_module(module)      # "builtin.module"() ({ … }) {…} : () -> ()

Values are numbered in the order in which they appear, so that equal modules print equal bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxide.ir.form import MIR_FORM
from oxide.ir.text import FORMS, quote, spell_dictionary

if TYPE_CHECKING:
    from oxide.ir.location import Location
    from oxide.ir.module import Block, Function, Module
    from oxide.ir.ops import Op, Value


def print_module(module: Module) -> str:
    """Return a module's text."""
    printer = Printer(module)
    lines = ['"builtin.module"() ({']
    for item in module.globals.values():
        attributes, region = printer.form.global_text(item, module)
        name = printer.form.global_op
        if region:
            lines += [f'  "{name}"() ({{', *region, f"  }}) {spell_dictionary(attributes)} : () -> ()"]
        else:
            inner = "({})" if name != MIR_FORM.global_op else ""
            lines.append(f'  "{name}"() {inner}{" " if inner else ""}{spell_dictionary(attributes)} : () -> ()')
    for function in module.functions.values():
        lines += printer.function(function)
    lines.append(f"}}) {spell_dictionary({'oxide.stage': module.stage, 'sym_name': module.name})} : () -> ()")
    lines += printer.location_lines
    return "\n".join(lines) + "\n"


class Printer:
    """Prints functions and collects their locations."""

    def __init__(self, module: Module) -> None:
        self.form = FORMS.get(module.stage, MIR_FORM)
        self.locations: dict[Location, str] = {}
        self.location_lines: list[str] = []
        self.names: dict[Value, str] = {}
        self.blocks: dict[Block, str] = {}

    def location(self, loc: Location | None) -> str:
        """Return the trailing location of an op."""
        return "" if loc is None else f" loc({self.alias(loc)})"

    def alias(self, loc: Location) -> str:
        """Return the alias of a location, defined at the end of the text."""
        if (known := self.locations.get(loc)) is None:
            outer = None if loc.caller is None else self.alias(loc.caller)
            known = self.locations[loc] = f"#loc{len(self.locations)}"
            own = f"{quote(loc.file)}:{loc.line}:{loc.column}"
            own = own if loc.function is None else f"{quote(loc.function)}({own})"
            self.location_lines.append(f"{known} = loc({own})" if outer is None else f"{known} = loc(callsite({own} at {outer}))")
        return known

    def function(self, function: Function) -> list[str]:
        """Return a function's lines."""
        attributes = spell_dictionary(self.form.function_attributes(function))
        tail = f"{attributes} : () -> (){self.location(function.loc)}"
        if not function.blocks:
            return [f'  "{self.form.function_op}"() ({{}}) {tail}']
        lines = [f'  "{self.form.function_op}"() ({{']
        self.names = {}
        self.blocks = {block: f"^bb{index}" for index, block in enumerate(function.blocks)}
        # Names first: a block may use a value of one that is printed later.
        for block in function.blocks:
            for value in block.params:
                self.names[value] = f"%{len(self.names)}"
            for op in block.ops:
                for value in op.results():
                    self.names[value] = f"%{len(self.names)}"
        for block, label in self.blocks.items():
            params = ", ".join(f"{self.names[value]}: {value.type}" for value in block.params)
            lines.append(f"  {label}({params}):" if params else f"  {label}:")
            lines += map(self.op, block.ops)
        lines.append(f"  }}) {tail}")
        return lines

    def op(self, op: Op) -> str:
        """Return an op's line."""
        names = self.names
        operands, results, successors = op.operands(), op.results(), op.successors()
        head = f"{', '.join([names[value] for value in results])} = " if results else ""
        targets = f"[{', '.join([self.blocks[block] for block in successors])}]" if successors else ""
        found = op.text_attributes()
        attributes = f" {spell_dictionary(found)}" if found else ""
        taken = ", ".join([value.type.text for value in operands])
        given = results[0].type.text if len(results) == 1 else f"({', '.join([value.type.text for value in results])})"
        arguments = ", ".join([names[value] for value in operands])
        return f'    {head}"{op.name}"({arguments}){targets}{attributes} : ({taken}) -> {given}{self.location(op.loc)}'
