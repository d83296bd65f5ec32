"""Functions that call other crates, natively and on the CPU device: what of the ecosystem works in kernels.

Results agree bit for bit, but for what comes of those functions of `libm` that are the C library's on the CPU device: `Near` says how near.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corpus import Corpus, Run, assert_convergent, assert_nothing_differs, assert_ptxas_assembles

CORPUS = Corpus(
    Path(__file__).parent,
    {"release": ("--profile", "release"), "no-inline": ("--profile", "no-inline", "--opt-level", "0")},
)
"""As users build it; with every function called, in LLVM's code too."""


@pytest.fixture
def done(mode: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run of a mode."""
    return CORPUS.run(mode, tmp_path_factory.mktemp(mode))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("topic", CORPUS.topics)
@pytest.mark.parametrize("mode", CORPUS.every_mode)
def test_the_device_gives_what_the_host_does(done: Run, topic: str) -> None:
    assert_nothing_differs(done, topic)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("arch", ["sm_90"])
@pytest.mark.parametrize("mode", ["release"])  # what LLVM has not optimised takes ptxas minutes, and no other arch has other instructions
def test_ptxas_assembles_it(done: Run, arch: str) -> None:
    assert_ptxas_assembles(done, arch)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", CORPUS.every_mode)
def test_what_may_not_be_moved_says_so(done: Run) -> None:
    assert_convergent(done)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("mode", CORPUS.every_mode)
def test_only_kernels_are_entries(done: Run) -> None:
    """A function inside a kernel is none. An instance of a library's generic kernel belongs to each crate that names it."""
    entries = {ptx.stem: set(re.findall(r"\.visible \.entry (\w+)", ptx.read_text())) for ptx in done.ptx}
    instances = {stem: {entry for entry in names if "_TID_" in entry} for stem, names in entries.items()}
    entries = {stem: names - instances[stem] for stem, names in entries.items()}
    cases = {topic: {re.split(r"::|\(", line)[1] for line in lines} for topic, lines in done.lines.items()}
    assert entries["kernels"] == cases.pop("library")
    assert len(instances["left"] | instances["crates"]) == len(cases.pop("instances")) - 1
    assert instances["left"] == instances["right"]
    assert entries["crates"] == set().union(*cases.values())
