"""The manifest: read as written, refused when it is not ours."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lasthop.errors import EXIT_ENVIRONMENT, UsageError
from lasthop.results.manifest import Manifest
from lasthop.results.stored import DamagedResultsError


def manifest() -> Manifest:
    return Manifest(
        study={
            "name": "small",
            "parts": [],
            "stacks": [],
            "seed": 1,
            "repeat": 1,
            "expect": [],
        },
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
    "text",
    ["", "{", "[]", "7", '{"format": 1}', '{"format": 1, "what": 2}', "[" * 100_000, '"\\ud800"'],
)
def test_what_is_no_manifest_is_damage(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DamagedResultsError, match="another --out") as refusal:
        Manifest.read(tmp_path)
    assert "\n" not in str(refusal.value)
    assert refusal.value.exit_code == EXIT_ENVIRONMENT


def test_a_manifest_of_a_newer_lasthop_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": 2}')
    with pytest.raises(UsageError, match="update lasthop"):
        Manifest.read(tmp_path)


def test_a_manifest_that_was_changed_is_refused_and_one_without_a_digest_is_read(
    tmp_path: Path,
) -> None:
    manifest().write(tmp_path)
    path = tmp_path / "manifest.json"
    content = json.loads(path.read_text()) | {"planned_runs": 4}
    path.write_text(json.dumps(content))
    with pytest.raises(DamagedResultsError, match=r"manifest\.json: the file was changed"):
        Manifest.read(tmp_path)
    path.write_text(json.dumps({**content, "digest": None}))
    read = Manifest.read(tmp_path)
    assert read is not None
    assert read.planned_runs == 4


def test_host_and_times_are_in_it(tmp_path: Path) -> None:
    manifest().write(tmp_path)
    content = json.loads((tmp_path / "manifest.json").read_text())
    assert {"platform", "python", "cpu_count"} <= content["host"].keys()
    assert content["started"].endswith("+00:00")


SERVED = {"command": None, "version": "2.0.18", "files": {"program": "0"}}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, None),
        ({"version": "2.0.20", "files": {"program": "1"}}, "was version 2.0.18 and is 2.0.20 now"),
        ({"files": {"program": "1"}}, "its program has changed since"),
        ({"files": {"program": "1", "./b": "1", "c": "1"}}, "./b and 1 more of its files have"),
    ],
)
def test_another_version_or_file_is_another_maker(
    change: dict[str, object], why: str | None
) -> None:
    before = replace(manifest(), software={"impl=mosquitto": SERVED})
    now = replace(manifest(), software={"impl=mosquitto": {**SERVED, **change}})
    told = before.why_other(now)
    assert told is None if why is None else why in str(told)
    older = manifest()
    assert older.why_other(now) == "these results do not say which impl=mosquitto served"


def test_software_of_another_shape_is_damage(tmp_path: Path) -> None:
    replace(manifest(), software={"impl=mine": {"version": "1"}}).write(tmp_path)
    with pytest.raises(DamagedResultsError):
        Manifest.read(tmp_path)
