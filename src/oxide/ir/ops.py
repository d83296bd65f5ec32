"""Ops are declared, not programmed.

    class Add(Op, name="mir.add"):
        \"\"\"Wrapping integer addition, or IEEE float addition.\"\"\"

        lhs: Value = operand()
        rhs: Value = operand()
        value: Value = result(lambda op: op.lhs.type)

    op = Add(x, y)        # op.value is the sum

Results are computed from operands and attributes. That an op ends its block is a class keyword, `terminator=True`. What its fields'
types do not say stands in `rules`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, dataclass_transform

from oxide.ir.record import build
from oxide.ir.types import ScalarType, Type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from oxide.ir.location import Location
    from oxide.ir.module import Block, Function, Module
    from oxide.ir.record import Record, Spelling


class Value:
    """One SSA value: a result of `owner`, or a block's parameter when `owner` is None."""

    __slots__ = ("owner", "type")

    def __init__(self, type: Type, owner: Op | None = None) -> None:  # noqa: A002 - the field's word
        self.type = type
        self.owner = owner


class Symbol(str):
    """The name of a function or global: an attribute printed as `@name`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds of an attribute or of a whole op, in words and as a test."""

    words: str
    holds: Callable[[Any], bool]
    got: Callable[[Any], str] = str
    """What an op has that breaks it, in words."""


ALIGNMENT = Rule("a power of two up to 2^32", lambda value: 0 < value <= 1 << 32 and value & (value - 1) == 0)
SIZE = Rule("a number of bytes below 2^63", lambda value: 0 <= value < 1 << 63)


@dataclass(frozen=True, slots=True)
class Field:
    """How one field of an op was declared."""

    kind: Literal["operand", "operands", "optional", "attribute", "successor", "successors", "result", "optional result"]
    type: Any = object
    """A class of types or of attributes, or a type."""
    infer: Callable[[Any], Type | None] | None = None
    default: Any = ...
    rule: Rule | None = None


def operand(type: type[Type] | Type = ScalarType) -> Any:  # noqa: A002
    """Declare an operand whose type is `type`, or an instance of it."""
    return Field("operand", type)


def operands(type: type[Type] | Type = ScalarType) -> Any:  # noqa: A002
    """Declare any number of operands, a tuple."""
    return Field("operands", type)


def optional_operand(type: type[Type] | Type = ScalarType) -> Any:  # noqa: A002
    """Declare an operand that may be None."""
    return Field("optional", type)


def attribute(type: type, *, default: Any = ..., rule: Rule | None = None) -> Any:  # noqa: A002
    """Declare an attribute: `int`, `bool`, `str`, `Symbol`, a class of types or `tuple` (of integers), for which `rule` holds."""
    return Field("attribute", type, default=default, rule=rule)


def successor() -> Any:
    """Declare a block to go on in."""
    return Field("successor")


def successors() -> Any:
    """Declare any number of blocks, a tuple."""
    return Field("successors")


def result(infer: Callable[[Any], Type], /, *, init: Literal[False] = False) -> Any:
    """Declare a result; `infer` computes its type from the op."""
    return Field("result", infer=infer)


def optional_result(infer: Callable[[Any], Type | None], /, *, init: Literal[False] = False) -> Any:
    """Declare a result that is None where `infer` gives no type."""
    return Field("optional result", infer=infer)


OPS: dict[str, type[Op]] = {}
"""All declared ops by name."""


