"""From a command line request to results in a folder and an exit code."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import shlex
import sys
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.errors import Interrupted, UsageError
from lasthop.running.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from lasthop.outcome.results import Results
    from lasthop.running.captured_hosts import CapturedHosts
    from lasthop.running.engine import Engine
    from lasthop.running.executor import Executor
    from lasthop.running.on_ray.address import RayAddress
    from lasthop.running.plan import Plan
    from lasthop.study import Study
    from lasthop.study.rules.under_load import Targets


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderLoad:
    """External servers under load, and the user name for them."""

    targets: "Targets"
    user: str | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options of a run on the command line.

    Attributes
    ----------
    study
        The study file.
    out
        The result folder; it follows from the study's name without it.
    engine
        What replaces the engine of the study.
    impl
        The user's own builds, each ``NAME=COMMAND``.
    modelled
        Whether our own servers stand for the real software that stacks name.
    summary
        The file behind which a summary in Markdown is written, if any.
    strict
        Whether a requirement fails that the runs do not show to be met.
    on
        Where the runs are simulated, if not in this process.
    under_load
        Which servers the clients load, if these are somewhere else.
    """

    study: Path
    out: Path | None = None
    overrides: tuple[tuple[str, str], ...] = ()
    seed: int | None = None
    engine: str | None = None
    impl: tuple[str, ...] = ()
    modelled: bool = False
    quick: bool = False
    selection: Selection = field(default_factory=Selection)
    jobs: int | None = None
    on: "RayAddress | None" = None
    under_load: "UnderLoad | None" = None
    capture: "CapturedHosts | None" = None
    report: bool = True
    summary: Path | None = None
    strict: bool = False
    as_json: bool = False
    quiet: bool = False

    def check(self, *, dry_run: bool) -> None:
        """Refuse options that cannot be combined.

        Raises
        ------
        UsageError
            A dry run is of this machine, and packets are kept where it simulates.
        """
        for option, given in (
            ("--dry-run", dry_run),
            ("--capture", self.capture is not None),
            (f"--engine {self.engine}", self.engine in {"live", "both"}),
        ):
            if self.on is not None and given:
                raise UsageError(f"--on and {option} cannot be used together; remove one of them")
        if self.strict and (self.engine == "both" or not self.selection.chooses_all):
            raise UsageError(
                "--strict needs all runs of the study; remove --engine both, --only and --shard"
            )
        if self.engine == "both" and not self.selection.chooses_all:
            raise UsageError("--engine both needs all runs of the study; remove --only and --shard")

    def worlds(self) -> "Mapping[str, Request]":
        """Give the request for each world that it is of: one, or both of a twin."""
        if self.engine != "both":
            return {} if self.engine is None else {self.engine: self}
        from lasthop.running.both_worlds import WORLDS

        return {world: replace(self, engine=world, modelled=world == "virtual") for world in WORLDS}

    def load(self, *, repeat: int | None = None) -> "Study":
        """Load the study, with another number of repetitions if one is given."""
        from lasthop.study import load_study

        repeated = () if repeat is None else (("repeat", str(repeat)),)
        engine = () if self.engine is None else (("engine", self.engine),)
        return load_study(
            self.study,
            overrides=(*self.overrides, *engine, *repeated),
            quick=self.quick,
            seed=self.seed,
            modelled=self.modelled,
            against=None if self.under_load is None else self.under_load.targets,
        )

    def plan(self, *, repeat: int | None = None) -> "Plan":
        """Load the study and choose its runs."""
        study = self.load(repeat=repeat)
        # Imported after the study is known to be good: what cannot be run is refused fast.
        from lasthop.running.plan import Plan

        plan = Plan(study, self.selection)
        if self.impl and not self.modelled and not plan.is_live:
            raise UsageError(
                "--impl starts real software, which runs only with --engine live; add --engine live"
            )
        if self.capture is not None:
            self.capture.check(run.spec_json for run in plan.supported())
        return plan

    def folder(self, plan: "Plan") -> Path:
        """Return the folder of the results."""
        quick = "-quick" if self.quick else ""
        engine = "" if self.engine is None else f"-{self.engine}"
        engine = engine if self.under_load is None else "-load"
        name = f"{plan.study.name}{quick}{engine}{self.selection.suffix}"
        return self.out or Path("results") / name

    def own_engine(self, plan: "Plan") -> "Engine | None":
        """Return the engine for a study that does not name one."""
        if self.under_load is None:
            return None
        from lasthop.running.load_engine import LoadEngine

        engine = LoadEngine(
            user=self.under_load.user,
            password=self.under_load.password,
            targets=self.under_load.targets,
        )
        engine.check(run.spec_json for run in plan.supported())
        return engine

    def summarise(self, results: "Results", before: "Iterable[str]" = ()) -> None:
        """Append the summary in Markdown, if one is requested."""
        if self.summary is not None:
            from lasthop.outcome.job_summary import append_job_summary, job_summary

            append_job_summary((*before, *job_summary(results)), self.summary)

    def is_unserved(self, counts: "Mapping[str, int]") -> bool:
        """Whether the loaded servers refused every client."""
        return self.under_load is not None and counts.keys() <= {"failed", "unsupported"}

    def executor(self) -> "AbstractContextManager[Executor | None]":
        """Return the executor, to be closed at the end; None for threads of this process."""
        if self.on is None:
            return nullcontext()
        from lasthop.running.on_ray.executor import RayExecutor

        return RayExecutor(self.on, jobs=self.jobs)


def execute(request: Request) -> int:
    """Run what is missing, print the answer, write the report and return the exit code."""
    return execute_plan(request, request.plan())


def execute_plan(request: Request, plan: "Plan") -> int:
    """Execute a plan that was made of a request."""
    from lasthop.adapters import Bindings
    from lasthop.cli.notes import say_notes
    from lasthop.cli.progress import TerminalProgress
    from lasthop.running.run import carry_out

    say_notes(plan.study, quiet=request.quiet)
    out = request.folder(plan)
    try:
        with TerminalProgress(quiet=request.quiet) as progress, request.executor() as executor:
            outcome = carry_out(
                plan,
                out=out,
                jobs=request.jobs,
                capture=request.capture,
                progress=progress,
                executor=executor,
                engine=request.own_engine(plan),
                bindings=Bindings.read(request.impl),
            )
    except Interrupted as interruption:
        raise Interrupted(how_to_continue(out)) from interruption
    from lasthop.cli.conclusion import conclude

    request.summarise(outcome.results)
    return conclude(
        outcome.results,
        unserved=request.is_unserved(outcome.counts),
        answered=request.selection.chooses_all,
        already_complete=outcome.already_complete,
        strict=request.strict,
        report=out / "report.html" if request.report and request.selection.chooses_all else None,
        as_json=request.as_json,
    )


def how_to_continue(out: Path) -> str:
    """Describe in one line which runs are kept, and the command that continues."""
    finished = len(list((out / "parts").glob("*.part")))
    command = shlex.join(["lasthop", *sys.argv[1:]])
    return f"interrupted: {finished} finished runs are kept in {out}; to continue: {command}"
