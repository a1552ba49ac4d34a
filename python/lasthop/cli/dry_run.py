"""`--dry-run`: what would run, and about how long it would take."""

from typing import TYPE_CHECKING

from lasthop.answer.meanings import meanings
from lasthop.cli.execution import Request
from lasthop.cli.names import say_names
from lasthop.cli.output import say, say_json
from lasthop.results.description import describe_study
from lasthop.running.disk import check_disk
from lasthop.running.engine import NativeEngine
from lasthop.running.memory import answer_bytes, check_memory, written
from lasthop.running.trials import estimate_cost

if TYPE_CHECKING:
    from lasthop.running.trials import Cost


def foresee(request: Request) -> int:
    """Say what a request would run; nothing is written."""
    plan = request.plan()
    jobs = request.jobs or plan.usual_jobs
    memory, answer = check_memory(plan, jobs=jobs), answer_bytes(plan)
    check_disk(memory.load, out=request.folder(plan))
    supported = sum(1 for _ in plan.supported())
    engine = NativeEngine().showing(plan.study.credentials)
    cost = estimate_cost(plan, engine, jobs=jobs)
    study = plan.study
    names = list(meanings(describe_study(study), amounts=True))
    unsupported = {stack.name: stack.reason for stack in study.stacks if not stack.supported}
    if request.as_json:
        say_json(
            {
                "study": study.name,
                "folder": str(request.folder(plan)),
                "selection": str(plan.selection),
                "parts": [{"name": part.name, "points": part.points} for part in study.parts],
                "stacks": [stack.name for stack in study.stacks],
                "names": names,
                "repeat": study.repeat,
                "planned_runs": plan.planned_runs,
                "runs_to_simulate": supported,
                "unsupported": unsupported,
                "jobs": jobs,
                "estimated_s": round(cost.seconds, 1),
                "tried_cases": cost.tried,
                "cases": cost.cases,
                "estimated_peak_bytes": memory.total_bytes + answer,
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
    say(f"runs     {supported} to simulate of {plan.planned_runs} planned, {plan.selection}")
    for name, reason in unsupported.items():
        say(f"         {name}: unsupported, {reason}")
    say(f"time     {_duration(cost)} with {_counted(jobs, 'job')}, {_basis(cost)}")
    at_a_time = _counted(memory.at_once, "run")
    say(
        f"memory   about {written(memory.total_bytes + answer)}: {at_a_time} of "
        f"{written(memory.run_bytes)} at a time, and {written(answer)} for the answer"
    )
    say(f"results  {request.folder(plan)} (not made by a dry run)")
    return 0


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _duration(cost: "Cost") -> str:
    """Say it as roughly as it is known."""
    relation = "more than" if cost.at_least else "about"
    seconds = max(1, round(cost.seconds))
    minutes, rest = divmod(seconds, 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{relation} {hours} h {minutes_left} min"
    return f"{relation} {minutes} min {rest} s" if minutes else f"{relation} {rest} s"


def _basis(cost: "Cost") -> str:
    """Say what was tried for it."""
    if cost.tried == cost.cases:
        return "by a trial of each stack at each point"
    return (
        f"by trials of {cost.tried} of {cost.cases} cases, each stack at its lightest and heaviest"
    )
