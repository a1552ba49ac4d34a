"""A server of ours in a process of its own, at ports of this machine that were free."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.python.warm_command import WarmProcess, run_warm

from .postgres_server import PostgresServer, programs_of_postgres, running_postgres

PATIENCE_S = 60.0

COMMAND = (sys.executable, "-c", "import sys; from lasthop.cli import main; sys.exit(main())")


@dataclass(slots=True)
class Server:
    """A server that listens."""

    process: "subprocess.Popen[str] | WarmProcess"
    urls: list[str]

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Return where it listens."""
        places = [urlsplit(url.partition("://")[2].join(("//", ""))) for url in self.urls]
        return [(place.hostname or "", place.port or 0) for place in places]

    @property
    def port(self) -> int:
        return self.addresses[0][1]

    def place(self, scheme: str) -> tuple[str, int]:
        """Return where it listens for one of several protocols."""
        schemes = [url.partition("://")[0] for url in self.urls]
        return self.addresses[schemes.index(scheme)]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end, and return its exit code."""
        self.process.send_signal(number)
        complaints = self.process.communicate(timeout=PATIENCE_S)[1]
        assert complaints == ""
        return self.process.wait()


StartServer = Callable[..., Server]
RunClient = Callable[..., "subprocess.CompletedProcess[str]"]
FindProgram = Callable[[str, str], str]


@pytest.fixture
def serve() -> Iterator[StartServer]:
    """Return a function that starts `lasthop serve` and waits until it listens.

    With a prefix, which is a command that starts others, a fresh Python is started.
    """
    started: list[Server] = []

    def start(
        served: str,
        *options: str,
        listen: tuple[str, ...] = ("127.0.0.1:0",),
        prefix: tuple[str, ...] = (),
    ) -> Server:
        places = [f"--listen={place}" for place in listen]
        words = ["serve", *served.split(), *places, *options, "--json"]
        process: subprocess.Popen[str] | WarmProcess
        if prefix:
            process = subprocess.Popen(
                [*prefix, *COMMAND, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        else:
            process = WarmProcess(words, folder=Path.cwd())
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], PATIENCE_S)[0], "it does not listen"
        line = process.stdout.readline()
        if not line:
            pytest.fail(process.communicate(timeout=PATIENCE_S)[1])
        started.append(Server(process, json.loads(line)["listening"]))
        return started[-1]

    yield start
    try:
        for server in started:
            if server.process.poll() is None:
                assert server.stop() == 0
    finally:
        for server in started:
            server.process.kill()


@pytest.fixture
def lasthop() -> RunClient:
    """Return a function that runs the command."""

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return run_warm(arguments, folder=Path.cwd(), timeout=PATIENCE_S)

    return run


@pytest.fixture
def find_program() -> FindProgram:
    """Return a function that finds a program of a Debian package."""

    def find(name: str, package: str) -> str:
        path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        if path is None:
            pytest.skip(f"{name} is missing; apt-get install {package}")
        return path

    return find


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Return a server of PostgreSQL of the tests' own."""
    programs = programs_of_postgres()
    if programs is None:
        pytest.skip("postgres is missing; apt-get install postgresql")
    with running_postgres(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return where a gateway can have its data: in a folder, or in a database that is empty."""
    if request.param == "sqlite":
        return str(tmp_path / "gateway")
    server: PostgresServer = request.getfixturevalue("postgres")
    monkeypatch.setenv("PGPASSWORD", server.password)
    return server.new_database()
