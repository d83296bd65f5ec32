"""`oxide emit-ltoir`: write what nvJitLink links with other device code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from oxide.cli import ui
from oxide.cli.parameters import BUILD, COMMON, TARGET, build_arguments, resolve_for_one_target, with_options

EPILOG = """\b
Examples:
  oxide emit-ltoir vecadd --arch sm_100
  oxide emit-ltoir . --arch sm_120 --out-dir out
"""


@click.command("emit-ltoir", epilog=EPILOG)
@TARGET
@click.option("--out-dir", type=click.Path(file_okay=False, path_type=Path), help="Write NAME.ltoir here. [default: the package's folder]")
@with_options(COMMON, BUILD)
def command(target: str, out_dir: Path | None, **chosen: Any) -> int:
    """Build TARGET and write the kernels of each crate as LTO IR, NAME.ltoir, and their target, NAME.target.

    TARGET is an example's name, a project's folder or a single .rs file; without one, the current folder. LTO IR is compiled by
    libNVVM, for sm_100 and later targets.
    """
    from oxide.cache.files import write_atomically
    from oxide.dialects.target import LEAST_OF_LIBNVVM
    from oxide.driver import Session
    from oxide.export.ltoir import find_library, to_ltoir
    from oxide.options import environment
    from oxide.rust.project import find_kernels

    here = Path.cwd()
    place = find_kernels(target, here)
    options = resolve_for_one_target(chosen, place)
    arch = options.compile.arch or LEAST_OF_LIBNVVM
    options = replace(options, compile=replace(options.compile, arch=arch))
    with Session(options, environment(), here, ui) as session:
        library = session.compiler.with_packages(find_library)
        built = session.build(place, emit={"ll", "ptx"}, **build_arguments(chosen))
    folder = out_dir or built.project.run_folder
    for crate, outputs in sorted(built.outputs.items()):
        content = to_ltoir(outputs["ll"].decode(), arch, options.compile, library)
        write_atomically(folder / f"{crate}.ltoir", content)
        write_atomically(folder / f"{crate}.target", f"{arch}\n".encode())
        ui.say(f"wrote {folder / crate}.ltoir and .target")
    return 0
