"""How shells complete `cargo oxide`, whose first word is another program's.

eval "$(_CARGO_OXIDE_COMPLETE=bash_source cargo-oxide)"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import get_completion_class

from oxide.options import environment

if TYPE_CHECKING:
    import click

FOR_CARGO = "_CARGO_OXIDE_COMPLETE"
"""The variable that asks `cargo-oxide` for completions, or for the script that a shell reads at its start."""

HOOKS = {
    "bash": r"""
_cargo_completion_before_oxide=$(complete -p cargo 2>/dev/null | sed -n 's/.* -F \([^ ]*\) .*/\1/p')
_cargo_completion_with_oxide() {
    if [[ ${COMP_WORDS[1]} == oxide && $COMP_CWORD -gt 1 ]]; then
        _cargo_oxide_completion cargo-oxide "${@:2}"
    elif [[ -n $_cargo_completion_before_oxide && $_cargo_completion_before_oxide != "${FUNCNAME[0]}" ]]; then
        "$_cargo_completion_before_oxide" "$@"
    fi
}
complete -o bashdefault -o default -F _cargo_completion_with_oxide cargo
""",
    "zsh": """
_cargo-oxide() { _cargo_oxide_completion "$@" }
""",
    "fish": """
complete --no-files --command cargo --condition "__fish_seen_subcommand_from oxide" --arguments "(_cargo_oxide_completion)"
""",
}
"""What comes after click's script, which completes `cargo-oxide`: bash's completion of cargo is called for all else, zsh's calls a function
of this name, and fish merges the completions of a command."""


def for_cargo(command: click.Command) -> str | None:
    """Return the script by which a shell completes `cargo oxide`, if the environment asks for it."""
    shell, _, what = (environment().get(FOR_CARGO) or "").partition("_")
    made = get_completion_class(shell)
    return None if what != "source" or made is None else made(command, {}, "cargo-oxide", FOR_CARGO).source() + HOOKS.get(shell, "")
