"""Measure how long `lasthop serve gateway` works on a message, beside mosquitto and nginx.

Devices with tokens and keys of their own publish 64 B by MQTT with QoS 1 and by HTTP/1.1, each
message into the durable log. mosquitto (no persistence, nobody subscribed) and nginx (a static 204)
get the same bytes from the same devices and keep nothing. What counts is what a server is on a
processor in ten seconds of a load that goes on, all its threads together, with what the kernel
does in its name: all devices are connected by then, and their tokens were checked. Servers take
turns. Figures are medians with the smallest and the largest value.

    .venv/bin/python -m benchmarks.gateway_work
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.serve_beside_mosquitto import (
    EXIT_ENVIRONMENT,
    ROOT,
    await_port,
    cpu_ns,
    mosquitto,
    resident_bytes,
    say,
    spread,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LASTHOP = str(ROOT / ".venv/bin/lasthop")
REGISTRY = "projects/p/locations/l/registries/r"
MESSAGES_PER_SECOND = 4_000
SETTLING_S, MEASURED_S, REST_S = 4, 10, 6
"""From the end of the warm-up on; the command that loads takes a while to begin."""
WARM_UP_S = {100: 1, 5_000: 8}

STUDY = """
study: gateway-work
duration: {duration} s
measure: {{warm_up: {warm_up} s, drain: 20 s}}
devices: {devices}
traffic: {{report: 64 B, every: {every} ms}}
stacks: [{stack}]
expect: ["delivery_ratio == 100 %"]
repeat: 1
"""

NGINX = """
daemon off;
master_process off;
error_log stderr crit;
pid {folder}/nginx.pid;
worker_rlimit_nofile 20000;
events {{ worker_connections 12000; }}
http {{
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path {folder}/body;
  server {{ listen 127.0.0.1:{port}; location / {{ return 204; }} }}
}}
"""


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5, help="turns of each server")
    options = parser.parse_args()
    path = f"{os.environ['PATH']}:/usr/sbin"
    for program in ("mosquitto", "nginx"):
        if shutil.which(program, path=path) is None:
            sys.stderr.write(f"gateway_work: {program} is missing; apt-get install {program}\n")
            return EXIT_ENVIRONMENT
    with tempfile.TemporaryDirectory() as folder:
        keys, data = Path(folder) / "fleet.keys", Path(folder) / "data"
        add = [LASTHOP, "gateway", "device", "add", f"{REGISTRY}/devices/d", "--count", "5000"]
        subprocess.run([*add, f"--new-key={keys}", f"--data={data}"], check=True)
        say("| µs of CPU a message | lasthop serve gateway | the other | ratio of medians |")
        say("|---|---|---|---|")
        for stack, peer in (("mqtt qos=1", "mosquitto"), ("http", "nginx")):
            for devices in (100, 5_000):
                pair = _pair(stack, peer, devices, options.repeat, keys, data)
                ours, theirs = pair
                ratio = statistics.median(ours) / statistics.median(theirs)
                what = f"{stack}, {devices:,} devices, beside {peer}"
                say(f"| {what} | {spread(ours)} | {spread(theirs)} | {ratio:.2f} |")
    return 0


def _pair(  # noqa: PLR0913, PLR0917  (each says what is measured)
    stack: str, peer: str, devices: int, repeat: int, keys: Path, data: Path
) -> tuple[list[float], list[float]]:
    figures: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeat):
        for place, name in enumerate(("lasthop", peer)):
            with server(name, stack, data) as (process, port):
                figures[place].append(_cpu_us(process, port, stack, devices, keys))
                if name == "lasthop":
                    memory = resident_bytes(process) >> 20
                    sys.stderr.write(f"{stack}, {devices} devices: {memory} MiB resident\n")
    return figures


def _cpu_us(
    process: subprocess.Popen[bytes], port: int, stack: str, devices: int, keys: Path
) -> float:
    """Load a server, and give the CPU time of a message in microseconds."""
    warm_up = WARM_UP_S[devices]
    scheme = "http" if stack == "http" else "mqtt"
    every = 1000 * devices // MESSAGES_PER_SECOND
    with tempfile.TemporaryDirectory() as folder:
        study, out = Path(folder) / "study.yaml", Path(folder) / "out"
        duration = warm_up + SETTLING_S + MEASURED_S + REST_S
        text = STUDY.format(
            duration=duration, warm_up=warm_up, devices=devices, every=every, stack=stack
        )
        study.write_text(text, encoding="utf-8")
        command = [LASTHOP, "load", str(study), f"--against={scheme}://127.0.0.1:{port}"]
        command += [f"--devices={keys}", f"--out={out}", "--no-report", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as load:
            time.sleep(warm_up + SETTLING_S)
            spent, start = cpu_ns(process), time.monotonic()
            time.sleep(MEASURED_S)
            spent, measured_s = cpu_ns(process) - spent, time.monotonic() - start
            said, _ = load.communicate()
        if load.returncode != 0:
            raise RuntimeError(f"{stack}, {devices} devices: {said.decode()}")
    # All that was due was sent in its time and arrived, or the load would have failed.
    return spent / 1000 / (MESSAGES_PER_SECOND * measured_s)


@contextlib.contextmanager
def server(name: str, stack: str, data: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Start a server at a free port."""
    with socket.socket() as free, socket.socket() as other:
        free.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, second = free.getsockname()[1], other.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        if name == "lasthop":
            ports = (second, port) if stack == "http" else (port, second)
            command: Sequence[str] = gateway(*ports, data)
        elif name == "nginx":
            command = nginx(port, Path(folder))
        else:
            command = mosquitto(port, Path(folder))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            await_port(port)
            yield process, port
        finally:
            process.terminate()
            process.wait()


def gateway(mqtt_port: int, http_port: int, data: Path) -> list[str]:
    """Serve by lasthop; all devices come from one address."""
    listen = [f"mqtt://127.0.0.1:{mqtt_port}", f"http://127.0.0.1:{http_port}"]
    places = [f"--listen={place}" for place in listen]
    limit = "--limit=connections_per_address=100000"
    return [LASTHOP, "serve", "gateway", "--http", f"--data={data}", *places, limit]


def nginx(port: int, folder: Path) -> list[str]:
    """Serve nothing by nginx, as one process."""
    config = folder / "nginx.conf"
    config.write_text(NGINX.format(folder=folder, port=port), encoding="utf-8")
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or "nginx"
    return [program, "-p", str(folder), "-c", str(config)]


if __name__ == "__main__":
    sys.exit(main())
