"""Rank the settings of fit.yaml by how far they miss LA4 to LA8.

``python studies/larmo-2019/fit.py results/larmo-2019-fit``

The objective is the sum of squared misses in percentage points, each size of report by itself. A
miss is how far the mean availability lies outside the range that the claim allows. LA5 and LA7 are
held to the lowest load at which they may hold, 2 and 3 requests/s, LA4 to its highest, 1.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import polars as pl

from lasthop import Results
from lasthop.cli.script import named_folders, run_script
from lasthop.study.run_spec import RunSpecReader

NON, CON, MQTT = "raw_udp", "raw_udp ack=on", "raw_tcp tcp.profile=larmo_2019"
SIZES: Final = (25, 400)

Availability = Mapping[tuple[str, int, float], float]
"""In percent, by stack, bytes of a report and requests/s/cell."""


class Miss(NamedTuple):
    """How far a claim is missed."""

    claim: str
    where: str
    points: float
    """Percentage points; 0 inside the range."""


def misses(found: Availability) -> Iterator[Miss]:
    """Give the miss of each claim for each stack and size that it speaks of."""
    for size in SIZES:
        for stack in (NON, CON, MQTT):
            yield Miss("LA4", f"{stack}, {size} B", max(0.0, 99 - found[stack, size, 1.0]))
        at_2, at_3 = found[MQTT, size, 2.0], found[MQTT, size, 3.0]
        yield Miss("LA5", f"{size} B", max(0.0, at_2 - 99))
        yield Miss("LA6", f"{size} B", max(0.0, abs(at_2 - 95) - 3))
        yield Miss("LA7", f"{size} B", max(0.0, at_3 - 90))
    for stack in (NON, CON):
        yield Miss("LA8", stack, max(0.0, found[stack, 400, 2.0] - 99))


def objective(found: Availability) -> float:
    """Give the sum of squared misses, in squared percentage points."""
    return sum(miss.points**2 for miss in misses(found))


def settings(runs: pl.DataFrame) -> dict[str, Availability]:
    """Give the mean availability of each setting of CE level 0 over its repetitions."""
    found: dict[str, dict[tuple[str, int, float], float]] = {}
    keys = ["stack", "traffic_report_bytes", "devices_arrive_per_s"]
    setting = pl.col("run_spec").map_elements(_setting, return_dtype=pl.String).alias("setting")
    means = runs.group_by(setting, *keys).agg(pl.col("availability_20s").mean())
    for name, stack, size, load, mean in means.iter_rows():
        found.setdefault(name, {})[stack, int(size), load] = 100 * mean
    return dict(found)


def _setting(run_spec: str) -> str:
    level = RunSpecReader.of(run_spec).networks[0]["levels"][0]
    fixed = level["link_adaptation"]["fixed"]
    repetitions = {
        name.upper(): fixed[f"{name}_repetitions"] for name in ("dci", "npdsch", "npusch")
    }
    words = {"Rmax": level["user_search_space"]["rmax"], **repetitions}
    return ", ".join(f"{name} {value}" for name, value in words.items())


def main() -> None:
    """Print the settings, best first."""
    (folder,) = named_folders("larmo-2019-fit")
    ranked = sorted(settings(Results(folder).runs).items(), key=lambda item: objective(item[1]))
    for setting, found in ranked:
        missed = [
            f"{miss.claim} ({miss.where}) by {miss.points:.2f}"
            for miss in misses(found)
            if miss.points
        ]
        print(f"{objective(found):9.2f}  {setting}: misses {'; '.join(missed) or 'nothing'}")


if __name__ == "__main__":
    run_script(main)
