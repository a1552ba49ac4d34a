"""The cells of the grid and what is measured of a flow."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.tcp_against_linux.programs import Programs

FlowId: TypeAlias = tuple[int, int]
"""The number of a cell, and of a flow in it."""

PATIENCE_S = 300
"""After this long a flow counts as not completed."""


class NamespaceSettings(NamedTuple):
    """What a whole namespace has alike: cells that differ in it need namespaces of their own."""

    timestamps: bool
    window_bytes: int | None

    @property
    def name(self) -> str:
        """Of a folder."""
        timestamps = "timestamps" if self.timestamps else "no-timestamps"
        return (
            timestamps if self.window_bytes is None else f"{timestamps}-window-{self.window_bytes}"
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of what the grid varies."""

    cell: int
    congestion: str
    workload: str
    writes: int
    window_bytes: int | None
    loss_percent: float
    delay_ms: int
    timestamps: bool

    @property
    def is_modelled(self) -> bool:
        """Whether our TCP has its congestion control."""
        return self.congestion != "bbr"

    @property
    def settings(self) -> NamespaceSettings:
        """Those of the namespaces of its flows."""
        return NamespaceSettings(self.timestamps, self.window_bytes)


@dataclass(frozen=True, slots=True)
class Flow:
    """What is known of a flow.

    Attributes
    ----------
    completion_s
        From the call of connect to the arrival of the last byte at the receiving application, the
        handshake included; infinite where that did not happen in time.
    delays_s
        For each write, from when it was due to the arrival of its last byte.
    """

    completion_s: float
    delays_s: tuple[float, ...]

    @classmethod
    def of(cls, client: Mapping[str, Any], arrivals_ns: Sequence[int]) -> Flow:
        """Put together what the client said and when the writes arrived."""
        established = client["established_ns"]
        if established is None or len(arrivals_ns) < client["arrivals"]:
            return cls(float("inf"), ())
        completion_s = (arrivals_ns[-1] - client["connect_ns"]) * 1e-9
        if completion_s > PATIENCE_S:
            # The kernel goes on for a client that has gone.
            return cls(float("inf"), ())
        interval_ns, together = client["interval_ns"], client["together"]
        delays = tuple(
            (at - established - number // together * interval_ns) * 1e-9
            for number, at in enumerate(arrivals_ns)
        )
        return cls(completion_s, delays)


def cells(programs: Programs) -> list[Cell]:
    """Return all cells, as the programs know them."""
    done = subprocess.run([programs["grid"]], check=True, stdout=subprocess.PIPE, text=True)
    return [Cell(**json.loads(line)) for line in done.stdout.splitlines()]
