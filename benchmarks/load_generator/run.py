"""Hold `lasthop load` against a loop in C and a client in Go: CPU time and memory.

All of them connect so many clients to one mosquitto and publish 64 B from each at the same pace,
and one more client of theirs subscribes to all of it (of ours one for each 500); they take turns,
so that what else the machine does hits all alike. The loop and the client in Go (Eclipse Paho)
keep no books: no latency, no tables. A connection is made and taken down again. Figures are medians
with the smallest and the largest value; a ratio is that of medians.

    .venv/bin/python -m benchmarks.load_generator.run
"""

from __future__ import annotations

import argparse
import contextlib
import json
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

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FLOOR = Path(__file__).parent / "floor.c"
PEER = Path(__file__).parent / "peer"
CLIENTS = (100, 5_000)
MESSAGES_A_SECOND = 5_000
QUALITIES = (0, 1, 2)
PROGRAMS = ("floor", "peer", "lasthop")
PATIENCE_S = 300.0
NEVER_MS = 10**9
"""Between two messages of a client that only connects; on the beat it would send one."""
EXIT_ENVIRONMENT = 4

STUDY = """
study: bench
duration: {seconds} s
measure: {{drain: 2 s, messages: summed}}
devices: {clients}
traffic: {{report: 64 B, every: {every_ms} ms, arrivals: {arrivals}}}
stacks: [mqtt qos={qos}]
repeat: 1
"""

Figures = dict[str, float]


