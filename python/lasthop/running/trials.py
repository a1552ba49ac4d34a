"""How long the runs of a plan take, from short trials of some of its cases."""

import json
import math
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lasthop.running.engine import CancelledError, Engine
from lasthop.running.processors import available_processors
from lasthop.study.run_spec import RunSpecReader

if TYPE_CHECKING:
    from lasthop.running.plan import Plan

TRIALS_S = 10.0
"""So long all trials take together, about."""

_FIRST_SHARE = 1 / 1024
_GROWTH = 4.0
_DOUBT_S = 0.5
_STEEPEST = 2.0
"""No case is taken to cost more than the square of its duration: what is overloaded ends so."""

# Storing a finished run and gathering it into the tables, measured.
_STORING_S = 0.008
# From the start of the command to its first run, and from the last run to the end of the report.
_STARTING_S, _ANSWERING_S, _ANSWERING_A_CASE_S = 0.7, 1.5, 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a plan costs.

    Attributes
    ----------
    seconds
        Of wall time, of the whole command.
    at_least
        Whether a trial was ended before it had shown anything.
    tried, cases
        How many cases were tried, and how many there are; one is a stack at a point.
    """

    seconds: float
    at_least: bool
    tried: int
    cases: int


@dataclass(frozen=True, slots=True)
class _Case:
    """A stack at a point: what its repetitions have in common."""

    case_id: str
    group: tuple[str, str]
    spec_json: str
    load: float
    """What is offered to it, in packets or so: only compared within a group."""
    runs: int


@dataclass(frozen=True, slots=True)
class _Trial:
    """What a case takes as far as is known: processor and wall time, of the whole of a run."""

    cpu_s: float
    at_least: bool
    spent_cpu_s: float
    spent_wall_s: float


def estimate_cost(plan: "Plan", engine: Engine, *, jobs: int, trials_s: float = TRIALS_S) -> Cost:
    """Estimate how long a plan takes on this machine as busy as it is now.

    Of every stack in every part the lightest and the heaviest point are tried, then the others
    while there is time. A trial runs a case for longer and longer spans of its simulated time, as
    far as its share of the time goes, and goes on as steeply as its last step was.
    """
    cases = _cases(plan)
    at_a_time = max(1, min(jobs, available_processors(), sum(case.runs for case in cases)))
    trials = _try_some(cases, engine, at_a_time=at_a_time, trials_s=trials_s)
    times = _of_all(cases, trials)
    # A processor that others use, too, takes longer for the same; of little, little is believed.
    spent = _DOUBT_S + math.fsum(trial.spent_cpu_s for trial in trials.values())
    wall = _DOUBT_S + math.fsum(trial.spent_wall_s for trial in trials.values())
    stretch = max(1.0, wall / spent)
    total = math.fsum((cpu_s + _STORING_S) * case.runs for case, cpu_s in times)
    longest = max((cpu_s for _, cpu_s in times), default=0.0)
    running = max(total / at_a_time, longest)
    answering = _STARTING_S + _ANSWERING_S + _ANSWERING_A_CASE_S * len(cases)
    return Cost(
        seconds=stretch * (running + answering),
        at_least=any(trial.at_least for trial in trials.values()),
        tried=len(trials),
        cases=len(cases),
    )


def seconds_a_run(plan: "Plan", engine: Engine, *, trials_s: float) -> Mapping[str, float]:
    """Estimate how long a run of each case takes a processor of this machine, by `case_id`.

    It is tried as for `estimate_cost`, with every processor; that a run is stored is counted in.
    """
    cases = _cases(plan)
    trials = _try_some(cases, engine, at_a_time=available_processors(), trials_s=trials_s)
    return {case.case_id: cpu_s + _STORING_S for case, cpu_s in _of_all(cases, trials)}


def _try_some(
    cases: Sequence[_Case], engine: Engine, *, at_a_time: int, trials_s: float
) -> dict[int, _Trial]:
    """Give the trials, by the place of their case."""
    ends = time.perf_counter() + trials_s
    ends_first, others = _order(cases)
    trials: dict[int, _Trial] = {}
    with ThreadPoolExecutor(at_a_time) as pool:
        for wanted in (ends_first, others):
            queue = _Queue(
                ends=ends, left=len(wanted), at_a_time=at_a_time, must=wanted is ends_first
            )
            found = pool.map(
                partial(_try, engine=engine, queue=queue), map(cases.__getitem__, wanted)
            )
            trials |= {
                place: trial
                for place, trial in zip(wanted, found, strict=True)
                if trial is not None
            }
    return trials


def _cases(plan: "Plan") -> list[_Case]:
    found: dict[str, _Case] = {}
    for run in plan.supported():
        known = found.get(run.case_id)
        if known is None:
            load, group = _load(run.spec_json), (run.part, run.stack)
            found[run.case_id] = _Case(run.case_id, group, run.spec_json, load, 1)
        else:
            found[run.case_id] = replace(known, runs=known.runs + 1)
    return sorted(found.values(), key=lambda case: (case.group, case.load))


def _load(spec_json: str) -> float:
    """Say about how many packets the messages of a run are."""
    flows = RunSpecReader.of(spec_json).flow_loads()
    return math.fsum(flow.messages * (1 + (flow.payload_bytes or 0) / 1000) for flow in flows)


def _order(cases: Sequence[_Case]) -> tuple[list[int], list[int]]:
    """Give the places of the lightest and then the heaviest case of each group, and of others."""
    groups = [list(group) for _, group in groupby(range(len(cases)), lambda at: cases[at].group)]
    first = list(dict.fromkeys([group[end] for end in (0, -1) for group in groups]))
    return first, sorted(set(range(len(cases))) - set(first))


class _Queue:
    """Shares what is left of the time among the trials that wait for it."""

    def __init__(self, *, ends: float, left: int, at_a_time: int, must: bool) -> None:
        self.must = must
        """Whether each is tried, however little time is left."""
        self._ends, self._left, self._at_a_time = ends, left, at_a_time
        self._lock = threading.Lock()

    def take(self) -> float:
        """Return the wall time that the next trial has, in seconds."""
        with self._lock:
            waiting, self._left = max(1, self._left), self._left - 1
        return (self._ends - time.perf_counter()) * min(1.0, self._at_a_time / waiting)


def _try(case: _Case, *, engine: Engine, queue: _Queue) -> _Trial | None:
    """Run a case for growing shares of its duration, as long as the time allows."""
    if waiting_s := RunSpecReader.of(case.spec_json).waiting_s:
        return _Trial(cpu_s=waiting_s, at_least=False, spent_cpu_s=0.0, spent_wall_s=0.0)
    allowed_s = queue.take()
    if allowed_s <= 0 and not queue.must:
        return None
    steps: list[tuple[float, float]] = []
    began_cpu, began_wall = time.thread_time(), time.perf_counter()
    share, cut = _FIRST_SHARE, False
    while True:
        left = max(0.1, allowed_s - (time.perf_counter() - began_wall))
        cpu_s = _run(case, share, engine, left)
        if cpu_s is None:
            cut = True
            break
        steps.append((share, cpu_s))
        left = allowed_s - (time.perf_counter() - began_wall)
        if share >= 1.0 or left <= 0:
            break
        # As far as is likely to end in time, if twice as long takes three times as much.
        affordable = math.pow(left / max(cpu_s, 1e-4), 1 / math.log2(3)) * share
        share = min(1.0, _GROWTH * share, affordable)
        if share < 1.5 * steps[-1][0]:
            break
    if not queue.must and len(steps) <= 1 and share < 1.0:
        return None  # the set-up alone: its neighbours tell more
    spent_cpu, spent_wall = time.thread_time() - began_cpu, time.perf_counter() - began_wall
    return _Trial(
        cpu_s=_whole(steps) if steps else spent_cpu / _FIRST_SHARE,
        at_least=cut and not steps,
        spent_cpu_s=spent_cpu,
        spent_wall_s=spent_wall,
    )


def _run(case: _Case, share: float, engine: Engine, limit_s: float) -> float | None:
    """Run a share of a case; return its processor time, None if it took longer than allowed."""
    switch = engine.switch()
    timer = threading.Timer(limit_s, switch.cancel)
    timer.start()
    began = time.thread_time()
    with TemporaryDirectory(prefix="lasthop-trial-") as folder:
        messages = Path(folder, "messages.tmp")
        try:
            spec = _shortened(case.spec_json, share)
            engine.simulate(spec, run_id="trial", captures={}, switch=switch, messages=messages)
        except CancelledError:
            return None
        finally:
            timer.cancel()
        return time.thread_time() - began


def _shortened(spec_json: str, share: float) -> str:
    return spec_json if share >= 1.0 else json.dumps(RunSpecReader.of(spec_json).shortened(share))


def _whole(steps: Sequence[tuple[float, float]]) -> float:
    """Say what the whole takes, of which shares took so long."""
    share, taken = steps[-1]
    if share >= 1.0 or len(steps) == 1:
        return taken / share
    before, taken_before = steps[-2]
    straight = taken + (taken - taken_before) / (share - before) * (1.0 - share)
    power = math.log(max(taken, 1e-6) / max(taken_before, 1e-6)) / math.log(share / before)
    curved = taken * math.pow(share, -min(_STEEPEST, max(0.0, power)))
    return max(taken, straight, curved)


def _of_all(cases: Sequence[_Case], trials: Mapping[int, _Trial]) -> list[tuple[_Case, float]]:
    """Give the processor time of a run of each case: tried, or between the nearest tried ones."""
    tried: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for place, trial in trials.items():
        tried.setdefault(cases[place].group, []).append((cases[place].load, trial.cpu_s))
    found = []
    for place, case in enumerate(cases):
        known = trials.get(place)
        cpu_s = _between(sorted(tried[case.group]), case.load) if known is None else known.cpu_s
        found.append((case, cpu_s))
    return found


def _between(known: Sequence[tuple[float, float]], load: float) -> float:
    """Interpolate in logarithms; beyond the ends, and between equal loads, take the mean."""
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
