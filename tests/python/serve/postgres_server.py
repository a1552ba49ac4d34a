"""A server of PostgreSQL of the tests' own: in a folder and at a socket of its own, not as root."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROLE = "gate"
PORT = 5432
PATIENCE_S = 60.0
# Where Debian has what is for one version.
PROGRAMS = "/usr/lib/postgresql"


class PostgresServer:
    """A server that can be stopped, killed and started again."""

    def __init__(self, programs: Path, folder: Path, user: str | None) -> None:
        self.programs = programs
        self.folder = folder
        self.user = user
        self.password = secrets.token_hex(16)
        self.process: subprocess.Popen[bytes] | None = None
        self.port = PORT
        self.databases = 0

    def make(self) -> None:
        """Make what it keeps its databases in."""
        key = self.folder / "password"
        key.write_text(self.password)
        key.chmod(0o644)
        options = [f"--username={ROLE}", f"--pwfile={key}", "--auth=scram-sha-256"]
        options += ["--encoding=UTF8", "--locale=C", "--no-sync", f"--pgdata={self.folder}/data"]
        subprocess.run(
            [self.programs / "initdb", *options],
            check=True,
            capture_output=True,
            user=self.user,
            cwd=self.folder,
        )
        key.unlink()

    def start(self, *settings: str, port: int = PORT) -> None:
        """Start it, and wait until it answers."""
        self.port = port
        options = [
            "-c",
            f"port={port}",
            "-c",
            "listen_addresses=",
            "-k",
            str(self.folder),
            "-D",
            f"{self.folder}/data",
        ]
        options += [part for setting in settings for part in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", *options],
                stdout=log,
                stderr=log,
                user=self.user,
                cwd=self.folder,
            )
        deadline = time.monotonic() + PATIENCE_S
        while self.ask("SELECT 1", check=False) != "1":
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.05)

    def stop(self, number: int = signal.SIGINT) -> None:
        """Stop it; by SIGQUIT as if it crashed."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE_S)
            self.process = None

    def ask(self, statement: str, database: str = "postgres", *, check: bool = True) -> str:
        """Let psql do something; what it says, a row a line."""
        command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]
        command += [f"--host={self.folder}", f"--port={self.port}"]
        command += [f"--username={ROLE}", f"--dbname={database}"]
        done = subprocess.run(
            [*command, f"--command={statement}"],
            env=os.environ | {"PGPASSWORD": self.password},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=check,
        )
        return done.stdout.strip()

    def new_database(self) -> str:
        """Create a database; its URL, which names no password."""
        self.databases += 1
        name = f"farm{self.databases}"
        self.ask(f"CREATE DATABASE {name}")
        return f"postgresql://{ROLE}@/{name}?host={self.folder}"


def name_of(url: str) -> str:
    """Return the name of the database of a URL."""
    return url.rpartition("/")[0].rpartition("@/")[2].partition("?")[0]


def programs_of_postgres() -> Path | None:
    """Return the folder of the newest server's programs."""
    found = sorted(Path(PROGRAMS).glob("*/bin/postgres"))
    return found[-1].parent if found else None


@contextmanager
def running_postgres(programs: Path) -> Iterator[PostgresServer]:
    """Run a server for a while."""
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="lasthop-pg-", dir="/tmp"))
    server = PostgresServer(programs, folder, user)
    try:
        if user is not None:
            known = pwd.getpwnam(user)
            os.chown(folder, known.pw_uid, known.pw_gid)
        folder.chmod(0o711)
        server.make()
        server.start()
        yield server
    finally:
        # Nobody needs what it has.
        server.stop(signal.SIGQUIT)
        shutil.rmtree(folder)
