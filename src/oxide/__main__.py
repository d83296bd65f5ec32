"""`python -m oxide`, the command line."""

from __future__ import annotations

import sys


def main(program: str = "oxide") -> int:
    """Run the command line, or only `doctor` where nothing is installed yet."""
    try:
        try:
            import click  # noqa: F401
        except ImportError:
            if sys.argv[1:2] != ["doctor"]:
                hint = "run ./oxide, or `pip install oxide`"
                sys.stderr.write(f"error: the Python packages that oxide needs are not installed\nhint: {hint}\n")
                return 3
            from oxide.cli.doctor import report

            return report()
        from oxide.cli.main import run

        return run(program=program)
    except KeyboardInterrupt:  # while the command line is still being imported
        return 130


def cargo() -> int:
    """Run the command line as cargo calls it: `cargo-oxide oxide run vecadd`."""
    return main("cargo oxide")


if __name__ == "__main__":
    sys.exit(main())
