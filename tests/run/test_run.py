"""The same functions natively and on the CPU device, bit for bit: what a kernel means."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus import Corpus, Run, assert_convergent, assert_nothing_differs, assert_ptxas_assembles

CORPUS = Corpus(
    Path(__file__).parent,
    {
        "release": ("--profile", "release"),
        "no-inline": ("--profile", "no-inline"),
        "dev": ("--profile", "dev", "--opt-level", "0"),
    },
)
"""As users build it; with every function called; with MIR as it is written, overflow checks and debug assertions, and the passes of LLVM
that code generation needs and no other."""


@pytest.fixture
def done(mode: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run of a mode."""
    return CORPUS.run(mode, tmp_path_factory.mktemp(mode))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("topic", CORPUS.topics)
@pytest.mark.parametrize("mode", CORPUS.every_mode)
def test_the_device_gives_what_the_host_does(done: Run, topic: str) -> None:
    assert_nothing_differs(done, topic)


@pytest.mark.timeout(600)
# Unoptimised code takes ptxas minutes.
@pytest.mark.parametrize(
    ("mode", "arch"), [("release", "sm_75"), ("release", "sm_90"), pytest.param("no-inline", "sm_90", marks=pytest.mark.long)]
)
def test_ptxas_assembles_it(done: Run, arch: str) -> None:
    assert_ptxas_assembles(done, arch)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", CORPUS.every_mode)
def test_what_may_not_be_moved_says_so(done: Run) -> None:
    assert_convergent(done)
