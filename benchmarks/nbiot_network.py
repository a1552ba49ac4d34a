"""Measure what a device of an NB-IoT network costs, and how the cost grows.

The hours run with everything on. For the growth, one of devices, time and cells is varied over four
points that span a factor of eight or more; the exponent is that of a straight line through the
logarithms of the least of five seeds each, since other work on a machine only adds.

A bare event loop takes turns with the hours and with LENA-NB's content. Bounds of time are those of
a machine on which it handles 14 million events a second; a time here counts as much less as this
machine is slower.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Record: TypeAlias = dict[str, float | int | str]

YARDSTICK_EVENTS_PER_S = 14e6
"""What the bare event loop does on the machine on which the bounds were set."""

GROWTH_EXPONENT = 1.05
MEMORY_MIB = 64.0
EVENT_NS = 300.0
LENA_CPU_US = 89.0
"""A thousandth of what LENA-NB on ns-3 took for a device of the same content."""


@dataclass(frozen=True, slots=True)
class Hour:
    """A simulated hour of 21 cells at 4 devices a second and cell."""

    content: str
    times_real_time: float | None
    """How much faster than real time it is to be on one core; None where it is only reported."""


HOURS = (Hour("raw_udp_25", 200), Hour("raw_tcp_400", 100), Hour("mqtt_25", None))

GROWTH: dict[str, tuple[dict[str, float], ...]] = {
    "devices": tuple({"rate": rate, "seconds": 600} for rate in (0.5, 1, 2, 4)),
    "time": tuple({"rate": 2, "seconds": seconds} for seconds in (450, 900, 1800, 3600)),
    "cells": tuple({"cells": cells, "rate": 2, "seconds": 600} for cells in (9, 21, 39, 84)),
}
"""Loads that every network carries: an overload has a price of its own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A figure with its bound."""

    text: str
    value: float
    bound: float
    at_least: bool

    @property
    def is_met(self) -> bool:
        """Whether the figure lies on the right side of the bound."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound


@dataclass(frozen=True, slots=True)
class Turn:
    """Some runs, and the bare event loop before each of them and after the last."""

    records: list[Record]
    yardsticks: list[Record]

    @property
    def slowness(self) -> float:
        """How many times slower this machine was meanwhile than that of the bounds."""
        rates = [float(record["events_per_cpu_s"]) for record in self.yardsticks]
        return YARDSTICK_EVENTS_PER_S / statistics.median(rates)

    def median(self, column: str) -> float:
        """Return the median of a figure, as it was measured."""
        return statistics.median(float(record[column]) for record in self.records)


@dataclass(slots=True)
class NetworkResults:
    """What the programs said."""

    hours: list[Turn]
    lena: Turn
    growth: dict[str, list[Record]]

    def findings(self) -> Iterator[Finding]:
        """Hold the figures against their bounds."""
        for hour, turn in zip(HOURS, self.hours, strict=True):
            text = f"NB-IoT hour of {hour.content}"
            if hour.times_real_time is not None:
                value = turn.median("times_real_time") * turn.slowness
                yield Finding(
                    f"{text}, times real time", value, hour.times_real_time, at_least=True
                )
                value = turn.median("cpu_ns_per_event") / turn.slowness
                yield Finding(f"{text}, ns an event", value, EVENT_NS, at_least=False)
                value = turn.median("peak_rss_mib")
                yield Finding(f"{text}, MiB", value, MEMORY_MIB, at_least=False)
        value = self.lena.median("cpu_us_per_device") / self.lena.slowness
        text = "NB-IoT, LENA-NB's content, us a device"
        yield Finding(text, value, LENA_CPU_US, at_least=False)
        for name, records in self.growth.items():
            text = f"NB-IoT, growth exponent in {name}"
            yield Finding(text, exponent(records, name), GROWTH_EXPONENT, at_least=False)

    def records(self) -> list[Record]:
        """Return all that was said."""
        return [
            *(
                record
                for turn in (*self.hours, self.lena)
                for record in (*turn.yardsticks, *turn.records)
            ),
            *(record for many in self.growth.values() for record in many),
        ]

    def print(self) -> None:
        """Print a line for each run, as it was measured, and for the yardsticks beside it."""
        for turn in (*self.hours, self.lena):
            for record in turn.records:
                print(line_of(record))
            rates = sorted(float(record["events_per_cpu_s"]) / 1e6 for record in turn.yardsticks)
            print(
                f"  {'':<12} beside it the bare event loop: "
                f"{statistics.median(rates):.1f}  [{rates[0]:.1f} .. {rates[-1]:.1f}] "
                f"million events a CPU second; times count {turn.slowness:.2f} times less"
            )
        for many in self.growth.values():
            for record in many:
                print(line_of(record))


def line_of(record: Record) -> str:
    """Say what a run cost."""
    return (
        f"  {record['content']:<12} {record['cells']:>2} cells, "
        f"{record['per_second_per_cell']:>4} /s, {record['seconds']:>5} s: "
        f"{record['devices']:>7,} devices, {record['times_real_time']:8.1f} x real time, "
        f"{record['cpu_us_per_device']:6.1f} us, "
        f"{record['events_per_device']:5.1f} events, "
        f"{record['fading_evaluations_per_device']:5.1f} fading evaluations a device, "
        f"{record['cpu_ns_per_event']:6.0f} ns an event, {record['peak_rss_mib']:3.0f} MiB"
    )


def exponent(records: list[Record], name: str) -> float:
    """Fit the power of a quantity by which CPU time grows."""
    column = {"devices": "devices", "time": "seconds", "cells": "cells"}[name]
    setting = {"devices": "per_second_per_cell", "time": "seconds", "cells": "cells"}[name]
    seeds = [
        [record for record in records if record[setting] == value]
        for value in sorted({float(record[setting]) for record in records})
    ]
    points = [
        (
            math.log(statistics.median(float(record[column]) for record in of_point)),
            math.log(min(float(record["cpu_s"]) for record in of_point)),
        )
        for of_point in seeds
    ]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return slope / sum((x - mean_x) ** 2 for x, _ in points)


def measure_network(
    program: Path, event_loop: Path, say: Callable[[str], None], *, quick: bool
) -> NetworkResults:
    """Run the hours, LENA-NB's content and the growth; quick ones take a tenth of the time."""
    short = 10 if quick else 1

    def run(command: list[str]) -> Record:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        record: Record = json.loads(done.stdout)
        return record

    def simulate(content: str, **options: float) -> Record:
        options["seconds"] = options["seconds"] // short
        say(f"NB-IoT: {content}, {options}")
        said = [f"--{name}={value:g}" for name, value in options.items()]
        return run([str(program), f"--content={content}", *said])

    def take_turns(content: str, rounds: int, **options: float) -> Turn:
        yardstick = [str(event_loop), f"--events={20_000_000 // short}"]
        turn = Turn(records=[], yardsticks=[run(yardstick)])
        for seed in range(1, rounds + 1):
            turn.records.append(simulate(content, seed=seed, **options))
            turn.yardsticks.append(run(yardstick))
        return turn

    rounds = 1 if quick else 3
    return NetworkResults(
        hours=[take_turns(hour.content, rounds, rate=4, seconds=3600) for hour in HOURS],
        lena=take_turns("echo_49", rounds, cells=1, rate=4, seconds=60 * short),
        growth={
            name: [
                simulate("raw_udp_25", seed=seed, **point)
                for seed in range(1, 2 if quick else 6)
                for point in points
            ]
            for name, points in GROWTH.items()
        },
    )
