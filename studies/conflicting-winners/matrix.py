"""Print at which value of each factor the winner of a pair of stacks changes.

``python studies/conflicting-winners/matrix.py FOLDER FOLDER``, of the results of study.yaml and
at-work.yaml.

A winner is ahead in every repetition, and by 5 % or more on average; all else is "equal". The
value at which it changes lies between two measured points, by linear interpolation, with its
interval over the repetitions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import polars as pl

from lasthop import Results
from lasthop.answer.crossing import Crossing, crossing
from lasthop.cli.script import named_folders, run_script

NOTHING: Final = "not run"
SMALLEST: Final = math.log(1.05)


@dataclass(frozen=True, slots=True)
class Factor:
    """A part of the study, and the swept column with its unit for a reader."""

    part: str
    what: str
    column: str
    unit: str
    scale: float = 1.0
    values: tuple[float, ...] = ()
    """Of a column that holds no number, in the order of the study."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two stacks, the one first that a paper names the winner."""

    one: str
    other: str


FACTORS: Final = (
    Factor("session", "reports on a connection", "traffic_report_session", ""),
    Factor("loss", "loss, session kept", "paths_line_loss", "%", 100),
    Factor("loss_with_short_sessions", "loss, a session a report", "paths_line_loss", "%", 100),
    Factor("round_trip", "round trip, a session a report", "paths_line_delay_ms", "ms", 2),
    Factor("payload", "payload", "traffic_report_report_bytes", "B"),
    Factor("rate", "rate of the line", "paths_line_rate_bit_per_s", "kB/s", 1 / 8000),
    Factor(
        "message_work",
        "server work a message",
        "servers_server_service_time",
        "ms",
        values=(0, 5, 13, 50, 100),
    ),
    Factor("round_trip_at_work", "round trip, server at work", "paths_line_delay_ms", "ms", 2),
    Factor("clients", "clients of a server with 10 ms a message", "fleet_devices_count", ""),
)

PAIRS: Final = (
    Pair("coap non", "mqtt"),
    Pair("coap con", "mqtt"),
    Pair("dds", "mqtt"),
    Pair("mqtt quic", "mqtt tls"),
    Pair("http", "mqtt"),
    Pair("http", "mqtt pipelined"),
)

MEASURES: Final = {
    "latency_mean_ms": "mean latency of what arrives",
    "wire_bytes_per_message_ethernet": "bytes on the wire a report, in Ethernet frames",
    "delivery_ratio": "reports delivered",
}


@dataclass(frozen=True, slots=True)
class Line:
    """The logarithm of the ratio of two stacks at each value of a factor, by seed."""

    positions: tuple[float, ...]
    differences: tuple[Mapping[int, float], ...]

    def signs(self) -> list[int]:
        """Who is ahead at each value: 1 the first stack, -1 the other one, 0 neither."""
        return [_ahead(list(by_seed.values())) for by_seed in self.differences]


def line(runs: pl.DataFrame, factor: Factor, pair: Pair, column: str) -> Line | None:
    """Read a pair along a factor; None where a run has no value."""
    part = runs.filter(part=factor.part)
    order = part.select(factor.column).unique(maintain_order=True).to_series().to_list()
    known = dict(zip(order, factor.values, strict=True)) if factor.values else None
    positions = {
        value: (known[value] if known else _number(value)) * factor.scale for value in order
    }
    found: dict[float, Mapping[int, float]] = {}
    if part.filter(stack=pair.one).is_empty():
        return None
    for value, position in positions.items():
        at = part.filter(pl.col(factor.column) == value)
        sides = [_by_seed(at, stack, column) for stack in (pair.one, pair.other)]
        if not all(sides) or any(number <= 0 for side in sides for number in side.values()):
            continue
        found[position] = {
            seed: _sign(column) * math.log(sides[0][seed] / sides[1][seed])
            for seed in sides[0].keys() & sides[1].keys()
        }
    if not found:
        return None
    ordered = sorted(found)
    return Line(tuple(ordered), tuple(found[position] for position in ordered))


