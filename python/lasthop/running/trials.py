"""Estimates the duration of a plan's runs from short trials of some cases."""

import math
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from lasthop.running.processors import available_processors
from lasthop.running.trial import FIRST_SHARE, Case, Trial
from lasthop.study.run_spec import RunSpecReader

if TYPE_CHECKING:
    from lasthop.running.engine import Engine
    from lasthop.running.plan import Plan

TRIALS_S = 10.0
"""Approximate total time of all trials in seconds."""

_DOUBT_S = 0.5
_BETWEEN = 0.3
"""Assumed relative uncertainty of a case between two tried cases."""

# Storing a finished run and gathering it into the tables, measured.
_STORING_S = 0.008
# From the start of the command to its first run, and from the last run to the end of the report.
_STARTING_S, _ANSWERING_S, _ANSWERING_A_CASE_S = 0.7, 1.5, 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The estimated cost of a plan.

    Attributes
    ----------
    seconds
        Of wall time, of the whole command.
    at_least
        Whether a trial was ended before it had shown anything: then it takes no less.
    tried, cases
        How many cases were tried, and how many there are; one is a stack at a point.
    """

    seconds: float
    at_least: bool
    tried: int
    cases: int


def estimate_cost(plan: "Plan", engine: "Engine", *, jobs: int, trials_s: float = TRIALS_S) -> Cost:
    """Estimate the duration of a plan on this machine at its current load.

    Of every stack in every part the lightest and the heaviest point are tried. While there is
    time, that trial goes on for longer, or that point is tried too, on which most of the plan's
    time hangs that is not seen yet. Of a fleet that only began, a few devices are run to the end.
    """
    cases = _cases(plan)
    # Beside real software a run waits, and needs no processor of its own.
    processors = jobs if plan.is_live else available_processors()
    at_a_time = max(1, min(jobs, processors, sum(case.runs for case in cases)))
    trials = _try_some(cases, engine, at_a_time=at_a_time, trials_s=trials_s)
    hidden = [trial for trial in trials if trial.hides_in_its_start]
    if hidden:
        limit_s = trials_s * at_a_time / len(hidden)
        with ThreadPoolExecutor(at_a_time) as pool:
            list(pool.map(lambda trial: trial.run_few_devices(engine, limit_s), hidden))
    at_least = any(trial.at_least for trial in trials)
    times = _of_all(cases, trials, at_least=at_least)
    # A processor that others use, too, takes longer for the same; of little, little is believed.
    spent = _DOUBT_S + math.fsum(trial.spent_cpu_s for trial in trials)
    wall = _DOUBT_S + math.fsum(trial.spent_wall_s for trial in trials)
    stretch = max(1.0, wall / spent)
    total = math.fsum((cpu_s + _STORING_S) * case.runs for case, cpu_s in times)
    longest = max((cpu_s for _, cpu_s in times), default=0.0)
    running = max(total / at_a_time, longest)
    answering = _STARTING_S + _ANSWERING_S + _ANSWERING_A_CASE_S * len(cases)
    return Cost(
        seconds=stretch * (running + answering),
        at_least=at_least,
        tried=len(trials),
        cases=len(cases),
    )


def seconds_a_run(plan: "Plan", engine: "Engine", *, trials_s: float) -> Mapping[str, float]:
    """Estimate the CPU seconds of a run of each case, by `case_id`.

    It is tried as for `estimate_cost`, with every processor; that a run is stored is counted in.
    """
    cases = _cases(plan)
    trials = _try_some(cases, engine, at_a_time=available_processors(), trials_s=trials_s)
    times = _of_all(cases, trials, at_least=False)
    return {case.case_id: cpu_s + _STORING_S for case, cpu_s in times}


def _try_some(
    cases: Sequence[Case], engine: "Engine", *, at_a_time: int, trials_s: float
) -> list[Trial]:
    """Run trials of selected cases and return them."""
    trials = _Trials(cases, at_a_time=at_a_time, ends=time.perf_counter() + trials_s)

    def work(_: int) -> None:
        while (taken := trials.take()) is not None:
            trial, share, limit_s = taken
            trial.run(share, engine, limit_s)
            trials.put_back(trial)

    with ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(work, range(at_a_time)))
    return trials.telling()


def _cases(plan: "Plan") -> list[Case]:
    found: dict[str, Case] = {}
    for run in plan.supported():
        known = found.get(run.case_id)
        if known is None:
            load, group = _load(run.spec_json), (run.part, run.stack)
            found[run.case_id] = Case(run.case_id, group, run.spec_json, load, 1)
        else:
            found[run.case_id] = replace(known, runs=known.runs + 1)
    return sorted(found.values(), key=lambda case: (case.group, case.load))


def _load(spec_json: str) -> float:
    """Return the approximate number of packets of a run's messages."""
    flows = RunSpecReader.of(spec_json).flow_loads()
    return math.fsum(flow.messages * (1 + (flow.payload_bytes or 0) / 1000) for flow in flows)


