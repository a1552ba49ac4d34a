"""How far each setting moves the aim."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest

from lasthop.answer.decision import decide
from lasthop.answer.settings import Setting, settings_that_matter
from lasthop.study.stacks.notation import parse_stack

SPREAD = (0.9, 0.95, 1.0, 1.05, 1.1)
LOSSES = (0.0, 0.1)
NAMES = {"ours": "mqtt qos=0", "theirs": "mqtt qos=1"}


def settings(
    medians: Mapping[str, Sequence[float | None]], **asked: object
) -> dict[tuple[str, str], Setting]:
    """Judge stacks with a median at each of two losses, spread over five repetitions."""
    question = {"minimise": "latency_p50", "maximise": None, "smallest_effect": 0.05}
    study: dict[str, Any] = {
        "name": "made-up",
        "decide": {**question, "require": [], "part": None, **asked},
        "parts": [
            {
                "name": "loss",
                "swept": [{"key": "path.loss", "column": "path_loss", "unit": "fraction"}],
            }
        ],
        "stacks": [
            {"name": name, "resolved": parse_stack(NAMES.get(name, name)).resolved}
            for name in medians
        ],
    }
    rows = [
        {
            "part": "loss",
            "stack": stack,
            "seed": seed,
            "status": "completed",
            "reason": None,
            "latency_p50_ms": None if median is None else median * SPREAD[seed],
            "path_loss": LOSSES[place],
        }
        for stack, values in medians.items()
        for place, median in enumerate(values)
        for seed in range(5)
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    found = settings_that_matter(table, study, decide(table, study).objective)
    assert [entry.movement.mean for entry in found] == sorted(
        (entry.movement.mean for entry in found), reverse=True
    )
    return {(entry.subject, entry.name): entry for entry in found}


def test_an_option_moves_the_aim_by_the_mean_ratio_over_all_else() -> None:
    found = settings(
        {
            "mqtt qos=0": [100, 200],
            "mqtt qos=1": [200, 400],
            "mqtt qos=0 tcp.nodelay=off": [100, 200],
            "mqtt qos=1 tcp.nodelay=off": [200, 1600],
        }
    )
    qos = found["mqtt", "qos"]
    assert (qos.best, qos.worst, qos.cases, qos.beyond) == ("0", "1", 4, 0)
    assert qos.movement.mean == pytest.approx((2 * 2 * 2 * 8) ** (1 / 4) - 1)
    nodelay = found["mqtt", "tcp.nodelay"]
    assert (nodelay.best, nodelay.worst) == ("on", "off")
    assert nodelay.movement.mean == pytest.approx(4 ** (1 / 4) - 1)
    loss = found["path", "loss"]
    assert loss.movement.mean == pytest.approx((2 * 2 * 2 * 8) ** (1 / 4) - 1)
    assert loss.cases == 4


def test_the_two_values_with_the_largest_movement_are_named() -> None:
    found = settings({f"mqtt qos={qos}": [100.0 + 50 * qos] * 2 for qos in (0, 1, 2)})
    qos = found["mqtt", "qos"]
    assert (qos.best, qos.worst) == ("0", "2")
    assert qos.movement.mean == pytest.approx(1.0)
    assert qos.movement.low == pytest.approx(0.951, abs=1e-3)  # equal values have 2 % of spread


def test_an_option_that_means_something_with_one_value_only_does_not_hide_the_other() -> None:
    found = settings({"coap type=con nstart=4": [200, 200], "coap type=non": [100, 100]})
    kind = found["coap", "type"]
    assert (kind.best, kind.worst) == ("non", "con")
    assert ("coap", "nstart") not in found


def test_stacks_of_two_protocols_or_two_options_apart_are_not_compared() -> None:
    found = settings({"mqtt qos=0": [1, 2], "coap": [3, 4], "mqtt qos=1 tcp.nodelay=off": [5, 6]})
    assert set(found) == {("path", "loss")}


def test_what_is_not_reached_is_counted_and_does_not_enter_the_ratio() -> None:
    found = settings({"mqtt qos=0": [100, None], "mqtt qos=1": [150, 150]})
    qos = found["mqtt", "qos"]
    assert qos.movement.mean == pytest.approx(0.5)
    assert (qos.cases, qos.beyond) == (1, 1)
    loss = found["path", "loss"]
    assert loss.movement.mean == pytest.approx(0.0)
    assert (loss.cases, loss.beyond) == (1, 1)


def test_a_value_that_is_never_reached_comes_first() -> None:
    found = settings({"mqtt qos=0": [100, None]})
    loss = found["path", "loss"]
    assert loss.movement.mean == float("inf")
    assert (loss.best, loss.worst, loss.cases) == (
        "0\N{NO-BREAK SPACE}%",
        "10\N{NO-BREAK SPACE}%",
        0,
    )


def test_the_smaller_is_worse_where_the_study_maximises() -> None:
    found = settings(
        {"mqtt qos=0": [100, 100], "mqtt qos=1": [50, 50]}, minimise=None, maximise="latency_p50"
    )
    qos = found["mqtt", "qos"]
    assert (qos.best, qos.worst) == ("0", "1")
    assert qos.movement.mean == pytest.approx(0.5)


def test_without_an_aim_there_is_nothing_to_move() -> None:
    assert settings({"mqtt qos=0": [1, 2], "mqtt qos=1": [3, 4]}, minimise=None) == {}


def test_stacks_with_names_are_told_apart_by_their_options() -> None:
    named = settings({"ours": [100, 200], "theirs": [200, 400]})
    assert named == settings({"mqtt qos=0": [100, 200], "mqtt qos=1": [200, 400]})
    assert ("mqtt", "qos") in named