def cell(line: Line | None, pair: Pair, unit: str) -> str:
    """Say where the winner changes."""
    if line is None:
        return NOTHING
    signs, names = line.signs(), {1: pair.one, -1: pair.other, 0: "equal"}
    ends = f"{_written(line.positions[0])} and {_written(line.positions[-1])} {unit}".rstrip()
    if len(set(signs)) == 1:
        return f"not between {ends}: {names[signs[0]]}"
    told = []
    for left, right in pairwise(range(len(signs))):
        if signs[left] == signs[right]:
            continue
        place = _place(line, left, right, unit)
        told.append(f"{names[signs[left]]} up to {place}")
    return ", ".join((*told, f"then {names[signs[-1]]}"))


def _place(line: Line, left: int, right: int, unit: str) -> str:
    found = _crossing(line, left, right)
    if found is None:
        positions = line.positions[left : right + 1]
        return f"between {_written(positions[0])} and {_written(positions[1])} {unit}".rstrip()
    low, at, high = (_written(end) for end in (found.at.low, found.at.mean, found.at.high))
    place = f"{at} {unit}".rstrip()
    return place if low == high else f"{place} ({low} to {high})"


def change(line: Line, left: int, right: int) -> tuple[float, float, float]:
    """Give the value at which the winner changes, between the ends of its interval."""
    found = _crossing(line, left, right)
    if found is None:
        low, high = line.positions[left], line.positions[right]
        return low, (low + high) / 2, high
    return found.at.low, found.at.mean, found.at.high


def _crossing(line: Line, left: int, right: int) -> Crossing | None:
    positions = line.positions[left : right + 1]
    bounds = {1: -SMALLEST, -1: SMALLEST}
    signs = line.signs()
    # Where the border of "equal" is crossed, the difference is measured from that border.
    border = 0.0 if signs[left] and signs[right] else bounds[signs[left] or signs[right]]
    moved = [
        {seed: value - border for seed, value in by_seed.items()}
        for by_seed in line.differences[left : right + 1]
    ]
    return crossing(positions, moved)


def _ahead(differences: Sequence[float]) -> int:
    mean = math.fsum(differences) / len(differences)
    agree = min(differences) > 0 or max(differences) < 0
    return 0 if abs(mean) < SMALLEST or not agree else 1 if mean < 0 else -1


def _by_seed(rows: pl.DataFrame, stack: str, column: str) -> dict[int, float]:
    of_stack = rows.filter(stack=stack, status="completed").select("seed", column)
    return {seed: value for seed, value in of_stack.iter_rows() if value is not None}


def _sign(column: str) -> int:
    return -1 if column == "delivery_ratio" else 1


def _number(value: object) -> float:
    if isinstance(value, int | float):
        return float(value)
    digits = "".join(each for each in str(value) if each.isdigit() or each == ".")
    return float(digits)


def _written(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"  # noqa: PLR2004


def rows(runs: pl.DataFrame, column: str) -> list[Sequence[str]]:
    """Give a row for each factor and a cell for each pair."""
    return [
        [
            factor.what,
            *(cell(line(runs, factor, pair, column), pair, factor.unit) for pair in PAIRS),
        ]
        for factor in FACTORS
    ]


def main() -> None:
    """Print a table for each measure."""
    folders = named_folders("conflicting-winners", "conflicting-winners-at-work")
    runs = pl.concat([Results(folder).runs for folder in folders], how="diagonal_relaxed")
    head = ("factor", *(f"{pair.one} against {pair.other}" for pair in PAIRS))
    for column, what in MEASURES.items():
        print(f"{what}\n")
        print("| " + " | ".join(head) + " |")
        print("|" + "---|" * len(head))
        for row in rows(runs, column):
            print("| " + " | ".join(row) + " |")
        print()


if __name__ == "__main__":
    run_script(main)
