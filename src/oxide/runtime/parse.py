"""Signatures in Rust's words, for PTX that oxide did not write.

    parse_signatures("fn saxpy(n: u32, a: f32, x: *const f32, y: *mut f32)")

Types are primitives, pointers, slices (`&[f32]`, `&mut [f32]`: an address and a length), arrays and tuples of those. A tuple is laid out in
the order of its elements, as `repr(C)` lays out a struct.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from oxide.errors import UsageError
from oxide.ir import signature as sig

TOKEN = re.compile(r"\s*(?:(->|[A-Za-z_$][\w$]*|\d+|[()\[\]&*,:;])|(\S))")
INTEGER = re.compile(r"([iu])(8|16|32|64|128|size)")
FLOAT = re.compile(r"f(16|32|64)")
EXAMPLE = "fn saxpy(n: u32, a: f32, x: *const f32, y: *mut f32)"


def parse_signatures(given: str | Mapping[str, str]) -> list[sig.Signature]:
    """Return the signatures that a text has, or a mapping of names to `(a: u32, …)` or `fn name(…)`. Raises `UsageError`."""
    if isinstance(given, str):
        found = Parser(given).functions()
        names = [each.name for each in found]
        if twice := [name for name in names if names.count(name) > 1]:
            raise UsageError(f"got two signatures of kernel '{twice[0]}', expected one: {given}")
        return found
    texts: Any = given
    if not isinstance(texts, Mapping) or not all(isinstance(part, str) for pair in texts.items() for part in pair):
        raise UsageError(f"got {given!r} for the signature, expected a text, or a dict of names and texts", hint=EXAMPLE)
    found = []
    for name, text in given.items():
        signatures = Parser(text if text.lstrip().startswith("fn") else f"fn {name}{text}").functions()
        if len(signatures) != 1:
            raise UsageError(f"got {len(signatures)} signatures for kernel '{name}', expected one: {text}")
        found.append(sig.Signature(sig.VERSION, name, signatures[0].params))
    return found


class Parser:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        at = 0
        while match := TOKEN.match(text, at):
            if match[2]:
                raise UsageError(f"the signature has '{match[2]}': {text}", hint=EXAMPLE)
            self.tokens.append(match[1])
            at = match.end()
        self.at = 0

    def peek(self) -> str:
        """Return the next token, empty at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        """Take the next token."""
        token = self.peek()
        self.at += 1
        return token

    def take(self, *wanted: str) -> bool:
        """Take tokens if they are next."""
        if self.tokens[self.at : self.at + len(wanted)] != list(wanted):
            return False
        self.at += len(wanted)
        return True

    def expect(self, wanted: str) -> None:
        """Take a token that must be next."""
        if not self.take(wanted):
            raise UsageError(f"got '{self.peek() or 'the end'}', expected '{wanted}' in the signature: {self.text}")

    def name(self, what: str) -> str:
        """Take a name."""
        token = self.next()
        if not re.fullmatch(r"[A-Za-z_$][\w$]*", token):
            raise UsageError(f"got '{token or 'the end'}', expected the name of {what} in the signature: {self.text}")
        return token

    def functions(self) -> list[sig.Signature]:
        """Return all functions of the text."""
        found = []
        while self.peek():
            self.expect("fn")
            name = self.name("a kernel")
            self.expect("(")
            params: list[sig.Param] = []
            while not self.take(")"):
                param = self.name("a parameter")
                if any(param == other.name for other in params):
                    raise UsageError(f"got two parameters '{param}', expected different names in the signature: {self.text}")
                self.expect(":")
                start = self.at
                kind = self.type(parameter=True)
                params.append(sig.Param(param, spelled(self.tokens[start : self.at]), kind))
                if self.peek() != ")":
                    self.expect(",")
            self.take(";")
            found.append(sig.Signature(sig.VERSION, name, tuple(params)))
        if not found:
            raise UsageError("the signature is empty", hint=EXAMPLE)
        return found

    def type(self, *, parameter: bool = False) -> sig.Type:
        """Take a type."""
        if parameter and self.take("&"):
            mutable = self.take("mut")
            self.expect("[")
            element = self.type()
            self.expect("]")
            return sig.Slice(element, mutable)
        if self.take("*"):
            mutable = self.take("mut")
            if not mutable:
                self.expect("const")
            # C's void
            return sig.Pointer(mutable, None if self.take("void") or self.take("c_void") else self.type())
        if self.take("["):
            element = self.type()
            self.expect(";")
            count = self.next()
            if not (count.isascii() and count.isdecimal() and len(count) < 10):
                raise UsageError(f"got '{count}', expected a number of elements in the signature: {self.text}")
            self.expect("]")
            return sig.Array(element, int(count))
        if self.take("("):
            elements = []
            while not self.take(")"):
                elements.append(self.type())
                if self.peek() != ")":
                    self.expect(",")
            return in_order(elements)
        return self.primitive(self.next())

    def primitive(self, name: str) -> sig.Type:
        """Return the type of a name."""
        if found := INTEGER.fullmatch(name):
            return sig.Int(64 if found[2] == "size" else int(found[2]), found[1] == "i")
        if found := FLOAT.fullmatch(name):
            return sig.Float(int(found[1]))
        match name:
            case "bf16":
                return sig.Bfloat()
            case "bool":
                return sig.Bool()
            case "char":
                return sig.Char()
            case _:
                raise UsageError(
                    f"unknown type '{name}' in the signature: {self.text}", hint="a number, bool, char, pointer, slice, array or tuple"
                )


def in_order(elements: list[sig.Type]) -> sig.Type:
    """Return the tuple of elements that lie in their order, each at the next place that its alignment allows."""
    fields, end, most = [], 0, 1
    for number, element in enumerate(elements):
        size, align = sig.size_and_align(element)
        end += -end % align
        fields.append(sig.Field(str(number), end, element))
        end += size
        most = max(most, align)
    return sig.Record(end + -end % most, most, tuple(fields)) if end else sig.Nothing()


def spelled(tokens: list[str]) -> str:
    """Return a type's tokens as a person writes them."""
    text = "".join(f"{token} " if token in {"const", "mut", ",", ";"} else token for token in tokens)
    return text.strip()
