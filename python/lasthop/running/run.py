"""Runs a study file and returns its results."""

import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.adapters import Bindings
from lasthop.errors import UsageError, one_line
from lasthop.outcome.junit import write_junit
from lasthop.outcome.results import Results
from lasthop.referee.rule import rule
from lasthop.results.build import working_copy
from lasthop.results.description import describe_study
from lasthop.results.folder import open_folder
from lasthop.results.manifest import Manifest
from lasthop.results.stored import DamagedResultsError
from lasthop.results.verification import GONE
from lasthop.running.campaign import Campaign
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.disk import check_disk
from lasthop.running.engine import Engine, NativeEngine
from lasthop.running.executor import Executor
from lasthop.running.judging import judge_and_close
from lasthop.running.live_engine import LOGS, LiveEngine
from lasthop.running.local import LocalExecutor
from lasthop.running.memory import check_memory
from lasthop.running.plan import Plan
from lasthop.running.progress import Progress, Silence
from lasthop.sockets import require_sockets
from lasthop.study import load_study
from lasthop.study.rules.under_load import LOAD

USER = "--user"
"""Name of the command-line option that is followed by a password."""

if TYPE_CHECKING:
    from os import PathLike

    from lasthop.adapters.build import Build
    from lasthop.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of a campaign: its results, counts and state.

    Attributes
    ----------
    results
        What is in the folder now.
    counts
        How many runs there are of each status, each run counted once.
    already_complete
        Whether there was nothing left to do.
    """

    results: Results
    counts: Mapping[str, int]
    already_complete: bool


def run(  # noqa: PLR0913  (each is a keyword and has a default)
    study: "str | PathLike[str]",
    *,
    out: "str | PathLike[str] | None" = None,
    seed: int | None = None,
    jobs: int | None = None,
    set: Mapping[str, str] | None = None,  # noqa: A002  (as the option of the command)
    quick: bool = False,
) -> Results:
    """Run every case of a study and return its results.

    Parameters
    ----------
    study
        The study file.
    out
        The result folder; what is finished in it is not done again. Without it the results
        live as long as the returned object.
    seed
        Replaces the study's seed.
    jobs
        How many runs at a time; every processor is used without it. It changes no result.
    set
        Settings to replace, as `--set` does: `{"path.loss": "5 %"}`.
    quick
        Fewer and shorter runs, to see whether a study works.

    Examples
    --------
    >>> import lasthop
    >>> results = lasthop.run("examples/poisson-ipv6.yaml", quick=True)
    >>> results.runs["status"].unique().to_list()
    ['completed']
    """
    overrides = tuple((set or {}).items())
    plan = Plan(load_study(Path(study), overrides=overrides, quick=quick, seed=seed))
    if out is not None:
        return carry_out(plan, out=Path(out), jobs=jobs).results
    temporary = Path(tempfile.mkdtemp(prefix="lasthop-"))
    try:
        results = carry_out(plan, out=temporary / plan.study.name, jobs=jobs).results
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    results.own(temporary)
    return results


def carry_out(  # noqa: PLR0913  (each is a keyword and most have a default)
    plan: Plan,
    *,
    out: Path,
    jobs: int | None = None,
    capture: CapturedHosts | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
    executor: Executor | None = None,
    bindings: Bindings | None = None,
    extends: str | None = None,
    looks: int = 1,
) -> Outcome:
    """Execute a plan, or its unfinished runs, into a result folder.

    Parameters
    ----------
    plan
        What to run.
    out
        The result folder.
    jobs
        How many runs at a time; without it one for each processor, beside real software two.
    capture
        The hosts whose packets are kept, if any.
    progress
        Who watches.
    engine
        What executes a run here.
    executor
        Who executes the runs; without it threads of this process, `jobs` of them. It says itself
        how many run at a time, and keeps no packets.
    bindings
        The user's own builds of real software.
    extends
        The identity of a smaller plan, results of which the folder may hold: they are kept.
    looks
        How often the question is asked of the folder while it grows; its answer allows for it.

    Raises
    ------
    UsageError
        The folder holds other results, or a run needs more memory or disk than there is.
    EnvironmentFailure
        The folder cannot be written, or another runner holds it.
    Interrupted
        A signal came; what was finished is kept.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs: {jobs} is too small; write 1 or more")
    progress = progress or Silence()
    if executor is None:
        jobs = jobs or plan.usual_jobs
        check_disk(check_memory(plan, jobs=jobs).load, out=out)
        engine = engine or _engine(plan, bindings or Bindings(), out)
        executor = LocalExecutor(engine, jobs=jobs, capture=capture)
    served = engine.builds if isinstance(engine, LiveEngine) else {}
    with open_folder(out, announce(plan, served, looks=looks), extends=extends) as folder:
        if folder.why_again is not None:
            progress.all_again(str(out), folder.why_again)
        for name in folder.gone:
            if LOAD in plan.engines:  # nobody knows which server would answer now
                raise DamagedResultsError(out / name, GONE)
            progress.made_again(str(out / name))
        campaign = Campaign(
            plan,
            folder,
            executor=executor,
            capture=capture,
            progress=progress,
        )
        complete = folder.complete
        if not complete:
            counts = campaign.execute()
        else:
            _check_finished(plan, out, lacks_captures=campaign.lacks_captures)
            # The runs are the same, but the study may by now take another view of them.
            counts = rule(folder, folder.manifest.counts)
            judge_and_close(folder, replace(folder.manifest, counts=dict(counts)), progress)
            if capture is not None:
                campaign.capture_missing()
        results = Results(out)
        write_junit(results)
    return Outcome(results=results, counts=counts, already_complete=complete)


