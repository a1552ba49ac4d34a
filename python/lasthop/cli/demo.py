"""`lasthop demo`: the first thing to try."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from pathlib import Path

from lasthop.cli import options
from lasthop.cli.shipped import find_study

NAME = "demo"
EXAMPLE = "Example: lasthop demo"
QUESTION = "trackers"
PUBLISHED = "chen-kunz-2016"


def command(
    *,
    out: options.Out = None,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Run two example studies: a decision for a fleet, and a published comparison.

    Each gets a report. With `--json` each prints one line.
    """
    from lasthop.cli.execution import Request, execute
    from lasthop.cli.output import say

    folder = out or Path("results/demo")

    def answer(study: str, *, quick: bool) -> int:
        return execute(
            Request(
                study=find_study(study),
                quick=quick,
                out=folder / study,
                jobs=jobs,
                as_json=as_json,
                quiet=quiet or as_json,
            )
        )

    asked = answer(QUESTION, quick=False)
    if not as_json:
        say(f"\nAnd a comparison that was published, rerun with shorter runs: {PUBLISHED}\n")
    return max(asked, answer(PUBLISHED, quick=True))
