"""`python -m oxide`, the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line, or only `doctor` where nothing is installed yet."""
    try:
        import click  # noqa: F401
    except ImportError:
        if sys.argv[1:2] != ["doctor"]:
            sys.stderr.write("error: the Python packages that oxide needs are not installed\nhint: run ./oxide, or `pip install oxide`\n")
            return 3
        from oxide.cli.doctor import report

        return report()
    from oxide.cli.main import run

    return run()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # while the command line is still being imported
        sys.exit(130)
