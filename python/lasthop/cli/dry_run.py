"""`--dry-run`: the planned runs and their estimated duration."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.adapters import Bindings
from lasthop.answer.meanings import meanings
from lasthop.cli.execution import Request
from lasthop.cli.names import say_names
from lasthop.cli.output import say, say_json
from lasthop.results.description import describe_study
from lasthop.running.disk import check_disk
from lasthop.running.engine import NativeEngine
from lasthop.running.live_engine import LOGS, LiveEngine
from lasthop.running.memory import answer_bytes, check_memory, written
from lasthop.running.trials import Cost, estimate_cost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop.running.memory import MemoryEstimate
    from lasthop.running.plan import Plan


@dataclass(frozen=True, slots=True)
class _World:
    """What one engine would run of a study: all of it, or half of a twin."""

    name: str
    plan: "Plan"
    jobs: int
    runs: int
    memory: "MemoryEstimate"
    cost: "Cost"
    missing: tuple[str, ...]


def foresee(request: Request) -> int:
    """Print the runs that a request would make. Nothing is written."""
    requests = request.worlds() or {"": request}
    worlds = [_foreseen(name, asked) for name, asked in requests.items()]
    first, last = worlds[0], worlds[-1]
    study, out = last.plan.study, request.folder(last.plan)
    answer = max(answer_bytes(world.plan) for world in worlds)
    peak_bytes = max(world.memory.total_bytes for world in worlds) + answer
    cost = _summed([world.cost for world in worlds])
    names = list(meanings(describe_study(study), amounts=True))
    unsupported = {stack.name: stack.reason for stack in study.stacks if not stack.supported}
    missing = dict.fromkeys(what for world in worlds for what in world.missing)
    if request.as_json:
        say_json(
            {
                "study": study.name,
                "folder": str(out),
                "selection": str(last.plan.selection),
                "parts": [{"name": part.name, "points": part.points} for part in study.parts],
                "stacks": [stack.name for stack in study.stacks],
                "names": names,
                "repeat": study.repeat,
                "planned_runs": sum(world.plan.planned_runs for world in worlds),
                "runs_to_simulate": sum(world.runs for world in worlds),
                "unsupported": unsupported,
                "notes": list(study.notes),
                "missing": list(missing),
                "jobs": first.jobs,
                "estimated_s": round(cost.seconds, 1),
                "tried_cases": cost.tried,
                "cases": cost.cases,
                "estimated_peak_bytes": peak_bytes,
                **({} if len(worlds) == 1 else {"worlds": _plain(worlds)}),
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
    say_names(names, rest="in the study")
    for world in worlds:
        of = "" if len(worlds) == 1 else f" by --engine {world.name}"
        planned = f"{world.plan.planned_runs} planned, {world.plan.selection}"
        say(f"runs     {world.runs} to simulate{of} of {planned}")
    for name, reason in unsupported.items():
        say(f"         {name}: unsupported, {reason}")
    for note in study.notes:
        say(f"note     {note}")
    for what in missing:
        say(f"missing  {what}")
    if len(worlds) == 1:
        say(f"time     {_duration(cost)} with {_counted(first.jobs, 'job')}, {_basis(cost)}")
    else:
        say(f"time     {_duration(cost)}")
        for world in worlds:
            jobs = _counted(world.jobs, "job")
            say(f"         {world.name}: {_duration(world.cost)} with {jobs}, {_basis(world.cost)}")
    largest = max(worlds, key=lambda world: world.memory.total_bytes).memory
    say(
        f"memory   about {written(peak_bytes)}: {_counted(largest.at_once, 'run')} of "
        f"{written(largest.run_bytes)} at a time, and {written(answer)} for the answer"
    )
    say(f"results  {out} (not made by a dry run)")
    return 0


def _foreseen(name: str, request: Request) -> _World:
    plan = request.plan()
    jobs = request.jobs or plan.usual_jobs
    memory = check_memory(plan, jobs=jobs)
    check_disk(memory.load, out=request.folder(plan))
    missing: tuple[str, ...] = ()
    if plan.is_live:
        live = LiveEngine(bindings=Bindings.read(request.impl), logs=request.folder(plan) / LOGS)
        missing = live.missing(run.spec_json for run in plan.supported() if run.repetition == 1)
    runs = sum(1 for _ in plan.supported())
    engine = NativeEngine().showing(plan.study.credentials)
    return _World(name, plan, jobs, runs, memory, estimate_cost(plan, engine, jobs=jobs), missing)


def _summed(costs: "Sequence[Cost]") -> Cost:
    """Give what one after the other cost."""
    return Cost(
        seconds=sum(cost.seconds for cost in costs),
        at_least=any(cost.at_least for cost in costs),
        tried=sum(cost.tried for cost in costs),
        cases=sum(cost.cases for cost in costs),
    )


def _plain(worlds: "Sequence[_World]") -> dict[str, object]:
    return {
        world.name: {
            "runs_to_simulate": world.runs,
            "jobs": world.jobs,
            "estimated_s": round(world.cost.seconds, 1),
        }
        for world in worlds
    }


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _duration(cost: Cost) -> str:
    """Say it as roughly as it is known."""
    relation = "more than" if cost.at_least else "about"
    seconds = max(1, round(cost.seconds))
    minutes, rest = divmod(seconds, 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{relation} {hours} h {minutes_left} min"
    return f"{relation} {minutes} min {rest} s" if minutes else f"{relation} {rest} s"


def _basis(cost: Cost) -> str:
    """Say what was tried for it."""
    if cost.tried == cost.cases:
        return "by a trial of each stack at each point"
    return (
        f"by trials of {cost.tried} of {cost.cases} cases, each stack at its lightest and heaviest"
    )
