"""How far each setting moves the aim."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest

from lasthop.answer.decision import decide
from lasthop.answer.ranking import Objective
from lasthop.answer.setting_words import remark
from lasthop.answer.settings import Setting, settings_that_matter
from lasthop.measures import column_of
from lasthop.study.stacks.notation import parse_stack

SPREAD = (0.9, 0.95, 1.0, 1.05, 1.1)
LOSSES = (0.0, 0.1)
NAMES = {"ours": "mqtt qos=0", "theirs": "mqtt qos=1"}


Key = tuple[str, str] | tuple[str, str, str]


def settings(
    medians: Mapping[str, Sequence[float | None]],
    **asked: Any,  # noqa: ANN401  (as in `in_order`)
) -> dict[Key, Setting]:
    """Judge stacks with a median at each of two losses, spread over five repetitions.

    A swept key has a row for each stack, by whose name it is found.
    """
    return {
        (it.subject, it.name) if it.stack is None else (it.subject, it.name, it.stack): it
        for it in in_order(medians, **asked)
    }


def in_order(
    medians: Mapping[str, Sequence[float | None]],
    *,
    noise: Mapping[str, Sequence[float]] | None = None,
    decided: bool = False,
    repetitions: int = 5,
    **asked: object,
) -> tuple[Setting, ...]:
    """Give all settings in their order; with noise of its own a stack varies by other factors."""
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
            "run_id": f"{stack} {place} {seed}",
            "seed": seed,
            "status": "completed",
            "reason": None,
            "latency_p50_ms": None
            if median is None
            else median * (noise or {}).get(stack, SPREAD)[(seed + 2 * place) % 5],
            "path_loss": LOSSES[place],
        }
        for stack, values in medians.items()
        for place, median in enumerate(values)
        for seed in range(repetitions)
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    decision = decide(table, study)
    decisions = [decision] if decided else []
    found = settings_that_matter(table, study, decision.objective, decisions)
    order = [(not entry.changed, -entry.movement.mean) for entry in found]
    assert order == sorted(order)
    return found


def found_stacks(found: Mapping[Key, Setting]) -> list[str]:
    """Name the stacks of the rows of swept keys, in their order."""
    return [it.stack for it in found.values() if it.stack is not None]


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
    losses = {name: found["path", "loss", name] for name in found_stacks(found)}
    assert [it.movement.mean for it in losses.values()] == pytest.approx([7.0, 1.0, 1.0, 1.0])
    assert {it.cases for it in losses.values()} == {1}


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
    assert {key[:2] for key in found} == {("path", "loss")}
    assert len(found) == 3


def test_what_is_not_reached_is_counted_and_does_not_enter_the_ratio() -> None:
    found = settings({"mqtt qos=0": [100, None], "mqtt qos=1": [150, 150]})
    qos = found["mqtt", "qos"]
    assert qos.movement.mean == pytest.approx(0.5)
    assert (qos.cases, qos.beyond) == (1, 1)
    never, once = (found["path", "loss", f"mqtt qos={qos}"] for qos in (0, 1))
    assert (never.movement.mean, never.cases, never.beyond) == (float("inf"), 0, 1)
    assert once.movement.mean == pytest.approx(0.0)
    assert (once.cases, once.beyond) == (1, 0)


def test_a_value_that_is_never_reached_comes_first() -> None:
    found = settings({"mqtt qos=0": [100, None]})
    loss = found["path", "loss", "mqtt qos=0"]
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
    plain = settings({"mqtt qos=0": [100, 200], "mqtt qos=1": [200, 400]})
    qos, of_plain = named["mqtt", "qos"], plain["mqtt", "qos"]
    assert qos == of_plain
    assert found_stacks(named) == ["ours", "theirs"]


def test_each_stack_has_a_row_of_its_own_and_none_that_is_true_of_no_stack() -> None:
    """What is pooled over 2, 4 and 40 times would be 6.8 times, which is none of them."""
    found = settings({"coap": [100, 200], "mqtt qos=0": [100, 400], "raw_udp": [100, 4000]})
    moved = {name: found["path", "loss", name].movement.mean + 1 for name in found_stacks(found)}
    assert moved == pytest.approx({"raw_udp": 40, "mqtt qos=0": 4, "coap": 2})
    assert list(moved) == ["raw_udp", "mqtt qos=0", "coap"]
    assert all(found["path", "loss", name].interaction < 0.001 for name in moved)  # type: ignore[operator]


NOISE = {"coap": (1.0, 1.1, 0.9, 1.05, 0.95), "raw_udp": (0.93, 1.02, 1.1, 0.9, 1.06)}


def test_stacks_that_move_alike_show_no_interaction() -> None:
    found = in_order({"coap": [100, 200], "raw_udp": [300, 612]}, noise=NOISE)
    assert len({it.interaction for it in found}) == 1
    assert found[0].interaction is not None
    assert found[0].interaction > 0.3
    told = remark(found[0], objective())
    assert told.startswith("stacks may not differ (p = 0.")


def test_the_interaction_is_that_of_the_paired_t_test() -> None:
    """Student's t of the differences of log ratios, four degrees of freedom, two-sided."""
    found = in_order({"coap": [100, 200], "raw_udp": [300, 750]}, noise=NOISE)
    logs = {
        stack: [math.log(NOISE[stack][(seed + 2) % 5] / NOISE[stack][seed]) for seed in range(5)]
        for stack in NOISE
    }
    apart = [
        math.log(2.5 / 2) + udp - coap
        for coap, udp in zip(logs["coap"], logs["raw_udp"], strict=True)
    ]
    mean = math.fsum(apart) / 5
    deviation = math.sqrt(math.fsum((it - mean) ** 2 for it in apart) / 4)
    t = mean / (deviation / math.sqrt(5))
    assert found[0].interaction == pytest.approx(2 * tail_of_t4(t), rel=1e-6)


