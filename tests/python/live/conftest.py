"""What runs beside real software: it needs root and namespaces, and must leave nothing behind."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from lasthop.adapters.software import Software
from lasthop.errors import EnvironmentFailure
from lasthop.testbed import missing_requirement

FOLDER = Path(__file__).parent
NAMESPACES = Path("/run/netns")

_S = TypeVar("_S", bound=Software)


def installed(software: _S) -> _S:
    """Give it, or skip the test without it."""
    try:
        software.find()
    except EnvironmentFailure as missing:
        pytest.skip(str(missing))
    return software


@pytest.fixture
def needs() -> Iterator[Callable[..., None]]:
    """Skip what cannot be here; look for namespaces that this process left behind."""

    def check(*programs: str) -> None:
        if (missing := missing_requirement()) is not None:
            pytest.skip(f"real software needs {missing}")
        for program in programs:
            if shutil.which(program) is None and shutil.which(program, path="/usr/sbin") is None:
                pytest.skip(f"{program} is missing")

    yield check
    ours = f"lasthop-{os.getpid()}-*"
    assert not list(NAMESPACES.glob(ours)), "a run left a namespace behind"
