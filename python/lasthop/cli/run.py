"""`lasthop run`: every run of a study, the answer, the report."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from pathlib import Path
from typing import Annotated

import typer

from lasthop.cli import capture_option, options
from lasthop.cli.shipped import find_study

NAME = "run"
CLASS = capture_option.CommandWithCapture
EXAMPLE = 'Example: lasthop run study.yaml --jobs 4 --set "path.loss=5 %"'


def command(  # noqa: PLR0913  (an argument is an option)
    study: Annotated[
        str,
        typer.Argument(metavar="STUDY", help="Study file, or a name that lasthop studies lists."),
    ],
    *,
    out: options.Out = None,
    seed: options.Seed = None,
    jobs: options.Jobs = None,
    on: options.On = None,
    engine: options.EngineName = None,
    impl: options.Impl = None,
    shard: options.Shard = None,
    only: options.Only = None,
    set_: options.Set = None,
    dry_run: options.DryRun = False,
    capture: capture_option.Capture = None,
    keys: capture_option.Keys = False,
    quick: options.Quick = False,
    strict: options.Strict = False,
    until_decided: options.UntilDecided = False,
    at_most: options.AtMost = None,
    summary: options.Summary = None,
    as_json: options.Json = False,
    no_report: options.NoReport = False,
    quiet: options.Quiet = False,
) -> int:
    """Run a study, print the answer and write the report.

    Run the same command again to continue after an interruption; finished runs are kept.
    """
    from lasthop.cli.execution import Request, execute
    from lasthop.running.on_ray.address import RayAddress
    from lasthop.running.selection import Selection

    request = Request(
        study=find_study(study),
        overrides=options.read_overrides(set_),
        engine=options.check_engine(engine),
        impl=tuple(impl or ()),
        seed=seed,
        quick=quick,
        selection=Selection.parse(shard=shard, only=tuple(only or ())),
        out=None if out is None else Path(out),
        jobs=jobs,
        on=None if on is None else RayAddress.parse(on),
        capture=capture_option.read(capture, keys=keys),
        report=not no_report,
        summary=summary,
        strict=strict,
        as_json=as_json,
        quiet=quiet or as_json,
    )
    request.check(dry_run=dry_run)
    if until_decided or at_most is not None:
        from lasthop.cli.until_decided import check

        check(request, until_decided=until_decided, dry_run=dry_run)
    if dry_run:
        from lasthop.cli.dry_run import foresee

        return foresee(request)
    if request.engine == "both":
        from lasthop.cli.twin import execute_both

        return execute_both(request, until_decided=until_decided, at_most=at_most)
    if until_decided:
        from lasthop.cli.until_decided import execute_until_decided

        return execute_until_decided(request, at_most=at_most)
    return execute(request)
