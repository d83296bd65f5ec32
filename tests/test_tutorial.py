"""What docs/tutorial.md shows is what happens."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from oxide.tools.finders import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

TUTORIAL = (REPOSITORY / "docs" / "tutorial.md").read_text()
ASSIGNMENT = "            *element"


[PROGRAM] = re.findall(r"```rust\n(.*?)```", TUTORIAL, re.DOTALL)
ERROR, FAULT = (block for block in re.findall(r"(?:^    .+\n)+", TUTORIAL, re.MULTILINE) if "double.rs:13" in block)


def run(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    (folder / "double.rs").write_text(program)
    return subprocess.run(
        [REPOSITORY / "oxide", "run", "double.rs", "--device", "cpu", "-q"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.timeout(600)
def test_the_tutorial(tmp_path: Path) -> None:
    done = run(tmp_path, PROGRAM)
    assert (done.returncode, done.stdout) == (0, "[2.0, 4.0, 6.0]\n"), done.stderr

    refused = run(tmp_path, PROGRAM.replace(ASSIGNMENT, f'            println!("{{i}}");\n{ASSIGNMENT}'))
    lines = [line.strip() for line in ERROR.splitlines()]
    for line in lines[:-1]:
        assert line in [other.strip().replace(f"{tmp_path}/", "") for other in refused.stderr.splitlines()], refused.stderr
    assert lines[-1].removesuffix("…").strip() in refused.stderr

    [use] = re.findall(r"use cuda_device::.*", PROGRAM)
    repaired = PROGRAM.replace(use, use.replace("{", "{gpu_printf, ")).replace(
        ASSIGNMENT, f'            gpu_printf!("{{}}\\n", i);\n{ASSIGNMENT}'
    )
    assert 'gpu_printf!("{}\\n", i);' in TUTORIAL
    assert run(tmp_path, repaired).stdout == "0\n1\n2\n[2.0, 4.0, 6.0]\n"

    failed = run(tmp_path, PROGRAM.replace("input[i]", "input[i + 1]"))
    assert failed.returncode == 1
    assert FAULT.strip() in failed.stderr.replace(f"{tmp_path}/", "")
