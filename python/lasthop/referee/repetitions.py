"""Finds repetitions with different seeds but identical packets and times."""

from collections.abc import Iterable

from lasthop.referee.randomness import chance_acted
from lasthop.referee.row import RunRow
from lasthop.study.run_spec import RunSpecReader


def repeated_runs(runs: Iterable[RunRow], spec: RunSpecReader) -> list[list[RunRow]]:
    """Group the repetitions of one case that have equal traces despite random effects.

    Parameters
    ----------
    runs
        The repetitions.
    spec
        The run spec of one of them.
    """
    traces: dict[str, list[RunRow]] = {}
    for run in runs:
        if run.trace_hash is not None:
            traces.setdefault(run.trace_hash, []).append(run)
    return [group for group in traces.values() if len(group) > 1 and chance_acted(group[0], spec)]
