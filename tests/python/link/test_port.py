"""A cable: one end of a pair of devices stands for the port, a namespace for what is on it."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lasthop.testbed import Namespace
from lasthop.testbed.veth import switch_offloads_off

from .conftest import PATIENCE_S, QUIET, StartLink
from .test_signals import wait_until

PROBE = Path(__file__).with_name("probe.py")
PORT = "lhport0"


@pytest.fixture
def board() -> Iterator[Namespace]:
    """Give a device on a cable that is in our port."""
    with Namespace() as board:
        pair = ("link", "add", "name", "eth0", "type", "veth", "peer", "name", PORT, "netns", "1")
        board.ip(*pair)
        try:
            board.ip("address", "add", "10.77.0.9/24", "dev", "eth0")
            board.ip("link", "set", "eth0", "up")
            # As a real device does it: what comes out of a cable has its checksums.
            board.inside(lambda: switch_offloads_off("eth0"))
            subprocess.run(["ip", "link", "set", PORT, "up"], check=True)
            yield board
        finally:
            subprocess.run(["ip", "link", "delete", PORT], check=True)


def test_what_is_on_a_cable_sits_behind_the_link(
    start_link: StartLink, board: Namespace, python: str
) -> None:
    process = start_link(
        *("--delay", "50ms", "--loss", "10%", "--summary=json", *QUIET, "--port", PORT),
        *("--", python, PROBE, "echo", "7"),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n", process.communicate()
    told = board.run(
        *("env", "LASTHOP_HOST=10.77.0.2", python, PROBE, "ask", "7", "200", "5", "300"),
        timeout=PATIENCE_S,
    )
    seconds = json.loads(told)
    assert 130 < len(seconds) < 190, len(seconds)
    assert min(seconds) >= 0.1
    process.terminate()
    _, complaints = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 143
    told = json.loads(complaints.splitlines()[-1])
    assert told["down"]["delivered"]["packets"] == len(seconds)
    wait_until(lambda: Path(f"/sys/class/net/{PORT}").exists())
