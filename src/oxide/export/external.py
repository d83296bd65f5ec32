"""Functions that are linked in later, in a module's text.

declare float @twice(float) nounwind willreturn memory(none) "oxide.external"
"""

from __future__ import annotations

import re

MARK = '"oxide.external"'
"""The attribute of a declaration that nothing in the module defines: whatever else is declared has to be found."""

DECLARED = re.compile(r"^declare .*?@([\w$.]+)\((.*)$", re.MULTILINE)
GROUP = re.compile(r"^attributes (#\d+) = \{(.*)\}$", re.MULTILINE)


def externals(ll: str) -> set[str]:
    """Return the names of these functions. LLVM prints attributes in groups."""
    if MARK not in ll:
        return set()
    groups = {group for group, attributes in GROUP.findall(ll) if MARK in attributes}
    return {name for name, rest in DECLARED.findall(ll) if MARK in rest or groups & set(re.findall(r"#\d+", rest))}
