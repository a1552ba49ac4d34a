"""Servers of others, at ports of this machine that were free, to bear a load."""

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PATIENCE_S = 30.0
STEP_S = 0.02


def free_port() -> int:
    """Give a port of TCP that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_listener(port: int) -> None:
    """Wait until somebody listens."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(STEP_S)
    pytest.fail(f"nobody listens at port {port}")


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """Return a function that starts mosquitto with some settings and gives its port."""
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("mosquitto is missing; apt-get install mosquitto")
    started: list[subprocess.Popen[bytes]] = []

    def start(*settings: str) -> int:
        port = free_port()
        written = tmp_path / f"mosquitto-{port}.conf"
        access = settings or ("allow_anonymous true",)
        lines = (
            f"listener {port} 127.0.0.1",
            "sys_interval 1",
            "max_connections -1",
            "user root",
            *access,
        )
        written.write_text("\n".join(lines) + "\n")
        started.append(subprocess.Popen([program, "-c", str(written)], stderr=subprocess.DEVNULL))
        await_listener(port)
        return port

    yield start
    for process in started:
        process.terminate()
        process.wait(PATIENCE_S)


@dataclass(slots=True)
class Echo:
    """A server that sends datagrams back, and can be made to stop for a while."""

    socket: socket.socket
    pause_after: int | None = None
    pause_s: float = 0.0
    seen: list[float] = field(default_factory=list)
    ended: bool = False

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.socket.getsockname()[1])

    def serve(self) -> None:
        """Send back what comes until it is ended."""
        self.socket.settimeout(STEP_S)
        while not self.ended:
            with suppress(TimeoutError):
                payload, peer = self.socket.recvfrom(65_536)
                self.seen.append(time.monotonic())
                if len(self.seen) == self.pause_after:
                    time.sleep(self.pause_s)
                self.socket.sendto(payload, peer)


@pytest.fixture
def echo() -> Iterator[Echo]:
    """Give an echo server for datagrams."""
    with socket.socket(type=socket.SOCK_DGRAM) as bound:
        bound.bind(("127.0.0.1", 0))
        server = Echo(bound)
        thread = threading.Thread(target=server.serve)
        thread.start()
        yield server
        server.ended = True
        thread.join()
