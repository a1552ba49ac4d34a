"""What runs beside real software: it needs root and namespaces, and must leave nothing behind."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn, TypeVar

import pytest

from lasthop.adapters.maven_program import MavenProgram
from lasthop.adapters.software import Software
from lasthop.errors import EnvironmentFailure
from lasthop.testbed import what_is_missing

FOLDER = Path(__file__).parent
NAMESPACES = Path("/run/netns")

_S = TypeVar("_S", bound=Software)


def skip(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def installed(software: _S) -> _S:
    """Give it; without it skip, or fail where the project's own files have to bring it."""
    try:
        software.find()
    except EnvironmentFailure as missing:
        if os.environ.get("CI") == "true" and not isinstance(software, MavenProgram):
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    return software


@pytest.fixture
def needs() -> Iterator[Callable[..., None]]:
    """Skip what cannot be here; look for namespaces that this process left behind."""

    def check(*programs: str) -> None:
        if (missing := what_is_missing()) is not None:
            skip(f"real software needs {missing}")
        for program in programs:
            if shutil.which(program) is None and shutil.which(program, path="/usr/sbin") is None:
                skip(f"{program} is missing")

    yield check
    ours = f"lasthop-{os.getpid()}-*"
    assert not list(NAMESPACES.glob(ours)), "a run left a namespace behind"
