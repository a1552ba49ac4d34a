"""How far our completion times are from Linux's, beyond how far Linux's are from themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from benchmarks.tcp_against_linux.grid import Cell, Flow, FlowId

TOLERANCES = {0.5: 0.05, 0.9: 0.15}
"""For each quantile, the difference beyond the noise floor that still counts as agreement."""

SHARE_OF_CELLS = 0.95
SAME = 0.05
"""Two completion times count as the same when they differ by no more than this share."""


@dataclass(frozen=True, slots=True)
class Quantile:
    """One quantile of a cell, in seconds.

    Attributes
    ----------
    linux_parts
        That of Linux with one seed, and with the other.
    """

    share: float
    ours: float
    linux: float
    linux_parts: tuple[float, float]

    @property
    def difference(self) -> float:
        """How far ours is from Linux's, as a share of it; above 0 where ours is later."""
        return _difference(self.ours, self.linux)

    @property
    def floor(self) -> float:
        """How far Linux is from itself with other losses of the same probability."""
        return abs(_difference(*self.linux_parts))

    @property
    def agrees(self) -> bool:
        """Whether ours is as near as it has to be."""
        return abs(self.difference) <= self.floor + TOLERANCES[self.share]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A cell, its quantiles, and the share of flows that took as long over either TCP."""

    cell: Cell
    flows: int
    quantiles: tuple[Quantile, ...]
    same: float

    @property
    def agrees(self) -> bool:
        """Whether all quantiles agree."""
        return all(quantile.agrees for quantile in self.quantiles)


@dataclass(frozen=True, slots=True)
class Arms:
    """The flows of both TCPs, for each seed."""

    ours: Sequence[Mapping[FlowId, Flow]]
    linux: Sequence[Mapping[FlowId, Flow]]


def completions(arms: Arms, cell: Cell) -> Comparison:
    """Compare the completion times of a cell."""
    pairs = [
        (ours[flow].completion_s, linux[flow].completion_s)
        for ours, linux in zip(arms.ours, arms.linux, strict=True)
        for flow in linux
        if flow[0] == cell.cell
    ]
    same = [abs(_difference(ours, linux)) <= SAME for ours, linux in pairs]
    return Comparison(
        cell,
        len(pairs),
        _quantiles(arms, cell, lambda flow: (flow.completion_s,)),
        sum(same) / len(same),
    )


def delays(arms: Arms, cell: Cell) -> tuple[Quantile, ...]:
    """Compare the delays of the writes of a cell, those of flows that completed."""
    return _quantiles(arms, cell, lambda flow: flow.delays_s)


def quantile(values: Iterable[float], share: float) -> float:
    """Return the smallest value that this share of all does not exceed.

    Examples
    --------
    >>> quantile([3.0, 1.0, 2.0, math.inf], 0.5)
    2.0
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _quantiles(
    arms: Arms, cell: Cell, values: Callable[[Flow], tuple[float, ...]]
) -> tuple[Quantile, ...]:
    def of(part: Mapping[FlowId, Flow]) -> list[float]:
        return [
            value for flow, known in part.items() if flow[0] == cell.cell for value in values(known)
        ]

    ours = [of(part) for part in arms.ours]
    first, second = (of(part) for part in arms.linux)
    return tuple(
        Quantile(
            share,
            ours=quantile([value for part in ours for value in part], share),
            linux=quantile(first + second, share),
            linux_parts=(quantile(first, share), quantile(second, share)),
        )
        for share in TOLERANCES
    )


def _difference(one: float, other: float) -> float:
    if one == other:
        return 0.0
    if math.isinf(other):
        return -math.inf
    return one / other - 1.0
