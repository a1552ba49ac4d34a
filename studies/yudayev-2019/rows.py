"""Print the 15 rows of figure 25 of Yudayev 2019, ours beside the paper's; means over repetitions.

``python studies/yudayev-2019/rows.py results/yudayev-2019 results/yudayev-2019-servers``

Packets and bytes are those of the device's path, bytes with the headers of Ethernet. Of a round
trip both meanings are printed: from the sending of a message to its end, and from one packet of
the device to its next in a conversation, as the paper has it for MQTT.
"""

import sys
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from lasthop import Results

ETHERNET_BYTES: Final = 14
WIRE: Final = "wlan"


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
    ends = (
        "acknowledged_ns"
        if part == "http" or "coap" in set(results.runs["stack"])
        else "delivered_ns"
    )
    took = (pl.col(ends) - pl.col("sent_ns")) / 1e6
    ended = results.messages.group_by("run_id").agg(
        conversation=took.mean(),
        span=(pl.max("delivered_ns") - pl.min("intended_ns")) / 1e9,
    )
    runs = results.runs.filter(part=part)
    return runs.join(wire, on="run_id").join(ended, on="run_id").sort("stack", clients)


def row_of(stack: str, clients: int, runs: pl.DataFrame) -> str:
    """Write one row."""
    mean = {name: runs[name].cast(pl.Float64).mean() or 0.0 for name in COLUMNS}
    offered = mean["messages_offered"]
    loss = 100 * (1 - mean["messages_delivered"] / offered)
    misread = 100 * (1 - (mean["messages_delivered"] + mean["device_misreads"]) / offered)
    again = mean["retransmissions_transport"] + mean["retransmissions_application"]
    per_10_ms = (mean["wire_bytes"] + ETHERNET_BYTES * mean["packets"]) / mean["span"] / 100
    conversations = 1 if stack.startswith("qos") else clients
    between = 1e3 * mean["span"] * conversations / mean["of_device"]
    crashes = mean["device_crashes_heap"] + mean["device_crashes_watchdog"]
    paper = PAPER.get((stack, clients))
    beside = (
        " | " * 5
        if paper is None
        else (
            f"{paper.loss:g} | {paper.retransmissions} | {paper.throughput:g} | "
            f"{paper.round_trip:g} | {paper.crashes} | {paper.offline:g}"
        )
    )
    return (
        f"| {stack}, {clients} | {loss:.2f} | {misread:.2f} | {again:.0f} | {per_10_ms:.0f} | "
        f"{mean['conversation']:.0f} | {between:.0f} | {mean['packets'] / offered:.2f} | "
        f"{crashes:.1f} | {mean['device_offline_s']:.1f} | {mean['span']:.0f} | {beside} |"
    )


COLUMNS: Final = (
    *("messages_offered", "messages_delivered", "device_misreads"),
    *("retransmissions_transport", "retransmissions_application", "wire_bytes", "packets"),
    *("of_device", "span", "conversation", "device_crashes_heap", "device_crashes_watchdog"),
    "device_offline_s",
)

HEAD: Final = (
    "| stack, clients | loss % | with misreads % | sent again | B in 10 ms | conversation ms | "
    "between packets ms | packets a message | crashes | off s | lasts s | "
    "paper: loss % | sent again | B in 10 ms | round trip ms | crashes | off s |"
)


def main() -> None:
    """Print the rows of both studies."""
    print(HEAD)
    print("|" + "---|" * 17)
    for folder in sys.argv[1:]:
        results = Results(Path(folder))
        for part in ("figure_25", "http"):
            if part not in set(results.runs["part"]):
                continue
            runs = of_part(results, part)
            for (stack, clients), of_row in runs.group_by(
                ["stack", "fleet_clients_count"], maintain_order=True
            ):
                if str(stack).startswith("http") != (part == "http"):
                    continue
                print(row_of(str(stack), int(str(clients)), of_row))


if __name__ == "__main__":
    main()
