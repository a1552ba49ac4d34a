"""The manifest: read as written, refused when it is not ours."""

import json
from pathlib import Path

import pytest

from lasthop.errors import UsageError
from lasthop.results.manifest import Manifest


def manifest() -> Manifest:
    return Manifest(
        study={"name": "small"},
        study_hash="0",
        plan_hash="1",
        selection=None,
        planned_runs=3,
        seeds={"study": 1},
        command="lasthop run small.yaml",
    ).begun()


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = manifest().ended("complete", {"completed": 3})
    written.write(tmp_path)
    assert Manifest.read(tmp_path) == written


def test_there_may_be_none(tmp_path: Path) -> None:
    assert Manifest.read(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"format": 1}', '{"format": 1, "what": 2}', '{"format": 2}']
)
def test_what_is_no_manifest_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(UsageError, match="choose another --out") as refusal:
        Manifest.read(tmp_path)
    assert "\n" not in str(refusal.value)


def test_host_and_times_are_in_it(tmp_path: Path) -> None:
    manifest().write(tmp_path)
    content = json.loads((tmp_path / "manifest.json").read_text())
    assert {"platform", "python", "cpu_count"} <= content["host"].keys()
    assert content["started"].endswith("+00:00")
