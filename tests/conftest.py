"""What all tests share: `--bless`, `--long`, how tests are spread over processes, and no silent skips where CI=true."""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling
    from xdist.workermanage import WorkerController


GROUPS = {
    "programs": ("tests/test_programs.py", "tests/test_faults.py", "tests/test_panics.py", "tests/test_diagnostics.py"),
    "tests/run": ("tests/run/test_run.py", "tests/test_roundtrip.py"),
    "examples": ("tests/test_examples.py", "tests/cli/test_embedded_library.py"),
}
"""Files that build in one folder, which cargo locks: two processes would wait for each other. Every other file is a group of its own."""

LONGEST_FIRST = ("tests/run", "tests/crates/test_crates.py", "programs", "examples")
"""The groups that take minutes: what is started last is to be short."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="rewrite what goldens expect")
    parser.addoption("--seed", type=int, default=secrets.randbelow(1 << 32), help="where the random programs start [default: anywhere]")
    parser.addoption("--batches", type=int, help="how many hundreds of random functions are tried [default: 3, with --long 50]")
    parser.addoption("--long", action="store_true", help="run the tests that take minutes too, those marked `long`")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        first = metafunc.config.getoption("--seed")
        batches = metafunc.config.getoption("--batches") or (50 if metafunc.config.getoption("--long") else 3)
        metafunc.parametrize("seed", range(first, first + batches))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes minutes unless it is asked for, and spread the rest over pytest-xdist's processes by files."""
    if not config.getoption("--long"):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long")])
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    if is_worker(config):
        items.sort(key=lambda item: rank(group_of(item.nodeid)))


def group_of(test: str) -> str:
    """Return the group of tests that one process runs, by a test's id."""
    file = test.partition("::")[0]
    return next((group for group, files in GROUPS.items() if file in files), file)


def rank(group: str) -> int:
    """Return when a group has its turn."""
    return LONGEST_FIRST.index(group) if group in LONGEST_FIRST else len(LONGEST_FIRST)


def is_worker(config: pytest.Config) -> bool:
    """Whether this is one of pytest-xdist's processes."""
    return hasattr(config, "workerinput")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    from xdist.scheduler.loadscope import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):  # type: ignore[misc]
        """Gives a process one group of tests after the other, in their order."""

        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    config.option.loadscopereorder = False
    return ByGroup(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """All processes try the same random programs."""
    node.workerinput["seed"] = node.config.getoption("--seed")


def pytest_configure(config: pytest.Config) -> None:
    if is_worker(config):
        config.option.seed = cast("Any", config).workerinput["seed"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and item.get_closest_marker("gpu") is None:
        count_as_failure(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped:
        count_as_failure(report)
    return report


def count_as_failure(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Where CI=true everything but a GPU is there, so a skip hides something."""
    if os.environ.get("CI") == "true":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"a skip counts as a failure where CI=true: {reason}"
