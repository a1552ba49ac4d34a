"""`lasthop demo`: the first thing to try."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for pyarrow)

from pathlib import Path

from lasthop.cli import options
from lasthop.cli.shipped import find_study

NAME = "demo"
EXAMPLE = "Example: lasthop demo"
STUDY = "chen-kunz-2016"


def command(
    *,
    out: options.Out = None,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Rerun a published comparison in a few seconds, and write a report about it."""
    from lasthop.cli.execution import Request, execute

    return execute(
        Request(
            study=find_study(STUDY),
            quick=True,
            out=out or Path("results/demo"),
            jobs=jobs,
            as_json=as_json,
            quiet=quiet or as_json,
        )
    )
