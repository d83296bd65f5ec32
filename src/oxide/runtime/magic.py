"""`%%oxide` in Jupyter and IPython: a cell of Rust becomes kernels of the notebook.

    %load_ext oxide

    %%oxide --arch sm_90
    #[kernel]
    pub fn scale(factor: f32, mut out: DisjointSlice<f32>) { … }

Each kernel is a variable of its name afterwards, and `oxide_module` the module.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from oxide.cache.files import MAX_CELLS, Cache, digest, touch, trim_folders, write_entry
from oxide.errors import OxideError, UsageError
from oxide.options import environment
from oxide.runtime.load import load
from oxide.runtime.module import GenericKernel

if TYPE_CHECKING:
    from oxide.runtime.module import Module

OPTIONS = {"--arch": "arch", "--device": "device", "--profile": "profile"}
SWITCHES = {"--fast-math": ("fast_math", True), "--no-fmad": ("fmad", False), "--quiet": ("quiet", True)}

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
    # The notebook counts the line of %%oxide as the cell's first, and so does rustc.
    source = ("\n" if "use cuda_device" in cell else PRELUDE) + cell
    # One file for all cells of one text, so that it is compiled once.
    cells = Cache(environment().cache).folder("cells")
    file = cells / digest(source)[:16] / "cell.rs"

    def put() -> None:
        write_entry(file, source.encode())
        touch(file.parent)

    put()
    trim_folders(cells, MAX_CELLS)
    module = load(file, **given)
    for kernel in module.kernels.values():
        if isinstance(kernel, GenericKernel):
            # The cell may be gone by the time that an instance is asked for.
            kernel.before_compiling = put
    return module


def only_message(error: OxideError) -> OxideError:
    """Let IPython show an error as the command line does: a traceback would show what is inside of oxide, and no line of the cell."""
    lines = [f"{type(error).__name__}: {error.message}", *([f"hint: {error.hint}"] if error.hint else [])]
    # IPython calls this method of an exception, where it has one, in place of making a traceback.
    error.__dict__["_render_traceback_"] = lambda: lines
    return error


def load_ipython_extension(shell: Any) -> None:
    """Give IPython the magic: `%load_ext oxide`."""

    def magic(line: str, cell: str) -> None:
        """Compile a cell of Rust, and bind its kernels. Raises what `load` does, so that the cell fails."""
        try:
            module = compile_cell(line, cell)
        except OxideError as error:
            raise only_message(error) from None
        shell.push({**module.kernels, "oxide_module": module})

    shell.register_magic_function(magic, magic_kind="cell", magic_name="oxide")
