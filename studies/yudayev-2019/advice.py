"""Hold the advice of Yudayev 2019 against the runs: what each side costs, and where it turns.

``python studies/yudayev-2019/advice.py results/yudayev-2019-advice
results/yudayev-2019-advice-proxy results/yudayev-2019-advice-mqtt
results/yudayev-2019-advice-observed``

Bytes and frames are those of the device's path, bytes with 36 B of an 802.11 frame. The channel is
taken for a frame as by 802.11g at 20 Mbit/s: waiting, preamble and acknowledgement 150 us, assumed.
Joules are an estimate from the currents of the data sheet (ESP8266EX: sending 140 mA, receiving
56 mA in 802.11g; 15 mA for the processor with the radio off) at 3.3 V: what the device sends,
receives and works on, and not its sleep. Sides that deliver less than 99 % take no part.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import polars as pl
from ruamel.yaml import YAML

from lasthop import Results
from lasthop.answer.crossing import crossing
from lasthop.cli.script import named_folders, run_script

WIRE: Final = "wlan"
FRAME_BYTES: Final = 36
FRAME_S: Final = 150e-6
BIT_S: Final = 20e6
VOLT: Final = 3.3
SENDING_A: Final = 0.140
RECEIVING_A: Final = 0.056
WORKING_A: Final = 0.015
MESSAGE_S: Final = 5e-3
BYTE_S: Final = 20e-6
HOUR_S: Final = 3600.0
ENOUGH: Final = 0.99
ALIKE: Final = 0.01
THREE_DIGITS: Final = 3
STATE_S: Final = 10.0
"""After so long what the device knows is another, and it publishes that."""

SWEPT: Final = {
    "readers": ("fleet_readers_count", 1.0, "readers"),
    "demand": ("traffic_reading_every_ms", 1e-3, "s between readings of a reader"),
    "payload": ("traffic_reading_download_bytes", 1.0, "B"),
    "writes": ("traffic_write_every_ms", 1e-3, "s between writes of a reader"),
}
COLUMNS: Final = {"joules": "J", "bytes": "B", "channel": "s"}

SIDES: Final = ("direct", "proxy", "mqtt", "observed")
NAMES: Final = (
    "yudayev-2019-advice",
    *(f"yudayev-2019-advice-{side}" for side in SIDES[1:]),
)
TELLS: Final = ("mqtt", "observed")
"""Where the device tells what it knows without being asked."""

Costs = Mapping[str, Mapping[float, Mapping[int, float]]]
"""By side, by what is swept, by repetition."""


def of_folder(folder: Path, side: str) -> pl.DataFrame:
    """Give what each run cost the device in an hour."""
    results = Results(folder)
    wire = results.packets.filter(path=WIRE, fate="offered")
    sends, hears = ("up", "down") if side == "mqtt" else ("down", "up")

    def frames(direction: str, name: str) -> pl.DataFrame:
        of_direction = wire.filter(direction=direction).group_by("run_id")
        return of_direction.agg(
            pl.sum("packets").alias(f"{name}_frames"), pl.sum("bytes").alias(f"{name}_bytes")
        )

    runs = results.runs.filter(status="completed")
    runs = runs.with_columns(lasts_s=pl.Series(map(_lasts_s, runs["run_spec"])))
    runs = runs.join(frames(sends, "sent"), on="run_id", how="left")
    runs = runs.join(frames(hears, "heard"), on="run_id", how="left")
    seconds = {
        name: pl.col(f"{name}_frames").fill_null(0) * FRAME_S + _framed(name) * 8 / BIT_S
        for name in ("sent", "heard")
    }
    work = _worked(side) * MESSAGE_S + (_framed("sent") + _framed("heard")) * BYTE_S
    per_hour = HOUR_S / pl.col("lasts_s")
    return runs.with_columns(
        joules=VOLT
        * (seconds["sent"] * SENDING_A + seconds["heard"] * RECEIVING_A + work * WORKING_A)
        * per_hour,
        bytes=(_framed("sent") + _framed("heard")) * per_hour,
        channel=(seconds["sent"] + seconds["heard"]) * per_hour,
        side=pl.col("stack") + (" proxy" if side == "proxy" else ""),
    )


def _lasts_s(run_spec: str) -> float:
    """Give how long messages are due in a run."""
    flows = json.loads(run_spec)["flows"]
    return max(flow["duration_ns"] for flow in flows) / 1e9


def _framed(name: str) -> pl.Expr:
    """Give bytes with those of their frames."""
    frames = pl.col(f"{name}_frames").fill_null(0)
    return pl.col(f"{name}_bytes").fill_null(0) + FRAME_BYTES * frames


def _worked(side: str) -> pl.Expr:
    """Give how many messages the device worked on."""
    if side == "proxy":
        return pl.col("cache_misses") + pl.col("cache_validated") + pl.col("cache_writes")
    if side in TELLS:
        # Each state once, and what was written: of each state every reader was told.
        readers = pl.col("fleet_readers_count").fill_null(10)
        return pl.col("messages_delivered") - pl.col("lasts_s") / STATE_S * (readers - 1)
    return pl.col("messages_delivered")


def costs_of(runs: pl.DataFrame, part: str, column: str) -> Costs:
    """Give what each side costs along a part."""
    name, unit, _ = SWEPT[part]
    found: dict[str, dict[float, dict[int, float]]] = {}
    for row in runs.filter(part=part).iter_rows(named=True):
        if (row["delivery_ratio"] or 0) < ENOUGH:
            continue
        swept = row.get(name)
        of_side = found.setdefault(row["side"], {})
        if swept is not None:
            of_side.setdefault(swept * unit, {})[row["repetition"]] = row[column]
            continue
        # It does not depend on what is swept.
        for value in _values(runs, part):
            of_side.setdefault(value, {})[row["repetition"]] = row[column]
    return found


def _values(runs: pl.DataFrame, part: str) -> list[float]:
    name, unit, _ = SWEPT[part]
    values = runs.filter(part=part)[name].drop_nulls().unique().sort()
    return [value * unit for value in values]


def mean(values: Mapping[int, float]) -> float:
    """Give the mean over the repetitions."""
    return sum(values.values()) / len(values)


def flips(costs: Costs, sides: Sequence[str]) -> Iterable[str]:
    """Say which side costs least along a part, and where another one does."""
    points = sorted({value for side in sides for value in costs.get(side, {})})
    leaders: list[str] = []
    for value in points:
        able = {side: mean(costs[side][value]) for side in sides if value in costs.get(side, {})}
        least = min(able, key=lambda side: able[side])
        before = leaders[-1] if leaders else least
        # Who costs as good as the same goes on leading.
        leads_on = able.get(before, float("inf")) <= able[least] * (1 + ALIKE)
        leaders.append(before if leads_on else least)
    yield leaders[0]
    for (low, before), (high, after) in pairwise(zip(points, leaders, strict=True)):
        if before == after:
            continue
        both = all(value in costs[side] for side in (before, after) for value in (low, high))
        found = None
        if both:
            differences = [
                {
                    seed: costs[before][value][seed] - costs[after][value][seed]
                    for seed in costs[before][value].keys() & costs[after][value].keys()
                }
                for value in (low, high)
            ]
            found = crossing([low, high], differences)
        at = f"between {low:g} and {high:g}" if found is None else f"from {figure(found.at.mean)}"
        yield f"{at} {after}"


def verdict(runs: pl.DataFrame, rule: Mapping[str, Any]) -> str:
    """Hold a rule against the runs: it holds in all repetitions, in none, or in some."""
    costs = costs_of(runs, rule["part"], rule["column"])
    less, more = rule["lowest_first"]
    held = []
    for at in rule["at"]:
        one, other = costs.get(less, {}).get(float(at)), costs.get(more, {}).get(float(at))
        if one is None:
            held.append(False)  # it does not deliver
        elif other is None:
            held.append(True)
        else:
            held += [one[seed] < other[seed] for seed in one.keys() & other.keys()]
    if all(held):
        return "holds"
    return "does not hold" if not any(held) else "holds in part"


def figure(value: float) -> str:
    """Write three digits, or what stands before the point: no power of ten."""
    whole = f"{value:,.0f}"
    return whole if len(whole) > THREE_DIGITS else f"{value:.{THREE_DIGITS}g}"


def table(runs: pl.DataFrame, part: str, column: str) -> None:
    """Print what each side costs along a part."""
    costs = costs_of(runs, part, column)
    points = sorted({value for of_side in costs.values() for value in of_side})
    print(f"{part}: {COLUMNS[column]} of the device in an hour, by {SWEPT[part][2]}")
    print(f"{'':16}" + "".join(f"{value:>11,g}" for value in points))
    for side, of_side in costs.items():
        cells = (
            f"{figure(mean(of_side[value])) if value in of_side else '-':>11}" for value in points
        )
        print(f"{side:16}" + "".join(cells))
    without = [side for side in costs if "proxy" not in side and "observed" not in side]
    print(f"least without a proxy: {', '.join(flips(costs, without))}")
    print(f"least of all: {', '.join(flips(costs, list(costs)))}")
    print()


def main() -> None:
    """Print the tables, their flip points, and the verdicts on the advice."""
    folders = named_folders(*NAMES)
    runs = pl.concat(
        (of_folder(folder, side) for side, folder in zip(SIDES, folders, strict=True)),
        how="diagonal_relaxed",
    )
    if "traffic_reading_report_bytes" in runs.columns:
        payload = pl.coalesce("traffic_reading_download_bytes", "traffic_reading_report_bytes")
        runs = runs.with_columns(traffic_reading_download_bytes=payload)
    for part, column in (
        *((part, "joules") for part in SWEPT),
        ("payload", "bytes"),
        ("payload", "channel"),
    ):
        if part in set(runs["part"]):
            table(runs, part, column)
    claims = YAML(typ="safe").load(Path(__file__).with_name("published-advice.yaml"))
    for claim in claims:
        found = [verdict(runs, rule) for rule in claim["rules"]]
        told = found[0] if len(set(found)) == 1 else "holds in part"
        print(f"{claim['id']:5} {told:14} {claim['what']}")


if __name__ == "__main__":
    run_script(main)
