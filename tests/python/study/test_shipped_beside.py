"""What lies beside a study that is shipped, its multiverse included, is what Rust runs."""

from pathlib import Path

import pytest

from lasthop import _native
from lasthop.study import load_study

from .shipped import EVERY_RUN, FEWER, ROOT, few_or_all, simulated

BESIDE = sorted(
    file
    for file in (ROOT / "studies").glob("*/*.yaml")
    if file.name != "study.yaml"
    and not file.name.startswith(("published", "figures", "multiverse"))
)
MULTIVERSES = sorted((ROOT / "studies").glob("*/multiverse*.yaml"))


@pytest.mark.parametrize("file", MULTIVERSES, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_arm_of_a_multiverse_is_one_that_rust_runs(file: Path) -> None:
    study = load_study(file, overrides=[("duration", "1 s"), ("repeat", "1")])
    assert study.multiverse is not None
    for run in study.planned_runs():
        if run.supported:
            _native.simulate(run.spec_json, run_id=run.run_id)


@EVERY_RUN
@pytest.mark.parametrize("file", BESIDE, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_lies_beside_a_study_is_run_by_rust(file: Path, *, every_run: bool) -> None:
    study = load_study(file)
    swept = {parameter.key for part in study.parts for parameter in part.swept}
    short = {"duration": "3 s", "measure.warm_up": "0 s", "measure.drain": "5 s"}
    less = {key: value for key, value in short.items() if key not in swept}
    less |= {"repeat": "1", **dict(FEWER.get(study.name, []))}
    planned = simulated(file, overrides=list(less.items())).planned_runs()
    for run in few_or_all(planned, every_run=every_run):
        if run.supported:
            _native.simulate(run.spec_json, run_id=run.run_id)
        else:  # a stack of a paper that is said not to run
            assert "not built yet" in str(run.reason)
