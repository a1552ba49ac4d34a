"""The command `link`, as root and as anybody."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.python.cli.conftest import COMMAND
from tests.python.warm_command import run_warm

from lasthop.testbed import missing_requirement
from lasthop.testbed.namespace import FOLDER

Link = Callable[..., "subprocess.CompletedProcess[str]"]
StartLink = Callable[..., "subprocess.Popen[str]"]

PATIENCE_S = 120.0

QUIET = ("--late-limit", "2s")
"""For tests that are not about a machine that is too busy."""


@pytest.fixture(autouse=True)
def _as_root() -> None:
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"these tests need {missing}")


def leaves_nothing(pid: int) -> bool:
    """Whether there is no namespace that a process made."""
    return not list(FOLDER.glob(f"lasthop-{pid}-*"))


@pytest.fixture
def link(tmp_path: Path) -> Link:
    """Return a function that runs the command in a fresh folder."""

    def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        return run_warm(["link", *map(str, arguments)], folder=tmp_path, timeout=PATIENCE_S)

    return run


@pytest.fixture
def start_link(tmp_path: Path) -> Iterator[StartLink]:
    """Return a function that starts the command, in a group of processes of its own."""
    started = []

    def start(*arguments: str | Path) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [*COMMAND, "link", *map(str, arguments)],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def python() -> str:
    """Give the Python for programs at the ends."""
    return sys.executable


@pytest.fixture
def broker(tmp_path: Path) -> str:
    """Give a command of mosquitto that serves all comers."""
    if shutil.which("mosquitto") is None:
        pytest.skip("mosquitto is missing; apt-get install mosquitto")
    written = tmp_path / "mosquitto.conf"
    written.write_text("listener 1883\nallow_anonymous true\nuser root\n")
    return f"mosquitto -c {written}"
