"""Which stack leads, which are excluded, and what is too close to call."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest

from lasthop.answer.decision import Decision, Outcome, PointDecision, decide
from lasthop.answer.verdict import verdict

Values = Mapping[str, Sequence[float | None]]

SEEDS = (11, 12, 13, 14, 15)


def study(stacks: Sequence[str], **asked: object) -> dict[str, Any]:
    """Describe a study of these stacks that decides by the median latency."""
    question: dict[str, Any] = {
        "require": [],
        "minimise": "latency_p50",
        "maximise": None,
        "smallest_effect": 0.05,
    }
    return {
        "name": "made-up",
        "decide": {**question, "part": None, **asked},
        "parts": [{"name": "base", "swept": []}],
        "stacks": [{"name": stack} for stack in stacks],
    }


def runs(latency: Values, delivery: Values | None = None, **columns: object) -> pl.DataFrame:
    """Lay out a run for each stack and value; each stack has the same seeds."""
    rows = [
        {
            "part": "base",
            "run_id": f"{stack}-{seed}",
            "stack": stack,
            "seed": seed,
            "status": "completed",
            "reason": None,
            "latency_p50_ms": value,
            "delivery_ratio": (delivery or {}).get(stack, [1.0] * len(values))[place],
            **columns,
        }
        for stack, values in latency.items()
        for place, (seed, value) in enumerate(zip(SEEDS, values, strict=False))
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def only_point(decision: Decision) -> PointDecision:
    """Return the one point of a decision."""
    (point,) = decision.points
    return point


def test_the_stack_with_the_least_latency_leads() -> None:
    table = runs({"slow": [200, 210, 205, 199, 203], "fast": [100, 101, 99, 100, 102]})
    point = only_point(decide(table, study(["slow", "fast"])))
    assert point.outcome is Outcome.LEADS
    assert [arm.stack for arm in point.ranked] == ["fast", "slow"]
    margin = point.ranked[1].margin
    assert margin is not None
    assert margin.contrast.change.mean == pytest.approx(1.026, abs=1e-3)


def test_pairing_by_seed_tells_apart_what_varies_together() -> None:
    together = [100.0, 200.0, 300.0, 400.0, 500.0]
    table = runs({"a": together, "b": [1.4 * value for value in together]})
    point = only_point(decide(table, study(["a", "b"])))
    assert point.outcome is Outcome.LEADS


def test_a_difference_below_the_smallest_effect_is_too_close_to_call() -> None:
    table = runs({"a": [100, 101, 99, 100, 102], "b": [101, 102, 100, 101, 103]})
    point = only_point(decide(table, study(["a", "b"])))
    assert point.outcome is Outcome.TOO_CLOSE
    assert point.leaders == ("a", "b")
    margin = point.ranked[1].margin
    assert margin is not None
    assert margin.negligible


def test_a_large_but_uncertain_difference_is_too_close_to_call() -> None:
    table = runs({"a": [100, 100, 100, 100, 100], "b": [60, 200, 90, 180, 100]})
    point = only_point(decide(table, study(["a", "b"])))
    assert point.outcome is Outcome.TOO_CLOSE
    margin = point.ranked[1].margin
    assert margin is not None
    assert not margin.negligible


def test_identical_stacks_are_too_close_to_call_even_without_a_smallest_effect() -> None:
    table = runs({"a": [100, 101, 99, 100, 102], "b": [100, 101, 99, 100, 102]})
    point = only_point(decide(table, study(["a", "b"], smallest_effect=0.0)))
    assert point.outcome is Outcome.TOO_CLOSE


def test_a_leader_at_zero_is_not_divided_by() -> None:
    table = runs({"a": [0, 0, 0, 0, 0], "b": [1, 1, 1, 1, 1], "c": [0, 0, 0, 0, 0]})
    point = only_point(decide(table, study(["a", "b", "c"])))
    assert point.leaders == ("a", "c")


def test_a_stack_below_a_requirement_is_excluded_with_its_figure() -> None:
    table = runs(
        {"lossy": [10, 11, 10, 11, 10], "sure": [90, 91, 90, 91, 90]},
        {"lossy": [0.8, 0.82, 0.81, 0.79, 0.78]},
    )
    decision = decide(table, study(["lossy", "sure"], require=["delivery_ratio >= 99 %"]))
    point = only_point(decision)
    assert point.outcome is Outcome.ONLY_ONE
    (excluded,) = point.excluded
    assert excluded.because[0].requirement == "delivery_ratio >= 99 %"
    assert excluded.because[0].figure.replace("\N{NO-BREAK SPACE}", " ") == "80 %"
    assert verdict(decision).headline.text.startswith("Only sure meets share of messages delivered")


def test_an_answer_says_what_excludes_the_others() -> None:
    latency = {"lossy": [10, 11, 10, 11, 10], "sure": [90, 91, 90, 91, 90], "slow": [200] * 5}
    table = runs(latency, {"lossy": [0.8] * 5})
    decision = decide(table, study(list(latency), require=["delivery_ratio >= 99 %"]))
    said = [line.text.replace("\N{NO-BREAK SPACE}", " ") for line in verdict(decision).support]
    why = "share of messages delivered is 80 %, at least 99 % is required"
    assert f"Excluded: lossy ({why})." in said


def test_a_requirement_that_only_some_runs_meet_is_a_warning() -> None:
    table = runs({"a": [10, 11, 10, 11, 10]}, {"a": [1.0, 1.0, 1.0, 1.0, 0.98]})
    point = only_point(decide(table, study(["a"], require=["delivery_ratio >= 99 %"])))
    assert point.ranked[0].warnings[-1] == (
        "share of messages delivered of at least 99 % is missed in 1 of 5 runs"
    )


def test_a_requirement_for_another_stack_does_not_apply() -> None:
    table = runs({"a": [10, 11, 10, 11, 10]}, {"a": [0.5] * 5})
    wanted = ["delivery_ratio >= 99 % where stack == 'b'"]
    assert only_point(decide(table, study(["a"], require=wanted))).excluded == ()


def test_when_nothing_qualifies_the_ranking_without_the_requirement_is_kept() -> None:
    table = runs(
        {"a": [90, 91, 90, 91, 90], "b": [10, 11, 10, 11, 10]},
        {"a": [0.5] * 5, "b": [0.4] * 5},
    )
    decision = decide(table, study(["a", "b"], require=["delivery_ratio >= 99 %"]))
    point = only_point(decision)
    assert point.outcome is Outcome.NOTHING_QUALIFIES
    assert [excluded.arm.stack for excluded in point.excluded] == ["b", "a"]
    said = verdict(decision)
    assert said.headline.text.startswith("No stack meets")
    assert "If the requirement were dropped, b would come first" in said.support[0].text


def test_a_latency_that_is_not_reached_ranks_last() -> None:
    table = runs({"never": [None] * 5, "late": [9000, 9100, 9000, 9100, 9000]})
    point = only_point(decide(table, study(["never", "late"])))
    assert [arm.stack for arm in point.ranked] == ["late", "never"]
    assert point.outcome is Outcome.LEADS


def test_a_latency_reached_in_some_runs_only_is_counted() -> None:
    table = runs({"some": [10, None, 10, None, 10], "all": [50, 51, 50, 51, 50]})
    point = only_point(decide(table, study(["some", "all"])))
    last = point.ranked[-1].value
    assert point.ranked[-1].stack == "some"
    assert last is not None
    assert (last.unreached, last.repetitions) == (2, 5)


def test_when_no_stack_reaches_the_objective_nothing_leads() -> None:
    table = runs({"a": [None] * 5, "b": [None] * 5}, {"a": [0.2] * 5, "b": [0.3] * 5})
    point = only_point(decide(table, study(["a", "b"])))
    assert point.outcome is Outcome.NOTHING_REACHED
    assert point.leaders == ()
    assert [arm.stack for arm in point.ranked] == ["b", "a"]


def test_maximising_turns_the_order_round() -> None:
    table = runs({"a": [1.0] * 5, "b": [1.0] * 5}, {"a": [0.5] * 5, "b": [0.9] * 5})
    asked = study(["a", "b"], minimise=None, maximise="delivery_ratio")
    point = only_point(decide(table, asked))
    assert [arm.stack for arm in point.ranked] == ["b", "a"]
    margin = point.ranked[1].margin
    assert margin is not None
    assert margin.contrast.change.mean == pytest.approx(-0.4)


def test_stacks_without_a_completed_run_are_set_aside_with_their_reason() -> None:
    table = runs({"a": [1.0, 1.1], "mqtt": [None, None]})
    table = table.with_columns(
        pl.when(pl.col("stack") == "mqtt")
        .then(pl.lit("unsupported"))
        .otherwise(pl.col("status"))
        .alias("status"),
        pl.lit("mqtt is not built yet").alias("reason"),
    )
    point = only_point(decide(table, study(["a", "mqtt", "never started"])))
    assert [(arm.stack, arm.troubles[0].status) for arm in point.set_aside] == [
        ("mqtt", "unsupported"),
        ("never started", "missing"),
    ]


def test_an_arm_with_a_failed_run_is_ranked_with_a_warning() -> None:
    table = runs({"a": [1.0, 1.1, 1.0]}).with_columns(
        status=pl.Series(["completed", "failed", "completed"]),
        reason=pl.Series([None, "the disk was full", None]),
    )
    (arm,) = only_point(decide(table, study(["a"]))).ranked
    assert arm.warnings == ("1 of 3 runs failed: the disk was full",)


def test_a_study_without_a_question_ranks_nothing() -> None:
    table = runs({"b": [5.0], "a": [1.0]})
    decision = decide(table, study(["b", "a"]) | {"decide": None})
    point = only_point(decision)
    assert point.outcome is Outcome.NOT_ASKED
    assert [(arm.stack, arm.value) for arm in point.ranked] == [("b", None), ("a", None)]
    assert "asks for no decision" in verdict(decision).headline.text


def test_one_repetition_claims_nothing() -> None:
    decision = decide(runs({"a": [100.0], "b": [200.0]}), study(["a", "b"]))
    assert only_point(decision).outcome is Outcome.TOO_CLOSE
    assert any("one repetition only" in line.text for line in verdict(decision).support)


def swept_runs(latency: Mapping[float, Values]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Lay out runs over a sweep of loss, and their study."""
    table = pl.concat([runs(values, path_loss=loss) for loss, values in latency.items()])
    swept = [{"key": "path.loss", "column": "path_loss", "unit": "fraction"}]
    asked = study(["a", "b"]) | {"parts": [{"name": "base", "swept": swept}]}
    return table, asked


