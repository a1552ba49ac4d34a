"""What all tests in Python have in common."""

import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import pytest
from tests.python.durations import Durations, sort_longest_first

FOLDER = Path(__file__).parent

ON_A_CLOCK = (
    "cli",
    "emulator",
    "interop",
    "link",
    "live",
    "load",
    "report",
    "running",
    "serve",
    "testbed",
)
"""Folders whose tests wait for processes, sockets or a browser of this machine."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that keeps how long the files took."""
    parser.addoption(
        "--durations-file",
        type=Path,
        metavar="FILE",
        help="Write the seconds that the tests of each file took to FILE (default: not written).",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make SIGINT interrupt again, where a shell that starts jobs in the background ignores it.

    Programs inherit what is ignored: a test that interrupts one would wait for ever.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--durations-file", default=None) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations(), "lasthop-durations")


SHARED_FOLDER = "../shared"
"""A folder that a checkout elsewhere lacks: a skip that names it is allowed in CI."""

_Report = TypeVar("_Report", pytest.TestReport, pytest.CollectReport)


def refuse_skip(report: _Report) -> _Report:
    """Turn a skip into a failure where `CI=true`; an expected failure stays what it is."""
    if os.environ.get("CI") != "true" or not report.skipped or hasattr(report, "wasxfail"):
        return report
    # pytest gives the file, the line and the reason of a skip.
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if SHARED_FOLDER not in reason:
        report.outcome = "failed"
        report.longrepr = f"{reason}\nA test may not be skipped where CI=true."
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let no test be skipped in CI."""
    return refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let no file be skipped in CI."""
    return refuse_skip((yield))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write how long the files took."""
    durations = session.config.pluginmanager.get_plugin("lasthop-durations")
    if durations is not None:
        durations.write(session.config.getoption("--durations-file"))


_LIMIT = pytest.StashKey[object]()


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: object) -> None:
    """Keep the limit of a test, for a second try."""
    item.stash[_LIMIT] = settings


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give a second try a time limit of its own.

    pytest-timeout sets its timer once, before the first try, and ends it at the first failure. A
    second try that hung was never ended.
    """
    if getattr(item, "execution_count", 1) > 1 and _LIMIT in item.stash:
        item.ihook.pytest_timeout_cancel_timer(item=item)
        item.ihook.pytest_timeout_set_timer(item=item, settings=item.stash[_LIMIT])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and give tests on a clock a second try.

    The summary names each second try. A busy machine can be late, but a test in virtual time that
    fails now and then has found a fault.
    """
    second_try = pytest.mark.flaky(reruns=1, reruns_delay=5)
    for item in items:
        if any(item.path.is_relative_to(FOLDER / name) for name in ON_A_CLOCK):
            item.add_marker(second_try)
    sort_longest_first(items)
