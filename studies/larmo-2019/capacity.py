"""Say how many devices a cell carries, from capacity.yaml.

``python studies/larmo-2019/capacity.py results/larmo-2019-capacity``

The rule, written before the first run: a cell carries a load while at least 99 % of the devices are
served within 20 s (what the paper's text calls out), at that load and at each lower one. Its
capacity is where the straight line between the last such load and the next falls to 99 %, for each
repetition by itself; given are the mean, the least and the greatest. A stack that never falls
carries at least the highest load.

Devices are what sends that many requests: one an hour, as the paper counts them, or by the mix of
TR 45.820 annex E.2 (from memory): 40 % once a day, 40 % every 2 h, 15 % every hour and 5 % every
half hour, 11.2 a day. The paper names 50,000 devices a cell as the design target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lasthop import Results
from lasthop.cli.script import named_folders, run_script

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

SERVED: Final = 0.99
A_DAY: Final = 86_400
REPORTS_A_DAY: Final = {
    "one an hour": 24.0,
    "TR 45.820": 0.40 * 1 + 0.40 * 12 + 0.15 * 24 + 0.05 * 48,
}
TARGET: Final = 50_000
"""Devices a cell."""


def capacity(served: Mapping[float, float]) -> tuple[float, bool]:
    """Give the load that a cell carries, and whether it may be more, by load and share served.

    Examples
    --------
    >>> capacity({1.0: 1.0, 2.0: 0.995, 3.0: 0.97})
    (2.2, False)
    >>> capacity({1.0: 1.0, 2.0: 0.995})
    (2.0, True)
    >>> capacity({1.0: 0.9, 2.0: 1.0})
    (0.0, False)
    """
    carried = 0.0
    share = 1.0
    for load in sorted(served):
        if served[load] < SERVED:
            if not carried:
                return 0.0, False
            fallen = (share - SERVED) / (share - served[load])
            return round(carried + (load - carried) * fallen, 3), False
        carried, share = load, served[load]
    return carried, True


def rows(runs: pl.DataFrame) -> Iterator[tuple[str, str, int, list[tuple[float, bool]]]]:
    """Give part, stack, bytes of a report and the capacity of each repetition."""
    arms = ["part", "stack", "traffic_report_bytes"]
    for (part, stack, size), arm in runs.group_by(arms, maintain_order=True):
        found = [
            capacity(
                dict(zip(of_seed["devices_arrive_per_s"], of_seed["availability_20s"], strict=True))
            )
            for _, of_seed in arm.group_by("seed", maintain_order=True)
        ]
        yield str(part), str(stack), int(str(size)), found


def line(part: str, stack: str, size: int, found: Sequence[tuple[float, bool]]) -> str:
    """Write a row of the table."""
    loads = [load for load, _ in found]
    mean = sum(loads) / len(loads)
    more = ">= " if any(open_ended for _, open_ended in found) else ""
    devices = [mean * A_DAY / reports for reports in REPORTS_A_DAY.values()]
    cells = [part, stack, f"{size} B", f"{more}{mean:.2f} ({min(loads):.2f} - {max(loads):.2f})"]
    cells += [f"{more}{number:,.0f}" for number in devices]
    cells.append(f"{more}{devices[-1] / TARGET:.2f}")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table."""
    (folder,) = named_folders("larmo-2019-capacity")
    names = [f"devices a cell, {name}" for name in REPORTS_A_DAY]
    head = ["formats", "stack", "report", "requests/s/cell", *names, f"of {TARGET:,}"]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows(Results(folder).runs):
        print(line(*row))


if __name__ == "__main__":
    run_script(main)