def test_points_are_decided_one_by_one_in_ascending_order() -> None:
    decision = decide(
        *swept_runs(
            {
                0.2: {"a": [50, 51, 50], "b": [10, 11, 10]},
                0.0: {"a": [10, 11, 10], "b": [50, 51, 50]},
            }
        )
    )
    plain = [point.point.label.replace("\N{NO-BREAK SPACE}", " ") for point in decision.points]
    assert plain == ["path loss 0 %", "path loss 20 %"]
    assert [point.leaders for point in decision.points] == [("a",), ("b",)]
    assert verdict(decision).headline.text == "The answer changes with path loss."


def test_an_answer_that_holds_everywhere_is_said_once() -> None:
    same = {"a": [10, 11, 10], "b": [50, 51, 50]}
    decision = decide(*swept_runs({0.0: same, 0.1: same, 0.2: same}))
    headline = verdict(decision).headline.text.replace("\N{NO-BREAK SPACE}", " ")
    assert headline == "a has the lowest median latency at every path loss from 0 % to 20 %."


def test_an_answer_that_holds_everywhere_says_where_it_is_least_clear() -> None:
    far = {"a": [10, 10, 10], "b": [50, 51, 50]}
    near = {"a": [20, 20, 20], "b": [30, 30, 30]}
    said = verdict(decide(*swept_runs({0.0: far, 0.1: near, 0.2: far}))).support[0].text
    assert said.replace("\N{NO-BREAK SPACE}", " ") == (
        "Its lead is least at path loss 10 %: 20 ms (20 ms, range of 3 runs); "
        "b comes next, 50 % higher."
    )


