"""Text as a module.

    module = parse_module(text, "mir")

The grammar is MLIR's generic form as the printer writes it; spaces, comments and the order of definitions are free. A syntax
error is a `UsageError` with the line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from oxide.errors import UsageError
from oxide.ir.form import MIR_FORM
from oxide.ir.location import Location
from oxide.ir.module import Block, Module
from oxide.ir.ops import Op, Symbol, Value
from oxide.ir.record import Record, TextError
from oxide.ir.text import FORMS, Raw, Typed, from_record, unquote
from oxide.ir.types import Array, Float, FloatType, Int, IntType, Pointer, Struct, Type

if TYPE_CHECKING:
    from collections.abc import Callable

    from oxide.ir.module import Function

TOKEN = re.compile(
    r"""(?:\s|//[^\n]*)*+                  # what means nothing
    (?:(?P<mark>[(){}\[\]<>,:=?*])
    |(?P<word>!?[A-Za-z_][\w.$]*)
    |(?P<value>%[\w#]+)
    |(?P<number>-?0x[0-9A-Fa-f]+|-?\d+)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<arrow>->)
    |(?P<alias>\#loc\d*)
    |(?P<block>\^\w+)
    |(?P<symbol>@[\w$.]+)
    |(?P<raw>\#[\w.]+(?:<(?:[^<>]|<[^<>]*>)*>)?)
    |(?P<end>\Z))""",
    re.VERBOSE,
)

NOTHING = re.compile(r"(?:\s|//[^\n]*)*")
"""White space and comments."""

WIDEST = 128
"""Bits of the widest integer type."""

LAST_SPACE = 7
"""The last of NVPTX's address spaces (LLVM NVPTX usage, "Address Spaces")."""

LONGEST = 64
"""Digits of the longest number."""


def parse_module(text: str, stage: str) -> Module:
    """Parse the text of a stage; raise `UsageError` where it does not."""
    parser = Parser(text, stage)
    try:
        return parser.module()
    except (TextError, ValueError) as error:
        parser.fail(str(error))
    except RecursionError:
        parser.fail("a type or an attribute nests too deep")


class Parser:
    """A recursive descent over tokens; nothing nests deeper than a type."""

    def __init__(self, text: str, stage: str) -> None:
        self.text = text
        self.stage = stage
        self.form = FORMS.get(stage, MIR_FORM)
        self.tokens: list[tuple[str, str, int]] = []
        self.index = 0
        self.locations: dict[str, Location | tuple[Location, str]] = {}

    def tokenize(self) -> None:
        """Split the text."""
        position = 0
        for found in TOKEN.finditer(self.text):
            kind = found.lastgroup
            assert kind is not None, "every alternative has a name"
            if found.start() != position:
                break  # something was passed over
            position = found.end()
            if kind == "end":
                self.tokens.append(("end", "the end of the file", position))
                return
            self.tokens.append((kind, found[kind], position))
        rest = NOTHING.match(self.text, position)
        position = rest.end() if rest else position
        self.fail(f"unexpected character {self.text[position]!r}", position)

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        """Raise an error that names the line."""
        if position is None and self.tokens:
            position = self.tokens[min(self.index, len(self.tokens) - 1)][2]
        line = self.text.count("\n", 0, position or 0) + 1
        raise UsageError(f"line {line} of the {self.stage} text: {message}")

    def take(self, kind: str, text: str | None = None) -> str:
        """Take a token of a kind, and of a text if one is given."""
        found, value, _ = self.tokens[self.index]
        if found != kind or (text is not None and value != text):
            self.fail(f"got {value!r}, expected {text or 'a ' + kind}")
        self.index += 1
        return value

    def mark(self, text: str) -> str:
        """Take a punctuation mark."""
        return self.take("mark", text)

    def at(self, text: str) -> bool:
        """Return whether the next token is this mark."""
        return self.tokens[self.index][:2] == ("mark", text)

    def skip(self, text: str) -> bool:
        """Take this mark if it is next."""
        if self.at(text):
            self.index += 1
            return True
        return False

    def read_locations(self) -> None:
        """Read the alias definitions, wherever they stand, and take them out."""
        kept: list[tuple[str, str, int]] = []
        tokens, self.index = self.tokens, 0
        while self.index < len(tokens):
            if tokens[self.index][0] == "alias" and tokens[self.index + 1][1] == "=":
                alias = tokens[self.index][1]
                self.index += 2
                self.take("word", "loc")
                self.mark("(")
                self.locations[alias] = self.location_body()
                self.mark(")")
            else:
                kept.append(tokens[self.index])
                self.index += 1
        self.tokens, self.index = kept, 0
        resolved: dict[str, Location] = {}
        for alias in self.locations:
            self.resolve(alias, resolved)
        self.locations = dict(resolved)

    def resolve(self, alias: str, resolved: dict[str, Location]) -> None:
        """Give a location its chain of callers."""
        chain = [alias]
        while chain[-1] not in resolved:
            found = self.locations.get(chain[-1])
            if found is None:
                self.fail(f"location {chain[-1]} is not defined", 0)
            if isinstance(found, Location):
                resolved[chain[-1]] = found
            elif found[1] in resolved:
                own, outer = found
                resolved[chain[-1]] = Location(own.file, own.line, own.column, resolved[outer], own.function)
            elif found[1] in chain:
                self.fail(f"location {alias} is inlined into itself", 0)
            else:
                chain.append(found[1])
                continue
            chain.pop()
            if not chain:
                return

    def location_body(self) -> Location | tuple[Location, str]:
        """Read a file, line and column, or those with the caller's alias."""
        if self.tokens[self.index][1] != "callsite":
            return self.file_location()
        self.take("word", "callsite")
        self.mark("(")
        own = self.named_location()
        self.take("word", "at")
        outer = self.take("alias")
        self.mark(")")
        return own, outer

    def named_location(self) -> Location:
        """Read a file, line and column, or those of a function that is named before them."""
        if self.tokens[self.index + 1][1] != "(":
            return self.file_location()
        function = unquote(self.take("string"))
        self.mark("(")
        place = self.file_location()
        self.mark(")")
        return Location(place.file, place.line, place.column, function=function)

    def file_location(self) -> Location:
        """Read a file, line and column."""
        file = unquote(self.take("string"))
        self.mark(":")
        line = self.integer()
        self.mark(":")
        return Location(file, line, self.integer())

    def trailing_location(self) -> Location | None:
        """Read an op's location, if it has one."""
        if self.tokens[self.index][1] != "loc":
            return None
        self.take("word", "loc")
        self.mark("(")
        alias = self.take("alias")
        self.mark(")")
        found = self.locations.get(alias)
        if not isinstance(found, Location):
            self.fail(f"location {alias} is not defined")
        return found

    def module(self) -> Module:
        """Read the whole text."""
        self.tokenize()
        self.read_locations()
        self.op_name("builtin.module")
        self.mark("(")
        self.mark(")")
        self.mark("(")
        self.mark("{")
        module = Module("", self.stage)
        while not self.at("}"):
            name = unquote(self.tokens[self.index][1])
            if name == self.form.function_op:
                module.add(self.function())
            elif name == self.form.global_op:
                self.read_global(module)
            else:
                self.fail(f"got op {name!r}, expected {self.form.function_op} or {self.form.global_op}")
        self.mark("}")
        self.mark(")")
        attributes = self.dictionary()
        self.signature()
        self.take("end")
        if attributes.get("oxide.stage") != self.stage:
            self.fail(f"the text is of stage {attributes.get('oxide.stage')}, expected {self.stage}", 0)
        module.name = str(attributes.get("sym_name", ""))
        return module

    def op_name(self, expected: str) -> None:
        """Take an op's name."""
        name = unquote(self.take("string"))
        if name != expected:
            self.fail(f"got op {name!r}, expected {expected!r}")

    def function(self) -> Function:
        """Read a function."""
        self.op_name(self.form.function_op)
        self.mark("(")
        self.mark(")")
        self.mark("(")
        start = self.index
        self.skip_region()
        self.mark(")")
        attributes = self.dictionary()
        self.signature()
        loc = self.trailing_location()
        after = self.index
        function = self.form.read_function(attributes)
        function.loc = loc
        self.index = start
        Body(self, function).read()
        self.index = after
        return self.form.settled(function)

    def skip_region(self) -> None:
        """Pass over braces and what is in them."""
        depth = 0
        while True:
            kind, text, _ = self.tokens[self.index]
            if kind == "end":
                self.fail("a region is not closed")
            depth += {"{": 1, "}": -1}.get(text, 0) if kind == "mark" else 0
            self.index += 1
            if depth == 0:
                return

    def read_global(self, module: Module) -> None:
        """Read a global."""
        self.op_name(self.form.global_op)
        self.mark("(")
        self.mark(")")
        region: list[tuple[Record, list[str], list[str]]] = []
        if self.skip("("):
            self.mark("{")
            while not self.at("}"):
                region.append(self.plain_op())
            self.mark("}")
            self.mark(")")
        attributes = self.dictionary()
        self.signature()
        module.add(self.form.read_global(attributes, region))

    def plain_op(self) -> tuple[Record, list[str], list[str]]:
        """Read an op of a global's region: its record, its operands' names and its results' names."""
        results = self.result_names()
        name = unquote(self.take("string"))
        self.mark("(")
        operands = self.separated(")", lambda: self.take("value"))
        attributes = self.dictionary()
        _, types = self.signature()
        return Record(name, [], attributes, types, []), operands, results

    def result_names(self) -> list[str]:
        """Read the names before an op: `%0, %1 =`, or nothing."""
        names: list[str] = []
        while self.tokens[self.index][0] == "value":
            names.append(self.take("value"))
            if not self.skip(","):
                self.mark("=")
                break
        return names

    def separated(self, end: str, read: Callable[[], Any]) -> list[Any]:
        """Read a list up to and with its closing mark."""
        found = []
        while not self.skip(end):
            found.append(read())
            if not self.skip(","):
                self.mark(end)
                break
        return found

    def signature(self) -> tuple[list[Type], list[Type]]:
        """Read `: (types) -> types`."""
        self.mark(":")
        self.mark("(")
        taken = self.separated(")", self.type)
        self.take("arrow")
        if self.skip("("):
            return taken, self.separated(")", self.type)
        return taken, [self.type()]

    def dictionary(self) -> dict[str, Any]:
        """Read attributes; none if there are no braces."""
        if not self.skip("{"):
            return {}
        found: dict[str, Any] = {}
        while not self.skip("}"):
            key = self.take("word")
            found[key] = self.attribute() if self.skip("=") else None
            if not self.skip(","):
                self.mark("}")
                break
        return found

    def attribute(self) -> Any:
        """Read an attribute's value."""
        kind, text, _ = self.tokens[self.index]
        match kind, text:
            case "string", _:
                return unquote(self.take("string"))
            case "symbol", _:
                return Symbol(self.take("symbol")[1:])
            case "raw", _:
                return Raw(self.take("raw"))
            case "number", _:
                return self.number()
            case "word", "true" | "false":
                return self.take("word") == "true"
            case "word", "array":
                return self.array()
            case "word", "dense":
                return self.dense()
            case "mark", "[":
                self.index += 1
                return self.separated("]", self.attribute)
            case "mark", "{":
                return self.dictionary()
            case _:
                return self.type()

    def number(self) -> int | Typed:
        """Read a number; without a type or as `i64` or `i128` it is plain."""
        value = self.integer()
        if not self.skip(":"):
            return value
        ty = self.type()
        if isinstance(ty, IntType) and ty.text in ("i64", "i128"):
            return value
        width = ty.width if isinstance(ty, (IntType, FloatType)) else 64
        return Typed(value & (1 << width) - 1, ty)

    def integer(self) -> int:
        """Read a number alone."""
        text = self.take("number")
        if len(text) > LONGEST:
            self.fail(f"got a number of {len(text)} digits, expected at most {LONGEST}")
        return int(text, 16 if "x" in text else 10)

    def array(self) -> list[int]:
        """Read `array<i32: 1, 2>`."""
        self.take("word", "array")
        self.mark("<")
        self.type()
        return self.separated(">", self.integer) if self.skip(":") else self.separated(">", self.type)

    def dense(self) -> list[int]:
        """Read `dense<[1, 2]> : tensor<2xi32>`."""
        self.take("word", "dense")
        self.mark("<")
        values = self.separated("]", self.dense_number) if self.skip("[") else [self.dense_number()]
        self.mark(">")
        self.mark(":")
        self.take("word", "tensor")
        self.mark("<")
        while not self.skip(">"):
            if self.tokens[self.index][0] == "end":
                self.fail("a tensor's type is not closed")
            self.index += 1
        return values

    def dense_number(self) -> int:
        """Read a number or truth value."""
        if self.tokens[self.index][0] == "word":
            return int(self.take("word") == "true")
        return self.integer()

    def type(self) -> Type:
        """Read a type."""
        word = self.take("word").removeprefix("!llvm.")
        if word == "ptr":
            if not self.skip("<"):
                return Pointer()
            space = self.integer()
            if not 0 <= space <= LAST_SPACE:
                self.fail(f"got address space {space}, expected one up to {LAST_SPACE}")
            self.mark(">")
            return Pointer(space)
        if word == "array":
            self.mark("<")
            count = self.integer()
            self.take("word", "x")
            element = self.type()
            self.mark(">")
            return Array(count, element)
        if word == "struct":
            self.mark("<")
            packed = self.tokens[self.index][1] == "packed"
            self.index += packed
            self.mark("(")
            elements = tuple(self.separated(")", self.type))
            self.mark(">")
            return Struct(elements, packed)
        if word == "func":
            return self.function_type()
        if word == "void":
            return VOID
        if found := re.fullmatch(r"([if])(\d+)", word):
            if found[1] == "i" and 0 < (width := int(found[2][:LONGEST])) <= WIDEST:
                return Int(width)
            if found[1] == "f" and found[2] in {"16", "32", "64"}:
                return Float(int(found[2]))
        self.index -= 1
        return self.fail(f"unknown type {word}")

    def function_type(self) -> FunctionType:
        """Read the rest of `!llvm.func<void (ptr, i64)>`."""
        self.mark("<")
        result = self.type()
        self.mark("(")
        params = tuple(self.separated(")", self.type))
        self.mark(">")
        return FunctionType(params, None if result is VOID else result)


class FunctionType(Type):
    """The type of a function, which only `llvm.func` writes."""

    __slots__ = ("params", "result")

    def __init__(self, params: tuple[Type, ...], result: Type | None) -> None:
        self.params = params
        self.result = result
        self.text = "func"


VOID = Type()
VOID.text = "!llvm.void"


class Body:
    """Reads one function's blocks."""

    def __init__(self, parser: Parser, function: Function) -> None:
        self.parser = parser
        self.function = function
        self.values: dict[str, Value] = {}
        self.blocks: dict[str, Block] = {}

    def read(self) -> None:
        """Read every block."""
        parser = self.parser
        parser.mark("{")
        while not parser.skip("}"):
            self.block()
        listed = set(self.function.blocks)
        for label, block in self.blocks.items():
            if block not in listed:
                parser.fail(f"block {label} is not defined")

    def target(self, label: str) -> Block:
        """Return the block of a label."""
        if label not in self.blocks:
            self.blocks[label] = Block()
        return self.blocks[label]

    def block(self) -> None:
        """Read a label and the ops after it."""
        parser = self.parser
        label = parser.take("block")
        block = self.target(label)
        if block in self.function.blocks:
            parser.fail(f"{label} is defined twice")
        if parser.skip("("):
            params = []
            for name, ty in parser.separated(")", self.param):
                params.append(Value(ty))
                self.define(name, params[-1])
            block.params = tuple(params)
        parser.mark(":")
        expected = [param.type for param in self.function.params] if not self.function.blocks else []
        if [value.type for value in block.params] != expected:
            parser.fail(f"{label} has parameters of types {[value.type for value in block.params]}, expected {expected}")
        self.function.blocks.append(block)
        while parser.tokens[parser.index][0] in ("value", "string"):
            block.ops.append(self.op())

    def param(self) -> tuple[str, Type]:
        """Read a block's parameter."""
        name = self.parser.take("value")
        self.parser.mark(":")
        return name, self.parser.type()

    def define(self, name: str, value: Value) -> None:
        """Give a name its value."""
        if name in self.values:
            self.parser.fail(f"{name} is defined twice")
        self.values[name] = value

    def use(self, name: str) -> Value:
        """Return the value of a name."""
        if (found := self.values.get(name)) is None:
            self.parser.fail(f"{name} is used before its definition")
        return found

    def op(self) -> Op:
        """Read an op."""
        parser = self.parser
        start = parser.index
        results = parser.result_names()
        name = unquote(parser.take("string"))
        parser.mark("(")
        operands = [self.use(text) for text in parser.separated(")", lambda: parser.take("value"))]
        successors = []
        if parser.skip("["):
            successors = [self.target(label) for label in parser.separated("]", lambda: parser.take("block"))]
        attributes = parser.dictionary()
        taken, given = parser.signature()
        loc = parser.trailing_location()
        if [value.type for value in operands] != taken:
            parser.fail(f"{name} has operands of types {[value.type for value in operands]}, the text says {taken}")
        try:
            op = from_record(Record(name, operands, attributes, given, successors))
        except TextError as error:
            parser.fail(str(error), parser.tokens[start][2])
        op.loc = loc
        made = op.results()
        if [value.type for value in made] != given or len(made) != len(results):
            parser.fail(f"{name} has results of types {[value.type for value in made]}, the text says {given}")
        for text, value in zip(results, made, strict=True):
            self.define(text, value)
        return op
