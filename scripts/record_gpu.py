"""Record that programs of tests/programs succeeded on a GPU, or topics of tests/run.

    .venv/bin/python scripts/record_gpu.py --device "NVIDIA H200" --driver 580.95.05 clusters views
    .venv/bin/python scripts/record_gpu.py --device "NVIDIA H200" --output run.txt      # what the program of tests/run printed there

Writes tests/programs/gpu.json and docs/operations.md, or tests/run/gpu.json. What was recorded before of programs stays for those whose
source has not changed since, if the GPU is the same; of topics all are recorded that the output has, and whose functions all agreed. A
record names the commit that is checked out as the compiler's.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import list_operations
import proofs


def agreed(output: str) -> list[str]:
    """Return the topics all of whose functions agreed."""
    lines = [line.partition(" ") for line in output.splitlines()]
    found = {name.partition("::")[0] for word, _, name in lines if word == "ok"}
    return sorted(found - {name.partition("::")[0] for word, _, name in lines if word == "FAIL"})


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description="record that programs of tests/programs succeeded on a GPU")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a program's name, without .rs")
    parser.add_argument("--output", type=Path, metavar="FILE", help="what the program of tests/run printed")
    parser.add_argument("--device", required=True, help="the GPU's name")
    parser.add_argument("--driver", metavar="VERSION", help="the driver's version, as nvidia-smi prints it")
    options = parser.parse_args()
    compiler = proofs.compiler(options.driver)
    if not options.names and options.output is None:
        parser.error("nothing to record")
    if options.output is not None:
        proofs.RECORD_OF_TOPICS.write_text(proofs.record_of_topics(options.device, agreed(options.output.read_text()), compiler))
    if not options.names:
        return
    if unknown := [name for name in options.names if name not in proofs.programs()]:
        parser.error(f"no such program: {', '.join(unknown)}")
    proofs.RECORD.write_text(proofs.record(options.device, options.names, compiler))
    list_operations.PAGE.write_text(list_operations.page())


if __name__ == "__main__":
    main()
