"""What runs beside real software: it needs root and namespaces, and must leave nothing behind."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lasthop.testbed import what_is_missing

FOLDER = Path(__file__).parent
NAMESPACES = Path("/run/netns")


def _skip(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def needs() -> Iterator[Callable[..., None]]:
    """Skip what cannot be here; look for namespaces that this process left behind."""

    def check(*programs: str) -> None:
        if (missing := what_is_missing()) is not None:
            _skip(f"real software needs {missing}")
        for program in programs:
            if shutil.which(program) is None and shutil.which(program, path="/usr/sbin") is None:
                _skip(f"{program} is missing")

    yield check
    ours = f"lasthop-{os.getpid()}-*"
    assert not list(NAMESPACES.glob(ours)), "a run left a namespace behind"