def test_a_leader_that_shares_the_lead_somewhere_is_one_answer_for_all() -> None:
    decision = decide(
        *swept_runs(
            {
                0.0: {"a": [10, 11, 10], "b": [10, 11, 10]},
                0.1: {"a": [10, 11, 10], "b": [50, 51, 50]},
            }
        )
    )
    headline = verdict(decision).headline.text.replace("\N{NO-BREAK SPACE}", " ")
    assert headline == "Nothing beats a at any path loss from 0 % to 10 %."


def test_points_of_several_settings_are_counted_and_not_listed() -> None:
    same = {"a": [10, 11, 10], "b": [10, 11, 10]}
    table, asked = swept_runs({0.0: same, 0.1: same})
    delays = [table.with_columns(path_delay_ms=pl.lit(delay)) for delay in (10.0, 20.0)]
    delay = {"key": "path.delay", "column": "path_delay_ms", "unit": "ms"}
    asked["parts"][0]["swept"].append(delay)
    headline = verdict(decide(pl.concat(delays), asked)).headline.text
    assert headline == "a and b are too close to call at all 4 points."


def test_variants_of_one_protocol_stand_beside_the_best_of_another() -> None:
    latency = {"mqtt qos=0": [10, 11, 10], "mqtt qos=1": [20, 21, 20], "coap": [50, 51, 50]}
    said = [line.text for line in verdict(decide(runs(latency), study(list(latency)))).support]
    assert any(line.startswith("mqtt qos=1 comes next") for line in said)
    assert any(line.startswith("The best of another protocol is coap, ") for line in said)


def test_a_study_of_one_stack_says_what_it_has_and_not_that_it_could_be_judged() -> None:
    table = runs({"mqtt": [10, 11, 10]})
    alone = verdict(decide(table, study(["mqtt"])))
    assert alone.headline.text == "mqtt stands alone, with nothing beside."
    assert any("median latency of mqtt is" in line.text for line in alone.support)
    required = study(["mqtt"], require=["delivery_ratio >= 99 %"])
    meets = verdict(decide(table, required)).headline.text
    assert meets.startswith("mqtt meets share of messages delivered")


def test_the_fraction_of_a_point_survives_the_mean_over_repetitions() -> None:
    table, asked = swept_runs({0.1: {"a": [10, 11, 10], "b": [50, 51, 50]}})
    wanted = ["delivery_ratio >= 99 % where path.loss <= 10 %"]
    asked["decide"]["require"] = wanted
    table = table.with_columns(delivery_ratio=pl.lit(0.5))
    assert only_point(decide(table, asked)).outcome is Outcome.NOTHING_QUALIFIES
