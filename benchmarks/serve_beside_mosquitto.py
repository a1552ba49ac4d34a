"""Hold `lasthop serve mqtt` against mosquitto: CPU time of a message, memory of an idle client.

Each client publishes to a topic of its own and waits until its message is back. The brokers take
turns, so that what else the machine does hits both alike. A message is one PUBLISH in and one out,
with their acknowledgements. Figures are medians with the smallest and the largest value.

    .venv/bin/python -m benchmarks.serve_beside_mosquitto
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
LOAD = ROOT / "target" / "release" / "mqtt_load"

CONNECTIONS = (1, 500, 5_000)
QUALITIES = (0, 1)
PAYLOAD_BYTES = 64
IDLE_CLIENTS = 5_000
IDLE_AIM_BYTES = 4 << 10

EXIT_ENVIRONMENT = 4


def main() -> int:
    """Measure and print two tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5, help="turns of each broker")
    parser.add_argument("--seconds", type=float, default=4.0, help="of load in a turn")
    options = parser.parse_args()
    if shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        sys.stderr.write(
            "serve_beside_mosquitto: mosquitto is missing; apt-get install mosquitto\n"
        )
        return EXIT_ENVIRONMENT
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    subprocess.run(
        ["cargo", "build", "--release", "--locked", "-p", "lasthop_benchmarks", "--bin=mqtt_load"],
        cwd=ROOT,
        check=True,
    )
    print_cpu(options.repeat, options.seconds)
    print_memory(options.repeat)
    return 0


def print_cpu(repeat: int, seconds: float) -> None:
    """Print the CPU time of a message."""
    say("| µs of CPU a message | lasthop serve mqtt | mosquitto | ratio of medians |")
    say("|---|---|---|---|")
    for qos in QUALITIES:
        for connections in CONNECTIONS:
            figures: dict[str, list[float]] = {name: [] for name in BROKERS}
            for _ in range(repeat):
                for name in BROKERS:
                    figures[name].append(cpu_us(name, connections, qos, seconds))
            ours, theirs = (figures[name] for name in BROKERS)
            ratio = statistics.median(ours) / statistics.median(theirs)
            what = f"QoS {qos}, {connections:,} connection{'s' if connections > 1 else ''}"
            say(f"| {what} | {spread(ours)} | {spread(theirs)} | {ratio:.2f} |")


def print_memory(repeat: int) -> None:
    """Print what an idle client takes."""
    figures = {name: [idle_bytes(name) for _ in range(repeat)] for name in BROKERS}
    ours, theirs = (figures[name] for name in BROKERS)
    say("")
    say("| bytes of an idle client, subscribed to a topic | lasthop serve mqtt | mosquitto |")
    say("|---|---|---|")
    say(f"| of {IDLE_CLIENTS:,} | {spread(ours, 0)} | {spread(theirs, 0)} |")


def cpu_us(name: str, connections: int, qos: int, seconds: float) -> float:
    """Load a broker, and return the CPU time of a message in microseconds."""
    with broker(name) as (process, address):
        command = load_command(address, connections)
        command += ["--qos", str(qos), "--payload", str(PAYLOAD_BYTES)]
        # What connecting costs is no part of it: once without messages, once with them.
        set_up, _ = spent_ns(process, [*command, "--seconds", "0"])
        spent, messages = spent_ns(process, [*command, "--seconds", str(seconds)])
        return (spent - set_up) / messages / 1000


def spent_ns(process: subprocess.Popen[bytes], command: Sequence[str]) -> tuple[int, int]:
    """Run a load; return what the broker has spent on it, and the messages that came back."""
    before = cpu_ns(process)
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    time.sleep(0.1)
    return cpu_ns(process) - before, json.loads(done.stdout)["messages"]


def idle_bytes(name: str) -> float:
    """Return by how much a broker grows with each client that only waits."""
    with broker(name) as (process, address):
        with load(address, 10, "--idle"):
            before = resident_bytes(process)
        with load(address, IDLE_CLIENTS, "--idle"):
            return (resident_bytes(process) - before) / IDLE_CLIENTS


@contextlib.contextmanager
def load(address: str, connections: int, *options: str) -> Iterator[None]:
    """Keep clients connected."""
    command = [*load_command(address, connections), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        if process.stdout is not None:
            process.stdout.readline()
        time.sleep(0.2)
        yield
        process.communicate()


def load_command(address: str, connections: int) -> list[str]:
    """Write the command of a load."""
    return [str(LOAD), "--broker", address, "--connections", str(connections)]


@contextlib.contextmanager
def broker(name: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Start a broker at a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            BROKERS[name](port, Path(folder)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            await_port(port)
            yield process, address
        finally:
            process.terminate()
            process.wait()


def await_port(port: int) -> None:
    """Wait until somebody listens."""
    for _ in range(500):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    message = f"nobody listens at port {port}"
    raise RuntimeError(message)


def ours(port: int, _folder: Path) -> Sequence[str]:
    """Serve by lasthop; all clients come from one address."""
    limits = ("--limit", "connections_per_address=100000")
    return [str(ROOT / ".venv/bin/lasthop"), "serve", "mqtt", f"--listen=127.0.0.1:{port}", *limits]


def mosquitto(port: int, folder: Path) -> Sequence[str]:
    """Serve by mosquitto, without a log and as fast as it answers."""
    config = folder / "mosquitto.conf"
    lines = [f"listener {port} 127.0.0.1", "allow_anonymous true", "set_tcp_nodelay true"]
    config.write_text("\n".join([*lines, "log_type none", ""]), encoding="utf-8")
    path = f"{os.environ['PATH']}:/usr/sbin"
    return [shutil.which("mosquitto", path=path) or "mosquitto", "-c", str(config)]


BROKERS = {"lasthop": ours, "mosquitto": mosquitto}


def cpu_ns(process: subprocess.Popen[bytes]) -> int:
    """Return what all threads of a process have spent on a processor."""
    tasks = Path(f"/proc/{process.pid}/task").glob("*/schedstat")
    return sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks)


def resident_bytes(process: subprocess.Popen[bytes]) -> int:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) << 10


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Write the median and the range."""
    middle, least, most = statistics.median(values), min(values), max(values)
    return f"{middle:,.{digits}f} [{least:,.{digits}f} .. {most:,.{digits}f}]"


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
