"""Attack our servers, mosquitto and nginx alike, and print how long an honest client waits.

.venv/bin/python -m benchmarks.hostile.beside --write benchmarks/hostile_beside_others.md
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.hostile.pairs import ATTACKS, Outcome, run
from benchmarks.hostile.servers import listeners

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.hostile.streams import Listener

PATIENCE_S = 20.0
EXIT_ENVIRONMENT = 4

OTHERS = {"mqtt": "mosquitto", "mqtts": "mosquitto", "http": "nginx", "http/2": "nginx"}
"""Which server stands beside ours, by the scheme of the listener."""

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log /dev/null crit;
events {{ worker_connections 2000; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{ listen 127.0.0.1:{first}; location / {{ return 404; }} }}
    server {{ listen 127.0.0.1:{second} http2; location / {{ return 404; }} }}
}}
"""

HEAD = """# Our servers, mosquitto and nginx beside hostile clients

Written by `.venv/bin/python -m benchmarks.hostile.beside --seconds {seconds:g} --write {path}`
on {day}, with {versions}, all with their default limits (mosquitto with `set_tcp_nodelay`).

Each attack goes on for {seconds:g} s against one server. An honest client asks, waits for the
answer, and asks again. The servers take turns, on the same processors as both clients. The median
and the longest wait are printed; *failed* means that the server closed the connection of the honest
client or did not answer it. Memory is how much the resident memory of the server grew at most.

"""


def main() -> int:
    """Measure and print or write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="of each attack (default: 3)")
    parser.add_argument("--write", type=Path, help="Markdown file to write the table to")
    options = parser.parse_args()
    missing = [name for name in sorted(set(OTHERS.values())) if program(name) is None]
    if missing:
        sys.stderr.write(f"beside: {missing[0]} is missing; apt-get install {missing[0]}\n")
        return EXIT_ENVIRONMENT
    lines = [
        "| listener | hostile client | waits, ms | memory, MB | beside | waits, ms | memory, MB |",
        "|---|---|---|---|---|---|---|",
    ]
    say(*lines)
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as stack:
        folder = Path(temporary)
        # mosquitto and nginx may leave the rights of root.
        folder.chmod(0o755)
        ours = stack.enter_context(listeners(folder))
        ours = [listener for listener in ours if listener.scheme in OTHERS]
        theirs = stack.enter_context(others(folder, ours))
        for listener, other in zip(ours, theirs, strict=True):
            for name, attack in ATTACKS[listener.scheme].items():
                cells = [listener.name, name]
                for server in (listener, other):
                    cells += figures(run(server, name, attack, options.seconds))
                    cells += [OTHERS[listener.scheme]] if server is listener else []
                lines.append(f"| {' | '.join(cells)} |")
                say(lines[-1])
    if options.write is not None:
        head = HEAD.format(
            seconds=options.seconds,
            path=options.write,
            day=dt.datetime.now(tz=dt.UTC).date().isoformat(),
            versions=versions(),
        )
        options.write.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    return 0


def figures(outcome: Outcome) -> list[str]:
    """Write what was measured at one server."""
    grown = max(outcome.peak_bytes - outcome.before_bytes, 0) / 1e6
    if outcome.failures or not outcome.waits_s:
        return ["failed", f"{grown:.1f}"]
    waits = outcome.waits_s
    return [f"{statistics.median(waits) * 1e3:.1f}, {max(waits) * 1e3:.0f}", f"{grown:.1f}"]


@contextlib.contextmanager
def others(folder: Path, ours: list[Listener]) -> Iterator[list[Listener]]:
    """Start mosquitto and nginx with a listener for each of ours."""
    ports = {listener.scheme: free_port() for listener in ours}
    certificate, key = folder / "server.pem", folder / "server.key"
    key.chmod(0o644)
    mosquitto = folder / "mosquitto.conf"
    mosquitto.write_text(
        "user root\nallow_anonymous true\nset_tcp_nodelay true\n"
        f"listener {ports['mqtt']} 127.0.0.1\n"
        f"listener {ports['mqtts']} 127.0.0.1\ncafile {folder / 'ca.pem'}\n"
        f"certfile {certificate}\nkeyfile {key}\n",
        encoding="utf-8",
    )
    nginx = folder / "nginx.conf"
    nginx.write_text(
        NGINX.format(folder=folder, first=ports["http"], second=ports["http/2"]),
        encoding="utf-8",
    )
    commands = {
        "mosquitto": [str(program("mosquitto")), "-c", str(mosquitto)],
        "nginx": [str(program("nginx")), "-c", str(nginx), "-p", str(folder)],
    }
    with contextlib.ExitStack() as stack:
        processes = {
            name: stack.enter_context(started(command)) for name, command in commands.items()
        }
        for port in ports.values():
            wait_for(port)
        yield [
            replace(
                listener,
                place=("127.0.0.1", ports[listener.scheme]),
                server=processes[OTHERS[listener.scheme]],
            )
            for listener in ours
        ]


@contextlib.contextmanager
def started(command: list[str]) -> Iterator[int]:
    """Start a server, and give its process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def program(name: str) -> str | None:
    """Find a server of this machine."""
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


def versions() -> str:
    """Give the versions of the others."""
    nginx = subprocess.run(
        [str(program("nginx")), "-v"], check=True, capture_output=True, text=True
    )
    mosquitto = subprocess.run(
        [str(program("mosquitto")), "-h"], check=False, capture_output=True, text=True
    )
    name = mosquitto.stdout.splitlines()[0].replace(" version", "")
    return f"{name} and {nginx.stderr.strip().rpartition(' ')[2].replace('/', ' ')}"


def free_port() -> int:
    """Give a port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until somebody listens at a port."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(port)


def say(*lines: str) -> None:
    """Print lines at once."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