def tail_of_t4(t: float) -> float:
    """Give the probability above t of Student's distribution with four degrees of freedom."""
    x = t / math.sqrt(4 + t * t)
    return 0.5 - (3 * x - x**3) / 4


def test_of_one_stack_or_one_repetition_there_is_no_interaction() -> None:
    assert {it.interaction for it in in_order({"coap": [100, 200]})} == {None}
    single = in_order({"coap": [100, 200], "raw_udp": [100, 400]}, repetitions=1)
    assert {it.interaction for it in single} == {None}


def test_what_changes_a_verdict_comes_before_what_moves_the_aim_farther() -> None:
    """The first two change places; the third is behind at both losses, and moves farthest."""
    medians = {"coap": [100, 220], "raw_udp": [150, 160], "mqtt qos=0": [900, 9000]}
    found = in_order(medians, decided=True)
    assert [it.stack for it in found] == ["coap", "raw_udp", "mqtt qos=0"]
    assert [it.changed for it in found] == [True, True, False]
    assert remark(found[0], objective()).startswith("changes the verdict; stacks differ (p ")
    undecided = in_order(medians)
    assert [it.stack for it in undecided] == ["mqtt qos=0", "coap", "raw_udp"]


def test_who_meets_a_requirement_at_one_value_alone_changes_the_verdict() -> None:
    found = in_order(
        {"coap": [100, 110], "raw_udp": [400, 600]},
        decided=True,
        require=["latency_p50 <= 500 ms"],
    )
    assert {it.stack: it.changed for it in found} == {"raw_udp": True, "coap": False}
    assert found[0].stack == "raw_udp"


def test_pairs_of_stacks_that_an_option_moves_differently_are_told() -> None:
    found = settings(
        {
            "mqtt qos=0": [100, 100],
            "mqtt qos=1": [110, 110],
            "mqtt qos=0 tcp.nodelay=off": [100, 100],
            "mqtt qos=1 tcp.nodelay=off": [800, 800],
        }
    )
    qos = found["mqtt", "qos"]
    assert qos.stack is None
    assert qos.interaction is not None
    assert qos.interaction < 0.001
    assert "pairs of stacks differ (p < 0.001)" in remark(qos, objective())


def objective() -> Objective:
    return Objective(
        column=column_of("latency_p50_ms"), maximise=False, smallest_effect=0.05, confidence=0.95
    )
