"""`%%oxide` in Jupyter and IPython: a cell of Rust becomes kernels of the notebook.

    %load_ext oxide

    %%oxide --arch sm_90
    #[kernel]
    pub fn scale(factor: f32, mut out: DisjointSlice<f32>) { … }

Each kernel is a variable of its name afterwards, and `oxide_module` the module.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oxide.cache import Cache, digest, write_atomically
from oxide.errors import OxideError, UsageError
from oxide.options import environment
from oxide.runtime.load import load

if TYPE_CHECKING:
    from oxide.runtime.module import Module

OPTIONS = {"--arch": "arch", "--device": "device", "--profile": "profile"}
SWITCHES = {"--fast-math": ("fast_math", True), "--no-fmad": ("fmad", False)}

PRELUDE = "use cuda_device::*;\n"
"""What a cell need not say."""


def compile_cell(line: str, cell: str) -> Module:
    """Compile a cell with the options of its first line. Raises what `load` does."""
    given: dict[str, Any] = {}
    words = iter(shlex.split(line))
    for word in words:
        if word in SWITCHES:
            name, on = SWITCHES[word]
            given[name] = on
        elif word in OPTIONS and (value := next(words, None)) is not None:
            given[OPTIONS[word]] = value
        else:
            raise UsageError(f"got '{word}' after %%oxide, expected one of {', '.join([*OPTIONS, *SWITCHES])}")
    source = cell if "use cuda_device" in cell else PRELUDE + cell
    # One file for all cells of one text, so that it is compiled once; rustc's lines are the cell's.
    file = Cache(environment().cache).folder("cells", digest(source)[:16]) / "cell.rs"
    write_atomically(file, source.encode())
    return load(Path(file), **given)


def shown(error: OxideError) -> str:
    """Return an error as the command line shows it."""
    return f"{error.message}\nhint: {error.hint}" if error.hint else error.message


def load_ipython_extension(shell: Any) -> None:
    """Give IPython the magic: `%load_ext oxide`."""

    def magic(line: str, cell: str) -> None:
        """Compile a cell of Rust, and bind its kernels."""
        try:
            module = compile_cell(line, cell)
        except OxideError as error:
            sys.stderr.write(shown(error) + "\n")
            return
        shell.push({**module.kernels, "oxide_module": module})

    shell.register_magic_function(magic, magic_kind="cell", magic_name="oxide")
