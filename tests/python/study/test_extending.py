"""A study extends another one: mappings are merged, lists replaced, places stay where they are."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study

Load = Callable[..., Study]

BASE = """\
study: base
title: The base
duration: 10 min
path: {loss: 1 %, delay: {around: 20 ms, spread: 20 %}}
traffic: {report: 40 B, every: 1 s}
stacks: [raw_udp, coap]
sweep: [{name: loss, path.loss: [1 %, 2 %]}]
repeat: 3
"""


@pytest.fixture
def base(load: Load) -> Path:
    del load  # changes into the folder of the studies
    Path("base.yaml").write_text(BASE, encoding="utf-8")
    return Path("base.yaml")


def refusal(load: Load, text: str) -> str:
    with pytest.raises(StudyError) as caught:
        load(text)
    assert caught.value.exit_code == 2
    return str(caught.value)


@pytest.mark.usefixtures("base")
@pytest.mark.parametrize("name", ["base", "base.yaml"])
def test_a_study_says_what_differs(name: str, load: Load) -> None:
    study = load(f"study: other\nextends: {name}\npath: {{delay: {{spread: 50 %}}}}\nrepeat: 1\n")
    assert (study.name, study.title, study.repeat) == ("other", None, 1)
    spec = json.loads(next(study.planned_runs()).spec_json)
    link = spec["paths"]["path"]["hops"][0]["link"]["up"]
    assert link["loss"] == {"bernoulli": {"probability": 0.01}}
    assert link["delay"]["model"] == {"uniform": {"from_ns": 10**7, "to_ns": 3 * 10**7}}


@pytest.mark.usefixtures("base")
def test_lists_are_replaced(load: Load) -> None:
    study = load("study: other\nextends: base\nstacks: [json_udp]\nsweep: [{name: once}]\n")
    assert [stack.name for stack in study.stacks] == ["json_udp"]
    assert [part.name for part in study.parts] == ["once"]


@pytest.mark.usefixtures("base")
def test_a_study_that_changes_nothing_has_the_runs_of_the_other(load: Load) -> None:
    runs = {run.run_id for run in load("study: other\nextends: base\n").planned_runs()}
    assert runs == {run.run_id for run in load(BASE).planned_runs()}


@pytest.mark.usefixtures("base")
def test_studies_may_extend_in_a_chain(load: Load) -> None:
    middle = "study: middle\nextends: base\ntraffic: {every: 2 s}\npath: {loss: 5 %}\n"
    Path("middle.yaml").write_text(middle, encoding="utf-8")
    study = load("study: other\nextends: middle\npath: {loss: 7 %}\nsweep: [{name: once}]\n")
    spec = json.loads(next(study.planned_runs()).spec_json)
    assert spec["flows"][0]["arrivals"] == {"periodic": {"every_ns": 2 * 10**9}}
    link = spec["paths"]["path"]["hops"][0]["link"]
    assert link["down"]["loss"] == {"bernoulli": {"probability": 0.07}}


@pytest.mark.usefixtures("base")
def test_overrides_come_last(load: Load) -> None:
    study = load(
        "study: other\nextends: base\ntraffic: {every: 2 s}\n", overrides=[("traffic.every", "4 s")]
    )
    spec = json.loads(next(study.planned_runs()).spec_json)
    assert spec["flows"][0]["arrivals"] == {"periodic": {"every_ns": 4 * 10**9}}
    assert study.changes == ("traffic.every=4 s",)


@pytest.mark.usefixtures("base")
def test_a_long_study_extends_a_long_one(load: Load) -> None:
    fleet = (
        "study: fleet\nduration: 1 min\nstacks: [coap]\n"
        "fleet: {meters: {count: 5}, alarms: {count: 1, path: home}}\n"
        "paths: {cell: [{delay: 1 ms}, {nat: {udp: 30 s}}], home: {loss: 1 %}}\n"
        "traffic: {index: {from: meters, report: 40 B, every: 1 s},"
        " ring: {from: alarms, report: 9 B, every: 5 s}}\n"
    )
    fleet = fleet.replace("meters: {count: 5}", "meters: {count: 5, path: cell}")
    Path("fleet.yaml").write_text(fleet, encoding="utf-8")
    study = load("study: more\nextends: fleet\nfleet: {meters: {count: 50}}\n")
    groups = json.loads(next(study.planned_runs()).spec_json)["groups"]
    assert {group["name"]: group["population"]["staying"]["devices"] for group in groups} == {
        "meters": 50,
        "alarms": 1,
    }


def test_a_study_that_comes_with_lasthop_may_be_extended(load: Load) -> None:
    study = load("study: my-trackers\nextends: trackers\npath: {loss: 3 %}\n")
    assert next(stack.name for stack in study.stacks) == "mqtt qos=1"
    spec = json.loads(next(study.planned_runs()).spec_json)
    link = spec["paths"]["path"]["hops"][0]["link"]
    assert link["up"]["loss"] == {"bernoulli": {"probability": 0.03}}


def test_a_study_beside_comes_before_one_that_comes_with_lasthop(load: Load) -> None:
    Path("trackers.yaml").write_text(BASE, encoding="utf-8")
    assert len(load("study: other\nextends: trackers\n").stacks) == 2


@pytest.mark.usefixtures("base")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "study: other\nextends: bas\n",
            'study.yaml:2:10: extends: there is no study "bas"; did you mean "base"?',
        ),
        (
            "study: other\nextends: bases.yaml\n",
            (
                'study.yaml:2:10: extends: there is no file "bases.yaml" in the '
                'folder of the study; did you mean "base.yaml"?'
            ),
        ),
        (
            "study: other\nextends: ../base.yaml\n",
            (
                'study.yaml:2:10: extends: the file "../base.yaml" is outside the folder '
                "of the study; move it into the folder of the study, and write its name"
            ),
        ),
        (
            "study: other\nextends: study\n",
            'study.yaml:2:10: extends: the study extends itself; remove "extends" in one of them',
        ),
        (
            "study: other\nextends: [base]\n",
            (
                "study.yaml:2:10: extends: a list is not the name of a study file; write "
                '"extends: base.yaml"'
            ),
        ),
        (
            "extends: base\n",
            'study.yaml:1:1: the key "study" is missing; write "study: meters"',
        ),
        (
            "study: other\nextends: base\npath: {loss: 5}\n",
            'study.yaml:3:14: path.loss: "5" has no unit; write "5 %"',
        ),
        (
            "study: other\nextends: base\npath: {los: 5 %}\n",
            'study.yaml:3:8: path.los: unknown key "los"; did you mean "loss"?',
        ),
    ],
)
def test_what_cannot_be_extended_is_refused(text: str, message: str, load: Load) -> None:
    assert refusal(load, text) == message


def test_a_circle_is_refused_where_it_closes(load: Load) -> None:
    Path("a.yaml").write_text("study: a\nextends: b\n", encoding="utf-8")
    Path("b.yaml").write_text("study: b\nextends: a\n", encoding="utf-8")
    assert refusal(load, "study: other\nextends: a\n") == (
        "b.yaml:2:10: extends: the studies extend each other in a circle: a.yaml extends "
        'b.yaml extends a.yaml; remove "extends" in one of them'
    )


def test_a_fault_of_the_other_study_is_told_there(load: Load) -> None:
    Path("base.yaml").write_text(BASE.replace("40 B", "40"), encoding="utf-8")
    text = "study: other\nextends: base\npath: {loss: 2 %}\n"
    assert refusal(load, text) == 'base.yaml:5:19: traffic.report: "40" has no unit; write "40 B"'


def test_of_a_file_that_is_no_study_nothing_is_shown(load: Load) -> None:
    Path("secret.yaml").write_text("password: hunter2\n", encoding="utf-8")
    assert refusal(load, "study: other\nextends: secret\n") == (
        'study.yaml:2:10: extends: "secret.yaml" is not a study; write the name of a study '
        "in the same folder"
    )
