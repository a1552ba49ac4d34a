"""Names that a study gives its stacks and its swept values."""

from collections.abc import Callable

import pytest

from lasthop.results.description import describe_study
from lasthop.study import Study
from lasthop.study.claims.places import read_places
from lasthop.study.init.link import Answers, compose_study

HEAD = "study: a\nduration: 2 min\ntraffic: {report: 40 B, every: 1 s}\nrepeat: 2\n"
LISTED = "stacks: [mqtt qos=1 keep_alive=20min, coap]\n"
NAMED = "stacks: {ours: mqtt  qos=1 keep_alive=20min, plain: coap}\n"

Load = Callable[..., Study]


def test_a_stack_is_called_by_its_name_and_keeps_its_notation(load: Load) -> None:
    named, listed = load(HEAD + NAMED), load(HEAD + LISTED)
    assert [stack.name for stack in named.stacks] == ["ours", "plain"]
    assert [stack.written for stack in named.stacks] == ["mqtt qos=1 keep_alive=20min", "coap"]
    assert [stack.name for stack in listed.stacks] == [stack.written for stack in named.stacks]
    runs = list(named.planned_runs())
    assert {run.stack for run in runs} == {"ours", "plain"}
    assert [run.stack_resolved for run in runs] == [
        run.stack_resolved for run in listed.planned_runs()
    ]


def test_a_name_changes_no_run(load: Load) -> None:
    sweep = "sweep: [{{name: x, path.loss: {}}}]\n"
    named = load(HEAD + NAMED + sweep.format("{good: 1 %, bad: 20 %}"))
    listed = load(HEAD + LISTED + sweep.format("[1 %, 20 %]"))
    ids = [
        [(run.run_id, run.case_id, run.seed) for run in it.planned_runs()] for it in (named, listed)
    ]
    assert ids[0] == ids[1]
    assert named.source_hash != listed.source_hash


@pytest.mark.parametrize(
    ("written", "names"),
    {
        "mqtt qos={0,1}": ["ours qos=0", "ours qos=1"],
        "mqtt qos={1}": ["ours"],
        "{mqtt,coap}": ["ours mqtt", "ours coap"],
        "mqtt qos={0,1} tcp.nodelay={on,off}": [
            "ours qos=0 tcp.nodelay=on",
            "ours qos=0 tcp.nodelay=off",
            "ours qos=1 tcp.nodelay=on",
            "ours qos=1 tcp.nodelay=off",
        ],
        "mqtt {qos=1,qos=1 version=5}": ["ours", "ours version=5"],
    }.items(),
)
def test_alternatives_are_called_by_what_tells_them_apart(
    written: str, names: list[str], load: Load
) -> None:
    study = load(HEAD + f"stacks: {{ours: '{written}', plain: raw_udp}}\n")
    assert [stack.name for stack in study.stacks] == [*names, "plain"]


def test_an_expression_names_a_stack_by_its_name(load: Load) -> None:
    text = "expect: [\"delivery_ratio == 1 where stack == 'ours'\"]\n"
    study = load(HEAD + NAMED + text)
    assert study.expect[0].evaluate({"delivery_ratio": 0.5, "stack": "ours"}) is False
    assert study.expect[0].evaluate({"delivery_ratio": 0.5, "stack": "plain"}) is None


def test_stacks_with_names_may_be_set(load: Load) -> None:
    study = load(HEAD + LISTED, overrides=[("stacks", "{a: raw_udp, b: json_udp}")])
    assert [(stack.name, stack.written) for stack in study.stacks] == [
        ("a", "raw_udp"),
        ("b", "json_udp"),
    ]


def test_the_name_of_a_protocol_is_that_of_its_own_stack(load: Load) -> None:
    study = load(
        HEAD + "stacks: {mqtt: mqtt qos=2, coap (non): coap type=non, https: http/tls/tcp}\n"
    )
    assert [stack.name for stack in study.stacks] == ["mqtt", "coap (non)", "https"]


def test_named_amounts_stay_numbers(load: Load) -> None:
    study = load(HEAD + LISTED + "sweep: [{name: x, path.loss: {bad: 20 %, good: 1 %}}]\n")
    assert [point.parameters for point in study.points] == [{"path_loss": 0.2}, {"path_loss": 0.01}]
    swept = describe_study(study)["parts"][0]["swept"]
    assert swept == [
        {
            "key": "path.loss",
            "column": "path_loss",
            "unit": "fraction",
            "names": [
                {"name": "bad", "value": 0.2, "written": "20 %"},
                {"name": "good", "value": 0.01, "written": "1 %"},
            ],
        }
    ]


def test_named_values_that_are_no_amounts_are_their_names(load: Load) -> None:
    sweep = """\
sweep:
  - {name: air, path.loss: {wifi: {gilbert_elliott: {good: 1 min, bad: 3 s}}, clean: 0 %}}
  - {name: loss, path.loss: [5 %]}
"""
    study = load(HEAD + LISTED + sweep)
    assert [point.parameters["path_loss"] for point in study.points] == ["wifi", "clean", "5 %"]
    air, loss = describe_study(study)["parts"]
    assert air["swept"][0]["names"] == [
        {"name": "wifi", "value": "wifi", "written": "{gilbert_elliott: {good: 1 min, bad: 3 s}}"},
        {"name": "clean", "value": "clean", "written": "0 %"},
    ]
    assert loss["swept"][0]["names"] == []
    condition = "expect: [\"delivery_ratio == 1 where path.loss == 'wifi'\"]\n"
    expectation = load(HEAD + LISTED + sweep + condition).expect[0]
    found = [
        expectation.evaluate({"delivery_ratio": 0.9, **point.parameters}) for point in study.points
    ]
    assert found == [False, None, None]


def test_named_values_make_a_grid_with_listed_ones(load: Load) -> None:
    sweep = "sweep: [{name: x, path.delay: {near: 1 ms, far: 9 ms}, path.loss: [1 %, 2 %]}]\n"
    study = load(HEAD + LISTED + sweep)
    values = [tuple(point.parameters.values()) for point in study.points]
    assert values == [(1.0, 0.01), (1.0, 0.02), (9.0, 0.01), (9.0, 0.02)]
    delay, loss = study.parts[0].swept
    assert [value.name for value in delay.names] == ["near", "far"]
    assert loss.names == ()


def test_a_study_from_answers_may_name_its_stacks(load: Load) -> None:
    text = compose_study(Answers(stacks=("ours: mqtt qos={0,1}", "plain: coap")))
    assert [stack.name for stack in load(text).stacks] == ["ours qos=0", "ours qos=1", "plain"]


@pytest.mark.parametrize(
    ("at", "admitted", "refused"),
    [
        ({"path.loss": "wifi"}, "wifi", "clean"),
        ({"path.loss": "!= wifi"}, "clean", "wifi"),
        ({"path.loss": "5 %"}, 0.05, "wifi"),
        ({"traffic.session": 1000}, 1000, "keep"),
        ({"traffic.session": "keep"}, "keep", 1),
    ],
)
def test_a_claim_finds_a_value_by_its_name(
    at: dict[str, object], admitted: object, refused: object
) -> None:
    (place,) = read_places(at)
    assert place.comparisons[0].admits(admitted)
    assert not place.comparisons[0].admits(refused)
