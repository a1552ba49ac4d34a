"""Print the availabilities of sensitivity.yaml, a line for each reading of the paper.

``python studies/larmo-2019/readings.py results/larmo-2019-sensitivity``

Mean, least and greatest repetition in percent; `overload` where the cells do not carry the load.
"""

from collections.abc import Iterator
from typing import Final

import polars as pl

from lasthop import Results
from lasthop.cli.script import named_folders, run_script

NON, CON, CON_15_S = "raw_udp", "raw_udp ack=on", "raw_udp ack=on ack_timeout=15s"
MQTT = "raw_tcp tcp.profile=larmo_2019"
ARMS: Final = ((MQTT, 25), (MQTT, 400), (NON, 400), (CON, 400), (CON_15_S, 400))
"""Stack and bytes of a report; NON and CON with 25 B serve nearly everyone under every reading."""
LONGEST: Final = 44


def readings(runs: pl.DataFrame) -> Iterator[tuple[str, str, list[str]]]:
    """Give part, value and the availability of each arm, in the order of the study."""
    columns = runs.columns[runs.columns.index("trace_hash") + 1 : runs.columns.index("run_spec")]
    settings = [name for name in columns if name != "traffic_report_bytes"]
    for (part,), of_part in runs.group_by("part", maintain_order=True):
        varied = [name for name in settings if of_part[name].n_unique() > 1]
        for values, reading in of_part.group_by(varied or ["part"], maintain_order=True):
            arms = [_availability(reading, stack, size) for stack, size in ARMS]
            yield str(part), _end(str(values[0])), arms


def _end(value: str) -> str:
    """Shorten a map, whose repetitions stand last."""
    return value if len(value) <= LONGEST else f"...{value[-LONGEST:]}"


def _availability(runs: pl.DataFrame, stack: str, report_bytes: int) -> str:
    of_arm = (pl.col("stack") == stack) & (pl.col("traffic_report_bytes") == report_bytes)
    arm = runs.filter(of_arm)
    percent = [100 * value for value in arm["availability_20s"]]
    words = f"{sum(percent) / len(percent):.2f} ({min(percent):.2f} - {max(percent):.2f})"
    return f"{words} overload" if (arm["reason"] == "overload").any() else words


def main() -> None:
    """Print a line for each reading."""
    (folder,) = named_folders("larmo-2019-sensitivity")
    print(" | ".join(("part", "value", *(f"{stack}, {size} B" for stack, size in ARMS))))
    for part, value, arms in readings(Results(folder).runs):
        print(" | ".join((part, value, *arms)))


if __name__ == "__main__":
    run_script(main)
