"""Record that programs of tests/programs succeeded on a GPU.

    .venv/bin/python scripts/record_gpu.py --device "NVIDIA H200" clusters views

Writes tests/programs/gpu.json and docs/operations.md. What was recorded before stays for programs whose source has not changed since, if
the GPU is the same.
"""

from __future__ import annotations

import argparse

import list_operations
import proofs


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description="record that programs of tests/programs succeeded on a GPU")
    parser.add_argument("names", nargs="+", metavar="NAME", help="a program's name, without .rs")
    parser.add_argument("--device", required=True, help="the GPU's name")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in proofs.programs()]:
        parser.error(f"no such program: {', '.join(unknown)}")
    proofs.RECORD.write_text(proofs.record(options.device, options.names))
    list_operations.PAGE.write_text(list_operations.page())


if __name__ == "__main__":
    main()