@dataclass_transform(
    eq_default=False,
    field_specifiers=(operand, operands, optional_operand, attribute, successor, successors, result, optional_result),
)
class Op:
    """Base of every op. Subclasses declare fields; `__init__` and the accessors are made from them."""

    name: ClassVar[str] = ""
    fields: ClassVar[Mapping[str, Field]] = {}
    terminator: ClassVar[bool] = False
    """Ends its block."""

    rules: ClassVar[tuple[Rule, ...]] = ()
    """What else holds of an op whose fields are as declared."""
    every_rule: ClassVar[tuple[Rule, ...]] = ()
    """The rules with those of the bases, which come first."""
    spellings: ClassVar[Mapping[str, Spelling]] = {}
    """How text has attributes, where not under their own names; those of the bases apply too."""
    text_keys: ClassVar[frozenset[str]] = frozenset()
    """The attributes that text may have."""
    family: ClassVar[bool] = False
    """Whether the ops below only add names."""
    dialect: ClassVar[str] = ""
    symbols: ClassVar[tuple[str, ...]] = ()
    """The attributes that name functions or globals."""

    loc: Location | None

    def __init_subclass__(cls, *, name: str = "", terminator: bool | None = None, family: bool = False) -> None:
        """Declare an op if it has a name. The ops below a `family` only add names: its methods, compiled once, are theirs."""
        own = {key: field for key, field in vars(cls).items() if isinstance(field, Field)}
        cls.fields = {**cls.fields, **own}
        for key in own:
            delattr(cls, key)
        cls.spellings = {key: spelling for base in reversed(cls.__mro__) for key, spelling in vars(base).get("spellings", {}).items()}
        names = [key for key, field in cls.fields.items() if field.kind == "attribute"]
        cls.text_keys = frozenset(cls.spellings[name].key if name in cls.spellings else name for name in names)
        if terminator is not None:
            cls.terminator = terminator
        if not name:
            if family:
                cls._compile()
            cls.family = family
            return
        if name in OPS:
            raise TypeError(f"op {name} is declared twice")
        if not inspect.cleandoc(vars(cls).get("__doc__") or ""):
            raise TypeError(f"op {name} has no docstring")
        cls.name = name
        cls.dialect = name.partition(".")[0]
        cls.symbols = tuple(key for key, field in cls.fields.items() if field.type is Symbol)
        OPS[name] = cls
        if not cls.family:
            cls._compile()

    @classmethod
    def _compile(cls) -> None:
        """Compile the methods, and take the rules of all bases together."""
        cls.every_rule = tuple(rule for base in reversed(cls.__mro__) for rule in vars(base).get("rules", ()))
        _make_methods(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError(f"{type(self).__name__} is not an op that can be made")

    # Made for each declared op by `_make_methods`:
    def operands(self) -> tuple[Value, ...]:
        """All operands in order."""
        raise NotImplementedError

    def results(self) -> tuple[Value, ...]:
        """All results in order."""
        raise NotImplementedError

    def successors(self) -> tuple[Block, ...]:
        """All blocks that may follow."""
        raise NotImplementedError

    def rewrite(self, mapping: Mapping[Value, Value]) -> None:
        """Replace operands in place by what `mapping` says, where it says something."""
        raise NotImplementedError

    def check(self) -> list[str]:
        """Return one message for each declaration that this op breaks: of its fields, or else of `rules`."""
        raise NotImplementedError

    def text_attributes(self) -> dict[str, Any]:
        """Return the attributes as text has them, in the order of declaration, without those that equal their default."""
        found: dict[str, Any] = {}
        for key, field in self.fields.items():
            if field.kind != "attribute" or (key == "ty" and self.results()):
                continue
            value, spelling = getattr(self, key), self.spellings.get(key)
            if value == field.default and not (spelling and spelling.always):
                continue
            found |= {key: value} if spelling is None else spelling.write(self, key)
        return found

    @classmethod
    def from_text(cls, record: Record) -> Op:
        """Make an op from what text has; raise `TextError` or `ValueError` where it does not fit the declaration."""
        return build(cls, record)

    def check_place(self, function: Function, module: Module) -> Iterable[str]:
        """Return one message for each way in which this op does not fit the function and module that it stands in."""
        return ()


class SameTypeOperands(Op):
    """Base of the ops with two operands of one type."""

    lhs: Value = operand()
    rhs: Value = operand()

    rules = (
        Rule("one type", lambda op: op.lhs.type is op.rhs.type, lambda op: f"operands differ in type: {op.lhs.type} and {op.rhs.type}"),
    )


def check_call(symbol: Symbol, args: tuple[Value, ...], result: Type | None, module: Module) -> Iterator[str]:
    """Yield a message where a call does not fit the function that it names."""
    callee = module.functions.get(symbol)
    if callee is None:
        if symbol in module.globals:
            yield f"calls @{symbol}, which is not a function"
        return  # or told as an unknown symbol
    if callee.kernel:
        yield f"calls @{symbol}, which is a kernel"
    given, expected = [value.type for value in args], [param.type for param in callee.params]
    if given != expected:
        yield f"calls @{symbol} with {given}, expected {expected}"
    if result is not callee.result:
        yield f"takes a {result} from @{symbol}, which returns {callee.result}"


def check_return(value: Value | None, function: Function) -> Iterator[str]:
    """Yield a message where what is returned is not of the function's type."""
    given = None if value is None else value.type
    if given is not function.result:
        yield f"returns {given}, expected {function.result}"


def _make_methods(cls: type[Op]) -> None:
    """Compile `__init__` and the accessors of one op from its fields, as dataclasses does: these run once an op."""
    given = [(key, field) for key, field in cls.fields.items() if "result" not in field.kind]
    results = [(key, field) for key, field in cls.fields.items() if "result" in field.kind]
    parameters = [key if field.default is ... else f"{key}=defaults[{key!r}]" for key, field in given]
    lines = [f"def __init__(self, {', '.join(parameters)}):"]
    lines += [f"    self.{key} = {key}" for key, _ in given] + ["    self.loc = None"]
    for key, field in results:
        if field.kind == "result":
            lines.append(f"    self.{key} = Value(infer_{key}(self), self)")
        else:
            lines += [f"    ty = infer_{key}(self)", f"    self.{key} = None if ty is None else Value(ty, self)"]

    def collect(method: str, one: tuple[str, ...], many: str) -> list[str]:
        parts = []
        for key, field in cls.fields.items():
            if field.kind.startswith("optional") and field.kind in one:
                parts.append(f"*(() if self.{key} is None else (self.{key},))")
            elif field.kind in one:
                parts.append(f"self.{key}")
            elif field.kind == many:
                parts.append(f"*self.{key}")
        return [f"def {method}(self):", f"    return ({', '.join(parts)}{',' if len(parts) == 1 else ''})"]

    lines += collect("operands", ("operand", "optional"), "operands")
    lines += collect("successors", ("successor",), "successors")
    lines += collect("results", ("result", "optional result"), "")
    lines += ["def rewrite(self, mapping):", "    get = mapping.get"]
    for key, field in cls.fields.items():
        match field.kind:
            case "operand" | "optional":
                lines.append(f"    self.{key} = get(self.{key}, self.{key})")
            case "operands":
                lines.append(f"    self.{key} = tuple([get(value, value) for value in self.{key}])")
            case _:
                pass
    scope: dict[str, Any] = {"Value": Value, "defaults": {key: field.default for key, field in given}}
    scope |= {f"infer_{key}": field.infer for key, field in results}
    scope |= {f"type_{key}": field.type for key, field in given}
    scope |= {f"rule_{key}": field.rule for key, field in given}
    scope |= {f"rule{index}": rule for index, rule in enumerate(cls.every_rule)}
    lines += _check_lines(cls)
    exec("\n".join(lines), scope)
    for method in ("__init__", "operands", "successors", "results", "rewrite", "check"):
        setattr(cls, method, scope[method])


def _check_lines(cls: type[Op]) -> list[str]:
    """Return the source of an op's `check`: the fields, then `rules` where those are right, then the results' types."""
    lines = ["def check(self):", "    found = []"]

    def expect(holds: str, message: str, indent: str = "    ") -> None:
        lines.extend([f"{indent}if not ({holds}):", f"{indent}    found.append({message})"])

    for key, field in cls.fields.items():
        words = str(field.type) if isinstance(field.type, Type) else field.type.__name__
        fits = f"{{}} is type_{key}" if isinstance(field.type, Type) else f"isinstance({{}}, type_{key})"
        typed = fits.format(f"self.{key}.type")
        match field.kind:
            case "operand":
                expect(typed, f"f'operand `{key}` has type {{self.{key}.type}}, expected {words}'")
            case "optional":
                expect(f"self.{key} is None or {typed}", f"f'operand `{key}` has type {{self.{key}.type}}, expected {words}'")
            case "operands":
                lines.append(f"    for index, value in enumerate(self.{key}):")
                message = f"f'operand {{index}} of `{key}` has type {{value.type}}, expected {words}'"
                expect(fits.format("value.type"), message, " " * 8)
            case "attribute":
                rule = f" and rule_{key}.holds(self.{key})" if field.rule is not None else ""
                holds = fits.format(f"self.{key}") + rule + (f" or self.{key} is None" if field.default is None else "")
                words = words if field.rule is None else field.rule.words
                expect(holds, f"f'attribute `{key}` is {{self.{key}}}, expected ' + {words!r}")
            case _:
                pass
    for index in range(len(cls.every_rule)):
        expect(f"found or rule{index}.holds(self)", f"f'{{rule{index}.got(self)}}, expected {{rule{index}.words}}'")
    for key, field in cls.fields.items():
        if "result" in field.kind:
            ty = f"self.{key}.type" if field.kind == "result" else f"(None if self.{key} is None else self.{key}.type)"
            expect(f"found or {ty} is infer_{key}(self)", f"f'result `{key}` has type {{{ty}}}, expected {{infer_{key}(self)}}'")
    return [*lines, "    return found"]
