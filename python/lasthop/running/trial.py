"""Runs growing shares of a case's duration to estimate the cost of the whole run."""

import json
import math
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from lasthop.running.engine import CancelledError, Engine
from lasthop.study.run_spec import RunSpecReader

FIRST_SHARE = 1 / 1024
"""Share of the run's duration that the first trial covers."""

_LARGE_FLEET = 1_000
_FEW, _SOME = 20, 80
"""Numbers of devices of the two partial runs that represent a large fleet."""

_TELLING_SHARE = 1 / 32
_GROWTH = 4.0
_STEEPEST = 2.0
"""Maximum exponent of the cost's growth with duration. Overload is quadratic at most."""
_UNSEEN = 0.2
"""Assumed relative uncertainty of the untested rest of a run."""


@dataclass(frozen=True, slots=True)
class Case:
    """The repetitions of a stack at a point, for trials.

    Attributes
    ----------
    group
        Its part and its stack.
    load
        What is offered to it, in packets or so: only compared within a group.
    """

    case_id: str
    group: tuple[str, str]
    spec_json: str
    load: float
    runs: int


@dataclass(slots=True, eq=False)
class Trial:
    """Trial runs of a case.

    One that waits for a wall clock is not run: how long it takes is known.

    Attributes
    ----------
    speaks_for
        For how many runs: its own, and those of cases beside it that are not tried.
    steps
        Shares of the duration that were run, and the processor time that each took.
    is_cut
        Whether a step took longer than it might.
    """

    case: Case
    speaks_for: float
    steps: list[tuple[float, float]] = field(default_factory=list)
    is_cut: bool = False
    spent_cpu_s: float = 0.0
    spent_wall_s: float = 0.0

    @property
    def shows_more_than_a_start(self) -> bool:
        """Return whether the trial covers more than the start of the run."""
        return bool(self.steps) and self.steps[-1][0] >= _TELLING_SHARE

    @property
    def hides_in_its_start(self) -> bool:
        """Return whether the trial covers only the start of a large fleet."""
        staying = RunSpecReader.of(self.case.spec_json).staying_devices
        return staying > _LARGE_FLEET and len(self.steps) <= 1 and not self._is_whole

    def run_few_devices(self, engine: Engine, limit_s: float) -> None:
        """Run the whole duration with two small numbers of devices, within a time limit.

        What one of them takes, the others take, too.
        """
        reader = RunSpecReader.of(self.case.spec_json)
        counts, took_s = [], []
        for devices in (_FEW, _SOME):
            fewer = reader.with_devices(devices)
            began_s = time.thread_time()
            if not _simulate(json.dumps(fewer.spec), engine, limit_s):
                return
            counts.append(fewer.staying_devices)
            took_s.append(time.thread_time() - began_s)
        if counts[0] >= counts[1]:
            return  # they are told apart by their strata
        each_s = max(0.0, took_s[1] - took_s[0]) / (counts[1] - counts[0])
        others = reader.staying_devices - counts[1]
        self.steps, self.is_cut = [(1.0, took_s[1] + each_s * others)], False

    @property
    def may_go_on(self) -> bool:
        """Return whether a longer share can still be run."""
        return bool(self.steps) and not self.is_cut and not self._is_whole

    @property
    def at_least(self) -> bool:
        """Return whether the trial was cut before it gave an estimate."""
        return self.is_cut and not self.steps

    @property
    def cpu_s(self) -> float:
        """Return the estimated CPU time of a whole run."""
        if not self.steps:
            return self.spent_cpu_s / FIRST_SHARE
        # Between what goes on as it does now and what grows as it has grown: a queue that fills
        # is full one day.
        return math.sqrt(self._straight_s() * self._curved_s())

    @property
    def least_cpu_s(self) -> float:
        """Return the lower estimate of a whole run's CPU time.

        That a start took long says nothing of the rest: a fleet may begin all at once.
        """
        return self._straight_s() if len(self.steps) > 1 else self.spent_cpu_s

    @property
    def doubt_s(self) -> float:
        """Return the CPU time of the plan that is uncertain because of this trial."""
        apart = self._curved_s() - self._straight_s()
        return self.speaks_for * (apart + _UNSEEN * (1.0 - self.steps[-1][0]) * self.cpu_s)

    def next_share(self, left_s: float) -> float | None:
        """Return the next share that ends within this number of seconds; None if none does."""
        if not self.steps:
            return FIRST_SHARE
        share, taken = self.steps[-1]
        # A processor that others use, too, takes longer for the same.
        stretch = max(1.0, self.spent_wall_s / max(self.spent_cpu_s, 1e-4))
        # As far as is likely to end in time, if twice as long takes three times as much.
        affordable = math.pow(left_s / max(stretch * taken, 1e-4), 1 / math.log2(3)) * share
        following = min(1.0, _GROWTH * share, affordable)
        return following if following >= min(1.0, 1.5 * share) else None

    def run(self, share: float, engine: Engine, limit_s: float) -> None:
        """Run a share of the duration, within a time limit in seconds."""
        if waiting_s := RunSpecReader.of(self.case.spec_json).waiting_s:
            self.steps.append((1.0, waiting_s))
            return
        began_cpu, began_wall = time.thread_time(), time.perf_counter()
        has_ended = _simulate(_shortened(self.case.spec_json, share), engine, limit_s)
        cpu_s = time.thread_time() - began_cpu
        self.spent_cpu_s += cpu_s
        self.spent_wall_s += time.perf_counter() - began_wall
        if has_ended:
            self.steps.append((share, cpu_s))
        else:
            self.is_cut = True

    @property
    def _is_whole(self) -> bool:
        return bool(self.steps) and self.steps[-1][0] >= 1.0

    def _straight_s(self) -> float:
        """Return the CPU time of a whole run by linear extrapolation."""
        share, taken = self.steps[-1]
        if len(self.steps) == 1 or share >= 1.0:
            return taken / share
        before, taken_before = self.steps[-2]
        slope = max(0.0, taken - taken_before) / (share - before)
        return taken + slope * (1.0 - share)

    def _curved_s(self) -> float:
        """Return the CPU time of a whole run by power-law extrapolation."""
        share, taken = self.steps[-1]
        if len(self.steps) == 1 or share >= 1.0:
            return taken / share
        before, taken_before = self.steps[-2]
        power = math.log(max(taken, 1e-6) / max(taken_before, 1e-6)) / math.log(share / before)
        curved = taken * math.pow(share, -min(_STEEPEST, max(0.0, power)))
        return max(curved, self._straight_s())


def _simulate(spec: str, engine: Engine, limit_s: float) -> bool:
    """Run a spec within a time limit; return whether it finished in time."""
    switch = engine.switch()
    timer = threading.Timer(limit_s, switch.cancel)
    timer.start()
    with TemporaryDirectory(prefix="lasthop-trial-") as folder:
        messages = Path(folder, "messages.tmp")
        try:
            engine.simulate(spec, run_id="trial", captures={}, switch=switch, messages=messages)
        except CancelledError:
            return False
        finally:
            timer.cancel()
    return True


def _shortened(spec_json: str, share: float) -> str:
    return spec_json if share >= 1.0 else json.dumps(RunSpecReader.of(spec_json).shortened(share))
