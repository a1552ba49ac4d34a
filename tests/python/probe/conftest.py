"""A server of probes in this process."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lasthop.probe.asking import Meter, Server
from lasthop.probe.server import ProbeServer

Address = tuple[str, int]


@contextmanager
def serving(host: str = "127.0.0.1") -> Iterator[Address]:
    """Start a server of probes, and stop it."""
    made = ProbeServer(host, 0)
    reading, writing = os.pipe()
    thread = threading.Thread(target=made.run, args=(reading,))
    address = made.address
    thread.start()
    yield address
    os.write(writing, b"x")
    thread.join()
    os.close(reading)
    os.close(writing)


@pytest.fixture
def server() -> Iterator[Address]:
    """Start a server of probes."""
    with serving() as address:
        yield address


def towards(address: Address, *, most_bytes: int | None = None) -> Server:
    """Give the server as a probe has it."""
    found = Server.find(*address, written=f"{address[0]}:{address[1]}")
    found.meter.most_bytes = most_bytes
    assert isinstance(found.meter, Meter)
    return found
