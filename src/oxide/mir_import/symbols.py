"""Symbols of items: those that rustc mangles (RFC 2603), those that programs choose, and those that PTX and libdevice reserve.

chosen_symbol("a.b")                            # a_b$25ef7e8a7bb1f0e5
path_of_symbol("_RNvNtCs1_3app7kernels5TABLE")  # ["app", "kernels", "TABLE"]
"""

from __future__ import annotations

import hashlib
import re

from oxide.dialects import libdevice, operations
from oxide.ir import Symbol

MODULE_PATH = re.compile(r"_R(?:N[a-z])*C(.*)", re.ASCII)
IDENTIFIER = re.compile(r"(?:s[0-9A-Za-z]*_)?(\d+)_?", re.ASCII)


def is_reserved(name: str) -> bool:
    """Return whether a name is a constant of PTX (PTX ISA, "Predefined Identifiers"), or a function of libdevice or of the driver."""
    return name == "WARP_SZ" or name.startswith(libdevice.PREFIX) or name in operations.BY_SYSTEM_CALL


def path_of_symbol(symbol: str) -> list[str]:
    """Return the names of crate, modules and item of a symbol: `app`, `kernels`, `TABLE` of `_RNvNtCs1_3app7kernels5TABLE` (RFC 2603)."""
    found = MODULE_PATH.fullmatch(symbol)
    assert found is not None, f"{symbol} is the symbol of an item in a module"
    rest, names = found[1], []
    while (head := IDENTIFIER.match(rest)) is not None:
        end = head.end() + int(head[1])
        names.append(rest[head.end() : end])
        rest = rest[end:]
    assert not rest, f"{symbol} is the symbol of an item in a module"
    return names


def chosen_symbol(name: str) -> Symbol:
    """Return the symbol of an item with a chosen name (`#[no_mangle]`, `#[export_name]`): `sinf$`, `a_b$25ef7e8a7bb1f0e5` of `a.b`.

    The name may be a kernel's too, or that of a C function whose meaning LLVM knows, and PTX need not be able to spell it.
    """
    if re.fullmatch(r"\w+", name, re.ASCII):
        return Symbol(f"{name}$")
    spelled = re.sub(r"\W", "_", name, flags=re.ASCII)
    return Symbol(f"{spelled}${hashlib.sha256(name.encode()).hexdigest()[:16]}")
