"""The runs of the studies and examples that are shipped are ones that Rust runs."""

from pathlib import Path

import pytest

from lasthop import _native

from .shipped import EVERY_RUN, EXAMPLES, FEWER, ROOT, STUDIES, few_or_all, simulated


@EVERY_RUN
@pytest.mark.parametrize(
    "file", [*EXAMPLES, *STUDIES], ids=lambda file: str(file.relative_to(ROOT))
)
def test_what_is_shipped_is_run_by_rust(file: Path, *, every_run: bool) -> None:
    fewer = FEWER.get(file.parent.name, ())
    planned = simulated(file, overrides=fewer, quick=True).planned_runs()
    runs = few_or_all((run for run in planned if run.supported), every_run=every_run)
    with_rsa = set()
    for run in runs:
        if run.repetition != 1:
            continue
        if "rsa" in run.spec_json:
            # To make its keys takes a hundred times as long as the rest of such a run.
            if run.stack in with_rsa:
                continue
            with_rsa.add(run.stack)
        _native.simulate(run.spec_json, run_id=run.run_id)
