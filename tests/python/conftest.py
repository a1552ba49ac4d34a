"""What all tests in Python have in common."""

from pathlib import Path

import pytest

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests on a clock a second try, named by the summary: a busy machine can be late.

    What runs in virtual time has no such excuse: a test that fails now and then found something.
    """
    second_try = pytest.mark.flaky(reruns=1, reruns_delay=5)
    for item in items:
        if any(item.path.is_relative_to(FOLDER / name) for name in ON_A_CLOCK):
            item.add_marker(second_try)