def _check_finished(plan: Plan, out: Path, *, lacks_captures: bool) -> None:
    """Refuse to reuse finished results that cannot be repeated or lack captures.

    Raises
    ------
    UsageError
        Another server may answer by now, or packets are asked for that nobody kept.
    """
    if LOAD in plan.engines:
        what = (
            f"{out}: it has the results of a finished load, and these cannot be "
            "repeated or continued"
        )
        raise UsageError(f"{what}; choose another --out, or remove the folder")
    if lacks_captures and plan.engines - {"virtual"}:
        what = f"--capture: the runs in {out} are finished, and their packets were not kept"
        raise UsageError(
            f"{what}; choose another --out, because a run in real time cannot be repeated exactly"
        )


def _engine(plan: Plan, bindings: Bindings, out: Path) -> Engine:
    """Return the engine of a plan. Missing real software is reported before the first run."""
    for name in sorted(plan.engines - {"virtual"}):
        require_sockets(f"engine: {name}")
    if not plan.is_live:
        return NativeEngine().showing(plan.study.credentials)
    study = plan.study
    engine = LiveEngine(
        bindings=bindings,
        logs=out / LOGS,
        credentials=study.credentials,
        processor_wait_ns=study.measure.processor_wait,
    )
    engine.check(run.spec_json for run in plan.supported())
    return engine


def announce(
    plan: Plan, served: "Mapping[str, Build] | None" = None, *, looks: int = 1
) -> Manifest:
    """Return the manifest of a folder for the plan and the server software.

    That is part of what the folder is: with another program its results would be others.
    """
    study: Study = plan.study
    selection = plan.selection
    return Manifest(
        study={**describe_study(study), "looks": looks},
        study_hash=study.source_hash,
        plan_hash=plan.identity,
        selection=None if selection.chooses_all else str(selection),
        planned_runs=plan.planned_runs,
        seeds={"study": study.seed, **plan.seeds},
        working_copy=working_copy(),
        software={name: build.as_json() for name, build in (served or {}).items()},
        command=one_line(shlex.join([Path(sys.argv[0]).name or "python", *_shown(sys.argv[1:])])),
    )


def _shown(arguments: Sequence[str]) -> Iterator[str]:
    """Yield command-line arguments with passwords removed, because results are shared."""
    is_user = False
    for argument in arguments:
        option, equals, value = argument.partition("=")
        if is_user:
            yield _without_password(argument)
        elif option == USER and equals:
            yield f"{option}={_without_password(value)}"
        else:
            yield argument
        is_user = argument == USER


def _without_password(user: str) -> str:
    return f"{user.partition(':')[0]}:..."
