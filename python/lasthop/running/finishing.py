"""Simulates one run and collects the data that its part file stores."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lasthop.errors import EnvironmentFailure, LasthopError
from lasthop.results.part import PartHeader, Stream, failed_streams, read_status
from lasthop.running.engine import CancelledError, Engine, Switch
from lasthop.running.fleet_figures import weighted


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """The stored data of a run: its header and its Arrow IPC streams by table name."""

    header: PartHeader
    streams: Mapping[str, Stream]


def finish(  # noqa: PLR0913  (what a run is, and where its files go)
    run_id: str,
    spec_json: str,
    *,
    engine: Engine,
    switch: Switch,
    captures: Mapping[str, Path],
    messages: Path | None = None,
) -> FinishedRun:
    """Simulate a run and capture the packets of the selected hosts.

    Its messages go to the file `messages` if they are too many for memory; without one they stay.

    Raises
    ------
    CancelledError
        The switch was used.
    LasthopError
        The environment failed, and would fail for other runs.
    """
    wall, cpu = time.perf_counter(), time.thread_time()
    streams = _streams(
        lambda: weighted(
            engine.simulate(
                spec_json, run_id=run_id, captures=captures, switch=switch, messages=messages
            ),
            spec_json,
        )
    )
    header = PartHeader(
        run_id=run_id,
        status=read_status(streams),
        wall_s=time.perf_counter() - wall,
        cpu_s=time.thread_time() - cpu,
        captured=bool(captures),
    )
    return FinishedRun(header=header, streams=streams)


def given_up(run_id: str, reason: str) -> FinishedRun:
    """Return the stored data of a run that could not be simulated."""
    header = PartHeader(run_id=run_id, status="failed", wall_s=0.0, cpu_s=0.0, captured=False)
    return FinishedRun(header=header, streams=failed_streams(status="failed", reason=reason))


def _streams(simulate: Callable[[], Mapping[str, Stream]]) -> Mapping[str, Stream]:
    try:
        return simulate()
    except (CancelledError, LasthopError):
        raise
    except MemoryError as error:
        raise EnvironmentFailure(
            "the machine is out of memory; run the same command again with fewer --jobs"
        ) from error
    except BaseException as error:  # noqa: BLE001  a panic of the extension is a BaseException
        # A bug met by one run must neither vanish nor take the other runs with it.
        reason = f"lasthop failed: {type(error).__name__}: {error}"
        return failed_streams(status="invalid", reason=reason)
