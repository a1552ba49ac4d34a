"""Print from how many messages on a connection each stack is cheaper than each other.

``python studies/google-http-mqtt/break_even.py results/google-http-mqtt``

Bytes are those of Ethernet frames, time is what all messages of a connection wait for their
answers. Between the numbers of messages that were run a connection grows in a straight line.
"""

from itertools import pairwise
from typing import Final

import polars as pl

from lasthop import Results
from lasthop.cli.script import named_folders, run_script

MESSAGES: Final = "traffic_telemetry_session"
YEARS: Final = (("mqtt", "http 1.1", "http 2", "http 3", "mqtt quic"), ("mqtt 2018", "http 2018"))
"""Stacks of one year are held against each other."""


def totals(runs: pl.DataFrame, stack: str, column: str) -> dict[int, float]:
    """Give what a connection takes, by its number of messages."""
    of_stack = runs.filter(stack=stack).group_by(MESSAGES).agg(pl.mean(column)).sort(MESSAGES)
    return {messages: messages * each for messages, each in of_stack.iter_rows()}


def every(taken: dict[int, float]) -> list[float]:
    """Give what a connection takes with one message, two, three and so on."""
    found = [taken[1]]
    for (low, less), (high, more) in pairwise(taken.items()):
        step = (more - less) / (high - low)
        found += [less + step * n for n in range(1, high - low + 1)]
    return found


def first_cheaper(ours: list[float], other: list[float]) -> str:
    """Give the number of messages from which on one stack is cheaper, in words."""
    dearer = [n for n, (a, b) in enumerate(zip(ours, other, strict=True), 1) if a >= b * (1 - 1e-9)]
    if not dearer:
        return "always"
    return "never" if dearer[-1] == len(ours) else f"{dearer[-1] + 1}"


def main() -> None:
    """Print a table for bytes and one for time."""
    (folder,) = named_folders("google-http-mqtt")
    runs = Results(folder).runs.filter(part="messages")
    known = set(runs["stack"])
    for what, column in (
        ("bytes", "wire_bytes_per_message_ethernet"),
        ("time", "response_mean_ms"),
    ):
        for year in YEARS:
            stacks = [stack for stack in year if stack in known]
            taken = {stack: every(totals(runs, stack, column)) for stack in stacks}
            print(f"{what + ', from':12}" + "".join(f"{'than ' + it:>16}" for it in stacks))
            for stack in stacks:
                row = (
                    "" if other == stack else first_cheaper(taken[stack], taken[other])
                    for other in stacks
                )
                print(f"{stack:12}" + "".join(f"{cell:>16}" for cell in row))
            print()


if __name__ == "__main__":
    run_script(main)
