"""CPU time and memory of a run's servers during the measurement."""

from __future__ import annotations

import json
from threading import Timer
from typing import TYPE_CHECKING, Self

from lasthop.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from lasthop.running.serving import Serving

_NS_PER_S = 1e9


class MeasuredUse:
    """Measures programs from the end of the warm-up to the end of the context.

    The time of the run begins with the context, to some hundredths of a second.

    Parameters
    ----------
    servers
        The running servers.
    spec_json
        Run spec as JSON.
    """

    def __init__(self, servers: Sequence[Serving], spec_json: str) -> None:
        self._servers = servers
        self._warm_up_s = json.loads(spec_json)["measure"]["warm_up_ns"] / _NS_PER_S
        self._timer = Timer(self._warm_up_s, self._look)
        self._before_s: float | None = None

    def __enter__(self) -> Self:
        """Start a timer for the end of the warm-up."""
        self._timer.daemon = True
        if self._warm_up_s:
            self._timer.start()
        else:
            self._before_s = 0.0
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Cancel the timer."""
        self._timer.cancel()

    def columns(self) -> Mapping[str, float | int | None]:
        """Return CPU time and memory as columns of the run.

        Raises
        ------
        EnvironmentFailure
            A server has died.
        """
        before, after = self._before_s, self._cpu_s()
        return {
            "server_cpu_s": None if before is None else after - before,
            "server_memory_peak_bytes": sum(row["memory_peak_bytes"] for row in self._rows()),
        }

    def _look(self) -> None:
        try:
            self._before_s = self._cpu_s()
        except EnvironmentFailure:
            return  # who asks for the rows is told why

    def _cpu_s(self) -> float:
        return sum(row["cpu_s"] for row in self._rows())

    def _rows(self) -> list[Mapping[str, float]]:
        return [row for server in self._servers for row in server.rows()]