def main() -> int:
    """Measure and print three tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5, help="turns of each")
    parser.add_argument("--seconds", type=float, default=4.0, help="of load in a turn")
    options = parser.parse_args()
    mosquitto = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    compiler, go = shutil.which("cc"), shutil.which("go")
    if mosquitto is None or compiler is None or go is None:
        sys.stderr.write("load_generator: apt-get install mosquitto gcc libc6-dev golang-go\n")
        return EXIT_ENVIRONMENT
    with tempfile.TemporaryDirectory() as folder:
        others = {"floor": Path(folder, "floor"), "peer": Path(folder, "peer")}
        subprocess.run([compiler, "-O2", "-o", str(others["floor"]), str(FLOOR)], check=True)
        subprocess.run([go, "build", "-o", str(others["peer"]), "."], cwd=PEER, check=True)
        found = {
            (clients, qos): _in_turn(
                mosquitto, others, Path(folder), clients, qos, options.seconds, options.repeat
            )
            for clients in CLIENTS
            for qos in QUALITIES
        }
    _print_messages(found)
    _print_growth(found)
    _print_clients(found)
    return 0


def _in_turn(  # noqa: PLR0913, PLR0917  (what a turn is)
    mosquitto: str,
    others: Mapping[str, Path],
    folder: Path,
    clients: int,
    qos: int,
    seconds: float,
    repeat: int,
) -> Mapping[str, Sequence[Figures]]:
    every_ms = clients * 1000 // MESSAGES_A_SECOND
    turns: dict[str, list[Figures]] = {name: [] for name in (*others, "lasthop", "connecting")}
    for _ in range(repeat):
        for name, program in others.items():
            with _broker(mosquitto, folder) as port:
                numbers = (port, clients, every_ms * 1000, seconds, qos)
                command = [str(program), *map(str, numbers)]
                done = subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
                turns[name].append(json.loads(done.stdout))
        for name, span, pause_ms, arrivals in (
            ("lasthop", seconds, every_ms, "periodic"),
            ("connecting", 0.1, NEVER_MS, "poisson"),
        ):
            with _broker(mosquitto, folder) as port:
                study = STUDY.format(
                    seconds=span, clients=clients, every_ms=pause_ms, arrivals=arrivals, qos=qos
                )
                turns[name].append(_load(study, port, folder))
    return turns


def _load(study: str, port: int, folder: Path) -> Figures:
    written, out = folder / "bench.yaml", folder / "results"
    written.write_text(study)
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "lasthop", "load", str(written), "--quiet", "--no-report"]
    command += ["--against", f"127.0.0.1:{port}", "--out", str(out)]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
    runs = pl.read_parquet(out / "runs.parquet")
    programs = pl.read_parquet(out / "programs.parquet")
    return {
        "cpu_s": programs["cpu_s"][0],
        "memory_bytes": programs["memory_peak_bytes"][0],
        "sent": runs["messages_offered"][0] or 0,
        "delivered": runs["messages_delivered"][0] or 0,
    }


@contextlib.contextmanager
def _broker(mosquitto: str, folder: Path) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    written = folder / "mosquitto.conf"
    lines = (f"listener {port} 127.0.0.1", "allow_anonymous true", "max_queued_messages 0")
    written.write_text("\n".join(lines) + "\n")
    with subprocess.Popen([mosquitto, "-c", str(written)], stderr=subprocess.DEVNULL) as broker:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            time.sleep(0.02)
        yield port
        broker.terminate()


def _print_messages(found: Mapping[tuple[int, int], Mapping[str, Sequence[Figures]]]) -> None:
    """Say what a message takes: that of a load less that of connecting alone."""
    print(f"CPU time of a message, {MESSAGES_A_SECOND} a second, us")
    print("| clients | QoS | loop in C | client in Go | lasthop | of the loop | lost |")
    print("|---|---|---|---|---|---|---|")
    for (clients, qos), turns in found.items():
        floor, peer, ours = (_us_a_message(turns)[name] for name in PROGRAMS)
        lost = sum(turn["sent"] - turn["delivered"] for turn in turns["lasthop"])
        ratio = statistics.median(ours) / statistics.median(floor)
        figures = [_spread(floor), _spread(peer), _spread(ours), f"{ratio:.2f}", f"{lost:g}"]
        print(f"| {' | '.join([str(clients), str(qos), *figures])} |")


def _us_a_message(turns: Mapping[str, Sequence[Figures]]) -> Mapping[str, Sequence[float]]:
    ours = [
        (load["cpu_s"] - connecting["cpu_s"]) * 1e6 / max(1, load["sent"])
        for load, connecting in zip(turns["lasthop"], turns["connecting"], strict=True)
    ]
    others = {name: [it["us_a_message"] for it in turns[name]] for name in ("floor", "peer")}
    return {**others, "lasthop": ours}


def _print_growth(found: Mapping[tuple[int, int], Mapping[str, Sequence[Figures]]]) -> None:
    """Say how much more a message takes from many clients than from few."""
    few, many = CLIENTS
    print(f"\nCPU time of a message from {many} clients, in those of one from {few}")
    print("| QoS | loop in C | client in Go | lasthop |")
    print("|---|---|---|---|")
    for qos in QUALITIES:
        small, large = (_us_a_message(found[clients, qos]) for clients in (few, many))
        ratios = (
            statistics.median(large[name]) / statistics.median(small[name]) for name in PROGRAMS
        )
        print(f"| {qos} | {' | '.join(f'{ratio:.2f}' for ratio in ratios)} |")


def _print_clients(found: Mapping[tuple[int, int], Mapping[str, Sequence[Figures]]]) -> None:
    """Say what a connection takes, and a client of memory: of ours, of many less of few."""
    few, many = CLIENTS
    between = many - few
    of_all = {
        name: [turn for qos in QUALITIES for turn in found[many, qos][name]]
        for name in ("floor", "peer")
    }
    cpu, memory = [], []
    for qos in QUALITIES:
        pairs = zip(found[many, qos]["connecting"], found[few, qos]["connecting"], strict=True)
        for large, small in pairs:
            cpu.append((large["cpu_s"] - small["cpu_s"]) * 1e6 / between)
            memory.append((large["memory_bytes"] - small["memory_bytes"]) / between / 1024)
    floor, peer = ([it["us_a_connection"] for it in of_all[name]] for name in ("floor", "peer"))
    of_peer = [turn["kib_a_client"] for turn in of_all["peer"]]
    print(f"\n{many} clients: CPU time of a connection, us, and memory of a client, KiB")
    print("| | loop in C | client in Go | lasthop | of the client in Go |")
    print("|---|---|---|---|---|")
    ratio = statistics.median(cpu) / statistics.median(peer)
    print(f"| connection | {_spread(floor)} | {_spread(peer)} | {_spread(cpu)} | {ratio:.2f} |")
    ratio = statistics.median(memory) / statistics.median(of_peer)
    print(f"| memory | - | {_spread(of_peer)} | {_spread(memory)} | {ratio:.2f} |")


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.1f} [{min(values):.1f}..{max(values):.1f}]"


if __name__ == "__main__":
    sys.exit(main())
