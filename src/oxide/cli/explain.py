"""`oxide explain`: what a diagnostic's code means."""

from __future__ import annotations

import re

import click

from oxide.cli import ui
from oxide.errors import UsageError
from oxide.errors.codes import CODES, Code

EPILOG = """\b
Examples:
  oxide explain OX101              what [OX101] means, and how to fix the error
  oxide explain                    every code with its title
  oxide explain --all              every code in full, as Markdown: this is docs/errors.md
"""

PREAMBLE = """# Errors and warnings

<!-- written by `oxide explain --all` -->

An error or a warning about a program ends in a code in brackets; `oxide explain CODE` prints its section.
"""


@click.command(epilog=EPILOG)
@click.argument("code", required=False)
@click.option("everything", "--all", is_flag=True, help="Print every code in full.")
def command(code: str | None, everything: bool) -> None:
    """Explain an error code and how to fix the error.

    CODE is in brackets at the end of an error: OX101, for example.
    """
    if everything:
        text = page()
    elif code is None:
        text = "".join(f"{known.name}  {known.title}\n" for known in CODES.values())
    elif (found := CODES.get(name := code.upper().strip("[]"))) is not None:
        text = section(found)
    elif re.fullmatch(r"E\d{4}", name):
        raise UsageError(f"{name} is a code of rustc's", hint=f"`rustc --explain {name}`")
    else:
        meant = f"OX{name[-3:]}"
        raise UsageError(f"unknown code '{code}'", hint=f"did you mean '{meant}'?" if meant in CODES else "`oxide explain` lists them")
    ui.data(text.encode())


def page() -> str:
    """Return docs/errors.md."""
    return "\n".join([PREAMBLE, *map(section, CODES.values())])


def section(code: Code) -> str:
    """Return a code's section of docs/errors.md."""
    return f"## {code.name}: {code.title}\n\n{code.explanation}\n"
