"""Measure the emulator: one-way delay, rate flat out, CPU time of a packet, serialisation.

Datagrams go from a namespace into another one through the path, each with the time when it was
sent. The error of a delay is what a datagram took beyond it, both kernels' stacks and the waking of
the receiver included; "none" is the same without an emulator. Figures are medians of turns with the
smallest and the largest. The machine is to be quiet.

    .venv/bin/python -m benchmarks.emulator.run
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.testbed import Emulation, Namespace, missing_requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
PROBE = ROOT / "target" / "release" / "examples" / "one_way"

NEAR, FAR, PORT = "10.77.0.1", "10.77.1.1", 7000
HEADERS_BYTES = 20 + 8
PAYLOAD_BYTES = 409 - HEADERS_BYTES
PER_SECOND = 500
SILENCE_S = 1.0

EXIT_ENVIRONMENT = 4

Spec = dict[str, Any]
Told = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn of an emulator told."""

    delays_ns: list[int]
    seconds: float
    summary: Told

    def beyond_us(self, delay_ms: float, percent: int) -> float:
        """Give the error that this share of the datagrams did not exceed."""
        ranked = sorted(self.delays_ns)
        rank = min(len(ranked) * percent // 100, len(ranked) - 1)
        return ranked[rank] / 1e3 - delay_ms * 1e3

    def cpu_us(self) -> float:
        """Give the time of a processor that the emulator took for a packet offered to it."""
        packets: int = self.summary["up"]["offered"]["packets"]
        return 1e6 * float(self.summary["cpu_seconds"]) / packets


def link(*, delay_ms: float = 0, rate: Spec | None = None) -> Spec:
    """Give the path of an emulator."""
    none = dict.fromkeys(("mtu_bytes", "loss", "rate", "duplicate", "corrupt", "delay"))
    constant = {"model": {"constant": {"delay_ns": round(delay_ms * 1e6)}}, "reordering": False}
    way: Spec = {**none, "outages": [], "rate": rate, "delay": constant if delay_ms else None}
    order = ["mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate"]
    both = {"order": order, "shared": False, "up": way, "down": way}
    hop = {"name": "path", "scope": "own", "link": both}
    return {"path": {"seed": 1, "path": {"hops": [hop]}, "group": "devices", "device": 0}}


def turn(spec: Spec, device: str, count: int, per_second: int) -> Turn:
    """Send so many datagrams through a path, and tell what came of them."""
    with Namespace() as near, Namespace() as far, Namespace() as middle:
        ends = []
        for namespace, address in ((near, NEAR), (far, FAR)):
            end = (
                namespace.tun("out", f"{address}/32")
                if device == "tun"
                else namespace.veth("out", f"{address}/32", outer=middle)
            )
            namespace.run("ip", "route", "add", "default", "dev", "out")
            namespace.run("ip", "link", "set", "out", "txqueuelen", "4000")
            ends.append(end.descriptor)
        with Emulation(spec, *ends) as path:
            delays, seconds = probe(near, far, count, per_second)
        return Turn(delays, seconds, path.summary)


def without(count: int, per_second: int) -> Turn:
    """Send them by a pair of veth devices with nothing between."""
    with Namespace() as near, Namespace() as far:
        pair = ("link", "add", "out", "type", "veth", "peer", "name", "out", "netns", far.name)
        near.run("ip", *pair)
        for namespace, address in ((near, NEAR), (far, FAR)):
            namespace.run("ip", "address", "add", f"{address}/8", "dev", "out")
            namespace.run("ip", "link", "set", "out", "up")
        delays, seconds = probe(near, far, count, per_second)
        return Turn(delays, seconds, {})


def probe(near: Namespace, far: Namespace, count: int, per_second: int) -> tuple[list[int], float]:
    """Send datagrams from one namespace into another one: how long each took, and all."""
    first = ("chrt", "--fifo", "5")
    at = f"{FAR}:{PORT}"
    receiver = far.start(*first, PROBE, "receive", at, str(SILENCE_S), stdout=subprocess.PIPE)
    if receiver.stdout is not None:
        receiver.stdout.readline()
    amount = (str(count), str(PAYLOAD_BYTES), str(per_second))
    near.run(*first, PROBE, "send", at, *amount, timeout=600)
    told = json.loads(receiver.communicate(timeout=600)[0])
    return told["delays_ns"], told["seconds"]


def row(name: str, figures: Sequence[float]) -> str:
    """Give a line with the median, the smallest and the largest of the turns."""
    return (
        f"| {name} | {statistics.median(figures):,.1f} "
        f"| {min(figures):,.1f} to {max(figures):,.1f} |"
    )


def punctuality(say: Callable[[str], None], repeat: int, seconds: float) -> None:
    """Tell the error of constant delays, at 500 datagrams of 409 bytes a second."""
    count = round(seconds * PER_SECOND)
    cells: dict[str, list[Turn]] = {}
    delays = {"none": 0.0}
    for _ in range(repeat):
        cells.setdefault("none", []).append(without(count, PER_SECOND))
        for device in ("tun", "veth"):
            for delay_ms in (0, 20, 100):
                name = f"{device}, {delay_ms} ms"
                delays[name] = delay_ms
                spec = link(delay_ms=delay_ms)
                cells.setdefault(name, []).append(turn(spec, device, count, PER_SECOND))
    say("| error, us | median | turns |\n|---|---|---|")
    for name, turns in cells.items():
        for percent, words in ((0, "earliest"), (50, "p50"), (99, "p99"), (100, "latest")):
            errors = [one.beyond_us(delays[name], percent) for one in turns]
            say(row(f"{name}: {words}", errors))
        if name != "none":
            say(row(f"{name}: CPU us a packet", [one.cpu_us() for one in turns]))


def flat_out(say: Callable[[str], None], repeat: int, count: int) -> None:
    """Tell what a packet costs when there are as many as the sender can make."""
    say("\n| flat out | median | turns |\n|---|---|---|")
    for device in ("tun", "veth"):
        for delay_ms in (0, 1, 100):
            turns = [turn(link(delay_ms=delay_ms), device, count, 0) for _ in range(repeat)]
            name = f"{device}, {delay_ms} ms"
            rates = [len(one.delays_ns) / one.seconds / 1e3 for one in turns]
            say(row(f"{name}: arrived, 1000/s", rates))
            say(row(f"{name}: CPU us a packet", [one.cpu_us() for one in turns]))


def serialisation(say: Callable[[str], None], repeat: int) -> None:
    """Tell how far a serial line of 50 kbit/s is off, with a queue that fills."""
    packet_bytes, count = PAYLOAD_BYTES + HEADERS_BYTES, 30
    rate = {
        "bits_per_second": 50_000,
        "kind": "serial",
        "queue": {"packets": 1000},
        "background": None,
    }
    ideal_ms = packet_bytes * 8 / 50
    worst, without_us, late_us = [], [], []
    for _ in range(repeat):
        # The receiver rests as long between two of them, and wakes up later than at 500 a second.
        without_us.append(without(count, round(1000 / ideal_ms)).beyond_us(0, 50))
        one = turn(link(rate=rate), "tun", count, 1000)
        # Each waits for those before it, and was sent a millisecond after them.
        ideals = [ideal_ms * (place + 1) - place for place in range(count)]
        errors = [taken / 1e6 - ideal for taken, ideal in zip(one.delays_ns, ideals, strict=True)]
        worst.append(1e3 * statistics.median(errors))
        late_us.append(one.summary["lateness"]["p50_ns"] / 1e3)
    say("\n| serial line, 50 kbit/s | median | turns |\n|---|---|---|")
    say(row("error of a datagram, us, median of 30 in a queue", worst))
    say(row("of datagrams as far apart without an emulator, us, median of 30", without_us))
    say(row("lateness of the emulator at its deadlines, us, median of 30", late_us))


def main() -> int:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=3, help="turns of each")
    parser.add_argument("--seconds", type=float, default=10.0, help="of a turn at 500/s")
    parser.add_argument("--count", type=int, default=300_000, help="datagrams flat out")
    options = parser.parse_args()
    if (missing := missing_requirement()) is not None or shutil.which("chrt") is None:
        sys.stderr.write(f"emulator: needs {missing or 'chrt (apt-get install util-linux)'}\n")
        return EXIT_ENVIRONMENT
    command = ["cargo", "build", "--release", "--locked", "-p", "lasthop_live"]
    subprocess.run([*command, "--example=one_way"], cwd=ROOT, check=True)

    def say(text: str) -> None:
        print(text, flush=True)

    load, _, _ = os.getloadavg()
    say(f"{time.strftime('%Y-%m-%d')}, load {load:.1f}, {os.cpu_count()} processors\n")
    punctuality(say, options.repeat, options.seconds)
    flat_out(say, options.repeat, options.count)
    serialisation(say, options.repeat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
