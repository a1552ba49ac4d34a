"""`--dry-run`: what would run, and about how long it would take."""

import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.cli.execution import Request
from lasthop.cli.output import say, say_json
from lasthop.running.engine import CancelledError, Engine, VirtualEngine
from lasthop.running.memory import check_memory
from lasthop.running.processors import available_processors

if TYPE_CHECKING:
    from lasthop.running.plan import Plan
    from lasthop.study import PlannedRun

_LONGEST_TRIAL_S = 3.0
# Storing a finished run and gathering it into the tables, measured.
_OVERHEAD_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Wall time of the whole, from a trial of one run a stack."""

    seconds: float
    at_least: bool

    def __str__(self) -> str:
        """Say it as roughly as it is known."""
        relation = "more than" if self.at_least else "about"
        seconds = max(1, round(self.seconds))
        minutes, rest = divmod(seconds, 60)
        hours, minutes_left = divmod(minutes, 60)
        if hours:
            return f"{relation} {hours} h {minutes_left} min"
        return f"{relation} {minutes} min {rest} s" if minutes else f"{relation} {rest} s"


def foresee(request: Request) -> int:
    """Say what a request would run; nothing is written."""
    plan = request.plan()
    jobs = request.jobs or available_processors()
    memory = check_memory(plan, jobs=jobs)
    runs = list(_by_stack(plan))
    supported = sum(count for _, count in runs)
    estimate = _estimate(runs, VirtualEngine(), jobs=jobs)
    study = plan.study
    unsupported = {stack.name: stack.reason for stack in study.stacks if not stack.supported}
    if request.as_json:
        say_json(
            {
                "study": study.name,
                "folder": str(request.folder(plan)),
                "selection": str(plan.selection),
                "parts": [{"name": part.name, "points": part.points} for part in study.parts],
                "stacks": [stack.name for stack in study.stacks],
                "repeat": study.repeat,
                "planned_runs": plan.planned_runs,
                "runs_to_simulate": supported,
                "unsupported": unsupported,
                "jobs": jobs,
                "estimated_s": round(estimate.seconds, 1),
                "estimated_peak_bytes": memory.total_bytes,
            }
        )
        return 0
    say(
        f"study    {study.name}: {_counted(len(study.stacks), 'stack')}, "
        f"{_counted(study.repeat, 'repetition')}"
    )
    for part in study.parts:
        swept = " x ".join(swept.key for swept in part.swept) or "the conditions of the study"
        say(f"part     {part.name}: {_counted(part.points, 'point')} ({swept})")
    say(f"runs     {supported} to simulate of {plan.planned_runs} planned, {plan.selection}")
    for name, reason in unsupported.items():
        say(f"         {name}: unsupported, {reason}")
    say(f"time     {estimate} with {_counted(jobs, 'job')}, if all points are like the first")
    say(f"memory   about {memory}")
    say(f"results  {request.folder(plan)} (not made by a dry run)")
    return 0


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _by_stack(plan: "Plan") -> list[tuple["PlannedRun", int]]:
    first: dict[str, PlannedRun] = {}
    counts: Counter[str] = Counter()
    for run in plan.unique():
        if run.supported:
            first.setdefault(run.stack, run)
            counts[run.stack] += 1
    return [(run, counts[stack]) for stack, run in first.items()]


def _estimate(runs: list[tuple["PlannedRun", int]], engine: Engine, *, jobs: int) -> Estimate:
    total, at_least = 0.0, False
    for run, count in runs:
        switch = engine.switch()
        timer = threading.Timer(_LONGEST_TRIAL_S / len(runs), switch.cancel)
        timer.start()
        started = time.perf_counter()
        try:
            engine.simulate(run.spec_json, run_id=run.run_id, capture=None, switch=switch)
        except CancelledError:
            at_least = True
        finally:
            timer.cancel()
        total += count * (time.perf_counter() - started + _OVERHEAD_S)
    parallel = max(1, min(jobs, sum(count for _, count in runs), available_processors()))
    return Estimate(seconds=total / parallel, at_least=at_least)
