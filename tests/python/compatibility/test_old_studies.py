"""Studies, claims and run specs of a released version are read as they were then."""

import json
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop import _native
from lasthop.results.manifest import Manifest
from lasthop.study import load_study
from lasthop.study.run_spec import RUN_SPEC_FORMAT

from .kept import STUDIES, Kept, versions

CASES = [
    pytest.param(kept, name, id=f"{kept.version}-{name}") for kept in versions() for name in STUDIES
]
SPECS = [
    pytest.param(file, id=f"{kept.version}-{file.stem}")
    for kept in versions()
    for file in kept.run_specs
]


def test_files_of_a_version_are_kept() -> None:
    assert next(iter(versions())).version == "0.2.0"
    assert len(SPECS) == 6


@pytest.mark.parametrize(("kept", "name"), CASES)
def test_a_study_is_planned_without_a_note(kept: Kept, name: str) -> None:
    study = load_study(kept.study(name))
    manifest = Manifest.read(kept.results(name))
    assert manifest is not None
    assert study.notes == ()
    assert len({run.run_id for run in study.planned_runs()}) == manifest.planned_runs
    assert [it["name"] for it in manifest.study["stacks"]] == [it.name for it in study.stacks]


@pytest.mark.parametrize(("kept", "name"), CASES)
def test_a_study_is_run_and_its_tables_keep_their_columns(
    kept: Kept, name: str, tmp_path: Path
) -> None:
    now = lasthop.run(kept.study(name), out=tmp_path / "now")
    then = lasthop.Results(kept.results(name))
    assert set(now.runs["status"]) == {"completed"}
    for table in ("runs", "messages", "ledger", "packets", "latency", "groups", "bills", "sims"):
        old, new = getattr(then, table).schema, getattr(now, table).schema
        assert {column: new.get(column) for column in old} == dict(old), table
    assert [it.id for it in now.judgements] == [it.id for it in then.judgements]


@pytest.mark.parametrize("file", SPECS)
def test_a_run_spec_is_run_or_refused_by_its_format(file: Path) -> None:
    spec = json.loads(file.read_text(encoding="utf-8"))
    if spec["format"] != RUN_SPEC_FORMAT:
        with pytest.raises(ValueError, match="format"):
            _native.simulate(json.dumps(spec), run_id="0" * 16)
        return
    summary = _native.simulate(json.dumps(spec), run_id="0" * 16).summary
    assert pl.read_ipc_stream(summary)["status"].to_list() == ["completed"]


@pytest.mark.parametrize("key", ["groups", "format"])
def test_a_run_spec_whose_keys_changed_needs_another_format(key: str) -> None:
    spec = json.loads(versions()[0].run_specs[0].read_text(encoding="utf-8"))
    del spec[key]
    with pytest.raises(ValueError, match=key):
        _native.simulate(json.dumps(spec), run_id="0" * 16)
