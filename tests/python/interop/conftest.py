"""A namespace for real software, and one of our hosts beside it on a TUN device."""

import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.python.examples import build_example

from lasthop.testbed import Namespace, Tun, missing_requirement

KERNEL, OURS = "10.77.0.1", "10.77.0.2"
"""The addresses of the namespace's own stack, and of our host."""

HARMFUL_COUNTERS = ("Ip.InHdrErrors", "Tcp.InCsumErrors", "Udp.InCsumErrors", "Udp.InErrors")

_PATIENCE_S = 300.0


@dataclass(slots=True)
class LiveHost:
    """One of our hosts, as a process.

    ``live_host("udp-echo", "7")`` starts a server, ``finish()`` waits for a client.
    """

    process: "subprocess.Popen[str]"

    def finish(self) -> list[dict[str, Any]]:
        """Wait for a client to end, and return what it told."""
        told, complaints = self.process.communicate(timeout=_PATIENCE_S)
        assert self.process.returncode == 0, complaints
        return [json.loads(line) for line in told.splitlines()]


StartHost = Callable[..., LiveHost]
FindProgram = Callable[[str, str], str]


@pytest.fixture(scope="session")
def program() -> Path:
    """Build the program of our hosts."""
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"tests beside real software need {missing}")
    return build_example("live_host")


@pytest.fixture
def namespace(program: Path) -> Iterator[Namespace]:
    """Give a namespace; the kernel must not have seen a damaged packet in the end."""
    del program  # Without it there is no reason for a namespace.
    with Namespace() as namespace:
        yield namespace
        counters = namespace.counters()
        assert {name: counters[name] for name in HARMFUL_COUNTERS} == dict.fromkeys(
            HARMFUL_COUNTERS, 0
        )


@pytest.fixture
def device(namespace: Namespace) -> Tun:
    """Give the device that joins the namespace and our host."""
    return namespace.tun("tun0", f"{KERNEL}/24")


@pytest.fixture
def live_host(program: Path, device: Tun) -> Iterator[StartHost]:
    """Return a function that starts one of our hosts on the device.

    With loss and delay, a link of ours lies between them. Without a seed, each has the next one.
    """
    seeds = itertools.count(1)
    started: list[LiveHost] = []

    def start(
        *what: str | int | Path,
        loss: float = 0.0,
        delay_ms: int = 0,
        outage_ms: str = "0,0",
        seed: int | None = None,
    ) -> LiveHost:
        options = [f"--address={OURS}", f"--loss={loss}", f"--delay-ms={delay_ms}"]
        options.append(f"--outage-ms={outage_ms}")
        process = subprocess.Popen(
            [program, *options, f"--seed={seed or next(seeds)}", *map(str, what)],
            stdin=device.descriptor,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(LiveHost(process))
        return started[-1]

    yield start
    for host in started:
        if host.process.poll() is None:
            host.process.terminate()
        complaints = host.process.communicate(timeout=_PATIENCE_S)[1]
        assert complaints == ""


@pytest.fixture
def find_program() -> FindProgram:
    """Return a function that finds a program of a Debian package."""

    def find(name: str, package: str) -> str:
        path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        if path is None:
            pytest.skip(f"{name} is missing; apt-get install {package}")
        return path

    return find