class _Trials:
    """Schedules trials: the lightest and heaviest cases first, then the most uncertain."""

    def __init__(self, cases: Sequence[Case], *, at_a_time: int, ends: float) -> None:
        self._at_a_time, self._ends = at_a_time, ends
        self._half_s = (ends - time.perf_counter()) / 2
        groups = groupby(cases, key=lambda case: case.group)
        self._groups = {name: _Group(list(of_group)) for name, of_group in groups}
        self._must = [trial for group in self._groups.values() for trial in group.ends]
        self._lock = threading.Lock()

    def take(self) -> tuple[Trial, float, float] | None:
        """Return the next trial, its share and its time limit; None at the end."""
        with self._lock:
            left_s = self._ends - time.perf_counter()
            if self._must:
                # Each is tried, however little time is left.
                fair_s = left_s * min(1.0, self._at_a_time / len(self._must))
                return self._must.pop(0), FIRST_SHARE, max(0.1, fair_s)
            if left_s > self._half_s and (trial := self._least_tried()) is not None:
                share = trial.next_share(left_s - self._half_s)
                if share is not None:
                    return self._taken(trial), share, left_s
            while left_s > 0 and (trial := self._most_doubtful()) is not None:
                share = self._taken(trial).next_share(left_s)
                if share is not None:
                    return trial, share, left_s
        return None

    def put_back(self, trial: Trial) -> None:
        """Return a trial to the pool if a longer share can be run."""
        with self._lock:
            if trial.may_go_on:
                self._groups[trial.case.group].free.append(trial)

    def telling(self) -> list[Trial]:
        """Return the trials that give an estimate."""
        return [trial for group in self._groups.values() for trial in group.telling()]

    def _taken(self, trial: Trial) -> Trial:
        self._groups[trial.case.group].free.remove(trial)
        return trial

    def _least_tried(self) -> Trial | None:
        """Return the free trial of a lightest or heaviest case with the least time so far."""
        groups = self._groups.values()
        ends = (trial for group in groups for trial in group.ends if trial in group.free)
        return min(ends, key=lambda trial: trial.spent_cpu_s, default=None)

    def _most_doubtful(self) -> Trial | None:
        """Return the free trial with the largest uncertainty."""
        doubts = (group.most_doubtful() for group in self._groups.values())
        return max(doubts, key=lambda doubt: doubt[0], default=(0.0, None))[1]


class _Group:
    """The trials of a stack in a part, ordered by load."""

    def __init__(self, cases: Sequence[Case]) -> None:
        runs = math.fsum(case.runs for case in cases)
        self.ends = [
            Trial(case, speaks_for=runs / 2) for case in dict.fromkeys((cases[-1], cases[0]))
        ]
        self._others = [Trial(case, speaks_for=case.runs) for case in cases[1:-1]]
        self.free = self._others[:]

    def telling(self) -> list[Trial]:
        """Return the end trials, and inner trials that cover more than the start."""
        return self.ends + [trial for trial in self._others if trial.shows_more_than_a_start]

    def most_doubtful(self) -> tuple[float, Trial | None]:
        """Return the free trial with the largest uncertainty, and that uncertainty."""
        known = _by_load(self.telling(), at_least=False)
        doubts = (
            (
                trial.doubt_s
                if trial.steps
                else _BETWEEN * trial.speaks_for * _between(known, trial.case.load),
                trial,
            )
            for trial in self.free
        )
        return max(doubts, key=lambda doubt: doubt[0], default=(0.0, None))


def _of_all(
    cases: Sequence[Case], trials: Sequence[Trial], *, at_least: bool
) -> list[tuple[Case, float]]:
    """Return the CPU time of a run of each case, tried or interpolated."""
    tried: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        tried.setdefault(trial.case.group, []).append(trial)
    known = {trial.case.case_id: _cpu_s(trial, at_least=at_least) for trial in trials}
    between = {group: _by_load(few, at_least=at_least) for group, few in tried.items()}
    return [
        (case, known.get(case.case_id) or _between(between[case.group], case.load))
        for case in cases
    ]


def _by_load(trials: Sequence[Trial], *, at_least: bool) -> list[tuple[float, float]]:
    return sorted((trial.case.load, _cpu_s(trial, at_least=at_least)) for trial in trials)


def _cpu_s(trial: Trial, *, at_least: bool) -> float:
    return trial.least_cpu_s if at_least else trial.cpu_s


def _between(known: Sequence[tuple[float, float]], load: float) -> float:
    """Interpolate in logarithms; outside the range or between equal loads use the mean."""
    below = [pair for pair in known if pair[0] <= load]
    above = [pair for pair in known if pair[0] >= load]
    if not below or not above or below[-1][0] == above[0][0]:
        near = (below or above) if not (below and above) else [*below, *above]
        return math.fsum(cpu_s for _, cpu_s in near) / len(near)
    (low, low_s), (high, high_s) = below[-1], above[0]
    if low <= 0 or low_s <= 0 or high_s <= 0:
        return max(low_s, high_s)
    at = math.log(load / low) / math.log(high / low)
    return math.exp(math.log(low_s) * (1 - at) + math.log(high_s) * at)
