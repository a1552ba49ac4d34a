"""Splits runs into chunks for workers, and retries chunks of dead workers."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lasthop.study import PlannedRun

LONGEST_S = 60.0
"""Maximum estimated duration of a chunk with several runs, in seconds."""
USUAL_S = 45.0

MOST_DEATHS = 3
"""Number of worker deaths after which a chunk is abandoned."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Runs that are sent to one worker together.

    Attributes
    ----------
    deaths
        How many workers have died while they had it.
    """

    runs: tuple["PlannedRun", ...]
    deaths: int = 0


class ChunkQueue:
    """Queue of chunks, which also takes back the chunks of dead workers.

    A chunk takes 30 to 60 s, about. Towards the end, and where there is not that much for every
    worker, it is a part of what is left, so that all workers end at about the same time.

    Parameters
    ----------
    runs
        In the order in which they are given out; walked twice.
    seconds
        How long a run of each case takes, by `case_id`.
    workers
        Says how many there may be.
    """

    def __init__(
        self,
        runs: Iterable["PlannedRun"],
        seconds: Mapping[str, float],
        workers: Callable[[], int],
    ) -> None:
        self._seconds = seconds
        self._workers = workers
        self._left_s = math.fsum(seconds[run.case_id] for run in runs)
        self._runs = iter(runs)
        self._first = next(self._runs, None)
        self._again: deque[Chunk] = deque()

    def next(self) -> Chunk | None:
        """Return the next chunk for a worker; None if nothing is left."""
        if self._again:
            return self._again.popleft()
        if self._first is None:
            return None
        aim_s = min(USUAL_S, self._left_s / (2 * max(1, self._workers())))
        chosen: list[PlannedRun] = []
        taken_s = 0.0
        while self._first is not None:
            next_s = self._seconds[self._first.case_id]
            # As near to the aim as whole runs come.
            if chosen and taken_s + next_s / 2 > aim_s:
                break
            if chosen and taken_s + next_s > LONGEST_S:
                break
            chosen.append(self._first)
            taken_s += next_s
            self._first = next(self._runs, None)
        self._left_s = max(0.0, self._left_s - taken_s)
        return Chunk(tuple(chosen))

    def put_back(self, chunk: Chunk) -> None:
        """Return a chunk that no worker has begun to the queue."""
        self._again.appendleft(chunk)

    def take_after_death(self, chunk: Chunk, left: tuple["PlannedRun", ...]) -> Chunk | None:
        """Requeue the rest of a dead worker's chunk; return runs that are abandoned.

        The run that was being done is tried again alone, so that others do not fail for it. The
        others are blamed as well only if the worker had not finished a single run.
        """
        died = Chunk(left, deaths=chunk.deaths + 1)
        if died.deaths >= MOST_DEATHS:
            return died
        suspect, others = left[:1], left[1:]
        if others:
            blamed = died.deaths if len(left) == len(chunk.runs) else chunk.deaths
            self._again.appendleft(Chunk(others, deaths=blamed))
        self._again.appendleft(Chunk(suspect, deaths=died.deaths))
        return None
