"""Print the 15 rows of figure 25 of Yudayev 2019, ours beside the paper's.

``python studies/yudayev-2019/rows.py results/yudayev-2019 results/yudayev-2019-servers``

Means over repetitions, with the least and the most of them; rows on lwIP are those of folders of
``live.yaml`` and its like, of which nobody counts what was sent again. Captured rows are those of
``captures.csv``: one run of the author each, whose conversation is that of ``captures.py``.

Packets and bytes are those of the device's path, bytes with the headers of Ethernet. Of a round
trip both meanings are printed: from the sending of a message to its end, and from one packet of
the device to its next in a conversation, as the paper has it for MQTT.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

import polars as pl

from lasthop import Results
from lasthop.cli.script import run_script

ETHERNET_BYTES: Final = 14
WIRE: Final = "wlan"
CAPTURES: Final = Path(__file__).parent / "captures.csv"


class Row(NamedTuple):
    """A row of the figure: losses in %, times in ms and s, throughput in B in 10 ms."""

    loss: float
    retransmissions: int
    throughput: float
    round_trip: float
    crashes: int
    offline: float


PAPER: Final = {
    ("qos 0", 1): Row(0, 2, 30, 170, 0, 0),
    ("qos 0", 10): Row(80.2, 0, 660, 235, 0, 0),
    ("qos 0", 100): Row(94.75, 9, 1050, 105, 0, 0),
    ("qos 1", 1): Row(0, 1, 28, 150, 0, 0),
    ("qos 1", 10): Row(3.74, 5, 270, 40, 1, 15),
    ("qos 1", 100): Row(1.07, 6, 600, 30, 0, 70),
    ("qos 2", 1): Row(0, 5, 16, 60, 0, 0),
    ("qos 2", 10): Row(0.9, 4, 280, 20, 0, 0),
    ("qos 2", 100): Row(0.5, 18, 130, 20, 0, 32),
    ("coap", 1): Row(0, 0, 140, 89, 0, 0),
    ("coap", 10): Row(1.11, 28, 400, 1306, 0, 0),
    ("coap", 100): Row(0.20, 200, 400, 8693, 0, 0),
    ("http", 1): Row(0, 0, 300, 128, 0, 0),
    ("http", 10): Row(0.51, 26, 800, 200, 0, 0),
    ("http", 100): Row(27.90, 20997, 1000, 11842, 0, 0),
}


def of_part(results: Results, part: str) -> pl.DataFrame:
    """Give a row for each run of a part, with its packets and its conversations."""
    clients = "fleet_clients_count"
    offered = results.packets.filter(path=WIRE, fate="offered")
    wire = offered.group_by("run_id").agg(
        packets=pl.sum("packets"),
        wire_bytes=pl.sum("bytes"),
        of_device=pl.col("packets").filter(direction="up").sum(),
    )
    # A server's message has ended when its sender knows of it, a subscriber's when that has it.
    is_asked = part == "http" or "coap" in set(results.runs["stack"])
    ends = "acknowledged_ns" if is_asked else "delivered_ns"
    took = (pl.col(ends) - pl.col("sent_ns")) / 1e6
    ended = results.messages.group_by("run_id").agg(
        ended=pl.col(ends).count(),
        conversation=took.mean(),
        span=(pl.max(ends) - pl.min("intended_ns")) / 1e9,
    )
    runs = results.runs.filter(pl.col("part") == part, pl.col("messages_offered") > 0)
    return runs.join(wire, on="run_id").join(ended, on="run_id").sort("stack", clients)


def measured(stack: str, clients: int) -> Mapping[str, tuple[pl.Expr, int]]:
    """Give what is told of a run, by the head of its column, with the places behind the point."""
    is_mqtt = stack.startswith("qos")
    again = pl.col("retransmissions_transport") + pl.col("retransmissions_application").fill_null(0)
    heard = pl.col("ended")
    sense = heard + pl.col("device_misreads").fill_null(0)
    wire_bytes = pl.col("wire_bytes") + ETHERNET_BYTES * pl.col("packets")
    crashes = pl.col("device_crashes_heap") + pl.col("device_crashes_watchdog")
    offered = pl.col("messages_offered")
    return {
        "loss %": (100 * (1 - heard / offered), 2),
        "with misreads %": (100 * (1 - sense / offered), 2),
        "sent again": (again, 0),
        "B in 10 ms": (wire_bytes / pl.col("span") / 100, 0),
        "conversation ms": (pl.col("conversation"), 0),
        "between packets ms": (
            1e3 * pl.col("span") * (1 if is_mqtt else clients) / pl.col("of_device"),
            0,
        ),
        "packets a message": (pl.col("packets") / offered, 2),
        "crashes": (crashes, 1),
        "off s": (pl.col("device_offline_s"), 1),
        "lasts s": (pl.col("span"), 0),
    }


def with_spread(values: Sequence[float], places: int) -> str:
    """Write the mean, with the least and the most where they differ; nothing of nothing."""
    if not values:
        return ""
    told = (fmean(values), min(values), max(values))
    mean, least, most = (f"{value:.{places}f}" for value in told)
    return mean if least == most else f"{mean} ({least} to {most})"


def row_of(stack: str, clients: int, runs: pl.DataFrame) -> str:
    """Write one row."""
    name = stack if runs["engine"][0] == "virtual" else f"{stack} on lwIP"
    invalid = (runs["status"] == "invalid").sum()
    name += f" ({invalid} of {len(runs)} too late)" if invalid else ""
    cells = [f"{name}, {clients}"]
    for expression, places in measured(stack, clients).values():
        values = runs.select(value=expression)["value"].drop_nulls().to_list()
        cells.append(with_spread(values, places))
    paper = PAPER.get((stack, clients))
    cells += [""] * len(Row._fields) if paper is None else [f"{value:g}" for value in paper]
    return f"| {' | '.join(cells)} |"


HEAD: Final = (
    "stack, clients",
    *measured("qos 0", 1),
    *("paper: loss %", "sent again", "B in 10 ms", "round trip ms", "crashes", "off s"),
)


def rows_of(folder: Path) -> Iterator[tuple[tuple[int, int], str]]:
    """Give the rows of a folder of results, each behind its place among all: as in the paper."""
    results = Results(folder)
    for part in ("figure_25", "http"):
        if part not in set(results.runs["part"]):
            continue
        runs = of_part(results, part)
        by = ["stack", "fleet_clients_count"]
        for (stack, clients), of_row in runs.group_by(by, maintain_order=True):
            name, count = str(stack), int(str(clients))
            if name.startswith("http") != (part == "http"):
                continue
            place = list(PAPER).index((name, count)) if (name, count) in PAPER else len(PAPER)
            yield (place, int(of_row["engine"][0] != "virtual")), row_of(name, count, of_row)


def captured_rows() -> Iterator[tuple[tuple[int, int], str]]:
    """Give the rows of the author's captures, below ours."""
    for row in pl.read_csv(CAPTURES).iter_rows(named=True):
        name, count = row["stack"], row["clients"]
        cells = {
            "stack, clients": f"{name} captured, {count}",
            "loss %": f"{row['lost_percent']:.2f}",
            "sent again": row["retransmissions_tcp"] + row["retransmissions_application"],
            "B in 10 ms": f"{row['bytes_in_10_ms']:.1f}",
            "conversation ms": _rounded(row["conversation_ms"]),
            "between packets ms": _rounded(row["device_packet_interval_ms"]),
            "packets a message": f"{row['packets_a_message']:.2f}",
            "off s": _rounded(row["offline_s"]),
            "lasts s": _rounded(row["span_s"]),
        }
        paper = [f"{value:g}" for value in PAPER[name, count]]
        own = [str(cells.get(head, "")) for head in HEAD[: -len(paper)]]
        yield (list(PAPER).index((name, count)), 2), f"| {' | '.join([*own, *paper])} |"


def _rounded(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def main() -> None:
    """Print the rows of the studies whose folders are named, those on lwIP and captured below."""
    print(f"| {' | '.join(HEAD)} |")
    print("|" + "---|" * len(HEAD))
    rows = [row for folder in sys.argv[1:] for row in rows_of(Path(folder))]
    rows += captured_rows()
    for _, row in sorted(rows, key=itemgetter(0)):
        print(row)


if __name__ == "__main__":
    run_script(main)
