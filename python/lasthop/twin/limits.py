"""Limits for the differences between simulator and real software."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

LOSSLESS_MEDIAN = 0.02
LOSSLESS_MEDIAN_MS = 1.0
LOSSLESS_BYTES = 0.02
LOSSY_MEDIAN = 0.10
LOSSY_P95 = 0.20
DELIVERY_POINTS = 0.02
"""Difference of shares below which two worlds count as equal."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The accepted difference between live and virtual.

    Parameters
    ----------
    share
        Accepted difference as a share of the virtual value.
    least
        Accepted difference in the unit of the metric. The larger of both limits applies.
    """

    share: float = 0.0
    least: float = 0.0

    def around(self, virtual: float) -> float:
        """Return the largest difference that is inside the limit.

        Examples
        --------
        >>> Limit(share=0.02, least=1.0).around(20.0)
        1.0
        """
        return max(self.share * abs(virtual), self.least)

    def in_words(self, unit: str) -> str:
        """Format the limit for a table.

        Examples
        --------
        >>> Limit(share=0.02, least=1.0).in_words("ms")
        '2 % or 1 ms'
        >>> Limit().in_words("B")
        'equal'
        """
        least = f"{100 * self.least:g} points" if unit == "fraction" else f"{self.least:g} {unit}"
        words = [f"{100 * self.share:g} %"] if self.share else []
        words += [least] if self.least else []
        return " or ".join(words) or "equal"


def is_plain(spec_json: str) -> bool:
    """Return whether all paths of a run only have a constant delay.

    There the simulator has to agree exactly in what it sends.
    """
    spec = json.loads(spec_json)
    hops = [hop for path in spec["paths"].values() for hop in path["hops"]]
    return not spec["events"] and all(map(_is_plain_hop, hops))


def _is_plain_hop(hop: dict[str, Any]) -> bool:
    if "link" not in hop:
        return "nat" in hop
    directions = (hop["link"]["up"], hop["link"]["down"])
    return all(map(_is_plain_direction, directions))


def _is_plain_direction(direction: dict[str, Any]) -> bool:
    disturbances = ("block", "loss", "rate", "duplicate", "corrupt", "background")
    delay = direction.get("delay")
    is_constant = delay is None or "constant" in delay["model"]
    return is_constant and not direction["outages"] and not any(map(direction.get, disturbances))
